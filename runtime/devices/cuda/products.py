"""Products of matrices by cuBLAS.

    gemm(c, a, b)              c = a @ b
    gemm_batched(c, a, b)      for stacks: an axis of length 1, or one that is missing, is repeated
    gemv, gemv_batched, dot

The library reads columns, so that it is asked for the transposed product.  An operand whose rows or columns are
contiguous is read as it lies; every other one is copied.  NotImplemented is given for what it does not take.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from . import driver
from .libraries import LETTERS, MOST, REAL, Library, library, number_of, on_device

PLAIN, TURNED = 0, 1  # CUBLAS_OP_N and CUBLAS_OP_T


def gemm_batched(c: Any, a: Any, b: Any) -> Any:
    """c[i] = a[i] @ b[i] for all i, of any number of axes."""
    blas, letter = library("cublas"), LETTERS.get(c.dtype)
    if blas is None or letter is None or not _go_together(c, a, b):
        return NotImplemented
    if not c.size:
        return None
    if not a.shape[-1]:
        if not c.is_contiguous:
            return NotImplemented
        c.clear()
        return None
    step, item = c.strides[-1], c.itemsize
    if step != item and c.shape[-1] > 1:  # then its columns may be contiguous: they are the transposed product
        c, a, b = turned(c), turned(b), turned(a)
    written = readable(c)
    if written is None or written[0] != PLAIN or not _is_stack(c):
        return NotImplemented
    left, right = readable_or_copied(a), readable_or_copied(b)
    _multiply(blas, letter, (c, written[1]), left, right)
    return None


def gemm(c: Any, a: Any, b: Any) -> Any:
    """c = a @ b."""
    return gemm_batched(c, a, b)


def gemv_batched(y: Any, a: Any, x: Any) -> Any:
    """y[i] = a[i] @ x[i] for all i."""
    return gemm_batched(y[..., None], a, x[..., None])


def gemv(y: Any, a: Any, x: Any) -> Any:
    """y = a @ x."""
    return gemv_batched(y, a, x)


def dot(x: Any, y: Any) -> Any:
    """The number x @ y; waits for it."""
    blas, letter, n = library("cublas"), LETTERS.get(x.dtype), x.shape[0]
    if blas is None or letter is None or not 0 < n <= MOST or y.shape != x.shape:
        return NotImplemented
    left, right = (v if v.strides[0] > 0 and not v.strides[0] % v.itemsize else v.copy() for v in (x, y))
    result = (REAL[letter] * (2 if letter in "CZ" else 1))()
    name = f"cublas{letter}dot{'u' if letter in 'CZ' else ''}_v2"
    with on_device(x.number):
        blas.call(
            name, blas.handle(x.number), n, left.ptr, left.strides[0] // left.itemsize,
            right.ptr, right.strides[0] // right.itemsize, ctypes.byref(result),
        )  # fmt: skip
    return x.dtype.type(complex(*result) if letter in "CZ" else result[0])


# --- what the library reads -------------------------------------------------------------------------------------------


def turned(a: Any) -> Any:
    """A view with the last two axes exchanged."""
    return a.transpose((*range(a.ndim - 2), a.ndim - 1, a.ndim - 2))


def readable(a: Any) -> tuple[int, int] | None:
    """How the library reads a matrix, or each of a stack: whether its rows are the library's columns, and the step
    between them in elements; None where neither rows nor columns are contiguous.
    """
    item, (down, along) = a.itemsize, a.strides[-2:]
    rows, columns = a.shape[-2:]
    if (along == item or columns == 1) and _fits(down, columns * item, item, rows):
        return PLAIN, max(down // item if rows > 1 else columns, columns)
    if (down == item or rows == 1) and _fits(along, rows * item, item, columns):
        return TURNED, max(along // item if columns > 1 else rows, rows)
    return None


def readable_or_copied(a: Any) -> tuple[Any, int, int]:
    """A matrix that the library reads, with how it does."""
    way = readable(a)
    if way is None or not _is_stack(a):
        a = compact(a)
        way = readable(a)
    assert way is not None, "what is contiguous can be read"
    return a, *way


def compact(a: Any) -> Any:
    """A copy in C order: a call for each row, or for each column where there are fewer of them."""
    blas, letter, item = library("cublas"), LETTERS[a.dtype], a.itemsize
    if blas is None or any(step < item or step % item for step in a.strides[-2:]):
        return a.copy()
    made = driver.extension().device_array(a.shape, a.dtype)
    rows, columns = a.shape[-2:]
    source, target = (a, made) if rows <= columns else (turned(a), turned(made))
    with on_device(a.number):
        for index in np.ndindex(*source.shape[:-1]):
            first, second = (v.ptr + sum(map(operator.mul, index, v.strides)) for v in (source, target))
            steps = source.strides[-1] // item, target.strides[-1] // item
            blas.call(
                f"cublas{letter}copy_v2", blas.handle(a.number), source.shape[-1], first, steps[0], second, steps[1]
            )  # fmt: skip
    return made


def _is_stack(a: Any) -> bool:
    """Whether the matrices of a stack follow each other in whole elements; they may all be the same one."""
    return all(step >= 0 and step % a.itemsize == 0 for step in a.strides[:-2])


def _fits(step: int, least: int, item: int, count: int) -> bool:
    """Whether rows that are this far apart do not overlap, and are whole numbers apart."""
    return count == 1 or (least <= step <= MOST * item and step % item == 0)


def _go_together(c: Any, a: Any, b: Any) -> bool:
    """Whether these are a product and its factors, in lengths that the library has ints for."""
    (n, m), k = c.shape[-2:], a.shape[-1]
    if a.shape[-2:] != (n, k) or b.shape[-2:] != (k, m) or a.dtype != c.dtype or b.dtype != c.dtype:
        return False
    stack = c.shape[:-2]
    for operand in (a, b):
        own = operand.shape[:-2]
        if len(own) > len(stack) or any(mine not in (1, all_) for mine, all_ in zip(own[::-1], stack[::-1])):
            return False
    return max(*c.shape, k) <= MOST and math.prod(stack) <= MOST


# --- stacks -----------------------------------------------------------------------------------------------------------


def _multiply(blas: Library, letter: str, c: tuple[Any, int], a: tuple[Any, int, int], b: tuple[Any, int, int]) -> None:
    (target, lead), (left, left_way, left_lead), (right, right_way, right_lead) = c, a, b
    (n, m), k = target.shape[-2:], left.shape[-1]
    axes = _merged(target, left, right)
    count, steps = axes.pop(axes.index(max(axes))) if axes else (1, (0, 0, 0))
    one, zero = number_of(letter, 1.0), number_of(letter, 0.0)
    if left_way == PLAIN and not steps[2] and steps[:2] == (n * lead, n * left_lead) and count * n <= MOST:
        n, count = n * count, 1  # all rows of the stack are multiplied by the same matrix: it is one product
    with on_device(target.number):
        handle = blas.handle(target.number)
        for moved in _places(axes, target.itemsize):
            to, first, second = (p.ptr + by for p, by in zip((target, left, right), moved))
            ways = right_way, left_way, m, n, k
            if count == 1:
                blas.call(
                    f"cublas{letter}gemm_v2", handle, *ways, one, second, right_lead, first, left_lead, zero, to, lead
                )  # fmt: skip
            else:
                blas.call(
                    f"cublas{letter}gemmStridedBatched", handle, *ways, one, second, right_lead, steps[2], first,
                    left_lead, steps[1], zero, to, lead, steps[0], count,
                )  # fmt: skip


def _merged(*operands: Any) -> list[tuple[int, tuple[int, ...]]]:
    """The axes of stacks, (length, steps of the operands in elements); two that are one in all of them are one."""
    stack = operands[0].shape[:-2]
    found: list[tuple[int, tuple[int, ...]]] = []
    for axis in range(1, len(stack) + 1):
        length = stack[-axis]
        if length == 1:
            continue
        steps = tuple(_step(operand, axis) for operand in operands)
        if found and steps == tuple(found[-1][0] * step for step in found[-1][1]):
            length, steps = length * found[-1][0], found.pop()[1]
        found.append((length, steps))
    return found


def _step(operand: Any, axis: int) -> int:
    """From one matrix to the next along this axis of the stack, counted from its last one; 0 where it is repeated."""
    shape, strides = operand.shape[:-2], operand.strides[:-2]
    return int(strides[-axis] // operand.itemsize) if axis <= len(shape) and shape[-axis] > 1 else 0


def _places(axes: Sequence[tuple[int, tuple[int, ...]]], item: int) -> Iterator[tuple[int, ...]]:
    """In bytes how far each operand moves, for all iterations of these axes."""
    for index in itertools.product(*(range(length) for length, _ in axes)):
        moved = (sum(k * steps[operand] for k, (_, steps) in zip(index, axes)) for operand in range(3))
        yield tuple(item * by for by in moved)

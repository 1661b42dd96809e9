"""Routines of a library, one row each: what the loops stage calls by name, and how BLAS or LAPACK computes it.

    gesv    "x(n, k?) <- a(n, n), b(n, k?)"      ->    gesv(x, a, b)    puts the x of a @ x == b into the buffer x

A row says what every part of the compiler knows of its routine: which operands it writes and reads with how many axes
of which lengths, its meaning in CPython, where it fails and with which words, what it costs, and its steps:

    f = columns(a)              a copy of an operand, column after column: what LAPACK may overwrite; in the place of a
                                result, its transpose
    r = rows(a), v = vector(x)  an operand as it lies, or a copy of it: lead(r), trans(r), turned(r), step(v) tell how
    r = stored_rows(a)          the same of what has to lie in rows, that is in LAPACK's columns
    if transposed: ...          a step that depends on what is known
    exchange_rows(f, p)         the exchange of row i of a copy with row p[i], one after the other; exchange_rows_back
    t = floats(m, k), ints(n)   memory to work in; matrices lie column after column; `reals` for parts of numbers
    gesv(n, k, f, ..., info)    a call of the routine for the dtype, `dgesv`; `work` and `iwork` are of the lengths that
                                it asks for, as is `rwork`, which routines of complex numbers alone are given, and
                                `rwork(2 * n)`; a result among the arguments is written in place
    s = dot(...)                a call that gives a number
    x = f, upper(f), lower(f)   a result; of a triangle, the rest is zero
    p = positions(t)            a result: positions that LAPACK counts from one, counted from zero
    s = number(info)            a result: 1.0 where the routine says that it failed, else 0.0
    across_devices('alltoall', devices, source, a, y)   an exchange with other devices (`targets/llvm/exchanges.py`)
    sort(a, y), order(a, p)     NumPy's own sorts of all rows (`targets/llvm/sorts.py`)
    along_rows('fft', a, y)     a loop of NumPy's own transforms (`targets/llvm/transforms.py`) over all rows

An operand is of the dtype of the routine, that of the last one, or of another that follows: `real w(n)` of its parts,
`complex y(n, m)` of numbers with such parts, `int pivots(n)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache

import gast
import numpy as np

from ..dtypes import INT_WORD, complex_of, part_of
from ..parsing import parsed_expression, parsed_module
from ..records import dataclass

ROUTINES: dict[str, Routine] = {}
SQUARE = ("LinAlgError", "Last 2 dimensions of the array must be square")
OUT_MESSAGE = "the result of a library function does not fit its array"


@dataclass(frozen=True, slots=True)
class Operand:
    """An array: `lengths` names those of its axes, all of which repeat what is named before.

    `kind` is empty where its dtype is that of the routine, else `real`, `complex` or `int`; the last axis of one that
    `may_lack_axis` may be missing.
    """

    name: str
    role: str  # in, out
    lengths: tuple[str, ...]
    kind: str = ""
    may_lack_axis: bool = False

    def dtype(self, word: str) -> str:
        """Its dtype where the routine is called for this one."""
        match self.kind:
            case "real":
                return part_of(word)
            case "complex":
                return complex_of(word)
            case "int":
                return INT_WORD
        return word

    def has_rank(self, rank: int) -> bool:
        return rank == len(self.lengths) or self.may_lack_axis and rank == len(self.lengths) - 1


@dataclass(frozen=True, slots=True)
class Routine:
    """One routine; `computed` are the lengths that follow from others.

    steps       how it is computed, a line each
    cuda        the same by the libraries of CUDA, a line each; empty where they have no such routine, or where it is a
                product, which `runtime/devices/cuda/products.py` computes
    kinds       the kinds of numbers that it is for
    meaning     what it is in CPython: the results, given what it reads
    work        the multiplications it does, in the lengths
    error       the exception and the words where a routine says that it failed; `{}` is the position, counted from zero
    square      the same where two axes of one operand differ
    mismatch    the words of the ValueError where an operand does not go with those before it, as `gufunc` makes them;
                the second where the axis that may be missing is
    is_product  whether it is the sum of the products over the lengths that the result does not have: then loops do it
                where there is no routine for the dtype or for the lengths
    static      what is known when it is called, and its defaults
    hints       which of these say nothing of what it computes, so that machine code does without them
    keeps_dtype whether it is called for the dtype of its operands as it is, whichever that is, instead of for doubles
    samples     a name of a set of operands in `ops/routine_samples.py`
    """

    name: str
    operands: tuple[Operand, ...]
    computed: Mapping[str, str]
    steps: str
    meaning: Callable[..., object]
    work: str
    samples: str
    error: tuple[str, str] = ("", "")
    square: tuple[str, str] = SQUARE
    mismatch: tuple[str, ...] = ()
    is_product: bool = False
    static: Mapping[str, object] = field(default_factory=dict)
    hints: tuple[str, ...] = ()
    cuda: str = ""
    kinds: tuple[str, ...] = ("float",)
    keeps_dtype: bool = False

    @property
    def is_shaped(self) -> bool:
        """Whether its result has a length that only the caller knows."""
        known = {length for operand in self.read for length in operand.lengths} | set(self.computed)
        return any(length not in known for operand in self.results for length in operand.lengths)

    @property
    def can_fail(self) -> bool:
        """Whether operands of the right ranks may be refused."""
        lengths = [length for operand in self.read for length in operand.lengths]
        return bool(self.error[0]) or len(set(lengths)) < len(lengths)

    @property
    def results(self) -> tuple[Operand, ...]:
        return tuple(o for o in self.operands if o.role == "out")

    @property
    def read(self) -> tuple[Operand, ...]:
        return tuple(o for o in self.operands if o.role == "in")

    @property
    def gives_number(self) -> bool:
        """Whether it gives its result back instead of writing it into a buffer."""
        return not self.results[0].lengths

    @property
    def takes_memory(self) -> bool:
        """Whether it works in memory of its own, whatever lies where."""
        return any(maker in self.steps for maker in ("columns(", "floats(", "reals(", "ints("))

    @property
    def given(self) -> tuple[Operand, ...]:
        """The operands of a call in the loops stage."""
        return self.read if self.gives_number else self.operands

    @property
    def batched(self) -> str:
        """What it is called for stacks of operands in one call; empty where it is called for one after the other."""
        return f"{self.name}_batched" if self.is_product and not self.gives_number else ""

    def fault(self, found: Sequence[tuple[str, int]], dtype: str) -> str:
        """What is wrong with (dtype, rank) of the operands of a call."""
        for operand, (word, rank) in zip(self.given, found, strict=True):
            if not operand.has_rank(rank):
                return f"`{self.name}`: `{operand.name}` has {len(operand.lengths)} axes, not {rank}"
            if word != operand.dtype(dtype):
                return f"`{self.name}`: `{operand.name}` is of {operand.dtype(dtype)}, not {word}"
        return ""

    def in_place(self, *operands: object, **static: object) -> object:
        """Call it in CPython as the loops stage does."""
        count = len(self.given) - len(self.read)
        if self.is_shaped:
            static["shape"] = operands[0].shape  # type: ignore[attr-defined]
        made = self.meaning(*operands[count:], **{**self.static, **static})
        if self.gives_number:
            return made
        for out, value in zip(operands[:count], made if count > 1 else (made,)):  # type: ignore[call-overload]
            out[...] = value
        return None

    def in_places(self, *operands: np.ndarray) -> None:
        """Call it in CPython for stacks of operands: an axis of length 1, or one that is missing, is repeated."""
        ranks = [len(operand.lengths) for operand in self.operands]
        stack = operands[0].shape[: operands[0].ndim - ranks[0]]
        shapes = [(*stack, *o.shape[o.ndim - rank :]) for o, rank in zip(operands, ranks, strict=True)]
        read = [np.broadcast_to(o, shape) for o, shape in zip(operands[1:], shapes[1:])]
        for index in np.ndindex(*stack):
            self.in_place(*(o[index] for o in (operands[0], *read)))


def routine(name: str, signature: str, **row: object) -> Routine:
    """Declare a routine: `x(n, k?) <- a(n, n), b(n, k?)`, with ` with k = min(m, n)` for lengths that are computed."""
    shapes, _, rules = signature.partition(" with ")
    results, _, read = shapes.partition(" <- ")
    operands = (*_operands(results, "out"), *_operands(read, "in"))
    pairs = (rule.partition(" = ") for rule in rules.split("; ") if rule)
    computed = {length: value for length, _, value in pairs}
    made = Routine(name, operands, computed, **row)  # type: ignore[arg-type]
    if name in ROUTINES:
        raise TypeError(f"routine {name} is declared twice")
    ROUTINES[name] = made
    return made


def _operands(text: str, role: str) -> list[Operand]:
    found = []
    for part in text.split(")")[:-1]:
        words, _, lengths = part.lstrip(", ").partition("(")
        names = tuple(word.strip() for word in lengths.split(",") if word.strip())
        kind, name = words.split() if " " in words else ("", words)
        plain = tuple(n.rstrip("?") for n in names)
        found.append(Operand(name, role, plain, kind, names != plain))
    return found


def gufunc(name: str, signature: str) -> str:
    """NumPy's words where operands do not go together."""
    return (
        f"{name}: Input operand {{operand}} has a mismatch in its core dimension {{axis}}, with gufunc signature "
        f"{signature} (size {{found}} is different from {{known}})"
    )


@lru_cache(maxsize=64)
def parsed(steps: str) -> tuple[gast.stmt, ...]:
    lines = "\n".join(line.strip() for line in steps.strip().splitlines())
    return tuple(parsed_module(lines).body)


@lru_cache(maxsize=64)
def formula(text: str) -> gast.expr:
    return parsed_expression(text)

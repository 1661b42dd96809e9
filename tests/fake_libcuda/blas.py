"""The functions of cuBLAS that we call, on the fake driver: parts of `libraries.py`."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

DTYPES = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}
INVALID_VALUE = 7
N, T, C = 0, 1, 2
LOWER, UPPER = 0, 1


def number_at(address: int, dtype: Any) -> Any:
    """A number in memory of the host."""
    return np.frombuffer(ctypes.string_at(address, np.dtype(dtype).itemsize), dtype)[0]


def turned(a: np.ndarray, way: int) -> np.ndarray:
    """op(A), of the last two axes."""
    return a if way == N else np.swapaxes(a, -1, -2) if way == T else np.conj(np.swapaxes(a, -1, -2))


class Handles:
    """Handles with their streams."""

    def __init__(self, libraries: Any) -> None:
        self.libraries = libraries
        self.streams: dict[int, int] = {}
        self._kept: list[Any] = []

    def create(self, place: int) -> None:
        made = ctypes.create_string_buffer(8)
        self._kept.append(made)
        self.streams[ctypes.addressof(made)] = 0
        ctypes.c_void_p.from_address(place).value = ctypes.addressof(made)

    def set_stream(self, handle: int, stream: int) -> None:
        self.streams[handle] = stream

    def stream(self, name: str, handle: int) -> int:
        if handle not in self.streams:
            self.libraries.fault(f"{name}: a handle that nobody made")
        elif not self.streams[handle]:
            self.libraries.fault(f"{name}: the stream of the handle was never set")
        return self.streams.get(handle, 0)


class Blas:
    def __init__(self, libraries: Any) -> None:
        self.libraries, self.handles = libraries, Handles(libraries)

    def call(self, name: str, words: list[int]) -> Any:
        match name:
            case "cublasCreate_v2":
                return self.handles.create(words[0])
            case "cublasSetStream_v2":
                return self.handles.set_stream(*words)
            case "cublasSetMathMode":
                return 0 if words[1] == 0 else INVALID_VALUE
        letter, word = name[6], name[7:].removesuffix("_v2")
        stream = self.handles.stream(name, words[0])
        return getattr(self, word)(name, stream, DTYPES[letter], *words[1:])

    def _fails(self, name: str, *conditions: bool) -> bool:
        if not all(conditions):
            self.libraries.fault(f"{name}: parameter {conditions.index(False)} has an illegal value")
        return not all(conditions)

    def gemm(self, name: str, stream: int, dtype: Any, ta: int, tb: int, m: int, n: int, k: int, *rest: int) -> Any:
        alpha, a, lda, b, ldb, beta, c, ldc = rest
        return self.gemmStridedBatched(
            name, stream, dtype, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1
        )

    def gemmStridedBatched(self, name: str, stream: int, dtype: Any, *given: int) -> Any:
        ta, tb, m, n, k, alpha, a, lda, step_a, b, ldb, step_b, beta, c, ldc, step_c, count = given
        shape_a, shape_b = (m, k) if ta == N else (k, m), (k, n) if tb == N else (n, k)
        if self._fails(
            name, ta in (N, T, C), tb in (N, T, C), min(m, n, k, count) >= 0, lda >= max(1, shape_a[0]),
            ldb >= max(1, shape_b[0]), ldc >= max(1, m), count == 1 or step_c >= (n - 1) * ldc + m,
            min(step_a, step_b) >= 0,
        ):  # fmt: skip
            return INVALID_VALUE
        strided = self.libraries.strided
        left = strided(name, a, (count, *shape_a), (step_a, 1, lda), dtype)
        right = strided(name, b, (count, *shape_b), (step_b, 1, ldb), dtype)
        out = strided(name, c, (count, m, n), (step_c, 1, ldc), dtype)
        factor, kept = number_at(alpha, dtype), number_at(beta, dtype)

        def work() -> None:
            product = factor * (turned(left, ta) @ turned(right, tb))
            out[...] = product if kept == 0 else product + kept * out

        return self.libraries.later(stream, work)

    def dot(self, name: str, stream: int, dtype: Any, n: int, x: int, incx: int, y: int, incy: int, to: int) -> None:
        left, right = (self.libraries.vector(name, *v, dtype) for v in ((x, n, incx), (y, n, incy)))
        self.libraries.wait(stream)
        found = np.asarray(left @ right, dtype).tobytes()
        ctypes.memmove(to, found, len(found))

    dotu = dot

    def copy(self, name: str, stream: int, dtype: Any, n: int, x: int, incx: int, y: int, incy: int) -> None:
        source, target = (self.libraries.vector(name, *v, dtype) for v in ((x, n, incx), (y, n, incy)))
        self.libraries.later(stream, lambda: np.copyto(target, source))

    def geam(self, name: str, stream: int, dtype: Any, ta: int, tb: int, m: int, n: int, *rest: int) -> Any:
        alpha, a, lda, beta, b, ldb, c, ldc = rest
        shapes = [(m, n) if way == N else (n, m) for way in (ta, tb)]
        if self._fails(
            name, ta in (N, T, C), tb in (N, T, C), lda >= max(1, shapes[0][0]), ldb >= max(1, shapes[1][0]),
            ldc >= max(1, m), c != a,
        ):  # fmt: skip
            return INVALID_VALUE
        left = self.libraries.matrix(name, a, *shapes[0], lda, dtype)
        right = self.libraries.matrix(name, b, *shapes[1], ldb, dtype)
        out = self.libraries.matrix(name, c, m, n, ldc, dtype)
        factors = number_at(alpha, dtype), number_at(beta, dtype)

        def work() -> None:
            first, second = (f * turned(x, way) for f, x, way in zip(factors, (left, right), (ta, tb)))
            out[...] = first if factors[1] == 0 else first + second

        return self.libraries.later(stream, work)

    def trsm(self, name: str, stream: int, dtype: Any, *given: int) -> Any:
        side, uplo, way, diag, m, n, alpha, a, lda, b, ldb = given
        if self._fails(name, side == 0, uplo in (0, 1), way == N, diag == 0, lda >= max(1, m), ldb >= max(1, m)):
            return INVALID_VALUE
        matrix = self.libraries.matrix(name, a, m, m, lda, dtype)
        right = self.libraries.matrix(name, b, m, n, ldb, dtype)
        factor = number_at(alpha, dtype)

        def work() -> None:
            right[...] *= factor
            for row in range(m) if uplo == LOWER else reversed(range(m)):
                known = slice(row) if uplo == LOWER else slice(row + 1, None)
                with np.errstate(all="ignore"):
                    right[row] = (right[row] - matrix[row, known] @ right[known]) / matrix[row, row]

        return self.libraries.later(stream, work)

    def trttp(self, name: str, stream: int, dtype: Any, uplo: int, n: int, a: int, lda: int, packed: int) -> None:
        matrix, row = self._triangle(name, dtype, n, a, lda, packed)
        places = self._places(uplo, n)

        def work() -> None:
            row[:] = [matrix[i, j] for i, j in places]

        self.libraries.later(stream, work)

    def tpttr(self, name: str, stream: int, dtype: Any, uplo: int, n: int, packed: int, a: int, lda: int) -> None:
        matrix, row = self._triangle(name, dtype, n, a, lda, packed)
        places = self._places(uplo, n)

        def work() -> None:
            for (i, j), value in zip(places, row):
                matrix[i, j] = value

        self.libraries.later(stream, work)

    def _triangle(self, name: str, dtype: Any, n: int, a: int, lda: int, packed: int) -> tuple[np.ndarray, np.ndarray]:
        return self.libraries.matrix(name, a, n, n, lda, dtype), self.libraries.vector(
            name, packed, n * (n + 1) // 2, 1, dtype
        )

    def _places(self, uplo: int, n: int) -> list[tuple[int, int]]:
        """Column after column."""
        return [(i, j) for j in range(n) for i in (range(j, n) if uplo == LOWER else range(j + 1))]

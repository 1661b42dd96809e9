"""The functions of cuSOLVER that we call, on the fake driver: parts of `libraries.py`.

They do what LAPACK does, but for the signs of eigenvectors and of singular vectors, which nothing says and which are
the other way round here.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import scipy.linalg

from .blas import DTYPES, Handles

INVALID_VALUE = 3
PARTS = {"S": np.float32, "D": np.float64, "C": np.float32, "Z": np.float64}


class Solver:
    def __init__(self, libraries: Any) -> None:
        self.libraries, self.handles = libraries, Handles(libraries)
        self.asked: dict[tuple[str, tuple[int, ...]], int] = {}

    def call(self, name: str, words: list[int]) -> Any:
        match name:
            case "cusolverDnCreate":
                return self.handles.create(words[0])
            case "cusolverDnSetStream":
                return self.handles.set_stream(*words)
        letter, word = name[10], name[11:]
        stream = self.handles.stream(name, words[0])
        if word.endswith("_bufferSize"):
            return self._told(letter, word.removesuffix("_bufferSize"), words[1:])
        word = {"ungqr": "orgqr", "heevd": "syevd"}.get(word, word)
        if (word == "orgqr") != (name[11:] == "orgqr") and letter in "SD":
            self.libraries.fault(f"{name}: there is no such function")
        return getattr(self, word)(name, stream, letter, *words[1:])

    # --- lengths of work, in elements

    def _told(self, letter: str, word: str, words: list[int]) -> None:
        *asked, place = words
        length = 16 + 3 * sum(a for a in asked if 0 < a < 10**6)
        word = {"ungqr": "orgqr", "heevd": "syevd"}.get(word, word)
        self.asked[letter + word, tuple(asked)] = length
        ctypes.c_int.from_address(place).value = length

    def _work(self, name: str, key: tuple[Any, ...], address: int, given: int | None) -> np.ndarray:
        letter, word, *asked = key
        length = self.asked.get((letter + word, tuple(asked)))
        if length is None:
            self.libraries.fault(f"{name}: nobody has asked how much work it wants")
            return np.empty(0)
        if given is not None and given < length:
            self.libraries.fault(f"{name}: {given} elements of work, where it wants {length}")
        return self.libraries.vector(name, address, length, 1, DTYPES[letter])

    def _info(self, name: str, address: int) -> np.ndarray:
        return self.libraries.vector(name, address, 1, 1, np.int32)

    def _lapack(self, word: str, dtype: Any) -> Any:
        return scipy.linalg.get_lapack_funcs(word, dtype=np.dtype(dtype))

    # --- factors

    def potrf(self, name: str, stream: int, letter: str, uplo: int, n: int, a: int, lda: int, *rest: int) -> None:
        work, length, info = rest
        dtype = DTYPES[letter]
        matrix, said = self.libraries.matrix(name, a, n, n, lda, dtype), self._info(name, info)
        memory = self._work(name, (letter, "potrf", uplo, n, a, lda), work, length)

        def run() -> None:
            made, said[0] = self._lapack("potrf", dtype)(matrix, lower=uplo == 0, clean=False)
            matrix[...] = made
            memory[:] = np.nan

        self.libraries.later(stream, run)

    def getrf(self, name: str, stream: int, letter: str, m: int, n: int, a: int, lda: int, *rest: int) -> None:
        work, pivots, info = rest
        dtype = DTYPES[letter]
        matrix, said = self.libraries.matrix(name, a, m, n, lda, dtype), self._info(name, info)
        memory = self._work(name, (letter, "getrf", m, n, a, lda), work, None)
        places = self.libraries.vector(name, pivots, min(m, n), 1, np.int32)

        def run() -> None:
            made, found, said[0] = self._lapack("getrf", dtype)(matrix)
            matrix[...], places[:] = made, found + 1
            memory[:] = np.nan

        self.libraries.later(stream, run)

    def getrs(self, name: str, stream: int, letter: str, way: int, n: int, k: int, *rest: int) -> None:
        a, lda, pivots, b, ldb, info = rest
        dtype = DTYPES[letter]
        matrix = self.libraries.matrix(name, a, n, n, lda, dtype)
        right = self.libraries.matrix(name, b, n, k, ldb, dtype)
        places, said = self.libraries.vector(name, pivots, n, 1, np.int32), self._info(name, info)

        def run() -> None:
            with np.errstate(all="ignore"):
                right[...], _ = self._lapack("getrs", dtype)(matrix, places - 1, right, trans=way)
            said[0] = 0

        self.libraries.later(stream, run)

    def geqrf(self, name: str, stream: int, letter: str, m: int, n: int, a: int, lda: int, *rest: int) -> None:
        tau, work, length, info = rest
        dtype = DTYPES[letter]
        matrix, said = self.libraries.matrix(name, a, m, n, lda, dtype), self._info(name, info)
        memory = self._work(name, (letter, "geqrf", m, n, a, lda), work, length)
        factors = self.libraries.vector(name, tau, min(m, n), 1, dtype)

        def run() -> None:
            matrix[...], factors[:], _, said[0] = self._lapack("geqrf", dtype)(matrix)
            memory[:] = np.nan

        self.libraries.later(stream, run)

    def orgqr(self, name: str, stream: int, letter: str, m: int, n: int, k: int, a: int, lda: int, *rest: int) -> Any:
        tau, work, length, info = rest
        dtype = DTYPES[letter]
        if not m >= n >= k >= 0:
            self.libraries.fault(f"{name}: m >= n >= k does not hold for {m}, {n}, {k}")
            return INVALID_VALUE
        matrix, said = self.libraries.matrix(name, a, m, n, lda, dtype), self._info(name, info)
        memory = self._work(name, (letter, "orgqr", m, n, k, a, lda, tau), work, length)
        factors = self.libraries.vector(name, tau, k, 1, dtype)

        def run() -> None:
            word = "ungqr" if letter in "CZ" else "orgqr"
            matrix[...], _, said[0] = self._lapack(word, dtype)(matrix, factors)
            memory[:] = np.nan

        return self.libraries.later(stream, run)

    # --- eigenvalues and singular values

    def syevd(self, name: str, stream: int, letter: str, job: int, uplo: int, n: int, *rest: int) -> None:
        a, lda, values, work, length, info = rest
        matrix, said = self.libraries.matrix(name, a, n, n, lda, DTYPES[letter]), self._info(name, info)
        memory = self._work(name, (letter, "syevd", job, uplo, n, a, lda, values), work, length)
        found = self.libraries.vector(name, values, n, 1, PARTS[letter])

        def run() -> None:
            w, v = np.linalg.eigh(matrix, UPLO="LU"[uplo])
            found[:], matrix[...], said[0] = w, -v if job else np.nan, 0
            memory[:] = np.nan

        self.libraries.later(stream, run)

    def gesvd(self, name: str, stream: int, letter: str, left: int, right: int, m: int, n: int, *rest: int) -> Any:
        a, lda, s, u, ldu, vt, ldvt, work, length, _, info = rest
        dtype, job = DTYPES[letter], chr(left)
        if m < n or left != right or job not in "ASN":
            self.libraries.fault(f"{name}: it takes m >= n, not {m} and {n}, and not the jobs {left} and {right}")
            return INVALID_VALUE
        matrix, said = self.libraries.matrix(name, a, m, n, lda, dtype), self._info(name, info)
        memory = self._work(name, (letter, "gesvd", m, n), work, length)
        found = self.libraries.vector(name, s, n, 1, PARTS[letter])
        if job != "N":
            columns = self.libraries.matrix(name, u, m, m if job == "A" else n, ldu, dtype)
            rows = self.libraries.matrix(name, vt, n, n, ldvt, dtype)

        def run() -> None:
            first, found[:], second = np.linalg.svd(matrix, full_matrices=job == "A")
            if job != "N":
                columns[...], rows[...] = -first, -second
            matrix[...], memory[:], said[0] = np.nan, np.nan, 0

        return self.libraries.later(stream, run)

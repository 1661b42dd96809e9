"""Dtypes: one record for each, and the questions that all other files ask.

    DTYPE["i32"]                     ->    np.int32, an int of 32 bits, signed, `i32` in registers and in memory
    is_inexact("f32")                ->    True
    promote_dtypes("i32", "f32")     ->    f64      NumPy's result_type

Elsewhere a dtype is its *word*.  A new one is a row of the table, and a name in `runtime/dtypes.py`, for calls from
Python; whatever a dtype can be asked follows from its record.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .records import dataclass

KINDS = ("bool", "int", "float", "complex")  # in the order in which they promote


@dataclass(frozen=True, slots=True)
class DType:
    """What a dtype is.

    register  the LLVM type of a value that is computed with; `storage` that of an element in memory
    python    the word of Python's own numbers of this dtype, which print so; empty where Python has none
    letter    of its routines in BLAS; empty where there are none
    parts     the word of the real and of the imaginary part of a complex number; empty for all others
    """

    word: str
    numpy: np.dtype
    kind: str
    bits: int
    signed: bool
    register: str
    storage: str
    python: str = ""
    letter: str = ""
    parts: str = ""

    @property
    def order(self) -> int:
        """Where its kind stands among the kinds."""
        return KINDS.index(self.kind)

    @property
    def item_bytes(self) -> int:
        return self.numpy.itemsize

    @property
    def python_type(self) -> type[bool | int | float | complex]:
        """The class of Python's numbers of this kind."""
        return PYTHON_TYPES[self.order]

    @property
    def zero(self) -> Any:
        return self.python_type(0)

    @property
    def least(self) -> Any:
        """What no value is below; complex numbers are in the order of their real parts, then of the imaginary ones."""
        if self.kind == "complex":
            return complex(-float("inf"), -float("inf"))
        if self.kind == "float":
            return -float("inf")
        return -(2 ** (self.bits - 1)) if self.signed else self.zero

    @property
    def greatest(self) -> Any:
        """What no value is above."""
        if self.kind == "complex":
            return complex(float("inf"), float("inf"))
        if self.kind == "float":
            return float("inf")
        return self.python_type(2 ** (self.bits - self.signed) - 1)


def _int(bits: int, signed: bool, python: str = "") -> DType:
    letter, name = ("i", "int") if signed else ("u", "uint")
    dtype = np.dtype(f"{name}{bits}")
    return DType(f"{letter}{bits}", dtype, "int", bits, signed, f"i{bits}", f"i{bits}", python)


def _float(bits: int, register: str, storage: str, letter: str = "", python: str = "") -> DType:
    return DType(f"f{bits}", np.dtype(f"float{bits}"), "float", bits, True, register, storage, python, letter)


def _complex(part: DType, letter: str, python: str = "") -> DType:
    """Two floats, one after the other."""
    bits, pair = 2 * part.bits, f"{{{part.register}, {part.register}}}"
    return DType(f"c{bits}", np.dtype(f"complex{bits}"), "complex", bits, True, pair, pair, python, letter, part.word)


PYTHON_TYPES = (bool, int, float, complex)  # by kind
REALS = (
    DType("bool", np.dtype(np.bool_), "bool", 1, False, "i1", "i8", "bool"),
    _int(8, True),
    _int(16, True),
    _int(32, True),
    _int(64, True, "int"),
    _int(8, False),
    _int(16, False),
    _int(32, False),
    _int(64, False),
    _float(16, "float", "half"),
    _float(32, "float", "float", "s"),
    _float(64, "double", "double", "d", "float"),
)
TABLE = (*REALS, _complex(REALS[-2], "c"), _complex(REALS[-1], "z", "complex"))
DTYPE = {row.word: row for row in TABLE}
DTYPES = tuple(DTYPE)
NUMPY_DTYPE = {word: row.numpy for word, row in DTYPE.items()}
DTYPE_OF_NUMPY = {row.numpy: row.word for row in TABLE}
NUMPY_NAMES = ", ".join(map(str, DTYPE_OF_NUMPY))
WEAK_WORD = {word: row.python for word, row in DTYPE.items() if row.python}
STRONG_WORD = {word: "bool_" if row.kind == "bool" else word for word, row in DTYPE.items()}

# The words of Python's own numbers; lengths, indices and what counts are of that of its ints.
PYTHON_WORDS = tuple(next(r.word for r in TABLE if r.python == name) for name in KINDS)
BOOL_WORD, INT_WORD, FLOAT_WORD, COMPLEX_WORD = PYTHON_WORDS
PYTHON_TYPE = {word: DTYPE[word].python_type for word in PYTHON_WORDS}
LARGEST_EXACT = 2**53  # up to here every int is a float64


# --- questions -----------------------------------------------------------------------------------------------------


def is_bool(word: str) -> bool:
    return DTYPE[word].kind == "bool"


def is_integer(word: str) -> bool:
    return DTYPE[word].kind == "int"


def is_inexact(word: str) -> bool:
    """Whether it has fractions, which are rounded: of floats, and of complex numbers."""
    return DTYPE[word].kind in ("float", "complex")


def is_complex(word: str) -> bool:
    return DTYPE[word].kind == "complex"


def part_of(word: str) -> str:
    """The dtype of the real part of such numbers: that of the numbers themselves where they are real."""
    return DTYPE[word].parts or word


@cache
def complex_of(word: str) -> str:
    """The dtype of the complex numbers that such numbers are among: NumPy's result of a product with 1j."""
    return beside_python(word, COMPLEX_WORD)


def has_dot(word: str) -> bool:
    """Whether BLAS has all products, single sums too: compilers differ in how a function gives a complex number."""
    return bool(DTYPE[word].letter) and not is_complex(word)


def is_signed(word: str) -> bool:
    return DTYPE[word].signed


def is_python(word: str) -> bool:
    """Whether Python has numbers of this dtype, so that constants are written as they are."""
    return word in PYTHON_TYPE


def order(word: str) -> int:
    """Where its kind stands: bool, int, float, complex."""
    return DTYPE[word].order


def python_word(word: str) -> str:
    """The word of the Python number that holds such a value."""
    return PYTHON_WORDS[order(word)]


def holds(word: str, value: int) -> bool:
    """Whether an int is a value of this dtype of ints."""
    return DTYPE[word].least <= value <= DTYPE[word].greatest


@cache
def promote_dtypes(*words: str) -> str:
    """NumPy's result_type on strong dtypes."""
    return DTYPE_OF_NUMPY[np.result_type(*(NUMPY_DTYPE[word] for word in words))]


@cache
def beside_python(word: str, python: str) -> str:
    """The dtype of what meets a number of Python's of this word: a number of a higher kind lends it that kind."""
    if order(python) <= order(word):
        return word
    return DTYPE_OF_NUMPY[np.result_type(NUMPY_DTYPE[word], PYTHON_TYPE[python](0))]


@cache
def is_exact(source: str, target: str) -> bool:
    """Whether every value of the one is a value of the other; in promotion a float64 also counts for an int64."""
    if is_inexact(target) and not is_inexact(source):
        return DTYPE[source].bits - DTYPE[source].signed <= np.finfo(NUMPY_DTYPE[target]).nmant + 1
    return promote_dtypes(source, target) == target


@cache
def has_kind_of(source: str, target: str) -> bool:
    """Whether NumPy stores results of the one in arrays of the other where they stand: by its rule `same_kind`."""
    return np.can_cast(NUMPY_DTYPE[source], NUMPY_DTYPE[target], "same_kind")


@cache
def as_float(word: str) -> str:
    """The dtype in which NumPy averages, and in which a question about floats is asked of other numbers."""
    return word if is_inexact(word) else FLOAT_WORD


@cache
def accumulator(word: str) -> str:
    """The dtype in which sums and products of many elements are taken: a float that is computed in another's registers
    keeps the digits of those until the end, as in NumPy.
    """
    row = DTYPE[word]
    if row.storage == row.register or not is_inexact(word):
        return word
    return next(other.word for other in TABLE if other.storage == row.register)


@cache
def summed(word: str) -> str:
    """The dtype of a sum or a product along an axis: that of NumPy's widest ints for all smaller ones."""
    return DTYPE_OF_NUMPY[np.add.reduce(np.zeros(1, NUMPY_DTYPE[word])).dtype]


"""Questions about dtypes, which are answered before the program runs.

    np.issubdtype(x.dtype, np.floating)    ->    True            np.result_type(x, np.float32)    ->    dtype('float64')
"""

from ..compiler.ops import static_dtypes


def issubdtype(arg1, arg2):
    return static_dtypes.is_kind_of(arg1, arg2)


def isdtype(dtype, kind):
    return static_dtypes.is_of_kinds(dtype, kind)


def promote_types(type1, type2):
    return static_dtypes.promoted(type1, type2)


def result_type(*arrays_and_dtypes):
    """The dtype that all of them have together; Python's numbers lend their kind alone."""
    return static_dtypes.of_all(*arrays_and_dtypes)


def can_cast(from_, to, casting="safe"):
    """Whether a dtype, or that of an array, may be converted by a rule."""
    return static_dtypes.is_castable(from_, to, casting)


def min_scalar_type(a, /):
    """The smallest dtype that holds a number; of an array its own."""
    return static_dtypes.smallest(a)


def common_type(*arrays):
    """The type of floats or complex numbers that arrays have in common."""
    return static_dtypes.in_common(*arrays)

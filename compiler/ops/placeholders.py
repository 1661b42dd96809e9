"""Something to hold a name's place where it has no value that is ever read.

    f64    ->    0.0        f64[n, 3]    ->    zeros(shape=(0, 3), dtype="f64")        [f64]    ->    new_list()
    f32    ->    cast(0.0, dtype="f32"), as no constant is one
"""

from __future__ import annotations

import gast

from .. import syntax
from ..dtypes import DTYPE, is_python
from ..types import Array, Scalar, Type


def placeholder(type_: Type) -> gast.expr:
    """An expression of this type, its unknown lengths zero."""
    match type_:
        case Scalar(dtype=dtype):
            zero = syntax.constant(DTYPE[dtype].zero)
            return zero if is_python(dtype) else syntax.call("cast", zero, dtype=dtype)
        case Array(dtype=dtype, dims=dims):
            shape = tuple(d if isinstance(d, int) else 0 for d in dims)
            return syntax.call("zeros", shape=shape, dtype=dtype)
    return syntax.call("new_list")

"""Attributes: of arrays and numbers, of instances, of modules and classes from outside.

    x.shape[0]                ->    dim(x, axis=0)
    x.mean()    of a float    ->    U013: `float` has no attribute `mean`
"""

from __future__ import annotations

import gast

from .... import types
from ....dtypes import NUMPY_DTYPE, PYTHON_TYPE
from ....ops.complex_numbers import PARTS
from ....ops.python_names import BINDINGS
from ....types import Array, Scalar, Type
from .. import protocol
from ..frame import Frame
from ..functional import Bound
from ..library import library
from ..values import Sequence, Static, Value
from . import evaluate

PYTHONS = ("bit_length", "bit_count", "tolist")  # methods that return what only Python has


def require_attribute(frame: Frame, found: Type, attribute: str, node: gast.AST) -> None:
    """Refuse attributes that only arrays have; the library reads them of arrays and numbers alike."""
    if not isinstance(found, Scalar) or frame.is_library:
        return
    kind = PYTHON_TYPE[found.dtype] if found.weak else NUMPY_DTYPE[found.dtype].type
    if not hasattr(kind, attribute):
        message = f"`{kind.__name__}` has no attribute `{attribute}`"
        frame.fault("U013", message, node, "looked up here", ("make an array of it: `np.asarray(...)`",))


@protocol.attribute.of(Scalar, Array)
def array_attribute(frame: Frame, base: Value, attribute: str, node: gast.AST, hint: str = "t") -> Value:
    found = frame.type_of(base)
    assert isinstance(found, Scalar | Array)
    require_attribute(frame, found, attribute, node)
    ndim = types.rank(found)
    match attribute:
        case "shape":
            return Sequence(tuple(evaluate.lengths_of(frame, base, node)))
        case "ndim":
            return Static(ndim)
        case "dtype":
            return Static(NUMPY_DTYPE[found.dtype])
        case "itemsize":
            return Static(NUMPY_DTYPE[found.dtype].itemsize)
        case "nbytes":
            size = array_attribute(frame, base, "size", node, hint)
            return evaluate.binary(frame, gast.Mult, size, Static(NUMPY_DTYPE[found.dtype].itemsize), node)
        case "size":
            result: Value = Static(1)
            for length in evaluate.lengths_of(frame, base, node):
                result = evaluate.binary(frame, gast.Mult, result, length, node)
            return result
        case "T":
            if ndim < 2:
                return base
            return frame.emit("transpose", base, node=node, hint=hint, axes=tuple(range(ndim))[::-1])
        case "flat" if ndim:  # in the order of rows, whatever lies where
            return library.call(frame, library.method("ravel"), [base], {}, node, hint)
        case "mT" if ndim > 1:
            return library.call(frame, library.method(attribute), [base], {}, node, hint)
        case "real" if not types.of_complex(found):
            return base
        case _ if attribute in PARTS and isinstance(found, Scalar):
            return frame.emit(attribute, base, node=node, hint=hint)
        case _ if attribute in PARTS:
            return library.call(frame, BINDINGS[f"numpy.{attribute}"], [base], {}, node, hint)
    if library.method(attribute) is None and attribute not in PYTHONS:
        what = "an array" if ndim else "a scalar"
        frame.fault("U013", f"{what} ({found}) has no attribute `{attribute}` here", node, "looked up here")
    return Bound(base, attribute)

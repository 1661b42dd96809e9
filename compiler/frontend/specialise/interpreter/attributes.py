"""Attributes: of arrays and numbers, of instances, of modules and classes from outside.

    x.shape[0]                ->    dim(x, axis=0)
    x.mean()    of a float    ->    U013: `float` has no attribute `mean`
"""

from __future__ import annotations

import enum

import gast

from .... import types
from ....dtypes import NUMPY_DTYPE, PYTHON_TYPE
from ....ops.complex_numbers import PARTS
from ....ops.python_names import BINDINGS
from ....types import Array, Scalar, Type
from .. import protocol
from ..exceptions import trying
from ..frame import Frame
from ..functional import Bound, Super
from ..iterables import Slice
from ..kinds import classes, one_of
from ..library import library
from ..values import (
    Caught,
    Handle,
    Leaf,
    OneOf,
    Optional,
    Record,
    Ref,
    Sequence,
    Static,
    Value,
    is_none,
    is_number,
    parts,
)
from ..world import outside
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


OF_PYTHON = (str, bytes, frozenset)  # the methods of these are known


def attribute_of(frame: Frame, base: Value, attribute: str, node: gast.AST, hint: str) -> Value:
    if isinstance(base, Optional) or is_none(base):
        message = f"'NoneType' object has no attribute '{attribute}'"
        base = protocol.present(frame, base, node, message, "AttributeError")
    if isinstance(base, OneOf):
        get = lambda case: attribute_of(frame, case, attribute, node, hint)  # noqa: E731
        return one_of.attribute(frame, base, attribute, get, node, hint)
    found = frame.type_of(base)
    if is_number(base) and attribute in PARTS:
        return Static(getattr(base.value, attribute))
    if isinstance(found, Array | Scalar) and (isinstance(base, Leaf) or not found.weak):
        return array_attribute(frame, base, found, attribute, node, hint)
    match base:
        case Caught() if attribute == "args":
            return Sequence(tuple(trying.arguments_of(frame, base, node)))
        case Record() | Ref() | Handle() if classes.instance(frame, base) is not None:
            return classes.attribute(frame, base, attribute, node)
        case Slice() if attribute in ("start", "stop", "step"):
            return dict(parts(base))[attribute]
        case Static(value=slice() as bounds) if attribute in ("start", "stop", "step"):
            return Static(getattr(bounds, attribute))
        case Super():
            return classes.of_super(frame, base, attribute, node)
        case Static(value=type() as cls) if (method := classes.of_class(frame, cls, attribute, node)) is not None:
            return method
        case Static(value=value) if isinstance(value, enum.Enum) or not (is_number(base) or type(value) in OF_PYTHON):
            return outside.attribute(frame, value, attribute, node)
    return Bound(base, attribute)


def array_attribute(
    frame: Frame, base: Value, found: Array | Scalar, attribute: str, node: gast.AST, hint: str
) -> Value:
    require_attribute(frame, found, attribute, node)
    ndim = types.rank(found)
    match attribute:
        case "shape":
            return Sequence(tuple(evaluate.length_of(frame, base, axis, node) for axis in range(ndim)))
        case "ndim":
            return Static(ndim)
        case "dtype":
            return Static(NUMPY_DTYPE[found.dtype])
        case "itemsize":
            return Static(NUMPY_DTYPE[found.dtype].itemsize)
        case "nbytes":
            size = array_attribute(frame, base, found, "size", node, hint)
            return evaluate.binary(frame, gast.Mult, size, Static(NUMPY_DTYPE[found.dtype].itemsize), node)
        case "size":
            result: Value = Static(1)
            for axis in range(ndim):
                result = evaluate.binary(frame, gast.Mult, result, evaluate.length_of(frame, base, axis, node), node)
            return result
        case "T":
            if ndim < 2:
                return base
            return frame.emit("transpose", base, node=node, hint=hint, axes=tuple(range(ndim))[::-1])
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

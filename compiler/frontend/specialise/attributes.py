"""What single numbers have of themselves: an attribute of their class in Python or NumPy, and no other.

    x.mean()    of a float    ->    U013: `float` has no attribute `mean`
"""

from __future__ import annotations

import gast

from ...dtypes import NUMPY_DTYPE, PYTHON_TYPE
from ...types import Scalar, Type
from .frame import Frame


def require_attribute(frame: Frame, found: Type, attribute: str, node: gast.AST) -> None:
    """Refuse what arrays alone have; the library asks arrays and numbers alike."""
    if not isinstance(found, Scalar) or frame.is_library:
        return
    kind = PYTHON_TYPE[found.dtype] if found.weak else NUMPY_DTYPE[found.dtype].type
    if not hasattr(kind, attribute):
        message = f"`{kind.__name__}` has no attribute `{attribute}`"
        frame.fault("U013", message, node, "looked up here", ("make an array of it: `np.asarray(...)`",))

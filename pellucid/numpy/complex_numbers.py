"""Complex numbers: their parts, their angle, questions about them.

All of them are written in the language.  In NumPy the parts of an array are views of it; here they are new arrays, and
the compiler refuses what would show the difference.
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..compiler.ops.sharing import gives
from .elementary import operand, strong
from .manipulation import as_array


@gives("view")
def real(val):
    val = operand(val)
    return op.real(val) if static.is_complex(val) or static.is_weak(val) else val


@gives("view")
def imag(val):
    return op.imag(operand(val))


@gives("either")
def conjugate(x):
    """`z.conjugate()`; of an array of real numbers that array itself."""
    return op.conjugate(x) if static.is_complex(x) or static.is_weak(x) else x


def angle(z, deg=False):
    """The angle from the positive real axis, in radians or degrees."""
    z = strong(operand(z))
    found = op.arctan2(op.imag(z), op.real(z))
    return op.rad2deg(found) if deg else found


def iscomplex(x):
    """Whether the imaginary part is not zero."""
    return op.imag(strong(operand(x))) != 0


def isreal(x):
    """Whether the imaginary part is zero."""
    return op.imag(operand(x)) == 0


def iscomplexobj(x):
    """Whether these are numbers of a complex dtype: known before the program runs."""
    return static.is_complex(operand(x))


def isrealobj(x):
    return not static.is_complex(operand(x))


@gives("either")
def real_if_close(a, tol=100):
    """Real numbers as they are; whether complex ones become real depends on their values."""
    a = as_array(a)
    if static.is_complex(a):
        fault = "np.real_if_close gives a dtype that depends on the values"
        static.refuse("U012", fault, "take the real part: `z.real`")
    return a

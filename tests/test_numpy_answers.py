"""Every function of NumPy that the language has, on numbers and arrays of every kind: CPython's answer or a refusal.

Each run takes a share of all combinations, the same one every time; with PELLUCID_ANSWERS=all it takes all of them,
which is minutes.
"""

import os
import platform
import zlib
from itertools import product

import pytest

from pellucid.compiler.ops.python_names import BINDINGS

from .harness.answers import FORMS, RARE_FORMS, agree, outcomes

pytestmark = pytest.mark.drawn(5)

OPERATORS = {n: b.row for n, b in BINDINGS.items() if n.startswith("numpy.") and b.kind == "operator"}
ELEMENTWISE = [(n.replace("numpy.", "np."), len(row.operands)) for n, row in OPERATORS.items() if n != "numpy.matmul"]

OF_ONE = [
    *(f"{name}(x)" for name, count in ELEMENTWISE if count == 1),
    "np.sign(x)",
    *"""np.fabs(x); np.round(x); np.nan_to_num(x); np.isposinf(x); np.logical_not(x); np.sum(x); np.prod(x); np.max(x)
    np.min(x); np.any(x); np.all(x); np.argmax(x); np.argmin(x); np.cumsum(x); np.cumprod(x); np.count_nonzero(x)
    np.ptp(x); np.diff(x); np.trapezoid(x); np.nansum(x); np.mean(x); np.var(x); np.std(x); np.average(x)
    np.mean(x, dtype=int); np.mean(x, dtype=np.float32); np.var(x, dtype=int); np.std(x, dtype=np.int32)
    np.sum(x, dtype=np.int32); np.sum(x, dtype=int); np.prod(x, dtype=np.int32); np.cumsum(x, dtype=np.int32)
    np.zeros_like(x); np.full_like(x, 2.5); np.array(x); np.asarray(x); np.copy(x); np.ascontiguousarray(x)
    np.ravel(x); np.transpose(x); np.transpose(x, (1, 0)); np.transpose(x, (0,)); np.expand_dims(x, 0); np.flip(x)
    np.flipud(x); np.roll(x, 1); np.tile(x, 2); np.repeat(x, 2); np.atleast_1d(x); np.atleast_2d(x); np.tril(x)
    np.triu(x); np.diag(x); np.diagonal(x); np.matrix_transpose(x); np.trace(x); np.linalg.norm(x); np.squeeze(x)
    np.einsum("i->i", x); np.einsum("ii", x); np.einsum("ii->i", x); np.einsum("ij->ji", x); np.size(x); np.ndim(x)
    np.polyval(x, 2); np.polyval([1, 2], x); np.polyval([1.0, 2], x); np.clip(x, 0, 1); np.clip(x, 0.0, 1.0)
    np.clip(x, None, 2); np.clip(x, True, 2.5); np.where(x > 1, x, 0); np.where(x > 1, x, 0.0); np.searchsorted(x, 1)
    np.searchsorted(x, 1.0); np.concatenate((x, [1, 2])); np.stack((x, x)); np.kron(x, x); np.cross(x, x)
    np.vecdot(x, x); np.take(x, 0); np.isclose(x, 1); np.allclose(x, x); np.logical_and(x, True); np.full(2, x)
    np.convolve(x, [1, 2]); np.swapaxes(x, 0, 0); np.broadcast_to(x, (2, 4)); np.array([x, 1]); np.float64(x)
    np.int32(x); np.bool_(x); max(x); min(x); any(x); all(x); abs(x); int(x); float(x); bool(x); round(x); -x; +x; ~x
    not x; (not x) + (not x); x + 1; x + True; x ** 2; x ** 2.0; x // 2; x % 2.5; x / 2; 1 / x; 2 // x; x == 1
    x < 9007199254740992.0; x == 9007199254740992.0; 9007199254740992.0 >= x; x >= 9007199254740993; x & 1; x << 1
    x @ x; x.T; x.sum(); x.mean(); x.max(); x.item(); x.astype(np.float32); x.astype(int); len(x); x[0]; x[-1]; x[1:]
    x[None]; x[..., 0]; x[0, ...]; x[...]; x.shape; x.size; x.reshape(-1); x.ravel(); x.flatten(); x.copy()
    x.cumsum(); x.clip(0, 1); x.round(); math.sqrt(x); math.lgamma(x); math.floor(x); math.ceil(x); math.trunc(x)
    math.isnan(x); math.hypot(x, x)""".replace("\n", ";").split(";"),
]  # fmt: skip
OF_TWO = [
    *(f"{name}(x, y)" for name, count in ELEMENTWISE if count == 2),
    *"""x + y; x - y; x * y; x / y; x // y; x % y; x == y; x != y; x < y; x <= y; x > y; x >= y; x & y; x | y; x << y
    max(x, y); min(x, y); x if x > y else y; np.logical_and(x, y); np.where(x > y, x, y); np.where(True, x, y)
    np.clip(x, y, 2); np.clip(x, None, y); np.isclose(x, y); np.full_like(x, y); np.dot(x, y); np.inner(x, y)
    np.outer(x, y); np.vdot(x, y); np.vecdot(x, y); np.tensordot(x, y, 1); np.einsum("i,i", x, y); x @ y
    np.einsum("i,j->ij", x, y); np.kron(x, y); np.concatenate((x, y)); np.stack((x, y)); np.vstack((x, y))
    np.hstack((x, y)); np.searchsorted(x, y); np.searchsorted(x, y, side="right"); np.polyval(x, y)
    np.array([x, y]); np.sum([x, y]); sum([x, y]); math.atan2(x, y); math.copysign(x, y); math.fmod(x, y)
    math.isclose(x, y)""".replace("\n", ";").split(";"),
]  # fmt: skip
TAME = [*(text for text in ("np.linspace(0, x, 3)", "np.linspace(x, 2.0, 3)", "np.linspace(x, 2, 3, dtype=int)")),
        "np.arange(x)", "np.tri(x)", "np.eye(x)", "sum(x)", "sum(x, 1)", "sum(x, 1.5)"]  # fmt: skip
TAME_OF_TWO = ["np.linspace(x, y, 3)", "np.arange(x, y)", "np.arange(x, y, 0.5)", "np.dot(x, y)"]
# The type of these depends on values in Python; compiled code has the one that holds both.
JOINED = ("max(x, y)", "min(x, y)", "x if x > y else y", "sum(x)", "sum(x, 1)", "sum(x, 1.5)")
# NumPy adds products up from 0.0 here, or asks BLAS: which of the two zeros comes out is left open.
PRODUCTS = ("np.dot", "np.inner", "np.outer", "np.vdot", "np.vecdot", "np.tensordot", "np.einsum", "np.kron", "x @")
EXTREMES = () if platform.machine() in ("x86_64", "AMD64") else ("np.maximum", "np.minimum", "np.clip")
OPEN_ZEROS = (
    *PRODUCTS, *EXTREMES, "np.fmax", "np.fmin", "np.max(", "np.min(", "x.max(", "np.polyval", "np.cross", "np.ptp",
)  # fmt: skip
# Where a number of BLAS is zero, NumPy leaves the array's nan out.
AWKWARD_PRODUCTS = ("np.dot(x, y)", "np.inner(x, y)", "np.tensordot(x, y, 1)")

# Refused when it runs, and said in docs/limits.md.
REFUSED = ("np.polyval needs a coefficient", "an int beyond 2**53 meets a float")

EVERYTHING = os.environ.get("PELLUCID_ANSWERS") == "all"
ARRAYS_OF_ONE, ARRAYS_OF_TWO = (1, 1) if EVERYTHING else (14, 400)
RARE_OF_ONE, RARE_OF_TWO = (1, 20) if EVERYTHING else (40, 4000)
ONE, TWO = [(f,) for f in FORMS], list(product(FORMS, FORMS))
RARE_ONE, RARE_TWO = [(f,) for f in RARE_FORMS], [*product(RARE_FORMS, FORMS | RARE_FORMS), *product(FORMS, RARE_FORMS)]


def share(text, combinations, every):
    """One of so many combinations, others for each text."""
    start = zlib.crc32(text.encode())
    return [forms for k, forms in enumerate(combinations) if (start + k) % every == 0]


def share_of_one(text):
    return share(text, ONE, ARRAYS_OF_ONE) + share(text, RARE_ONE, RARE_OF_ONE)


def share_of_two(text):
    return share(text, TWO, ARRAYS_OF_TWO) + share(text, RARE_TWO, RARE_OF_TWO)


def disagreements(text, combinations, tame=False):
    options = {"same_type": text not in JOINED, "same_zero": not text.startswith(OPEN_ZEROS)}
    for forms in combinations:
        for arguments, found, wanted in outcomes(text, forms, tame):
            if not agree(found, wanted, **options) and not str(found).startswith(REFUSED):
                yield forms, arguments, found, wanted


@pytest.mark.parametrize("text", [t.strip() for t in OF_ONE])
def test_of_one_operand(text):
    assert not list(disagreements(text, share_of_one(text)))


@pytest.mark.parametrize("text", [t.strip() for t in OF_TWO if t.strip() not in AWKWARD_PRODUCTS])
def test_of_two_operands(text):
    assert not list(disagreements(text, share_of_two(text)))


@pytest.mark.parametrize("text", TAME)
def test_of_one_plain_operand(text):
    assert not list(disagreements(text, share_of_one(text), tame=True))


@pytest.mark.parametrize("text", [*TAME_OF_TWO, *AWKWARD_PRODUCTS])
def test_of_two_plain_operands(text):
    assert not list(disagreements(text, share_of_two(text), tame=True))

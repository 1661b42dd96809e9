"""Rows: the functions of `scipy.special` that SciPy's own compiled code computes, and their slopes.

    kernel("i0", "x", "reals", "i1(x)")      `scipy.special.cython_special.i0` on the CPU, called by address

What is right to the last digits in a library that is well kept is not written again.  The slopes are formulas of the
NIST Digital Library of Mathematical Functions (DLMF), which hold for further derivatives too: each is a function whose
own slope is right.  Longer ones are functions in the language (`pellucid/scipy/slopes.py`).  Where the derivative by
an operand has no formula here it is refused, never zero.  On a GPU what calls these rows stays on the host.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..dtypes import DTYPE_OF_NUMPY, INT_WORD, NUMPY_DTYPE, PYTHON_TYPE, is_inexact
from ..records import dataclass
from ..types import Scalar, Type, dtype_of
from .cotangents import Atom, Atoms, Static
from .in_kernels import InKernels, called
from .kinds import elementwise
from .rules import slope_in_language as by
from .schema import TypeFault
from .type_rules import DtypeRule, is_weak, numeric, words
from .works_in import WorksIn, as_result

if TYPE_CHECKING:
    from ..builder import Builder

TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)
HALF_ROOT_PI = math.sqrt(math.pi) / 2.0
UNKNOWN = "?"
CDF, POWERS = "slopes_of_distributions", "slopes_of_powers"


def of_scipy(name: str, result: int | None = None) -> Callable[..., Any]:
    """The ufunc, from a module that takes longer to import than the rest of the compiler: few programs need it."""

    def meaning(*operands: Any) -> Any:
        found = getattr(import_module("scipy.special"), name)(*operands)
        return found if result is None else found[result]

    return meaning


def _as_scipy(function: Callable[..., Any], asks: bool) -> DtypeRule:
    """Floats of one dtype stay in it, and SciPy is asked about others: which loop it takes depends on its version."""

    @cache
    def asked(operands: tuple[tuple[str, bool], ...]) -> str:
        made = (PYTHON_TYPE[dtype](1) if weak else NUMPY_DTYPE[dtype].type(1) for dtype, weak in operands)
        return DTYPE_OF_NUMPY[function(*made).dtype]

    def rule(name: str, types: Sequence[Type]) -> tuple[str, bool]:
        numeric(name, types)
        given = {(dtype_of(t), is_weak(t)) for t in types}
        if not asks and (given <= {("f64", False), ("f64", True)} or given == {("f32", False)}):
            return next(iter(given))[0], False
        try:
            return asked(tuple((dtype_of(t), is_weak(t)) for t in types)), False
        except (TypeError, KeyError):
            raise TypeFault("T001", f"`{name}` does not take {words(types)}") from None

    return rule


def _as_loop(letters: str) -> WorksIn:
    """Ints where SciPy's loop takes them, as `ld` says for an order and a float; floats everywhere if one is none."""
    if "l" not in letters:
        return as_result

    def of_orders(operands: Sequence[Scalar], result: Scalar) -> tuple[str, ...]:
        orders = [o.dtype for o, letter in zip(operands, letters) if letter == "l"]
        if any(is_inexact(dtype) or dtype == "u64" for dtype in orders):
            return as_result(operands, result)
        return tuple(INT_WORD if letter == "l" else result.dtype for letter in letters)

    return of_orders


@dataclass(frozen=True, slots=True)
class Refused:
    """The partial derivative by an operand that has one, which is not expressible here: refused rather than wrong."""

    function: str
    operand: str

    def __call__(self, builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
        fault = f"`{self.function}` has no derivative here with respect to its argument `{self.operand}`"
        raise TypeFault("G003", fault, f"differentiate by other arguments, or `pellucid.stop_gradient({self.operand})`")


def by_each(function: str, operands: str, file: str = "slopes") -> list[object]:
    """The slopes by each of the operands, which are called `function_by_operand`."""
    return [by(f"{function}_by_{operand}", file) for operand in operands.split()]


def cdf(function: str, operands: str) -> list[object]:
    return by_each(function, operands, CDF)


def special(
    name: str, operands: str, samples: str, *partials: object, aliases: tuple[str, ...] = (), work: str = "special",
    cpu: str = "", cuda: InKernels | None = None, letters: str = "", of: str = "", result: int | None = None,
    of_complex: str = "", jumps: bool = False,
) -> None:  # fmt: skip
    """A function of `scipy.special`: ints count as float64, as they do there.  A partial `?` is refused."""
    names = operands.split()
    function = of or name
    meaning = of_scipy(function, result)
    spelling = f"scipy.special.{function}({', '.join('{' + n + '}' for n in names)})"
    slopes = [Refused(function, o) if p == UNKNOWN else p for o, p in zip(names, partials, strict=True)]
    elementwise(
        name, operands, meaning=meaning, type=_as_scipy(meaning, "l" in letters or of_complex != ""), samples=samples,
        partials=slopes, work=work, cpu=cpu, cuda=cuda, of_complex=of_complex, works_in=_as_loop(letters),
        jumps=jumps,
        spelling=spelling if result is None else f"{spelling}[{result}]",
        python=() if result is not None else (f"scipy.special.{name}", *aliases),
    )  # fmt: skip


def kernel(name: str, operands: str, samples: str, *partials: object, **more: Any) -> None:
    """One that SciPy's compiled code computes under the same name."""
    special(name, operands, samples, *partials, cpu=f"scipy {name}", **more)


def parts(function: str, operands: str, samples: str, **slopes: Sequence[object]) -> None:
    """A function of several results: a row for each, called `function_result`, with its slopes."""
    for k, (result, partials) in enumerate(slopes.items()):
        special(f"{function}_{result}", operands, samples, *partials, of=function, result=k,
                cpu=f"scipy {function} {k} of {len(slopes)}")  # fmt: skip


# --- error functions and the gamma function --------------------------------------------------------------------------

special("erf", "x", "reals", f"{TWO_OVER_ROOT_PI!r} * exp(-x * x)", work="function", cpu="c erf",
        cuda=called("math.erf"))  # fmt: skip
special("erfc", "x", "reals", f"-{TWO_OVER_ROOT_PI!r} * exp(-x * x)", work="function", cpu="c erfc",
        cuda=called("math.erfc"))  # fmt: skip
special("gamma", "x", "positive", "out * digamma(x)", cpu="scipy gamma", cuda=called("math.gamma"))
special("gammaln", "x", "positive", "digamma(x)", cpu="scipy gammaln", cuda=called("gammaln"))
special("digamma", "x", "positive", "zeta(2.0, x)", cpu="scipy psi", aliases=("scipy.special.psi",))
# The sum of (k + x) ** -s: derivatives of every order of digamma are zeta functions.
special("zeta", "s x", "above_one positive", UNKNOWN, "-s * zeta(s + 1.0, x)")

kernel("zetac", "x", "above_one", UNKNOWN)

kernel("erfi", "x", "reals", f"{TWO_OVER_ROOT_PI!r} * exp(x * x)")
kernel("erfcx", "x", "reals", by("erfcx"))
kernel("wofz", "z", "complex_numbers", by("wofz"), of_complex="own")
kernel("voigt_profile", "x sigma gamma", "reals positive positive", *by_each("voigt", "place width damping"))
kernel("dawsn", "x", "reals", by("dawsn"))
kernel("erfinv", "x", "unit", f"{HALF_ROOT_PI!r} * exp(out * out)")
kernel("erfcinv", "x", "share", f"-{HALF_ROOT_PI!r} * exp(out * out)")
kernel("ndtri", "x", "share", f"{math.sqrt(2.0 * math.pi)!r} * exp(0.5 * out * out)")
kernel("ndtri_exp", "x", "negative", f"{math.sqrt(2.0 * math.pi)!r} * exp(x + 0.5 * out * out)")
kernel("entr", "x", "positive", "-1.0 - log(x)")
kernel("loggamma", "x", "positive", "digamma(x)")
kernel("gammasgn", "x", "off_poles", None)
kernel("rgamma", "x", "off_poles", by("rgamma"))
kernel("beta", "a b", "positive positive", "out * (digamma(a) - digamma(a + b))", "out * (digamma(b) - digamma(a + b))")
kernel("betaln", "a b", "positive positive", "digamma(a) - digamma(a + b)", "digamma(b) - digamma(a + b)")
kernel("poch", "z m", "positive positive", by("poch_by_base"), "out * digamma(z + m)")
kernel("binom", "n k", "above_one share", *by_each("binom", "set subset"))
kernel("gammainc", "a x", "positive positive", *by_each("gammainc", "order bound"))
kernel("gammaincc", "a x", "positive positive", *by_each("gammaincc", "order bound"))
kernel("gammaincinv", "a p", "positive share", *by_each("gammaincinv", "order share"))
kernel("gammainccinv", "a p", "positive share", *by_each("gammainccinv", "order share"))
_BETA = "positive positive share"
kernel("betainc", "a b x", _BETA, *by_each("betainc", "first second bound"))
kernel("betaincc", "a b x", _BETA, *by_each("betaincc", "first second bound"))
kernel("betaincinv", "a b p", _BETA, *by_each("betaincinv", "first second share"))
kernel("betainccinv", "a b p", _BETA, *by_each("betainccinv", "first second share"))  # fmt: skip

# --- integrals -------------------------------------------------------------------------------------------------------

kernel("exp1", "x", "positive", "-exp(-x) / x")
kernel("expi", "x", "positive", "exp(x) / x")
kernel("expn", "n x", "counts positive", UNKNOWN, by("expn"), letters="ld", jumps=True)
kernel("spence", "x", "positive", by("spence"))
parts("sici", "x", "positive", si=[by("sinc")], ci=["cos(x) / x"])
parts("shichi", "x", "positive", shi=[by("sinhc")], chi=["cosh(x) / x"])
_ANGLE = f"({math.pi / 2.0!r} * x * x)"
parts("fresnel", "x", "reals", s=[f"sin{_ANGLE}"], c=[f"cos{_ANGLE}"])
kernel("ellipk", "m", "unit", by("ellipk"))
kernel("ellipkm1", "p", "share", by("ellipkm1"))
kernel("ellipe", "m", "unit", by("ellipe"))
kernel("ellipkinc", "phi m", "reals unit", "1.0 / sqrt(1.0 - m * square(sin(phi)))", by("ellipkinc"))
kernel("ellipeinc", "phi m", "reals unit", "sqrt(1.0 - m * square(sin(phi)))", by("ellipeinc"))
_SYMMETRIC = "positive positive positive"  # Carlson's integrals (DLMF 19.18.1)
kernel("elliprd", "x y z", _SYMMETRIC, UNKNOWN, UNKNOWN, UNKNOWN)
kernel("elliprf", "x y z", _SYMMETRIC, "-elliprd(y, z, x) / 6.0", "-elliprd(z, x, y) / 6.0", "-elliprd(x, y, z) / 6.0")
kernel("elliprc", "x y", "positive positive", "-elliprd(y, y, x) / 6.0", "-elliprd(x, y, y) / 3.0")
kernel("elliprg", "x y z", _SYMMETRIC, UNKNOWN, UNKNOWN, UNKNOWN)
kernel("elliprj", "x y z p", f"{_SYMMETRIC} positive", UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN)
parts("ellipj", "u m", "reals share", sn=["ellipj_cn(u, m) * ellipj_dn(u, m)", by("ellipj_sn")],
      cn=["-ellipj_sn(u, m) * ellipj_dn(u, m)", by("ellipj_cn")],
      dn=["-m * ellipj_sn(u, m) * ellipj_cn(u, m)", by("ellipj_dn")],
      ph=["ellipj_dn(u, m)", by("ellipj_ph")])  # fmt: skip
kernel("owens_t", "h a", "reals others", *by_each("owens_t", "height slope"))

# --- Bessel functions (DLMF 10.6.1, 10.29.1) and their relatives -----------------------------------------------------

kernel("j0", "x", "reals", "-j1(x)")
kernel("j1", "x", "reals", "0.5 * (j0(x) - jv(2.0, x))")
kernel("jv", "v x", "positive positive", UNKNOWN, "0.5 * (jv(v - 1.0, x) - jv(v + 1.0, x))",
       aliases=("scipy.special.jn",))  # fmt: skip
kernel("jve", "v x", "positive positive", UNKNOWN, "0.5 * (jve(v - 1.0, x) - jve(v + 1.0, x))")
kernel("y0", "x", "positive", "-y1(x)")
kernel("y1", "x", "positive", "0.5 * (y0(x) - yv(2.0, x))")
kernel("yn", "n x", "counts positive", UNKNOWN, "0.5 * (yn(n - 1, x) - yn(n + 1, x))", letters="ld", jumps=True)
kernel("yv", "v x", "positive positive", UNKNOWN, "0.5 * (yv(v - 1.0, x) - yv(v + 1.0, x))")
kernel("yve", "v x", "positive positive", UNKNOWN, "0.5 * (yve(v - 1.0, x) - yve(v + 1.0, x))")
kernel("i0", "x", "reals", "i1(x)")
kernel("i0e", "x", "nonzero_reals", "i1e(x) - sign(x) * out")
kernel("i1", "x", "reals", "0.5 * (i0(x) + iv(2.0, x))")
kernel("i1e", "x", "nonzero_reals", "0.5 * (i0e(x) + ive(2.0, x)) - sign(x) * out")
kernel("iv", "v x", "positive positive", UNKNOWN, "0.5 * (iv(v - 1.0, x) + iv(v + 1.0, x))")
kernel("ive", "v x", "positive positive", UNKNOWN, "0.5 * (ive(v - 1.0, x) + ive(v + 1.0, x)) - sign(x) * out")
kernel("k0", "x", "positive", "-k1(x)")
kernel("k0e", "x", "positive", "out - k1e(x)")
kernel("k1", "x", "positive", "-0.5 * (k0(x) + kv(2.0, x))")
kernel("k1e", "x", "positive", "out - 0.5 * (k0e(x) + kve(2.0, x))")
kernel("kn", "n x", "counts positive", UNKNOWN, "-0.5 * (kn(n - 1, x) + kn(n + 1, x))", letters="ld", jumps=True)
kernel("kv", "v x", "positive positive", by("kv_by_order"), "-0.5 * (kv(v - 1.0, x) + kv(v + 1.0, x))")
kernel("kve", "v x", "positive positive", by("kve_by_order"), "out - 0.5 * (kve(v - 1.0, x) + kve(v + 1.0, x))")
parts("airy", "x", "reals", ai=["airy_aip(x)"], aip=["x * airy_ai(x)"], bi=["airy_bip(x)"], bip=["x * airy_bi(x)"])
kernel("struve", "v x", "positive positive", UNKNOWN,
       "0.5 * (struve(v - 1.0, x) - struve(v + 1.0, x) + power(0.5 * x, v) * rgamma(v + 1.5) / 1.7724538509055159)")
kernel("modstruve", "v x", "positive positive", UNKNOWN,
       "0.5 * (modstruve(v - 1.0, x) + modstruve(v + 1.0, x) + power(0.5 * x, v) * rgamma(v + 1.5)"
       " / 1.7724538509055159)")  # fmt: skip

# --- hypergeometric functions (DLMF 13.3.15, 13.3.22, 15.5.1) and orthogonal polynomials (18.9) ----------------------

kernel("hyp0f1", "v z", "positive reals", UNKNOWN, "hyp0f1(v + 1.0, z) / v")
kernel("hyp1f1", "a b x", "positive positive reals", UNKNOWN, UNKNOWN, "a / b * hyp1f1(a + 1.0, b + 1.0, x)")
kernel("hyp2f1", "a b c z", "positive positive positive unit", UNKNOWN, UNKNOWN, UNKNOWN,
       "a * b / c * hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)")  # fmt: skip
kernel("hyperu", "a b x", "positive positive positive", UNKNOWN, UNKNOWN, "-a * hyperu(a + 1.0, b + 1.0, x)")
kernel("lpmv", "m v x", "counts counts unit", None, UNKNOWN,
       "((m - v - 1.0) * lpmv(m, v + 1.0, x) + (v + 1.0) * x * out) / ((1.0 - x) * (1.0 + x))")  # fmt: skip


def polynomial(name: str, operands: str, samples: str, slope: str, hold: str = "{}") -> None:
    """A polynomial of degree n in the last operand."""
    names = operands.split()
    kernel(name, operands, samples, *[UNKNOWN] * (len(names) - 1), slope, letters="l" + "d" * (len(names) - 1))


polynomial("eval_legendre", "n x", "counts unit", "0.5 * (n + 1) * eval_jacobi(n - 1, 1.0, 1.0, x)")
polynomial("eval_chebyt", "n x", "counts unit", "n * eval_chebyu(n - 1, x)")
polynomial("eval_chebyu", "n x", "counts unit", "2.0 * eval_gegenbauer(where(n == -1, n, n - 1), 2.0, x)")
polynomial("eval_hermite", "n x", "counts reals", "2.0 * n * eval_hermite(where(n > 0, n - 1, 0), x)")
polynomial("eval_hermitenorm", "n x", "counts reals", "n * eval_hermitenorm(where(n > 0, n - 1, 0), x)")
polynomial("eval_laguerre", "n x", "counts positive", "-eval_genlaguerre(n - 1, 1.0, x)")
polynomial("eval_genlaguerre", "n alpha x", "counts positive positive", "-eval_genlaguerre(n - 1, alpha + 1.0, x)")
polynomial("eval_gegenbauer", "n alpha x", "counts positive unit",
           "2.0 * alpha * eval_gegenbauer(where(n == -1, n, n - 1), alpha + 1.0, x)")  # fmt: skip
polynomial("eval_jacobi", "n alpha beta x", "counts positive positive unit",
           "0.5 * (n + alpha + beta + 1.0) * eval_jacobi(n - 1, alpha + 1.0, beta + 1.0, x)")  # fmt: skip

# --- distributions ---------------------------------------------------------------------------------------------------

kernel("stdtr", "df t", "positive reals", *cdf("stdtr", "freedom bound"))
kernel("stdtrit", "df p", "positive share", *cdf("stdtrit", "freedom share"))
kernel("chdtr", "v x", "positive positive", *cdf("chdtr", "freedom bound"))
kernel("chdtrc", "v x", "positive positive", *cdf("chdtrc", "freedom bound"))
kernel("chdtri", "v p", "positive share", *cdf("chdtri", "freedom share"))
kernel("gdtr", "a b x", "positive positive positive", *cdf("gdtr", "rate shape bound"))
kernel("gdtrc", "a b x", "positive positive positive", *cdf("gdtrc", "rate shape bound"))
_RATIO = "positive positive positive"
kernel("fdtr", "dfn dfd x", _RATIO, *cdf("fdtr", "first second bound"))
kernel("fdtrc", "dfn dfd x", _RATIO, *cdf("fdtrc", "first second bound"))
kernel("fdtri", "dfn dfd p", "above_one above_one share", *cdf("fdtri", "first second share"))  # fmt: skip
kernel("pdtr", "k m", "counts positive", None, by("pdtr", file=CDF))
kernel("pdtrc", "k m", "counts positive", None, by("pdtrc", file=CDF))
kernel("pdtri", "k y", "counts share", None, by("pdtri", file=CDF), letters="ld")
kernel("bdtr", "k n p", "counts tens share", None, None, by("bdtr", file=CDF), letters="dld")
kernel("bdtrc", "k n p", "counts tens share", None, None, by("bdtrc", file=CDF), letters="dld")
kernel("bdtri", "k n y", "counts tens share", None, None, by("bdtri", file=CDF), letters="dld")
kernel("nbdtr", "k n p", "counts tens share", None, None, by("nbdtr", file=CDF), letters="lld")
kernel("nbdtrc", "k n p", "counts tens share", None, None, by("nbdtrc", file=CDF), letters="lld")
kernel("tklmbda", "x lmbda", "unit share", by("tklmbda_by_bound", file=POWERS), by("tklmbda_by_shape", file=POWERS))

# --- powers ----------------------------------------------------------------------------------------------------------

kernel("exp10", "x", "reals", f"{math.log(10.0)!r} * out")
kernel("cosm1", "x", "reals", "-sin(x)")
kernel("powm1", "x y", "positive others", "y * power(x, y - 1.0)", "power(x, y) * log(x)")
kernel("boxcox", "x lmbda", "positive others", "power(x, lmbda - 1.0)", by("boxcox_by_power", file=POWERS))
kernel("boxcox1p", "x lmbda", "positive others", "power(1.0 + x, lmbda - 1.0)", by("boxcox1p_by_power", file=POWERS))
kernel("inv_boxcox", "x lmbda", "share share", "power(out, 1.0 - lmbda)", by("inv_boxcox_by_power", file=POWERS))
kernel("inv_boxcox1p", "x lmbda", "share share", "power(1.0 + out, 1.0 - lmbda)",
       by("inv_boxcox1p_by_power", file=POWERS))  # fmt: skip
_DEGREE = repr(math.pi / 180.0)
kernel("sindg", "x", "reals", f"{_DEGREE} * cosdg(x)")
kernel("cosdg", "x", "reals", f"-{_DEGREE} * sindg(x)")
kernel("tandg", "x", "reals", f"{_DEGREE} * (1.0 + out * out)")
kernel("cotdg", "x", "nonzero_reals", f"-{_DEGREE} * (1.0 + out * out)")
kernel("wrightomega", "x", "reals", "out / (1.0 + out)")

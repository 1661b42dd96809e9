"""SciPy's own tables of values of its special functions, within SciPy's own tolerances, by compiled functions."""

import numpy as np
import pytest
from scipy import special

import pellucid

test_data = pytest.importorskip("scipy.special.tests.test_data", reason="this SciPy came without its tests")

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]


def ellipk_(k):
    return special.ellipk(k * k)


def ellipkinc_(phi, k):
    return special.ellipkinc(phi, k * k)


def ellipe_(k):
    return special.ellipe(k * k)


def ellipeinc_(phi, k):
    return special.ellipeinc(phi, k * k)


def zeta_(x):
    return special.zeta(x, 1.0)


def assoc_legendre_p_boost_(nu, mu, x):
    return special.lpmv(mu, nu.astype(int), x)


def legendre_p_via_assoc_(nu, x):
    return special.lpmv(0, nu, x)


def eval_legendre_ld(n, x):
    return special.eval_legendre(n.astype(int), x)


def eval_legendre_dd(n, x):
    return special.eval_legendre(n, x)


def eval_hermite_ld(n, x):
    return special.eval_hermite(n.astype(int), x)


def eval_laguerre_ld(n, x):
    return special.eval_laguerre(n.astype(int), x)


def eval_genlaguerre_ldd(n, a, x):
    return special.eval_genlaguerre(n.astype(int), a, x)


def gdtr_(p, x):
    return special.gdtr(1.0, p, x)


def gdtrc_(p, x):
    return special.gdtrc(1.0, p, x)


def poch_(z, m):
    return 1.0 / special.poch(z, m)


def poch_minus(z, m):
    return 1.0 / special.poch(z, -m)


def is_real(table):
    return not any(isinstance(column, complex) for column in table.param_columns)


TABLES = [t for t in (*test_data.BOOST_TESTS, *test_data.LOCAL_TESTS) if is_real(t) and not t.knownfailure]
# inverses by a parameter, Legendre functions of the second kind, harmonics of ellipsoids, spherical Bessel functions
LACKING = """bdtrik bdtrik_comp btdtria btdtria_comp btdtrib btdtrib_comp nbdtrik nbdtrik_comp pdtrik pdtrik_comp
    gdtrib_ gdtrib_comp gdtrix_ gdtrix_comp chndtr lqn_ legendre_q_via_lqmn clog1p cexpm1 ellip_harm ellip_harm_2
    spherical_jn_ spherical_yn_ wright_bessel""".split()
HELD = [t for t in TABLES if t.func.__name__ not in LACKING]


@pytest.mark.parametrize("table", HELD, ids=repr)
def test_tables_of_scipy(table, monkeypatch):
    compiled = pellucid.compile(globals().get(table.func.__name__, table.func))
    monkeypatch.setattr(table, "func", lambda *columns: np.asarray(compiled(*columns)))
    with np.errstate(all="ignore"):
        table.check()


def test_most_of_the_tables_are_held():
    assert sum(len(table.data) for table in HELD) > 55_000

"""Control flow and scans in the spellings of `lax`."""

import numpy as np

import pellucid
from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Scans of nothing, and sums that change their type


def scan_empty():
    a, b = pellucid.compile(scan_lax)(np.zeros(0)), pellucid.compile(scan_lax)(np.array([1.0, 2.0]))
    return (float(a[0]), np.asarray(a[1])), (float(b[0]), np.asarray(b[1]))


def scan_lax(x):
    return pellucid.lax.scan(lambda acc, v: (acc + v, acc * v), 0.0, x)


REPORTS.answer("scan of nothing", scan_empty, ((0.0, np.zeros(0)), (3.0, np.array([0.0, 2.0]))))


def count_over(x):
    from_zero = 0
    out = []
    for v in x:
        from_zero = from_zero + v
        out.append(from_zero)
    return from_zero, np.array(out)


REPORTS.value("carry becomes an array's number", count_over, np.array([1.5, 2.5]))


def slope_scan(x):
    return pellucid.lax.scan(lambda acc, v: (acc * v + 1.0, None), 0.5, x)[0]


REPORTS.slope("slope of a scan of nothing", slope_scan, np.zeros(0), want=np.zeros(0))


def fori_backwards(n):
    return pellucid.lax.fori_loop(5, n, lambda i, v: v + i, 100)


REPORTS.value("fori_loop with no turns", fori_backwards, 3, want=100)


# Control flow in the spellings of `lax`


def switched(i, x):
    return pellucid.lax.switch(i, (lambda v: v, lambda v: v * 10.0, lambda v: -v), x)


def switch_all():
    f = pellucid.compile(switched)
    return [float(f(i, 2.0)) for i in (-5, 0, 1, 2, 7)]


REPORTS.answer("lax.switch clamps", switch_all, [2.0, 2.0, 20.0, -2.0, -2.0])


def switch_slope():
    g = pellucid.grad(switched, argnums=1)
    return [float(g(i, 2.0)) for i in (-5, 1, 7)]


REPORTS.answer("lax.switch slope", switch_slope, [1.0, 10.0, -1.0])


def vmapped_switch():
    return np.asarray(pellucid.vmap(switched)(np.array([-1, 1, 2, 9]), np.array([1.0, 2.0, 3.0, 4.0])))


REPORTS.answer("lax.switch vmapped", vmapped_switch, np.array([1.0, 20.0, -3.0, -4.0]))


def reverse_scan(x):
    return pellucid.lax.scan(lambda c, v: (c * 0.5 + v, c), 0.0, x, reverse=True)


def reverse_scan_right():
    c, out = np.float64(0.0), np.zeros(3)
    x = np.array([1.0, 2.0, 4.0])
    for i in (2, 1, 0):
        out[i] = c
        c = c * 0.5 + x[i]
    return c, out


REPORTS.value("scan reversed", reverse_scan, np.array([1.0, 2.0, 4.0]), want=reverse_scan_right())


def assoc(x):
    return pellucid.lax.associative_scan(lambda a, b: a * b, x), pellucid.lax.associative_scan(
        lambda a, b: a + b, x, reverse=True
    )


REPORTS.value(
    "associative_scan",
    assoc,
    np.array([1.0, 2.0, 4.0, 0.5, 3.0]),
    want=(np.array([1.0, 2.0, 8.0, 4.0, 12.0]), np.array([10.5, 9.5, 7.5, 3.5, 3.0])),
)


def assoc_slope(x):
    return np.sum(pellucid.lax.associative_scan(lambda a, b: a * b, x))


REPORTS.slope(
    "associative_scan slope with zero", assoc_slope, np.array([2.0, 0.0, 3.0]), want=np.array([1.0, 8.0, 0.0])
)


def assoc_affine(a, b):
    def join(l, r):
        return l[0] * r[0], r[0] * l[1] + r[1]

    return pellucid.lax.associative_scan(join, (a, b))[1]


def affine_right():
    a, b = np.array([0.5, 2.0, -1.0, 0.3, 1.5]), np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    h, out = 0.0, []
    for i in range(5):
        h = a[i] * h + b[i]
        out.append(h)
    return np.array(out)


REPORTS.value(
    "associative_scan of maps",
    assoc_affine,
    np.array([0.5, 2.0, -1.0, 0.3, 1.5]),
    np.array([1.0, 2.0, 3.0, 4.0, 5.0]),
    want=affine_right(),
)


def cond_both(x):
    return pellucid.lax.cond(x > 0.0, lambda v: np.sqrt(v), lambda v: v * 0.0, x)


REPORTS.slopes_of_examples(
    "cond under vmap of grad", cond_both, np.array([4.0, 0.0, -1.0]), want=np.array([0.25, 0.0, 0.0])
)


def while_pair(x):
    return pellucid.lax.while_loop(lambda s: s[1] < 3, lambda s: (s[0] * x, s[1] + 1), (1.0, 0))[0]


REPORTS.slope("while_loop in reverse", while_pair, 1.3, want=3 * 1.3**2)


def fori_slope(x):
    return pellucid.lax.fori_loop(0, 4, lambda i, v: v * x + i, 1.0)


REPORTS.slope("fori_loop in reverse", fori_slope, 1.3, want=4 * 1.3**3 + 2 * 1.3 + 2 + 0.0)


# Associative scans: order, length, direction


def ema(gamma, x):
    def join(a, b):
        return a[0] * b[0], b[0] * a[1] + b[1]

    return pellucid.lax.associative_scan(join, (gamma, x))[1]


GENERATOR = np.random.default_rng(5)

DECAYS, DRIVES, MATRICES = GENERATOR.uniform(0.5, 1, 200), GENERATOR.normal(size=200), GENERATOR.normal(size=(5, 2, 2))


def run_ema(g, x):
    h, out = 0.0, []
    for a, b in zip(g, x):
        h = a * h + b
        out.append(h)
    return np.array(out)


REPORTS.value("200 affine maps", ema, DECAYS, DRIVES, want=run_ema(DECAYS, DRIVES))


def ema_reverse(gamma, x):
    def join(a, b):
        return a[0] * b[0], b[0] * a[1] + b[1]

    return pellucid.lax.associative_scan(join, (gamma, x), reverse=True)[1]


REPORTS.value("in reverse", ema_reverse, DECAYS, DRIVES, want=run_ema(DECAYS[::-1], DRIVES[::-1])[::-1].copy())


def matrices(m):
    return pellucid.lax.associative_scan(lambda a, b: a @ b, m)


def chain(ms):
    out = [ms[0]]
    for m in ms[1:]:
        out.append(out[-1] @ m)
    return np.array(out)


REPORTS.value("matrices", matrices, MATRICES, want=chain(list(MATRICES)))


def matrices_reverse(m):
    return pellucid.lax.associative_scan(lambda a, b: a @ b, m, reverse=True)


REPORTS.value("matrices in reverse", matrices_reverse, MATRICES, want=chain(list(MATRICES[::-1]))[::-1].copy())

"""Programs for the lowering to loops: title -> (text, arguments), several lists of arguments for each.

Lengths of 0 and 1, errors and nan are among them; `Draw` makes the arrays.
"""

import numpy as np


class Draw:
    """Arrays of random numbers."""

    def __init__(self, rng):
        self.rng = rng

    def reals(self, *shape):
        return self.rng.standard_normal(shape)

    def singles(self, *shape):
        return self.rng.standard_normal(shape).astype(np.float32)

    def ints(self, bound, *shape):
        return self.rng.integers(0, bound, shape)

    def signed(self, bound, *shape):
        return self.rng.integers(-bound, bound, shape).astype(np.int32)

    def flags(self, *shape):
        return self.rng.random(shape) > 0.5


SAMPLES = {
    "a lazy value whose source is overwritten": (
        """
def f(x: "f64[n]", b: "bool"):
    a = copy(x)
    y = a * 2.0
    r = a[::-1]
    z = r + y
    a[0] = 5.0
    w = a + 1.0
    if b:
        a[1:] = 3.0
    else:
        a[:] = w
    return y, z, w, a
""",
        lambda d: [(d.reals(4), True), (d.reals(4), False), (d.reals(0), True)],
    ),
    "a lazy value of a name that gets another": (
        """
def f(x: "f64[n]", k: "int"):
    u = x
    v = x * 2.0
    s = 1.0
    for i in range(k):
        w = u * v
        t = u - s
        r = u[::-1]
        s = s + 1.0
        u = v * 0.5
        v = w + t * r
    return u, v, s
""",
        lambda d: [(d.reals(4), 3), (d.reals(4), 0)],
    ),
    "a carried copy that is overwritten": (
        """
def f(x: "f64[n]", k: "int"):
    v = x * x
    w = copy(v)
    u = copy(v)
    for i in range(k):
        u[:] = u - 2.0
        u_n = u * 0.5
        u = u_n
    return v, u, w
""",
        lambda d: [(d.reals(4), 3), (d.reals(4), 0)],
    ),
    "a list of copies that are overwritten": (
        """
def f(x: "f64[n]", k: "int"):
    xs: "[f64[n]]" = []
    y = x + 1.0
    z = copy(y)
    xs.append(z)
    v = xs.pop()
    v[0] = 7.0
    u = x * 2.0
    for i in range(k):
        w = copy(u)
        w[0] = 5.0
        xs.append(w)
        u_n = u + w
        u = u_n
    return y, v, u, xs[0]
""",
        lambda d: [(d.reals(4), 3)],
    ),
    "selu": (
        """
def f(x: "f32[n, m]", alpha: "float", lam: "float"):
    return lam * where(x > 0, x, alpha * exp(x) - alpha)
""",
        lambda d: [(d.reals(3, 4).astype("f4"), 1.2, 2.0), (d.reals(0, 4).astype("f4"), 1.2, 2.0)],
    ),
    "a broadcast of two unknown lengths, and a sum": (
        """
def f(x: "f64[n]", y: "f64[m]"):
    z = x * y + 2
    s = sum(z * z)
    return z, s
""",
        lambda d: [(d.reals(5), d.reals(5)), (d.reals(0), d.reals(0)), (d.reals(300), d.reals(300))],
    ),
    "a stencil in place": (
        """
def f(u: "f64[n, m]", steps: "int", alpha: "float"):
    u_0 = copy(u)
    for t in range(steps):
        lap = u_0[2:, 1:-1] + u_0[:-2, 1:-1] + u_0[1:-1, 2:] + u_0[1:-1, :-2] - 4.0 * u_0[1:-1, 1:-1]
        u_0[1:-1, 1:-1] = u_0[1:-1, 1:-1] + alpha * lap
    return sum(u_0 ** 2), u_0
""",
        lambda d: [(d.reals(5, 6), 3, 0.1), (d.reals(1, 1), 2, 0.1), (d.reals(0, 3), 2, 0.1)],
    ),
    "logistic loss": (
        """
def f(w: "f64[m]", b: "float", features: "f64[n, m]", labels: "f64[n]"):
    z = features @ w + b
    l = sum(logaddexp(0.0, z) - labels * z) / 3 + 0.01 * sum(w ** 2)
    return l
""",
        lambda d: [
            (d.reals(4), 0.3, d.reals(7, 4), d.reals(7)),
            (d.reals(4), 0.3, d.reals(0, 4), d.reals(0)),
            (d.reals(4), 0.3, d.reals(3, 5), d.reals(3)),
        ],
    ),
    "softmax of rows": (
        """
def f(x: "f64[n, m]"):
    e = exp(x - max(x, axis=1, keepdims=True))
    return e / sum(e, axis=1, keepdims=True)
""",
        lambda d: [(d.reals(5, 6),), (d.reals(0, 6),), (d.reals(3, 0),)],
    ),
    "column sums, a gather, a mask and extremes": (
        """
def f(x: "f64[n, m]", k: "i64[p]"):
    c = sum(x, axis=0)
    g = x[k] * 2.0
    h = x[x > 0.5]
    return c, sum(g), h, argmax(x), argmin(x, axis=1)
""",
        lambda d: [
            (d.reals(5, 6), d.ints(5, 3)),
            (d.reals(5, 6), d.ints(6, 8)),
            (d.reals(5, 300), d.ints(5, 8)),
            (d.reals(0, 6), d.ints(5, 0)),
        ],
    ),
    "element and slice stores, a shift": (
        """
def f(x: "f64[n]", k: "int"):
    y = x * 2.0
    a = copy(x)
    a[k] = 7.0
    b = copy(a)
    a[1:] = a[:-1]
    z = b + a
    return y, a, z, b
""",
        lambda d: [(d.reals(5), 2), (d.reals(5), -2), (d.reals(5), 5), (d.reals(5), -6)],
    ),
    "slices with unknown bounds": (
        """
def f(x: "f64[n]", k: "int"):
    y = x[k:]
    z = x[:k]
    w = x[::2] * 2.0
    v = x[::-1]
    return sum(y), z + 1.0, w, v - 1.0, x[-k:]
""",
        lambda d: [(d.reals(5), 2), (d.reals(5), -2), (d.reals(5), 9), (d.reals(0), 1)],
    ),
    "a branch that makes an array": (
        """
def f(x: "f64[n]", y: "f64[n]", b: "bool"):
    if b:
        z = x + 1.0
    else:
        z = y * y
    s = sum(z)
    return z, s
""",
        lambda d: [(d.reals(5), d.reals(5), True), (d.reals(5), d.reals(5), False)],
    ),
    "a while loop that carries an array": (
        """
def f(x: "f64[n]", steps: "int"):
    u = x
    i = 0
    while i < steps:
        v = u * 0.5 + 1.0
        s = sum(v)
        u = v / s
        i = i + 1
    return u
""",
        lambda d: [(d.reals(5), 3), (d.reals(5), 0)],
    ),
    "a while loop whose test reduces an array": (
        """
def f(x: "f64[n]"):
    r = x * 1.0
    while max(abs(r)) > 0.1:
        r = r * 0.5
    return r
""",
        lambda d: [(d.reals(5),), (d.reals(0),)],
    ),
    "element stores in a loop, stores into columns and rows": (
        """
def f(x: "f64[n]", m: "int"):
    y = zeros(shape=(m,))
    for i in range(m):
        y[i] = sin(x[i])
    z = zeros(shape=(m, 3))
    z[:, 1] = y
    z[0] = 5.0
    return y, z
""",
        lambda d: [(d.reals(5), 3), (d.reals(2), 3), (d.reals(5), -1), (d.reals(5), 0)],
    ),
    "products of matrices and vectors": (
        """
def f(a: "f64[n, k]", b: "f64[k, m]", v: "f64[k]", w: "f64[n]"):
    c = a @ b
    d = a @ v
    e = w @ a
    g = v @ v
    h = (v * 2.0) @ v
    return c, d, e, g, h, sum(c.T @ a)
""",
        lambda d: [
            (d.reals(3, 4), d.reals(4, 5), d.reals(4), d.reals(3)),
            (d.reals(0, 4), d.reals(4, 5), d.reals(4), d.reals(0)),
            (d.reals(3, 0), d.reals(0, 5), d.reals(0), d.reals(3)),
        ],
    ),
    "products whose inner lengths may differ": (
        """
def f(a: "f64[n, k]", b: "f64[l, m]"):
    c = a @ b
    return c
""",
        lambda d: [(d.reals(3, 4), d.reals(4, 5)), (d.reals(3, 4), d.reals(3, 5))],
    ),
    "products of ints and bools": (
        """
def f(a: "i64[n, k]", b: "i64[k, m]", p: "bool[n, k]", q: "bool[k, m]", v: "i64[k]"):
    return a @ b, p @ q, a @ v, v @ v, v @ b
""",
        lambda d: [(d.ints(9, 3, 4), d.ints(9, 4, 5), d.ints(2, 3, 4) > 0, d.ints(2, 4, 5) > 0, d.ints(9, 4))],
    ),
    "products of stacks of matrices": (
        """
def f(a: "f64[p, n, k]", b: "f64[p, k, m]", c: "f64[k, m]", v: "f64[k]"):
    return a @ b, a @ c, a @ v
""",
        lambda d: [(d.reals(2, 3, 4), d.reals(2, 4, 5), d.reals(4, 5), d.reals(4))],
    ),
    "einsum of two operands": (
        """
def f(a: "f64[n, k]", b: "f64[m, k]", v: "f64[k]", p: "f64[b, n, k]", q: "f64[b, k, m]"):
    c = einsum(a, b, subscripts="ij,kj->ik")
    d = einsum(a, b, subscripts="ij,kj->ki")
    e = einsum(a, v, subscripts="ij,j->i")
    g = einsum(a, v, subscripts="ij,j->ij")
    h = einsum(p, q, subscripts="bij,bjk->bik")
    u = einsum(a, a, subscripts="ij,ij->")
    w = einsum(v, v, subscripts="i,j->ji")
    return c, d, e, g, h, u, w
""",
        lambda d: [(d.reals(3, 4), d.reals(5, 4), d.reals(4), d.reals(2, 3, 4), d.reals(2, 4, 5))],
    ),
    "transpose, reshape, concatenate, broadcast_to": (
        """
def f(x: "f64[n, m]", y: "f64[m]"):
    a = transpose(x, axes=(1, 0)) + 1.0
    b = reshape(x * 2.0, shape=(x.shape[1], x.shape[0]))
    c = concatenate(y, y * 2.0, axis=0)
    d = concatenate(x, x, axis=1)
    e = broadcast_to(y, shape=(3, y.shape[0]))
    return a, b, c, d, sum(e, axis=0), x[:, None, :] + y
""",
        lambda d: [(d.reals(3, 4), d.reals(4)), (d.reals(0, 4), d.reals(4))],
    ),
    "reshape to an unknown shape": (
        """
def f(x: "f64[n]", k: "int"):
    b = reshape(x, shape=(k, 2))
    return b * 2.0
""",
        lambda d: [(d.reals(6), 3), (d.reals(6), 2), (d.reals(0), 0)],
    ),
    "stores through masks": (
        """
def f(x: "f64[n]", m: "bool[n]", v: "f64[k]"):
    a = copy(x)
    a[m] = 0.0
    b = copy(x)
    b[m] = v
    c = copy(x)
    c[c < 0.0] = -1.0
    return a, b, c, x[m]
""",
        lambda d: [
            (d.reals(4), np.array([1, 0, 1, 0]) > 0, d.reals(2)),
            (d.reals(4), np.array([1, 0, 1, 0]) > 0, d.reals(3)),
        ],
    ),
    "stores through integer arrays": (
        """
def f(x: "f64[n]", k: "i64[m]", v: "f64[m]"):
    a = copy(x)
    a[k] = v
    b = copy(x)
    add_at(b, (k,), v)
    c = copy(x)
    c[k] = c[k] + 1.0
    return a, b, c
""",
        lambda d: [(d.reals(4), np.array([1, -1, 1]), d.reals(3)), (d.reals(4), np.array([1, -5, 1]), d.reals(3))],
    ),
    "gathers of every form": (
        """
def f(x: "f64[n, m]", k: "i64[p]", j: "i64[p]", i: "int"):
    return x[k, j], x[:, k], x[i, k], x[k, 1:], x[k[:, None], j], x[k, :, None], x[None, k]
""",
        lambda d: [(d.reals(4, 5), d.ints(4, 3), d.ints(4, 3), 2), (d.reals(4, 5), d.ints(4, 3), d.ints(4, 3), -5)],
    ),
    "gathers with ints between": (
        """
def f(x: "f64[n, m, p]", k: "i64[q]", i: "int"):
    return x[i, :, k], x[:, i, k], x[k, i], x[k, :, 0]
""",
        lambda d: [(d.reals(4, 5, 4), d.ints(4, 3), 2), (d.reals(4, 5, 4), d.ints(4, 3), -5)],
    ),
    "masks of every form": (
        """
def f(x: "f64[n, m]", m2: "bool[n]", m3: "bool[n, m]", k: "i64[q]"):
    return x[m2], x[m3], x[m2, 0], x[:, 1:][m2], x[m2, 1:3]
""",
        lambda d: [(d.reals(3, 4), np.array([1, 0, 1]) > 0, d.reals(3, 4) > 0, d.ints(3, 2))],
    ),
    "dtypes and Python numbers": (
        """
def f(a: "i32[n]", b: "i64[n]", c: "bool[n]", d: "f32[n]", e: "f64[n]", k: "int", s: "float"):
    return (
        a + b, a * k, a / b, a // 3, a % b, a ** 2, c + c, c * c, d * s, d + k, e + d, a + d, c + k, c * s, a < k, d
        < s, a == 2.5, c & c, c | c, ~c, ~a, a << 2, b >> a, abs(a), negative(d), a > 99999999999, sin(a), sqrt(b),
        a ** 0.5, d ** 2, e ** -1, e ** 0.5, d // s, maximum(a, k), minimum(d, s), logical_and(c, c), isnan(a),
        isfinite(d), where(c, a, k), where(c, d, 1), sign(a), square(a), arctan2(a, b)
    )
""",
        lambda d: [(d.signed(5, 6), d.ints(5, 6) + 1, d.flags(6), d.singles(6), d.reals(6), 2, 1.5)],
    ),
    "a Python int that int32 may not hold": (
        """
def f(a: "i32[n]", k: "int"):
    return a + k
""",
        lambda d: [(d.signed(5, 6), 3), (d.signed(5, 6), 2**40), (d.signed(5, 0), 2**40)],
    ),
    "a Python int stored into int32": (
        """
def f(a: "i32[n]", k: "int"):
    b = copy(a)
    b[0] = k
    return b
""",
        lambda d: [(d.signed(5, 6), 3), (d.signed(5, 6), 2**40), (d.signed(5, 0), 1)],
    ),
    "Python floats stored into ints": (
        """
def f(a: "i32[n]", s: "float", q: "f64"):
    b = copy(a)
    b[0] = s
    b[1] = q
    b[2:] = s
    return b
""",
        lambda d: [
            (d.signed(5, 6), 3.7, np.float64(-2.5)),
            (d.signed(5, 6), float("nan"), np.float64(2.0)),
            (d.signed(5, 6), float("inf"), np.float64(2.0)),
            (d.signed(5, 6), 10000000000.0, np.float64(2.0)),
        ],
    ),
    "a dead power of ints that may fail": (
        """
def f(a: "i64[n]", b: "i64[n]"):
    c = a ** b
    return 1
""",
        lambda d: [(d.ints(5, 6), d.ints(4, 6)), (d.ints(5, 6), d.ints(4, 6) - 2)],
    ),
    "reductions of every dtype": (
        """
def f(a: "i32[n, m]", c: "bool[n, m]", d: "f32[n, m]"):
    return (
        sum(a), sum(c), sum(d), sum(a, axis=0), sum(c, axis=1), sum(d, axis=0), prod(a, axis=1), prod(d), any(a),
        all(c), any(d, axis=0), all(a, axis=1), max(a), min(c), max(d, axis=0), argmax(c), argmax(a, axis=0),
        argmin(d, axis=1), sum(a, axis=(0, 1), keepdims=True), max(d, axis=1, keepdims=True)
    )
""",
        lambda d: [
            (d.signed(5, 3, 4), d.flags(3, 4), d.singles(3, 4)),
            (d.signed(5, 1, 4), d.flags(1, 4), d.singles(1, 4)),
        ],
    ),
    "reductions along axes of a cube": (
        """
def f(x: "f64[n, m, p]"):
    return (
        sum(x, axis=1), sum(x, axis=(0, 2)), sum(x, axis=(1, 2)), sum(x, axis=(0, 1)), max(x, axis=1), argmax(x,
        axis=1), argmin(x, axis=0), min(x, axis=(0, 2), keepdims=True), prod(x, axis=2), any(x > 0, axis=1), all(x >
        0.0, axis=0), argmax(x)
    )
""",
        lambda d: [(d.reals(3, 4, 5),), (d.reals(1, 1, 1),), (d.reals(2, 300, 3),)],
    ),
    "extremes with nan and ties": (
        """
def f(x: "f64[n]"):
    return max(x), min(x), argmax(x), argmin(x)
""",
        lambda d: [
            (np.array([1, np.nan, 3, np.nan]),),
            (np.array([np.nan]),),
            (np.array([-np.inf, -np.inf]),),
            (np.array([np.inf, np.inf]),),
            (np.array([3.0, 3.0, 1.0, 1.0]),),
        ],
    ),
    "sums with infinities": (
        """
def f(x: "f64[n]"):
    return sum(x)
""",
        lambda d: [
            (np.array([np.inf, 1.0]),),
            (np.array([np.inf, -np.inf]),),
            (np.full(1000, 1e306),),
            (np.array([np.nan, 1.0]),),
            (np.full(300, np.inf),),
        ],
    ),
    "arrays made from nothing": (
        """
def f(n: "int", s: "float"):
    a = arange(0, n, 1, shape=(n,))
    b = zeros(shape=(n, 2))
    c = full(s, shape=(n,))
    d = eye(shape=(n, 3), offset=1)
    e = ones(shape=(2, n), dtype="i32")
    g = arange(2, 2 + 3 * n, 3, shape=(n,))
    h = arange(s, s + 0.5 * n, 0.5, shape=(n,), dtype="f64")
    return a, b + 1.0, c * 2.0, d, e, g * 2, h
""",
        lambda d: [(3, 1.5), (0, 1.5), (1, 2.0)],
    ),
    "a negative length": (
        """
def f(n: "int"):
    b = zeros(shape=(n,))
    return sum(b)
""",
        lambda d: [(3,), (0,), (-1,)],
    ),
    "static lengths and ones": (
        """
def f(x: "f64[n, 1]", y: "f64[1, m]", z: "f64[3]", w: "f64[2, 3]"):
    return (
        x * y, x + z, w[:, -1], w[1], w[:, ::-1] * z, w[::2], sum(w), sum(x), sum(x, axis=1), sum(y, axis=0), z[0] +
        z[-1], w[0:5, 1:], x[:, 0]
    )
""",
        lambda d: [(d.reals(4, 1), d.reals(1, 5), d.reals(3), d.reals(2, 3))],
    ),
    "a static index out of bounds": (
        """
def f(z: "f64[3]"):
    return z[5]
""",
        lambda d: [(d.reals(3),)],
    ),
    "a static length beside an unknown one": (
        """
def f(z: "f64[3]", x: "f64[n]"):
    return z + x
""",
        lambda d: [(d.reals(3), d.reals(3)), (d.reals(3), d.reals(2)), (d.reals(3), d.reals(1))][:2],
    ),
    "concatenate and reshape in chains": (
        """
def f(x: "f64[n, m]", y: "f64[k, m]", v: "f64[n]"):
    a = concatenate(x, y, x * 2.0, axis=0)
    b = transpose(reshape(a, shape=(a.shape[1], a.shape[0])), axes=(1, 0))
    c = reshape(transpose(x, axes=(1, 0)), shape=(x.shape[0] * x.shape[1],))
    d = reshape(v, shape=(v.shape[0], 1)) * v
    e = concatenate(v, c, axis=0)
    g = transpose(transpose(x, axes=(1, 0)), axes=(1, 0))
    return a, b, c, d, e, g, sum(b, axis=0)
""",
        lambda d: [(d.reals(3, 4), d.reals(2, 4), d.reals(3)), (d.reals(0, 4), d.reals(2, 4), d.reals(0))],
    ),
    "concatenate of unlike columns": (
        """
def f(x: "f64[n, m]", y: "f64[k, p]"):
    return concatenate(x, y, axis=0)
""",
        lambda d: [(d.reals(3, 4), d.reals(2, 4)), (d.reals(3, 4), d.reals(2, 5))],
    ),
    "concatenate of unlike dtypes": (
        """
def f(x: "f64[n, m]", y: "i64[n, k]"):
    return concatenate(x, y, axis=1)
""",
        lambda d: [(d.reals(3, 4), d.ints(5, 3, 2))],
    ),
    "lists of arrays": (
        """
def f(x: "f64[n]", k: "int"):
    xs: "[f64[n]]" = []
    ys: "[float]" = []
    for i in range(k):
        y = x * (i + 1.0)
        xs.append(y)
        ys.append(i * 2.0)
    total = zeros(shape=(x.shape[0],))
    while len(xs) > 0:
        v = xs.pop()
        total = total + v
    return total, ys[0], len(ys)
""",
        lambda d: [(d.reals(4), 3)],
    ),
    "recursion with arrays": (
        """
def f(x: "f64[n]", k: "int"):
    y, s = g(x * 2.0, k)
    z, t = g(y[::-1], k)
    return y, s, z, t
def g(x: "any f64[n]", k: "int") -> ("f64[n]", "f64"):
    a = x + 1.0
    s = sum(a)
    if k > 0:
        b, u = g(a, k - 1)
    else:
        b = a * 2.0
        u = s
    return b, u
""",
        lambda d: [(d.reals(4), 3), (d.reals(0), 0)],
    ),
    "a lazy value read while its source changes": (
        """
def f(x: "f64[n]", k: "int"):
    a = copy(x)
    y = a * 2.0
    for i in range(k):
        a[i] = y[i] + 1.0
    z = y + a
    return z, y
""",
        lambda d: [(d.reals(4), 3)],
    ),
    "a costly lazy value read in a loop": (
        """
def f(x: "f64[n]", k: "int"):
    a = copy(x)
    y = exp(a)
    s = 0.0
    for i in range(k):
        s = s + y[i]
        a[0] = s
    return s, a, y
""",
        lambda d: [(d.reals(4), 3)],
    ),
    "arrays that swap names": (
        """
def f(x: "f64[n]", k: "int"):
    u = x
    v = x * 2.0
    for i in range(k):
        t = u
        w = u + v
        u = v
        v = w
    return u, v
""",
        lambda d: [(d.reals(4), 3), (d.reals(4), 0)],
    ),
    "the value from the start of an iteration": (
        """
def f(x: "f64[n]", k: "int"):
    u = x + 1.0
    for i in range(k):
        old = u * 1.0
        d = u - x
        u = d * 0.5
        s = sum(old)
    return u
""",
        lambda d: [(d.reals(4), 3)],
    ),
    "a costly value in a branch and behind it": (
        """
def f(x: "f64[n]", b: "bool"):
    y = exp(x)
    if b:
        z = y * 2.0
        s = sum(y)
    else:
        z = x
        s = sum(x)
    return z, s, y
""",
        lambda d: [(d.reals(4), True), (d.reals(4), False)],
    ),
    "rows in a loop": (
        """
def f(x: "f64[n, m]"):
    out = zeros(shape=(x.shape[0], x.shape[1]))
    for i in range(x.shape[0]):
        row = x[i]
        m = max(row)
        e = exp(row - m)
        out[i] = e / sum(e)
    for i in range(1, x.shape[0]):
        out[i, 1:] = out[i - 1, :-1] + out[i, 1:]
        out[i - 1] = out[i - 1] * 2.0
    return out
""",
        lambda d: [(d.reals(3, 4),), (d.reals(3, 0),), (d.reals(0, 3),)],
    ),
    "stores that read what they write": (
        """
def f(x: "f64[n]"):
    a = copy(x)
    a[1:] = a[1:] + a[:-1]
    a[:-1] = a[:-1] * 2.0
    a[::-1] = a * 1.0
    a[:] = a[::-1] + a
    b = a[1:-1]
    c = b + 1.0
    a[0] = 9.0
    return a, c
""",
        lambda d: [(d.reals(5),), (d.reals(1),), (d.reals(2),)],
    ),
    "a store whose length may not fit": (
        """
def f(x: "f64[n]", w: "f64[m]"):
    a = copy(x)
    a[1:] = w
    return a
""",
        lambda d: [(d.reals(4), d.reals(3)), (d.reals(4), d.reals(2))],
    ),
    "rows, columns and masks stored": (
        """
def f(x: "f64[n, m]", w: "f64[m]"):
    a = copy(x)
    a[0] = w
    a[:, 1] = 2.0
    a[1:, 1:] = w[1:]
    a[a > 1.0] = 0.5
    return a
""",
        lambda d: [(d.reals(4, 3), d.reals(3)), (d.reals(1, 2), d.reals(2)), (d.reals(0, 2), d.reals(2))],
    ),
    "masks stored through in every form": (
        """
def f(x: "f64[n, m]", mask: "bool[n]", v: "f64[m]", mm: "bool[n, m]", q: "f64[p]"):
    a = copy(x)
    a[mask] = v
    b = copy(x)
    b[mask, 1] = 3.0
    c = copy(x)
    c[mm] = q[0]
    d = copy(x)
    d[mask] = 1.5
    return a, b, c, d
""",
        lambda d: [(d.reals(4, 3), d.flags(4), d.reals(3), d.flags(4, 3), d.reals(2))],
    ),
    "scattered stores and add_at": (
        """
def f(x: "f64[n, m]", i: "i64[p]", j: "i64[p]", v: "f64[p]"):
    a = copy(x)
    a[i, j] = v
    b = copy(x)
    b[i] = 7.0
    c = copy(x)
    c[:, i] = 2.0
    add_at(c, (i, j), v)
    add_at(c, (i,), 1.0)
    add_at(c, (0,), 1.0)
    return a, b, c
""",
        lambda d: [(d.reals(4, 4), d.ints(4, 3), d.ints(4, 3), d.reals(3))],
    ),
    "a while test that is lazy and reduces": (
        """
def f(x: "f64[n]", tol: "float"):
    r = x * 1.0
    i = 0
    while i < 10 and sum(r * r) > tol:
        r = r * 0.5
        i = i + 1
    return r, i
""",
        lambda d: [(d.reals(5), 0.001), (d.reals(5), 1000000000.0)],
    ),
    "a gather of which only a part is used": (
        """
def f(x: "f64[n]", k: "i64[m]"):
    y = x[k]
    z = y * 2.0
    s = sum(z[1:])
    return s
""",
        lambda d: [(d.reals(4), np.array([7, 1, 2])), (d.reals(4), np.array([0, 1, 2]))],
    ),
    "a gather that fails ahead of a division": (
        """
def f(x: "f64[n]", k: "i64[m]", j: "int"):
    y = x[k]
    s = 1 // j
    return s, sum(y)
""",
        lambda d: [(d.reals(4), np.array([7, 1, 2]), 0), (d.reals(4), np.array([0, 1, 2]), 0)],
    ),
    "elements of what is not in memory": (
        """
def f(x: "f64[n]", k: "int"):
    y = x * 2.0
    z = y[1:]
    a = z[k]
    b = y[k]
    c = y[0]
    d = y[-1]
    return a, b, c, d
""",
        lambda d: [(d.reals(4), 2), (d.reals(4), 3), (d.reals(4), -3), (d.reals(4), -4), (d.reals(0), 0)],
    ),
    "rows and columns of what is not in memory": (
        """
def f(x: "f64[n, m]", k: "int"):
    y = x * 2.0
    return y[k], y[:, k], y[k:, 1], x[k], x[:, None, k], y[None, 1:, -1]
""",
        lambda d: [(d.reals(4, 4), 2), (d.reals(4, 4), -4), (d.reals(4, 4), 4)],
    ),
    "copies that part": (
        """
def f(x: "f64[n]"):
    y = copy(x)
    z = copy(y)
    w = y
    w[0] = 5.0
    z[1] = 3.0
    return w, z, x
""",
        lambda d: [(d.reals(4),)],
    ),
    "copies of one lazy value": (
        """
def f(x: "f64[n]"):
    y = sin(x)
    z = copy(y)
    z[0] = 5.0
    u = copy(y)
    u[1] = 2.0
    return y, z, u
""",
        lambda d: [(d.reals(4),)],
    ),
    "copies returned": (
        """
def f(x: "f64[n]"):
    y = x
    z = copy(x)
    return y, z, copy(z)
""",
        lambda d: [(d.reals(4),)],
    ),
}

PROGRAMS = {title: (text, lambda rng, make=make: make(Draw(rng))) for title, (text, make) in SAMPLES.items()}

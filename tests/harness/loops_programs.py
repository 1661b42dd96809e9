"""Programs in the loops language with argument lists: each is compiled and run, and run by CPython, and must agree."""

from __future__ import annotations

import numpy as np

RNG = np.random.default_rng(11)
NAN, INF = float("nan"), float("inf")

PROGRAMS: dict[str, tuple[str, list[tuple]]] = {}


def program(name: str, text: str, *calls: tuple) -> None:
    assert name not in PROGRAMS, name
    PROGRAMS[name] = (text.strip() + "\n", list(calls))


def reals(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape)


def ints(low: int, high: int, *shape: int, dtype=np.int64) -> np.ndarray:
    return RNG.integers(low, high, shape).astype(dtype)


# --- scalars and control flow ----------------------------------------------------------------------------------------

program("no arguments", "def f():\n    return 1, 2.5, True", ())
program("greatest common divisor", """
def f(a: "int", b: "int"):
    while b != 0:
        t = a % b
        a = b
        b = t
    return a
""", (12, 18), (17, 5), (0, 3), (-12, 18), (2**62, 6))
program("collatz", """
def f(n: "int"):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps = steps + 1
    return steps
""", (1,), (7,), (27,))
program("newton's root", """
def f(a: "float"):
    x = a
    k = 0
    while abs(x * x - a) > 1e-12 and k < 50:
        x = 0.5 * (x + a / x)
        k = k + 1
    return x, k
""", (2.0,), (9.0,), (0.0,), (1e-4,))
program("kepler", """
def f(m: "float", e: "float"):
    x = m
    delta = 1.0
    while abs(delta) > 1e-13:
        delta = (x - e * math.sin(x) - m) / (1.0 - e * math.cos(x))
        x = x - delta
    return x
""", (1.0, 0.3), (3.0, 0.9))
program("factorial", """
def f(n: "int"):
    p = 1
    for i in range(2, n + 1):
        p = p * i
    return p
""", (0,), (5,), (20,), (-3,))
program("lazy logic", """
def f(a: "int", b: "int"):
    x = 0
    if b != 0 and a // b > 1:
        x = 1
    y = 0
    if b == 0 or a % b == 0:
        y = 1
    return x, y
""", (5, 2), (4, 2), (4, 0), (1, 5))
program("conditional expression", """
def f(a: "float", k: "int"):
    x = a if a > 0.0 else -a
    y = 10 // k if k != 0 else 0
    z = (1 if k > 0 else -1) if k != 0 else 0
    return x, y, z
""", (1.5, 3), (-2.5, 0), (0.0, -4), (NAN, 1))
program("nested loops", """
def f(n: "int"):
    s = 0
    for i in range(n):
        for j in range(i, n, 2):
            for k in range(j, i, -1):
                s = s + i * j - k
    return s
""", (0,), (1,), (6,), (11,))
program("steps", """
def f(a: "int", b: "int", c: "int"):
    s = 0
    last = -1000
    for i in range(a, b, c):
        s = (s * 3 + i % 1000) % 1000003
        last = i
    return s, last
""", (0, 10, 3), (10, 0, -3), (0, 10, -1), (5, 5, 1), (0, 5, 2**62), (0, -5, -(2**63)), (3, 8, 0),
        (2**63 - 3, 2**63 - 1, 1), (2**63 - 10, 2**63 - 1, 7))
program("the counter is a variable", """
def f(n: "int"):
    s = 0
    for i in range(n):
        i = i * 2
        s = s + i
    return s
""", (5,), (0,))
program("strong arithmetic", """
def f(a: "i32", b: "i64", c: "f32", d: "f64", e: "bool_"):
    x = a * a + a
    y = b * b - b // cast(3, "i64")
    z = c * cast(0.1, "f32") + c
    w = d / cast(0.0, "f64")
    v = logical_and(e, d > cast(0.0, "f64"))
    return x, y, z, w, v
""", (np.int32(2**20), np.int64(2**40), np.float32(0.3), np.float64(2.0), np.bool_(True)),
        (np.int32(-7), np.int64(-9), np.float32(-1.5), np.float64(-0.0), np.bool_(False)))
program("python overflow is an error here", """
def f(a: "int"):
    if a > 2 ** 40:
        raise OverflowError("Python int too large to convert to C int64")
    return a * 2 ** 22
""", (5,), (2**41,))
program("weak and strong meet", """
def f(a: "f32", k: "int", x: "float"):
    u = a * k
    v = a + x
    w = k * x
    return u, v, w
""", (np.float32(1.5), 3, 0.1))
program("raise", """
def f(k: "int", x: "float"):
    if k > 3:
        raise ValueError("k is too large")
    if k < 0:
        raise AssertionError()
    if x != x:
        raise ArithmeticError("not a number")
    return k + x
""", (1, 2.0), (4, 1.0), (-1, 1.0), (2, NAN))
program("raise as the last word of branches in branches", """
def f(k: "int"):
    if k > 0:
        if k > 1:
            if k > 2:
                raise ValueError("k is too large")
    return k
""", (0,), (1,), (2,), (3,))
program("division by zero", """
def f(a: "int", b: "int", x: "float", y: "float"):
    return a // b, a % b, a / b, x / y, x // y, x % y
""", (7, 2, 7.5, 2.0), (7, 0, 1.0, 1.0), (7, 2, 1.0, 0.0), (-7, 2, -7.5, 2.0), (7, -2, 7.5, -2.0))
program("one error behind another", """
def f(x: "float"):
    if x > 2.0:
        if x > 3.0:
            raise ValueError("far")
        raise ValueError("near")
    return x
""", (1.0,), (2.5,), (5.0,))
program("math errors", """
def f(x: "float"):
    return math.sqrt(x) + math.log(x + 1.0) + math.exp(x)
""", (1.0,), (-0.5,), (-1.0,), (800.0,), (NAN,), (INF,))
program("constants that do not fit", """
def f(k: "int", x: "i32"):
    y = 0
    if k == 1:
        y = 10 ** 0 * 9223372036854775807 + k
    if k == 2:
        raise OverflowError("Python integer 3000000000 out of bounds for int32")
    return y, x
""", (0, np.int32(1)), (2, np.int32(1)))
program("booleans", """
def f(a: "bool", b: "bool"):
    c = a and not b
    d = a or b
    e = a != b
    n = a + b
    return c, d, e, n
""", (True, False), (False, False), (True, True))
program("bisection", """
def f(lo: "float", hi: "float"):
    for k in range(60):
        mid = 0.5 * (lo + hi)
        if mid * mid * mid - 2.0 > 0.0:
            hi = mid
        else:
            lo = mid
    return lo
""", (0.0, 2.0), (1.0, 1.5))
program("simpson's rule", """
def f(a: "float", b: "float", n: "int"):
    h = (b - a) / n
    s = math.sin(a) + math.sin(b)
    for i in range(1, n):
        s = s + (4.0 if i % 2 == 1 else 2.0) * math.sin(a + i * h)
    return s * h / 3.0
""", (0.0, 3.0, 10), (0.0, 3.0, 0), (-1.0, 1.0, 100))
program("float to int", """
def f(x: "float", y: "f64"):
    return cast(x, "i64", True), cast(y, "i64"), cast(x, "bool", True)
""", (2.7, np.float64(-3.9)), (-0.0, np.float64(0.0)), (NAN, np.float64(1.0)), (INF, np.float64(1.0)))

# --- arrays ----------------------------------------------------------------------------------------------------------

program("double", """
def f(x: "f64[n]"):
    y = empty(dim(x, 0), "f64")
    for i in range(dim(x, 0)):
        y[i] = x[i] * 2.0
    return y
""", (reals(0),), (reals(1),), (reals(17),))
program("every dtype", """
def f(a: "bool[n]", b: "i32[n]", c: "i64[n]", d: "f32[n]", e: "f64[n]"):
    p = empty(dim(a, 0), "bool")
    q = empty(dim(a, 0), "i32")
    r = empty(dim(a, 0), "i64")
    s = empty(dim(a, 0), "f32")
    t = empty(dim(a, 0), "f64")
    for i in range(dim(a, 0)):
        p[i] = logical_not(a[i])
        q[i] = b[i] * b[i]
        r[i] = c[i] - cast(b[i], "i64")
        s[i] = d[i] / cast(3, "f32")
        t[i] = e[i] + cast(d[i], "f64")
    return p, q, r, s, t
""", (ints(0, 2, 9, dtype=bool), ints(-9, 9, 9, dtype=np.int32), ints(-9, 9, 9), reals(9).astype("f4"), reals(9)),
        (np.ones(0, bool), np.ones(0, np.int32), np.ones(0, np.int64), np.ones(0, np.float32), np.ones(0)))
program("matrix transpose", """
def f(x: "f64[n, m]"):
    y = empty((dim(x, 1), dim(x, 0)), "f64")
    for i in range(dim(x, 0)):
        for j in range(dim(x, 1)):
            y[j, i] = x[i, j]
    return y
""", (reals(3, 5),), (reals(0, 5),), (reals(5, 0),), (reals(1, 1),))
program("stencil", """
def f(u: "f64[n, m]", steps: "int"):
    a = empty((dim(u, 0), dim(u, 1)), "f64")
    for i in range(dim(u, 0)):
        for j in range(dim(u, 1)):
            a[i, j] = u[i, j]
    for t in range(steps):
        b = empty((dim(u, 0), dim(u, 1)), "f64")
        for i in range(dim(u, 0)):
            for j in range(dim(u, 1)):
                b[i, j] = a[i, j]
        for i in range(1, dim(u, 0) - 1):
            for j in range(1, dim(u, 1) - 1):
                b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
        a = b
        del b
    return a
""", (reals(6, 7), 4), (reals(2, 2), 3), (reals(0, 3), 2), (reals(3, 3), 0))
program("prefix sums", """
def f(x: "f64[n]"):
    y = empty(dim(x, 0), "f64")
    s = cast(0.0, "f64")
    for i in range(dim(x, 0)):
        s = s + x[i]
        y[i] = s
    return y, s
""", (reals(10),), (reals(0),))
program("horner backwards", """
def f(c: "f64[n]", x: "f64"):
    s = cast(0.0, "f64")
    for i in range(dim(c, 0) - 1, -1, -1):
        s = s * x + c[i]
    return s
""", (reals(5), np.float64(0.3)), (reals(0), np.float64(0.3)))
program("negative indices", """
def f(x: "f64[n]"):
    s = cast(0.0, "f64")
    for i in range(1, dim(x, 0) + 1):
        s = s * 2.0 + x[-i]
    return s, x[-1]
""", (reals(4),), (reals(1),), (reals(0),))
program("an index out of bounds", """
def f(x: "f64[n, m]", i: "int", j: "int"):
    y = empty((2, 3), "f64")
    y[0, 1] = x[i, j]
    return x[i, j] + y[0, 1]
""", (reals(3, 4), 2, 3), (reals(3, 4), -3, -4), (reals(3, 4), 3, 0), (reals(3, 4), 0, 4), (reals(3, 4), -4, 0),
        (reals(3, 4), 0, -5), (reals(3, 4), 2**62, 0), (reals(3, 4), 0, -(2**63)))
program("a store out of bounds", """
def f(k: "int"):
    a = empty(3, "i64")
    for i in range(3):
        a[i] = i
    a[k] = 7
    return a
""", (0,), (-1,), (2,), (3,), (-3,), (-4,))
program("gather and scatter", """
def f(x: "f64[n]", p: "i64[m]"):
    y = empty(dim(p, 0), "f64")
    for i in range(dim(p, 0)):
        y[i] = x[p[i]]
    z = empty(dim(x, 0), "f64")
    for i in range(dim(x, 0)):
        z[i] = 0.0
    for i in range(dim(p, 0)):
        z[p[i]] = z[p[i]] + y[i]
    return y, z
""", (reals(5), ints(-5, 5, 8)), (reals(5), np.array([0, 5])), (reals(0), np.ones(0, np.int64)))
program("i32 indices", """
def f(x: "f64[n]", p: "i32[m]"):
    s = cast(0.0, "f64")
    for i in range(dim(p, 0)):
        s = s + x[p[i]]
    return s
""", (reals(5), ints(-5, 5, 8, dtype=np.int32)), (reals(5), np.array([-6], np.int32)))
program("views", """
def f(x: "f64[n, m]"):
    a = x[1:, :-1]
    b = x[::2]
    c = x[:, None, ::-1]
    d = x[0]
    e = x[:, 1]
    return a, b, c, d, e
""", (reals(4, 3),), (reals(1, 2),), (reals(0, 2),), (reals(2, 1),))
program("a view is written through", """
def f(n: "int"):
    a = empty((n, n), "f64")
    for i in range(n):
        for j in range(n):
            a[i, j] = i * n + j
    v = a[1:, ::-1]
    for i in range(dim(v, 0)):
        v[i, 0] = -1.0
    t = transpose(a, (1, 0))
    for i in range(n):
        t[i, 0] = 5.0
    return a, v, t
""", (4,), (1,))
program("views of views", """
def f(x: "f64[n]", k: "int"):
    a = x[k:]
    b = a[::-1]
    c = b[:k]
    s = cast(0.0, "f64")
    for i in range(dim(c, 0)):
        s = s * 3.0 + c[i]
    return s, c
""", (reals(9), 2), (reals(9), 20), (reals(9), -4), (reals(9), 0), (reals(0), 1))
program("transposes of three axes", """
def f(x: "f64[n, m, k]"):
    a = transpose(x, (2, 0, 1))
    b = a[:, 0]
    c = x[0, :, 0]
    return a, b, c
""", (reals(2, 3, 4),), (reals(1, 1, 1),), (reals(0, 1, 1),))
program("reshape", """
def f(x: "f64[n, m]", k: "int"):
    y = reshape(x, (dim(x, 0) * dim(x, 1),))
    s = cast(0.0, "f64")
    for i in range(dim(y, 0)):
        s = s + y[i] * i
    z = reshape(y, (dim(x, 1), dim(x, 0)))
    return y, s, z
""", (reals(3, 4), 2), (reals(0, 4), 2))
program("bad shape", """
def f(n: "int"):
    a = empty((2, n), "f64")
    for i in range(2):
        for j in range(n):
            a[i, j] = 1.0
    return a
""", (3,), (0,), (-1,))
program("arrays without axes", """
def f(x: "f64[]", y: "any i64[]"):
    a = empty((), "f64")
    a[()] = x[()] * 2.0 + y[()]
    return a, x[()]
""", (np.array(1.5), np.array(3)))
program("aliases", """
def f(n: "int", swap: "bool"):
    a = empty(n, "f64")
    b = empty(n, "f64")
    for i in range(n):
        a[i] = i
        b[i] = -i
    c = a
    if swap:
        c = b
    for i in range(n):
        c[i] = c[i] * 10.0
    return a, b, c
""", (3, True), (3, False), (0, True))
program("swapping buffers", """
def f(x: "f64[n]", steps: "int"):
    a = empty(dim(x, 0), "f64")
    b = empty(dim(x, 0), "f64")
    for i in range(dim(x, 0)):
        a[i] = x[i]
        b[i] = 0.0
    for t in range(steps):
        for i in range(dim(x, 0)):
            b[i] = a[i] * 0.5 + t
        c = a
        a = b
        b = c
    return a, b
""", (reals(4), 0), (reals(4), 3), (reals(4), 4), (reals(0), 4))
program("growing buffers", """
def f(n: "int"):
    a = empty(0, "f64")
    for t in range(n):
        b = empty(dim(a, 0) + 1, "f64")
        for i in range(dim(a, 0)):
            b[i] = a[i]
        b[t] = t
        a = b
    return a
""", (0,), (1,), (8,))
program("one buffer of two", """
def f(x: "f64[n]", y: "f64[m]", first: "bool"):
    if first:
        z = x
    else:
        z = y
    s = cast(0.0, "f64")
    for i in range(dim(z, 0)):
        s = s + z[i]
    return s, z
""", (reals(3), reals(5), True), (reals(3), reals(5), False))
program("an error in the middle", """
def f(x: "f64[n]", k: "int"):
    a = empty(100, "f64")
    for t in range(10):
        b = empty(dim(x, 0), "f64")
        for i in range(dim(x, 0)):
            b[i] = x[i] + t
        a[t] = b[k]
        if t == 5:
            raise ValueError("stop")
    return a[0]
""", (reals(3), 1), (reals(3), 7), (reals(0), 0))
program("histogram", """
def f(x: "i64[n]", k: "int"):
    h = empty(k, "i64")
    for i in range(k):
        h[i] = 0
    for i in range(dim(x, 0)):
        h[x[i]] = h[x[i]] + 1
    return h
""", (ints(0, 5, 40), 5), (ints(0, 9, 40), 5), (ints(0, 1, 0), 0))
program("insertion sort", """
def f(x: "f64[n]"):
    a = empty(dim(x, 0), "f64")
    for i in range(dim(x, 0)):
        a[i] = x[i]
    for i in range(1, dim(a, 0)):
        v = a[i]
        j = i
        while j > 0 and a[j - 1] > v:
            a[j] = a[j - 1]
            j = j - 1
        a[j] = v
    return a
""", (reals(12),), (reals(0),), (reals(1),))
program("sieve", """
def f(n: "int"):
    p = empty(n + 1, "bool")
    for i in range(n + 1):
        p[i] = i >= 2
    i = 2
    while i * i <= n:
        if p[i]:
            for j in range(i * i, n + 1, i):
                p[j] = False
        i = i + 1
    c = 0
    for i in range(n + 1):
        if p[i]:
            c = c + 1
    return c, p
""", (30,), (1,), (0,), (-1,), (-2,))
program("edit distance", """
def f(a: "i64[n]", b: "i64[m]"):
    d = empty((dim(a, 0) + 1, dim(b, 0) + 1), "i64")
    for i in range(dim(a, 0) + 1):
        d[i, 0] = i
    for j in range(dim(b, 0) + 1):
        d[0, j] = j
    for i in range(1, dim(a, 0) + 1):
        for j in range(1, dim(b, 0) + 1):
            cost = cast(0 if a[i - 1] == b[j - 1] else 1, "i64")
            d[i, j] = minimum(minimum(d[i - 1, j] + 1, d[i, j - 1] + 1), d[i - 1, j - 1] + cost)
    return d[dim(a, 0), dim(b, 0)]
""", (ints(0, 3, 7), ints(0, 3, 5)), (ints(0, 3, 0), ints(0, 3, 5)), (ints(0, 3, 0), ints(0, 3, 0)))
program("cholesky", """
def f(a: "f64[n, n]"):
    l = empty((dim(a, 0), dim(a, 0)), "f64")
    for i in range(dim(a, 0)):
        for j in range(dim(a, 0)):
            l[i, j] = 0.0
    for j in range(dim(a, 0)):
        s = a[j, j]
        for k in range(j):
            s = s - l[j, k] * l[j, k]
        if s <= 0.0:
            raise ValueError("the matrix is not positive definite")
        l[j, j] = sqrt(s)
        for i in range(j + 1, dim(a, 0)):
            t = a[i, j]
            for k in range(j):
                t = t - l[i, k] * l[j, k]
            l[i, j] = t / l[j, j]
    return l
""", (np.eye(4) * 3 + 0.5,), (-np.eye(2),), (np.zeros((0, 0)),))
program("gauss elimination", """
def f(a: "f64[n, n]", b: "f64[n]"):
    m = empty((dim(a, 0), dim(a, 0) + 1), "f64")
    n = dim(a, 0)
    for i in range(n):
        for j in range(n):
            m[i, j] = a[i, j]
        m[i, n] = b[i]
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if absolute(m[i, k]) > absolute(m[best, k]):
                best = i
        for j in range(n + 1):
            t = m[k, j]
            m[k, j] = m[best, j]
            m[best, j] = t
        for i in range(k + 1, n):
            r = m[i, k] / m[k, k]
            for j in range(k, n + 1):
                m[i, j] = m[i, j] - r * m[k, j]
    x = empty(n, "f64")
    for i in range(n - 1, -1, -1):
        s = m[i, n]
        for j in range(i + 1, n):
            s = s - m[i, j] * x[j]
        x[i] = s / m[i, i]
    return x
""", (reals(5, 5), reals(5)), (reals(1, 1), reals(1)), (reals(0, 0), reals(0)))
program("binary search", """
def f(x: "f64[n]", v: "float"):
    lo = 0
    hi = dim(x, 0)
    while lo < hi:
        mid = (lo + hi) // 2
        if x[mid] < v:
            lo = mid + 1
        else:
            hi = mid
    return lo
""", (np.arange(10.0), 3.5), (np.arange(10.0), -1.0), (np.arange(10.0), 99.0), (np.arange(0.0), 1.0))
program("pairwise distances", """
def f(x: "f64[n, d]"):
    out = empty((dim(x, 0), dim(x, 0)), "f64")
    for i in prange(dim(x, 0)):
        for j in range(dim(x, 0)):
            s = cast(0.0, "f64")
            for k in range(dim(x, 1)):
                t = x[i, k] - x[j, k]
                s = s + t * t
            out[i, j] = sqrt(s)
    return out
""", (reals(5, 3),), (reals(5, 0),), (reals(0, 3),))
program("game of life", """
def f(a: "bool[n, m]"):
    b = empty((dim(a, 0), dim(a, 1)), "bool")
    n = dim(a, 0)
    m = dim(a, 1)
    for i in range(n):
        for j in range(m):
            c = cast(0, "i64")
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di != 0 or dj != 0:
                        c = c + cast(a[(i + di) % n, (j + dj) % m], "i64")
            b[i, j] = logical_or(c == 3, logical_and(a[i, j], c == 2))
    return b
""", (ints(0, 2, 6, 7, dtype=bool),), (ints(0, 2, 1, 1, dtype=bool),), (np.ones((0, 3), bool),))
program("first maximum, with nan", """
def f(x: "f64[n]"):
    if dim(x, 0) == 0:
        raise ValueError("attempt to get argmax of an empty sequence")
    best = x[0]
    at = 0
    i = 1
    while i < dim(x, 0) and not isnan(best):
        if x[i] > best or isnan(x[i]):
            best = x[i]
            at = i
        i = i + 1
    return at, best
""", (np.array([1.0, 3.0, 3.0, 2.0]),), (np.array([1.0, NAN, 3.0]),), (np.array([]),))
program("running median of three", """
def f(x: "f64[n]"):
    out = empty(maximum(dim(x, 0) - 2, 0), "f64")
    for i in range(dim(out, 0)):
        a = x[i]
        b = x[i + 1]
        c = x[i + 2]
        out[i] = maximum(minimum(a, b), minimum(maximum(a, b), c))
    return out
""", (reals(9),), (reals(2),), (reals(0),))
program("softmax", """
def f(x: "f64[n, m]"):
    out = empty((dim(x, 0), dim(x, 1)), "f64")
    for i in range(dim(x, 0)):
        top = cast(-1e308, "f64")
        for j in range(dim(x, 1)):
            top = maximum(top, x[i, j])
        s = cast(0.0, "f64")
        for j in range(dim(x, 1)):
            e = exp(x[i, j] - top)
            out[i, j] = e
            s = s + e
        for j in range(dim(x, 1)):
            out[i, j] = out[i, j] / s
    return out
""", (reals(3, 4),), (reals(0, 4),), (reals(4, 0),))
program("wrap around", """
def f(n: "int"):
    a = empty(n, "i32")
    h = cast(17, "i32")
    for i in range(n):
        h = h * cast(1103515245, "i32") + cast(12345, "i32")
        a[i] = h
    return a
""", (20,),)
program("weak stores", """
def f(n: "int"):
    a = empty(n, "f32")
    b = empty(n, "i64")
    c = empty(n, "bool")
    for i in range(n):
        a[i] = 0.1
        b[i] = i
        c[i] = i > 1
    return a, b, c
""", (4,),)
program("long chains of temporaries", """
def f(x: "f64[n]"):
    a = empty(dim(x, 0), "f64")
    for i in range(dim(x, 0)):
        a[i] = x[i] + 1.0
    b = empty(dim(a, 0), "f64")
    for i in range(dim(a, 0)):
        b[i] = a[i] * a[i]
    del a
    c = empty(dim(b, 0), "f64")
    for i in range(dim(b, 0)):
        c[i] = b[i] - x[i]
    del b
    return c
""", (reals(6),))

# --- products --------------------------------------------------------------------------------------------------------

program("matrix product", """
def f(a: "any f64[n, k]", b: "any f64[k, m]"):
    c = empty((dim(a, 0), dim(b, 1)), "f64")
    gemm(c, a, b)
    return c
""", (reals(3, 4), reals(4, 5)), (reals(0, 4), reals(4, 5)), (reals(3, 0), reals(0, 5)), (reals(3, 4), reals(4, 0)),
        (reals(4, 3).T, reals(5, 4).T), (reals(6, 8)[::2, ::2], reals(4, 5)[::-1]), (reals(1, 4), reals(4, 1)),
        (reals(4, 1), reals(1, 4)), (np.broadcast_to(reals(1, 4), (3, 4)), reals(4, 2)))
program("product of views", """
def f(a: "f64[n, n]"):
    t = transpose(a, (1, 0))
    c = empty((dim(a, 0), dim(a, 0)), "f64")
    gemm(c, t, a)
    v = a[0]
    w = a[:, 0]
    y = empty(dim(a, 0), "f64")
    gemv(y, t, w)
    s = dot(v, w)
    return c, y, s
""", (reals(4, 4),), (reals(1, 1),))
program("product into a view", """
def f(a: "f64[n, n]"):
    big = empty((2 * dim(a, 0), 2 * dim(a, 0)), "f64")
    for i in range(dim(big, 0)):
        for j in range(dim(big, 1)):
            big[i, j] = 1.0
    part = big[::2, ::2]
    gemm(part, a, a)
    row = big[:dim(a, 0), 1]
    v = a[:, 0]
    gemv(row, a, v)
    return big
""", (reals(3, 3),), (reals(1, 1),))
program("product of ints", """
def f(a: "i64[n, k]", b: "i64[k, m]", x: "i64[k]"):
    c = empty((dim(a, 0), dim(b, 1)), "i64")
    gemm(c, a, b)
    y = empty(dim(a, 0), "i64")
    gemv(y, a, x)
    s = dot(x, x)
    return c, y, s
""", (ints(-9, 9, 3, 4), ints(-9, 9, 4, 5), ints(-9, 9, 4)), (ints(-9, 9, 3, 0), ints(-9, 9, 0, 5), ints(-9, 9, 0)))
program("product of singles", """
def f(a: "f32[n, k]", x: "any f32[k]"):
    y = empty(dim(a, 0), "f32")
    gemv(y, a, x)
    s = dot(x, x)
    return y, s
""", (reals(3, 4).astype("f4"), reals(4).astype("f4")), (reals(3, 4).astype("f4"), reals(8).astype("f4")[::-2]),
        (reals(3, 0).astype("f4"), reals(0).astype("f4")))
program("power iteration", """
def f(a: "f64[n, n]", steps: "int"):
    x = empty(dim(a, 0), "f64")
    for i in range(dim(a, 0)):
        x[i] = 1.0
    norm = cast(0.0, "f64")
    for t in range(steps):
        y = empty(dim(a, 0), "f64")
        gemv(y, a, x)
        d = dot(y, y)
        norm = sqrt(d)
        for i in range(dim(y, 0)):
            y[i] = y[i] / norm
        x = y
    return norm, x
""", (np.diag([3.0, 1.0, 2.0]) + 0.1, 30), (np.eye(2), 0))

# --- lists -----------------------------------------------------------------------------------------------------------

program("a list of numbers", """
def f(n: "int"):
    xs: "[float]" = []
    for i in range(n):
        xs.append(i * 0.5)
    s = 0.0
    for i in range(len(xs)):
        s = s + xs[i]
    return xs, s, len(xs)
""", (0,), (1,), (20,))
program("last in, first out", """
def f(n: "int"):
    xs: "[int]" = []
    for i in range(n):
        xs.append(i)
        if i % 3 == 2:
            k = xs.pop()
            xs[0] = xs[-1] + k
    s = 0
    while len(xs) > 0:
        k = xs.pop()
        s = s * 2 + k
    return s, xs
""", (10,), (2,), (0,))
program("pop from an empty list", """
def f(n: "int"):
    xs: "[i64]" = []
    for i in range(n):
        xs.append(cast(i, "i64"))
    a = xs.pop()
    b = xs.pop()
    return a, b
""", (2,), (1,), (0,))
program("an index out of a list", """
def f(n: "int", k: "int"):
    xs: "[bool]" = []
    for i in range(n):
        xs.append(i > 1)
    xs[k] = True
    return xs[k - 1], xs
""", (3, 2), (3, -3), (3, 3), (3, -4), (0, 0), (3, -2))
program("a list of arrays", """
def f(x: "f64[n]", k: "int"):
    xs: "[f64[m]]" = []
    for t in range(k):
        a = empty(t + 1, "f64")
        for i in range(t + 1):
            a[i] = t * 10 + i
        xs.append(a)
    xs.append(x)
    s = cast(0.0, "f64")
    for t in range(len(xs)):
        a = xs[t]
        for i in range(dim(a, 0)):
            s = s + a[i]
    b = xs.pop()
    return xs, s, b
""", (reals(3), 0), (reals(3), 4), (reals(0), 12))
program("arrays stored in a list", """
def f(n: "int"):
    xs: "[any f64[m]]" = []
    for t in range(n):
        a = empty(3, "f64")
        for i in range(3):
            a[i] = t + i
        v = a[::-1]
        xs.append(v)
    b = empty(2, "f64")
    b[0] = 1.0
    b[1] = 2.0
    xs[0] = b
    b[0] = 5.0
    c = xs[-1]
    return xs, c
""", (3,), (1,), (0,))
program("a tape", """
def f(x: "float", n: "int"):
    saved: "[float]" = []
    y = x
    for i in range(n):
        saved.append(y)
        y = math.sin(y) * 1.5
    y_bar = 1.0
    while len(saved) > 0:
        t = saved.pop()
        y_bar = y_bar * 1.5 * math.cos(t)
    return y, y_bar
""", (0.3, 5), (0.3, 0), (1.0, 100))
program("list arguments", """
def f(xs: "[float]", ys: "[f64[m]]", ks: "[i64]"):
    s = 0.0
    for i in range(len(xs)):
        s = s + xs[i]
    t = cast(0.0, "f64")
    for i in range(len(ys)):
        y = ys[i]
        for j in range(dim(y, 0)):
            t = t + y[j]
    return s, t, ks, ys
""", ([1.0, 2.5], [reals(3), reals(1)], [np.int64(4)]), ([], [], []))
program("aliases of lists", """
def f(n: "int"):
    xs: "[int]" = []
    ys = xs
    for i in range(n):
        ys.append(i)
    zs: "[int]" = []
    if n > 2:
        zs = xs
    zs.append(100)
    return xs, ys, zs
""", (1,), (4,))

# --- functions -------------------------------------------------------------------------------------------------------

program("fibonacci", """
def f(n: "int") -> "int":
    r: "int" = n
    if n > 1:
        a = f(n - 1)
        b = f(n - 2)
        r = a + b
    return r
""", (0,), (1,), (15,))
program("ackermann", """
def f(m: "int", n: "int") -> "int":
    if m == 0:
        r = n + 1
    else:
        if n == 0:
            r = f(m - 1, 1)
        else:
            k = f(m, n - 1)
            r = f(m - 1, k)
    return r
""", (2, 3), (0, 0), (1, 5))
program("mutual recursion", """
def even(n: "int") -> "bool":
    r: "bool" = True
    if n > 0:
        r = odd(n - 1)
    return r

def odd(n: "int") -> "bool":
    r: "bool" = False
    if n > 0:
        r = even(n - 1)
    return r

def main(n: "int"):
    a = even(n)
    b = odd(n)
    return a, b
""", (10,), (7,), (0,))
program("arrays through functions", """
def scaled(x: "f64[n]", k: "float") -> ("f64[n]", "f64"):
    y = empty(dim(x, 0), "f64")
    s = cast(0.0, "f64")
    for i in range(dim(x, 0)):
        y[i] = x[i] * k
        s = s + y[i]
    return y, s

def main(x: "f64[n]"):
    a, s = scaled(x, 2.0)
    b, t = scaled(a, 3.0)
    b, u = scaled(b, 0.5)
    return a, b, s, t, u
""", (reals(4),), (reals(0),))
program("a function gives its argument back", """
def same(x: "f64[n]") -> "f64[n]":
    return x

def main(x: "f64[n]", k: "int"):
    a = same(x)
    b = empty(3, "f64")
    for i in range(3):
        b[i] = i
    c = same(b)
    d = same(c)
    d[0] = 9.0
    return a, b, c, d
""", (reals(4), 1))
program("recursive sums of halves", """
def total(x: "f64[n]") -> "f64":
    s = cast(0.0, "f64")
    if dim(x, 0) == 1:
        s = x[0]
    if dim(x, 0) > 1:
        half = dim(x, 0) // 2
        left = x[:half]
        right = x[half:]
        a = total(left)
        b = total(right)
        s = a + b
    return s

def main(x: "f64[n]"):
    s = total(x)
    return s
""", (reals(13),), (reals(1),), (reals(0),))
program("errors in functions", """
def inverse(x: "f64[n]", k: "int") -> "float":
    y = empty(10, "f64")
    y[0] = x[k]
    if k == 1:
        raise ValueError("one is not allowed")
    r = 1.0 / k
    return r

def main(x: "f64[n]", k: "int"):
    y = empty(5, "f64")
    y[0] = 1.0
    r = inverse(x, k)
    return r
""", (reals(4), 2), (reals(4), 0), (reals(4), 1), (reals(4), 4))
program("a function keeps its argument in a list", """
def put(xs: "[f64[m]]", a: "f64[m]") -> "int":
    xs.append(a)
    return len(xs)

def main(n: "int"):
    xs: "[f64[m]]" = []
    a = empty(3, "f64")
    for i in range(3):
        a[i] = i
    k = put(xs, a)
    b = xs[0]
    s = cast(0.0, "f64")
    for t in range(n):
        b[0] = t * 2.0
        s = s + a[0]
        a[1] = s
        s = s + b[1]
    return s, k, a
""", (4,))
program("a list through functions", """
def fill(xs: "[float]", n: "int") -> "int":
    if n > 0:
        xs.append(n * 1.5)
        k = fill(xs, n - 1)
    return len(xs)

def main(n: "int"):
    xs: "[float]" = []
    k = fill(xs, n)
    return xs, k
""", (0,), (5,))

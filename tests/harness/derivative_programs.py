"""Typed programs whose derivatives are checked against central differences: `PROGRAMS[name] = (text, arguments)`.

Arguments are made by `make(rng)`.  Every floating parameter is differentiated; the first result is the scalar.
"""

import numpy as np

PROGRAMS: dict = {}


def program(name, text, make, step=1e-6):
    """`step` is that of the central differences."""
    PROGRAMS[name] = (text, make, step)


def vector(rng, n=5):
    return rng.uniform(0.5, 1.5, n)


def matrix(rng, n=4, m=3):
    return rng.uniform(0.5, 1.5, (n, m))


def number(rng):
    return float(rng.uniform(0.5, 1.5))


# --- straight lines ------------------------------------------------------------------------------------------------

program("a product of functions", """
def f(x: "float", y: "float"):
    a = math_sin(x) * y
    b = math_exp(a) + x / y
    return b * b
""", lambda r: (number(r), number(r)))

program("a name used many times", """
def f(x: "float"):
    y = x * x
    z = y * x + y / x - x
    return z * y + x ** 3.0
""", lambda r: (number(r),))

program("an unused parameter", """
def f(x: "float", y: "float"):
    return math_cos(x)
""", lambda r: (number(r), number(r)))

program("a constant result", """
def f(x: "float", v: "f64[n]"):
    y = x * 2.0
    return 3.0
""", lambda r: (number(r), vector(r)))

program("the parameter itself", """
def f(x: "float", y: "f64"):
    return x
""", lambda r: (number(r), np.float64(2.0)))

program("locally constant operators", """
def f(x: "f64", y: "f64"):
    k = floor(x * 3.0) + sign(y)
    return k * x + ceil(y)
""", lambda r: (np.float64(number(r)), np.float64(number(r))))

program("logistic loss", """
def f(w: "f64[m]", b: "float", features: "f64[n, m]", labels: "f64[n]"):
    z = matmul(features, w) + b
    losses = logaddexp(0.0, z) - labels * z
    n = dim(features, axis=0)
    return sum(losses) / n + 0.01 * sum(w ** 2)
""", lambda r: (vector(r, 3), number(r), matrix(r, 5, 3), vector(r, 5)))

program("broadcasting of every kind", """
def f(a: "f64[n, m]", b: "f64[m]", c: "f64[n, 1]", d: "f64[1, m]", e: "f64"):
    t = (a * b + c) * d - e
    u = c * d + b
    return sum(t * u) + sum(c + e) * sum(d)
""", lambda r: (
    matrix(r), vector(r, 3), r.uniform(0.5, 1.5, (4, 1)), r.uniform(0.5, 1.5, (1, 3)), np.float64(number(r)),
))

program("a constant cotangent through broadcasting", """
def f(a: "f64[n, m]", b: "f64[m]", c: "f64[n, 1]", d: "f64"):
    t = a + b
    u = t - c
    return sum(u + d)
""", lambda r: (matrix(r), vector(r, 3), r.uniform(0.5, 1.5, (4, 1)), np.float64(number(r))))

program("a product under a constant cotangent", """
def f(a: "f64[n, m]", b: "f64[m]", c: "f64"):
    return sum(a * b * c)
""", lambda r: (matrix(r), vector(r, 3), np.float64(number(r))))

program("reductions along axes", """
def f(a: "f64[n, m]"):
    r = sum(a, axis=0)
    s = sum(a * a, axis=1, keepdims=True)
    t = max(a, axis=1)
    u = prod(a, axis=0)
    return sum(r * u) + sum(a / s) + sum(t * t) + min(a)
""", lambda r: (matrix(r),))

program("softmax", """
def f(x: "f64[n]", w: "f64[n]"):
    e = exp(x - max(x))
    p = e / sum(e)
    return sum(p * w)
""", lambda r: (vector(r), vector(r)))

program("structure", """
def f(a: "f64[n, m]", v: "f64[m]"):
    t = transpose(a, axes=(1, 0))
    n = dim(a, axis=0)
    m = dim(a, axis=1)
    k = n * m
    flat = reshape(a, shape=(k,))
    w = broadcast_to(v, shape=(n, m))
    c = concatenate(v, flat, axis=0)
    return sum(t * t * 2.0) + sum(w * a) + sum(c * c * c)
""", lambda r: (matrix(r), vector(r, 3)))

program("matrix products", """
def f(a: "f64[n, m]", b: "f64[m, k]", v: "f64[k]"):
    c = matmul(a, b)
    d = matmul(c, v)
    return matmul(d, d) + sum(sin(c))
""", lambda r: (matrix(r, 4, 3), matrix(r, 3, 2), vector(r, 2)))

program("single precision beside double", """
def f(x: "f64[n]", y: "f64"):
    z = cast(x, dtype="f32") * 2.0
    w = cast(z, dtype="f64") * y
    return sum(w)
""", lambda r: (np.array([0.5, 1.25, 2.0]), np.float64(1.5)), step=2.0**-8)

program("choice and clipping", """
def f(x: "f64[n]", y: "f64[n]"):
    c = x > y
    z = where(c, x * y, sin(y))
    return sum(maximum(z, 0.7)) + sum(minimum(x, y)) + sum(absolute(x - 1.0))
""", lambda r: (vector(r, 7), vector(r, 7)))

# --- loads and stores in straight lines -------------------------------------------------------------------------------

program("elements and slices", """
def f(x: "f64[n]"):
    a = x[0] * x[-1]
    b = x[1:-1]
    c = x[::-1]
    d = x[2:]
    return a + sum(b * b) + sum(c * x) + sum(d)
""", lambda r: (vector(r, 6),))

program("rows, columns and new axes", """
def f(a: "f64[n, m]", v: "f64[n]"):
    r = a[1]
    c = a[:, 0]
    w = v[:, None] * a
    z = v[None, 1:]
    return sum(r * r) + sum(c * v) + sum(w * w) + sum(z * z * z)
""", lambda r: (matrix(r), vector(r, 4)))

program("integer arrays that repeat", """
def f(x: "f64[n]", idx: "i64[k]", a: "f64[n, m]"):
    y = x[idx]
    z = a[idx]
    w = a[idx, 1]
    return sum(y * y * y) + sum(z * z) + sum(w)
""", lambda r: (vector(r), np.array([1, 3, 3, 0, -1, 1]), matrix(r, 5, 3)))

program("masks", """
def f(x: "f64[n]", a: "f64[n, m]"):
    k = x > 0.9
    y = x[k]
    big = a > 1.0
    z = a[big]
    return sum(y * y) + sum(z * z * z)
""", lambda r: (vector(r, 8), matrix(r, 8, 3)))

program("stores", """
def f(x: "f64[n]", s: "float"):
    n = dim(x, axis=0)
    y = zeros(shape=(n,))
    y[0] = s * s
    y[1:] = x[1:] * x[:-1]
    y[2] = 5.0
    y[-1] = y[0] * y[1]
    return sum(y * x) + y[2] * s
""", lambda r: (vector(r, 6), number(r)))

program("a store over everything", """
def f(x: "f64[n]", s: "float"):
    y = copy(x)
    a = sum(y * y)
    y[:] = s
    b = sum(y * x)
    y[:] = x * s
    return a + b + sum(y * y * y)
""", lambda r: (vector(r, 6), number(r)))

program("a store of one row, of a scalar, of a broadcast row", """
def f(a: "f64[n, m]", v: "f64[m]", s: "float"):
    b = copy(a)
    b[0] = v * s
    b[1:3] = v
    b[:, 2] = s
    return sum(b * b * a)
""", lambda r: (matrix(r), vector(r, 3), number(r)))

program("stores through masks and integer arrays", """
def f(x: "f64[n]", v: "f64[k]", idx: "i64[k]", s: "float"):
    y = x * x
    small = x < 0.9
    y[small] = s
    z = copy(x)
    z[idx] = v * v
    add_at(y, (idx,), v)
    return sum(y * x) + sum(z * z * x)
""", lambda r: (vector(r, 6), vector(r, 4), np.array([0, 2, 2, 5]), number(r)))

program("augmented assignment", """
def f(x: "f64[n]", s: "float"):
    y = copy(x)
    y[1] += s
    y[1:] *= s
    y[0] *= y[1]
    return sum(y * y)
""", lambda r: (vector(r, 6), number(r)))

program("an array read before and after a store", """
def f(x: "f64[n]"):
    y = x * 2.0
    a = sum(y * y)
    y[0] = 1.0
    b = sum(y * y * y)
    return a * b
""", lambda r: (vector(r, 6),))

program("two names for a sum", """
def f(x: "f64[n]", z: "f64[n]"):
    y = x + z
    w = x[1] * z[2]
    return sum(y * y) * w + x[0]
""", lambda r: (vector(r, 6), vector(r, 6)))

# --- branches --------------------------------------------------------------------------------------------------------

program("a branch on a number", """
def f(x: "float", y: "float"):
    if x > y:
        z = x * x * y
        w = x
    else:
        z = math_sin(y) * x
        w = y * y
    return z * w
""", lambda r: (number(r), number(r)))

program("a branch without an else", """
def f(x: "float"):
    y = x * x
    if x > 1.0:
        y = y * x
    return y + x
""", lambda r: (number(r),))

program("nested branches", """
def f(x: "float", k: "int"):
    y = 1.0
    if k > 1:
        if k > 2:
            t = math_exp(x)
            y = t * t * x
        else:
            y = x * x
    else:
        y = math_sin(x) * y
    return y * y
""", lambda r: (number(r), int(r.integers(0, 5))))

program("arrays in branches", """
def f(x: "f64[n]", k: "int"):
    y = x * x
    if k > 1:
        z = matmul(x, x)
        y = y * z
    else:
        e = exp(x)
        y = e * x[0] * x
    return sum(y) + sum(y * x)
""", lambda r: (vector(r), int(r.integers(0, 4))))

program("stores in a branch", """
def f(x: "f64[n]", k: "int", s: "float"):
    y = x * s
    if k > 1:
        y[0] = s * s
        y[k] = y[0] * x[1]
    return sum(y * y)
""", lambda r: (vector(r), int(r.integers(0, 4)), number(r)))

program("a branch that raises", """
def f(x: "float"):
    if x < 0.0:
        raise ValueError("negative")
    else:
        y = math_sqrt(x)
    return y * x
""", lambda r: (number(r),))

program("values out of nothing in a branch", """
def f(x: "f64[n]", k: "int"):
    s = 0.0
    if k > 1:
        t = sum(x * x)
        u = math_sqrt(float(t))
        s = u * u * u
    return s * 2.0
""", lambda r: (vector(r), int(r.integers(0, 4))))

# --- counted loops ---------------------------------------------------------------------------------------------------

program("a power by multiplication", """
def f(x: "float", n: "int"):
    p = 1.0
    for i in range(n):
        p = p * x
    return p
""", lambda r: (number(r), int(r.integers(0, 6))))

program("horner", """
def f(x: "float", c: "f64[n]"):
    n = dim(c, axis=0)
    s = 0.0
    for i in range(n):
        s = s * x + float(c[i])
    return s
""", lambda r: (number(r), vector(r)))

program("a sum of squares by elements", """
def f(x: "f64[n]"):
    n = len(x)
    s: "f64" = 0.0
    for i in range(n):
        s = s + x[i] * x[i]
    return s
""", lambda r: (vector(r),))

program("backwards and in steps", """
def f(x: "f64[n]", k: "int"):
    n = len(x)
    s: "f64" = 1.0
    for i in range(n - 1, -1, -1):
        s = s * 0.5 + sin(s * x[i])
    for j in range(1, n, 2):
        s = s + x[j] * s
    for m in range(n - 1, 0, -3):
        s = sin(s) * x[m] + s
    for q in range(k, n, 2):
        s = cos(s * x[q])
    return s
""", lambda r: (vector(r, 8), int(r.integers(0, 5))))

program("a variable step", """
def f(x: "f64[n]", a: "int", b: "int", c: "int"):
    s: "f64" = 1.0
    for i in range(a, b, c):
        s = sin(s * x[i])
    return s
""", lambda r: (vector(r, 8), *[(0, 8, 3), (7, 0, -2), (3, 3, 1), (5, 2, 1)][int(r.integers(0, 4))]))

program("an empty loop", """
def f(x: "float"):
    s = x * x
    for i in range(3, 1, 1):
        s = math_sin(s)
    return s * x
""", lambda r: (number(r),))

program("cascade", """
def f(x: "f64[n]", k: "float"):
    n = dim(x, axis=0)
    y = zeros(shape=(n,))
    y[0] = x[0]
    for i in range(1, n):
        y[i] = tanh(k * y[i - 1]) + x[i]
    return y[n - 1]
""", lambda r: (vector(r, 6), number(r)))

program("heat", """
def f(u0: "f64[n, m]", steps: "int", alpha: "float"):
    u = copy(u0)
    for s in range(steps):
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + alpha * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        )
    return sum(u ** 2)
""", lambda r: (matrix(r, 5, 6), int(r.integers(0, 4)), 0.1))

program("nested loops", """
def f(a: "f64[n, m]", x: "f64[m]"):
    n = dim(a, axis=0)
    m = dim(a, axis=1)
    total: "f64" = 0.0
    for i in range(n):
        s: "f64" = 1.0
        for j in range(m):
            s = s * sin(a[i, j] * x[j]) + x[j]
        total = total + s * s
    return total
""", lambda r: (matrix(r), vector(r, 3)))

program("a triangular solve", """
def f(a: "f64[n, n]", b: "f64[n]"):
    n = dim(b, axis=0)
    y = zeros(shape=(n,))
    for i in range(n):
        s = b[i]
        for j in range(i):
            s = s - a[i, j] * y[j]
        y[i] = s / a[i, i]
    return sum(y * y)
""", lambda r: (np.tril(r.uniform(0.5, 1.5, (4, 4))) + np.eye(4), vector(r, 4)))

program("cholesky", """
def f(a: "f64[n, n]"):
    n = dim(a, axis=0)
    c = zeros(shape=(n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s = s - c[i, k] * c[j, k]
            if i == j:
                c[i, j] = sqrt(s)
            else:
                c[i, j] = s / c[j, j]
    total: "f64" = 0.0
    for m in range(n):
        total = total + log(c[m, m])
    return total + sum(c)
""", lambda r: ((lambda b: b @ b.T + 3.0 * np.eye(4))(r.uniform(-1, 1, (4, 4))),))

program("elimination in place", """
def f(a0: "f64[n, n]", b0: "f64[n]"):
    a = copy(a0)
    b = copy(b0)
    n = dim(b, axis=0)
    for k in range(n):
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] = a[i, j] - factor * a[k, j]
            b[i] = b[i] - factor * b[k]
    x = zeros(shape=(n,))
    for r in range(n - 1, -1, -1):
        s = b[r]
        for c in range(r + 1, n):
            s = s - a[r, c] * x[c]
        x[r] = s / a[r, r]
    return sum(x * x * x)
""", lambda r: (r.uniform(0.1, 1, (4, 4)) + 3 * np.eye(4), vector(r, 4)))

program("arrays carried by a loop", """
def f(x: "f64[n]", a: "f64[n, n]", k: "int"):
    v = x
    for i in range(k):
        w = matmul(a, v)
        v = w / sqrt(sum(w * w))
    return sum(v * x)
""", lambda r: (vector(r, 3), r.uniform(0.5, 1.5, (3, 3)), int(r.integers(0, 4))))

program("a recurrent state", """
def f(w: "f64[n, n]", h0: "f64[n]", k: "int"):
    h = h0
    for i in range(0, k):
        h = tanh(w @ h)
    return sum(h)
""", lambda r: (0.2 * matrix(r, 3, 3), vector(r, 3), int(r.integers(0, 5))))

for title, header in (
    ("from one", "range(1, k)"), ("from two", "range(2, k)"), ("from an end", "range(m, k)"),
    ("down to zero", "range(k, -1, -1)"), ("down to two", "range(k, 2, -1)"), ("by twos", "range(1, k, 2)"),
    ("by threes, downwards", "range(k, m, -3)"), ("three times", "range(0, 3)"), ("not once", "range(2, -4)"),
):  # fmt: skip
    program(f"a recurrent number {title}", f"""
def f(x: "float", m: "int", k: "int"):
    s = x
    total = 0.0
    for i in {header}:
        t = math_sin(s)
        total = total + t * s * s
        s = math_exp(t * x) * 0.5
        total = total + s * s * s
    return total + s
""", lambda r: (number(r), int(r.integers(-1, 2)), int(r.integers(-1, 7))))

program("recurrent states inside a loop", """
def f(w: "f64[n, n]", h0: "f64[n]", k: "int", m: "int"):
    h = h0
    total: "f64" = 0.0
    for i in range(1, k):
        g = h * 0.5
        c: "f64" = 1.0
        for j in range(m, 0, -1):
            g = tanh(w @ g * c)
            c = sin(c) + sum(g)
            total = total + sum(g * g) * c
        h = tanh(w @ g + h)
    return total * sum(h)
""", lambda r: (0.2 * matrix(r, 3, 3), vector(r, 3), int(r.integers(0, 4)), int(r.integers(0, 4))))

program("a state and the one before it", """
def f(w: "f64[n, n]", h0: "f64[n]", k: "int"):
    h = h0
    g = h0 * 0.3
    total: "f64" = 0.0
    for i in range(0, k):
        t = tanh(w @ h + sin(g))
        total = total + sum(t * g)
        g = h
        h = t
    return total + sum(h * g)
""", lambda r: (0.2 * matrix(r, 3, 3), vector(r, 3), int(r.integers(0, 5))))

program("a state chosen by a branch", """
def f(w: "f64[n, n]", h0: "f64[n]", k: "int"):
    h = h0
    total: "f64" = 0.0
    for i in range(0, k):
        s = sum(h * h)
        if s > 2.0:
            g = tanh(w @ h)
        else:
            g = h * h
        total = total + sum(g * h * g)
        h = g
    return total + sum(h)
""", lambda r: (0.2 * matrix(r, 3, 3), vector(r, 3), int(r.integers(0, 5))))

program("three states, each the one before", """
def f(x: "float", y: "float", k: "int"):
    a = x
    b = y
    c = x * y
    total = 0.0
    for i in range(1, k):
        t = math_sin(a) * b + c
        total = total + t * c * b * a
        a = b
        b = c
        c = t
    return total + a * b * c
""", lambda r: (number(r), number(r), int(r.integers(-1, 7))))

program("two states that change places", """
def f(x: "float", y: "float", k: "int"):
    a = x
    b = y
    total = 0.0
    for i in range(k):
        total = total + math_sin(a * total) * b
        t = a
        a = b
        b = t
    return total + a * b * b
""", lambda r: (number(r), number(r), int(r.integers(0, 5))))

program("rows that are added to", """
def f(x: "f64[n, m]", v: "f64[m]"):
    n = len(x)
    m = x.shape[1]
    y = zeros((n, m))
    for i in range(0, n):
        y[i] = y[i - 1] * 2.0
        y[i] += v
        y[i] += x[i]
    z = copy(y)
    z[0] += v
    z[1] = z[0] * v
    return sum(z * y)
""", lambda r: (matrix(r, 4, 3), vector(r, 3)))

program("a whole array that is added to", """
def f(x: "f64[n, m]", w: "f64[n]"):
    n = len(x)
    s = zeros((x.shape[1],))
    for i in range(0, n):
        s[:] = s + w[i] * x[i]
        t = x[i] * 0.5
        s[:] = s - t
        s[0] = s[0] * s[1]
        s[:] = t * w[i] + s
    s[:] = s - s
    s[:] = x[0] + s
    return sum(s * x[1])
""", lambda r: (matrix(r, 4, 3), vector(r, 4)))

program("elements stored once, in every way", """
def f(x: "f64[n]", k: "int", table: "i64[m]"):
    n = len(x)
    a = zeros((n,))
    b = ones((n,))
    c = zeros((n, n))
    d = zeros((n,))
    e = zeros((n,))
    total: "f64" = 0.0
    for i in range(n - 1, -1, -1):
        a[i] = x[i] * x[0] + b[i]
        b[i] = a[i] * x[i]
        g = zeros((2,))
        g[0] = a[i] * 2.0
        g[1] = g[0] * x[i]
        total = total + g[1] * g[0]
        c[i] = x * a[i]
        for j in range(0, k):
            d[i] = d[i] + x[j] * c[i, j]
            e[j] = x[i] * total
        c[0] = x * 0.5
    t = x > 1.0
    e[t] = 0.3
    e[table] = x[1]
    h = zeros((n,))
    h[table] = x[2] * x[table]
    return sum(a * b) + sum(c) + sum(d * e) + total + sum(h * x)
""", lambda r: (vector(r, 4), int(r.integers(0, 4)), np.array([0, 2, 2, -1])))

program("two names swapped by a loop", """
def f(x: "float", y: "float", k: "int"):
    a = x
    b = y
    for i in range(k):
        t = a
        a = b * t
        b = t + math_sin(b)
    return a * b
""", lambda r: (number(r), number(r), int(r.integers(0, 5))))

program("fibonacci of floats", """
def f(x: "float", k: "int"):
    a = x
    b = x * x
    for i in range(k):
        c = a + math_sin(b)
        a = b
        b = c
    return a * b
""", lambda r: (number(r), int(r.integers(0, 6))))

program("buffers swapped by a loop", """
def f(x: "f64[n]", k: "int", s: "float"):
    n = dim(x, axis=0)
    u = copy(x)
    v = zeros(shape=(n,))
    for i in range(k):
        v[:] = u * s
        v[1:-1] = sin(u[2:]) * u[:-2] + v[1:-1]
        t = u
        u = v
        v = t
    return sum(u * u)
""", lambda r: (vector(r, 6), int(r.integers(0, 4)), number(r)))

program("a branch in a loop", """
def f(x: "f64[n]", s: "float"):
    n = len(x)
    y = s
    for i in range(n):
        a = float(x[i])
        if a > y:
            y = y + math_sin(a) * y
        else:
            if a > 0.7:
                y = y * a
    return y
""", lambda r: (vector(r, 8), number(r)))

program("a loop in a branch", """
def f(x: "f64[n]", k: "int"):
    n = len(x)
    y: "f64" = 1.0
    if k > 1:
        z: "f64" = 2.0
        for i in range(1, n):
            z = sin(z * x[i])
        y = z * z
    else:
        y = x[0] * x[1]
    return y * y
""", lambda r: (vector(r, 5), int(r.integers(0, 4))))

program("values saved in branches of loops", """
def f(x: "f64[n]", a: "f64[n, n]", s: "float"):
    n = len(x)
    v = copy(x)
    for i in range(n):
        if x[i] > 1.0:
            w = matmul(a, v)
            v = sin(w) * s
        else:
            q = sum(v * v)
            v = v / q
    return sum(v * x)
""", lambda r: (vector(r, 4), r.uniform(0.1, 0.6, (4, 4)), number(r)))

program("an array made in each iteration", """
def f(x: "f64[n]", k: "int"):
    n = len(x)
    total: "f64" = 0.0
    for i in range(k):
        y = zeros(shape=(n,))
        y[0] = x[0]
        for j in range(1, n):
            y[j] = sin(y[j - 1]) * x[j] + total
        total = total + sum(y * y) / 10.0
    return total
""", lambda r: (vector(r, 4), int(r.integers(0, 4))))

program("whole arrays read while they grow", """
def f(x: "f64[n]", a: "f64[n, n]"):
    n = len(x)
    y = zeros(shape=(n,))
    for i in range(n):
        y[i] = sum(a[i] * y) + x[i] * sum(y * y)
    return sum(y * y)
""", lambda r: (vector(r, 4), r.uniform(0.1, 0.6, (4, 4))))

program("a slice that varies with the iteration", """
def f(x: "f64[n]"):
    n = len(x)
    total: "f64" = 0.0
    for i in range(1, n):
        part = x[:i]
        e = exp(part * total)
        q = e / sum(e)
        total = total + sum(q * part * part)
    return total
""", lambda r: (vector(r, 5),))

program("a masked update in a loop", """
def f(x: "f64[n]", k: "int"):
    y = copy(x)
    for i in range(k):
        m = y > 1.0
        z = y[m]
        e = z * z
        y[m] = sin(e) * z
        y = y * 1.1
    return sum(y * y)
""", lambda r: (vector(r, 7), int(r.integers(0, 4))))

program("a triangular loop with a carried value", """
def f(x: "f64[n]"):
    n = len(x)
    s: "f64" = 1.0
    for i in range(n):
        for j in range(i, n):
            s = sin(s * x[j]) + x[i] * s
    return s
""", lambda r: (vector(r, 4),))

program("prefix sums in place", """
def f(x: "f64[n]", s: "float"):
    n = len(x)
    y = copy(x)
    for i in range(1, n):
        y[i] = y[i] + y[i - 1] * y[i] * s
    return sum(y)
""", lambda r: (vector(r, 6), number(r)))

program("a recurrence two places back", """
def f(x: "f64[n]"):
    n = len(x)
    y = zeros(shape=(n,))
    y[0] = x[0]
    y[1] = x[1] * x[0]
    for i in range(2, n):
        y[i] = sin(y[i - 1]) * y[i - 2] + x[i]
    return y[-1] * y[2]
""", lambda r: (vector(r, 6),))

program("a window that moves", """
def f(x: "f64[n]", w: "f64[3]"):
    n = len(x)
    y = zeros(shape=(n,))
    for i in range(1, n - 1):
        y[i] = x[i - 1] * w[0] + x[i] * w[1] + x[i + 1] * w[2]
    z = y * y
    for j in range(n):
        z[j] = z[j] * x[j]
    return sum(z)
""", lambda r: (vector(r, 6), vector(r, 3)))

program("edit distance, softened", """
def f(a: "f64[n]", b: "f64[m]"):
    n = len(a)
    m = len(b)
    d = zeros(shape=(n + 1, m + 1))
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            c = (a[i - 1] - b[j - 1]) ** 2
            t = minimum(d[i - 1, j], d[i, j - 1])
            d[i, j] = c + minimum(t, d[i - 1, j - 1])
    return d[n, m]
""", lambda r: (vector(r, 4), vector(r, 5)))

program("euler steps of a pendulum", """
def f(theta: "float", omega: "float", dt: "float", k: "int"):
    a = theta
    b = omega
    for i in range(k):
        acceleration = -math_sin(a)
        b = b + dt * acceleration
        a = a + dt * b
    energy = 0.5 * b * b - math_cos(a)
    return energy
""", lambda r: (number(r), number(r), 0.1, int(r.integers(0, 8))))

program("a loop after a loop over the same name", """
def f(x: "float", k: "int"):
    s = x
    for i in range(k):
        s = s * s * 0.9
    u = s * x
    for j in range(k):
        s = math_sin(s) + u
    return s * u
""", lambda r: (number(r), int(r.integers(0, 4))))

program("a carried value read before its loop", """
def f(x: "float", k: "int"):
    s = x
    y = math_sin(s)
    for i in range(k):
        s = s * y
    return s * y * x
""", lambda r: (number(r), int(r.integers(0, 4))))

program("loop bounds that the loop changes", """
def f(x: "float"):
    n = 3
    s = x
    for i in range(n):
        s = math_sin(s) * 2.0
        n = n - 1
    return s * n
""", lambda r: (number(r),))

# --- while -----------------------------------------------------------------------------------------------------------

program("kepler", """
def f(mean_anomaly: "float", eccentricity: "float"):
    e = mean_anomaly
    delta = 1.0
    while absolute(delta) > 1e-13:
        delta = (e - eccentricity * math_sin(e) - mean_anomaly) / (1.0 - eccentricity * math_cos(e))
        e = e - delta
    return e
""", lambda r: (number(r), 0.3))

program("a linear while", """
def f(x: "float"):
    s = x
    k = 0
    while k < 5:
        s = 0.5 * s + x
        k = k + 1
    return s
""", lambda r: (number(r),))

program("a while that doubles", """
def f(x: "float"):
    s = x
    while s < 100.0:
        s = s * s + x + 1.0
    return s / 100.0
""", lambda r: (number(r),))

program("while in for", """
def f(x: "f64[n]"):
    n = len(x)
    total: "f64" = 0.0
    for i in range(n):
        g = x[i]
        k = 0
        while absolute(g * g - x[i]) > 1e-12 and k < 50:
            g = 0.5 * (g + x[i] / g)
            k = k + 1
        total = total + g * x[i]
    return total
""", lambda r: (vector(r, 4),))

program("for in while", """
def f(x: "f64[n]", s: "float"):
    n = len(x)
    y = s
    while y < 20.0:
        for i in range(n):
            y = y + math_sin(y) * 0.3 + float(x[i])
    return y
""", lambda r: (vector(r, 4), number(r)))

program("arrays in a while", """
def f(x: "f64[n]"):
    y = copy(x)
    r = sum(y * y)
    while r > 0.1:
        y = sin(y) * 0.8
        y[0] = y[0] * y[1]
        r = sum(y * y)
    return sum(y * x)
""", lambda r: (vector(r, 4),))

program("bisection", """
def f(a: "float"):
    low = 0.0
    high = 2.0
    while high - low > 1e-9:
        mid = 0.5 * (low + high)
        if mid * mid - 1.0 > 0.0:
            high = mid
        else:
            low = mid
    return 0.5 * (low + high) * a
""", lambda r: (number(r),))

program("a while in a branch", """
def f(x: "float", k: "int"):
    y = x
    if k > 1:
        while y < 10.0:
            y = y * y + 1.0
    else:
        y = y * x
    return y * x
""", lambda r: (number(r), int(r.integers(0, 4))))

program("a while in a while", """
def f(x: "float"):
    y = x
    k = 0
    while k < 3:
        z = y
        while z < 5.0:
            z = z * 1.7 + math_exp(y * 0.1)
        y = math_sin(z) + y
        k = k + 1
    return y * y
""", lambda r: (number(r),))

# --- lists -----------------------------------------------------------------------------------------------------------

program("a list that is summed", """
def f(x: "float", k: "int"):
    xs: "[float]" = []
    y = x
    for i in range(k):
        y = math_sin(y) + x
        xs.append(y * y)
    s = 0.0
    n = len(xs)
    for j in range(n):
        s = s + xs[j] * x
    return s
""", lambda r: (number(r), int(r.integers(0, 5))))

program("a list as a stack", """
def f(x: "float", k: "int"):
    xs: "[float]" = []
    y = x
    for i in range(k):
        y = math_sin(y) * 1.5
        xs.append(y)
    s = 1.0
    while len(xs) > 0:
        s = s * 0.5 + xs.pop() * s
    return s
""", lambda r: (number(r), int(r.integers(0, 5))))

program("a list of arrays, changed in place", """
def f(x: "f64[n]", k: "int"):
    xs: "[f64[n]]" = []
    xs.append(x)
    for i in range(k):
        last = xs[i]
        xs.append(sin(last) * x)
    xs[0] = x * 2.0
    first = xs[0]
    end = xs.pop()
    return sum(first * end)
""", lambda r: (vector(r, 3), int(r.integers(0, 4))))

program("a list inside a loop", """
def f(x: "float", k: "int"):
    total = 0.0
    for i in range(k):
        xs: "[float]" = []
        xs.append(x * total)
        xs.append(x)
        a = xs[0]
        total = total + a * xs[1] + x
    return total
""", lambda r: (number(r), int(r.integers(0, 5))))

# --- functions that call themselves -----------------------------------------------------------------------------------

program("a power by recursion", """
def f(x: "float", n: "int"):
    y = power_of(x, n)
    return y * x

def power_of(x: "float", n: "int") -> "float":
    if n == 0:
        y = 1.0
    else:
        half = n // 2
        h = power_of(x, half)
        y = h * h
        if n % 2 == 1:
            y = y * x
    return y
""", lambda r: (number(r), int(r.integers(0, 10))))

program("a linear recursion", """
def f(x: "float", n: "int"):
    y = total(x, n)
    return y

def total(x: "float", n: "int") -> "float":
    y = x
    if n > 0:
        rest = total(x, n - 1)
        y = rest * 0.5 + x
    return y
""", lambda r: (number(r), int(r.integers(0, 6))))

program("two recursive calls in a loop", """
def f(x: "float", y: "float", k: "int"):
    s = y
    for i in range(k):
        a = tree(s, x, i)
        s = math_sin(a) + s
    b = tree(x, s, 2)
    return s * b

def tree(x: "float", y: "float", n: "int") -> "float":
    if n < 1:
        z = x * y
    else:
        a = tree(math_sin(x), y, n - 1)
        b = tree(y, a, n - 2)
        z = a * b + x
    return z
""", lambda r: (number(r), number(r), int(r.integers(0, 4))))

program("mutual recursion", """
def f(x: "float", n: "int"):
    y = even(x, n)
    return y

def even(x: "float", n: "int") -> "float":
    y = x * x
    if n > 0:
        z = odd(y, x, n - 1)
        y = math_sin(z) * x
    return y

def odd(y: "float", x: "float", n: "int") -> "float":
    w = math_exp(y * 0.1)
    if n > 0:
        z = even(w, n - 1)
        w = z * y * x
    return w
""", lambda r: (number(r), int(r.integers(0, 7))))

program("recursion over an array", """
def f(x: "f64[n]"):
    n = len(x)
    y = product(x, 0, n)
    return y

def product(x: "f64[n]", low: "int", high: "int") -> "f64":
    if high - low == 1:
        y = x[low]
    else:
        middle = (low + high) // 2
        a = product(x, low, middle)
        b = product(x, middle, high)
        y = a * b + sin(a)
    return y
""", lambda r: (vector(r, 5),))

program("recursion with loops and two results", """
def f(x: "float", v: "f64[n]", k: "int"):
    a, b = g(x, v, k)
    return a * x + float(sum(b * v))

def g(x: "float", v: "f64[n]", k: "int") -> ("float", "f64[n]"):
    s = x
    w = v * 2.0
    for i in range(k):
        s = math_sin(s) + x
        w = sin(w) * s
    t = s
    while t < 3.0:
        t = t * t + 1.2
    if k > 0:
        p, q = g(t * 0.1, w, k - 1)
        s = s * p
        w = w + q * s
    return s * t, w
""", lambda r: (number(r), vector(r, 3), int(r.integers(0, 4))))

"""Templates of helper functions in the style of scientific code, by what they take and give.

    HELPERS["vector", "vector"]     smoothing, stencils, masks, fancy indices, recurrences, spectra, solves
    HELPERS["bytes", "vector"]      counts and rounding of narrow dtypes beside Python's numbers

`{name}` is the name of the function; `{c}` a float, `{f}` a function of elements, `{op}` an operator, each drawn anew
where it stands; `{k}` a small int, the same for a whole template.  ROUGH ones have jumps, or what a complex step does
not pass through.
"""

import re


def templates(text):
    """The functions of a text, each of which begins at the left."""
    return [part.strip() for part in re.split(r"\n(?=def )", text) if part.strip()]


HELPERS = {
    ("vector", "vector"): templates("""
def {name}(v):
    return {f}(v * {c}) {op} v[::-1]

def {name}(v):
    out = v.copy()
    for i in range(1, len(v)):
        out[i] = {c} * out[i - 1] {op} {f}(v[i])
    return out

def {name}(v):
    out = np.zeros_like(v)
    out[1:-1] = v[2:] - 2.0 * v[1:-1] + v[:-2]
    out[0], out[-1] = v[1 % len(v)] - v[0], v[-2 % len(v)] - v[-1]
    return {c} * out

def {name}(v):
    padded = np.concatenate(([v[0]], v, [v[-1]]))
    return {c} * padded[:-2] + {c} * padded[1:-1] + {c} * padded[2:]

def {name}(v):
    weights = np.exp(-0.5 * (np.arange({k} + 1) / 1.5) ** 2)
    return np.convolve(v, weights / np.sum(weights), 'same')[: len(v)]

def {name}(v):
    order = (np.arange(len(v)) * {k} + 1) % len(v)
    return v[order] * {c} + np.roll(v, {k})

def {name}(v):
    return np.cumsum(v) / (1.0 + np.arange(len(v)))

def {name}(v):
    n = len(v)
    m = 3.0 * np.eye(n) + {c} * np.eye(n, k=1) - 0.5 * np.eye(n, k=-1)
    return np.linalg.solve(m, v)

def {name}(v):
    total = np.zeros(len(v))
    for k in range({k}):
        total += {f}(v * (k + 1)) / (k + 1.0)
    return total

def {name}(v):
    a, b = np.zeros_like(v), v
    for _ in range({k}):
        a, b = b, {c} * a + {f}(b)
    return a + b

def {name}(v):
    parts = []
    for i in range(len(v)):
        parts.append(v[i] * {c} + i)
    return np.array(parts)

def {name}(v):
    return np.outer(v, {f}(v))[0] + np.outer(v, v).sum(axis=1)

def {name}(v):
    table = np.stack([v, {f}(v), v * v])
    return table.mean(axis=0) + table[1] * table.T[:, 2]

def {name}(v, scale={c}, *, shift={c}):
    def moved(u):
        return u * scale + shift

    return moved(moved(v))
"""),
    ("vector", "number"): templates("""
def {name}(v):
    return np.sum({f}(v) * np.arange(1, len(v) + 1))

def {name}(v):
    mean, spread = 0.0, 0.0
    for i, value in enumerate(v):
        delta = value - mean
        mean += delta / (i + 1)
        spread += delta * (value - mean)
    return spread / len(v) + {c} * mean

def {name}(v):
    total = {c}
    for value in v[::-1]:
        total = total * {c} + value
    return total

def {name}(v):
    return np.sqrt(1.0 + v @ v) {op} {c}

def {name}(v):
    y = {c}
    for _ in range(4):
        y = y - 0.25 * (y * y * y + y - np.mean(v))
    return y

def {name}(v):
    def inner(k, u):
        return u if k == 0 else inner(k - 1, {f}(u) * {c})

    return inner({k}, np.sum(v))

def {name}(v):
    n = len(v)
    m = np.eye(n) * 2.0 + 0.1 * np.outer(v, v)
    return np.linalg.slogdet(m)[1] + np.trace(np.linalg.inv(m))

def {name}(v):
    z = v * np.exp(1j * {c} * np.arange(len(v)))
    return np.sum(z).real + (z[0] * z[-1].conjugate()).imag

def {name}(v):
    w = np.exp(v - np.mean(v))
    p = w / np.sum(w)
    return -np.sum(p * np.log(p))
"""),
    ("vector", "matrix"): templates("""
def {name}(v):
    return np.outer({f}(v), v) + {c}

def {name}(v):
    out = np.empty((len(v), {k}))
    for i in range(len(v)):
        for j in range({k}):
            out[i, j] = v[i] * (j + 1) {op} {c}
    return out

def {name}(v):
    return v[:, None] - {c} * v[None, :]
"""),
    ("matrix", "vector"): templates("""
def {name}(m):
    return m.sum(axis=1) {op} {c}

def {name}(m):
    out = np.zeros(m.shape[0])
    for i, row in enumerate(m):
        out[i] = {f}(row @ row)
    return out

def {name}(m):
    return np.einsum('ij,ij->i', m, {f}(m)) + m[:, 0] * m[:, -1]

def {name}(m):
    return np.array([np.prod(row[:2]) for row in m]) * {c}
"""),
}
ROUGH = {
    ("vector", "vector"): templates("""
def {name}(v):
    out = v.copy()
    out[v > {c}] *= {c}
    out[v < -{c}] = {c}
    return out

def {name}(v):
    return np.where(np.abs(v) > {c}, v, {c}) + np.clip(v, -{c}, {c})

def {name}(v):
    low = np.inf
    for value in v:
        if value < low:
            low = value
        elif value > {c}:
            break
    return v - low

def {name}(v):
    return np.sort(v)[np.argsort(np.argsort(v))] + np.maximum.accumulate(v)

def {name}(v):
    spectrum = np.fft.rfft(v)
    spectrum[{k} :] = 0
    return np.fft.irfft(spectrum, n=len(v))

def {name}(v):
    kept = v[np.isfinite(v) & (v >= {c})]
    return np.concatenate([kept, v])[: len(v)]

def {name}(v):
    out = np.zeros(len(v))
    np.add.at(out, np.arange(len(v)) // 2, v)
    return out

def {name}(v):
    return v.astype(np.float32) * {c} + np.round(v, 2)
"""),
    ("vector", "number"): templates("""
def {name}(v):
    if np.max(v) > {c} * 4:
        raise ValueError('too large')
    return float(np.max(v) - np.min(v))

def {name}(v):
    total, k = 0.0, 0
    while k < len(v) and total < {c} * 3:
        total += abs(v[k])
        k += 1
    return total * k

def {name}(v):
    return np.median(v) + np.quantile(v, 0.3) + np.argmax(v)

def {name}(v):
    counts = {}
    for value in v:
        key = int(value) % {k}
        counts[key] = counts.get(key, 0.0) + value
    return sum(counts.values()) + len(counts)

def {name}(v):
    roots = np.roots(np.array([1.0, {c}, v[0]]))
    return np.sum(np.abs(roots))

def {name}(v):
    w = np.linalg.eigvalsh(np.outer(v, v) + np.eye(len(v)))
    return w[-1] - w[0]
"""),
    ("bytes", "vector"): templates("""
def {name}(b):
    return b * {k} + b // 2 - (b >> 1)

def {name}(b):
    out = np.zeros(len(b), np.int16)
    for i in range(len(b)):
        out[i] = b[i] * 2 - {k}
    return out

def {name}(b):
    return np.cumsum(b) % 7 + (b ^ 3) * np.int16({k})

def {name}(b):
    last = b[0]
    for value in b:
        last = max(last, value)
    return b * 0.5 + last

def {name}(b):
    return np.where(b > 100, b, {k}) + b.astype(np.float32) / {k}

def {name}(b):
    return np.bincount(b % {k}, minlength={k})[b % {k}] * b.dtype.type(2)
"""),
}
RECORD = """@dataclass
class {name}:
    values: np.ndarray
    rate: float = {c}
    count: int = 0

    def step(self, v):
        self.values = self.values + self.rate * {f}(v)
        self.count += 1
        return self.values

    @property
    def mean(self):
        return np.sum(self.values) / max(self.count, 1)

    def energy(self, other):
        return 0.5 * self.values @ other {op} self.mean"""
# How a program uses a record, with the name of the class, of a vector and of what is bound.
USES_OF_RECORD = [
    "{out} = {record}(np.zeros(len({v})))\nfor _ in range({k}):\n    {out}.step({v})\n{result} = {out}.energy({v})",
    "{out} = {record}({v}, rate={c})\n{out}.step({out}.step({v}))\n{result} = {out}.values * {out}.mean",
    "{out} = [{record}({v} * j) for j in range(2)]\n{out}[1].step({v})\n{result} = {out}[0].values + {out}[1].values",
    "{out} = replace({record}({v}), count={k})\n{result} = {out}.step({v}) - {out}.mean",
]
# Derivatives and batches that the program takes itself.
TRANSFORMS = {
    "number": [
        "{result} = np.asarray(pellucid.grad({helper})({v}))",
        "{result} = np.asarray(pellucid.value_and_grad(lambda u: {helper}(u * {c}))({v})[1])",
        "{result} = np.asarray(pellucid.jvp({helper}, ({v},), (np.ones(len({v})),))[1] * {v})",
        "{result} = np.asarray(pellucid.vmap({helper})(np.stack([{v}, {v} * {c}]))[0] * {v})",
    ],
    "vector": [
        "{result} = np.asarray(pellucid.jvp({helper}, ({v},), ({v} * {c},))[1])",
        "{result} = np.asarray(pellucid.vmap({helper})(np.stack([{v}, {v} * {c}]))[1])",
        "{result} = np.asarray(pellucid.vjp({helper}, {v})[1](np.ones(len({v})))[0])",
        "{result} = np.asarray(pellucid.grad(lambda u: np.sum({helper}(u) ** 2))({v}))",
    ],
}
FUNCTIONS = ("np.sin", "np.cos", "np.tanh", "np.arctan", "np.exp", "np.square", "np.cosh", "np.expm1")
CONSTANTS = ("0.5", "0.25", "1.5", "-0.75", "0.125", "0.9", "1.25", "0.3")

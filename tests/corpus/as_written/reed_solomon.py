"""Reed-Solomon code over GF(256): systematic encoding, Berlekamp-Massey, Chien search, Forney, with erasures counted.

Blahut, "Theory and practice of error control codes"; generator 2, primitive polynomial 0x11d.
"""
import numpy as np

PRIMITIVE = 0x11D


class TooManyErrors(Exception):
    pass


class Field:
    """Logarithms and powers of the generator."""

    def __init__(self, primitive=PRIMITIVE):
        self.exp = [0] * 512
        self.log = [0] * 256
        x = 1
        for i in range(255):
            self.exp[i] = x
            self.log[x] = i
            x <<= 1
            if x & 0x100:
                x ^= primitive
        for i in range(255, 512):
            self.exp[i] = self.exp[i - 255]

    def mul(self, a, b):
        if a == 0 or b == 0:
            return 0
        return self.exp[self.log[a] + self.log[b]]

    def div(self, a, b):
        if b == 0:
            raise ZeroDivisionError("division by zero in GF(256)")
        return 0 if a == 0 else self.exp[(self.log[a] - self.log[b]) % 255]

    def pow(self, a, n):
        return self.exp[self.log[a] * n % 255]

    def inverse(self, a):
        return self.exp[255 - self.log[a]]


class Polynomial:
    """Coefficients from the highest power down."""

    def __init__(self, field, coefficients):
        self.field = field
        self.c = list(coefficients)

    def __len__(self):
        return len(self.c)

    def __mul__(self, other):
        out = [0] * (len(self) + len(other) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(other.c):
                out[i + j] ^= self.field.mul(a, b)
        return Polynomial(self.field, out)

    def __add__(self, other):
        n = max(len(self), len(other))
        out = [0] * n
        for i, a in enumerate(self.c):
            out[i + n - len(self)] = a
        for i, b in enumerate(other.c):
            out[i + n - len(other)] ^= b
        return Polynomial(self.field, out)

    def scaled(self, k):
        return Polynomial(self.field, [self.field.mul(a, k) for a in self.c])

    def shifted(self, k=1):
        return Polynomial(self.field, self.c + [0] * k)

    def at(self, x):
        y = self.c[0]
        for a in self.c[1:]:
            y = self.field.mul(y, x) ^ a
        return y


def generator(field, n_check):
    g = Polynomial(field, [1])
    for i in range(n_check):
        g = g * Polynomial(field, [1, field.pow(2, i)])
    return g


def encode(field, message, n_check):
    g = generator(field, n_check)
    out = list(message) + [0] * n_check
    for i in range(len(message)):
        lead = out[i]
        if lead != 0:
            for j in range(1, len(g)):
                out[i + j] ^= field.mul(g.c[j], lead)
    return list(message) + out[len(message):]


def syndromes(field, received, n_check):
    p = Polynomial(field, received)
    return [p.at(field.pow(2, i)) for i in range(n_check)]


def berlekamp_massey(field, synd):
    locator = Polynomial(field, [1])
    old = Polynomial(field, [1])
    for i in range(len(synd)):
        delta = synd[i]
        for j in range(1, len(locator)):
            delta ^= field.mul(locator.c[-(j + 1)], synd[i - j])
        old = old.shifted()
        if delta != 0:
            if len(old) > len(locator):
                locator, old = old.scaled(delta), locator.scaled(field.inverse(delta))
            locator = locator + old.scaled(delta)
    c = locator.c
    while c and c[0] == 0:
        del c[0]
    return c


def error_positions(field, locator, n):
    reverse = Polynomial(field, locator[::-1])
    positions = [n - 1 - i for i in range(n) if reverse.at(field.pow(2, i)) == 0]
    if len(positions) != len(locator) - 1:
        raise TooManyErrors(f"{len(locator) - 1} errors, {len(positions)} found")
    return positions


def magnitudes(field, synd, positions, n):
    """Solve the Vandermonde system by elimination in the field."""
    k = len(positions)
    rows = [[field.pow(2, (n - 1 - p) * i) for p in positions] + [synd[i]] for i in range(k)]
    for col in range(k):
        pivot = next(r for r in range(col, k) if rows[r][col] != 0)
        rows[col], rows[pivot] = rows[pivot], rows[col]
        inv = field.inverse(rows[col][col])
        rows[col] = [field.mul(a, inv) for a in rows[col]]
        for r in range(k):
            if r != col and rows[r][col]:
                factor = rows[r][col]
                rows[r] = [a ^ field.mul(factor, b) for a, b in zip(rows[r], rows[col])]
    return [row[-1] for row in rows]


def transmit(message, noise, n_check=6):
    """The code word, the repaired word, where it was wrong, and the share of flipped bits."""
    if any(not 0 <= m < 256 for m in message):
        raise ValueError("bytes only")
    field = Field()
    word = encode(field, message, n_check)
    received = [w ^ e for w, e in zip(word, noise)]
    synd = syndromes(field, received, n_check)
    repaired, positions = received[:], []
    if any(synd):
        locator = berlekamp_massey(field, synd)
        positions = error_positions(field, locator, len(received))
        for p, e in zip(positions, magnitudes(field, synd, positions, len(received))):
            repaired[p] ^= e
    flipped = sum(bin(e).count("1") for e in noise)
    return np.array(word), np.array(repaired), sorted(positions), repaired == word, flipped / (8 * len(word))


ENTRY = "transmit"


def make_arguments(rng, n):
    noise = [0] * (n + 8)
    for p in rng.choice(n + 8, size=2, replace=False):
        noise[p] = int(rng.integers(1, 256))
    return [int(m) for m in rng.integers(0, 256, size=n + 2)], noise


GRADIENT = ()
ERRORS = [(lambda rng, n: ([1, 300], [0] * 8), ValueError)]

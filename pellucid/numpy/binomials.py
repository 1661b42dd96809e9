"""Binomial numbers of NumPy's generator: by adding up terms, or by rejection where many successes are expected.

    rejected_count(rng, 200, 0.4)    ->    a triangle, parallelogram and two exponential tails above the distribution

Source: V. Kachitvichyanukul and B. Schmeiser, Binomial random variate generation (1988).
"""

import numpy as np


def searched_count(rng, n, p):
    q = 1.0 - p
    first, middle = np.exp(n * np.log1p(-p)), n * p
    most = int(min(1.0 * n, middle + 10.0 * np.sqrt(middle * q + 1.0)))
    count, part, u = 0, first, rng.next_float()
    while u > part:
        count += 1
        if count > most:
            count, part, u = 0, first, rng.next_float()
        else:
            u -= part
            part = (n - count + 1) * p * part / (count * q)
    return count


def rejected_count(rng, n, r):
    q = 1.0 - r
    mean = n * r + r
    m = int(np.floor(mean))
    p1 = np.floor(2.195 * np.sqrt(n * r * q) - 4.6 * q) + 0.5
    middle = m + 0.5
    low, high = middle - p1, middle + p1
    c = 0.134 + 20.5 / (15.3 + m)
    a = (mean - low) / (mean - low * r)
    left = a * (1.0 + a / 2.0)
    a = (high - mean) / (high * q)
    right = a * (1.0 + a / 2.0)
    p2 = p1 * (1.0 + 2.0 * c)
    p3 = p2 + c / left
    p4 = p3 + c / right
    while True:
        u, v = rng.next_float() * p4, rng.next_float()
        if u <= p1:
            return int(np.floor(middle - p1 * v + u))
        y, is_good = 0, True
        if u <= p2:
            x = low + (u - p1) / c
            v = v * c + 1.0 - abs(m - x + 0.5) / p1
            y, is_good = int(np.floor(x)), v <= 1.0
        elif u <= p3:
            is_good = v > 0.0
            if is_good:
                y = int(np.floor(low + np.log(v) / left))
                v = v * (u - p2) * left
                is_good = y >= 0
        else:
            is_good = v > 0.0
            if is_good:
                y = int(np.floor(high - np.log(v) / right))
                v = v * (u - p3) * right
                is_good = y <= n
        if is_good and is_under(v, y, m, n, r, q, middle):
            return y


def is_under(v, y, m, n, r, q, middle):
    """Whether a height is below the mass of y out of that of m."""
    k, spread = abs(y - m), n * r * q
    if k <= 20 or k >= spread / 2.0 - 1.0:
        s = r / q
        a, ratio = s * (n + 1), 1.0
        if m < y:
            for i in range(m + 1, y + 1):
                ratio *= a / i - s
        elif m > y:
            for i in range(y + 1, m + 1):
                ratio /= a / i - s
        return v <= ratio
    rho = k / spread * ((k * (k / 3.0 + 0.625) + 0.16666666666666666) / spread + 0.5)
    t, height = -k * k / (2.0 * spread), np.log(v)
    if height < t - rho:
        return True
    if height > t + rho:
        return False
    x, f, z, w = y + 1.0, m + 1.0, n + 1.0 - m, n - y + 1.0
    whole = middle * np.log(f / x) + (n - m + 0.5) * np.log(z / w) + (y - m) * np.log(w * r / (x * q))
    return height <= whole + rest(f) + rest(z) + rest(x) + rest(w)


def rest(x):
    """What Stirling's formula lacks."""
    square = x * x
    return (13680.0 - (462.0 - (132.0 - (99.0 - 140.0 / square) / square) / square) / square) / x / 166320.0

"""What lies between the ends of steps: a polynomial for each of them.

    sol = solve_ivp(f, (0.0, 5.0), y0, dense_output=True)
    sol.sol(2.5)     ->     k = the step that 2.5 lies in;  y_k + h_k x (p_k0 + x (p_k1 + ...)),  x = (2.5 - t_k) / h_k
"""

import dataclasses

import numpy as np

RUNGE_KUTTA_POWERS = 4


def between(method, t, h, y, polynomial, when):
    """The state at a time between the ends of a step."""
    x = (when - t) / h
    count = len(polynomial)
    if method == "DOP853":
        value = np.zeros_like(y)
        for k in range(count):
            value = (value + polynomial[count - 1 - k]) * (x if k % 2 == 0 else 1.0 - x)
        return y + value
    if method == "BDF":
        return by_differences(polynomial, t + h, when)
    if method == "LSODA":
        if polynomial[0, 0] > 0.0:
            return by_differences(polynomial[1:], t + h, when)
        return y + h * by_powers(polynomial[1 : RUNGE_KUTTA_POWERS + 1], x)
    return y + by_powers(polynomial, x) * (1.0 if method == "Radau" else h)


def by_powers(polynomial, x):
    count = len(polynomial)
    value = polynomial[count - 1] * x
    for k in range(1, count):
        value = (value + polynomial[count - 1 - k]) * x
    return value


def by_differences(polynomial, end, when):
    """Of backward differences at the end of a step, in whose last row is the size of the steps."""
    count = len(polynomial)
    size = polynomial[count - 1, 0]
    value, product = polynomial[0], 1.0
    for k in range(count - 2):
        product = product * (when - (end - size * k)) / (size * (1.0 + k))
        value = value + product * polynomial[k + 1]
    return value


@dataclasses.dataclass(frozen=True)
class Solution:
    """A function of time: `ts` are the ends of the steps, `sizes` their lengths before an event cut the last one."""

    method: str
    ts: np.ndarray
    sizes: np.ndarray
    states: np.ndarray
    polynomials: np.ndarray

    @property
    def t_min(self):
        return min(self.ts[0], self.ts[-1])

    @property
    def t_max(self):
        return max(self.ts[0], self.ts[-1])

    @property
    def n_segments(self):
        return len(self.sizes)

    def __call__(self, t):
        """The state at a time, of shape (n,), or at times, of shape (n, m)."""
        if np.ndim(t) == 0:
            return self.at(t)
        times = np.asarray(t)
        found = np.empty((len(times), self.states.shape[1]))
        for k in range(len(times)):
            found[k] = self.at(times[k])
        return found.T

    def at(self, t):
        sign = 1.0 if self.ts[-1] >= self.ts[0] else -1.0
        k = np.searchsorted(sign * self.ts, sign * t) - 1
        k = max(0, min(k, len(self.sizes) - 1))
        return between(self.method, self.ts[k], self.sizes[k], self.states[k], self.polynomials[k], t)

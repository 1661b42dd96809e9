"""Root finding, quadrature, interpolation and steppers for ordinary differential equations."""

import math

import numpy as np


def newton_square_root(a):
    """Newton's iteration for the square root, until the step is small."""
    guess = 0.5 * (1.0 + a)
    step = 1.0
    while abs(step) > 1e-12:
        step = 0.5 * (guess - a / guess)
        guess = guess - step
    return guess


def bisect_cubic(a, b):
    """The root of x**3 + a x - b between 0 and 2, by halving the bracket."""
    low, high = 0.0, 2.0
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        if middle**3 + a * middle - b > 0.0:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def secant_lambert(a, tolerance=1e-9):
    """Lambert's W: the root of x exp(x) = a by the secant method."""
    before, now = 0.0, 0.5
    value_before, value = -a, now * math.exp(now) - a
    for _ in range(50):
        if abs(value) < tolerance:
            break
        before, now = now, now - value * (now - before) / (value - value_before)
        value_before, value = value, now * math.exp(now) - a
    return now


def solve_kepler(theta, alpha):
    """Eccentric anomaly for mean anomaly `theta` and eccentricity `alpha`."""
    anomaly = theta + alpha * math.sin(theta)
    for _ in range(30):
        residual = anomaly - alpha * math.sin(anomaly) - theta
        anomaly -= residual / (1.0 - alpha * math.cos(anomaly))
        if abs(residual) < 1e-13:
            break
    return anomaly


def fixed_point_cosine(alpha):
    """The x with x = cos(alpha x), by iteration."""
    x = 1.0
    following = math.cos(alpha * x)
    while abs(following - x) > 1e-13:
        x = following
        following = math.cos(alpha * x)
    return following


def trapezoid(t, y):
    """Integral of samples at uneven positions."""
    return np.sum(0.5 * (t[1:] - t[:-1]) * (y[1:] + y[:-1]))


def _simpson(function, low, high, n_intervals):
    """Composite Simpson rule with an even number of intervals."""
    h = (high - low) / n_intervals
    total = function(low) + function(high)
    for i in range(1, n_intervals):
        total += (4.0 if i % 2 == 1 else 2.0) * function(low + i * h)
    return total * h / 3.0


def simpson_gaussian(a, sigma, n_steps):
    """Integral of a bell curve from 0 to a."""
    return _simpson(lambda x: math.exp(-0.5 * (x / sigma) ** 2), 0.0, a, 2 * n_steps)


def gauss_legendre(a, b):
    """Three-point Gauss rule for sqrt(x) exp(-x) from a to a + b."""
    nodes = (-0.7745966692414834, 0.0, 0.7745966692414834)
    weights = (5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0)
    total = 0.0
    for node, weight in zip(nodes, weights):
        x = a + 0.5 * b * (1.0 + node)
        total += weight * math.sqrt(x) * math.exp(-x)
    return 0.5 * b * total


def romberg(a, b, n_steps):
    """Integral of 1 / (1 + b x**2) from 0 to a by Romberg extrapolation."""
    table = np.zeros((n_steps, n_steps))
    table[0, 0] = 0.5 * a * (1.0 + 1.0 / (1.0 + b * a * a))
    for i in range(1, n_steps):
        h = a / 2**i
        fresh = 0.0
        for j in range(1, 2**i, 2):
            fresh += 1.0 / (1.0 + b * (j * h) ** 2)
        table[i, 0] = 0.5 * table[i - 1, 0] + h * fresh
        for j in range(1, i + 1):
            table[i, j] = table[i, j - 1] + (table[i, j - 1] - table[i - 1, j - 1]) / (4.0**j - 1.0)
    return table[n_steps - 1, n_steps - 1]


def lagrange_interpolation(t, y, a):
    """Value at `a` of the polynomial through the points (t, y)."""
    total = 0.0
    for i in range(len(t)):
        basis = 1.0
        for j in range(len(t)):
            if j == i:
                continue
            basis *= (a - t[j]) / (t[i] - t[j])
        total += y[i] * basis
    return total


def divided_differences(t, y, a):
    """The same polynomial in Newton's form, its coefficients computed in place."""
    n = len(t)
    coefficients = y.copy()
    for order in range(1, n):
        for i in range(n - 1, order - 1, -1):
            coefficients[i] = (coefficients[i] - coefficients[i - 1]) / (t[i] - t[i - order])
    value = coefficients[n - 1]
    for i in range(n - 2, -1, -1):
        value = value * (a - t[i]) + coefficients[i]
    return value


def natural_cubic_spline(t, y, a):
    """Value at `a` of the natural cubic spline through the points (t, y)."""
    n = len(t)
    h = t[1:] - t[:-1]
    slope = (y[1:] - y[:-1]) / h
    upper, right, bend = np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(1, n - 1):
        pivot = 2.0 * (h[i - 1] + h[i]) - h[i - 1] * upper[i - 1]
        upper[i] = h[i] / pivot
        right[i] = (6.0 * (slope[i] - slope[i - 1]) - h[i - 1] * right[i - 1]) / pivot
    for i in range(n - 2, 0, -1):
        bend[i] = right[i] - upper[i] * bend[i + 1]
    i = 0
    while i < n - 2 and t[i + 1] < a:
        i += 1
    ahead, behind = t[i + 1] - a, a - t[i]
    curved = (bend[i] * ahead**3 + bend[i + 1] * behind**3) / (6.0 * h[i])
    left, right_part = y[i] / h[i] - bend[i] * h[i] / 6.0, y[i + 1] / h[i] - bend[i + 1] * h[i] / 6.0
    return curved + left * ahead + right_part * behind


def linear_interpolation(t, y, p):
    """Piecewise linear interpolation of (t, y) at the positions p, constant outside."""
    out = np.empty(len(p))
    for k in range(len(p)):
        if p[k] <= t[0]:
            out[k] = y[0]
        elif p[k] >= t[-1]:
            out[k] = y[-1]
        else:
            i = 0
            while t[i + 1] < p[k]:
                i += 1
            fraction = (p[k] - t[i]) / (t[i + 1] - t[i])
            out[k] = (1.0 - fraction) * y[i] + fraction * y[i + 1]
    return out


def euler_pendulum(theta, b, dt, n_steps):
    """Angle and speed of a pendulum after some semi-implicit Euler steps."""
    angle, speed = theta, b
    for _ in range(n_steps):
        speed = speed - dt * 9.81 * math.sin(angle)
        angle = angle + dt * speed
    return angle, speed


def _runge_kutta_step(slope, time, state, h):
    first = slope(time, state)
    second = slope(time + 0.5 * h, state + 0.5 * h * first)
    third = slope(time + 0.5 * h, state + 0.5 * h * second)
    fourth = slope(time + h, state + h * third)
    return state + h / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)


def runge_kutta_relaxation(a, b, c, dt, n_steps):
    """A driven relaxation y' = -a y + sin(b t), a closure as the slope."""

    def slope(time, state):
        return -a * state + math.sin(b * time)

    state = c
    for i in range(n_steps):
        state = _runge_kutta_step(slope, i * dt, state, dt)
    return state


def _lorenz(time, state):
    x, y, z = state[0], state[1], state[2]
    return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])


def runge_kutta_lorenz(a, b, c, dt, n_steps):
    """The path of the Lorenz system, one row per step."""
    path = np.empty((n_steps + 1, 3))
    state = np.array([a, b, c])
    path[0] = state
    for i in range(n_steps):
        state = _runge_kutta_step(_lorenz, 0.0, state, dt)
        path[i + 1] = state
    return path


def adaptive_heun(a, b, tolerance=1e-3):
    """y' = a cos(b t) - y from 0 to 1, each step chosen from the error of the last."""
    time, value, h = 0.0, 1.0, 0.05
    while time < 1.0:
        h = min(h, 1.0 - time)
        slope = a * math.cos(b * time) - value
        ahead = a * math.cos(b * (time + h)) - (value + h * slope)
        error = 0.5 * h * abs(ahead - slope) + 1e-12
        if error <= tolerance:
            time += h
            value += 0.5 * h * (slope + ahead)
        h *= min(2.0, max(0.3, 0.9 * math.sqrt(tolerance / error)))
    return value


def horner(p, a):
    """The polynomial with coefficients p, constant term first."""
    value = 0.0
    for coefficient in p[::-1]:
        value = value * a + coefficient
    return value


def clenshaw(x, alpha):
    """A Chebyshev series by Clenshaw's recurrence."""
    ahead, following = 0.0, 0.0
    for i in range(len(x) - 1, 0, -1):
        ahead, following = 2.0 * alpha * ahead - following + x[i], ahead
    return alpha * ahead - following + x[0]


def continued_fraction_tangent(alpha, n_steps):
    """tan(alpha) by Lambert's continued fraction, from the innermost term outwards."""
    tail = 2.0 * n_steps + 1.0
    for i in range(n_steps, 0, -1):
        tail = (2.0 * i - 1.0) - alpha * alpha / tail
    return alpha / tail


def richardson_derivative(a, b):
    """Derivative of exp(b x) / x at a from central differences at three widths."""

    def wave(x):
        return math.exp(b * x) / x

    widths = (0.2, 0.1, 0.05)
    coarse, middle, fine = [(wave(a + h) - wave(a - h)) / (2.0 * h) for h in widths]
    better, best = (4.0 * middle - coarse) / 3.0, (4.0 * fine - middle) / 3.0
    return (16.0 * best - better) / 15.0


MIN_SIZE = {"natural_cubic_spline": 2}

NO_GRADIENT = {"bisect_cubic": "the iterates are dyadic points of the bracket, constant in a and b"}

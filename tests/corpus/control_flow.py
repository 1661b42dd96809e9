"""Branches and loops in every combination."""

import math

import numpy as np


def first_negative(x):
    """The first negative value, or zero: for-else."""
    for value in x:
        if value < 0.0:
            found = value
            break
    else:
        found = 0.0
    return found


def index_of_largest_drop(x):
    """Early return from inside a nested loop."""
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if x[i] - x[j] > 1.0:
                return i * len(x) + j
    return -1


def sum_until(p, a):
    """Add values until the total would exceed 2 a."""
    total, i = 0.0, 0
    while i < len(p) and total + p[i] <= 2.0 * a:
        total += p[i]
        i += 1
    return total


def sum_of_positives(x):
    """Skip with continue."""
    total = 0.0
    for i in range(len(x)):
        if x[i] <= 0.0:
            continue
        total += x[i] * x[i]
    return total


def collatz_steps(count):
    steps = 0
    while count != 1:
        count = count // 2 if count % 2 == 0 else 3 * count + 1
        steps += 1
    return steps


def digit_sum(count):
    """Sum of the decimal digits of count cubed."""
    left, total = count**3, 0
    while left:
        total += left % 10
        left //= 10
    return total


def piecewise(x):
    """A chain of elif over each element."""
    out = np.zeros(len(x))
    for i, value in enumerate(x):
        if value < -1.0:
            out[i] = -1.0 - 0.1 * value
        elif value < 0.0:
            out[i] = value**3
        elif value < 1.0:
            out[i] = math.sin(value)
        else:
            out[i] = 1.0 / value
    return out


def in_between(x, alpha):
    """Chained comparisons."""
    total = 0.0
    for value in x:
        if -1.0 < value <= alpha < 1.0:
            total += value
        elif alpha < value < 2.0 * alpha or value > 3.0:
            total -= 2.0 * value
    return total


def nested_conditionals(a, b, c):
    """The middle one of three numbers, by conditional expressions."""
    return (b if b < c else (c if a < c else a)) if a < b else (a if a < c else (c if b < c else b))


def short_circuit(x, k):
    """The right of `and` is an error wherever the left is false."""
    total = 0.0
    for i in range(len(x)):
        if i + k < len(x) and x[i + k] > x[i]:
            total += x[i + k] - x[i]
        if i - k < 0 or x[i - k] < x[i]:
            total += x[i] ** 2
    return total


def triangular_loops(A):
    """An inner range that depends on the outer index."""
    total = 0.0
    for i in range(len(A)):
        for j in range(i):
            total += A[i, j] * A[j, i]
        else:
            total += A[i, i]
    return total


def search_with_flag(A, alpha):
    """Leave two loops by a flag."""
    found, answer = False, 0.0
    for i in range(len(A)):
        for j in range(len(A)):
            if A[i, j] > alpha:
                found, answer = True, A[i, j] ** 2
                break
        if found:
            break
    return answer


def iterate_or_give_up(a, b):
    """Loop with a bound on its trips; for-else with raise."""
    x = 1.0
    for _ in range(60):
        following = 0.5 * (x + (a + b) / x)
        if abs(following - x) < 1e-13:
            break
        x = following
    else:
        raise ValueError("the iteration does not converge")
    return following


def loop_without_condition(a, b):
    """The arithmetic-geometric mean: while True."""
    while True:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
        if abs(a - b) < 1e-12:
            return a


def checked_mean(p, weights):
    """Assertions and errors that do not fire."""
    assert len(p) == len(weights), "as many weights as values"
    total = np.sum(weights)
    if total <= 0.0:
        raise ZeroDivisionError("the weights add up to nothing")
    return np.sum(p * weights) / total


def countdown(x):
    """A range with a negative step, and a variable that outlives its loop."""
    value = 0.0
    for i in range(len(x) - 1, -1, -2):
        value = 0.5 * value + x[i]
    return value * (i + 1)


def while_with_else(alpha):
    """Halve until small; the else runs as no break does."""
    size, total = 1.0, 0.0
    while size > 0.01:
        size *= alpha
        total += size
        if total > 1000.0:
            break
    else:
        total += 1.0
    return total


def dead_and_constant_branches(x, verbose=False, scale=2):
    """Conditions known before the call, in front of ones that are not."""
    if verbose and scale > 10:
        return x - 1.0
    if scale == 2:
        x = x * scale
    elif scale == 3:
        x = x[::3]
    return x if len(x) > 1 else x + 1.0


def values_with_different_histories(x, flag):
    """A name that is integer on one path and float on the other."""
    start = 0
    if flag:
        start = np.sum(x)
    for value in x:
        start = start + value * value
    return start


def escape_time(x, y, most=20):
    """Steps until z**2 + c leaves a circle, for each c."""
    steps = np.zeros(len(x), dtype=np.int64)
    for k in range(len(x)):
        real, imaginary, count = 0.0, 0.0, 0
        while real * real + imaginary * imaginary < 4.0 and count < most:
            real, imaginary = real * real - imaginary * imaginary + x[k], 2.0 * real * imaginary + y[k]
            count += 1
        steps[k] = count
    return steps


def alternating_series(a, n_steps):
    """log(1 + a/2) by its series, the sign switched by a branch."""
    total, term = 0.0, 1.0
    for i in range(1, 4 * n_steps):
        term *= 0.5 * a
        if i % 2:
            total += term / i
        else:
            total -= term / i
    return total


def truth_of_arrays(x):
    """any, all and not in conditions."""
    if np.all(x > 0.0):
        return np.sum(np.sqrt(np.abs(x)))
    if not np.any(x > 0.0):
        return -np.sum(x)
    return np.sum(x[x > 0.0]) * 0.5


def majority_of_three(a, b, c):
    """Booleans as numbers and as operands of and, or, not."""
    first, second, third = a > 1.0, b > 1.0, c > 1.0
    votes = first + second + third
    agreed = (first and second) or (third and not (first == second)) or False
    return votes >= 2, bool(agreed), votes


NO_GRADIENT = {
    "index_of_largest_drop": "an integer",
    "collatz_steps": "an integer",
    "digit_sum": "an integer",
    "escape_time": "integers",
    "majority_of_three": "booleans",
}

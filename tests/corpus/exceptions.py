"""`try`, `except`, `else` and `finally` around arithmetic, indices, helpers and linear algebra."""

import math

import numpy as np


class NotFound(Exception):
    pass


def _first_above(x, threshold):
    for v in x:
        if v > threshold:
            return v
    raise NotFound(f"nothing above {threshold}")


def guarded_ratio(a, b):
    """The handler gives the value; the divisor is zero in one of the two."""
    total = 0.0
    for divisor in (b, b - b):
        try:
            total += a / divisor
        except ZeroDivisionError:
            total += 2.0 * a
    return total


def values_at_the_fault(a, b):
    """What was assigned before the fault is kept, what comes after it does not happen."""
    y = a
    try:
        y = a * b
        z = y / (a - a)
        y = z
    except ZeroDivisionError:
        y = y + 10.0 * a
    else:
        y = 0.0
    finally:
        y = y * b
    return y


def leaves_a_loop(x, a):
    """The loop ends where the square root of a negative number is asked for."""
    total = a
    try:
        for v in x:
            total += math.sqrt(v) * a
    except ValueError:
        total = total * 2.0
    return total


def goes_on_in_a_loop(x, a):
    """Items that raise are left out."""
    total, left_out = 0.0, 0
    for v in x:
        try:
            r = math.log(v)
        except ValueError:
            left_out += 1
            continue
        total += r * a
    return total + 0.5 * left_out * a


def beyond_the_end(x, a):
    """Neighbours that do not exist are zero."""
    y = np.zeros_like(x)
    for i in range(len(x)):
        try:
            right = x[i + 1]
        except IndexError:
            right = 0.0
        y[i] = a * (right - x[i])
    return y


def helper_that_raises(x, a):
    """An exception class of one's own, raised in a helper's loop."""
    try:
        v = _first_above(x, 0.3)
    except NotFound:
        v = a
    try:
        w = _first_above(x, 1e6)
    except (KeyError, NotFound):
        w = 2.0 * a
    return v * w


def with_jitter(S, b):
    """Jitter is added until the factorisation succeeds."""
    A = S - 3.0 * np.eye(len(S))
    jitter = 0.0
    while True:
        try:
            L = np.linalg.cholesky(A + jitter * np.eye(len(A)))
            break
        except np.linalg.LinAlgError:
            jitter = 2.0 * jitter + 1.0
    return np.sum(L) * b


def solve_or_not(A, x):
    """One system has a solution, the other has none."""
    first = np.eye(len(x)) * 3.0 + 0.1 * A
    total = 0.0
    for scale in (1.0, 0.0):
        try:
            total += np.sum(np.linalg.solve(first * scale, x))
        except np.linalg.LinAlgError:
            total += np.sum(x * x)
    return total


def nested(a, b):
    """The inner handler raises what the outer one catches."""
    try:
        try:
            y = a / (b - b)
        except ZeroDivisionError as fault:
            raise ValueError(f"no ratio: {fault}") from fault
    except ArithmeticError:
        y = 0.0
    except ValueError:
        y = a * b
    return y


def returns_from_everywhere(a, b):
    """`return` in the block, in the handler and in `else`."""
    def part(p, q):
        try:
            if p > 100.0:
                return p
            y = p / q
        except ZeroDivisionError:
            return 3.0 * p
        else:
            return y * p

    return part(a, b) + part(b, a - a) + part(a + 200.0, b)


def until_found(x, a):
    """None before anything was found, and an error where that is used."""
    best = None
    for v in x:
        try:
            score = a / math.sqrt(v)
        except (ValueError, ZeroDivisionError):
            continue
        if best is None or score > best:
            best = score
    try:
        return best * 2.0
    except TypeError:
        return a

"""What the user called a value keeps that name where functions are inlined, and derivatives are said in these words."""

import keyword
import re

import numpy as np

import pellucid

from .harness.stages import module_of


def rate(state, growth):
    prey, predator = state
    return growth * prey - prey * predator, prey * predator - predator


def steps(x, y, growth, n):
    for _ in range(n):
        k1, l1 = rate((x, y), growth)
        k2, l2 = rate((x + 0.5 * k1, y + 0.5 * l1), growth)
        x = x + 0.1 * k2
        y = y + 0.1 * l2
    return x * y


def square(t):
    return t * t


def keeps_t(x):
    t = np.sin(x)
    return square(t) + t


def odd(n, x):
    return x if n < 1 else even(n - 1, x * 0.5)


def even(n, x):
    return x + 1.0 if n < 1 else odd(n - 1, x * 2.0)


def double(even):
    return even * even + even


def beside_a_function(x):
    return even(3, x) + double(x * 3.0)


def unrolled(x):
    layers = [1.0, 2.0, 3.0]
    for k in range(3):
        weighted = square(x * layers[k])
        x = weighted + np.cos(weighted)
    return x


def rotated(point, angle):
    a, b = point
    return a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)


def arrays(x, y):
    u, v = rotated((x + 1.0, y), 0.5)
    u[0] = 2.0
    return np.sum(u * v)


def of_a_pair(t, result):
    return square(t[0]) + square(result) * np.sum(t[1])


def words(text):
    """The names on the left of assignments, without numbers."""
    lines = [line.split(" = ")[0].split(" += ")[0].strip() for line in text.splitlines() if "=" in line]
    return {name.rpartition("_")[0] if name.rpartition("_")[2].isdigit() else name for name in lines}


def test_targets_and_parameters_of_inlined_functions():
    text = pellucid.compile(steps).source("typed", 1.0, 2.0, 0.3, 4)
    assert {"k1", "l1", "k2", "l2", "prey", "predator"} <= words(text)
    text = pellucid.grad(steps, argnums=(0, 1, 2)).source("reverse", 1.0, 2.0, 0.3, 4)
    assert {"k1_bar", "l1_bar", "prey", "predator"} <= words(text)


def test_a_variable_of_the_users_is_not_renamed():
    text = pellucid.compile(keeps_t).source("typed", 1.0)
    assert "t = np.sin(x)" in text


def test_a_name_does_not_hide_a_function():
    compiled = pellucid.compile(beside_a_function)
    assert compiled(2.0) == beside_a_function(2.0)


def test_arguments_keep_their_names():
    pair, number = (2.0, np.ones(3)), 0.5
    assert pellucid.compile(of_a_pair)(pair, number) == of_a_pair(pair, number)
    assert "def of_a_pair(t_0, t_1, result):" in pellucid.compile(of_a_pair).source("typed", pair, number)


def test_trial_runs_leave_no_names():
    text = pellucid.compile(unrolled).source("typed", 1.0)
    assert "weighted" in words(text)
    np.testing.assert_allclose(pellucid.compile(unrolled)(0.3), unrolled(0.3), rtol=1e-14)


def test_arrays_that_are_stored_into():
    x, y = np.arange(3.0), np.ones(3)
    assert {"u", "v"} <= words(pellucid.compile(arrays).source("typed", x, y))
    np.testing.assert_allclose(pellucid.compile(arrays)(x, y), arrays(x, y), rtol=1e-14)


def test_gradients_agree_with_differences():
    arguments = (1.0, 0.7, 0.3, 5)
    slopes = pellucid.grad(steps, argnums=(0, 1, 2))(*arguments)
    for place, slope in enumerate(slopes):
        up, down = list(arguments), list(arguments)
        up[place] += 1e-6
        down[place] -= 1e-6
        np.testing.assert_allclose(slope, (steps(*up) - steps(*down)) / 2e-6, rtol=1e-7)


ALONE = """
import numpy as np

def helper(x):
    scaled = np.exp(x) * 2.0
    return scaled + scaled

def energy(x, w):
    s = 0.0
    for k in range(len(x)):
        s = s + helper(x[k]) * w * (x[k] + 1.0)
    return s * s + np.sum(np.sin(x) * w)
"""


def test_words_elsewhere_in_the_file_change_nothing():
    """Every name of what is printed, in other functions and comments of the same file."""
    texts = []
    for stage, make in (("typed", pellucid.compile), ("reverse", pellucid.grad), ("loops", pellucid.grad)):
        plain = make(module_of(ALONE)["energy"]).source(stage, "f64[n]", "float")
        others = sorted(set(re.findall(r"[a-zA-Z_]\w*", plain)) - {*keyword.kwlist, "np", "energy", "helper"})
        others = sorted({*others, "t", "t_1", "t_2", *(f"{n}_{number}" for n in others for number in (1, 2))})
        text = ALONE + f"\ndef other({', '.join(others)}):\n    return 0  # {' '.join(others)}\n"
        texts.append((plain, make(module_of(text)["energy"]).source(stage, "f64[n]", "float")))
    for plain, surrounded in texts:
        assert re.sub(r"written_\d+", "", plain) == re.sub(r"written_\d+", "", surrounded)

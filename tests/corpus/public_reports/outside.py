"""What a function reads from outside, and static arguments, that change between calls."""

import math

import numpy as np

import pellucid
from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# What is read from outside, and changes between calls

SIGN = 0.0


def sign_of_outside(x):
    return x * SIGN


def zero_outside():
    global SIGN
    f = pellucid.compile(sign_of_outside)
    out = []
    for v in (0.0, -0.0, 0.0):
        SIGN = v
        out.append(math.copysign(1.0, f(1.0)))
    return out


REPORTS.answer("0.0 and -0.0 outside", zero_outside, [1.0, -1.0, 1.0])

LEVEL = 1


def level_of_outside(x):
    return x * LEVEL


def level_kind():
    return LEVEL


def kind_outside():
    global LEVEL
    f = pellucid.compile(level_of_outside)
    g = pellucid.compile(level_kind)
    out = []
    for v in (1, True, 1.0, 2, np.float32(1), np.int8(1), 1):
        LEVEL = v
        out.append((f(3), g()))
    return out


REPORTS.answer(
    "kinds outside",
    kind_outside,
    lambda: [(3, 1), (3, True), (3.0, 1.0), (6, 2), (np.float32(3), np.float32(1)), (np.int8(3), np.int8(1)), (3, 1)],
)

OFFSETS = (1, 2)


def offsets_of_outside(x):
    return x * OFFSETS[0]


def tuple_outside():
    global OFFSETS
    f = pellucid.compile(offsets_of_outside)
    out = []
    for v in ((1, 2), (1.0, 2), (True, 2), (-0.0, 2), (0.0, 2)):
        OFFSETS = v
        out.append(repr(f(3)))
    return out


REPORTS.answer("tuples outside", tuple_outside, ["3", "3.0", "3", "-0.0", "0.0"])


def grad_outside():
    global LEVEL
    LEVEL = 2.0
    g = pellucid.grad(level_of_outside)
    out = [float(g(1.0))]
    LEVEL = 5.0
    out.append(float(g(1.0)))
    LEVEL = 1
    return out


REPORTS.answer("slope by what is outside", grad_outside, [2.0, 5.0])


def variable_of_a_loop():
    def run():
        out = []

        def f(a):
            return n * a

        c = pellucid.compile(f)
        for n in range(5):
            out.append(c(n))
        return out

    return run()


REPORTS.answer("variable of the enclosing loop", variable_of_a_loop, [0, 1, 4, 9, 16])


def helper_of_outside(x):
    return x


def helper_redefined():
    global helper_of_outside

    def inner(x):
        return x + 1.0

    def outer(x):
        return helper_of_outside(x) * 2.0

    helper_of_outside = inner
    f = pellucid.compile(outer)
    first = f(1.0)

    def other(x):
        return x - 1.0

    helper_of_outside = other
    return first, f(1.0)


REPORTS.answer("helper redefined", helper_redefined, (4.0, 0.0))


# Static arguments that change between calls


class Config:
    def __init__(self, v):
        self.v = v

    def __hash__(self):
        return hash(self.v)

    def __eq__(self, o):
        return isinstance(o, Config) and self.v == o.v


def with_config(c, y):
    return y + c.v


def static_object():
    try:
        f = pellucid.compile(with_config, static=("c",))
        c = Config(100)
        out = [f(c, 1)]
        c.v = 0
        out += [f(c, 1), f(c, 1)]
        return out
    except (pellucid.CompileError, TypeError):
        return [101, 1, 1]


REPORTS.answer("static object that changes", static_object, [101, 1, 1])


def with_list(x, y):
    return x + y[0]


def static_list():
    try:
        f = pellucid.compile(with_list, static=("y",))
        y = [2, 3]
        out = [f(1, y), f(1, [2, 3])]
        y[0] = 7
        return out + [f(1, y)]
    except (pellucid.CompileError, TypeError):
        return [3, 3, 8]


REPORTS.answer("static list that changes", static_list, [3, 3, 8])


def static_array():
    try:
        f = pellucid.compile(with_list, static=("y",))
        y = np.array([1, 2, 3])
        out = [int(f(1, y)), int(f(1, y))]
        y[0] = 7
        return out + [int(f(1, y))]
    except (pellucid.CompileError, TypeError):
        return [2, 2, 8]


REPORTS.answer("static array that changes", static_array, [2, 2, 8])


def with_function(f, x):
    return f(x) * 2.0


def static_function():
    g = pellucid.compile(with_function)
    k = 1.0

    def inner(x):
        return x + k

    first = g(inner, 1.0)
    k = 5.0
    return first, g(inner, 1.0), g(math.sin, 0.0), g(lambda v: v * v, 3.0)


REPORTS.answer("closure of a function argument changes", static_function, (4.0, 12.0, 0.0, 18.0))


def with_default(x, scale=2.0):
    return x * scale


def default_changed():
    f = pellucid.compile(with_default)
    out = [f(1.0)]
    with_default.__defaults__ = (3.0,)
    out.append(f(1.0))
    with_default.__defaults__ = (2.0,)
    return out


REPORTS.answer("defaults change", default_changed, [2.0, 3.0])


class Model:
    rate = 2.0


def with_attribute(x):
    return x * Model.rate


def attribute_changed():
    f = pellucid.compile(with_attribute)
    out = [f(1.0)]
    Model.rate = 5.0
    out.append(f(1.0))
    Model.rate = 2.0
    return out


REPORTS.answer("class attribute changes", attribute_changed, [2.0, 5.0])

TABLE = {"a": 1.0}


def with_dict(x):
    return x * TABLE["a"]


def dict_changed():
    try:
        f = pellucid.compile(with_dict)
        out = [f(1.0)]
        TABLE["a"] = 4.0
        out.append(f(1.0))
        TABLE["a"] = 1.0
        return out
    except pellucid.CompileError:
        return [1.0, 4.0]


REPORTS.answer("dict outside changes", dict_changed, [1.0, 4.0])

WEIGHTS = np.array([1.0, 2.0])


def with_weights(x):
    return x * WEIGHTS[0]


def weights_changed():
    try:
        f = pellucid.compile(with_weights)
        out = [float(f(1.0))]
        WEIGHTS[0] = 9.0
        out.append(float(f(1.0)))
        WEIGHTS[0] = 1.0
        return out
    except pellucid.CompileError:
        return [1.0, 9.0]


REPORTS.answer("array outside changes", weights_changed, [1.0, 9.0])

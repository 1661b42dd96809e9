"""Variables of an enclosing function, defaults, and what a closure sees."""

from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Variables of an enclosing function; defaults; what a closure sees


def accumulate(n):
    total = 0

    def add(v):
        nonlocal total
        total += v

    for i in range(n):
        add(i)
    return total


def total(x):
    return x.sum(), x[0] * 2


REPORTS.value("nonlocal sum", accumulate, 10)


def each(n, emit):
    for i in range(n):
        emit(i)


def accumulate_through(n):
    total = 0

    def add(v):
        nonlocal total
        total += v

    each(n, add)
    return total


REPORTS.value("nonlocal through another function", accumulate_through, 10)


def assign_twice(flag):
    x = 0

    def change():
        nonlocal x
        x = 1
        if flag:
            x = 2
        x = x * 10

    change()
    return x


REPORTS.value("nonlocal twice", assign_twice, True)
REPORTS.value("nonlocal twice, not taken", assign_twice, False)


def defaults(n):
    out = 0.0
    for i in range(n):

        def f(a, b=i):
            return a * b

        out += f(2.0)
    return out


REPORTS.value("defaults in a loop", defaults, 4)


def late_binding(n):
    fs = [lambda v, k=k: v + k for k in range(3)]
    gs = [lambda v: v + k for k in range(3)]
    return fs[0](n), fs[1](n), gs[0](n), gs[1](n)


REPORTS.value("late binding", late_binding, 1)


def slope_nonlocal(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total * x + v

    for i in range(4):
        add(x * i)
    return total


REPORTS.slope("slope", slope_nonlocal, 0.7, with_value=True)

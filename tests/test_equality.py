"""`==`, `!=` and `in` of containers, records, functions and numbers are CPython's, or refused."""

import dataclasses
import math

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from tests.harness.stages import STAGES, Stages, assert_same, in_python

ONE = np.float64(1.0)


@dataclasses.dataclass(frozen=True)
class Box:
    value: float
    weight: tuple


@dataclasses.dataclass(frozen=True)
class Twin:
    value: float
    weight: tuple


@dataclasses.dataclass(frozen=True)
class Inherited(Box):
    pass


@dataclasses.dataclass(frozen=True)
class Labelled:
    value: float
    label: float = dataclasses.field(compare=False, default=0.0)


@dataclasses.dataclass(frozen=True, eq=False)
class ByIdentity:
    value: float


@dataclasses.dataclass(frozen=True)
class Always:
    value: float

    def __eq__(self, other):
        return self.value < 10.0


def records(x, k):
    box = Box(x, (k, 2.0))
    return box == box, box == Box(x, (k, 2.0)), box != Box(x, (k + 1, 2.0)), box == Box(x + 1.0, (k, 2.0))


def classes(x, k):
    box = Box(x, (k,))
    return box == Twin(x, (k,)), box != Inherited(x, (k,)), Inherited(x, (k,)) == Inherited(x, (k,)), box == x


def fields_left_out(x, k):
    return Labelled(x, 1.0) == Labelled(x, 2.0), Labelled(x, 1.0) == Labelled(x + 1.0, 1.0)


def in_containers(x, k):
    box = Box(x, (k,))
    boxes = [Box(0.0, (k,)), box]
    return boxes == boxes, boxes == [box, box], box in boxes, Box(x, (k,)) in boxes, (box, 1) == (box, 1)


def by_identity(x, k):
    one = ByIdentity(x)
    return one == one, one != one, one in (one, None), [one] == [one]


def functions(x, k):
    def own(y):
        return y

    return own == own, own != own, records == classes, math.sin == math.sin


def not_a_number(x, k):
    return (math.nan,) == (math.nan,), math.nan in [math.nan], math.nan == math.nan, [x * 0.0] == [x * 0.0]


def kinds(x, k):
    return (x,) == [x], [x] == None, x == "x", k in (None, "k", k), None in [x, None], {"a": x} == {"a": x}  # noqa: E711


def numpys_numbers(x, k):
    return np.float64(x) == [x], np.int64(k) != (k, k + 1), np.float64(x) == None  # noqa: E711


def own_equality(x, k):
    return Always(x) == Always(2.0), Always(x) != 3.0, 2.0 == Always(20.0), Always(x) in (Always(1.0), k)


def lists_of_any_length(x, k):
    items = [x for _ in range(k)]
    return items == None, items != "x", items == {}, items == [x] * 2, None == items  # noqa: E711


def beside_numpys_constant(x, k):
    return [x, 1.0] == ONE, ONE != (x, k), ONE * 2 == 2, (k, 2) < ONE


def sequences_in_order(x, k):
    return (x, k) < (x, 3), [x] >= [x, k], (1, x) <= (1, 0.5), "ab" < "b", (k,) + (x,) > (k, x - 1.0)


PROGRAMS = (
    lists_of_any_length, beside_numpys_constant, sequences_in_order, own_equality, records, classes, fields_left_out,
    in_containers, by_identity, functions, not_a_number, kinds, numpys_numbers,
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_equality_is_cpythons(program):
    stages = Stages(program)
    for args in ((1.5, 2), (0.0, 0)):
        want = in_python(program, *args)
        for stage in STAGES[1:]:
            assert_same(stages.run(stage, *args), want)


def two_identities(x):
    return ByIdentity(x) == ByIdentity(x)


def ranges(x):
    return range(3) == range(3)


def a_string_beside_an_array(x):
    kind = "a" if x > 0.0 else "b"
    return np.full(2, x) == kind  # NumPy's is an array of bools


def sets_added(x):
    return {1} + {2}


def a_set_repeated(x):
    return {1} * 2


@pytest.mark.parametrize("program, says", [
    (two_identities, "one object"),
    (ranges, "a range cannot be compared"),
    (a_string_beside_an_array, "cannot be compared with a str"),
    (sets_added, "`\\+` of a set and a set"),
    (a_set_repeated, "`\\*` of a set and an int"),
])  # fmt: skip
def test_what_is_not_known_is_refused(program, says):
    with pytest.raises(CompileError, match=says):
        pellucid.compile(program)(1.0)

"""Instances and dicts where numbers, arrays or containers are needed: refused in words of the user, at the place."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from tests.harness.answers import function_of

X = np.array([1.0, 2.0, 5.0])


@dataclasses.dataclass
class Body:
    v: float
    w: float = 2.0


class Pair(NamedTuple):
    a: float
    b: float


OF_AN_INSTANCE = """
len(Body(x[0]))
sum(Body(x[0]))
list(Body(x[0]))
max(Body(x[0]))
sorted(Body(x[0]))
[*Body(x[0])]
[u for u in Body(x[0])]
[u + v for u, v in zip(x, Body(x[0]))]
list(reversed(Body(x[0])))
dict(Body(x[0]))
[x[0]].extend(Body(x[0]))
next(Body(x[0]))
1.0 in Body(x[0])
Body(x[0])[0]
Body(x[0]) + 1
x * Body(x[0])
x @ Body(x[0])
-Body(x[0])
Body(x[0]) < Body(x[1])
float(Body(x[0]))
x[Body(x[0])]
np.array(Body(x[0]))
np.array([Body(x[0]), Body(x[1])])
np.asarray([Body(v) for v in x])
np.sum([Body(x[0]), Body(x[1])])
np.where(x > 0, Body(1.0), 0.0)
np.full(3, Body(1.0))
""".strip().splitlines()
OF_A_DICT = """
np.array([{"a": x[0]}])
x * {"a": x[0]}
np.max({"a": x[0]})
-{"a": x[0]}
""".strip().splitlines()


@pytest.mark.parametrize("text", OF_AN_INSTANCE + OF_A_DICT)
def test_what_is_no_number_is_refused_by_its_name(text):
    function = function_of(text, "x")
    function.__globals__["Body"] = Body
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(X)
    (fault,) = caught.value.diagnostics
    assert fault.code == "T001"
    assert "Record(" not in fault.message


def test_named_tuples_are_sequences():
    def program(x):
        p = Pair(x[0], 2.0)
        return len(p), sum(p), [*p], np.array(p) * x[1], x[:2] + p

    found, wanted = pellucid.compile(program)(X), program(X)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("change", ["v.extend(3)", "v += 2.0", "v.extend(Body(1.0))"])
def test_a_list_is_not_extended_by_what_has_no_items(change):
    function = function_of(f"v = [e for e in x]\n{change}\nv", "x")
    function.__globals__["Body"] = Body
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(X)
    (fault,) = caught.value.diagnostics
    assert (fault.code, fault.span.line) == ("T001", 3)

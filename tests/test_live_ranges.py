"""Which names are live where, beside tables, and how much memory that takes."""

import tracemalloc

import gast
import pytest

from pellucid.compiler.analysis.live_ranges import LiveRanges
from pellucid.compiler.analysis.liveness import Liveness
from pellucid.compiler.program import Function, Origin

BRANCH = """
a = f(x)
if c:
    b = f(a)
else:
    raise ValueError(x)
d = f(b)
return d
"""
LOOP = """
s = f(x)
for i in range(n):
    t = f(s, i)
    while q:
        u = f(t)
        q = f(u)
    s = t
return s
"""
COPY = """
a = f(x)
b = a
c = f(a, b)
return c
"""
# by program, the names live after the assignment to a name
LIVE = [
    (BRANCH, "a", "a c x"), (BRANCH, "b", "b"), (BRANCH, "d", "d"),
    (LOOP, "s", "n s q"), (LOOP, "t", "t q"), (LOOP, "u", "u t"),
    (COPY, "a", "a"), (COPY, "b", "a b"),
]  # fmt: skip
MEETING = [
    (BRANCH, "a", "b", False), (BRANCH, "b", "d", False), (BRANCH, "x", "a", True),
    (LOOP, "s", "i", True), (LOOP, "t", "i", True), (LOOP, "u", "t", True), (LOOP, "n", "i", False),
    (COPY, "a", "b", False), (COPY, "a", "c", False),
]  # fmt: skip


def function_of(text):
    body = gast.parse("def g():" + text.replace("\n", "\n    ")).body[0].body
    return Function("g", ("x", "c", "n", "q"), tuple(body), "typed", Origin("g.py", "g", 1))


def statements(body):
    for statement in body:
        yield statement
        yield from statements([*getattr(statement, "body", ()), *getattr(statement, "orelse", ())])


def assignment(function, name):
    """The first assignment to a name."""
    for statement in statements(function.body):
        if isinstance(statement, gast.Assign) and statement.targets[0].id == name:
            return statement
    raise KeyError(name)


@pytest.mark.parametrize("text, name, names", LIVE)
def test_what_is_read_later_is_live(text, name, names):
    function = function_of(text)
    live = Liveness(function.body).after(assignment(function, name))
    assert {*live} == {*names.split()}
    assert all((n in live) == (n in {*live}) for n in ("a", "b", "c", "d", "i", "n", "q", "s", "t", "u", "x"))


@pytest.mark.parametrize("text, left, right, meets", MEETING)
def test_names_meet_where_both_are_live_with_two_values(text, left, right, meets):
    ranges = LiveRanges(function_of(text))
    assert ranges.meet(left, right) is ranges.meet(right, left) is meets


def test_memory_grows_as_the_text_where_all_names_live_to_the_end():
    def peak(lines):
        names = [f"v{k}" for k in range(lines)]
        text = "\n".join(["", *(f"{name} = f(x)" for name in names), f"return f({', '.join(names)})"])
        function = function_of(text)
        tracemalloc.start()
        ranges = LiveRanges(function)
        assert ranges.next_apart("v0", ranges.starts(names), 0) is None
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(600) < 6.0 * peak(150)

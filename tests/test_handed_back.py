"""What the results of a function may share with what it is given, and with one another."""

import pytest

from pellucid.compiler import syntax
from pellucid.compiler.analysis.memory.handed_back import handed_back
from pellucid.compiler.transform.copies import copies
from pellucid.compiler.transform.simplify import simplify

from .harness.typed_text import read_program

pytestmark = pytest.mark.drawn(5)

PROGRAM = '''
def main(x: "f64[n]", w: "f64[n, n]"):
    y, v, s = f(w, x)
    return (y, v, s)


def f(w: "f64[n, n]", x: "f64[n]"):
    v = transpose(w, axes=(1, 0))
    y = matmul(w, x)
    u = y[1:]
    return (y, v, u)
'''


def test_results_that_are_views_share_and_those_that_are_made_do_not():
    found = handed_back(read_program(PROGRAM))["f"]
    assert found.arguments == (frozenset(), frozenset({0}), frozenset())
    assert found.results == {(0, 2)}


def test_inside_a_function_that_reaches_itself_its_results_may_show_all_that_it_is_given():
    text = PROGRAM + '''

# x: f64[n]   k: int   ->   f64[n]
def g(x, k):
    if k > 0:
        m = k - 1
        y = g(x, m)
    else:
        y = x
    return (y,)
'''
    found = handed_back(read_program(text.replace("y = matmul(w, x)", "y = g(x, 3)")))
    assert found["g"].arguments == (frozenset({0}),)
    assert found["f"].arguments == (frozenset({1}), frozenset({0}), frozenset({1}))


CALLER = '''
def main(x: "f64[n]", w: "f64[n, n]"):
    y, v, u = f(w, x)
    {store}
    return (y, v, {last}, w)
'''


@pytest.mark.parametrize(
    "store, last, copied",
    [
        ("y[0] = 2.0", "u", {"y"}),  # which `u` shows a part of
        ("y[0] = 2.0", "v", set()),
        ("v[0, 0] = 2.0", "y", {"v"}),  # which shows the argument
    ],
)
def test_results_are_copied_where_a_store_would_show(store, last, copied):
    _, _, callee = PROGRAM.partition("\n\n\n")
    program = copies(read_program(CALLER.format(store=store, last=last) + "\n\n" + callee))
    made = (s for s in program.main.body if syntax.operator_of(getattr(s, "value", None)) == "copy")
    assert {name for statement in made for name in syntax.names_bound(statement)} == copied
    assert program.functions["f"].keeps_apart


def test_what_is_relied_on_stays():
    """`x * 1.0` is `x`, but not where the caller stores into it."""
    text = '''
def main(x: "f64[n]"):
    y, s = f(x)
    y[0] = 2.0
    return (y, s, x)


def f(x: "f64[n]"):
    y = multiply(x, 1.0)
    s = sum(x)
    return (y, s)
'''
    program = copies(read_program(text))
    assert not any(syntax.operator_of(getattr(s, "value", None)) == "copy" for s in program.main.body)
    simplified = program.map(simplify)
    assert not handed_back(simplified)["f"].arguments[0]
    assert handed_back(read_program(text).map(simplify))["f"].arguments[0] == {0}

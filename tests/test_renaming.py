"""Statements with other names: what changes, what is copied and what is shared; calls whose arguments are in memory."""

import gast

from pellucid.compiler import driver, syntax
from pellucid.compiler.renaming import copied, renamed
from pellucid.compiler.targets.python import printer

from .harness.typed_text import read_program


def test_names_change_in_places_too_and_operators_do_not():
    wide = syntax.call("cast", "add", dtype="f64")
    store = syntax.store("y", ["i"], syntax.call("add", syntax.index("x", "i"), wide))
    made = renamed(syntax.for_range("i", 0, "n", 1, [store]), {"x": "u", "y": "v", "add": "t", "i": "k"})
    (inner,) = made.body
    assert made.target.id == "k"
    assert inner.targets[0].value.id == "v"
    assert syntax.operator_of(inner.value) == "add"
    assert syntax.names_read(inner) == ["v", "k", "u", "k", "t"]


def test_trees_that_hold_others_are_new_and_names_that_stay_are_shared():
    tree = syntax.call("add", syntax.index("x", "i"), "s", axis=0)
    made = copied(tree, {"x": "u"})
    assert made is not tree
    assert made.args[0] is not tree.args[0]
    assert made.args[1] is tree.args[1]
    assert made.keywords[0] is tree.keywords[0]
    assert copied(syntax.name("s"), {"s": "t"}).id == "t"
    assert syntax.names_read(tree) == ["x", "i", "s"]  # as it was


def test_every_statement_of_loops_can_be_renamed():
    raised = syntax.raise_("ValueError", "{}", "x")
    statements = [
        syntax.if_(syntax.name("x"), [raised], [gast.Pass()]), syntax.while_(syntax.name("x"), [gast.Pass()]),
        syntax.expression(syntax.call("append", "xs", "x")), syntax.return_(["x"]),
    ]  # fmt: skip
    for statement in statements:
        assert "x" not in syntax.names_read(renamed(statement, {"x": "y"}))


def test_argument_of_a_call_is_put_in_order_where_the_callee_wants_it():
    text = """
def g(a: "f64[k]", depth: "int") -> ("f64", "f64"):
    return sum(a), depth * 1.0

def f(x: "f64[n]"):
    s, t = g(x * 2.0, 3)
    return s * t
"""
    body = printer.print_program(driver.lowered(read_program(text)))
    assert "empty" in body
    assert "g(" in body

"""Every algebraic identity, both sides in CPython: equal to the bit for nan, infinities, -0.0, and the ends of ints."""

import itertools
import math
import warnings

import numpy as np
import pytest

from pellucid.compiler import syntax
from pellucid.compiler.analysis.result_types import result_type
from pellucid.compiler.ops import OPERATORS
from pellucid.compiler.transform.identities import (
    ANY,
    BY_OPERATOR,
    FLOATING,
    INTEGER,
    NATURAL,
    PYTHON_INTEGER,
    REPEATING,
    RULES,
    apply,
    glance,
    may_repeat,
    pattern,
    rules_for,
)
from pellucid.compiler.types import Scalar

from .harness.cases import same
from .harness.operators import type_of_value

FLOATS = [0.0, -0.0, 1.0, -1.0, 0.1, -2.5, 5e-324, 1.7e308, math.inf, -math.inf, math.nan]
INTS = [0, 1, -1, 2, -7, 12]
VALUES = {
    "float": FLOATS,
    "int": [*INTS, 2**62],
    "bool": [True, False],
    "f64": [np.float64(v) for v in FLOATS],
    "f32": [np.float32(v) for v in FLOATS if not 1e38 < abs(v) < math.inf],
    "i64": [np.int64(v) for v in [*INTS, 2**63 - 1, -(2**63)]],
    "i32": [np.int32(v) for v in [*INTS, 2**31 - 1, -(2**31)]],
    "bool_": [np.True_, np.False_],
    "f64[n]": [np.array(FLOATS)],
    "f32[n]": [np.array(FLOATS[:6], np.float32)],
    "i64[n]": [np.array(INTS)],
    "bool[n]": [np.array([True, False])],
}


KINDS = {
    ANY: lambda kind: True,
    FLOATING: lambda kind: kind.startswith("f"),
    INTEGER: lambda kind: kind.startswith("i"),
    PYTHON_INTEGER: lambda kind: kind == "int",
    NATURAL: lambda kind: kind == "int",
}


def evaluate(tree, values):
    if not hasattr(tree, "args"):
        return values[tree.id] if hasattr(tree, "id") else tree.value
    return OPERATORS[tree.func.id].meaning(*(evaluate(a, values) for a in tree.args))


def outcome(tree, values):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return evaluate(tree, values)
        except (ArithmeticError, ValueError, TypeError) as error:
            return type(error)


def bindings(names, kinds):
    choices = [VALUES[k] if n != "c" else VALUES["bool_"] for n, k in zip(names, kinds)]
    for combination in itertools.product(*choices):
        yield dict(zip(names, combination))


def made_strong(after, left, right):
    """Whether the pass casts the right side, one of Python's numbers, to NumPy's of the left one."""
    return syntax.is_atom(after) and isinstance(right, Scalar) and right.weak and left == Scalar(right.dtype)


@pytest.mark.parametrize("row", RULES, ids=lambda row: f"{row.before} -> {row.after}")
def test_both_sides(row):
    before, after = pattern(row.before), pattern(row.after)
    names = list(dict.fromkeys(syntax.names_read(before)))
    tried = 0
    allowed = [kind for kind in VALUES if KINDS[row.only](kind)]
    for kinds in itertools.product(allowed, repeat=len(names)):
        for values in bindings(names, kinds):
            if row.only == NATURAL and min(values.values()) < 0:
                continue
            types = {n: type_of_value(v) for n, v in values.items()}
            left, right = result_type(before, types), result_type(after, types)
            if left is None or not (left == right or made_strong(after, left, right)):
                break  # the pass does not apply the rule to these types
            expected, got = outcome(before, values), outcome(after, values)
            if left != right:  # as the pass does
                got = OPERATORS["cast"].meaning(got, dtype=left.dtype, weak=False)
            if isinstance(expected, int) and not -(2**63) <= expected < 2**63:
                continue
            tried += 1
            assert expected is got or same(got, expected), f"{values}: {expected!r} became {got!r}"
    assert tried >= 2


def test_what_is_not_exact_is_not_there():
    befores = {row.before for row in RULES if row.only == ANY}
    assert befores.isdisjoint({"x + 0.0", "0.0 + x", "x * 0.0", "x - x", "x / x", "-x + -y", "x == x", "sqrt(x * x)"})


def flat_form(tree, values):
    """A pattern as it stands in a program: its inner operators are the values of names."""
    names = []
    for number, operand in enumerate(tree.args):
        if hasattr(operand, "args"):
            values[f"t_{number}"] = operand
            operand = syntax.name(f"t_{number}")
        names.append(operand)
    return syntax.rebuild(tree, args=names)


@pytest.mark.parametrize("row", RULES, ids=lambda row: f"{row.before} -> {row.after}")
@pytest.mark.parametrize("atom", [None, syntax.name("z"), syntax.constant(0.0), syntax.constant(-0.0)])
def test_glance_hides_no_rule(row, atom):
    """A rule that is left out by what the operands look like would not have matched: names, one name, or numbers."""
    values = {}
    value = flat_form(pattern(row.before), values)
    if atom is not None:
        value = syntax.map_names(value, lambda name: name if name in values else atom)
    operator = syntax.operator_of(value)
    repeats = operator in REPEATING and may_repeat(value)
    rules = rules_for(operator, glance(value, values), repeats)
    types = dict.fromkeys([*"xyzc", *values], Scalar("i64" if "integer" in row.only else "f64", True))
    natural = types.keys()
    every = apply(BY_OPERATOR[operator], value, types, values.get, lambda name: True, lambda: natural)
    left = apply(rules, value, types, values.get, lambda name: True, lambda: natural)
    assert list(map(syntax.form_of, left)) == list(map(syntax.form_of, every))
    assert left or atom is not None

"""Names that are said to share no memory share none, for programs that mix them up, by running them in CPython."""

import itertools
import random

import gast
import numpy as np
import pytest

from pellucid.compiler import syntax
from pellucid.compiler.analysis.memory.distinct import distinct

from .harness.draws import seeds
from .harness.loops_python import namespace
from .harness.loops_text import read_loops

HEAD = 'def f(x: "f64[n]", y: "f64[n]", k: "int"):\n'


def pairs_of(text):
    """The pairs that are apart in each loop of a program, in the order of its text."""
    function = read_loops(HEAD + text).main
    found = distinct(function)
    loops = [s for s in syntax.walk(function.body) if isinstance(s, gast.For | gast.While)]
    return [{tuple(sorted(pair)) for pair in found.get(id(loop), ())} for loop in loops]


def body(*lines):
    return "".join(f"    {line}\n" for line in lines)


LOOP = ("for i in range(k):", "    u[i] = 0.0")


def test_parameters_may_be_one_array():
    (pairs,) = pairs_of(body("u = empty(dim(x, 0))", *LOOP, "return u"))
    assert pairs == {("u", "x"), ("u", "y")}


def test_a_new_array_is_apart_from_all_others():
    (pairs,) = pairs_of(body("u = empty(k)", "v = empty(k)", *LOOP, "return u, v"))
    assert ("u", "v") in pairs and ("x", "y") not in pairs


@pytest.mark.parametrize("value", ["v", "v[1:]", "reshape(v, shape=(k,))"])
def test_a_view_is_not_apart_from_what_it_shows(value):
    (pairs,) = pairs_of(body("v = empty(k)", "w = empty(k)", f"u = {value}", *LOOP, "return u, v, w"))
    assert ("u", "v") not in pairs and {("u", "w"), ("v", "w"), ("u", "x")} <= pairs


def test_arrays_that_change_places_stay_apart():
    (pairs,) = pairs_of(
        body("u = empty(k)", "v = empty(k)", "for t in range(k):", "    w = u", "    u = v", "    v = w",
             "return u, v")
    )  # fmt: skip
    assert ("u", "v") in pairs
    assert ("v", "w") not in pairs  # at the beginning of a turn `w` is what `v` is


def test_arrays_that_change_places_with_an_argument_stay_apart():
    (pairs,) = pairs_of(
        body("u = x", "v = empty(k)", "for t in range(k):", "    v[t] = u[t]", "    w = u", "    u = v", "    v = w",
             "return u, v")
    )  # fmt: skip
    assert ("u", "v") in pairs and ("u", "x") not in pairs and ("v", "x") not in pairs


def test_what_one_branch_joins_is_joined_after_it():
    (pairs,) = pairs_of(
        body("u = empty(k)", "v = empty(k)", "if k > 3:", "    u = v", "else:", "    k = 2", *LOOP, "return u, v")
    )
    assert ("u", "v") not in pairs


def test_what_the_last_turn_joins_is_joined_at_the_first():
    outer, inner = pairs_of(
        body("u = empty(k)", "v = empty(k)", "for t in range(k):", "    for i in range(k):", "        u[i] = v[i]",
             "    u = v", "return u, v")
    )  # fmt: skip
    assert ("u", "v") not in outer and ("u", "v") not in inner


# --- programs at random ----------------------------------------------------------------------------------------------

NAMES = ("a", "b", "c", "d")


def random_body(random, depth, indent):
    """Statements that give arrays to names in every way that the language has."""
    lines = []
    for _ in range(random.randint(1, 4)):
        name, other = random.choice(NAMES), random.choice((*NAMES, "x", "y"))
        kind = random.choice(
            ("new", "name", "view", "swap", "if", "for", "while") if depth else ("new", "name", "view", "swap")
        )
        match kind:
            case "new":
                lines.append(f"{name} = empty(4)")
            case "name":
                lines.append(f"{name} = {other}")
            case "view":
                lines.append(f"{name} = {random.choice(('{}[:]', 'reshape({}, shape=(4,))')).format(other)}")
            case "swap":
                one = random.choice(NAMES)
                lines += [f"t = {name}", f"{name} = {one}", f"{one} = t"]
            case "if":
                inner = random_body(random, depth - 1, "    "), random_body(random, depth - 1, "    ")
                lines += [f"if k > {random.randint(0, 3)}:", *inner[0], "else:", *inner[1]]
            case "for":
                lines += ["for i in range(k):", *random_body(random, depth - 1, "    ")]
            case "while":
                lines += ["while k > 2:", *random_body(random, depth - 1, "    "), "    k = k - 1"]
    return [indent + line for line in lines]


def looking(lines):
    """The statements with a look at the names at the beginning of every turn."""
    made, numbers = [], itertools.count()
    for line in lines:
        made.append(line)
        text = line.lstrip()
        if text.startswith(("for", "while")):
            margin = " " * (len(line) - len(text) + 4)
            made.append(f"{margin}look({next(numbers)}, locals())")
    return made


@pytest.mark.parametrize("seed", seeds(0, 150))
def test_names_that_are_apart_share_nothing_as_they_run(seed):
    random_ = random.Random(seed)
    lines = ["a = empty(4)", "b = x", "c = y", "d = a", "t = a", *random_body(random_, 3, ""), "return a, b, c, d"]
    told = pairs_of(body(*lines))
    faults, seen = [], []

    def look(number, names):
        for one, other in told[number]:
            if one in names and other in names:
                seen.append(number)
                if np.shares_memory(names[one], names[other]):
                    faults.append((number, one, other))

    scope = {**namespace(), "look": look}
    exec("def f(x, y, k):\n" + body(*looking(lines)), scope)
    array = np.arange(4.0)
    for k in range(6):
        for x, y in ((array, array), (array, array[:]), (array, np.arange(4.0))):
            scope["f"](x, y, k)
    assert not faults

"""The facts that passes lean on: what is live, what shares elements, what can fail, which names were made."""

import pytest

from pellucid.compiler import syntax
from pellucid.compiler.analysis.def_use import def_use
from pellucid.compiler.analysis.failure import ANY, INDEX, NOTHING, failures
from pellucid.compiler.analysis.liveness import liveness
from pellucid.compiler.analysis.made_names import temporaries_of
from pellucid.compiler.analysis.memory.alias import alias, conflicts, regions
from pellucid.compiler.targets.python.unparse import statement_text

from .harness.typed_text import read_function


def statement(function, text):
    """The statement that reads like this, its static parts left out."""
    return next(s for s in syntax.walk(function.body) if statement_text(s).split("\n")[0].startswith(text))


# --- definitions and uses ------------------------------------------------------------------------------------------


def test_def_use():
    function = read_function('''
def f(x: "f64", k: "int"):
    e = x
    y = e * e
    for i in range(0, k, 1):
        e_1 = e * y
        e = e_1
    return e, y
''')
    facts = def_use(function)
    assert facts.count["e"] == 4 and facts.count["y"] == 2 and facts.count["k"] == 1
    assert [facts.is_single(n) for n in ("x", "e", "y", "e_1", "i")] == [False, False, True, True, True]
    assert len(facts.definitions["e"]) == 2
    assert syntax.operator_of(facts.value_of("y")) == "multiply" and facts.value_of("i") is None


# --- liveness ------------------------------------------------------------------------------------------------------


def test_liveness_in_a_line():
    function = read_function('def f(x: "f64"):\n    a = sin(x)\n    b = a * 2.0\n    return b + x\n')
    live = liveness(function)
    first, second, third, last = function.body
    assert live.at_entry == {"x"}
    assert live.after(first) == {"a", "x"} and live.after(second) == {"b", "x"} and live.after(last) == set()
    assert live.next_use(first, "x") is third and live.next_use(first, "a") is second
    assert live.next_use(first, "b") is None


def test_liveness_around_a_loop():
    function = read_function('''
def f(x: "f64", k: "int", w: "f64"):
    e = x
    last = w
    for i in range(0, k, 1):
        e_1 = e * w
        last = e
        e = e_1
    return last
''')
    live = liveness(function)
    loop = statement(function, "for")
    closing = statement(function, "e = e_1")
    assert live.after(closing) == {"e", "last", "w"}  # the next iteration reads e and w
    assert live.next_use(closing, "e") is statement(function, "e_1 =")
    assert live.after(loop) == {"last"}
    assert "k" not in live.after(statement(function, "e_1 ="))
    assert live.at_entry == {"x", "k", "w"}


def test_liveness_of_branches_and_errors():
    function = read_function('''
def f(x: "f64", y: "f64", z: "f64"):
    t = x > 0.0
    if t:
        a = y * 2.0
    else:
        raise ValueError(f"{z}")
    return a
''')
    live = liveness(function)
    assert live.after(statement(function, "t =")) == {"t", "y", "z"}
    assert live.after(statement(function, "a =")) == {"a"}


def test_a_while_loop_reads_its_test_again():
    function = read_function('''
def f(x: "f64", bound: "f64"):
    e = x
    while e < bound:
        e_1 = e * 2.0
        e = e_1
    return x
''')
    live = liveness(function)
    assert live.after(statement(function, "e = e_1")) == {"e", "bound", "x"}


# --- sharing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line, shares",
    [
        ("y = a", True),
        ("y = a[1:]", True),
        ("y = a[None, :]", True),
        ("y = transpose(a, (0,))", True),
        ("y = reshape(a, (n, 1))", True),
        ("y = broadcast_to(a, (2, n))", True),
        ("y = a.copy()", False),
        ("y = a * 1.0", False),
        ("y = a[idx]", False),
        ("y = a[a > 0.0]", False),
        ("y = cast(a, 'f64')", False),
        ("y = sum(a)", False),
        ("y = concatenate(a, a)", False),
    ],
)
def test_what_shares(line, shares):
    function = read_function(f'''
def f(x: "f64[n_]", idx: "i64[m]"):
    n = x.shape[0]
    a = x * 2.0
    {line}
    return y
''')
    assert alias(function).may_share(function.body[-1], "a", "y") is shares
    assert regions(function).may_share("a", "y") is shares


def test_sharing_is_passed_on_and_ends():
    function = read_function('''
def f(x: "f64[n]", c: "bool_"):
    a = x * 2.0
    b = a[::-1]
    d = b[::-1]
    e = x * 1.0
    if c:
        u = d
    else:
        u = e
    z = u * 2.0
    return z
''')
    links = alias(function)
    here = statement(function, "z =")
    pairs = {("a", "b"), ("a", "d"), ("b", "d"), ("a", "u"), ("b", "u"), ("d", "u"), ("e", "u")}
    assert set(links.before(here).pairs()) == pairs
    assert not links.may_share(here, "a", "e")


def test_swapped_buffers_stay_apart():
    function = read_function('''
def f(x: "f64[n]", k: "int"):
    u = x * 1.0
    v = x * 2.0
    for i in range(0, k, 1):
        v[0] = 0.5
        u_1 = v
        v_1 = u
        u = u_1
        v = v_1
    return u, v
''')
    assert conflicts(function) == []
    assert not alias(function).may_share(function.body[-1], "u", "v")


def test_three_buffers_turn():
    function = read_function('''
def f(x: "f64[n]", k: "int"):
    a = x * 1.0
    b = x * 2.0
    c = x * 3.0
    for i in range(0, k, 1):
        a[0] = 0.5
        t = a
        a = b
        b = c
        c = t
    return a, b, c
''')
    assert conflicts(function) == []


def test_a_conflict_says_where():
    function = read_function('''
def f(x: "f64[n]"):
    a = x * 2.0
    y = a[1:]
    a[2] = 5.0
    s = sum(y)
    return s
''')
    (conflict,) = conflicts(function)
    assert (conflict.stored, conflict.other) == ("a", "y")
    assert conflict.origin is statement(function, "y =") and conflict.use is statement(function, "s =")


@pytest.mark.parametrize(
    "before, index, stored, loop, is_conflict",
    [
        ("i - 1", "i", "i", "range(1, n, 1)", False),
        ("i - 1", "i", "i", "range(0, n, 1)", True),  # a[-1] is a[0] where there is one row
        ("i + 1", "i", "i", "range(0, n - 1, 1)", False),
        ("i + 1", "i", "i", "range(n - 2, -1, -1)", False),
        ("i - 1", "i", "i", "range(n - 1, 0, -1)", False),
        ("i - 1", "i", "j", "range(1, n, 1)", True),
        ("i", "i", "i", "range(0, n, 1)", True),
        ("k", "k", "i", "range(1, n, 1)", True),
    ],
)
def test_rows_that_cannot_meet(before, index, stored, loop, is_conflict):
    function = read_function(f'''
def f(x: "f64[n_, m]", k: "int"):
    n = x.shape[0]
    a = x * 2.0
    total = 0.0
    for i in {loop}:
        j = {before}
        row = a[j, :]
        a[{stored}, :] = 0.5
        total = total + sum(row)
    return total
''')
    assert bool(conflicts(function)) is is_conflict


@pytest.mark.parametrize(
    "view, store, is_conflict",
    [
        ("a[0]", "a[1, :]", False),
        ("a[0]", "a[-1, :]", True),
        ("a[-2]", "a[-1, :]", False),
        ("a[:2]", "a[2:, :]", False),
        ("a[:3]", "a[2:, :]", True),
        ("a[0:1]", "a[0, :]", True),
        ("a[1:3]", "a[0, :]", False),
        ("a[:, 0]", "a[:, 1]", False),
        ("a[::2]", "a[1, :]", False),
        ("a[::2]", "a[2, :]", True),
        ("a[0]", "a[x > 0.0]", True),
        ("a[k]", "a[0, :]", True),
    ],
)
def test_parts_that_cannot_meet(view, store, is_conflict):
    function = read_function(f'''
def f(x: "f64[n, m]", k: "int"):
    a = x * 2.0
    y = {view}
    {store} = 0.5
    s = sum(y)
    return s
''')
    assert bool(conflicts(function)) is is_conflict


def test_a_view_of_an_earlier_iteration():
    function = read_function('''
def f(x: "f64[n_, m]"):
    n = x.shape[0]
    a = x * 2.0
    last = a[0]
    for i in range(1, n, 1):
        a[i, :] = 0.5
        b = last * 2.0
        last = a[i]
    return last
''')
    assert [(c.stored, c.other) for c in conflicts(function)] == [("a", "last")]


def test_lists_share_their_arrays():
    function = read_function('''
def f(x: "f64[n]"):
    saved: "[f64[n]]" = []
    a = x * 2.0
    append(saved, a)
    a[0] = 1.0
    b = pop(saved)
    return b
''')
    assert [(c.stored, c.other) for c in conflicts(function)] == [("a", "saved")]


def test_a_list_that_grows_leaves_its_arrays_alone():
    function = read_function('''
def f(x: "f64[n]"):
    saved: "[f64[n]]" = []
    a = x * 2.0
    append(saved, a)
    append(saved, a)
    return a
''')
    assert conflicts(function) == []


def test_arguments_are_the_callers():
    function = read_function('def f(x: "f64[n]"):\n    y = x[1:]\n    y[0] = 1.0\n    return y\n')
    (conflict,) = conflicts(function)
    assert (conflict.stored, conflict.other, conflict.use) == ("y", "x", None)


# --- failures ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression, kind",
    [
        ("x + y", NOTHING), ("x + z", ANY), ("x[1:]", NOTHING), ("x[0]", INDEX), ("x[idx]", ANY),
        ("s / 0.0", NOTHING), ("u / 2.0", ANY), ("u * 2.0", NOTHING), ("math.sqrt(u)", ANY), ("sqrt(s)", NOTHING),
        ("max(x)", ANY), ("sum(x)", NOTHING), ("max(w)", NOTHING), ("zeros((n,))", NOTHING), ("zeros((k,))", ANY),
        ("zeros((3,))", NOTHING), ("x @ y", NOTHING), ("x @ z", ANY), ("cast(s, 'i64')", ANY),
        ("cast(k, 'f64')", NOTHING), ("cast(u, 'f64')", NOTHING), ("k ** k", ANY), ("s ** 2.0", NOTHING),
        ("reshape(x, (n, 1))", ANY), ("transpose(w, (1, 0))", NOTHING), ("where(s > 0.0, s, u)", NOTHING),
        ("x.shape[0]", NOTHING), ("k // k", ANY), ("idx // 2", NOTHING), ("idx ** idx", ANY),
    ],
)  # fmt: skip
def test_what_can_fail(expression, kind):
    function = read_function(f'''
def f(x: "f64[n_]", y: "f64[n_]", z: "f64[m]", w: "f64[3, 2]", idx: "i64[m]", s: "f64", u: "float", k: "int"):
    n = x.shape[0]
    out = {expression}
    return out
''')
    assert failures(function).statement_kind(function.body[-2]) == kind


# --- names ---------------------------------------------------------------------------------------------------------


def test_made_names():
    function = read_function('''
def f(x: "f64[n]", w: "f64"):
    hidden = x * w + 1.0
    y = sum(hidden)
    return y
''')
    from pellucid.compiler.renaming import rename

    assert temporaries_of(function) == {"t"}
    names = {"hidden": "total_4", "y": "y_bar_1"}
    assert temporaries_of(rename(function, names)) == {"t", "total_4"}
    names = {"hidden": "y_bar", "y": "y_bar_1"}
    assert temporaries_of(rename(function, names)) == {"t", "y_bar"}

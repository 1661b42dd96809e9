"""The verifier: functions of the languages pass, and each kind of fault is found where it is."""

import gast
import pytest

import pellucid
from pellucid.compiler import syntax
from pellucid.compiler.analysis.reaching import changed_definitions
from pellucid.compiler.diagnostics import InternalError, Span
from pellucid.compiler.frontend.specialise.kinds import own_operators
from pellucid.compiler.languages import verifier
from pellucid.compiler.ops.forms import ROUTINES
from pellucid.compiler.program import Function, Origin, Program
from pellucid.compiler.steps import Step, run_steps
from pellucid.compiler.types import FLOAT, INT, Array, Dim, ListOf, Scalar, parse

from .harness.random_typed import random_program
from .harness.typed_text import read_function, read_program

HERE = Span("users.py", 7, 4, 7, 20)
F64 = Scalar("f64")
VECTOR = parse("f64[n]")


def function(*body, types=None, parameters=("x",), results=(F64,), stage="typed"):
    """A function of `x: f64[n]` with this body and these further types."""
    known = {"x": VECTOR, "k": INT, "s": F64, **(types or {})}
    for statement in syntax.walk(body):
        if getattr(statement, "span", None) is None:
            syntax.at(statement, HERE)
    needed = {n: t for n, t in known.items()}
    return Function("f", parameters, tuple(body), stage, Origin("users.py", "f", 6), needed, results)


def total():
    return syntax.assign("s", syntax.call("sum", "x", axis=None, keepdims=False))


def found(*body, stage="typed", **options):
    return verifier.verify(function(*body, stage=stage if stage != "single" else "typed", **options), stage)


# --- what is fine --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_random_programs_pass(seed):
    assert verifier.verify(read_function(random_program(seed)), "single") == ()


def test_a_small_function_passes():
    assert found(total(), syntax.return_(["s"])) == ()


def test_a_loops_function_passes():
    shape = syntax.tuple_([syntax.call("dim", "x", axis=0)])
    body = [
        syntax.assign("a", syntax.call("empty", shape=shape, dtype="f64")),
        syntax.for_range("i", 0, syntax.call("dim", "x", axis=0), 1, [
            syntax.store("a", ["i"], syntax.call("multiply", syntax.call("sin", syntax.index("x", "i")), 2.0)),
        ], kind="prange"),
        syntax.assign("v", syntax.index("a", syntax.slice_(1, None))),
        syntax.assign("s", syntax.index("a", 0)),
        syntax.delete("v"),
        syntax.return_(["s"]),
    ]  # fmt: skip
    assert found(*body, stage="loops", types={"a": VECTOR, "i": INT, "v": parse("any f64[n - 1]")}) == ()


# --- forms ---------------------------------------------------------------------------------------------------------

NESTED = syntax.call("add", syntax.call("sin", "s"), 1.0)


@pytest.mark.parametrize(
    "statement, message",
    [
        (syntax.assign("y", NESTED), "an operand is not an atom"),
        (syntax.assign("y", syntax.call("add", "s")), "`add` takes 2 operands, not 1"),
        (syntax.assign("y", syntax.call("sum", "x", axis=0, keep=True)), "`sum` has no static part `keep`"),
        (syntax.assign("y", syntax.call("reshape", "x")), "`reshape` needs its static part `shape`"),
        (syntax.assign("y", syntax.index("x", syntax.call("add", "k", 1))), "an index item is not an atom"),
        (syntax.assign("y", gast.BinOp(syntax.name("s"), gast.Add(), syntax.name("s"))), "not a right-hand side"),
        (syntax.store("x", [0], NESTED), "what is stored is not an atom"),
        (syntax.if_(NESTED, []), "the test of `if` is not an atom"),
        (syntax.for_range("i", 0, NESTED, 1, []), "a bound of the loop is not an atom"),
        (syntax.expression(syntax.call("sin", "s")), "the result of `sin` is lost"),
        (gast.Raise(syntax.name("ValueError"), None), "`raise` takes an exception that is called"),
        (gast.Break(), "not a statement of the typed stage: Break"),
        (syntax.assign(["a", "b"], syntax.call("sin", "s")), "`sin` does not have 2 results"),
        (syntax.while_(gast.BinOp(syntax.name("s"), gast.Lt(), syntax.name("s")), []), "not written as a call"),
    ],
)
def test_forms(statement, message):
    (finding,) = found(total(), statement, syntax.return_(["s"]), types={"y": F64, "i": INT, "a": F64, "b": F64})
    assert message in finding and finding.startswith("line 7: `")


# --- invariants ----------------------------------------------------------------------------------------------------


def test_return_is_last_and_only():
    early = syntax.if_(syntax.constant(True), [syntax.return_([1.0])])
    assert "not the last statement" in found(early, syntax.return_([1.0]), results=(FLOAT,))[0]
    assert "the last statement is not `return`" in found(total())[0]


def test_spans():
    made = function(total(), syntax.return_(["s"]))
    made.body[0].span = None
    (finding,) = verifier.verify(made, "typed")
    assert finding.startswith("`s = sum(x, axis=None, keepdims=False)`: no span")


def test_types_are_complete():
    made = function(total(), syntax.return_(["s"]))
    assert "`s` has no type" in verifier.verify(made.with_(types={"x": VECTOR}), "typed")[0]
    assert "the parameter `x` has no type" in verifier.verify(made.with_(types={"s": F64}), "typed")[0]
    assert "1 results, and types for 2" in verifier.verify(made.with_(results=(F64, F64)), "typed")[0]


@pytest.mark.parametrize(
    "declared, value, message",
    [
        ("f64", syntax.call("sin", "x"), "`y` is declared f64, and this is f64[n]"),
        ("f64[n]", syntax.call("add", "x", 1), None),
        ("f32[n]", syntax.call("add", "x", 1), "`y` is declared f32[n], and this is f64[n]"),
        ("f64", syntax.constant(1.0), None),
        ("f32", syntax.constant(1.0), "`y` is declared f32, and this is float"),
        ("f64", syntax.constant(1), "`y` is declared f64, and this is int"),
        ("float", syntax.name("s"), "`y` is declared float, and this is f64"),
        ("f64[n]", syntax.index("x", syntax.slice_(1, None)), "`y` is declared f64[n], and this is f64[n - 1]"),
        ("any f64[n - 1]", syntax.index("x", syntax.slice_(1, None)), None),
        ("f64[n]", syntax.index("x", syntax.slice_(None, None, -1)), "`y` is declared f64[n], and this is any f64[n]"),
        ("f64[3]", syntax.call("zeros", shape=(2,), dtype="f64"), "`y` is declared f64[3], and this is f64[2]"),
        ("f64", syntax.index("x", 0, 0), "too many indices"),
        ("f64[n]", syntax.call("bitwise_and", "x", 1), "`&`"),
    ],
)
def test_types_are_inferred_again(declared, value, message):
    reports = found(total(), syntax.assign("y", value), syntax.return_(["s"]), types={"y": parse(declared)})
    if message is None:
        assert reports == ()
    else:
        assert message in reports[0]


def test_types_of_results_and_of_elements():
    assert "a result is declared float, and this is f64" in found(total(), syntax.return_(["s"]), results=(FLOAT,))[0]
    lists = {"xs": ListOf(Scalar("f32")), "v": FLOAT}
    made = [
        syntax.assign("xs", syntax.call("new_list")),
        syntax.assign("v", syntax.constant(1.0)),
        syntax.expression(syntax.call("append", "xs", "v")),
        syntax.return_(["v"]),
    ]
    assert "the element is declared f32, and this is float" in found(*made, types=lists, results=(FLOAT,))[0]


@pytest.mark.parametrize(
    "text, name",
    [
        ("if c:\n        y = s * 2.0\n    else:\n        raise ValueError('no')\n    z = y + 1.0", None),
        ("if c:\n        y = s * 2.0\n    z = y + 1.0", "y"),
        ("for i in range(0, k, 1):\n        y = s * 2.0\n    z = y + 1.0", "y"),
        ("while c:\n        y = s * 2.0\n    z = y + 1.0", "y"),
        ("for i in range(0, k, 1):\n        y = s * 2.0\n        z = y + 1.0\n    z_1 = 0.5", None),
    ],
)
def test_names_are_assigned_before_they_are_read(text, name):
    source = f'def f(s: "f64", c: "bool_", k: "int"):\n    {text}\n    return s\n'
    reports = verifier.verify(read_function(source), "typed")
    if name is None:
        assert reports == ()
    else:
        assert f"`{name}` may be read before it is assigned" in reports[0]


@pytest.mark.parametrize(
    "text, message",
    [
        ("y = s * 2.0\n    y = s * 3.0", "`y` is assigned twice in one block"),
        ("s = s * 2.0\n    y = s", "the parameter `s` is assigned"),
        ("y = s\n    for i in range(0, k, 1):\n        y = y * 2.0", None),
        ("y = s\n    for i in range(0, k, 1):\n        y = y * 2.0\n        z = y + 1.0", "`y` is carried by the loop"),
        ("y = s\n    if c:\n        y = s * 2.0", "`y` merges and is assigned in one branch only"),
        ("if c:\n        y = s * 2.0\n    else:\n        y = s", None),
        ("if c:\n        y = s * 2.0\n        z = y + 1.0\n    else:\n        y = s", "merges and is"),
    ],
)
def test_single_assignment_but_for_merges(text, message):
    source = f'def f(s: "f64", c: "bool_", k: "int"):\n    {text}\n    return s\n'
    made = read_function(source)
    assert verifier.verify(made, "typed") == ()
    reports = verifier.verify(made, "single")
    if message is None:
        assert reports == ()
    else:
        assert message in reports[0]


# --- lengths -------------------------------------------------------------------------------------------------------

GROWN = {"t": parse("f64[length]"), "g": parse("f64[length + n]"), "i": INT}


def grown(*more, types):
    """`t` grows in a loop and has a length of its own; what follows sees it behind the loop."""
    longer = syntax.assign("g", syntax.call("concatenate", "t", "x", axis=0))
    loop = syntax.for_range("i", 0, "k", 1, [longer, syntax.assign("t", syntax.name("g"))])
    body = [syntax.assign("t", syntax.name("x")), loop, *more, total(), syntax.return_(["s"])]
    return found(*body, types={**GROWN, **types}, parameters=("x", "k"))


@pytest.mark.parametrize(
    "declared, value, message",
    [
        ("f64[length - 1]", syntax.index("t", syntax.slice_(1, None)), None),
        ("f64[length]", syntax.index("t", syntax.slice_(1, None)), "its length is length - 1, not length"),
        ("f64[length]", syntax.name("x"), "its length is n, not length"),
        ("f64[length]", syntax.call("add", "t", "t"), None),
        ("f64[length]", syntax.call("add", "x", "t"), None),  # the operator sees to it that they are equal
        ("f64[length + n]", syntax.call("concatenate", "t", "x", axis=0), None),
        ("f64[length]", syntax.call("concatenate", "t", "x", axis=0), "its length is length + n, not length"),
        ("f64[other]", syntax.name("t"), None),  # a length of its own, of which less is known
        ("f64[?]", syntax.name("t"), "an unknown length in its type"),
    ],
)
def test_lengths_are_worked_out_again(declared, value, message):
    types = {"u": Array("f64", (Dim((("?", 1),)),)) if "?" in declared else parse(declared)}
    reports = grown(syntax.assign("u", value), types=types)
    assert (reports == ()) if message is None else (message in reports[0])


def test_one_number_has_one_length():
    """Two arrays of as many zeros as an int says may share a symbol, and those of two ints may not."""
    made = [syntax.assign(name, syntax.call("zeros", shape=(syntax.name(size),), dtype="f64"))
            for name, size in (("p", "k"), ("q", "k"), ("r", "j"))]  # fmt: skip
    closing = [total(), syntax.return_(["s"])]
    types = {"p": parse("f64[h]"), "q": parse("f64[h]"), "j": INT}
    assert found(*made[:2], *closing, types=types, parameters=("x", "k", "j")) == ()
    reports = found(*made, *closing, types={**types, "r": parse("f64[h]")}, parameters=("x", "k", "j"))
    assert "`r` is declared f64[h]" in reports[0]


@pytest.mark.parametrize(
    "size, declared, message",
    [
        (syntax.call("dim", "x", axis=0), "f64[n]", None),
        (syntax.call("subtract", syntax.call("dim", "x", axis=0), 1), "f64[n]", "its length is n - 1, not n"),
        (syntax.name("k"), "f64[size]", None),
        (syntax.constant(3), "f64[n]", "its length is 3, not n"),
    ],
)
def test_buffers_have_the_lengths_of_their_types(size, declared, message):
    buffer = syntax.assign("a", syntax.call("empty", shape=syntax.tuple_([size]), dtype="f64"))
    body = [buffer, syntax.assign("s", syntax.index("a", 0)), syntax.return_(["s"])]
    reports = found(*body, stage="loops", types={"a": parse(declared)}, parameters=("x", "k"))
    assert (reports == ()) if message is None else (message in reports[0])


# --- which definitions reach a read --------------------------------------------------------------------------------

MERGED = """def f(x: "f64", c: "bool_", k: "int"):
    y = x * 2.0
    z = x + 1.0
    for i in range(0, k, 1):
        t = {loop} * z
        y = t
    if c:
        w = {inside} + 1.0
    else:
        w = z
    return w, y
"""


@pytest.mark.parametrize(
    "before, after, changed",
    [
        (("y", "y"), ("y", "y"), None),
        (("y", "y"), ("y", "z"), "w = add(z, 1.0)"),
        (("y", "y"), ("x", "y"), "t = multiply(x, z)"),
    ],
)
def test_other_definitions_are_found(before, after, changed):
    one, other = (read_function(MERGED.format(loop=loop, inside=inside)) for loop, inside in (before, after))
    faults = [text for text, _ in ((verifier.first_line(s), m) for s, m in changed_definitions(one, other))]
    assert faults[:1] == ([] if changed is None else [changed])


def test_names_and_copies_do_not_count():
    source = MERGED.format(loop="y", inside="y")
    renamed = source.replace("t = y * z\n        y = t", "y = y * z").replace("z", "other")
    assert [*changed_definitions(read_function(source), read_function(renamed))] == []
    fewer = source.replace("    y = x * 2.0\n", "    y = x\n")
    assert [*changed_definitions(read_function(source), read_function(fewer))]
    with pytest.raises(InternalError, match="another definition reaches `z`"):
        swapped = source.replace("w = y + 1.0", "w = z + 1.0")
        verifier.require_same_definitions(read_function(source), read_function(swapped), "rename")


# --- loops ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement, message",
    [
        (syntax.assign("y", syntax.index("m", "k")), "`m` has 2 axes, not 1"),
        (syntax.assign("y", syntax.call("add", "k", "s")), "`add` of int and f64: one of them needs a cast"),
        (syntax.assign("y", syntax.call("add", "s", 1.0)), None),
        (syntax.assign("y", syntax.call("add", "s", 1)), "needs a cast"),
        (syntax.assign("y", syntax.index("x", "s")), "an index is f64, not an int"),
        (syntax.assign("a", syntax.call("sin", "x")), "`sin` of arrays is not of the loops stage"),
        (syntax.assign("a", syntax.index("m", "k")), "an array from an index without a slice is no view"),
        (syntax.assign("a", syntax.index("m", "k", syntax.slice_())), None),
        (syntax.store("m", ["k"], 1.0), "`m` has 2 axes, not 1"),
        (syntax.store("s", ["k"], 1.0), "`s` is a number and has no elements"),
    ],
)
def test_loops(statement, message):
    types = {"m": Array("f64", (3, 4)), "y": F64, "a": Array("f64", (4,))}
    body = [syntax.assign("s", syntax.index("x", 0)), statement, syntax.return_(["s"])]
    reports = found(*body, stage="loops", types=types, parameters=("x", "m", "k"))
    if message is None:
        assert reports == ()
    else:
        assert message in reports[0]


# --- core ----------------------------------------------------------------------------------------------------------


def test_core():
    tree = gast.parse("def f(x):\n    for y in x:\n        if y > 3:\n            break\n    return x").body[0]
    made = Function("f", ("x",), tuple(tree.body), "core", Origin("users.py", "f", 1))
    assert verifier.verify(made, "core") == ()
    for text in ("try:\n        y = 1\n    finally:\n        y = 2", "with x:\n        y = 1", "del x", "y = (z := 1)"):
        tree = gast.parse(f"def f(x):\n    {text}\n    return x").body[0]
        assert verifier.verify(made.with_(body=tuple(tree.body)), "core")


# --- programs and errors -------------------------------------------------------------------------------------------


def test_require_names_the_step_and_the_smallest_statement():
    bad = [
        syntax.for_range("i", 0, "k", 1, [syntax.assign("y", NESTED)]),
        syntax.assign("z", syntax.call("add", syntax.call("multiply", "s", "s"), syntax.call("multiply", "s", "s"))),
    ]
    made = function(total(), *bad, syntax.return_(["s"]), types={"y": F64, "z": F64, "i": INT}, parameters=("x", "k"))
    with pytest.raises(InternalError) as caught:
        verifier.require(made, "typed", "flatten")
    assert caught.value.step == "flatten" and caught.value.statement_text == "y = add(sin(s), 1.0)"
    assert "`f` is not of the typed stage: an operand is not an atom" in str(caught.value)
    assert verifier.require(function(total(), syntax.return_(["s"])), "typed") is None


@pytest.mark.parametrize("wrong", [KeyError("e_bar_7"), IndexError("pop from empty list"), AssertionError()])
def test_a_fault_of_a_pass_names_the_users_function(wrong):
    def forgets(made):
        for statement in made.body:
            if isinstance(statement, gast.Return):
                raise wrong
        return made

    program = Program("f", {"f": function(total(), syntax.return_(["s"]))})
    with pytest.raises(InternalError) as caught:
        run_steps(program, (Step(forgets, "typed", "typed"),))
    assert caught.value.step == "forgets" and caught.value.__cause__ is wrong
    assert f"{type(wrong).__name__}: {wrong}" in str(caught.value) and "in `f`" in str(caught.value)


def test_a_fault_of_the_specialiser_names_the_users_line(monkeypatch):
    def forgets(*_):
        raise KeyError("sin")

    monkeypatch.setattr(own_operators, "unary", forgets)
    with pytest.raises(InternalError, match=r"KeyError: 'sin'") as caught:
        pellucid.compile(lambda x: -x)(1.0)
    assert "test_stages.py:" in str(caught.value)


def test_calls_fit():
    text = """
def entry(x: "f64", y: "f64[n]"):
    (a, b) = step(x, y)
    return a + b

def step(x: "f64", y: "f64[m]") -> ("f64", "f64"):
    a = x + sum(y)
    return a, x
"""
    program = read_program(text)
    assert verifier.call_findings(program) == ()
    entry, step = program.functions.values()

    def reports(function, other=step):
        return [f.message for f in verifier.call_findings(Program("entry", {"entry": function, "step": other}))]

    call = entry.body[0]
    fewer = syntax.rebuild(call, value=syntax.call("step", "x"))
    assert reports(entry.with_(body=(fewer, *entry.body[1:]))) == ["`step` takes 2 arguments, not 1"]
    swapped = syntax.rebuild(call, value=syntax.call("step", "y", "x"))
    assert "`x` of `step` is f64, and gets f64[n]" in reports(entry.with_(body=(swapped, *entry.body[1:])))
    assert reports(entry, step.with_(results=(F64,))) == ["`step` gives 1 results, not 2"]
    assert "gives i64 for `a`, which is f64" in reports(entry, step.with_(results=(parse("i64"), F64)))[0]
    lost = syntax.rebuild(call, value=syntax.call("stride", "x", "y"))
    assert reports(entry.with_(body=(lost, *entry.body[1:]))) == ["there is no function or operator `stride`"]


@pytest.mark.parametrize("name", ROUTINES)
def test_library_statements_are_known(name):
    def made(routine):
        body = (syntax.expression(syntax.call(routine, "x", "x", "x")), syntax.return_(["s"]))
        return Program("f", {"f": function(*body, parameters=("x", "s"), stage="loops")})

    assert verifier.require_calls(made(name), "lower") is None
    with pytest.raises(InternalError, match="there is no function or operator `gemmm`"):
        verifier.require_calls(made("gemmm"), "lower")

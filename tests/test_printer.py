"""The printer: text that Python reads back as the tree, that runs as the operators say, and that reads well."""

import ast
import linecache
import random
import re
import subprocess
import sys
import textwrap
import traceback
import warnings

import gast
import numpy as np
import pytest

import pellucid
from pellucid.compiler import driver, syntax
from pellucid.compiler.diagnostics import Span
from pellucid.compiler.languages.typed import read_typed
from pellucid.compiler.ops.samples import SAMPLES
from pellucid.compiler.ops.schema import OPERATORS, TypeFault
from pellucid.compiler.program import Function, Origin, Program
from pellucid.compiler.targets.python import definition as target
from pellucid.compiler.targets.python.breaking import broken
from pellucid.compiler.targets.python.printer import print_core, print_function, print_program, render
from pellucid.compiler.targets.python.unparse import constant_text, expression_text
from pellucid.compiler.types import Array

from .harness.cases import callable_of, same
from .harness.every import every
from .harness.operators import OperatorCase, is_one_of_many, operator_cases, type_of_value
from .harness.random_typed import random_program
from .harness.read_back import assert_reads_back
from .harness.typed_text import read_function, read_program

# --- parentheses: Python's own parser is the oracle ----------------------------------------------------------------


def random_tree(rng, depth):
    """A random expression of every kind that binds."""
    if depth == 0:
        return rng.choice([
            ast.Name(rng.choice("abc"), ast.Load()), ast.Constant(rng.choice([1, 2.5, -3, -0.5, True, None, "it's"])),
        ])  # fmt: skip

    def part():
        return random_tree(rng, depth - 1)

    kind = rng.randrange(10)
    if kind < 4:
        operators = [ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult, ast.LShift,
                     ast.BitOr, ast.BitXor, ast.BitAnd]  # fmt: skip
        return ast.BinOp(part(), rng.choice(operators)(), part())
    if kind == 4:
        return ast.UnaryOp(rng.choice([ast.USub, ast.Not, ast.Invert, ast.UAdd])(), part())
    if kind == 5:
        return ast.Compare(part(), [rng.choice([ast.Lt, ast.Eq, ast.NotIn, ast.Is])()], [part()])
    if kind == 6:
        return ast.BoolOp(rng.choice([ast.And, ast.Or])(), [part(), part(), part()])
    if kind == 7:
        return ast.IfExp(part(), part(), part())
    if kind == 8:
        return ast.Call(part(), [part(), ast.Tuple([part(), part()], ast.Load())], [ast.keyword("k", part())])
    return ast.Subscript(part(), ast.Tuple([part(), ast.Slice(part(), None, part())], ast.Load()), ast.Load())


@every(range(150))
def test_parentheses(seed):
    tree = random_tree(random.Random(seed), 4)
    text = expression_text(gast.ast_to_gast(ast.fix_missing_locations(tree)))
    read = ast.parse(text, mode="eval").body
    # a negative number is read as the negation of one
    assert _without_signs(ast.dump(read)) == _without_signs(ast.dump(tree))


def _without_signs(dump):
    signed = re.sub(r"UnaryOp\(op=USub\(\), operand=Constant\(value=([\d.]*)\)\)", r"Constant(value=-\1)", dump)
    return signed.replace("UnaryOp(op=USub(), operand=Constant(value=-", "Twice(Constant(value=")


def test_no_parentheses_without_need():
    for text in (
        "a + b * c - d", "(a + b) * c", "a - (b - c)", "a ** b ** c", "(a ** b) ** c", "-a ** 2", "(-a) ** 2",
        "not a and b or c", "not (a or b)", "a if b else c if d else e", "(a if b else c) if d else e", "x[a:b, ::c]",
        "f(a, (b, c), k=d)", "lambda x: x + 1", "(lambda x: x)(a)", "a < b < c", "(a < b) < c", "a @ b * c",
        "a ** -b", "f'{a!r:>8}'",
    ):  # fmt: skip
        assert expression_text(gast.parse(text, mode="eval").body) == text.replace("'", '"')


def test_constants():
    values = [0.1, -0.0, 1e300, 5e-324, 1e22, float("inf"), -float("inf"), 10**30, True, None, ..., "a\"b'c\n{}", b"x"]
    import math

    for value in values:
        again = eval(constant_text(value), {"math": math})
        assert type(again) is type(value) and repr(again) == repr(value)
    assert constant_text(float("nan")) == "math.nan"


@every(range(60))
def test_broken_lines(seed):
    rng = random.Random(seed)
    tree = gast.ast_to_gast(ast.fix_missing_locations(random_tree(rng, 5)))
    text = expression_text(tree)
    for line in (f"y[a, 0] = {text}", f"    z += {text}", f"return {text}", f"while {text}:", f"f({text}, k=1)"):
        for width in (40, 80):
            lines = broken(line, width)
            tail = "\n        pass" if line.endswith(":") else ""
            wrapped = [f"def g():\n  if a:\n{textwrap.indent(t, '   ')}{tail}" for t in ("\n".join(lines), line)]
            assert ast.dump(ast.parse(wrapped[0])) == ast.dump(ast.parse(wrapped[1]))
            assert len(lines) > 1 or len(line) <= width or "(" not in line.split("(", 1)[-1]


# --- spelling: every operator of the table, run as printed ---------------------------------------------------------


def printed_call(case):
    """The operator of a case as the printed function of its operands."""
    names = [f"x_{k}" for k in range(len(case.operands))]
    types = {n: type_of_value(v) for n, v in zip(names, case.operands)}
    value = syntax.call(case.row.name, *names, **case.static)
    found = case.row.type_rule(tuple(types.values()), **case.static)
    several = case.row.results > 1
    results = {f"out_{k}": type_ for k, type_ in enumerate(found)} if several else {"out": found}
    body = (syntax.assign([*results] if several else "out", value), syntax.return_([*results]))
    return Function("f", tuple(names), body, "typed", Origin("table.py", "f", 1), types | results, (*results.values(),))


def spelled_cases():
    """The cases of the language: typed, and without arrays that have no dimensions.  `empty` holds nothing known."""
    for case in operator_cases():
        try:
            types = printed_call(case).types.values()
        except TypeFault:
            continue
        if case.row.name != "empty" and not any(isinstance(t, Array) and t.ndim == 0 for t in types):
            yield case


SPELLED = list(spelled_cases())


@every(SPELLED, by=lambda case: case.row.name, is_long=is_one_of_many)
def test_spelling(case):
    function = printed_call(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = callable_of(function)(*case.operands)
        expected = case.reference()
    declared = function.results[0]
    assert same(result, expected), f"{print_function(function)}: {result!r}, not {expected!r}"
    if not isinstance(declared, Array):
        assert isinstance(result, np.generic) != declared.weak, f"{type(result)} for {declared}"


def cases_of_rows():
    """For every row, those of several results too, its last sample: the first ones are often empty."""
    several = [row for row in OPERATORS.values() if row.results > 1]
    more = [OperatorCase(row, k, sample) for row in several for k, sample in enumerate(SAMPLES[row.samples])]
    return [*{case.row.name: case for case in (*SPELLED, *more)}.values()]


@pytest.mark.parametrize("case", [
    pytest.param(case, id=str(case), marks=[pytest.mark.long] * is_one_of_many(case.row.name))
    for case in cases_of_rows()
])  # fmt: skip
def test_what_is_printed_of_a_row_can_be_read_back(case):
    program = Program("f", {"f": printed_call(case)})
    assert_reads_back(program, "typed")
    assert_reads_back(driver.loops(read_typed(print_program(program), "f.py")), "loops")


# --- folding -------------------------------------------------------------------------------------------------------


def printed_body(text, **options):
    lines = print_function(read_function(text), **options).splitlines()[1:]
    return textwrap.dedent("\n".join(lines))


def test_single_uses_are_folded():
    assert printed_body("""
def f(x: "f64[n]", w: "f64[n]", b: "f64"):
    z = sin(x * w + b) ** 2 - (x - (w - 1.0)) / 2.0
    return sum(z), z
""") == textwrap.dedent("""\
    z = np.sin(x * w + b) ** 2 - (x - (w - 1.0)) / 2.0
    return np.sum(z), z""")


def test_nothing_moves_past_a_store():
    assert printed_body("""
def f(x: "f64[n]"):
    a = x.copy()
    t = a[0]
    t_1 = a[1:]
    t_2 = sum(t_1)
    a[0] = 5.0
    return t, t_2, a
""") == textwrap.dedent("""\
    a = x.copy()
    t = a[0]
    t_1 = np.sum(a[1:])
    a[0] = 5.0
    return t, t_1, a""")


def test_nothing_moves_past_a_store_through_a_view():
    assert printed_body("""
def f(x: "f64[n]"):
    a = x.copy()
    b = a[1:]
    t = a[2]
    b[1] = 5.0
    return t, a
""") == textwrap.dedent("""\
    a = x.copy()
    b = a[1:]
    t = a[2]
    b[1] = 5.0
    return t, a""")


def test_nothing_moves_past_an_assignment_of_what_it_reads():
    assert printed_body("""
def f(x: "f64", k: "int"):
    e = x
    for i in range(0, k, 1):
        t = e * 2.0
        e = sin(x)
        e = e + t
    return e
""") == textwrap.dedent("""\
    e = x
    for i in range(k):
        t = e * 2.0
        e = np.sin(x)
        e += t
    return e""")


def test_what_can_fail_stays_before_a_raise_and_out_of_lazy_places():
    assert printed_body("""
def f(x: "f64[n]", k: "int", c: "bool_"):
    t = x[k]
    if c:
        raise ValueError(f"no {k} in {{}}")
    t_1 = x[0]
    t_2 = where(c, t_1, 2.0)
    t_3 = 1 / k
    return t, t_2, t_3
""") == textwrap.dedent("""\
    t = x[k]
    if c:
        raise ValueError(f"no {k} in {{}}")
    t_1 = x[0]
    return t, np.float64(t_1 if c else 2.0), 1 / k""")


def test_long_lines_are_broken_at_temporaries():
    text = """
def f(x: "f64[n]", weights: "f64[n]", offset: "f64"):
    return sum((x - offset) * weights) / sum(weights) + sum((x - offset) ** 2 * weights) / sum(weights ** 2) - offset
"""
    for width in (100, 70, 40):
        lines = print_function(read_function(text), width=width).splitlines()
        assert max(map(len, lines[1:])) <= width
    assert len(lines) > 6


def test_augmented_assignment_is_for_scalars_and_elements():
    assert printed_body("""
def f(x: "f64[n]", y: "i64[n]", k: "int"):
    s = 0.5
    u = x
    a = x.copy()
    b = y.copy()
    for i in range(0, k, 1):
        s = s * 2.0
        u = u + 1.0
        a[i] = a[i] - s
        b[i] = b[i] + 0.5
    return s, u, a, b
""") == textwrap.dedent("""\
    s = 0.5
    u = x
    a = x.copy()
    b = y.copy()
    for i in range(k):
        s *= 2.0
        u = u + 1.0
        a[i] -= s
        b[i] = b[i] + 0.5
    return s, u, a, b""")


def test_choices_become_elif():
    assert printed_body("""
def f(x: "f64"):
    t = x < 0.0
    if t:
        y = -x
    else:
        t_1 = x < 1.0
        if t_1:
            y = x * 2.0
        else:
            y = x * 3.0
    return y
""") == textwrap.dedent("""\
    if x < 0.0:
        y = -x
    elif x < 1.0:
        y = x * 2.0
    else:
        y = x * 3.0
    return y""")


def test_the_users_names_stay():
    assert printed_body("""
def f(x: "f64[n]"):
    total = sum(x)
    count = x.shape[0]
    mean = total / count
    return mean
""") == textwrap.dedent("""\
    total = np.sum(x)
    count = x.shape[0]
    mean = total / count
    return mean""")


def test_index_arithmetic_is_written_out():
    assert printed_body("""
def f(x: "f64[n]"):
    a = x.copy()
    t = x.shape[0] - 1
    for i in range(1, t, 1):
        t_1 = i - 1
        t_2 = i + 1
        a[i] = a[t_1] + x[t_2] + x[t_1]
    return a
""") == textwrap.dedent("""\
    a = x.copy()
    for i in range(1, x.shape[0] - 1):
        a[i] = a[i - 1] + x[i + 1] + x[i - 1]
    return a""")


@pytest.mark.parametrize("seed", range(25))
def test_folded_text_means_the_same(seed):
    from .harness.cases import outcome, random_arguments

    function = read_function(random_program(seed))
    flat, folded = (dict(np=np) for _ in range(2))
    import math

    for space, text in ((flat, print_function(function, folded=False)), (folded, print_function(function))):
        space["math"] = math
        exec(text, space)
    for round_ in range(4):
        expected = outcome(flat["f"], random_arguments(function, round_))
        got = outcome(folded["f"], random_arguments(function, round_))
        both_index = isinstance(expected, IndexError) and isinstance(got, IndexError)
        assert both_index or same(expected, got)


# --- files ---------------------------------------------------------------------------------------------------------

LOGISTIC = '''
def logistic_loss(w: "f64[m]", b: "f64", features: "f64[n, m]", labels: "f64[n]"):
    z = features @ w + b
    loss = sum(logaddexp(0.0, z) - labels * z)
    for i in range(3):
        b_1 = b * 0.5
    return loss, z
'''


def test_a_whole_file():
    program = read_program(LOGISTIC.lstrip(), "logistic.py")
    assert print_program(program) == textwrap.dedent("""\
        import numpy as np


        # logistic_loss (logistic.py:1), typed stage
        # w: f64[m]   b: f64   features: f64[n, m]   labels: f64[n]   ->   loss: f64   z: f64[n]
        def logistic_loss(w, b, features, labels):
            # logistic.py:2    z = features @ w + b
            z = features @ w + b

            # logistic.py:3    loss = sum(logaddexp(0.0, z) - labels * z)
            loss = np.sum(np.logaddexp(0.0, z) - labels * z)

            # logistic.py:4    for i in range(3):
            for i in range(3):
                # logistic.py:5    b_1 = b * 0.5
                b_1 = b * 0.5

            # logistic.py:6    return loss, z
            return loss, z
        """)


def test_lines_lead_back_to_the_user():
    program = read_program(LOGISTIC.lstrip(), "logistic.py")
    printed = render(program)
    lines = printed.text.splitlines()
    found = {lines[number - 1].strip(): span.line for number, span in printed.lines.items()}
    assert found == {
        "z = features @ w + b": 2,
        "loss = np.sum(np.logaddexp(0.0, z) - labels * z)": 3,
        "for i in range(3):": 4,
        "b_1 = b * 0.5": 5,
        "return loss, z": 6,
    }


def test_without_comments_and_header():
    text = print_program(read_program(LOGISTIC.lstrip(), "logistic.py"), header=False, comments=False)
    assert text.startswith("def logistic_loss(") and "#" not in text and "\n\n" not in text


def test_notes_and_parts():
    function = read_function(LOGISTIC.lstrip(), "logistic.py")
    body = list(function.body)
    body[-2:] = [syntax.rebuild(s, part="backward") for s in body[-2:]]
    text = print_program(Program("f", {"f": function.with_(body=tuple(body), notes=("A note.", "Another."))}))
    assert "# A note.\n# Another.\n# w: f64[m]" in text
    assert "\n\n    # backward\n    # logistic.py:4    for i in range(3):\n    for i in range(3):\n" in text
    assert text.count("# backward") == 1


def test_several_functions_and_recursion():
    program = read_program('''
def entry(x: "f64", n: "int"):
    (a, b) = step(x, n)
    return a + b

def step(x: "f64", n: "int") -> ("f64", "f64"):
    if n > 0:
        y, z = step(x * 0.5, n - 1)
        u = y + 1.0
        v = z
    else:
        u = x
        v = x
    return u, v
''')
    text = print_program(program, comments=False)
    assert "a, b = step(x, n)" in text and "y, z = step(x * 0.5, n - 1)" in text
    assert text.index("def entry") < text.index("def step")
    space = {}
    exec(text, space)
    assert space["entry"](8.0, 3) == 1.0 + 1.0 + 1.0 + 1.0 + 1.0


def test_helpers_give_way_to_variables():
    from pellucid.compiler.types import FLOAT

    body = (
        syntax.assign("dot", syntax.call("dot", "x", "x")),
        syntax.assign("y", syntax.call("multiply", "dot", 2.0)),
        syntax.return_(["y"]),
    )
    types = {"x": Array("f64", (3,)), "dot": FLOAT, "y": FLOAT}
    function = Function("f", ("x",), body, "loops", Origin("a.py", "f", 1), types, (FLOAT,))
    space = {}
    exec(print_program(Program("f", {"f": function})), space)
    assert space["f"](np.ones(3)) == 6.0


def test_the_same_text_in_every_process(tmp_path):
    script = textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        from tests.harness.typed_text import read_program
        from tests.harness.random_typed import random_program
        from pellucid.compiler.targets.python.printer import print_program
        from pellucid.compiler.transform.simplify import simplify
        from pellucid.compiler.transform.prune import prune
        from pellucid.compiler.transform.copies import with_copies
        from pellucid.compiler.transform.coalesce import coalesce
        for seed in range(3):
            program = read_program(random_program(seed))
            for step in (with_copies, simplify, prune, coalesce):
                program = program.map(step)
            print(print_program(program))
    """)
    import pathlib

    root = pathlib.Path(__file__).resolve().parent.parent
    (tmp_path / "tests").symlink_to(root / "tests")
    texts = {
        subprocess.run([sys.executable, "-c", script], env={"PYTHONHASHSEED": seed, "PATH": ""}, cwd=tmp_path,
                       capture_output=True, text=True, check=True).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(texts) == 1 and "def f(" in texts.pop()


def test_core_is_printed_as_it_stands():
    source = textwrap.dedent('''\
        def f(x, n=3, *, scale: float = 1.0):
            """What it does."""
            for i, y in enumerate(x):
                if i > n and not y:
                    raise ValueError(f"bad {y!r}")
            return [scale * y for y in x if y], {"a": (1,), **n}
        ''')
    tree = gast.parse(source)
    assert print_core(tree) == source
    assert print_core(tree.body[0]) == source


def test_core_has_headings():
    source = "def g(x):\n    y = (x +\n         1)\n    return y\n"
    linecache.cache["users.py"] = (len(source), None, source.splitlines(True), "users.py")
    tree = gast.parse(source).body[0]
    for statement in tree.body:
        statement.span = Span.of(statement, "users.py")
    assert print_core(tree) == textwrap.dedent("""\
        def g(x):
            # users.py:2    y = (x + 1)
            y = x + 1

            # users.py:4    return y
            return y
        """)


# --- running a stage -----------------------------------------------------------------------------------------------


def test_load_runs_from_a_file(tmp_path):
    program = read_program("def f(x: 'f64[n]', k: 'int'):\n    y = x * 2.0\n    return y[k]\n", "users.py")
    function = target.load(program, tmp_path)
    path = tmp_path / "users_f_typed.py"
    assert function.__code__.co_filename == str(path) and path.read_text() == print_program(program)
    assert function(np.arange(3.0), 1) == 2.0
    with pytest.raises(IndexError) as caught:
        function(np.arange(3.0), 7)
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert frame.line == "return y[k]" and frame.filename == str(path)
    assert target.user_line(function.__globals__, frame.lineno).line == 3


def test_load_keeps_files_apart(tmp_path):
    first = read_program("def f(x: 'f64'):\n    return x * 2.0\n", "users.py")
    second = read_program("def f(x: 'f64'):\n    return x * 3.0\n", "users.py")
    paths = [target.load(p, tmp_path).__code__.co_filename for p in (first, second, first, second)]
    assert [p.rsplit("/", 1)[1] for p in paths] == ["users_f_typed.py", "users_f_typed_1.py"] * 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["users_f_typed.py", "users_f_typed_1.py"]


def test_load_refuses_a_file_that_is_not_its_own(tmp_path):
    program = read_program("def f(x: 'f64'):\n    return x * 2.0\n", "users.py")
    (tmp_path / "users_f_typed.py").write_text("raise SystemExit\n")
    assert target.load(program, tmp_path)(2.0) == 4.0
    assert (tmp_path / "users_f_typed.py").read_text() == "raise SystemExit\n"


def of_several(a, b, c, d):
    if a > 0 or b > 0 or c > 0 or d > 0:
        return a
    if a < 1 and (b < 1 or c < 1 or d < 1) and d < 2:
        return b
    return c


@pytest.mark.parametrize("stage", ["typed", "loops"])
def test_tests_of_one_kind_need_no_parentheses(stage):
    text = pellucid.compile(of_several).source(stage, 1.0, 2.0, 3.0, 4.0)
    own = [line for line in text.splitlines() if "#" not in line]
    assert any(line.count(" or ") == 3 and line.count("(") < 2 for line in own)
    assert any(line.count(" and ") == 2 and line.count(" or ") == 2 for line in own)
    assert all(line.count("(") < 3 for line in own if " and " in line)

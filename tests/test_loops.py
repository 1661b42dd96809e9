"""The lowering to loops: programs of every operator agree with NumPy before and after, and what is written is lean."""


import gast
import numpy as np
import pytest

from pellucid.compiler import driver, pipeline, syntax
from pellucid.compiler.analysis.memory.alias import conflicts
from pellucid.compiler.languages import verifier
from pellucid.compiler.steps import run_steps
from pellucid.compiler.targets.python import printer

from .harness.draws import blocks
from .harness.loops_samples import PROGRAMS
from .harness.lowering_check import agree, runnable, text_of
from .harness.random_dtypes import random_arguments as dtype_arguments
from .harness.random_dtypes import random_program as dtype_program
from .harness.random_loops import random_arguments, random_program
from .harness.typed_text import read_program

pytestmark = pytest.mark.drawn(5)

RNG = np.random.default_rng(5)


def lowered(text):
    program = driver.lowered(read_program(text))
    for function in program.functions.values():
        assert not verifier.verify(function, "loops"), text_of(program)
    return program


def statements(program):
    return list(syntax.walk(program.main.body))


def loops_of(program, kind=None):
    found = [s for s in statements(program) if isinstance(s, gast.For)]
    return [s for s in found if kind is None or s.iter.func.id == kind]


def calls_of(program, operator):
    """The statements that assign, or are, a call of one operator."""
    return [
        s
        for s in statements(program)
        if isinstance(s, gast.Assign | gast.Expr) and syntax.operator_of(s.value) == operator
    ]


def arrays_made(program):
    return calls_of(program, "empty")


def calls_of_loops(program, operator):
    """The same inside of loops."""
    inner = [s for loop in loops_of(program) for s in syntax.walk(loop.body)]
    return [s for s in calls_of(program, operator) if any(s is t for t in inner)]


def guards(program):
    return [s for s in statements(program) if isinstance(s, gast.Raise)]


# --- the same answers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("title", PROGRAMS)
def test_program_agrees_with_numpy(title):
    text, make_arguments = PROGRAMS[title]
    typed = read_program(text)
    agree(typed, lowered(text), *make_arguments(np.random.default_rng(1)))


@pytest.mark.parametrize("chosen", blocks(0, 80, 40))
def test_random_programs_agree(chosen):
    for seed in chosen:
        text = random_program(seed)
        typed = read_program(text)
        if conflicts(typed.main):
            continue  # refused before it gets here
        agree(typed, lowered(text), *(random_arguments(seed, k) for k in range(6)))


@pytest.mark.parametrize("chosen", blocks(0, 20, 10))
def test_random_dtypes_agree(chosen):
    for seed in chosen:
        text = dtype_program(seed)
        agree(read_program(text), lowered(text), *(dtype_arguments(4 * seed + k) for k in range(4)))


def test_typed_program_is_left_as_it_was():
    typed = read_program(random_program(3))
    before, types = text_of(typed), dict(typed.main.types)
    driver.lowered(typed)
    assert text_of(typed) == before
    assert typed.main.types == types


def test_same_text_every_time():
    for seed in range(5):
        assert text_of(lowered(random_program(seed))) == text_of(lowered(random_program(seed)))


def test_no_two_places_share_a_tree():
    for seed in range(5):
        program = lowered(random_program(seed))
        nodes = [n for s in program.main.body for n in gast.walk(s) if isinstance(n, gast.expr)]
        parts = [n for n in nodes if not syntax.is_atom(n)]
        assert len({id(n) for n in parts}) == len(parts)


# --- sums ----------------------------------------------------------------------------------------------------------

SUM = 'def f(x: "{0}[n]"):\n    return sum(x)\n'
ROW_SUMS = 'def f(x: "{0}[n, m]"):\n    return sum(x, axis=1)\n'


@pytest.mark.parametrize(
    "values", [[np.inf, 1.0], [np.inf, -np.inf], [1e308] * 300, [-1e308] * 300, [np.nan, np.inf], []]
)
def test_sum_of_what_is_not_finite(values):
    for text, x in ((SUM, np.array(values)), (ROW_SUMS, np.array([values]))):
        typed = read_program(text.format("f64"))
        agree(typed, driver.lowered(typed), [x])


# --- fusion --------------------------------------------------------------------------------------------------------


def test_selu_is_one_pass_over_memory():
    program = lowered("""
def selu(x: "f32[n, m]", alpha: "float", lam: "float"):
    return lam * where(x > 0, x, alpha * exp(x) - alpha)
""")
    text = printer.print_program(program, header=False, comments=False)
    body = text[text.index("def selu") :]
    assert [line.strip().split("(")[0] for line in body.splitlines() if "for " in line] == ["for i in prange"]
    assert len(arrays_made(program)) == 1
    assert " if " in body and "np.where" not in body  # exp only where it is wanted


def test_reduction_is_fused_with_what_it_reduces():
    program = lowered("""
def f(x: "f64[n]", y: "f64[n]"):
    return sum(exp(x) * y), max(x + y)
""")
    assert not arrays_made(program)
    assert len(calls_of(program, "exp")) == 0  # part of the term that is added
    assert text_of(program).count("exp(x[") == 1


def test_value_used_twice_in_a_nest_is_a_local():
    program = lowered("""
def f(x: "f64[n]"):
    t = exp(x)
    return t / (1.0 + t)
""")
    assert len(calls_of(program, "exp")) == 1
    assert len(arrays_made(program)) == 1


def test_value_at_two_places_of_a_nest_is_two_locals():
    text = """
def f(x: "f64[n]", y: "f64[n]"):
    d = x - y
    a = d[1:]
    b = d[:-1]
    return a * a + b * b * a
"""
    program = lowered(text)
    agree(read_program(text), program, [RNG.standard_normal(5), RNG.standard_normal(5)])
    assert len(arrays_made(program)) == 1


def test_values_without_names_are_locals_of_their_own():
    text = """
def f(x: "f64[1]", y: "f64[1]"):
    return x * x * x + y * y * y + (x + y) * (x + y) * (x - y) * (x - y)
"""
    agree(read_program(text), lowered(text), [RNG.standard_normal(1), RNG.standard_normal(1)])


def test_costly_value_wanted_by_two_nests_is_kept():
    program = lowered("""
def f(x: "f64[n]"):
    e = exp(x)
    return e / sum(e)
""")
    assert text_of(program).count("exp(") == 1
    assert len(arrays_made(program)) == 1  # the result takes its place element by element


def test_cheap_value_wanted_by_two_nests_is_computed_twice():
    program = lowered("""
def f(x: "f64[n]"):
    d = x - 1.0
    return max(d), min(d)
""")
    assert not arrays_made(program)


def test_costly_row_is_not_computed_for_every_column():
    program = lowered("""
def f(x: "f64[n, m]", row: "f64[m]", column: "f64[n]"):
    return x * exp(row), x * exp(column)[:, None]
""")
    text = text_of(program)
    assert text.count("exp(row[i])") == 1  # kept in a buffer, ahead of the nest
    assert text.count("exp(column[i])") == 1  # so is this: in a loop of its own it is taken in vectors
    assert len(arrays_made(program)) == 4


def test_shifted_costly_value_is_computed_once():
    program = lowered("""
def f(x: "f64[n]"):
    e = exp(x)
    return e[1:] - e[:-1]
""")
    assert text_of(program).count("exp(") == 1
    assert len(arrays_made(program)) == 2


def test_views_are_index_arithmetic():
    program = lowered("""
def f(u: "f64[n, m]"):
    return transpose(u[1:-1, ::-1], axes=(1, 0)) + 1.0
""")
    assert "u[j + 1, u.shape[1] - i - 1]" in printer.print_program(program).replace(
        "u.shape[1] - 1 - i", "u.shape[1] - i - 1"
    )


def test_gather_takes_only_what_it_wants():
    text = """
def f(x: "f64[n, m]", k: "i64[n]"):
    shifted = x - max(x, axis=1, keepdims=True)
    return shifted[arange(0, x.shape[0], 1, shape=(x.shape[0],)), k]
"""
    program = lowered(text)
    arguments = RNG.standard_normal((3, 4))
    agree(read_program(text), program, *([arguments, np.array(k)] for k in ([0, -1, 3], [1, 4, 0], [-5, 0, 0])))
    assert len(arrays_made(program)) == 1  # the result; a maximum is wanted in its own row only


def test_transposed_operand_is_a_view_of_the_stored_one():
    program = lowered("""
def f(x: "f64[n, m]"):
    c = x - sum(x, axis=0)
    return transpose(c, axes=(1, 0)) @ c
""")
    assert len(arrays_made(program)) == 3


def test_store_in_place_needs_no_temporary():
    program = lowered("""
def f(x: "f64[n]", y: "f64[n]"):
    a = copy(x)
    a[:] = a * 2.0 + y
    a[1:] = a[1:] - y[1:]
    return a
""")
    assert len(arrays_made(program)) == 1


def test_store_through_an_unknown_slice_is_in_place_too():
    program = lowered("""
def f(x: "f64[n, m]", k: "int", s: "float"):
    a = copy(x)
    a[k:, k:] = a[k:, k:] * s
    return a
""")
    assert len(arrays_made(program)) == 1
    assert text_of(program).count("a[k:, k:]") == 1


def test_name_used_for_two_values_does_not_join_them():
    program = lowered("""
def f(x: "f64[n]"):
    t = sum(x)
    y = x / t
    t = max(y)
    z = y * t
    return z
""")
    assert len(arrays_made(program)) == 1


def test_store_of_a_shifted_self_runs_backward():
    program = lowered("""
def f(x: "f64[n]"):
    a = copy(x)
    a[1:] = a[:-1]
    return a
""")
    assert len(arrays_made(program)) == 1


def test_copy_is_not_made_where_nobody_can_tell():
    program = lowered("""
def f(x: "f64[n]"):
    y = copy(x)
    return sum(y)
""")
    assert not arrays_made(program)


def test_long_chains_are_cut_into_nests():
    lines = "\n".join(f"    y_{k + 1} = y_{k} * 0.5 + x" for k in range(400))
    text = f'def f(x: "f64[n]"):\n    y_0 = x * 1.0\n{lines}\n    return y_400\n'
    typed = read_program(text)
    agree(typed, lowered(text), [np.arange(3.0)])


# --- guards --------------------------------------------------------------------------------------------------------


def test_equal_dimensions_need_no_guard():
    assert not guards(
        lowered("""
def f(x: "f64[n, m]", y: "f64[m]", w: "f64[3]"):
    return x + y, x[:, None] * y, transpose(x, axes=(1, 0)) @ x, w * 2.0
""")
    )


def test_one_guard_serves_all_that_follows():
    program = lowered("""
def f(x: "f64[n]", y: "f64[m]"):
    z = x + y
    return z * y, x - y, x @ y
""")
    assert len(guards(program)) == 2  # for lengths that differ, and for a 1 among them


def test_guard_in_a_branch_does_not_serve_behind_it():
    program = lowered("""
def f(x: "f64[n]", y: "f64[m]", b: "bool"):
    if b:
        s = sum(x + y)
    else:
        s = sum(x)
    return s, x * y
""")
    assert len(guards(program)) == 4


def test_length_1_at_run_time_says_so():
    program = lowered("""
def f(x: "f64[n]", y: "f64[m]"):
    return x + y
""")
    with pytest.raises(
        ValueError, match=r"shapes \(3,\) \(1,\): a dimension has length 1 at run time; Pellucid broadcasts"
    ):
        runnable(program)(np.ones(3), np.ones(1))
    with pytest.raises(ValueError, match=r"shapes \(3,\) \(4,\)$"):
        runnable(program)(np.ones(3), np.ones(4))


def test_guard_stands_on_the_line_of_its_operator():
    program = lowered("""
def f(x: "f64[n]", y: "f64[m]"):
    a = x * 2.0
    z = a + y
    return z
""")
    assert {s.span.line for s in guards(program)} == {4}


def test_error_of_a_gather_stands_on_its_line():
    program = lowered("""
def f(x: "f64[n]", k: "i64[m]"):
    y = x[k]
    z = y * 2.0
    return sum(z)
""")
    gathers = [
        s for s in statements(program) if isinstance(s, gast.Assign) and "k[" in gast.dump(s).replace("'k'", "k[")
    ]
    assert {s.span.line for s in gathers if isinstance(s.value, gast.Subscript)} == {3}


# --- buffers and loops ---------------------------------------------------------------------------------------------


def test_outermost_loop_is_parallel():
    unmarked = [step for step in pipeline.LOOPS_WAY if step.name != "mark_independent"]
    program = run_steps(read_program("""
def f(x: "f64[n, m]"):
    return x * 2.0, sum(x, axis=1), max(x, axis=0)
"""), unmarked)
    assert len(loops_of(program, "prange")) == 1  # all three walk along the rows of x


def test_buffers_are_released_after_their_last_use():
    program = lowered("""
def f(a: "f64[n, n]", x: "f64[n]", steps: "int"):
    u = x
    for i in range(steps):
        v = a @ u
        u = v / sum(v)
    w = u * 2.0
    return w @ w
""")
    deleted = [s.targets[0].id for s in statements(program) if isinstance(s, gast.Delete)]
    assert set(deleted) >= {"v"}
    assert not calls_of_loops(program, "empty")


def test_parameters_results_and_their_views_are_not_released():
    program = lowered("""
def f(a: "f64[n, m]", x: "f64[n]"):
    y = a[1:, :]
    z = transpose(a, axes=(1, 0)) @ x
    return z, sum(y)
""")
    assert not any(isinstance(s, gast.Delete) for s in statements(program))


def test_products_of_matrices_are_left_to_the_library():
    program = lowered("""
def f(a: "f64[n, k]", b: "f64[k, m]", x: "f64[k]", s: "f64[p, n, k]"):
    c = einsum(b, a, subscripts="jk,ij->ki")
    return a @ b, a @ x, x @ b, x @ x, s @ b, c
""")
    assert len(calls_of(program, "gemm")) == 3
    assert len(calls_of(program, "gemv")) == 2
    assert len(calls_of(program, "dot")) == 1


def test_loop_variables_keep_clear_of_the_users():
    program = lowered("""
def f(x: "f64[n]", i: "int"):
    s = 0.0
    for j in range(i):
        s = s + max(x * j)
    return s
""")
    assert [loop.target.id for loop in loops_of(program)] == ["j", "k"]

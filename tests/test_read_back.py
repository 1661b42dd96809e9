"""A stage that is printed and read back goes down the rest of the way: refused nowhere, and with the same answers."""

import numpy as np
import pytest

import pellucid
from pellucid.compiler import driver, edited
from pellucid.compiler.analysis.memory.boxes import with_boxes
from pellucid.compiler.request import Gradient
from pellucid.compiler.targets.python.printer import print_program
from tests.harness.corpus import programs
from tests.harness.read_back import without_lines
from tests.harness.stages import Stages, assert_same, attempt, copy_tree, entry_of
from tests.harness.typed_text import read_program

SIZES = (4, 7)


def answer(program, leaves):
    text = print_program(program)
    return attempt(entry_of(text, program.entry, f"{program.entry}_read_back.py"), *copy_tree(leaves))


def assert_goes_down(program, transforms=()):
    stages = Stages(program.function, transforms)
    given = [stages.flatten(program.make_arguments(seed=size, size=size)) for size in SIZES]
    try:
        settled = stages.program("typed", given[0])[1]
    except pellucid.GradientError:
        return
    loops = driver.lowered(settled)
    read = edited.read_stage(print_program(settled), "typed.py", "typed")
    lowered = edited.lowered(read)
    again = edited.lowered(edited.read_stage(print_program(read), "typed.py", "typed"))
    assert without_lines(print_program(again)) == without_lines(print_program(lowered))
    of_loops = edited.read_stage(print_program(loops), "loops.py", "loops")
    for flat in given:
        want = answer(loops, flat.leaves)
        for made in (lowered, of_loops, driver.for_llvm(of_loops)):
            assert_same(answer(made, flat.leaves), want)


@pytest.mark.drawn(5)
@pytest.mark.parametrize("program", programs(), ids=str)
def test_what_is_printed_goes_down_the_rest_of_the_way(program):
    assert_goes_down(program)
    if program.has_gradient:
        assert_goes_down(program, (Gradient(0),))


NAMES = """
    recursion.sum_over_halves recursion.determinant_by_minors recursion.fast_fourier_transform
    recursion.strassen_product several_structures.scene several_structures.sorted_scene several_structures.recursive
    views.kept_by_recursion
"""


@pytest.mark.parametrize("name", NAMES.split())
def test_programs_in_which_types_and_sharing_are_found_again(name):
    """Cotangents in boxes, arrays of two lengths under one name, lists of the caller's arrays, results of calls."""
    (program,) = (p for p in programs() if str(p) == name)
    assert_goes_down(program)
    if program.has_gradient:
        assert_goes_down(program, (Gradient(0),))


# --- arrays of two lengths under one name --------------------------------------------------------------------------

VALUES = ["x", "x * 2.0", "np.concatenate((x, y))", "np.concatenate((y, x, x))", "x[1:]", "x.reshape(1, n)[0]",
          "np.arange(k) * 1.0", "x[x > 0.0]", "np.zeros(k)"]  # fmt: skip


@pytest.mark.parametrize("other", VALUES)
@pytest.mark.parametrize("one", VALUES)
def test_a_name_may_have_one_array_or_another(one, other):
    body = f"    n = x.shape[0]\n    if k > 2:\n        r = {one}\n    else:\n        r = {other}\n"
    body += "    return np.sum(r), r\n"
    text = f"import numpy as np\n\n\n# x: f64[n]   y: f64[m]   k: int   ->   f64   f64[l]\ndef f(x, y, k):\n{body}"
    lowered = edited.lowered(edited.read_stage(text, "f.py", "typed"))
    x, y = np.array([0.5, -1.0, 2.0]), np.array([1.5, 0.25])
    for k in (0, 1, 3, 5):
        assert_same(answer(lowered, (x, y, k)), attempt(entry_of(text, "f", "f.py"), x, y, k))


# --- boxes ---------------------------------------------------------------------------------------------------------

BOXES = '''
def f(x: "f64[n]", k: "int"):
    bars: "[f64[n]]" = []
    t = x.copy()
    bars.append(t)
    g(bars, k)
    {behind}
    bar = bars.pop()
    return bar


def g(bars: "[f64[n]]", k: "int"):
    if k > 0:
        bar = bars.pop()
        bar[0] = bar[0] + 1.0
        {inside}
        bars.append(bar)
    else:
        {other}
    return
'''


def boxes_of(behind="pass", inside="pass", other="pass"):
    text = BOXES.format(behind=behind, inside=inside, other=other)
    made = with_boxes(read_program(text))
    named = ((f"{name}.{n}", type_) for name, f in made.functions.items() for n, type_ in f.types.items())
    return {name for name, type_ in named if getattr(type_, "is_box", False)}


def test_a_list_of_one_array_that_is_taken_out_and_put_back_is_a_box():
    assert boxes_of() == {"f.bars", "g.bars"}
    assert boxes_of(inside="g(bars, k - 1)") == set()  # there is nothing in it
    assert boxes_of(other="g(bars, k - 1)") == {"f.bars", "g.bars"}


@pytest.mark.parametrize("changes", [
    {"behind": "t[0] = 2.0"},
    {"behind": "s = bars[0]"},
    {"behind": "s = len(bars)"},
    {"behind": "bars.append(x)"},
    {"behind": "s = bars.pop()"},
    {"behind": "rows = bars"},
    {"other": "bar = bars.pop()"},
    {"inside": "bars.append(bar)"},
    {"other": "bars = []"},
], ids=lambda changes: " ".join(changes.values()))  # fmt: skip
def test_what_is_done_to_no_box(changes):
    assert boxes_of(**changes) == set()


TABLES = {
    "bool": "[True, False]",
    "int64": "[3, -2**63]",
    "uint8": "[1, 255]",
    "float32": "[0.1, -np.inf]",
    "float64": "[[1e-300, -0.0], [np.nan, np.pi]]",
    "complex64": "[1.5, -2j]",
    "complex128": "[complex(-0.0, 1.0), 0j, complex(np.inf, -0.0), 1e-3j]",
}


@pytest.mark.parametrize("dtype", TABLES)
def test_arrays_of_known_numbers_are_read_back(dtype):
    known = f"np.array({TABLES[dtype]}, dtype=np.{dtype})"
    source = f"import numpy as np\ndef f(k):\n    table = {known}\n    return table[k]\n"
    made = entry_of(source, "f", "tables.py")
    stages = Stages(made)
    typed = stages.program("typed", stages.flatten((1,)))[1]
    read = edited.read_stage(print_program(typed), "typed.py", "typed")
    assert "np.array([" in print_program(typed)
    assert without_lines(print_program(read)) == without_lines(print_program(typed))
    assert_same(answer(read, (1,)), attempt(made, 1))

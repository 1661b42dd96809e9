"""Case files: tables of programs before and after a pass, and what must hold of each.

    case: a name that nobody reads
    def f(x: "f64[n]"):
        y = sin(x)
        return x
    ----
    def f(x: "f64[n]"):
        return x

The program is read in the language that the step takes, the result is what `print_function` writes without folding.
For every case: the text is the expected one; the stage is verified before and after; the input is untouched; both agree
in CPython on random inputs, results and errors; a second application returns the same object.  A case may begin with a
line `options: keep_errors=False` for the pass, or `wishes: s_1="s"` for the names of its function.
`pytest --update-cases` rewrites the expected texts.
"""

import copy
import dataclasses
import math
import pathlib
import warnings

import gast
import numpy as np
import scipy.special

import pellucid.support
from pellucid.compiler import syntax
from pellucid.compiler.dtypes import NUMPY_DTYPE, is_integer, is_signed
from pellucid.compiler.languages import verifier
from pellucid.compiler.steps import FUNCTION
from pellucid.compiler.targets.python.printer import print_function
from pellucid.compiler.types import Array, Dim, ListOf

from .loops_text import read_loops
from .typed_text import read_program

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "cases"
RUNS = 6


@dataclasses.dataclass(frozen=True)
class Case:
    file: pathlib.Path
    title: str
    options: dict
    before: str
    after: str
    wishes: dict = dataclasses.field(default_factory=dict)


def read_cases(relative: str) -> list[Case]:
    """The cases of one file below `tests/cases`."""
    file = FOLDER / relative
    cases = []
    for chunk in file.read_text().split("case: ")[1:]:
        title, text = chunk.split("\n", 1)
        options = {}
        wishes = {}
        if text.startswith("options:"):
            line, text = text.split("\n", 1)
            options = eval(f"dict({line.removeprefix('options:')})")
        if text.startswith("wishes:"):
            line, text = text.split("\n", 1)
            wishes = eval(f"dict({line.removeprefix('wishes:')})")
        before, _, after = text.partition("\n----")
        cases.append(Case(file, title.strip(), options, before.strip() + "\n", after.strip() + "\n", wishes))
    return cases


def write_cases(file: pathlib.Path, cases: list[Case]) -> None:
    chunks = []
    for case in cases:
        head = f"case: {case.title}\n"
        for word, given in (("options", case.options), ("wishes", case.wishes)):
            head += f"{word}: {', '.join(f'{k}={v!r}' for k, v in given.items())}\n" if given else ""
        chunks.append(f"{head}{case.before.rstrip()}\n----\n{case.after.rstrip()}\n")
    introduction = file.read_text().split("case: ", 1)[0]
    file.write_text(introduction + "\n".join(chunks))


READERS = {"single": read_program, "typed": read_program, "loops": read_loops}


def check_case(
    case: Case, step, *, update=False, oracle=lambda function: function, is_repeated=True, exact=True
) -> str:
    """Hold one case to everything that a step promises.  Returns the text that the pass gives.

    `oracle` makes the function that the result is compared with out of the one before the pass; a pass that is not
    repeated gives another function when it is applied again.  Without `exact` the last digits of floats may differ.
    """
    program = READERS[step.takes](case.before, case.file.name)
    if case.wishes:
        program = program.map(lambda function: function.with_(wishes=case.wishes))
    function = program.main
    assert not verifier.verify(function, step.takes), verifier.verify(function, step.takes)
    untouched = snapshot(function)
    made = program.map(step.on) if step.of == FUNCTION else step.run(program)
    changed = made.main
    text = print_function(changed, folded=False, annotated=True)
    if not update:
        assert text == case.after
    assert snapshot(function) == untouched, "the pass changed its input"
    assert not verifier.verify(changed, step.gives), verifier.verify(changed, step.gives)
    again = made.map(step.on) if step.of == FUNCTION else step.run(made)
    assert not is_repeated or again.main is changed, "a second application is not the same object"
    helpers = [{name: f for name, f in p.functions.items() if f is not p.main} for p in (program, made)]
    agree(oracle(function), changed, *helpers, errors=case.options.get("keep_errors", True), exact=exact)
    return text


def snapshot(function) -> str:
    """Everything a pass could change in a function."""
    body = "\n".join(gast.dump(s) for s in function.body)
    return repr((body, dict(function.types), function.parameters, function.results, function.temporaries))


# --- running in CPython --------------------------------------------------------------------------------------------


def callable_of(function, helpers=None):
    """The function as printed, as CPython has it."""
    space = {"np": np, "math": math, "scipy": scipy, "pellucid": pellucid, **vars(pellucid.support)}
    for each in (*(helpers or {}).values(), function):
        exec(print_function(each), space)
    return space[function.name]


def agree(before, after, helpers=None, helpers_after=None, errors=True, exact=True) -> None:
    """Both functions give the same results, or raise the same error, on random inputs that they leave alone.

    Without `exact` floats may differ in their last digits: NumPy sums in another order where strides differ.
    """
    first, second = callable_of(before, helpers), callable_of(after, helpers_after or helpers)
    for seed in range(RUNS):
        arguments = random_arguments(before, seed)
        expected, got = outcome(first, copy.deepcopy(arguments)), outcome(second, copy.deepcopy(arguments))
        if isinstance(expected, Exception) and not errors:
            continue
        for place in after.in_place if isinstance(got, tuple) else ():
            expected[1][place] = got[1][place] = None  # the one that may be changed is the one that is returned
        assert same(expected, got, exact), f"seed {seed}: {expected!r} became {got!r} for {arguments!r}"


def with_values(function):
    """The function as the language means it: every array that is named, appended or passed in is one of its own."""

    def own(statement):
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if isinstance(function.types[name], Array):
                copied = syntax.assign(name, syntax.call("copy", name))
                return [statement, copied] if syntax.operator_of(value) != "copy" else [statement]
            case gast.Expr(value=gast.Call(func=gast.Name(id="append"), args=[list_, item])) if (
                isinstance(function.types.get(item.id), Array)
            ):
                return [syntax.expression(syntax.call("append", list_, syntax.call("copy", item)))]
        return [statement]

    def block(statements):
        made = [s for statement in statements for s in own(statement)]
        blocks = {id(s): [block(b) for b in syntax.blocks_of(s)] for s in made}
        return [syntax.rebuild(s, **dict(zip(("body", "orelse"), blocks[id(s)]))) if blocks[id(s)] else s for s in made]

    arrays = [p for p in function.parameters if isinstance(function.types[p], Array)]
    first = [syntax.assign(p, syntax.call("copy", p)) for p in arrays]
    return function.with_(body=(*first, *block(function.body)))


def outcome(function, arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*arguments), arguments
        except Exception as error:
            return error


def same(left, right, exact=True) -> bool:
    """Equal in type, dtype, shape and value, nan equal to nan, -0.0 different from 0.0; if not exact, to 12 digits."""
    if isinstance(left, Exception) or isinstance(right, Exception):
        return type(left) is type(right) and str(left) == str(right)
    if isinstance(left, tuple | list):
        return type(left) is type(right) and len(left) == len(right) and all(
            same(a, b, exact) for a, b in zip(left, right)
        )
    if type(left) is not type(right):
        return False
    if not exact and isinstance(left, float | np.floating | np.ndarray):
        alike = np.shape(left) == np.shape(right) and np.asarray(left).dtype == np.asarray(right).dtype
        return alike and np.allclose(left, right, rtol=1e-12, atol=1e-12, equal_nan=True)
    if isinstance(left, np.ndarray):
        if left.dtype != right.dtype or left.shape != right.shape:
            return False
        if left.dtype.kind == "c":
            return same(left.real, right.real, exact) and same(left.imag, right.imag, exact)
        if left.dtype.kind != "f":
            return np.array_equal(left, right)
        signs = np.signbit(left) == np.signbit(right)
        return np.array_equal(left, right, equal_nan=True) and bool(np.all(signs | np.isnan(left)))
    return repr(left) == repr(right)


SPECIAL = (0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0)


def random_arguments(function, seed):
    """Arguments of the declared types; one length per symbol, special values now and then."""
    rng = np.random.default_rng(seed)
    lengths: dict[str, int] = {}

    def length(extent):
        if not isinstance(extent, Dim):
            return extent
        total = extent.constant
        for symbol, factor in extent.terms:
            total += factor * lengths.setdefault(symbol, int(rng.integers(0 if seed == 1 else 2, 6)))
        return max(0, total)

    def make(type_):
        if isinstance(type_, ListOf):
            return [make(type_.element) for _ in range(int(rng.integers(1, 4)))]
        if isinstance(type_, Array):
            shape = tuple(map(length, type_.dims))
            values = numbers(rng, type_.dtype, shape, seed)
            return values if type_.layout == "C" else np.ascontiguousarray(values.T).T
        value = numbers(rng, type_.dtype, (), seed)[()]
        return value.item() if type_.weak else value

    return [make(function.types[p]) for p in function.parameters]


def numbers(rng, dtype, shape, seed):
    if dtype == "bool":
        return np.asarray(rng.integers(0, 2, shape), NUMPY_DTYPE[dtype])
    if is_integer(dtype):
        return np.asarray(rng.integers(-3 if seed % 2 and is_signed(dtype) else 0, 5, shape), NUMPY_DTYPE[dtype])
    values = np.asarray(rng.standard_normal(shape) * 2.0, NUMPY_DTYPE[dtype])
    if seed == 2:
        values = np.asarray(rng.choice(SPECIAL, shape), NUMPY_DTYPE[dtype])
    return values


def count_statements(function) -> int:
    return sum(1 for _ in syntax.walk(function.body))

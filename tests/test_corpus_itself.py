"""The corpus is fit to test with: deterministic, pure, warning-free, differentiable, and within the language."""

import ast
import builtins
import inspect
import itertools
import textwrap
import warnings

import numpy as np
import pytest

from tests.harness.corpus import (
    KINDS,
    copy_tree,
    cotangent_like,
    finite_difference_gradient,
    float_leaves,
    is_float,
    leaves,
    programs,
    weighted_sum,
)
from tests.harness.every import every

pytestmark = pytest.mark.drawn(5)

PROGRAMS = programs()
SIZES = (1, 4, 7)


def each(*lists):
    """A test for each module of the corpus, with all of its programs."""
    items = itertools.product(*lists)
    return every(items, lambda item: " ".join(map(str, item)), by=lambda item: str(item[0]).partition(".")[0])


def run(program, args):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return program.function(*args)


def assert_same(first, second):
    """Same structure, types, dtypes, shapes and bits."""
    assert type(first) is type(second)
    assert len(leaves(first)) == len(leaves(second))
    for one, other in zip(leaves(first), leaves(second), strict=True):
        assert type(one) is type(other)
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype and one.shape == other.shape
            assert one.tobytes() == other.tobytes()
        else:
            assert one == other or (one != one and other != other)


def test_there_are_enough_programs():
    assert len(PROGRAMS) >= 160
    assert len({str(program) for program in PROGRAMS}) == len(PROGRAMS)


def test_tables_name_programs():
    for module in {program.module for program in PROGRAMS}:
        names = {program.name for program in PROGRAMS if program.module is module}
        for table in ("ARGUMENTS", "MIN_SIZE", "NO_GRADIENT"):
            assert set(getattr(module, table, {})) <= names, f"{module.__name__}.{table}"


def test_kinds_are_used():
    used = {name for program in PROGRAMS for name in inspect.signature(program.function).parameters}
    assert set(KINDS) <= used


@each(PROGRAMS, SIZES)
def test_runs_alike_and_changes_nothing(program, size):
    args = program.make_arguments(seed=size, size=size)
    assert_same(program.make_arguments(seed=size, size=size), args)
    before = copy_tree(args)
    first = run(program, args)
    assert_same(args, before)
    assert_same(run(program, copy_tree(args)), first)


@each(PROGRAMS)
def test_result_is_made_of_numbers_and_arrays(program):
    result_leaves = leaves(run(program, program.make_arguments()))
    assert result_leaves, "a program returns something"
    for leaf in result_leaves:
        assert isinstance(leaf, np.ndarray | np.generic | float | int | complex | set | None), type(leaf)


@each(PROGRAMS)
def test_gradient_is_declared_rightly(program):
    args = program.make_arguments()
    result = run(program, args)
    if program.has_gradient:
        assert any(True for _ in float_leaves(args)), "no float argument: say so in NO_GRADIENT"
        assert all(is_float(leaf) for leaf in leaves(result)), "not a float result: say so in NO_GRADIENT"
        assert all(np.all(np.isfinite(leaf)) for leaf in leaves(result))


@each([p for p in PROGRAMS if p.has_gradient], SIZES)
def test_differences_at_two_steps_agree(program, size):
    args = program.make_arguments(seed=1, size=size)
    coarse = list(float_leaves(finite_difference_gradient(program.function, args, step=2e-6)))
    fine = list(float_leaves(finite_difference_gradient(program.function, args, step=1e-6)))
    scale = 1.0 + max((float(np.max(np.abs(leaf), initial=0.0)) for leaf in fine), default=0.0)
    for one, other in zip(coarse, fine, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6 * scale)


def test_no_program_is_constant():
    """Somewhere, every program with a gradient has one that is not zero."""
    for program in (p for p in PROGRAMS if p.has_gradient):
        sizes = [
            np.max(np.abs(leaf), initial=0.0)
            for seed in range(4)
            for leaf in float_leaves(finite_difference_gradient(program.function, program.make_arguments(seed)))
        ]
        assert max(sizes) > 1e-6, str(program)


# The oracle itself.


def test_differences_of_a_closed_form():
    x, a = np.array([0.3, -1.2, 2.0]), 0.7

    def function(x, options):
        return {"y": np.sin(x) * options["a"], "n": 3}

    result = function(x, {"a": a})
    weights = cotangent_like(result, seed=5)
    assert weights["n"] is None
    assert weighted_sum(result, weights) == pytest.approx(np.sum(weights["y"] * np.sin(x) * a))
    x_bar, options_bar = finite_difference_gradient(function, (x, {"a": a, "name": None}), seed=5)
    np.testing.assert_allclose(x_bar, weights["y"] * np.cos(x) * a, rtol=1e-8)
    np.testing.assert_allclose(options_bar["a"], np.sum(weights["y"] * np.sin(x)), rtol=1e-8)
    assert options_bar["name"] is None


def test_differences_keep_the_types_of_scalars():
    def function(a, b, c):
        assert type(a) is float and type(b) is np.float64 and type(c) is np.float64
        return a * b * c

    gradient = finite_difference_gradient(function, (2.0, np.float64(3.0), np.float32(4.0)))
    weight = float(cotangent_like(1.0))
    np.testing.assert_allclose(np.array(gradient), weight * np.array([12.0, 8.0, 6.0]), rtol=1e-8)


# The language of the corpus.

NUMPY = frozenset(
    "zeros ones full empty arange eye linspace zeros_like ones_like full_like empty_like array asarray reshape"
    " transpose ravel concatenate stack where add subtract multiply divide power sqrt cbrt exp expm1 exp2 log"
    " log1p log2 log10 sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh hypot floor"
    " ceil trunc rint round abs sign maximum minimum fmax fmin clip square reciprocal logaddexp isnan isinf"
    " isfinite copysign fmod mod floor_divide logical_and logical_or logical_not logical_xor bitwise_and"
    " bitwise_or bitwise_xor sum mean prod max min any all argmax argmin var std cumsum dot outer einsum pi inf"
    " nan int32 int64 float32 float64".split()
)
MATH = frozenset(
    "sqrt exp expm1 log log1p log2 log10 sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh hypot floor"
    " ceil trunc fabs copysign fmod pow pi inf".split()
)
METHODS = frozenset("copy reshape transpose ravel sum mean prod max min any all argmax argmin items append".split())
FIELDS = frozenset("T shape".split())
BUILTINS = frozenset(
    "len min max abs sum any all int float bool round range enumerate zip reversed ValueError ZeroDivisionError".split()
)
SYNTAX = (
    "FunctionDef Lambda Return Assign AugAssign For While If Expr Raise Assert Break Continue BoolOp BinOp UnaryOp"
    " IfExp Dict ListComp DictComp Compare Call Constant Attribute Subscript Name List Tuple Slice arguments arg"
    " keyword comprehension expr_context boolop operator unaryop cmpop Try ExceptHandler JoinedStr FormattedValue Pass"
)
NODES = tuple(getattr(ast, name) for name in SYNTAX.split())
VIEWS = frozenset("reshape transpose ravel asarray".split())


def functions_reached_from(program):
    """The program and the module functions that it calls, as trees."""
    found, waiting = {}, [program.name]
    while waiting:
        name = waiting.pop()
        value = vars(program.module).get(name)
        if name in found or not inspect.isfunction(value) or value.__module__ != program.module.__name__:
            continue
        found[name] = ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]
        waiting += [node.id for node in ast.walk(found[name]) if isinstance(node, ast.Name)]
    return list(found.values())


FREER = {
    "views": "stores through views, and functions that make them",
    "matching": "statements that other modules do without",
    "keyed": "dicts, sets, deques and heaps, with the methods that they have",
    "several_structures": "classes of its own, and statements that ask of which one something is",
    "complex_numbers": "the functions of `cmath`, and what complex numbers alone have",
    "classes": "methods and attributes of its own classes, and the functions that are tried there",
}


STRICT = [p for p in PROGRAMS if p.module.__name__.split(".")[-1] not in FREER]


@each(STRICT)
def test_program_keeps_to_the_language(program):
    for function in functions_reached_from(program):
        assert not function.decorator_list and function.returns is None
        for node in ast.walk(function):
            assert isinstance(node, NODES), f"{type(node).__name__} on line {getattr(node, 'lineno', '?')}"
            if isinstance(node, ast.Attribute):
                assert is_allowed_attribute(program.module, node), f"{ast.unparse(node)} on line {node.lineno}"
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                assert is_allowed_name(program.module, function, node.id), f"{node.id} on line {node.lineno}"


def is_allowed_attribute(module, node):
    match node.value:
        case ast.Name(id="np"):
            return node.attr in NUMPY or node.attr == "linalg"
        case ast.Attribute(value=ast.Name(id="np"), attr="linalg"):
            return True
        case ast.Name(id="math"):
            return node.attr in MATH
        case _:
            fields = {name for value in vars(module).values() for name in getattr(value, "__annotations__", ())}
            return node.attr in METHODS | FIELDS | fields


def is_allowed_name(module, function, name):
    own = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
    own |= {n.name for n in ast.walk(function) if isinstance(n, ast.FunctionDef)}
    own |= {n.name for n in ast.walk(function) if isinstance(n, ast.ExceptHandler)}
    if name in own or name in BUILTINS or name in ("np", "math"):
        return True
    if issubclass(getattr(builtins, name, int), BaseException):
        return True
    value = vars(module).get(name)
    return inspect.isfunction(value) or isinstance(value, type | float | int)


@each(STRICT)
def test_stores_go_to_arrays_made_inside(program):
    """A name that is stored into is never bound to a view, nor to an argument that is not copied."""
    for function in functions_reached_from(program):
        bindings = dict(all_bindings(function))
        for name in stored_into(function):
            assert name in bindings, f"{name} in {function.name} is an argument or a loop variable"
        for name, value in all_bindings(function):
            if name in stored_into(function):
                assert is_fresh(value), f"{name} = {ast.unparse(value)} in {function.name}"


def stored_into(function):
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            assert isinstance(node.value, ast.Name), f"a store through {ast.unparse(node)}"
            yield node.value.id


def all_bindings(function):
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from pairs(target, node.value)


def pairs(target, value):
    match target, value:
        case ast.Tuple(), ast.Tuple():
            for inner_target, inner_value in zip(target.elts, value.elts, strict=True):
                yield from pairs(inner_target, inner_value)
        case ast.Tuple(), _:
            for inner_target in target.elts:
                yield from pairs(inner_target, value)
        case ast.Name(), _:
            yield target.id, value


def is_fresh(value):
    match value:
        case ast.Call(func=ast.Attribute(attr=name)):
            return name not in VIEWS
        case ast.BinOp() | ast.UnaryOp() | ast.List() | ast.ListComp() | ast.Compare():
            return True
    return False

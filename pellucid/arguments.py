"""Arguments written as text on the command line: types, containers of types, values made up for them.

    "f64[n, m], [(f64[n], 'f64')], 3"      ->   ["f64[n, m]", [("f64[n]", "f64")], 3]
    values_of("f64[n, m]", ArgumentLengths({"n": 2}))   ->   an array of shape (2, 4)

A type stands as a string in the place of a leaf; `Function.source` takes arguments of this form.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .compiler import types
from .compiler.dtypes import NUMPY_DTYPE, order
from .compiler.frontend.specialise.kinds.record_classes import is_namedtuple_class, record_fields
from .runtime.parsing import parse

# `any f64[n]` and `f64[]` are no Python expressions; with these they are
ANY, NONE = "any_", "[()]"


class ArgumentError(ValueError):
    """Arguments that cannot be read; the message is for the user."""


def read_arguments(text: str, namespace: Mapping[str, Any]) -> list[Any]:
    """The arguments in a text, separated by commas; NamedTuples and dataclasses are made by classes in `namespace`."""
    python = re.sub(r"\bany\s+(?=\w+\[)", ANY, re.sub(r"(?<=\w)\[\s*\]", NONE, text))
    try:
        tree = parse(f"f({python}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        raise ArgumentError(f"cannot read the arguments {text!r}; write types: f64[n, m], (f64[n], int)") from None
    if not isinstance(tree, ast.Call) or tree.keywords:
        raise ArgumentError(f"cannot read the arguments {text!r}: they are given in order, without names")
    return [_read(node, namespace) for node in tree.args]


def _read(node: ast.expr, namespace: Mapping[str, Any]) -> Any:
    match node:
        case ast.Tuple(elts=elements):
            return tuple(_read(e, namespace) for e in elements)
        case ast.List(elts=elements):
            return [_read(e, namespace) for e in elements]
        case ast.Dict(keys=keys, values=values) if None not in keys:
            return {_key(k): _read(v, namespace) for k, v in zip(keys, values, strict=True)}
        case ast.Call(func=made, args=arguments, keywords=keywords):
            fields = [_read(a, namespace) for a in arguments]
            named = {str(k.arg): _read(k.value, namespace) for k in keywords}
            return _record(_record_class(made, namespace), fields, named)
        case ast.Constant(value=str() as text):
            return type_text(text)
        case ast.Constant(value=None | bool() | int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
    return type_text(ast.unparse(node))


def type_text(text: str) -> str:
    """The text of a type, checked and in its usual form."""
    try:
        found = types.parse(text.replace(ANY, "any ").replace(NONE, "[]"))
    except ValueError as wrong:
        raise ArgumentError(str(wrong)) from None
    if isinstance(found, types.ListOf):
        raise ArgumentError(f"a list is written with its items, [{found.element}, {found.element}], not as {text!r}")
    return str(found)


def _key(node: ast.expr | None) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    raise ArgumentError(f"the keys of a dict are constants, not {ast.unparse(node) if node else '**'}")


def _record_class(node: ast.expr, namespace: Mapping[str, Any]) -> type:
    name = ast.unparse(node)
    first, *rest = name.split(".")
    found = namespace.get(first)
    for part in rest:
        found = getattr(found, part, None)
    if isinstance(found, type) and (is_namedtuple_class(found) or dataclasses.is_dataclass(found)):
        return found
    raise ArgumentError(f"{name} is no NamedTuple or dataclass of this file")


def _record(cls: type, fields: list[Any], named: dict[str, Any]) -> Any:
    """An instance of the class with types for values; its own checks are not run on them."""
    given = dict(zip(record_fields(cls), fields)) | named
    if len(fields) > len(record_fields(cls)) or set(given) != set(record_fields(cls)):
        raise ArgumentError(f"{cls.__name__} has the fields {', '.join(record_fields(cls))}")
    if is_namedtuple_class(cls):
        return cls(**given)
    made: Any = object.__new__(cls)
    for name, value in given.items():
        object.__setattr__(made, name, value)
    return made


def bind(function: Callable[..., Any], given: list[Any], static: Mapping[str, Any]) -> inspect.BoundArguments:
    """Positional arguments for the parameters that are not given as static."""
    signature = inspect.signature(function)
    unknown = [name for name in static if name not in signature.parameters]
    if unknown:
        raise ArgumentError(f"{unknown[0]!r} is no parameter of {function.__name__}{signature}")
    free = [name for name in signature.parameters if name not in static]
    if len(given) > len(free):
        raise ArgumentError(f"{function.__name__}{signature} has no place for {len(given)} arguments")
    bound = inspect.BoundArguments(signature, {**dict(zip(free, given)), **static})
    bound.apply_defaults()
    missing = [name for name in signature.parameters if name not in bound.arguments]
    if missing:
        raise ArgumentError(f"{function.__name__}{signature} also needs a type for `{missing[0]}`")
    return bound


# --- values for types ----------------------------------------------------------------------------------------------


class ArgumentLengths:
    """The lengths that symbols stand for: those given, then 3, 4, 5, ... so that no two are mistaken for each other."""

    def __init__(self, given: Mapping[str, int] | int | None = None) -> None:
        self.common = given if isinstance(given, int) else None
        self.found: dict[str, int] = dict(given) if isinstance(given, Mapping) else {}
        self.next = 3

    def of(self, symbol: str) -> int:
        if symbol not in self.found:
            self.found[symbol] = self.next if self.common is None else self.common
            self.next += 1
        return self.found[symbol]

    def shape(self, array: types.Array) -> tuple[int, ...]:
        return tuple(
            e if isinstance(e, int) else max(0, e.constant + sum(factor * self.of(s) for s, factor in e.terms))
            for e in array.dims
        )

    def smallest(self) -> int:
        return max(1, min(self.found.values(), default=self.common or 3))


def read_lengths(text: str | None) -> ArgumentLengths:
    """`6` for every symbol, or `n=4, m=3`."""
    if text is None or text.strip().isdigit():
        return ArgumentLengths(None if text is None else int(text))
    pairs = re.findall(r"(\w+)\s*=\s*(\d+)\s*(?:,|$)", text.strip())
    if re.sub(r"\w+\s*=\s*\d+\s*(?:,|$)\s*", "", text.strip()):
        raise ArgumentError(f"cannot read the lengths {text!r}; write 6, or n=4, m=3")
    return ArgumentLengths({name: int(number) for name, number in pairs})


def values_of(argument: Any, lengths: ArgumentLengths) -> Any:
    """The argument with values for its types: the same on every run, positive where they are floats."""
    random = np.random.default_rng(0)

    def visit(part: Any) -> Any:
        if isinstance(part, str):
            return _value(types.parse(part), lengths, random)
        if is_namedtuple_class(type(part)):
            return type(part)(*map(visit, part))
        if isinstance(part, tuple | list):
            return type(part)(map(visit, part))
        if isinstance(part, dict):
            return {key: visit(value) for key, value in part.items()}
        if dataclasses.is_dataclass(part) and not isinstance(part, type):
            return type(part)(**{name: visit(getattr(part, name)) for name in record_fields(type(part))})
        return part

    return visit(argument)


def _value(type_: types.Type, lengths: ArgumentLengths, random: np.random.Generator) -> Any:
    if isinstance(type_, types.Array):
        return _array(type_, lengths.shape(type_), lengths, random)
    assert isinstance(type_, types.Scalar)
    made: Any = (True, 3, round(random.uniform(0.5, 1.5), 3))[order(type_.dtype)]
    return made if type_.weak else NUMPY_DTYPE[type_.dtype].type(made)


def _array(
    type_: types.Array, shape: tuple[int, ...], lengths: ArgumentLengths, random: np.random.Generator
) -> np.ndarray:
    made: Any
    match order(type_.dtype):
        case 0:
            made = random.random(shape) < 0.5
        case 1:
            made = random.integers(0, lengths.smallest(), shape)  # they may be indices
        case _:
            made = np.round(random.uniform(0.5, 1.5, shape), 3)
    values = np.asarray(made, NUMPY_DTYPE[type_.dtype])
    if type_.layout == "C" or not shape:
        return values
    with_gaps = np.zeros((*shape[:-1], 2 * shape[-1]), values.dtype)
    with_gaps[..., ::2] = values
    return with_gaps[..., ::2]

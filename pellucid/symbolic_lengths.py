"""The lengths of a driver's arrays, by the names that the header of its parameters gives them.

    # x: f64[n, m]
    def f(x):
        size = x.shape[0] * x.shape[1]     ->     size is n * m
        t = cuda.device_array(size, np.float64)     t has n * m elements of 8 bytes

What is bound twice with different lengths is told as it is written.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

import numpy as np

from .compiler.dtypes import NUMPY_DTYPE
from .compiler.types import Array, Type, dtype_of
from .runtime.parsing import parse

UNKNOWN = ("?",)
PART_OF = {"part_count": "512"}  # how many terms of a fold over columns a part has; `parts` are of 8192


class SymbolicLengths:
    """Of the driver with these parameters."""

    def __init__(self, parameters: Mapping[str, Type], driver: ast.FunctionDef) -> None:
        self._shapes: dict[str, tuple[str, ...]] = {}
        self._numbers: dict[str, str] = {}
        self._sizes: dict[str, int] = {}  # bytes of an element
        for name, type_ in parameters.items():
            if isinstance(type_, Array):
                self._note(name, tuple(map(str, type_.dims)), NUMPY_DTYPE[dtype_of(type_)].itemsize)
        for target, value in _bindings(driver):
            self._bind(target, value)

    def shown(self, node: ast.expr) -> str:
        """An expression of lengths, with the names of the header."""
        substituted = _Substituted(self._shapes, self._numbers).visit(_read(ast.unparse(node)))
        return ast.unparse(substituted).replace(" * ", "*")

    def product(self, name: str, item: int) -> str:
        """The bytes of an array with elements of so many bytes, `8*n*m`; empty where its shape is not known."""
        shape = self._shapes.get(name, UNKNOWN)
        if shape == UNKNOWN:
            return ""
        factors = [factor for factor in shape if factor != "1"]
        numbers = [int(factor) for factor in factors if factor.isdigit()]
        rest = [_as_factor(factor) for factor in factors if not factor.isdigit()]
        return "*".join([str(int(np.prod([item, *numbers]))), *rest])

    def is_array(self, name: str) -> bool:
        return name in self._sizes

    def bytes_of(self, name: str) -> str:
        """The same by the dtype that an array was made with."""
        return self.product(name, self._sizes[name])

    def _note(self, name: str, shape: tuple[str, ...], item: int) -> None:
        self._shapes[name] = shape if self._shapes.get(name, shape) == shape else UNKNOWN
        self._sizes[name] = item

    def _bind(self, name: str, value: ast.expr) -> None:
        known = self._sizes
        match value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="cuda"), attr="device_array"), args=[shape, dtype]):
                parts = shape.elts if isinstance(shape, ast.Tuple) else [shape]
                self._note(name, tuple(map(self.shown, parts)), _item_of(dtype))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=base), attr="reshape"), args=parts) if base in known:
                self._note(name, tuple(map(self.shown, parts)), known[base])
            case ast.Call(func=ast.Attribute(value=ast.Name(id=base), attr="copy")) if base in known:
                self._note(name, self._shapes[base], known[base])
            case ast.Name(id=base) if base in known:
                self._note(name, self._shapes[base], known[base])
            case ast.Attribute(value=ast.Name(id=base), attr="T") if base in known:
                self._note(name, self._shapes[base][::-1], known[base])
            case _ if name in self._numbers:
                self._numbers[name] = name  # it is bound twice
            case _ if name not in self._sizes:
                self._numbers[name] = self.shown(value) if _is_of_lengths(value) else name


def _as_factor(text: str) -> str:
    node = _read(text)
    return f"({text})" if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Mult) else text


def _item_of(dtype: ast.expr) -> int:
    """Bytes of an element, by `np.float64`."""
    return np.dtype(getattr(np, ast.unparse(dtype).rpartition(".")[2])).itemsize


def _bindings(driver: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """Names and what they are bound to, in the order of the text."""
    for node in ast.walk(driver):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pairs = zip(targets, values)
                yield from ((target.id, value) for target, value in pairs if isinstance(target, ast.Name))
            case ast.For(target=ast.Name(id=name), iter=iter_):
                yield name, iter_
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                yield name, value
                yield name, value


def _is_of_lengths(value: ast.expr) -> bool:
    """Whether a number is lengths, and what is added and multiplied of them."""
    kinds = ast.BinOp | ast.operator | ast.Name | ast.Constant | ast.Attribute | ast.Subscript | ast.expr_context
    return all(isinstance(node, kinds) for node in ast.walk(value)) and any(
        isinstance(node, ast.Attribute) and node.attr == "shape" for node in ast.walk(value)
    )


class _Substituted(ast.NodeTransformer):
    """`x.shape[0]` and names of lengths in the words of the header."""

    def __init__(self, shapes: Mapping[str, tuple[str, ...]], numbers: Mapping[str, str]) -> None:
        self._shapes, self._numbers = shapes, numbers

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=ast.Constant(value=int(axis))
            ) if axis < len(shape := self._shapes.get(name, ())) and shape != UNKNOWN:
                return _read(shape[axis])
            case ast.Subscript(value=ast.Call(func=ast.Name(id="parts"), args=[whole]), slice=ast.Constant(value=0)):
                return _read(f"ceil(({ast.unparse(self.visit(whole))}) / 8192)")
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(func=ast.Name(id=name), args=[whole]) if name in PART_OF:
                return _read(f"ceil(({ast.unparse(self.visit(whole))}) / {PART_OF[name]})")
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        known = self._numbers.get(node.id, node.id)
        return node if known == node.id else _read(known)


def _read(text: str) -> ast.expr:
    return parse(text).body[0].value

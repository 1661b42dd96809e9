"""Index and length arithmetic on trees: sums are kept in one normal form, so that equal indices are equal trees.

    plus(plus(i, 1), 1)    ->    add(i, 2)          minus(minus(n, 1), plus(i, 1))    ->    subtract(subtract(n, i), 2)

Every tree here is an int of Python's.
"""

from __future__ import annotations

from collections.abc import Iterable

import gast

from .. import syntax

ZERO = syntax.constant(0)
ONE = syntax.constant(1)

Terms = dict[str, tuple[gast.expr, int]]


def text_of(node: gast.AST | None) -> str:
    """A string that is equal for equal trees."""
    match node:
        case None:
            return ""
        case gast.Name(id=id_):
            return id_
        case gast.Constant(value=value):
            return f"{type(value).__name__}:{value!r}"
        case gast.Call(func=gast.Name(id=operator), args=args, keywords=keywords):
            static = [f"{k.arg}={text_of(k.value)}" for k in keywords]
            return f"{operator}({','.join([*map(text_of, args), *static])})"
        case gast.Subscript(value=base, slice=items):
            return f"{text_of(base)}[{text_of(items)}]"
        case gast.Tuple(elts=elements):
            return f"({','.join(map(text_of, elements))})"
    return gast.dump(node)


def plus(left: gast.expr, right: gast.expr | int) -> gast.expr:
    return _combined(left, syntax.atom(right), 1)


def minus(left: gast.expr, right: gast.expr | int) -> gast.expr:
    return _combined(left, syntax.atom(right), -1)


def product(factors: Iterable[gast.expr]) -> gast.expr:
    """The product, constants folded; a zero among them makes it zero."""
    constant, others = 1, []
    for factor in factors:
        if isinstance(factor, gast.Constant):
            constant *= factor.value
        else:
            others.append(factor)
    if constant == 0 or not others:
        return syntax.constant(constant)
    result = others[0]
    for factor in others[1:]:
        result = syntax.call("multiply", result, factor)
    return result if constant == 1 else syntax.call("multiply", result, constant)


def terms_of(node: gast.expr) -> tuple[list[tuple[gast.expr, int]], int]:
    """What a sum adds up, each with its factor, and its constant part."""
    terms: Terms = {}
    constant = _collect(node, 1, terms)
    return [(tree, factor) for tree, factor in terms.values() if factor], constant


def _combined(left: gast.expr, right: gast.expr, sign: int) -> gast.expr:
    terms: Terms = {}
    constant = _collect(left, 1, terms) + _collect(right, sign, terms)
    return _sum([(tree, factor) for tree, factor in terms.values() if factor], constant)


def _collect(node: gast.expr, factor: int, terms: Terms) -> int:
    """Add `factor * node` to the terms; returns its constant part."""
    match node:
        case gast.Constant(value=value):
            return factor * value
        case gast.Call(func=gast.Name(id="add"), args=[left, right]):
            return _collect(left, factor, terms) + _collect(right, factor, terms)
        case gast.Call(func=gast.Name(id="subtract"), args=[left, right]):
            return _collect(left, factor, terms) + _collect(right, -factor, terms)
        case gast.Call(func=gast.Name(id="negative"), args=[other]):
            return _collect(other, -factor, terms)
        case gast.Call(func=gast.Name(id="multiply"), args=[other, gast.Constant(value=value)]):
            return _collect(other, factor * value, terms)
    key = text_of(node)
    _, known = terms.get(key, (node, 0))
    terms[key] = (node, known + factor)
    return 0


def _sum(terms: list[tuple[gast.expr, int]], constant: int) -> gast.expr:
    """What is added before what is subtracted, the constant last."""
    result: gast.expr | None = None
    for tree, factor in terms:
        if factor > 0:
            part = _times(tree, factor)
            result = part if result is None else syntax.call("add", result, part)
    if result is None and constant == 0 and terms:
        (tree, factor), *terms = terms
        result = syntax.call("negative", _times(tree, -factor))
    elif result is None:
        result, constant = syntax.constant(constant), 0
    for tree, factor in terms:
        if factor < 0:
            result = syntax.call("subtract", result, _times(tree, -factor))
    if constant == 0:
        return result
    return syntax.call("add", result, constant) if constant > 0 else syntax.call("subtract", result, -constant)


def _times(tree: gast.expr, factor: int) -> gast.expr:
    return tree if factor == 1 else syntax.call("multiply", tree, factor)

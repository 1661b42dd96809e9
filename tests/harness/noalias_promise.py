"""What `noalias` promises, held against the addresses that a loop touches when CPython runs it.

    for j in noalias(k + 1, n):            ->    promise = {}
        a[i, j] -= a[i, k] * a[k, j]             for j in range(k + 1, n):
                                                     ... touch(promise, "a[i, k]", a, (i, k)) ...

Every element has the texts of the indices that reached it: where one of them stored it, there must be no other.
Nothing here is shared with the pass that makes the promise.
"""

import ast
import math

import numpy as np
import scipy.special

import pellucid.support
from pellucid.compiler.targets.python.printer import print_function


class Broken(AssertionError):
    """An element that was stored by one index was reached by another."""


def touch(promise, text, array, index, is_store=False):
    """Note that an element is reached by an index of this text; returns it."""
    value = array[index]
    places = zip(np.atleast_1d(index), array.shape, array.strides)
    address = array.__array_interface__["data"][0] + sum(int(i + n * (i < 0)) * step for i, n, step in places)
    texts, stored = promise.setdefault(address, (set(), set()))
    texts.add(text)
    if is_store:
        stored.add(text)
    if stored and len(texts) > 1:
        raise Broken(f"one element is {' and '.join(sorted(texts))}")
    return value


class _Watched(ast.NodeTransformer):
    """Loops that promise something, with every access noted."""

    def __init__(self):
        self.promise, self.loops = None, 0

    def visit_For(self, node):
        if getattr(getattr(node.iter, "func", None), "id", "") != "noalias":
            return self.generic_visit(node)
        self.loops += 1
        self.promise = f"promise_{self.loops}"
        node.body = [made for statement in node.body for made in as_list(self.visit(statement))]
        opened = ast.parse(f"{self.promise} = {{}}").body
        self.promise = None
        return [*opened, node]

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if self.promise is None or not isinstance(node.ctx, ast.Load) or not isinstance(node.value, ast.Name):
            return node
        return self.touched(node, False)

    def visit_Assign(self, node):
        node.value = self.visit(node.value)
        return self.stored(node, node.targets[0])

    def visit_AugAssign(self, node):
        node.value = self.visit(node.value)
        return self.stored(node, node.target)

    def stored(self, node, place):
        if self.promise is None or not isinstance(place, ast.Subscript):
            return node
        return [ast.Expr(self.touched(place, True)), node]

    def touched(self, place, is_store):
        text, index = ast.unparse(place), ast.unparse(place.slice)
        return ast.parse(f"touch({self.promise}, {text!r}, {place.value.id}, ({index}), {is_store})", mode="eval").body


def as_list(made):
    return made if isinstance(made, list) else [made]


def watched(function):
    """A function of the loops stage in CPython, which raises `Broken` where a promise is; and how many it makes."""
    watcher = _Watched()
    tree = ast.fix_missing_locations(watcher.visit(ast.parse(print_function(function))))
    space = {"np": np, "math": math, "scipy": scipy, "touch": touch, **vars(pellucid.support)}
    exec(compile(tree, "loops.py", "exec"), space)
    return space[function.name], watcher.loops

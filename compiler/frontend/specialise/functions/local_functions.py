"""Questions about local functions: what they see, whether two are the same, whether one reaches itself.

    k = x[1]
    def scaled(v): return v * k         free_names(scaled)     ->     ["k"]
"""

from __future__ import annotations

import dataclasses
from typing import Any

import gast

from ..frame import Frame
from ..functional import Closure, Derived
from ..values import Leaf, Ref, Rows, Static, Value, parts


def keeps_own_numbers(frame: Frame, value: Value) -> bool:
    """Whether a value has a function that keeps dynamic numbers that are not variables here.

    Those are its defaults, and the variables of a surrounding function that was called to make it.
    """
    if isinstance(value, Derived):
        return keeps_own_numbers(frame, value.closure)
    if not isinstance(value, Closure):
        return any(keeps_own_numbers(frame, part) for _, part in parts(value))
    kept = [v for v in (*value.defaults, *value.keyword_defaults) if v is not None]
    kept += [v for holder, v in _kept(value) if not _is_around(holder, frame)]
    return any(_is_dynamic(frame, v) for v in kept)


def _is_dynamic(frame: Frame, value: Value) -> bool:
    if isinstance(value, Static | Closure | Derived):
        return keeps_own_numbers(frame, value)
    inner = parts(value)
    return any(_is_dynamic(frame, part) for _, part in inner) if inner else isinstance(value, Leaf | Ref | Rows)


def _kept(closure: Closure) -> list[tuple[Frame, Value]]:
    """The variables that a function sees, each with the frame that holds it."""
    found = []
    for name in free_names(closure.node):
        holder: Frame | None = closure.frame
        while holder is not None and name not in holder.variables:
            holder = holder.outer
        if holder is not None:
            found.append((holder, holder.variables[name]))
    return found


def _is_around(holder: Frame, frame: Frame) -> bool:
    inner: Frame | None = frame
    while inner is not None and inner is not holder:
        inner = inner.outer
    return inner is holder


def free_names(node: Any) -> list[str]:
    """The names that a function mentions and does not take as arguments."""
    spec = node.args
    own = {a.id for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, spec.vararg, spec.kwarg) if a is not None}
    parts = [node.body] if isinstance(node, gast.Lambda) else node.body
    return sorted({n.id for part in parts for n in gast.walk(part) if isinstance(n, gast.Name)} - own)


def is_one(left: Closure, right: Closure) -> bool:
    """Whether two are the same function; each execution of the statements around a function makes another one."""
    return left.node is right.node and left.frame is right.frame


def joined_functions(left: Value, right: Value) -> Closure | Derived | None:
    """The function that a variable stands for after two paths with a definition each; None where it may be another.

    A definition that is executed again, as in the next iteration of a loop, makes a function that does the same: it
    sees the same variables, with their latest values.  It is another object, whose identity is known only at run time.
    """
    match left, right:
        case Closure(), Closure():
            return _joined_closures(left, right)
        case Derived(transforms=transforms), Derived(transforms=others):
            if transforms == others and left.environment is right.environment:
                closure = _joined_closures(left.closure, right.closure)
                return None if closure is None else dataclasses.replace(left, closure=closure)
    return None


def _joined_closures(left: Closure, right: Closure) -> Closure | None:
    is_same = is_one(left, right) and has_same_defaults(left, right)
    return dataclasses.replace(left) if is_same else None


def has_same_defaults(left: Closure, right: Closure) -> bool:
    return (left.defaults, left.keyword_defaults) == (right.defaults, right.keyword_defaults)


def reaches_itself(closure: Closure) -> bool:
    """Whether a local function can call itself, directly or through other local functions."""
    if not any(isinstance(closure.frame.lookup(name), Closure | Derived) for name in free_names(closure.node)):
        return False
    queue, met = [closure], [closure]
    while queue:
        found = queue.pop()
        for name in free_names(found.node):
            value = found.frame.lookup(name)
            other = value.closure if isinstance(value, Derived) else value
            if not isinstance(other, Closure):
                continue
            if is_one(other, closure):
                return True
            if not any(is_one(other, known) for known in met):
                met.append(other)
                queue.append(other)
    return False

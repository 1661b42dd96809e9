"""`match` as tests: what a pattern asks of its subject, and the names that it binds.

    match p:                                 if isinstance(p, Point):
        case Point(x=0.0, y=y): f(y)   ->        if p.x == 0.0: y = p.y; f(y)
        case _: g()                              else: g()
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import gast

from ...syntax import constant, name, target
from .located import located

# Classes whose only positional pattern is the subject itself.
WHOLE = frozenset("bool bytearray bytes dict float frozenset int list set str tuple".split())


def faults(node: gast.Match) -> Iterator[tuple[gast.AST, str]]:
    """The parts that are not in the language, and why."""
    for part in gast.walk(node):
        if isinstance(part, gast.MatchMapping) and part.rest is not None:
            yield part, "the rest of a dict in a pattern"
        if isinstance(part, gast.MatchOr) and any(_captures(p) for p in part.patterns):
            yield part, "a pattern with `|` that binds names"


def lowered(node: gast.Match, function: gast.AST, fresh: Callable[[str], str]) -> list[gast.stmt]:
    """A `match` of this function as assignments and `if`."""
    used = {n.id for n in gast.walk(function) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}
    return [_ByName(used).visit(statement) for statement in _lowered(node, function, fresh)]


class _ByName(gast.NodeTransformer):
    """Names builtins by their names, except where a variable of the function has that name."""

    def __init__(self, used: set[str]) -> None:
        self.used = used

    def visit_Constant(self, node: gast.Constant) -> gast.expr:
        found = getattr(node.value, "__name__", "")
        return node if not found or found in self.used else gast.copy_location(name(found), node)


def _lowered(node: gast.Match, function: gast.AST, fresh: Callable[[str], str]) -> list[gast.stmt]:
    subject, done = fresh("subject"), fresh("matched")
    first = [located(gast.Assign([target(subject)], node.subject, None), node)]
    if not any(_leaves_names(case, function) for case in node.cases):
        return [*first, *_chain(node, subject)]
    made: list[gast.stmt] = [*first, located(gast.Assign([target(done)], constant(False), None), node)]
    for case in node.cases:
        body = [located(gast.Assign([target(done)], constant(True), None), case.body[0]), *case.body]
        if case.guard is not None:
            body = [located(gast.If(case.guard, body, []), case.guard)]
        body = [*_bindings(case, subject), *body]
        test = _all([gast.UnaryOp(gast.Not(), name(done)), *tests(case.pattern, name(subject))])
        made.append(located(gast.If(test, body, []), case.pattern))
    return made


def _leaves_names(case: Any, function: gast.AST) -> bool:
    """Whether a name that a pattern has bound may be read although its guard fails."""
    if case.guard is None:
        return False
    own = {key for key, _ in bound(case.pattern, name("subject"))}
    return bool(own) and any(_reads_outside_cases(function, key) for key in own)


def _reads_outside_cases(node: gast.AST, key: str) -> bool:
    if isinstance(node, gast.Name):
        return node.id == key and isinstance(node.ctx, gast.Load)
    if isinstance(node, gast.match_case) and key in [k for k, _ in bound(node.pattern, name("subject"))]:
        return False
    return any(_reads_outside_cases(child, key) for child in gast.iter_child_nodes(node))


class _Standing(gast.NodeTransformer):
    """Puts parts of the subject for the names that stand for them in a guard."""

    def __init__(self, parts: dict[str, gast.expr]) -> None:
        self.parts = parts

    def visit_Name(self, node: gast.Name) -> gast.expr:
        return self.parts.get(node.id, node)


def _chain(node: gast.Match, subject: str) -> list[gast.stmt]:
    rest: list[gast.stmt] = []
    for case in reversed(node.cases):
        body = [*_bindings(case, subject), *case.body]
        asked = tests(case.pattern, name(subject))
        if case.guard is not None:
            parts = dict(bound(case.pattern, name(subject)))
            asked.append(_Standing(parts).visit(copy.deepcopy(case.guard)))
        rest = [located(gast.If(_all(asked), body, rest), case.pattern)] if asked else body
    return rest


def _bindings(case: Any, subject: str) -> list[gast.stmt]:
    pairs = bound(case.pattern, name(subject))
    return [located(gast.Assign([target(key)], value, None), case.pattern) for key, value in pairs]


def tests(pattern: Any, subject: gast.expr) -> list[gast.expr]:
    """What must be true of the subject, in evaluation order."""
    match pattern:
        case gast.MatchValue(value=value):
            return [located(gast.Compare(subject, [gast.Eq()], [value]), pattern)]
        case gast.MatchSingleton(value=value):
            return [located(gast.Compare(subject, [gast.Is()], [constant(value)]), pattern)]
        case gast.MatchOr(patterns=patterns):
            return [located(gast.BoolOp(gast.Or(), [_all(tests(p, subject)) for p in patterns]), pattern)]
        case gast.MatchSequence(patterns=patterns):
            kinds = gast.Tuple([constant(tuple), constant(list)], gast.Load())
            stars = [p for p in patterns if isinstance(p, gast.MatchStar)]
            op = gast.GtE() if stars else gast.Eq()
            length = located(gast.Compare(_call(len, subject), [op], [constant(len(patterns) - len(stars))]), pattern)
            own = [_call(isinstance, subject, kinds), length]
        case gast.MatchMapping(keys=keys):
            own = [_call(isinstance, subject, constant(dict))]
            own += [gast.Compare(key, [gast.In()], [subject]) for key in keys]
        case gast.MatchClass(cls=cls):
            own = [_call(isinstance, subject, cls)]
        case _:
            own = []
    return [*own, *(test for inner, part in inside(pattern, subject) for test in tests(inner, part))]


def bound(pattern: Any, subject: gast.expr) -> list[tuple[str, gast.expr]]:
    """The names that a pattern binds, and to what."""
    found = [pair for inner, part in inside(pattern, subject) for pair in bound(inner, part)]
    if isinstance(pattern, gast.MatchAs) and pattern.name is not None:
        found.append((_text(pattern.name), subject))
    if isinstance(pattern, gast.MatchStar) and pattern.name is not None:
        found.append((_text(pattern.name), _call(list, subject)))
    return found


def inside(pattern: Any, subject: gast.expr) -> list[tuple[Any, gast.expr]]:
    """The patterns inside one, each with the part of the subject that it is about."""
    match pattern:
        case gast.MatchAs(pattern=inner) if inner is not None:
            return [(inner, subject)]
        case gast.MatchSequence(patterns=patterns):
            return [(p, _item(subject, k, patterns)) for k, p in enumerate(patterns)]
        case gast.MatchMapping(keys=keys, patterns=patterns):
            return [(p, gast.Subscript(subject, key, gast.Load())) for key, p in zip(keys, patterns, strict=True)]
        case gast.MatchClass(cls=cls, patterns=patterns, kwd_attrs=names, kwd_patterns=named):
            by_name = [(p, gast.Attribute(subject, n, gast.Load())) for n, p in zip(names, named, strict=True)]
            return [*((p, _positional(subject, cls, k)) for k, p in enumerate(patterns)), *by_name]
    return []


def _item(subject: gast.expr, place: int, patterns: list[Any]) -> gast.expr:
    star = next((k for k, p in enumerate(patterns) if isinstance(p, gast.MatchStar)), len(patterns))
    after = len(patterns) - 1 - star
    if place == star:
        index: gast.expr = gast.Slice(constant(star), constant(-after) if after else None, None)
    else:
        index = constant(place if place < star else place - len(patterns))
    return gast.Subscript(subject, index, gast.Load())


def _positional(subject: gast.expr, cls: gast.expr, place: int) -> gast.expr:
    if isinstance(cls, gast.Name) and cls.id in WHOLE:
        return subject
    names = gast.Attribute(cls, "__match_args__", gast.Load())
    return _call(getattr, subject, gast.Subscript(names, constant(place), gast.Load()))


def _captures(pattern: Any) -> bool:
    return bool(bound(pattern, name("subject")))


def _text(found: Any) -> str:
    return found.id if isinstance(found, gast.Name) else str(found)


def _call(function: Callable[..., Any], *arguments: gast.expr) -> gast.expr:
    return gast.Call(constant(function), list(arguments), [])


def _all(parts: list[gast.expr]) -> gast.expr:
    if not parts:
        return constant(True)
    return parts[0] if len(parts) == 1 else gast.BoolOp(gast.And(), parts)

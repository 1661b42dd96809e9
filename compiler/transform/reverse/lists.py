"""Growable lists backwards: a list of cotangents that shrinks where the list grew.

    append(xs, v)     v_bar += pop(xs_bar)
    x = pop(xs)       append(xs_bar, x_bar)
    x = xs[i]         xs_bar[i] += x_bar
    xs[i] = v         v_bar += xs_bar[i]; xs_bar[i] = 0

At every point of the backward sweep the list of cotangents is as long as the list was at that point of the forward
sweep.  A tape that a loop empties is empty at its end, and so is its list of cotangents at the start.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.def_use import def_use
from ...analysis.regions import ForwardValue, Region
from ...ops.forms import LIST_READS
from ...types import INT, Array, ListOf, Scalar, symbols_of
from .declared import array_type, list_type
from .packed_lists import builder_of, for_each, shape_at, shapes_of, with_own_lengths

if TYPE_CHECKING:
    from ...builder import Builder
    from .cotangents import Cotangents
    from .sweep import Sweep


def of_append(sweep: Sweep, frame: Cotangents, statement: gast.Expr) -> None:
    base, source = statement.value.args
    if base.id not in sweep.active:
        return
    bars = frame.list_in_place(base.id)
    active = isinstance(source, gast.Name) and source.id in sweep.active
    if active and _has_stores(sweep, base.id):
        build = frame.builder
        last = build.call("subtract", build.bind(syntax.call("length", bars), INT, "n"), 1, hint="last")
        _let_fit(frame, base.id, bars, [last], source.id)
    hint = frame.hint(source.id) if active else "t_bar"
    value = frame.builder.bind(syntax.call("pop", bars), _item_type(sweep, base.id), hint)
    if active:
        frame.add(source.id, value)


def of_pop(sweep: Sweep, frame: Cotangents, statement: gast.Assign) -> None:
    name, base = statement.targets[0].id, statement.value.args[0].id
    value = frame.bars.pop(name, None)
    if base not in sweep.active:
        return
    bars = frame.list_in_place(base)
    _append(sweep, frame, bars.id, frame.full(name, value))


def _append(sweep: Sweep, frame: Cotangents, bars: str, value: gast.expr) -> None:
    """The appended array stays as it is: nothing may be added to it in place."""
    shares = not list_type(sweep.types, bars).is_box
    if shares and isinstance(value, gast.Name) and isinstance(sweep.types[value.id], Array):
        sweep.escaped.add(sweep.base.get(value.id, value.id))
        if sweep.base.get(value.id) != value.id:
            value = frame.builder.call("copy", value, hint=value.id)
            sweep.escaped.add(value.id)
    frame.builder.append(syntax.expression(syntax.call("append", bars, value)))


def of_load(sweep: Sweep, frame: Cotangents, statement: gast.Assign, out_bar: gast.expr) -> None:
    name, base = statement.targets[0].id, statement.value.value.id
    items = list(sweep.atoms(statement, statement.value.slice).elts)
    bars = frame.list_in_place(base)
    if _has_stores(sweep, base):
        _let_fit(frame, base, bars, items, name)
    before = frame.builder.bind(syntax.index(bars.id, *items), _item_type(sweep, base), "t_bar")
    total = frame.builder.call("add", before, frame.full(name, out_bar), hint="t_bar")
    frame.builder.append(syntax.store(bars.id, items, total))
    if isinstance(total, gast.Name):
        sweep.escaped.add(total.id)


def of_store(sweep: Sweep, frame: Cotangents, statement: gast.Assign) -> None:
    base, source = statement.targets[0].value.id, statement.value
    if base not in sweep.active:
        return
    items = list(sweep.atoms(statement, statement.targets[0].slice).elts)
    bars = frame.list_in_place(base)
    element = list_type(sweep.types, base).element
    if isinstance(source, gast.Name) and source.id in sweep.active:
        _let_fit(frame, base, bars, items, source.id)
    value = frame.builder.bind(syntax.index(bars.id, *items), _item_type(sweep, base), "t_bar")
    frame.builder.append(syntax.store(bars.id, items, _zero_like(frame, element, value)))
    if isinstance(source, gast.Name) and source.id in sweep.active:
        frame.add(source.id, value)


def _has_stores(sweep: Sweep, base: str) -> bool:
    """Whether an item of some list is replaced, which may have had another length: `rows[k] = rows[k] + [v]`."""
    element = list_type(sweep.types, base).element
    if not isinstance(element, Array) or all(isinstance(d, int) for d in element.dims):
        return False
    targets = (s.targets[0] for s in syntax.walk(sweep.function.body) if isinstance(s, gast.Assign))
    bases = (t.value.id for t in targets if isinstance(t, gast.Subscript) and isinstance(t.value, gast.Name))
    return any(isinstance(sweep.types[name], ListOf) for name in bases)


def _item_type(sweep: Sweep, base: str) -> Scalar | Array:
    """The type of one item: of lengths that it need not share with the others, it has its own."""
    element = list_type(sweep.types, base).element
    if not isinstance(element, Array):
        return element
    known = {s for parameter in sweep.function.parameters for s in symbols_of(sweep.types[parameter])}
    is_common = not _has_stores(sweep, base) and known.issuperset(symbols_of(element))
    return element if is_common else with_own_lengths(element, sweep.root.builder)


def _let_fit(frame: Cotangents, base: str, bars: gast.Name, items: list[gast.expr], source: str) -> None:
    """Give a cotangent that is zero, as its item was replaced, the shape that the item had before."""
    sweep, build = frame.sweep, frame.builder
    element = list_type(sweep.types, base).element
    if not isinstance(element, Array) or all(isinstance(d, int) for d in element.dims):
        return
    now = build.bind(syntax.index(bars.id, *items), _item_type(sweep, base), "t_bar")
    shape = sweep.shape(source, frame)
    wrong: gast.expr | None = None
    for axis, length in enumerate(shape):
        differs = build.call("not_equal", build.bind(syntax.call("dim", now, axis=axis), INT, "n"), length)
        wrong = differs if wrong is None else build.call("logical_or", wrong, differs)
    assert wrong is not None
    outer, build.body = build.body, []
    zero = build.call("zeros", shape=syntax.tuple_(shape), dtype=element.dtype)
    assert isinstance(zero, gast.Name)
    sweep.escaped.add(zero.id)
    build.append(syntax.store(bars.id, items, zero))
    inner, build.body = build.body, outer
    build.append(syntax.if_(wrong, inner, span=build.span))


def _zero_like(frame: Cotangents, element: Scalar | Array, value: gast.expr) -> gast.expr:
    """A zero of the type of an element, shaped like this one."""
    if isinstance(element, Scalar):
        if element.weak:
            return syntax.constant(0.0)
        return frame.builder.call("cast", 0.0, dtype=element.dtype, weak=False)
    dims = array_type(frame.builder.types, value.id).dims
    lengths = [
        frame.builder.bind(syntax.call("dim", value, axis=k), INT, "n") if not isinstance(d, int) else d
        for k, d in enumerate(dims)
    ]
    made = frame.builder.call("zeros", shape=syntax.tuple_(lengths), dtype=element.dtype)
    frame.builder.types[made.id] = Array(element.dtype, dims)
    return made


def _zeros_of(frame: Cotangents, element: Array, shape: Sequence[gast.expr]) -> gast.expr:
    made = frame.builder.call("zeros", shape=syntax.tuple_(shape), dtype=element.dtype)
    frame.builder.types[made.id] = Array(element.dtype, element.dims)
    return made


def _shape_of_all(sweep: Sweep, name: str) -> list[gast.expr] | None:
    """The shape of all arrays that are put into a list, where it is one and is known after the forward sweep."""
    found = set()
    for statement in syntax.walk(sweep.function.body):
        if syntax.blocks_of(statement) or name not in syntax.names_read(statement):
            continue
        match statement:
            case gast.Expr(value=gast.Call(func=gast.Name(id="append"), args=[gast.Name(id=own), gast.Name(id=item)])):
                if own != name:
                    return None
                found.add(array_type(sweep.types, item).dims)
            case gast.Assign(targets=[gast.Name()], value=gast.Subscript(value=gast.Name(id=own))) if own == name:
                pass
            case gast.Assign(targets=[gast.Name()], value=gast.Call(func=gast.Name(id=operator))) if (
                operator in LIST_READS
            ):
                pass
            case _:  # an alias, a store or a call may put in others
                return None
    lengths = [sweep.lengths.fixed(extent) for dims in found for extent in dims]
    told = [length for length in lengths if length is not None]
    return told if len(found) == 1 and len(told) == len(lengths) else None


def is_there(sweep: Sweep, name: str) -> bool:
    """Whether a list of the forward sweep is there in the backward one."""
    return sweep.regions.home[name].parent is None and sweep.lasting


def zeros_for(frame: Cotangents, name: str, bars: gast.Name) -> None:
    """Append a zero for every element that the list has at the end of its life."""
    sweep = frame.sweep
    element = list_type(sweep.types, name).element
    if is_emptied(sweep, name):
        return
    build = frame.builder
    there = is_there(sweep, name)
    shape = _shape_of_all(sweep, name) if isinstance(element, Array) and not there else None
    shapes = _final_shapes(sweep, name) if isinstance(element, Array) and not there and shape is None else None
    if shapes is None:
        length: gast.expr = final_length(sweep, name)
    else:
        length = build.bind(syntax.call("dim", shapes, axis=0), INT, "n")

    def zero_at(place: str) -> None:
        if not isinstance(element, Array):
            zero = _zero_like(frame, element, None)
        elif shape is not None:
            zero = _zeros_of(frame, element, shape)
        elif shapes is not None:
            zero = build.call("zeros", shape=syntax.tuple_(shape_at(build, shapes, place, element.ndim)),
                              dtype=element.dtype)  # fmt: skip
        else:
            zero = _zero_like(frame, element, build.bind(syntax.index(name, syntax.name(place)), element, "t"))
        if isinstance(zero, gast.Name):
            sweep.escaped.add(zero.id)
        build.append(syntax.expression(syntax.call("append", bars, zero)))

    for_each(build, length, zero_at)


def is_emptying(statement: gast.stmt, name: str) -> bool:
    """Whether a loop goes on until the list is empty."""
    match statement:
        case gast.While(
            test=gast.Call(
                func=gast.Name(id="greater"),
                args=[gast.Call(func=gast.Name(id="length"), args=[gast.Name(id=base)]), gast.Constant(value=0)],
            )
        ):
            return base == name
    return False


def final_length(sweep: Sweep, name: str) -> gast.expr:
    """The length that a list has when its block ends, as a value of the forward sweep: no pullback needs the list."""

    def length(build: Builder) -> gast.Name:
        return build.bind(syntax.call("length", name), INT, "n")

    return syntax.name(_closing(sweep, name, length))


def _final_shapes(sweep: Sweep, name: str) -> str:
    """The lengths of the arrays that a list holds when its block ends, in a row for each."""

    def shapes(build: Builder) -> gast.Name:
        count = build.bind(syntax.call("length", name), INT, "n")
        return shapes_of(build, name, count, lambda _: None)

    return _closing(sweep, name, shapes)


def _closing(sweep: Sweep, name: str, made: Callable[[Builder], gast.Name]) -> str:
    """A value of the forward sweep that is read off a list where its block ends."""
    if name not in sweep.lists_closed:
        region = sweep.regions.home[name]
        last = end_of(sweep, region)
        build = builder_of(sweep, getattr(last, "span", None))
        key = made(build).id
        sweep.regions.order[id(build.body[-1])] = sweep.regions.order[id(last)]
        value = ForwardValue(key, key, region, build.body[-1], None)
        sweep.regions.values[key] = value
        sweep.lists_closed[name] = value, tuple(build.body)
    return sweep.lists_closed[name][0].key


def end_of(sweep: Sweep, region: Region) -> gast.stmt:
    """The last statement of a block that is neither a merge nor the return."""
    return next(s for s in reversed(sweep.regions.main[id(region)]) if not isinstance(s, gast.Return))


def is_emptied(sweep: Sweep, name: str) -> bool:
    """Whether a list is empty in the end: the last thing that happens to it is a loop that empties it, or what is put
    into it on a path is taken out on the same.  A box is empty where it is made."""
    if list_type(sweep.types, name).is_box:
        return True
    region = sweep.regions.home[name]
    touching = [s for s in sweep.regions.main[id(region)] if name in set(syntax.names_read(s))]
    return bool(touching) and (is_emptying(touching[-1], name) or _is_balanced(sweep, touching, name))


def _is_balanced(sweep: Sweep, touching: Sequence[gast.stmt], name: str) -> bool:
    """Whether as many items are taken out as are put in, whichever way tests turn out that have one value."""
    always, under = 0, dict[str, tuple[int, int]]()
    for statement in touching:
        if isinstance(statement, gast.If) and isinstance(statement.test, gast.Name):
            sides = [_net(block, name) for block in (statement.body, statement.orelse)]
            if None in sides or not def_use(sweep.function).is_constant(statement.test.id):
                return False
            before = under.get(statement.test.id, (0, 0))
            under[statement.test.id] = (before[0] + sides[0], before[1] + sides[1])  # type: ignore[operator]
            continue
        net = _net([statement], name)
        if net is None:
            return False
        always += net
    return all(one == other for one, other in under.values()) and always + sum(one for one, _ in under.values()) == 0


def _net(statements: Sequence[gast.stmt], name: str) -> int | None:
    """How many items more a list has after these statements; None where the program does not show it."""
    net = 0
    for statement in statements:
        value = getattr(statement, "value", None)
        operator = syntax.operator_of(value) if value is not None else None
        is_own = operator in ("append", "pop") and value.args[0].id == name
        if is_own:
            net += 1 if operator == "append" else -1
        elif name in syntax.names_read(statement):
            return None
    return net

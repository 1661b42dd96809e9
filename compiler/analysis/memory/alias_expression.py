"""What one expression of the user's source may be, given what its names may be.

    x.T, x[1:], np.reshape(x, n)    ->  a view of x            x[mask], x + 1, np.sin(x)   ->  made here
    (x, y)                          ->  a container            c and x                     ->  either
    helper(x)                       ->  by the summary of `helper`, or else: made here, or a view of x

The transfer functions after `alias_source.Flow`; calls of the user's functions are left to `Surroundings.call`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from ...ops.python_names import BINDINGS, COMBINING, PICKING, NameBinding, has_place_for_out
from ...ops.python_names import METHODS as METHOD_BINDINGS
from ...vocabulary import INDEX_MAKERS, MASK_MAKERS, METHODS, NUMPY_METHODS, PLAIN_ATTRIBUTES, TUPLE_MAKERS, words
from .alias_value import FUNCTION, NOTHING, SCALAR, PointsTo, container, doubtful, element, join, join_all, made, view

if TYPE_CHECKING:
    from .alias_source import Flow, State

BITWISE = (gast.BitAnd, gast.BitOr, gast.BitXor)
SHALLOW_COPIES = words("list tuple dict sorted set")
SCALAR_BUILTINS = words("len range int float bool round isinstance str ord chr")


def here(node: gast.AST, form: str = "made") -> PointsTo:
    """Something new, made by this expression."""
    return made(form, type(node).__name__, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))


def expression_value(flow: Flow, node: gast.AST, state: State) -> PointsTo:
    match node:
        case gast.Constant():
            return SCALAR
        case gast.Name(id=name):
            return flow.lookup(name, state)
        case gast.Lambda():
            return FUNCTION
        case gast.BoolOp(values=values):
            return join_all([flow.evaluate(value, state) for value in values])
        case gast.Compare(left=left, comparators=others):
            parts = [flow.evaluate(part, state) for part in (left, *others)]
            return SCALAR if all(part.form == "scalar" for part in parts) else here(node, "mask")
        case gast.BinOp() | gast.UnaryOp():
            return _arithmetic(flow, node, state)
        case gast.IfExp(test=test, body=body, orelse=orelse):
            flow.evaluate(test, state)
            return join(flow.evaluate(body, state), flow.evaluate(orelse, state))
        case gast.NamedExpr(target=target, value=value):
            result = flow.evaluate(value, state)
            flow.bind(target, result, state, value)
            return result
        case gast.Tuple(elts=elements) | gast.List(elts=elements) | gast.Set(elts=elements):
            return _display(flow, node, elements, state)
        case gast.Dict(keys=keys, values=values):
            for key in keys:
                if key is not None:
                    flow.evaluate(key, state)
            return container(here(node), [], join_all([flow.evaluate(value, state) for value in values]))
        case gast.ListComp() | gast.SetComp() | gast.GeneratorExp() | gast.DictComp():
            return _comprehension(flow, node, state)
        case gast.Attribute(value=base, attr=attribute):
            return _attribute(flow.evaluate(base, state), attribute)
        case gast.Subscript(value=base, slice=index):
            return subscript(flow.evaluate(base, state), index, flow.evaluate(index, state), node)
        case gast.Call():
            return call_value(flow, node, state)
        case gast.Starred(value=value):
            return element(flow.evaluate(value, state))
        case _:
            parts = [flow.evaluate(c, state) for c in gast.iter_child_nodes(node) if isinstance(c, gast.expr)]
            return join_all(parts) if isinstance(node, gast.Await | gast.Yield) else NOTHING


def _arithmetic(flow: Flow, node: gast.BinOp | gast.UnaryOp, state: State) -> PointsTo:
    operands = [node.operand] if isinstance(node, gast.UnaryOp) else [node.left, node.right]
    values = [flow.evaluate(operand, state) for operand in operands]
    forms = {value.form for value in values}
    if "container" in forms:  # lists and tuples are joined and repeated
        return container(here(node), [], join_all([element(v) for v in values if v.form == "container"]))
    if forms == {"scalar"}:
        return SCALAR
    if "mask" in forms and (isinstance(node, gast.UnaryOp) or isinstance(node.op, BITWISE)):
        return here(node, "mask")
    return here(node, "array" if "array" in forms else "made")


def _display(flow: Flow, node: gast.AST, elements: list[gast.expr], state: State) -> PointsTo:
    values = [flow.evaluate(e, state) for e in elements]
    starred = any(isinstance(e, gast.Starred) for e in elements)
    return container(here(node), [], join_all(values)) if starred else container(here(node), values)


def _comprehension(flow: Flow, node: gast.AST, state: State) -> PointsTo:
    inner = dict(state)
    for generator in node.generators:
        flow.bind(generator.target, element(flow.evaluate(generator.iter, inner)), inner)
        for condition in generator.ifs:
            flow.evaluate(condition, inner)
    if isinstance(node, gast.DictComp):
        flow.evaluate(node.key, inner)
        return container(here(node), [], flow.evaluate(node.value, inner))
    return container(here(node), [], flow.evaluate(node.elt, inner))


def _attribute(base: PointsTo, attribute: str) -> PointsTo:
    if attribute in PLAIN_ATTRIBUTES:
        return SCALAR
    if attribute in METHOD_BINDINGS:
        return view(base)
    return PointsTo(base.everything, base.inside) if base.everything else base


def subscript(base: PointsTo, index: gast.AST, value: PointsTo, node: gast.AST) -> PointsTo:
    """`base[index]`: an element, a view, or for index arrays and masks a copy."""
    items = index.elts if isinstance(index, gast.Tuple) else [index]
    values = value.elements if isinstance(index, gast.Tuple) and value.elements else (value,)
    if any(isinstance(item, gast.List) for item in items) or any(v.copies_as_index for v in values):
        return here(node, "array" if base.form in ("array", "mask") else "made")  # of a sparse array it is one
    if isinstance(index, gast.Constant) and isinstance(index.value, int) and base.elements:
        inside = -len(base.elements) <= index.value < len(base.elements)
        return base.elements[index.value] if inside else NOTHING
    if any(isinstance(item, gast.Slice) or _is_whole(item) for item in items):
        if base.form == "container":  # a part of a list or tuple is a new one
            return container(here(node), [], element(base))
        return view(base) if base.form in ("unknown", "array", "made") else base
    return element(base)


def _is_whole(item: gast.AST) -> bool:
    """`...` and `None` as an index: arrays only have them, and give a view."""
    return isinstance(item, gast.Constant) and (item.value is None or item.value is Ellipsis)


# --- calls ---------------------------------------------------------------------------------------------------------


def call_value(flow: Flow, node: gast.Call, state: State) -> PointsTo:
    """The value of a call; every argument is evaluated, and what the call puts into a list is put there."""
    for argument in node.args:
        flow.evaluate(argument, state)
    for keyword in node.keywords:
        flow.evaluate(keyword.value, state)
    flow.evaluate(node.func, state)
    return flow.surroundings.call(flow, node, state)


def argument_values(flow: Flow, node: gast.Call) -> list[PointsTo]:
    return [flow.facts.value(argument) for argument in (*node.args, *(k.value for k in node.keywords))]


def builtin_call(flow: Flow, node: gast.Call, name: str) -> PointsTo:
    arguments = argument_values(flow, node)
    first = arguments[0] if arguments else NOTHING
    match name:
        case _ if name in SCALAR_BUILTINS:
            return container(here(node), [], SCALAR) if name == "range" else SCALAR
        case _ if name in SHALLOW_COPIES:
            known = first.elements if name in ("list", "tuple") else None
            return container(here(node), known) if known is not None else container(here(node), [], element(first))
        case "reversed" | "iter":
            return container(here(node), [], element(first))
        case "enumerate":
            return container(here(node), [], container(here(node), [SCALAR, element(first)]))
        case "zip":
            return container(here(node), [], container(here(node), [element(a) for a in arguments]))
        case _ if name in PICKING:
            return join_all(arguments) if len(arguments) > 1 else element(first)
        case "dict.fromkeys":  # keys cannot be changed
            return container(here(node), [], join_all([SCALAR, *arguments[1:]]))
        case _ if name in COMBINING:
            return here(node)
        case _:
            return doubtful(arguments, name, here(node))


def library_call(flow: Flow, node: gast.Call, dotted: str) -> PointsTo:
    """A function of NumPy, `math` or another library: views for those known to give views, else something new."""
    library, _, tail = dotted.rpartition(".")
    arguments = argument_values(flow, node)
    written = out_argument(node) or place_for_out(node, BINDINGS.get(dotted))
    if written is not None:
        return flow.facts.value(written)
    if library in ("functools", "operator", "dataclasses"):
        return doubtful(arguments, f".{tail}", here(node))
    if library.split(".")[0] not in ("numpy", "pellucid"):
        return here(node)
    if _shares_by_rank(BINDINGS.get(dotted)):
        return doubtful(arguments, f".{tail}", here(node))
    if _may_share(BINDINGS.get(dotted), node):
        shown = next((a for a in arguments if a.form not in ("scalar", "function")), NOTHING)
        return here(node, "array") if shown.form == "container" else view(shown)
    if tail in TUPLE_MAKERS or (tail == "where" and len(arguments) == 1):
        return container(here(node), [], here(node, "array"))
    if tail in MASK_MAKERS:
        return here(node, "mask")
    if tail in INDEX_MAKERS:
        return here(node, "array")
    if dotted not in BINDINGS and library.startswith("numpy"):  # nothing is known of it: it is refused elsewhere
        return doubtful(arguments, dotted, here(node))
    return here(node)


def out_argument(node: gast.Call) -> gast.expr | None:
    """The array that a call writes its result to: `out=x`."""
    return next((k.value for k in node.keywords if k.arg == "out" and not _is_none(k.value)), None)


def place_for_out(node: gast.Call, binding: NameBinding | None) -> gast.expr | None:
    """The array that an operator writes its result to by its place: `np.add(x, y, x)`."""
    if binding is None or not has_place_for_out(binding, len(node.args)) or _is_none(node.args[-1]):
        return None
    return node.args[-1]


def _is_none(node: gast.AST) -> bool:
    return isinstance(node, gast.Constant) and node.value is None


def _may_share(binding: NameBinding | None, node: gast.Call) -> bool:
    """Whether the result of a call may show elements of an argument; functions that are not supported are refused."""
    if binding is None or binding.shares == "copy":
        return False
    return binding.shares != "on request" or _copy_is_off(node)


def _shares_by_rank(binding: NameBinding | None) -> bool:
    return binding is not None and binding.shares == "by rank"


def _copy_is_off(node: gast.Call) -> bool:
    return any(k.arg == "copy" and not _is_true(k.value) for k in node.keywords)


def _is_true(node: gast.AST) -> bool:
    return isinstance(node, gast.Constant) and node.value is True


def method_call(flow: Flow, node: gast.Call, method: str, state: State) -> PointsTo:
    """A method of a local value: of an array, a list, a dict or a record."""
    base = flow.facts.value(node.func.value)
    arguments = argument_values(flow, node)
    everything = join_all([NOTHING, *arguments])
    match method:
        case "append" | "insert" | "add" | "setdefault" | "update" | "extend" | "__setitem__":
            flow.put(base, element(everything) if method == "extend" else everything, state)
            return join(element(base), everything) if method == "setdefault" else SCALAR
        case "pop" | "popitem" | "get":
            return join(element(base), everything) if arguments else element(base)
        case "values":
            return container(here(node), [], element(base))
        case "items":
            return container(here(node), [], container(here(node), [SCALAR, element(base)]))
        case "keys" | "index" | "count":
            return SCALAR
        case "copy" if not arguments:  # what is inside is the same where it is a list
            new, form = here(node).itself, base.form if base.form == "container" else "unknown"
            inside = base.inside if form == "container" else doubtful([base], ".copy", here(node)).inside
            return PointsTo(new, inside, form, base.elements, base.each)
        case "_replace" | "_asdict":
            return container(here(node), [], PointsTo(base.everything | everything.everything, base.everything))
        case _ if _may_share(METHOD_BINDINGS.get(method), node):
            return view(base)
        case _:
            written = out_argument(node)
            if written is not None:
                return flow.facts.value(written)
            # a field of a record may hold a function, and a class of the user may have methods
            known = method in METHODS or method in NUMPY_METHODS
            return here(node) if known else doubtful([base, *arguments], f".{method}", here(node))

"""Run typed programs in CPython as they stand, every operator a call of its row's `meaning`; no printer in between.

    run(program)(x, k)                  the results of the entry as a tuple
    slope(program, arguments, along)    its derivative along a direction, by a complex step: right to the last digits

A complex step (Squire and Trapp, SIAM Review 40, 1998) needs smooth operators: comparisons look at real parts, and
arrays made by the program hold complex numbers.
"""

import gast
import numpy as np

from pellucid.compiler import syntax
from pellucid.compiler.ops.schema import OPERATORS

STEP = 1e-30


def text(program):
    """The program as Python source in call form."""
    return "\n".join(line for f in program.functions.values() for line in [_head(f), *_block(f.body, 1)])


def _head(function):
    return f"def {function.name}({', '.join(function.parameters)}):"


def _block(body, depth):
    lines = [line for statement in body for line in _statement(statement, depth)]
    return lines or ["    " * depth + "pass"]


def _statement(statement, depth):
    pad = "    " * depth
    match statement:
        case gast.Assign(targets=[gast.Tuple(elts=places)], value=value):
            return [f"{pad}{''.join(p.id + ', ' for p in places)}= {_expression(value)}"]
        case gast.Assign(targets=[place], value=value):
            return [f"{pad}{_expression(place)} = {_expression(value)}"]
        case gast.For(target=target, iter=bounds, body=body):
            return [f"{pad}for {target.id} in {_expression(bounds)}:", *_block(body, depth + 1)]
        case gast.While(test=test, body=body):
            return [f"{pad}while {_expression(test)}:", *_block(body, depth + 1)]
        case gast.If(test=test, body=body, orelse=orelse):
            lines = [f"{pad}if {_expression(test)}:", *_block(body, depth + 1)]
            return lines + ([f"{pad}else:", *_block(orelse, depth + 1)] if orelse else [])
        case gast.Raise(exc=error):
            return [f"{pad}raise {_expression(error)}"]
        case gast.Return(value=value):
            return [f"{pad}return {_expression(value)}"]
        case gast.Expr(value=value):
            return [pad + _expression(value)]
    raise AssertionError(gast.dump(statement))


def _expression(node):
    match node:
        case gast.Name(id=name):
            return name
        case gast.Constant(value=value):
            return repr(value) if value == value and value not in (np.inf, -np.inf) else f"float('{value}')"
        case gast.Call(func=gast.Name(id=name), args=args, keywords=keywords):
            given = [*map(_expression, args), *(f"{k.arg}={_expression(k.value)}" for k in keywords)]
            return f"{name}({', '.join(given)})"
        case gast.Tuple(elts=elements):
            return f"({''.join(_expression(e) + ', ' for e in elements)})"
        case gast.Slice(lower=lower, upper=upper, step=step):
            return f"slice({', '.join('None' if p is None else _expression(p) for p in (lower, upper, step))})"
        case gast.Subscript(value=base, slice=gast.Tuple(elts=[item])):
            return f"{_expression(base)}[{_expression(item)}]"
        case gast.Subscript(value=base, slice=items):
            return f"{_expression(base)}[{_expression(items)}]"
        case gast.BoolOp(op=op, values=values):
            return f"({(' and ' if isinstance(op, gast.And) else ' or ').join(map(_expression, values))})"
    raise AssertionError(gast.dump(node))


def run(program, space=None):
    """The entry as a function of CPython."""
    made = dict(space or real_space())
    exec(text(program), made)
    return made[program.entry]


def real_space():
    def meaning(row):
        return lambda *operands, **static: row.meaning(*operands, **{**row.static, **static})

    return {name: meaning(row) for name, row in OPERATORS.items()} | {
        "new_list": list, "append": list.append, "pop": list.pop, "length": len, "add_at": np.add.at,
    }  # fmt: skip


def complex_space():
    """The same for complex numbers in the place of floats."""
    space = real_space()
    real_cast = space["cast"]

    def dtype(word):
        return {"f64": np.complex128, "i64": np.int64, "bool": np.bool_}[word]

    for make in (np.zeros, np.ones, np.empty):
        space[make.__name__] = lambda shape, dtype_="f64", make=make, **static: make(
            shape, dtype(static.get("dtype", dtype_))
        )
    space["full"] = lambda value, shape, **static: np.full(shape, value, dtype(static["dtype"]))
    space["cast"] = lambda x, **static: x if static["dtype"] == "f64" else real_cast(x, **static)
    for compare in (np.greater, np.less, np.greater_equal, np.less_equal):
        space[compare.__name__] = lambda x, y, compare=compare: compare(np.real(x), np.real(y))
    return space | {"absolute": lambda x: np.abs(np.real(x)), "where": np.where, "copy": np.copy}


def slope(program, arguments, along):
    """The derivative of the first result where the arguments move along `along` (None: stays)."""
    moved = [a if d is None else a + 1j * STEP * d for a, d in zip(arguments, along)]
    return run(program, complex_space())(*moved)[0].imag / STEP


def central_difference(function, arguments, position, step):
    """The gradient of the first result with respect to one argument."""

    def at(value):
        return function(*own(arguments[:position]), value, *own(arguments[position + 1 :]))[0]

    given = arguments[position]
    if not isinstance(given, np.ndarray):
        return (at(given + step) - at(given - step)) / (2 * step)
    gradient = np.zeros(given.shape)
    for place in np.ndindex(given.shape):
        up, down = given.copy(), given.copy()
        up[place] += step
        down[place] -= step
        gradient[place] = (at(up) - at(down)) / (2 * step)
    return gradient


def own(arguments):
    """Arguments that may be changed without anyone seeing it."""
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]


def summed(program):
    """The program with one scalar result: the sum of the squares of all its results."""
    from pellucid.compiler.builder import Builder
    from pellucid.compiler.names import Names
    from pellucid.compiler.types import Array

    function = program.main
    table = dict(function.types)
    builder = Builder(Names({*table, *function.parameters}), table, {})
    end = function.body[-1]
    builder.span = end.span
    total = None
    for leaf in end.value.elts:
        value = builder.call("multiply", leaf, leaf)
        if isinstance(builder.type_of(value), Array):
            value = builder.call("sum", value, axis=None, keepdims=False)
        total = value if total is None else builder.call("add", total, value)
    body = (*function.body[:-1], *builder.body, syntax.return_([total], end.span))
    made = function.with_(body=body, types=table, results=(builder.type_of(total),))
    return type(program)(program.entry, {**program.functions, program.entry: made})

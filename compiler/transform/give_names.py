"""Call a value that has only a temporary name by what the user calls it: a parameter of an inlined function, a target.

    def speed(prey, k):                 t = multiply(2.0, x)          prey = multiply(2.0, x)
        return k * prey          ->     t_1 = multiply(k, t)    ->    rate = multiply(k, prey)
    rate = speed(2.0 * x, k)            return (t_1,)                 return (rate,)

Takes typed functions with the names that the specialiser noted (`Function.given`), gives them under these names.  What
a parameter gave its name is a temporary still: read once, it may stand in the line that reads it when it is printed.
"""

from __future__ import annotations

import gast

from .. import syntax
from ..names import Names, base_of
from ..program import Function, Program
from ..renaming import rename
from ..types import Array, symbol, symbols_of


def _is_length(function: Function, name: str, symbol_: str) -> bool:
    """Whether a name is that of the length which the types call so."""
    for statement in function.body:
        match statement:
            case gast.Assign(targets=[gast.Name(id=to)], value=gast.Call(args=[gast.Name(id=array)]) as made):
                type_ = function.types.get(array)
                if to == name and syntax.operator_of(made) == "dim" and isinstance(type_, Array):
                    return type_.dims[syntax.static_of(made)["axis"]] == symbol(symbol_)
    return False


def give_names(program: Program) -> Program:
    """The program with the names that the user gave; the same object where there are none."""
    return program.map(lambda function: _with_names(function, program))


def _with_names(function: Function, program: Program) -> Function:
    own = function.types.keys() - {*function.parameters}
    wishes = {old: given for old, given in function.given.items() if old in own and base_of(old) != given[0]}
    if not wishes:
        return function
    symbols = {symbol for type_ in function.types.values() for symbol in symbols_of(type_)}
    symbols -= {wish for old, (wish, _) in wishes.items() if wish in symbols and _is_length(function, old, wish)}
    names = Names({*function.types, *function.parameters, *symbols, *program.functions})
    chosen = {old: names.fresh(wish) for old, (wish, _) in wishes.items()}
    passed = {chosen[old] for old, (_, is_parameter) in wishes.items() if is_parameter}
    return rename(function, chosen).with_(temporaries=function.temporaries | passed, given={})

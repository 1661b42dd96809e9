"""The functions as LLVM text: what a module declares, and what is linked in once loops are vectorised.

    exp    ->    declare double @pellucid_math_exp_f64(double) "vector-function-abi-variant"="...exp_f64x2,...exp_f64x4"

A module first only declares the scalar function and its vector variants.  LLVM's loop vectoriser replaces calls of the
one by calls of the other.  The bodies travel beside the module (`Module.define_later`); those that are called then are
linked into it: variants are inlined where they are called, the scalar function is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module

from .....runtime.sources import Late
from ....records import dataclass
from ..text import INLINED, Module
from . import host
from .lanes import FLOAT, Lanes, Number

PREFIX = "pellucid_math_"
BYTES = {"f64": 8, "f32": 4}
EFFECTS = "memory(none) nounwind willreturn"


@dataclass(frozen=True, slots=True)
class VectorFunction:
    """A function of `arity` numbers; the function of `module` by its name writes its body for any number of lanes.

    `single` says that the body works in float32 lanes too.  Else float32 is computed in float64 and rounded, by
    `narrow` of the module where that has a body of no more precision than that needs.  `alone` is the function of the
    C library for code in which no loop is vectorised: with tables in memory it takes one number faster, if not four.
    """

    arity: int
    module: str
    single: bool = False
    narrow: str = ""
    alone: str = ""


FUNCTIONS = {
    "exp": VectorFunction(1, "exponentials", single=True, alone="exp"),
    "exp2": VectorFunction(1, "exponentials", single=True, alone="exp2"),
    "expm1": VectorFunction(1, "exponentials", single=True),
    "sinh": VectorFunction(1, "exponentials", single=True),
    "cosh": VectorFunction(1, "exponentials", single=True),
    "tanh": VectorFunction(1, "exponentials", single=True),
    "log": VectorFunction(1, "logarithms", single=True, alone="log"),
    "log2": VectorFunction(1, "logarithms", alone="log2"),
    "log10": VectorFunction(1, "logarithms", alone="log10"),
    "log1p": VectorFunction(1, "logarithms"),
    "arcsinh": VectorFunction(1, "logarithms"),
    "arccosh": VectorFunction(1, "logarithms"),
    "arctanh": VectorFunction(1, "logarithms"),
    "sin": VectorFunction(1, "circular", single=True, alone="sin"),
    "cos": VectorFunction(1, "circular", single=True, alone="cos"),
    "tan": VectorFunction(1, "circular"),
    "arcsin": VectorFunction(1, "inverse"),
    "arccos": VectorFunction(1, "inverse"),
    "arctan": VectorFunction(1, "inverse"),
    "arctan2": VectorFunction(2, "inverse"),
    "cbrt": VectorFunction(1, "roots", alone="cbrt"),
    "hypot": VectorFunction(2, "roots"),
    "erf": VectorFunction(1, "error", alone="erf"),
    "erfc": VectorFunction(1, "error", alone="erfc"),
    "power": VectorFunction(2, "powers", narrow="single_power", alone="pow"),
}


def symbol(name: str, dtype: str, count: int = 1) -> str:
    return f"{PREFIX}{name}_{dtype}" + (f"x{count}" if count > 1 else "")


def widths(dtype: str, register_bytes: int) -> list[int]:
    """The lanes of the vector variants: registers of 16 bytes up to the widest."""
    return [size // BYTES[dtype] for size in (16, 32, 64) if size <= register_bytes]


def declare(module: Module, name: str, dtype: str) -> str:
    """Declare a function and its variants; gives the name to call."""
    scalar, arity = symbol(name, dtype), FUNCTIONS[name].arity
    if scalar in module.declarations:
        return scalar
    variants, tags = [], []
    for count in widths(dtype, host.register_bytes()):
        variant, type_ = symbol(name, dtype, count), f"<{count} x {FLOAT[dtype]}>"
        module.declare(variant, f"declare {type_} @{variant}({', '.join([type_] * arity)}) {EFFECTS}")
        module.keep(variant)
        module.define_later(definitions(name, dtype, count))
        variants.append(variant)
        tags.append(f"_ZGV_LLVM_N{count}{'v' * arity}_{scalar}({variant})")
    type_ = FLOAT[dtype]
    tag = f' "vector-function-abi-variant"="{",".join(tags)}"' if tags else ""
    module.declare(scalar, f"declare {type_} @{scalar}({', '.join([type_] * arity)}) {EFFECTS}{tag}", tuple(variants))
    module.define_later(definitions(name, dtype, 1))
    if FUNCTIONS[name].alone:
        module.define_later(alone(name, dtype, widths(dtype, host.register_bytes())))
    return scalar


@lru_cache(maxsize=256)
def definitions(name: str, dtype: str, count: int) -> tuple[Late, ...]:
    """One function, and the declarations of everything it calls."""
    function = FUNCTIONS[name]
    lanes = Lanes(dtype, count)
    operands = [Number(lanes, dtype, f"%x{i}") for i in range(function.arity)]
    bodies = import_module(f"{__package__}.{function.module}")
    if function.single or dtype == "f64":
        result = getattr(bodies, name)(*operands)
    else:
        result = getattr(bodies, function.narrow or name)(*[x.to("f64") for x in operands]).to(dtype)
    full, parameters = symbol(name, dtype, count), ", ".join(map(str, operands))
    rest = f"{result.type} @{full}({parameters}) {EFFECTS}"
    once = f"define linkonce_odr hidden {rest} {{"
    head = once if count == 1 else f"define available_externally {rest} {INLINED} {{"
    body = "\n".join(["", "entry:", *lanes.lines, f"  ret {result}", "}", ""])
    declared = [Late(called, text) for called, text in lanes.declarations.items()]
    return (Late(full, head, body, tuple(lanes.declarations), where_shared=once), *declared)


def alone(name: str, dtype: str, counts: Sequence[int]) -> tuple[Late, Late]:
    """The scalar function by way of the C library, for a module that calls no vector variant of it."""
    function, type_, full = FUNCTIONS[name], FLOAT[dtype], symbol(name, dtype)
    c_name = function.alone + ("f" if dtype == "f32" else "")
    operands = ", ".join(f"{type_} %x{k}" for k in range(function.arity))
    head = f"define linkonce_odr hidden {type_} @{full}({operands}) {EFFECTS} {INLINED} {{"
    body = f"\n  %result = call {type_} @{c_name}({operands})\n  ret {type_} %result\n}}\n"
    declared = Late(c_name, f"declare {type_} @{c_name}({', '.join([type_] * function.arity)}) {EFFECTS}")
    return Late(full, head, body, (c_name,), tuple(symbol(name, dtype, count) for count in counts)), declared

"""Read calls: which operator is meant, and which of its arguments are operands and which static parts.

    np.zeros((n, 3), np.float32)    ->    zeros(shape=(n, 3), dtype="f32")
    x.reshape(n, m)                 ->    reshape(x, shape=(n, m))
    np.arange(k)                    ->    arange(0, k, 1, shape=(k,))
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import gast

from .. import syntax, types
from ..builder import type_of_constant
from ..dtypes import DTYPES, order
from ..ops import schema
from ..ops.forms import FORMS
from ..ops.routines import ROUTINES
from ..types import Array, ListOf, Scalar, Type
from .counts import count_of
from .faults import shown
from .spellings import CASTS, dotted_name, fixed_parts, functions, methods

if TYPE_CHECKING:
    from .expressions import Expressions

MODULES = ("np", "math", "scipy", "pellucid")


class CallReader:
    """Reads the calls of one function; its arguments are read by `Expressions`."""

    def __init__(self, expressions: Expressions) -> None:
        self.parts = expressions
        self.builder, self.table, self.stage = expressions.builder, expressions.table, expressions.stage
        self.callees, self.helpers = expressions.callees, expressions.helpers
        self.atom, self.value, self.refuse = expressions.atom, expressions.value, expressions.refuse
        self.made, self.operator, self.type_of = expressions.made, expressions.operator, expressions.type_of

    @property
    def is_nested(self) -> bool:
        return self.parts.is_nested

    def call(self, node: gast.Call) -> tuple[gast.expr, Type]:
        match node.func:
            case gast.Attribute(value=gast.Name(id=base), attr="pop") if isinstance(self.table.get(base), ListOf):
                return syntax.call("pop", base), self.table[base].element  # type: ignore[union-attr]
            case gast.Attribute(value=base, attr=method) if not _is_module(base):
                return self.method(node, base, method)
        word = self.word(node.func)
        list_ = self.table.get(node.args[0].id) if node.args and isinstance(node.args[0], gast.Name) else None
        if word in ("pop", "length") and isinstance(list_, ListOf):
            return syntax.call(word, node.args[0].id), list_.element if word == "pop" else types.INT
        if word == "length":
            return self.operator(node, "dim", node.args, {"axis": 0})
        if word in FORMS and FORMS[word].gives == "number":
            return self.library(node, word)
        if word == "complex" and len(node.args) == 2:
            return self.complex(node)
        if _cast_of(node.func, self.table) is not None and not node.keywords and len(node.args) == 1:
            return self.cast(node, *_cast_of(node.func, self.table))  # type: ignore[misc]
        return self.function(node, word, list(node.args), self.chosen(node))

    def word(self, func: gast.expr) -> str:
        """The operator, form or function that a callee names."""
        dotted = dotted_name(func)
        last = dotted.rpartition(".")[2]
        if "." not in dotted and (dotted in self.helpers or dotted in self.callees):
            return self.helpers.get(dotted, dotted)
        if dotted in functions() and dotted not in schema.OPERATORS:
            return functions()[dotted]
        if dotted.startswith("math."):
            return f"math_{last}"
        if dotted == "len":
            return "length"
        aliased = schema.BY_PYTHON_NAME.get(f"numpy.{last}")
        if aliased is not None and last not in schema.OPERATORS:
            return aliased.name
        return last if dotted.count(".") < 2 else dotted

    def library(self, node: gast.Call, word: str) -> tuple[gast.expr, Type]:
        """A routine that gives a number."""
        names = [self.atom(a) for a in node.args]  # arrays have names
        given = [self.table.get(n.id) if isinstance(n, gast.Name) else None for n in names]
        if len(names) != len(FORMS[word].operands) or not all(isinstance(t, Array) for t in given):
            raise self.refuse(node, f"`{word}` takes {len(FORMS[word].operands)} arrays", "L003")
        dtype = ROUTINES[word].results[0].dtype(given[-1].dtype)  # type: ignore[union-attr]
        return syntax.call(word, *names, **self.static(node)), Scalar(dtype)

    def cast(self, node: gast.Call, dtype: str, weak: bool) -> tuple[gast.expr, Type]:
        is_choice = isinstance(node.args[0], gast.IfExp)
        value, type_ = self.parts.choice(node.args[0], is_converted=True) if is_choice else self.value(node.args[0])
        if is_choice and isinstance(type_, Scalar) and (type_.dtype, type_.weak) == (dtype, weak):
            return value, type_  # the arms differ, and what is chosen has the type of the operator
        part = value if self.is_nested or syntax.is_atom(value) else self.builder.bind(value, type_)
        return self.made(node, "cast", [part], {"dtype": dtype, "weak": weak})

    def complex(self, node: gast.Call) -> tuple[gast.expr, Type]:
        """`complex(x, y)`: a number where both parts are."""
        if all(map(self.is_literal, node.args)):
            return self.parts.constant(node, complex(*(self.value(a)[0].value for a in node.args)))
        return self.operator(node, "complex_of", node.args, {})

    def is_literal(self, node: gast.expr) -> bool:
        """Whether a number is written here: `1.5`, `-math.inf`, `complex(1.0, -0.0)`."""
        if isinstance(node, gast.UnaryOp):
            return isinstance(node.op, gast.USub) and self.is_literal(node.operand)
        if isinstance(node, gast.Call):
            return dotted_name(node.func) == "complex" and all(map(self.is_literal, node.args))
        return isinstance(node, gast.Constant) or isinstance(node, gast.Attribute) and self.parts.is_number(node)

    def method(self, node: gast.Call, base: gast.expr, name: str) -> tuple[gast.expr, Type]:
        args, static = list(node.args), self.static(node)
        if name == "astype" and len(args) == 1:
            return self.operator(node, "cast", [base], {"dtype": self.dtype(args[0])})
        if name not in methods() and name not in schema.OPERATORS:
            raise self.refuse(node, f"there is no method `{name}` in the {self.stage} stage")
        row = schema.OPERATORS[methods().get(name, name)]
        if args and len(row.operands) == 1 and len(row.static) == 1:
            (key,) = row.static  # `x.reshape(n)`, `x.reshape(n, m)` and `x.reshape((n, m))` alike
            parts = args[0] if isinstance(args[0], gast.Tuple | gast.Attribute) else gast.Tuple(args, gast.Load())
            return self.operator(node, row.name, [base], {key: self.static_value(parts), **static})
        return self.operator(node, row.name, [base, *args], static)

    def function(
        self, node: gast.Call, word: str, args: list[gast.expr], static: dict[str, Any]
    ) -> tuple[gast.expr, Type]:
        """Some functions of NumPy take their arguments in another order than the operators."""
        match word, args:
            case "full", [shape, value, *dtype] if "shape" not in static and not isinstance(value, gast.Tuple):
                atom = self.atom(value)
                own = self.builder.type_of(atom) if syntax.is_atom(atom) else self.type_of(atom)
                made = self.dtype(dtype[0]) if dtype else types.dtype_of(own)
                return self.made(node, "full", [atom], {"shape": self.shape(shape), "dtype": made})
            case "arange", [*bounds] if "shape" not in static:
                return self.arange(node, bounds, static)
            case "eye", [gast.Tuple(), *_]:
                pass
            case "eye", [rows, *columns]:
                shape = gast.Tuple([rows, columns[0] if columns else rows], gast.Load())
                renamed = {"offset" if k == "k" else k: v for k, v in static.items()}
                return self.operator(node, "eye", [], {"shape": self.shape(shape), **renamed})
            case "array", [gast.List() as rows, *dtype]:
                return self.table_of(node, rows, dtype)
            case "concatenate", [gast.Tuple(elts=parts) | gast.List(elts=parts), *_]:
                args = list(parts)
            case "einsum", [gast.Constant(value=subscripts), *operands]:
                return self.operator(node, "einsum", operands, {"subscripts": subscripts})
        return self.operator(node, word, args, static)

    def arange(self, node: gast.Call, bounds: list[gast.expr], static: dict[str, Any]) -> tuple[gast.expr, Type]:
        """`np.arange(n)`: how many there are follows from the bounds."""
        given = self.dtype(bounds.pop()) if len(bounds) == 4 else None
        parts = [self.atom(b) for b in bounds]
        start, stop, step = parts if len(parts) == 3 else [*([0] if len(parts) == 1 else []), *parts, 1]
        atoms = list(map(syntax.atom, (start, stop, step)))
        if self.is_nested or not all(isinstance(self.builder.type_of(a), Scalar) for a in atoms):
            raise self.refuse(node, "how many numbers this `np.arange` gives is not known here", "L001",
                              "give the array a name before, or write `start + step * np.arange(n)`")  # fmt: skip
        natural = max((types.dtype_of(self.builder.type_of(a)) for a in atoms), key=order)
        count = count_of(self.builder, atoms, self.parts.written())
        shape = syntax.value_of(syntax.tuple_([count]))
        return self.made(node, "arange", atoms, {"shape": shape, "dtype": given or natural, **static})

    def table_of(self, node: gast.Call, rows: gast.List, given: list[gast.expr]) -> tuple[gast.expr, Type]:
        """`np.array([[1.0, 2.0], [3.0, 4.0]])`: numbers alone, in rows of one length."""
        shape, parts = [], [rows]
        while parts and all(isinstance(part, gast.List) for part in parts):
            shape.append(len(parts[0].elts))
            if any(len(part.elts) != shape[-1] for part in parts):
                raise self.refuse(node, "the rows of an array have one length", "S003")
            parts = [inner for part in parts for inner in part.elts]
        if not parts or not all(map(self.is_literal, parts)):
            raise self.refuse(node, "`np.array` takes numbers that are written out", "L001",
                              "make it by `np.empty`, and store what it holds")  # fmt: skip
        numbers = tuple(self.value(part)[0].value for part in parts)
        natural = max((types.dtype_of(type_of_constant(number)) for number in numbers), key=order)
        dtype = self.dtype(given[0]) if given else natural
        static = {"values": syntax.constant(numbers), "shape": tuple(shape), "dtype": dtype}
        return self.made(node, "table", [], static)

    def static(self, node: gast.Call) -> dict[str, Any]:
        return {k.arg: self.static_value(k.value) for k in node.keywords}

    def chosen(self, node: gast.Call) -> dict[str, Any]:
        """The static parts of a function's operator: what its spelling always says is none of them."""
        static, called = self.static(node), dotted_name(node.func)
        for part, value in fixed_parts(called).items():
            if static.pop(part, ...) != value:
                raise self.refuse(node, f"`{called}` is an operator with `{part}={value}` alone", "L001",
                                  f"write `{part}={value}`")  # fmt: skip
        return static

    def dtype(self, node: gast.expr) -> str:
        found = _cast_of(node, {})
        if found is None and isinstance(node, gast.Constant) and node.value in CASTS:
            found = CASTS[node.value]
        if found is None:
            raise self.refuse(node, f"`{shown(node)}` is no dtype", "L001", "write one as `np.float32`")
        return found[0]

    def shape(self, node: gast.expr) -> Any:
        """The lengths of a new array; one length need not stand in a tuple."""
        value = self.static_value(node)
        if isinstance(value, tuple | gast.Tuple):
            return value
        return (value,) if isinstance(value, int) else syntax.tuple_([value])

    def static_value(self, node: gast.expr) -> Any:
        """A static part: a Python value, or a shape whose lengths are atoms."""
        match node:
            case gast.Attribute(value=gast.Name(id="np")) if _cast_of(node, {}) is not None:
                return self.dtype(node)
            case gast.Attribute(value=gast.Name(id=base), attr="shape"):
                rank = types.rank(self.table[base])
                lengths = [self.made(node, "dim", [syntax.name(base)], {"axis": k})[0] for k in range(rank)]
                return gast.Tuple([n if self.is_nested else self.builder.bind(n, types.INT) for n in lengths],
                                  gast.Load())  # fmt: skip
            case gast.Tuple(elts=elements):
                parts = [syntax.literal(self.static_value(e)) for e in elements]
                made = gast.Tuple(parts, gast.Load())
                return syntax.value_of(made) if all(isinstance(p, gast.Constant) for p in parts) else made
            case gast.Constant(value=value):
                return value
            case gast.Name(id=word) if word in DTYPES and word not in self.table:
                return word
        value = self.atom(node)
        return value.value if isinstance(value, gast.Constant) else value


def _is_module(node: gast.expr) -> bool:
    return dotted_name(node).partition(".")[0] in MODULES


def _cast_of(func: gast.expr, table: Mapping[str, Type]) -> tuple[str, bool] | None:
    """(dtype, weak) of what is called to convert a number; `np.bool_` is NumPy's, `bool` Python's."""
    match func:
        case gast.Attribute(value=gast.Name(id="np"), attr=attr) if attr in CASTS:
            return CASTS[attr][0], False
        case gast.Name(id=id_) if id_ in CASTS and id_ not in table:
            return CASTS[id_]
    return None

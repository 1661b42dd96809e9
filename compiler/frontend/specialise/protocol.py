"""Operations on values: each operation has an arm for each kind of value that supports it.

    length = operation(...)            length.of(Range) is the arm for a range, in `kinds/ranges.py`
    length(frame, value, node)         calls the arm of the kind that `value` is of

The interpreter calls operations and knows no kinds; what a kind can do is in its file.  An operation says once what
a user is told who applies it to a kind that has no arm.  Unions are taken apart before a function sees them: those
that are `lifted` are called for the case that is present.

Kinds are the classes of `values.py`.  A value that is known at run time only is of the class of its type (`Scalar`,
`Array`, `ListOf`), and an object is of the kind of what it holds: its arm takes the object, and asks what that holds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, NoReturn, ParamSpec, TypeVar

import gast

from ....runtime.nature import article
from ...builder import COMPARISONS, INFIX
from ...types import Array
from .describing import SYMBOLS
from .functional import Bound
from .values import NONE, Handle, Kind, Leaf, OneOf, Optional, Record, Ref, Rows, Sequence, Static, Table, Value

if TYPE_CHECKING:
    from .frame import Frame

Named = dict[str, Value]
NO_ATTRIBUTE = "'NoneType' object has no attribute '{}'"
OPERATOR_OF: dict[Any, str] = {**INFIX, **COMPARISONS}
ANY = Kind  # beside any other value
Given = ParamSpec("Given")
Result = TypeVar("Result")
Held = TypeVar("Held")
Function = TypeVar("Function", bound=Callable[..., Any])
Arm = TypeVar("Arm", bound=Callable[..., Any])


def kind_of(frame: Frame, value: Value) -> type:
    """The kind whose arms a value has."""
    return type(frame.builder.types[value.name]) if type(value) is Leaf else type(value)


def held_as(frame: Frame, value: Value, kind: type[Held]) -> Held:
    """A value of a kind itself, or what an object of that kind holds."""
    held = frame.held(value)
    assert isinstance(held, kind)
    return held


def type_as(frame: Frame, value: Value, kind: type[Held]) -> Held:
    """The type of a leaf or number, which is of this kind."""
    found = frame.builder.types[value.name] if type(value) is Leaf else frame.type_of(value)
    assert isinstance(found, kind)
    return found


class Operation(Generic[Given, Result]):
    """An operation on one value; see the module."""

    def __init__(self, otherwise: Callable[Given, Result]) -> None:
        self.otherwise, self.name, self.__doc__ = otherwise, otherwise.__name__, otherwise.__doc__
        self.arms: dict[Any, Callable[..., Any]] = {}

    def of(self, *kinds: type) -> Callable[[Arm], Arm]:
        """Register the arm for kinds of values."""

        def register(arm: Arm) -> Arm:
            for kind in kinds:
                assert kind not in self.arms, f"two arms of {self.name} for {kind.__name__}"
                self.arms[kind] = arm
            return arm

        return register

    if TYPE_CHECKING:

        def __call__(self, *given: Given.args, **named: Given.kwargs) -> Result: ...

    else:

        def __call__(self, frame: Frame, value: Value, *given: Any, **named: Any) -> Result:
            kind = type(value)
            if kind is Leaf or kind is Ref:  # this saves all others two calls
                kind = kind_of(frame, frame.held(value))
            return self.arms.get(kind, self.otherwise)(frame, value, *given, **named)


class PairOperation(Operation[Given, Result]):
    """An operation on two values, with an arm for each pair of kinds, whichever of them is on the left.

    A kind may have an arm beside `ANY` other; where both have one, the kind decides that is earlier in `first`.
    `of_objects` says that an object is a kind of its own, whatever it holds.
    """

    def __init__(self, first: tuple[type, ...], of_objects: bool, otherwise: Callable[Given, Result]) -> None:
        super().__init__(otherwise)
        self.first, self.of_objects = first, of_objects
        self.pairs: dict[frozenset[type], Callable[..., Any]] = {}
        self.found: dict[tuple[type, type], Callable[..., Any]] = {}

    def of(self, *kinds: type, beside: tuple[type, ...] = ()) -> Callable[[Arm], Arm]:
        """Register the arm for two values of these kinds, or for one of them `beside` one of others."""

        def register(arm: Arm) -> Arm:
            for pair in map(frozenset, itertools.product(kinds, beside or kinds)):
                assert self.pairs.setdefault(pair, arm) is arm, f"two arms of {self.name} for {pair}"
            return arm

        return register

    if not TYPE_CHECKING:

        def __call__(self, frame: Frame, left: Value, right: Value, *given: Any) -> Any:
            sides = (left, right) if self.of_objects else (frame.held(left), frame.held(right))
            kinds = kind_of(frame, sides[0]), kind_of(frame, sides[1])
            return (self.found.get(kinds) or self._arm_of(kinds))(frame, left, right, *given)

    def _arm_of(self, kinds: tuple[type, type]) -> Callable[..., Any]:
        """The arm for two kinds, which is remembered."""
        alone = next((frozenset((kind, ANY)) for kind in self.first if kind in kinds), frozenset[type]())
        found = self.pairs.get(frozenset(kinds)) or self.pairs.get(alone, self.otherwise)
        return self.found.setdefault(kinds, found)


class LiftedOperation(Operation[Given, Result]):
    """An operation on the present case of a union; where a value that may be None is None, the program raises."""

    def __init__(self, otherwise: Callable[Given, Result], none: str, error: str) -> None:
        super().__init__(otherwise)
        self.call = lifted(none, error, of=otherwise)(super().__call__)

    if not TYPE_CHECKING:

        def __call__(self, *given: Any) -> Any:
            return self.call(*given)


def operation(otherwise: Callable[Given, Result]) -> Operation[Given, Result]:
    """Declare an operation by the function for kinds that have no arm for it."""
    return Operation(otherwise)


def pair_operation(
    *first: type, of_objects: bool = False
) -> Callable[[Callable[Given, Result]], PairOperation[Given, Result]]:
    """Declare an operation on two values by the function for pairs of kinds that have no arm for it."""
    return lambda otherwise: PairOperation(first, of_objects, otherwise)


def lifted_operation(
    none: str, error: str = "TypeError"
) -> Callable[[Callable[Given, Result]], Operation[Given, Result]]:
    """Declare an operation that takes unions apart."""
    return lambda otherwise: LiftedOperation(otherwise, none, error)


# --- unions ----------------------------------------------------------------------------------------------------------


@operation
def of_cases(frame: Frame, value: Value, act: Callable[[Value], Value], node: gast.AST, hint: str = "t") -> Value:
    """The result of `act` for the present case of a union; any other value is its own case."""
    return act(value)


@operation
def present(
    frame: Frame, value: Value, node: gast.AST, message: str = "'NoneType' object has no value here",
    error: str = "TypeError",
) -> Value:  # fmt: skip
    """The value of what may be None; the program raises where it is."""
    return value


def lifted(
    none: str = "", error: str = "TypeError", of: Callable[..., Any] | None = None
) -> Callable[[Function], Function]:
    """Take a union apart before a function sees it, whose parameters are (frame, value, ..., node, hint).

    The function is called for the case that is present; what may be None raises `error` with the message `none`.  `of`
    is a function with these parameters, where it has others.
    """

    def decorate(function: Function) -> Function:
        code = (of or function).__code__
        names = list(code.co_varnames[: code.co_argcount])
        places = [names.index(name) - 2 for name in ("node", "hint") if name in names]

        @wraps(function)
        def taken_apart(frame: Frame, value: Value, *given: Any) -> Any:
            if none and (type(value) is Optional or type(value) is Static and value.value is None):
                value = present(frame, value, given[places[0]], none, error)
            if value.__class__ is not OneOf:
                return function(frame, value, *given)

            def act(case: Value) -> Value:
                made = taken_apart(frame, case, *given)
                return NONE if made is None else made

            return of_cases(frame, value, act, *(given[place] for place in places if place < len(given)))

        if TYPE_CHECKING:
            return function  # `taken_apart` takes and returns what the function does
        return taken_apart

    return decorate


# --- iteration -------------------------------------------------------------------------------------------------------


@operation
def is_unrolled(frame: Frame, value: Value) -> bool:
    """Whether a loop over a value is unrolled: tuples, lists and dicts of known length, and what is made of them."""
    return False


@operation
def has_known_length(frame: Frame, value: Value) -> bool:
    """Whether it is known how many items there are."""
    return is_unrolled(frame, value)


@operation
def of_dynamic_length(frame: Frame, value: Value) -> Value | None:
    """What has a dynamic length: an array, a list that grows, an argument of any length; None for other values."""
    return None


@operation
def items(frame: Frame, value: Value, node: gast.AST) -> list[Value]:
    """The items of what has a known number of them."""
    frame.needs_static(value, "the number of items", node)


@operation
def count(frame: Frame, value: Value, node: gast.AST) -> int:
    """How many items a loop that is unrolled sees."""
    return len(items(frame, value, node))


@operation
def length(frame: Frame, value: Value, node: gast.AST) -> Value:
    """How many items a loop will see."""
    if is_unrolled(frame, value):
        return Static(len(items(frame, value, node)))
    frame.fault("T001", f"{article(frame.describe(value))} cannot be iterated over", node, "iterated here")


@operation
def most_items(frame: Frame, value: Value, node: gast.AST) -> int | None:
    """How many items there are at most, as far as that is known."""
    return count(frame, value, node) if has_known_length(frame, value) else None


@operation
def item(frame: Frame, value: Value, position: Value, node: gast.AST) -> Value:
    """The item that a loop sees at a position."""
    found = items(frame, value, node)
    return found[known(frame, position, node, "the position")]


@operation
def item_of_unrolled(frame: Frame, value: Value, position: int, node: gast.AST) -> Value:
    """The item that an unrolled loop sees."""
    return items(frame, value, node)[position]


# --- what is known now -----------------------------------------------------------------------------------------------


@operation
def known(frame: Frame, value: Value, node: gast.AST, what: str = "this value") -> Any:
    """The Python object that a value is; `what` names it in the error where it is not known now."""
    frame.needs_static(value, what, node)


@operation
def python_class(frame: Frame, value: Value) -> type | None:
    """The class that Python has for a value; None where that is not known."""
    return None


def sequence_kind(frame: Frame, held: Value) -> type | None:
    """`list`, `tuple`, `set` or `str` for what has items in a row, however many; None for anything else."""
    if isinstance(held, Sequence | Rows):
        return held.kind
    return list if isinstance(held, Table) or frame.is_list(held) else None


@operation
def truth(frame: Frame, value: Value, node: gast.AST) -> Value:
    """`bool(value)`: known, or of dtype bool."""
    frame.fault("T001", f"{article(frame.describe(value))} cannot be used as a condition", node)


def negation(frame: Frame, value: Value, node: gast.AST, hint: str = "t") -> Value:
    """`not value`"""
    decided = truth(frame, value, node)
    if isinstance(decided, Static):
        return Static(not decided.value)
    return frame.emit("logical_not", decided, node=node, hint=hint)


@operation
def describe(frame: Frame, value: Value) -> str:
    """The words for a value in messages."""
    return type(value).__name__.lower()


# --- items and members -----------------------------------------------------------------------------------------------


@lifted_operation(none="'NoneType' object is not subscriptable")
def load(frame: Frame, base: Value, items: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    """The value of `base[items]`."""
    frame.fault("T001", f"{article(frame.describe(base))} has no elements", node, "indexed here")


@operation
def attribute(frame: Frame, base: Value, name: str, node: gast.AST, hint: str = "t") -> Value:
    """`base.name`"""
    return Bound(base, name)


@operation
def member(frame: Frame, container: Value, item: Value, node: gast.AST, hint: str = "t") -> Value:
    """`item in container`."""
    what = frame.describe(container)
    frame.fault("T001", f"`in` needs a tuple, list, dict or string known now, not {what}", node)


@operation
def is_container(frame: Frame, value: Value) -> bool:
    """Whether a value has items of its own: a list, tuple, dict or NamedTuple, of whatever length."""
    return False


@operation
def call_method(
    frame: Frame, receiver: Value, method: str, args: list[Value], named: Named, node: gast.AST, hint: str
) -> Value:
    """`receiver.method(...)`."""
    frame.fault("U013", f"{article(frame.describe(receiver))} has no method `{method}` here", node, "called here")


@lifted_operation(none="'NoneType' object is not callable")
def call(frame: Frame, function: Value, args: list[Value], named: Named, node: gast.AST, hint: str = "t") -> Value:
    """`function(...)`."""
    frame.fault("T001", f"{article(frame.describe(function))} cannot be called", node, "called here")


# --- operators -------------------------------------------------------------------------------------------------------


@pair_operation(Optional, OneOf, Record, Handle, Array)
def infix(frame: Frame, left: Value, right: Value, op: type, node: gast.AST, hint: str = "t") -> Value:
    """`left + right`, `left < right` and the like."""
    if op in (gast.Eq, gast.NotEq):
        same = equal(frame, left, right, node, hint)
        return same if op is gast.Eq else negation(frame, same, node, hint)
    if op in COMPARISONS:
        refuse_comparison(frame, left, right, node)
    if is_container(frame, left) or is_container(frame, right):
        one, other = (article(frame.describe(side)) for side in (left, right))
        frame.fault("T001", f"`{SYMBOLS[op]}` of {one} and {other}", node)
    return frame.emit(INFIX[op], left, right, node=node, hint=hint)


@pair_operation(Optional)
def equal(frame: Frame, left: Value, right: Value, node: gast.AST, hint: str) -> Value:
    """`left == right` of values other than numbers and arrays."""
    if is_unlike_others(frame, left) and is_unlike_others(frame, right):
        return Static(False)
    refuse_comparison(frame, left, right, node)


@pair_operation(Optional, of_objects=True)
def is_same(frame: Frame, left: Value, right: Value, node: gast.AST, hint: str) -> Value:
    """`left is right`: known, or a bool of Python's."""
    return Static(left is right)


@operation
def is_unlike_others(frame: Frame, value: Value) -> bool:
    """Whether a value is unequal to every value of another kind."""
    return False


def refuse_comparison(frame: Frame, left: Value, right: Value, node: gast.AST) -> NoReturn:
    one, other = (article(frame.describe(side)) for side in (left, right))
    frame.fault("T001", f"{one} cannot be compared with {other}", node)

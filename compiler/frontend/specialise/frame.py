"""The state of specialisation: one `Task` per compilation, one `Frame` per function being walked through.

Frames of inlined calls share the builder of the function they are inlined into.
"""

from __future__ import annotations

import builtins
import contextlib
import types as python_types
from collections.abc import Iterator, Mapping
from dataclasses import field
from math import inf
from typing import Any, NoReturn, TypeGuard, overload

import gast
import numpy as np

from ....runtime.frozen import Freeze, Frozen, PlaceKey, together
from ....runtime.nature import article
from ... import syntax, types
from ...builder import Builder
from ...diagnostics import (
    BatchError,
    CompileError,
    Diagnostic,
    GradientError,
    PurityError,
    ShapeMismatchError,
    Span,
    StaticArgumentError,
    TypeMismatchError,
    UnsupportedError,
)
from ...dtypes import is_integer
from ...names import RESERVED
from ...ops.forms import FORMS
from ...ops.schema import OPERATORS, TypeFault
from ...ops.static import word_of
from ...program import Decision, Function
from ...records import dataclass
from ...types import Array, ListOf, Scalar, Type
from ..source.read import SourceFile, read, span_of
from . import protocol
from .built import Built, Learned, build_again, built_by
from .called_from import calls_to
from .describing import too_large
from .joins import broadcasts, fitting, two_meanings
from .objects.heap import Heap, Owner, tree
from .specialised import Hidden, HiddenKey, Instance
from .static_advice import ways_out
from .values import Conflict, Leaf, Ref, Static, Value
from .world.world import Namespace, World

ERROR_CLASSES = {
    "P": PurityError, "T": TypeMismatchError, "S": ShapeMismatchError, "U": UnsupportedError, "R": StaticArgumentError,
    "G": GradientError, "B": BatchError,
}  # fmt: skip


class Unresolved(Exception):
    """The result of a recursive call is not known yet; the path that needs it is left out of this round."""


class NeedsStatic(Exception):
    """A value must be known now.  A loop over a static range answers by unrolling.

    `list` is the number of the list of numbers that it is a position in, if any: a loop that cannot be unrolled lets it
    grow.  `keys` has the number of the dict that it is a key of, if any, and the forms that turn it into a hash table.
    """

    def __init__(self, leaf: str, diagnostic: Diagnostic) -> None:
        super().__init__(leaf)
        self.leaf, self.diagnostic = leaf, diagnostic
        self.list: int | None = None
        self.place: Any = None
        self.keys: tuple[int, tuple[Value, ...]] | None = None


class Anew(Exception):
    """The walk must start again with what the task knows by now."""


class Stopped(Exception):
    """Control does not pass this point: a `raise` that always happens."""


PLAIN = (bool, int, float, complex)  # Python's own classes of numbers


def plain_number(number: Any) -> complex:
    """A number of a subclass of one of Python's number classes, as one of Python's."""
    return next(cls for cls in PLAIN if isinstance(number, cls))(number)


@dataclass(slots=True, eq=False)
class Task:
    """One compilation: the functions made, the instances of recursive functions, what `explain` will say.

    `reaches` is that of the instance being compiled.  `spans` has the locations of the statements that were walked
    through, so that unrolled loops can return to them.  `freeze` and `frozen` are those of the request, `hidden` the
    arrays from outside that some function reads; `unjudged` has the functions that were met in containers, by their
    identity.  `learned` is what earlier walks have learned, and `has_tables` says that some statement looks up strings
    by its numbers (`strings.py`).  `is_differentiated` says that a derivative is taken of what is walked through:
    functions with a rule for it then stay calls.  `along` has the axes of meshes along which derivatives take what all
    devices share for one value.  `single_numbers` says that some array without dimensions is
    a number on other paths, `single_stores` that an array of one element is stored into.  `lent` has the lengths of the
    lists that are copied into functions compiled on their own, `lent_strings` their strings (`lending.py`).  `keepers`
    are the surrounding compiled functions that freeze values of their own.  `walked_into` has the functions by the
    locations of their calls.
    """

    learned: Learned = field(default_factory=Learned)
    functions: dict[str, Function] = field(default_factory=dict)
    instances: dict[Any, Instance] = field(default_factory=dict)
    decisions: list[Decision] = field(default_factory=list)
    function_names: set[str] = field(default_factory=set)
    freeze: Freeze = ()
    frozen: Frozen = field(default_factory=Frozen)
    hidden: dict[HiddenKey, Hidden] = field(default_factory=dict)
    hidden_of: dict[str, dict[HiddenKey, str]] = field(default_factory=dict)
    outside: dict[PlaceKey, tuple[Value, list[Any]]] = field(default_factory=dict)
    unjudged: dict[int, Any] = field(default_factory=dict)
    world: World = field(default_factory=World)
    recursive: dict[int, bool] = field(default_factory=dict)
    derive: Any = None
    judge: Any = None
    differentiate: Any = None
    is_differentiated: bool = False
    along: tuple[str, ...] = ()
    within: Any = None
    derived: dict[Any, tuple[Any, ...]] = field(default_factory=dict)
    reaches: float = inf
    spans: dict[gast.AST, Span] = field(default_factory=dict)
    sources: dict[python_types.FunctionType, SourceFile] = field(default_factory=dict)
    exceptions: dict[str, type[BaseException]] = field(default_factory=dict)
    shared_items: set[str] = field(default_factory=set)
    of_items: dict[gast.AST, Any] = field(default_factory=dict)
    changed_items: list[str] = field(default_factory=list)
    changed_by_functions: set[str] = field(default_factory=set)
    has_tables: bool = False
    single_numbers: bool = False
    single_stores: bool = False
    lent: list[dict[Any, int]] = field(default_factory=list)
    lent_strings: dict[Any, set[Any]] = field(default_factory=dict)
    keepers: list[Any] = field(default_factory=list)
    walked_into: dict[Span, SourceFile] = field(default_factory=dict)

    @property
    def kept(self) -> Freeze:
        """What is to be frozen at this point."""
        return together(self.freeze, *(keeper.freeze for keeper in self.keepers))

    def source_of(self, function: python_types.FunctionType) -> SourceFile:
        """The source of a function, read once in a compilation however often it is called."""
        if function not in self.sources:
            self.sources[function] = read(function)
        return self.sources[function]

    def note_exception(self, cls: type[BaseException]) -> bool:
        """Note an exception class of the user's by its name; False where another one has it."""
        if cls.__module__ == "builtins":
            return True
        return not hasattr(builtins, cls.__name__) and self.exceptions.setdefault(cls.__name__, cls) is cls

    def decide(self, topic: str, text: str) -> None:
        decision = Decision(topic, text)
        if decision not in self.decisions:
            self.decisions.append(decision)

    def drop_provisional(self, kept: frozenset) -> None:
        """Forget the instances that used unsettled results, except those under the keys kept."""
        for key in [k for k, instance in self.instances.items() if k not in kept and instance.reaches < inf]:
            self.forget(key)

    def forget(self, key: object) -> None:
        self.function_names.discard(self.instances.pop(key).name)

    def function_name(self, wish: str) -> str:
        wish = wish if wish.isidentifier() else "lambda_"
        name, number = wish, 1
        while name in self.function_names or name in OPERATORS or name in RESERVED or name in FORMS:
            name, number = f"{wish}_{number}", number + 1
        self.function_names.add(name)
        return name


@dataclass(slots=True, eq=False)
class Frame:
    """One function being specialised: its variables, its globals, and the builder it emits into.

    `pinned` has the compiler's own variables: liveness follows the user's source and knows nothing of them.
    `entered` says how many objects there were when it was called, and which ones a list that grows had a copy of.
    `scope` has the variables of the comprehension that is being unrolled, for functions that it makes.
    """

    task: Task
    builder: Builder
    source: SourceFile
    namespace: Namespace
    variables: dict[str, Value] = field(default_factory=dict)
    outer: Frame | None = None
    caller: Frame | None = None
    call_span: Span | None = None
    is_library: bool = False
    live_after: Mapping[int, frozenset[str]] = field(default_factory=dict)
    node: gast.AST | None = None
    made_names: frozenset[str] = frozenset()
    local_names: frozenset[str] = frozenset()
    pinned: frozenset[str] = frozenset()
    scope: Frame | None = None
    entered: tuple[int, frozenset[int]] = (0, frozenset())

    def __post_init__(self) -> None:
        if self.builder.heap is None:
            self.builder.heap = Heap()

    def depth(self) -> int:
        """How many calls are around this one."""
        count, frame = 0, self
        while frame.caller is not None:
            count, frame = count + 1, frame.caller
        return count

    # --- reporting ---

    def here(self, node: gast.AST | None = None) -> Span:
        """The user's location for this node: inside the library, the location of the call."""
        frame = self
        while frame.is_library and frame.caller is not None:
            if frame.call_span is not None and not frame.caller.is_library:
                return frame.call_span
            frame = frame.caller
        if frame.is_library and frame.call_span is not None:
            return frame.call_span
        return span_of(node or frame.node or frame.source.tree, frame.source.file)

    def at(self, node: gast.AST) -> None:
        """Statements emitted from now on stem from this node."""
        if self.is_library:
            return
        self.node = node
        span = self.task.spans.get(node)
        if span is None:
            span = self.task.spans[node] = span_of(node, self.source.file)
        self.builder.span = span

    def fault(
        self, code: str, message: str, node: gast.AST | None = None, label: str = "here", help: tuple = ()
    ) -> NoReturn:
        diagnostic = Diagnostic(code, message, self.here(node), label, calls_to(self), help)
        raise ERROR_CLASSES.get(code[0], CompileError)(diagnostic)

    def needs_static(self, value: Value, what: str, node: gast.AST) -> NoReturn:
        """Report that `value` decides the structure and must be known now."""
        name = value.name if isinstance(value, Leaf) else "it"
        frame = self
        while frame.is_library and frame.caller is not None:
            frame = frame.caller
        variable = next((k for k, v in frame.variables.items() if v == value and k.isidentifier()), None)
        subject = f"`{variable}`" if variable is not None else "this"
        message = f"{what} must be known when the function is compiled, but {subject} is only known when it runs"
        shown, help_ = "only known at run time", ways_out(self, value, what)
        diagnostic = Diagnostic("R001", message, self.here(node), shown, calls_to(self), help_)
        raise NeedsStatic(name, diagnostic)

    # --- values and types ---

    @overload
    def type_of(self, value: Leaf) -> Type: ...
    @overload
    def type_of(self, value: Value) -> Type | None: ...
    def type_of(self, value: Value) -> Type | None:
        """The type of a leaf or number; None for everything else."""
        if type(value) is Leaf:
            return self.builder.types[value.name]
        return types.type_of_number(value.value) if isinstance(value, Static) else None

    def describe(self, value: Value) -> str:
        return protocol.describe(self, value)

    def is_array(self, value: Value) -> TypeGuard[Leaf]:
        return isinstance(self.type_of(value), Array)

    def is_scalar(self, value: Value) -> TypeGuard[Leaf | Static]:
        return isinstance(self.type_of(value), Scalar)

    def is_integer(self, value: Value) -> TypeGuard[Leaf | Static]:
        """Whether a value can count and index: np.bool_ cannot."""
        found = self.type_of(value)
        return isinstance(found, Scalar) and (is_integer(found.dtype) or found == types.BOOL)

    def is_list(self, value: Value) -> TypeGuard[Leaf]:
        return isinstance(self.type_of(value), ListOf)

    # --- objects ---

    @property
    def heap(self) -> Heap:
        return self.builder.heap

    def held(self, value: Value) -> Value:
        """What a list or dict holds at present; any other value as it is."""
        if type(value) is not Ref:
            return value
        found = self.builder.heap.contents[value.number]
        if type(found) is Conflict:
            name = self.builder.heap.names[value.number]
            message = f"`{name}` holds {found.left} on one path and {found.right} on another"
            self.fault("T002", message, self.node, "read here", ("let it hold values of the same types on every path",))
        return found

    def tree(self, value: Value) -> Value:
        """A value with its lists and dicts replaced by what they hold."""
        return tree(value, self.builder.heap.contents)

    def new(self, contents: Value, wish: str = "items", owner: Owner | None = None) -> Ref:
        return self.builder.heap.new(contents, wish, owner)

    # --- emitting ---

    def emit(self, operator: str, *values: Value, node: gast.AST, hint: str = "t", **static: Any) -> Leaf:
        """One operator with one result, of leaves and numbers; a refusal of its type rule is a diagnostic at `node`."""
        if operator == "cast" and fitting.is_held(first := values[0], static["dtype"]):
            atoms: list[gast.expr] = [syntax.constant(first.value)]
        else:
            atoms = [syntax.name(v.name) if type(v) is Leaf else self.atom(v, node) for v in values]
        if self.builder.singles:
            atoms = broadcasts.repeated(self, operator, atoms)
        try:
            given = fitting.converted(self, operator, atoms, node)
            made = self.builder.call(operator, *given, hint=hint, **static).id
        except TypeFault as refused:
            self.fault(refused.code, refused.message, node, "found here", refused.help)
        if self.builder.widened:
            two_meanings.require_one(self, operator, atoms, [made], static, node)
        return Leaf(made)

    def atom(self, value: Value, node: gast.AST) -> gast.expr:
        match value:
            case Leaf(name=name):
                return syntax.name(name)
            case Static(value=np.generic() as number) if types.type_of_number(number) is not None:
                return self.atom(self.emit("cast", Static(number.item()), node=node, dtype=word_of(number.dtype)), node)
            case Static(value=bool() | int() | float() | complex() as number):
                if isinstance(number, int) and not isinstance(number, bool) and not -(2**63) <= number < 2**63:
                    help_ = ("NumPy's own are larger: `np.uint64(...)`",) if number > 0 else ()
                    self.fault("T001", too_large(number), node, "too large", help_)
                return syntax.constant(number if type(number) in PLAIN else plain_number(number))
        message = f"a number or an array is needed here, not {article(self.describe(value))}"
        help_ = ("make an array of it: `np.array(...)`",) if self.is_list(self.held(value)) else ()
        self.fault("T001", message, node, "used as a number", help_)

    @contextlib.contextmanager
    def reporting(self, node: gast.AST) -> Iterator[None]:
        try:
            yield
        except TypeFault as refused:
            self.fault(refused.code, refused.message, node, "found here", refused.help)

    def emitting(self) -> contextlib.AbstractContextManager[None]:
        """What is emitted inside is the compiler's own, and raises nothing that a `try` around would catch."""
        protection = self.builder.protection
        return contextlib.nullcontext() if protection is None else protection.emitting()

    def block(self) -> contextlib.AbstractContextManager[Any]:
        """A block of statements that ends together; None where no `try` is around."""
        protection = self.builder.protection
        return contextlib.nullcontext() if protection is None else protection.block(self)

    @contextlib.contextmanager
    def captured(self, is_users: bool = False) -> Iterator[list[gast.stmt]]:
        """Collect what is emitted inside instead of appending it; `is_users`: what the user wrote, which may raise."""
        builder = self.builder
        kept, builder.body = builder.body, []
        may_unify, builder.may_unify = builder.may_unify, False
        try:
            with contextlib.nullcontext() if is_users else self.emitting():
                yield builder.body
        finally:
            builder.body, builder.may_unify = kept, may_unify

    @property
    def built(self) -> Built:
        """All that an attempt may change, as it is now; to undo an attempt, set it to what it was (`trial.py`)."""
        return built_by(self)

    @built.setter
    def built(self, before: Built) -> None:
        build_again(self, before)

    def lookup(self, name: str) -> Value | None:
        frame: Frame | None = self
        while frame is not None:
            if name in frame.variables:
                return frame.variables[name]
            if name in frame.local_names:
                return None  # a variable of this function that has no value yet
            frame = frame.outer
        return None

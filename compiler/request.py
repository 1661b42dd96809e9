"""What a `Function` asks of the compiler, apart from its arguments.

    grad(loss, argnums=(0, 1))    ->    Request(loss, transforms=(Gradient((0, 1)),))
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, fields, replace
from types import FunctionType
from typing import Any, ClassVar

from ..runtime.frozen import Freeze, Frozen
from ..runtime.guards import Guards
from .argnums import Argnums, behind, each, placed
from .records import dataclass
from .stages import REVERSE, TRANSFORMED

RESIDUALS, COTANGENT = "residuals", "out_bar"  # the parameters of a pullback


class Transformation:
    """What is asked of a function: its derivative, its batched form.  `driver.py` says how it is made.

    suffix          what the name of the new function ends with
    differentiates  whether functions with a rule for their derivative have to be there still when it is made
    gives_pullback  whether a `Pullback` is among the results
    is_pullback     whether it is one: it knows the arguments that the value was computed of, and takes others
    stage           what the stage after it is called
    signature       the parameters of the new function, given those of the function that it is made of
    shares_along    the axes whose devices share values in the function that it is made of
    """

    __slots__ = ()
    suffix: ClassVar[str]
    gives_pullback: ClassVar[bool] = False
    is_pullback: ClassVar[bool] = False
    differentiates: ClassVar[bool] = True
    stage: ClassVar[str] = TRANSFORMED

    def signature(self, given: inspect.Signature) -> inspect.Signature:
        return given

    @property
    def shares_along(self) -> tuple[str, ...]:
        return ()

    def inside(self, axes: tuple[str, ...]) -> Transformation:
        """The same asked for inside a function whose devices share values along these axes."""
        return replace(self, along=axes) if hasattr(self, "along") and not self.is_pullback else self  # type: ignore

    def behind(self, count: int, named: tuple[str, ...] = ()) -> Transformation:
        """The same asked of a function whose first arguments are given, as a method's is, and some by name."""
        raise NotImplementedError

    def beside(self, static: tuple[str, ...]) -> Transformation:
        """The same asked of a function with these static parameters, which have to stay parameters."""
        return self

    def placed(self, names: Sequence[str]) -> Transformation:
        """The same of a function with these parameters, which options may name.  Raises ValueError for another name."""
        return self

    def options(self) -> tuple[Any, ...]:
        """The class and the options, as plain data."""
        return type(self).__name__, *(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]


class ByArguments(Transformation):
    """What is asked by some of the arguments: `argnums` has their positions, or their names."""

    __slots__ = ()
    argnums: Any

    def behind(self, count: int, named: tuple[str, ...] = ()) -> Any:
        return replace(self, argnums=each(self.argnums, lambda place: behind(place, count)))  # type: ignore[type-var]

    def placed(self, names: Sequence[str]) -> Any:
        return replace(self, argnums=each(self.argnums, lambda place: placed(place, names)))  # type: ignore[type-var]


@dataclass(frozen=True, slots=True)
class Backwards(ByArguments):
    """The options of a derivative in reverse mode by the arguments at these positions; of what, a class below says.

    `along` has the axes along which what all devices share is one value, whose derivative is the sum of theirs.
    """

    stage = REVERSE
    argnums: Argnums = 0
    has_aux: bool = False
    holomorphic: bool = False
    allow_int: bool = False
    with_value: bool = False
    along: tuple[str, ...] = ()


class Gradient(Backwards):
    """A request for the derivative of a number."""

    __slots__ = ()
    suffix = "grad"


class ReverseJacobian(Backwards):
    """A request for the derivatives of all elements of the result, in one backward sweep for each."""

    __slots__ = ()
    suffix = "jacrev"


@dataclass(frozen=True, slots=True)
class Tangent(Transformation):
    """A request to carry tangents along: of (primals, tangents), two tuples.

    kept   how many parameters stay in front, and have no tangent: those that a method or a `partial` is given
    named  those that a `partial` is given by name, and those that are static; they are passed by name beside the tuples
    is_dependence   ones are in place of all slopes: what is not zero depends on what was not (`ops/dependence`)
    """

    suffix = "jvp"
    second, is_jet = "tangents", False
    has_aux: bool = False
    with_value: bool = True
    kept: int = 0
    named: tuple[str, ...] = ()
    is_dependence: bool = False

    def signature(self, given: inspect.Signature) -> inspect.Signature:
        parameters = list(given.parameters.values())
        kept = [p.replace(default=p.empty) for p in parameters[: self.kept]]
        named = [p.replace(kind=p.KEYWORD_ONLY) for p in parameters if p.name in self.named]
        held = {p.name for p in (*kept, *named)}
        return inspect.Signature([*kept, *(_plain(n, held) for n in ("primals", self.second)), *named])

    def behind(self, count: int, named: tuple[str, ...] = ()) -> Tangent:
        return replace(self, kept=self.kept + count, named=(*self.named, *named))

    def beside(self, static: tuple[str, ...]) -> Tangent:
        return replace(self, named=tuple(dict.fromkeys((*self.named, *static))))


class Jet(Tangent):
    """A request for the derivatives of all orders along a curve: of (primals, series), two tuples."""

    __slots__ = ()
    suffix = "jet"
    second, is_jet = "series", True


@dataclass(frozen=True, slots=True)
class Jacobian(ByArguments):
    """A request for Jacobians by the arguments at these positions, in forward mode."""

    suffix = "jacfwd"
    argnums: Argnums = 0
    has_aux: bool = False
    holomorphic: bool = False
    with_value: bool = False


@dataclass(frozen=True, slots=True)
class NamedAxes:
    """The axes of the parts of a dict or of an object with attributes, by their names."""

    parts: tuple[tuple[Any, Any], ...]


@dataclass(frozen=True, slots=True)
class Batch(Transformation):
    """A request to apply a function to many examples at once: where they are in its arguments and results.

    An axis is an int, None for what all examples share, or a container of axes built like the value, with
    `NamedAxes` for dicts and the like.  `rest` is the axis of what a tuple `in_axes` does not reach: of keywords and
    defaults, or where `is_rest_of_all` of all else.  `shared` are the names of parameters that a `partial` is given,
    and all examples share.  `is_of_devices` says that the examples are the devices along an axis of a mesh, `is_typed`
    that derivatives inside take what these share for one value.
    """

    suffix = "vmap"
    differentiates = False
    in_axes: Any = 0
    out_axes: Any = 0
    axis_name: str | None = None
    axis_size: int | None = None
    rest: Any = 0
    is_rest_of_all: bool = False
    shared: tuple[str, ...] = ()
    is_of_devices: bool = False
    is_typed: bool = False
    library: str = ""

    @property
    def shares_along(self) -> tuple[str, ...]:
        return () if self.axis_name is None or not self.is_typed else (self.axis_name,)

    def behind(self, count: int, named: tuple[str, ...] = ()) -> Batch:
        given = self.in_axes
        is_tuple = isinstance(given, tuple)
        axes, rest = (given, self.rest) if is_tuple else ((), given)
        shared, of_all = (*self.shared, *named), self.is_rest_of_all or not is_tuple
        return replace(self, in_axes=(*[None] * count, *axes), rest=rest, is_rest_of_all=of_all, shared=shared)


@dataclass(frozen=True, slots=True)
class OnDevice(Transformation):
    """A request for the program of one device of a mesh, which all devices run at the same time.

    axes    the names of the axes of the mesh, in their order
    shared  parameters whose arguments are the same on all devices along some axes, with the names of these
    meant   for an axis the `in_axes` and `out_axes` of the `vmap` that it stands for: what has None there is the same
            on all devices along it, and results that may differ are refused
    is_typed  whether derivatives inside take what all devices share for one value
    library   what computes the collectives on devices of another kind than the processor, "nccl"; the program keeps to
              what it has
    """

    suffix = "on_device"
    differentiates = False
    axes: tuple[str, ...] = ()
    shared: tuple[tuple[str, tuple[str, ...]], ...] = ()
    meant: tuple[tuple[str, Any, Any], ...] = ()
    is_typed: bool = False
    library: str = ""

    @property
    def shares_along(self) -> tuple[str, ...]:
        return self.axes if self.is_typed else ()

    def signature(self, given: inspect.Signature) -> inspect.Signature:
        kept = list(given.parameters.values())
        table = _plain("devices", set(given.parameters))
        if kept and kept[0].kind is inspect.Parameter.POSITIONAL_ONLY:
            table = table.replace(kind=inspect.Parameter.POSITIONAL_ONLY)
        return inspect.Signature([table, *kept])


def _plain(name: str, taken: set[str]) -> inspect.Parameter:
    """A parameter that is called so, or nearly so where one that stays has the name."""
    while name in taken:
        name = f"{name}_"
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, slots=True)
class Vjp(ByArguments):
    """A request for the value together with a function that pulls cotangents of it back to these arguments.

    With `is_linear` the function has to be linear, or at least affine: then that function is one for all arguments.
    `spoken` is what messages call what is pulled back, and the value that it belongs to.
    """

    suffix = "vjp"
    stage = REVERSE
    gives_pullback = True
    argnums: tuple[int | str, ...] = (0,)
    has_aux: bool = False
    is_linear: bool = False
    spoken: tuple[str, str] = ("cotangent", "out")
    along: tuple[str, ...] = ()

    @property
    def allow_int(self) -> bool:
        return True

    @property
    def holomorphic(self) -> bool:
        return False

    def pullback(self, arguments: Mapping[str, Any], cotangents: Any) -> Pullback:
        return Pullback(self, tuple(arguments.items()), cotangents)

    def half(self, request: Request, arguments: Mapping[str, Any], cotangents: Any, world: Guards) -> BackwardHalf:
        """The function of the pullback, for a request of which this is the last transformation."""
        transforms = (*request.transforms[:-1], self.pullback(arguments, cotangents))
        return BackwardHalf(replace(request, static=(), transforms=transforms), world)


@dataclass(frozen=True, slots=True)
class Pullback(Transformation):
    """A request for the function that a `Vjp` gives beside the value.

    vjp         what was asked for
    arguments   the arguments that the value was computed of, by name, as the compiler sees them
    cotangents  the structure of what was differentiated, with types for leaves
    """

    suffix = "pullback"
    stage = REVERSE
    is_pullback = True
    vjp: Vjp
    arguments: tuple[tuple[str, Any], ...]
    cotangents: Any

    @property
    def argnums(self) -> tuple[int | str, ...]:
        return self.vjp.argnums

    @property
    def along(self) -> tuple[str, ...]:
        return self.vjp.along

    @property
    def has_aux(self) -> bool:
        return self.vjp.has_aux

    @property
    def spoken(self) -> tuple[str, str]:
        return self.vjp.spoken

    @property
    def allow_int(self) -> bool:
        return True

    @property
    def holomorphic(self) -> bool:
        return False

    def signature(self, _: inspect.Signature) -> inspect.Signature:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Signature([inspect.Parameter(name, kind) for name in (RESIDUALS, COTANGENT)])


def wants_line_tables() -> bool:
    """Whether the environment asks for them in all functions."""
    return os.environ.get("PELLUCID_LINE_TABLES", "0") not in ("", "0")


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A Python function and the options it is compiled with.

    `frozen` keeps the values of what `freeze` names, for its derivatives too.  `target` is the device or the kind of
    device that its calls run on, "cuda" or "cuda:1"; empty: where their arguments are.
    """

    python: Any
    static: tuple[str, ...] = ()
    mutates: tuple[str, ...] = ()
    donate: tuple[str, ...] = ()
    freeze: Freeze = ()
    fastmath: bool = False
    parallel: bool = True
    rewrite: bool = True
    line_tables: bool = field(default_factory=wants_line_tables)
    target: str = ""
    transforms: tuple[Transformation, ...] = ()
    frozen: Frozen = field(default_factory=Frozen)

    @property
    def is_of_device(self) -> bool:
        """Whether it is the program of one of several devices."""
        return bool(self.transforms) and isinstance(self.transforms[-1], OnDevice)

    def signature(self) -> inspect.Signature:
        """The parameters of the function after all transformations."""
        found = inspect.signature(self.python)
        for transform in self.transforms:
            found = transform.signature(found)
        return found


@dataclass(slots=True, eq=False)
class BackwardHalf:
    """The function of a pullback, in the result of the function that gives it.

    world     what was read from outside when the other half was made
    function  what can be called, once it was asked for
    """

    request: Request
    world: Guards
    function: Any = None

    @property
    def __pellucid__(self) -> Request:
        return self.request


def suffixes(transforms: Iterable[Transformation]) -> str:
    """What the name of a function ends with after these transformations."""
    return "".join(f"_{transform.suffix}" for transform in transforms)


def namespace_of(function: FunctionType) -> dict[str, Any]:
    """The globals of a function and, over them, the variables it closes over."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    held = {}
    for name, cell in cells:
        try:
            held[name] = cell.cell_contents
        except ValueError:
            continue
    return {**function.__globals__, **held}

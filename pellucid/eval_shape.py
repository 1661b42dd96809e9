"""`eval_shape`: the shapes and dtypes of results, found by compiling without running.

    eval_shape(f, ShapeDtypeStruct((3, 4), float), 2.0)    ->    ShapeDtypeStruct(shape=(3,), dtype=float64)

The typed stage is made for arguments whose lengths are all known; the types of its results are the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .compiler import types
from .compiler.frontend.specialise.functional import Partial
from .compiler.frontend.specialise.values import ListOut, OneOf, Optional, Rows, Typed, Value, map_leaves, parts
from .compiler.frontend.specialise.values import String as StringOut
from .compiler.stages import TRANSFORMED
from .flatten import Flattened, rebuild
from .function import Function
from .methods import BoundFunction
from .own_frames import told_to_users
from .runtime.guards import Guards
from .shapes import ShapeDtypeStruct, struct_of_type
from .transformations import compile

if TYPE_CHECKING:
    from .compiler.frontend.specialise.specialised import Specialised

UNKNOWN = (ListOut, OneOf, Optional, Rows, StringOut)  # what the run decides on


@told_to_users
def eval_shape(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What `f` returns, with a `ShapeDtypeStruct` in the place of each number and array; `f` is not run.

    f             a Python function, or what `compile`, `grad`, `vmap` and the others give
    args, kwargs  the arguments: `ShapeDtypeStruct`s, values, of which the types and shapes count, or types written as
                  text with known lengths, "f64[3, 4]"; containers of them

    Static arguments count by their values.  Raises what compiling `f` for these types raises, such as a
    ShapeMismatchError, and ValueError where the shape of a result depends on values or a pullback is among them.
    """
    from . import showing

    function, args = compiled_function(f, args)
    flat = function._flatten(args, kwargs, texts=True)
    request = function.__pellucid__
    made, _ = showing.program(request, TRANSFORMED, with_known_lengths(flat))
    guards = Guards(made.guards)
    hidden = showing.hidden_leaves(request, made, guards).leaves(guards.findings)
    lengths = lengths_of_hidden(made, hidden)
    shown = made.program.main.results[: len(made.program.main.results) - len(made.mutated)]
    structs = [struct_of(type_, lengths, f"result {place + 1} of {function.__name__}")
               for place, type_ in enumerate(shown)]  # fmt: skip
    if has_a(Partial, made.result):
        raise ValueError(f"a pullback is among the results of {function.__name__}, and a function has no shape")
    if has_a(UNKNOWN, made.result):
        raise ValueError(f"which result {function.__name__} has, or how long a list of it is, depends on values")
    return rebuild(made.result, structs)


def compiled_function(f: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Function, tuple[Any, ...]]:
    """What is compiled of `f`, and its arguments, the instance that a method is bound to among them."""
    unbound, given = (f.__func__, (f.__self__, *args)) if isinstance(f, BoundFunction) else (f, args)
    return unbound if isinstance(unbound, Function) else compile(unbound), given


def with_known_lengths(flat: Flattened) -> Mapping[str, Value]:
    """The arguments with the lengths that their values have."""
    values = iter(flat.leaves)

    def known(part: Value, _: tuple[Any, ...]) -> Value:
        if not isinstance(part, Typed):
            return part
        value = next(values)
        if isinstance(part.type, types.Array) and isinstance(value, np.ndarray | ShapeDtypeStruct):
            return Typed(replace(part.type, dims=value.shape))
        return part

    return {name: map_leaves(value, known) for name, value in flat.arguments.items()}


def lengths_of_hidden(made: Specialised, hidden: Sequence[Any]) -> dict[str, types.Extent]:
    """The lengths of arrays that the function reads from outside, by the symbols that stand for them."""
    main, found = made.program.main, dict[str, types.Extent]()
    for name, value in zip(main.parameters[len(main.parameters) - len(hidden) :], hidden, strict=True):
        type_ = main.types[name]
        if isinstance(type_, types.Array):
            pairs = zip(type_.dims, np.shape(value), strict=True)
            found |= {str(dim): length for dim, length in pairs if isinstance(dim, types.Dim)}
    return found


def struct_of(found: types.Type, lengths: Mapping[str, types.Extent], what: str) -> ShapeDtypeStruct:
    if isinstance(found, types.ListOf):
        raise ValueError(f"{what} is a list whose length depends on values")
    known = types.with_lengths(found, lengths)
    assert not isinstance(known, types.ListOf)
    try:
        return struct_of_type(known)
    except ValueError as wrong:
        raise ValueError(f"{what} is {found}: {wrong}") from None


def has_a(kinds: type | tuple[type, ...], structure: Value) -> bool:
    """Whether the result is or holds something of these kinds."""
    return isinstance(structure, kinds) or any(has_a(kinds, part) for _, part in parts(structure))

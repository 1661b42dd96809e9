"""What workers call for each block, and the graph of those calls.

    arguments ({"w": w}, 2.0), w in blocks    ->    a tree with a Place for `w`, and [w]
    BlockCall(f, tree, ...)(block of w)       ->    f({"w": block}, 2.0), its arrays one after the other
"""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .compiler import types
from .compiler.dtypes import NUMPY_DTYPE
from .compiler.frontend.specialise.functional import Partial
from .eval_shape import UNKNOWN, has_a
from .flatten import Flattened, rebuild
from .guests import is_lazy, refuse
from .runtime.array import Array
from .runtime.parts import map_parts
from .shapes import ShapeDtypeStruct

if TYPE_CHECKING:
    from .compiler.frontend.specialise.specialised import Specialised
    from .function import Function

ANY_LENGTH = 2  # in place of a length that dask does not know: all that counts is that it is not 1
_COMPILING, _LOADING = threading.Lock(), threading.Lock()  # blocks of one array reach several threads at the same time


class Place:
    """Where an array belongs that is passed by itself.  It is no dataclass, as those are containers."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index

    def __reduce__(self) -> tuple[Any, ...]:
        return Place, (self.index,)


@dataclass(frozen=True, slots=True)
class Given:
    """The arguments of a call, (args, kwargs), with a Place for each array, and the arrays: dask's, or NumPy's."""

    tree: tuple[tuple[Any, ...], dict[str, Any]]
    arrays: list[Any]

    def flattened(self, function: Function) -> tuple[Flattened, list[int]]:
        """The types of all arguments, and where among the leaves the arrays are."""
        structs = [ShapeDtypeStruct(lengths_of(array), array.dtype) for array in self.arrays]
        args, kwargs = with_arrays(self.tree, structs)
        flat = function._flatten(args, kwargs, texts=True)
        places = {id(leaf): place for place, leaf in enumerate(flat.leaves)}
        return flat, [places[id(struct)] for struct in structs]


def taken_apart(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Given:
    found: list[Any] = []

    def place(leaf: Any) -> Any:
        if not is_lazy(leaf) and not (isinstance(leaf, np.ndarray | Array) and leaf.ndim):
            return leaf
        if is_lazy(leaf) and not isinstance(leaf._meta, np.ndarray):
            refuse(function, f"blocks are arrays of {type(leaf._meta).__module__.partition('.')[0]}",
                   "`x.map_blocks(np.asarray)` makes them NumPy's")  # fmt: skip
        found.append(leaf if is_lazy(leaf) else np.asarray(leaf))
        return Place(len(found) - 1)

    return Given(map_parts(place, (args, kwargs)), found)


def with_arrays(tree: Any, arrays: Sequence[Any]) -> Any:
    return map_parts(lambda leaf: arrays[leaf.index] if isinstance(leaf, Place) else leaf, tree)


def lengths_of(array: Any) -> tuple[int, ...]:
    return tuple(ANY_LENGTH if np.isnan(length) else int(length) for length in array.shape)


def require_arrays(function: Function, made: Specialised) -> None:
    """Refuse what is changed in place, and results of which the run decides what they are."""
    if made.mutated:
        refuse(function, "mutates= is for arrays of NumPy", "return the new arrays instead")
    if has_a((*UNKNOWN, Partial), made.result):
        refuse(function, "which results there are depends on values, or a function is among them",
               "return arrays whose lengths follow from those of the arguments")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Axes:
    """How the axes of a block are brought into another order, without some of length 1 that lead."""

    dropped: tuple[int, ...]
    order: tuple[int, ...]

    def of(self, block: Any) -> Any:
        return np.transpose(np.squeeze(block, self.dropped) if self.dropped else block, self.order)


@dataclass(frozen=True)
class BlockCall:
    """The function of one block of each array.

    tree      the arguments, as in `Given`
    template  the result, with a Place for each array of it
    before    what is done with the axes of each block, or None
    after     what is done with those of each result, or None
    """

    function: Function
    tree: Any
    template: Any
    before: tuple[Axes | None, ...]
    after: tuple[Axes | None, ...]

    def __reduce__(self) -> Any:
        """Tasks are unpickled one by one, and all of them are to have the same function."""
        import cloudpickle

        function = cloudpickle.dumps(self.function)
        return called_by, (function, self.tree, self.template, self.before, self.after)

    @property
    def __name__(self) -> str:
        """What dask calls the tasks: its names have no hyphens and no brackets."""
        return self.function.__name__.strip("<>")

    def __call__(self, *blocks: Any) -> Any:
        given = [b if axes is None else axes.of(b) for b, axes in zip(blocks, self.before, strict=True)]
        args, kwargs = with_arrays(self.tree, [b if b.ndim else b[()] for b in given])
        with _COMPILING:
            compile_once(self.function, args, kwargs)
        found: dict[int, Any] = {}

        def note(place: Any, value: Any) -> None:
            if isinstance(place, Place):
                found[place.index] = np.asarray(value)

        map_parts(note, self.template, self.function(*args, **kwargs))
        results = [found[k] if axes is None else axes.of(found[k]) for k, axes in enumerate(self.after)]
        return results[0] if len(results) == 1 else tuple(results)


def called_by(function: bytes, *rest: Any) -> BlockCall:
    with _LOADING:
        return BlockCall(loaded(function), *rest)


@lru_cache(maxsize=256)
def loaded(function: bytes) -> Function:
    """A function that came by value, once in a process: it keeps its code."""
    found: Function = pickle.loads(function)
    return found


def compile_once(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Have the code for these types, from the store if it is there, so that no other thread compiles it as well."""
    if not function.__pellucid__.target:
        function._code_for(function._flatten(args, kwargs))


def graph(
    call: BlockCall, made: Specialised, arrays: Sequence[Any], core: Sequence[Sequence[str]],
    core_of_results: Sequence[Sequence[str]], lengths: dict[str, int],
) -> list[Any]:  # fmt: skip
    """The results as dask arrays: `core` are the names of the last axes of each array, which blocks have whole."""
    dask: Any = sys.modules["dask.array"]
    written = [",".join(f"({','.join(names)})" for names in each) for each in (core, core_of_results)]
    dtypes = [np.dtype(NUMPY_DTYPE[type_.dtype]) for type_ in result_types(made)]
    blocks = [array if is_lazy(array) else dask.from_array(array, chunks=-1) for array in arrays]
    blocks = with_same_chunks(blocks, core)
    found = dask.apply_gufunc(
        call, "->".join(written), *blocks, output_dtypes=dtypes[0] if len(dtypes) == 1 else dtypes,
        output_sizes=lengths,
    )  # fmt: skip
    return [found] if len(dtypes) == 1 else list(found)


def with_same_chunks(arrays: Sequence[Any], core: Sequence[Sequence[str]]) -> list[Any]:
    """The arrays with the same chunks along the axes that are not their core, which are aligned at the right."""
    named: list[Any] = []
    for array, names in zip(arrays, core):
        named += [array, (*range(len(names) - array.ndim, 0), *names)]
    _, found = sys.modules["dask.array"].unify_chunks(*named)
    return list(found)


def result_types(made: Specialised) -> list[types.Scalar | types.Array]:
    return list(made.program.main.results)  # type: ignore[arg-type]


def template_of(made: Specialised) -> Any:
    return rebuild(made.result, [Place(k) for k in range(len(made.program.main.results))])

"""`compile(f, in_shardings=..., out_shardings=...)`: arguments and results that are put where shardings say.

    step = compile(f, out_shardings=NamedSharding(mesh, P("x")))     step(x).sharding.spec == P("x")
"""

from __future__ import annotations

from typing import Any

from . import tree
from .function import Function
from .methods import BoundFunction, PartialFunction
from .placing import device_put, sharding_of
from .runtime.array import Array
from .runtime.sharding.sharded import ShardedArray


class PlacedFunction(Function):
    """A compiled function whose calls from Python put arguments and results on the devices of a mesh."""

    def __init__(self, plain: Function, in_shardings: Any, out_shardings: Any) -> None:
        super().__init__(plain.__pellucid__, judge=False)
        self._plain, self._in, self._out = plain, in_shardings, out_shardings

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._in is not None:
            args = self._placed(args, kwargs)
        result = self._plain(*args, **kwargs)
        return tree.map(_moved, self._out, result, is_leaf=_is_nothing)

    def _placed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        if kwargs:
            raise ValueError(f"{self.__name__}: in_shardings are of arguments by position, and {[*kwargs]} are by name")
        is_each = isinstance(self._in, tuple | list)
        wanted = tuple(self._in) if is_each else (self._in,) * len(args)
        if len(wanted) != len(args):
            raise ValueError(f"{self.__name__}: in_shardings has {len(wanted)} entries for {len(args)} arguments")
        return tuple(tree.map(self._put, one, arg, is_leaf=_is_nothing) for one, arg in zip(wanted, args))

    def _put(self, sharding: Any, part: Any) -> Any:
        """What is on no device in particular there; what is on others is refused, as it was put there."""
        if sharding is None:
            return part
        wanted = sharding_of(sharding)
        for leaf in tree.leaves(part):
            is_put = isinstance(leaf, ShardedArray) or isinstance(leaf, Array) and leaf._device >= 0
            if is_put and not wanted.is_equivalent_to(leaf.sharding, leaf.ndim):
                raise ValueError(
                    f"{self.__name__}: in_shardings says {wanted}, and an argument was put as {leaf.sharding} says: "
                    "`pellucid.device_put(x, sharding)` moves it"
                )
        return device_put(part, wanted)

    def __reduce__(self) -> Any:
        return placed, (self._plain, self._in, self._out)


def _moved(sharding: Any, part: Any) -> Any:
    return part if sharding is None else device_put(part, sharding)


def _is_nothing(part: Any) -> bool:
    return part is None


def placed(function: Any, in_shardings: Any, out_shardings: Any) -> Any:
    """The function with shardings; itself where there are none.  Raises TypeError for a method or a `partial`."""
    if in_shardings is None and out_shardings is None:
        return function
    if isinstance(function, BoundFunction | PartialFunction):
        raise TypeError("in_shardings and out_shardings are for functions: write one that calls the method or partial")
    return PlacedFunction(function, in_shardings, out_shardings)

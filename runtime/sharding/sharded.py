"""`ShardedArray`: an Array whose elements are on many devices.

    x = device_put(np.arange(8.0), NamedSharding(mesh, P("x")))
    [shard.data for shard in x.addressable_shards]      ->     [Array([0., 1.]), Array([2., 3.]), ...]

Devices of a processor have one memory: the elements are in one buffer, and what a device has is a view.  What a call on
many devices has made is the parts first, which are put together when somebody reads the elements of the whole.  Where
devices are of other processes, this one has only its own parts.  GPUs have a part each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, Self

import numpy as np

from ..array import Array
from ..devices import Device
from ..operators import OPERANDS
from ..values import HeldValues
from .cuts import cut_by
from .elementwise import common_sharding, item_sharding
from .parts import Parts
from .shardings import Index, NamedSharding, Shard


class ShardedArray(Array):
    """An Array whose elements are on the devices of a mesh.  It is made by `device_put` and by calls."""

    __slots__ = ("_parts", "_sharding")

    _sharding: NamedSharding
    _parts: Parts | None

    def __new__(cls, values: Any, sharding: NamedSharding | None = None) -> Any:
        """Without a sharding, as for the results of methods, an Array: what is on no device in particular."""
        return Array(values) if sharding is None else super().__new__(cls)

    def __init__(self, values: Any, sharding: NamedSharding) -> None:
        super().__init__(values)
        self._parts = None
        sharding.shard_shape(self.shape)
        self._sharding = sharding

    @classmethod
    def of_parts(cls, parts: Parts) -> ShardedArray:
        """The array whose parts a call on all devices makes."""
        made: ShardedArray = Array.__new__(cls)
        made._parts, made._sharding = parts, parts.cut.sharding
        return made

    def _joined(self) -> np.ndarray:
        """All elements, which `_values` asks for once."""
        if self._parts is None:
            raise AttributeError("_values")
        return self._parts.joined(self._sharding)

    @property
    def parts(self) -> Parts | None:
        """What each device has made; None where there is one buffer from the start."""
        return self._parts

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of every dimension."""
        return super().shape if self._parts is None else self._parts.shape(self._sharding)

    @property
    def ndim(self) -> int:
        """How many dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the elements."""
        return super().dtype if self._parts is None else self._parts.dtype()

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def _is_number(self) -> bool:
        """Whether it stands for a number, which every device has."""
        return self._parts is not None and self._parts.stacked is None and self._parts.blocks[0]._is_number

    @property
    def _plain(self) -> Any:
        return self.whole._plain

    def is_ready(self) -> bool:
        """Whether the values are there, or have failed: whether nothing would wait."""
        return self._parts is None or self._parts.is_ready()

    def _wait(self) -> None:
        if self._parts is not None:
            self._parts.wait()

    @property
    def sharding(self) -> NamedSharding:
        """How it is cut, and which devices have the parts."""
        return self._sharding

    @property
    def whole(self) -> Array:
        """The Array of its one buffer, or of its number."""
        if self._parts is not None and self._is_number:
            self._wait()
            number: Array = self._parts.blocks[0]._on(-1)
            return number
        return Array(self._values)

    @property
    def addressable_shards(self) -> list[Shard]:
        """What each device of this process has, in the order of the devices of the mesh."""
        found = self._sharding.addressable_devices_indices_map(self.shape).items()
        if self._parts is None or self._parts.stacked is not None and self.is_fully_addressable and not self._parts.far:
            return [self._shard(*one) for one in found]
        if not self._parts.far:
            self._wait()
        return [
            Shard(device, index, self._sharding.replica_id(device), self._parts.alone(part)._on(device.number))
            for part, (device, index) in zip(self._parts.blocks, found, strict=True)
        ]

    def addressable_data(self, index: int) -> Array:
        """What one of the devices of this process has, by its number among these."""
        found: Array = self.addressable_shards[index].data
        return found

    @property
    def is_fully_addressable(self) -> bool:
        """Whether this process has all of it."""
        return self._sharding.is_fully_addressable

    def _shard(self, device: Device, index: Index) -> Shard:
        part = Array(np.asarray(self._values[index]))
        return Shard(device, index, self._sharding.replica_id(device), part._on(device.number))

    def devices(self) -> set[Device]:
        """The devices that have a part."""
        return self._sharding.device_set

    def to_device(self, device: Device | str, /, *, stream: None = None) -> Array:
        """The whole array on one device."""
        return Array(self._values).to_device(device, stream=stream)

    def __copy__(self) -> Self:
        return self

    @property
    def T(self) -> Array:
        """The array with its dimensions in reverse order."""
        return PLACED.by(np.transpose, (self,), {}, self.whole.T)

    def __getitem__(self, index: Any) -> Any:
        return laid(self.whole[index], item_sharding(self.sharding, self.ndim, index))

    def __array_function__(
        self, function: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        return PLACED.by(function, args, kwargs, super().__array_function__(function, types, args, kwargs))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        plain = tuple(map(whole_of, inputs))
        sharding = None
        if method == "__call__" and ufunc.signature is None:
            sharding = common_sharding(inputs, ufunc.__name__)
        return laid(getattr(ufunc, method)(*plain, **kwargs), sharding)


def whole_of(operand: Any) -> Any:
    """The Array of one buffer for a sharded one; anything else as it is."""
    return operand.whole if isinstance(operand, ShardedArray) else operand


def laid(result: Any, sharding: NamedSharding | None) -> Any:
    """A result, or each of several, cut so; numbers and what is cut in no known way as they are."""
    if sharding is None:
        return result
    if isinstance(result, tuple):
        return tuple(laid(part, sharding) for part in result)
    return of_whole(result._values, sharding) if isinstance(result, Array) and result.ndim else result


def _on_each(method: Any, operands: tuple[Any, ...]) -> Any:
    """An operator on the parts that GPUs have, of arrays of one shape that are cut alike and of numbers; else None."""
    arrays = [one for one in operands if isinstance(one, ShardedArray)]
    first = arrays[0].parts
    if first is None or not first.far or any(not isinstance(one, (ShardedArray, *NUMBERS)) for one in operands):
        return None
    parts = [one.parts for one in arrays if one.shape == arrays[0].shape]
    if len(parts) < len(arrays) or any(one is None or one.cut is not first.cut for one in parts):
        return None
    blocks = iter([one.blocks for one in parts if one is not None])
    columns = [next(blocks) if isinstance(one, ShardedArray) else [one] * len(first.blocks) for one in operands]
    made = [method(*row) for row in zip(*columns, strict=True)]
    if not all(isinstance(one, Array) for one in made):
        return None
    return ShardedArray.of_parts(Parts(made, lambda: None, first.cut))


NUMBERS = (bool, int, float, complex)


def _of_elements(name: str) -> Any:
    """An operator of Array's, whose result is cut as the operands are."""
    plain = getattr(Array, name)

    def method(self: ShardedArray, *others: Any) -> Any:
        if not all(isinstance(other, OPERANDS) for other in others):
            return plain(self.whole, *others)
        if (made := _on_each(plain, (self, *others))) is not None:
            return made
        sharding = common_sharding((self, *others), name.strip("_"))
        return laid(plain(self.whole, *map(whole_of, others)), sharding)

    return method


for _name in (
    "neg pos abs invert add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow and rand "
    "or ror xor rxor lshift rlshift rshift rrshift lt le gt ge eq ne"
).split():
    setattr(ShardedArray, f"__{_name}__", _of_elements(f"__{_name}__"))


class Placed:
    """Says where results of NumPy's functions are; `rule` is plugged in by what knows the compiler."""

    rule: Callable[..., Any] | None = None

    def by(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
        """The result of a function of sharded arrays, cut as they are where that follows."""
        return result if self.rule is None or type(result) is not Array else self.rule(function, args, kwargs, result)


PLACED = Placed()


def _of_numpy(name: str) -> Any:
    """A method of Array's, whose result is where that of NumPy's function of this name is."""
    plain, function = getattr(Array, name), getattr(np, name)

    def method(self: ShardedArray, *args: Any, **kwargs: Any) -> Any:
        given = (args,) if len(args) > 1 and name in AXES_APART else args
        return PLACED.by(function, (self, *given), kwargs, plain(self.whole, *map(whole_of, args), **kwargs))

    method.__name__, method.__doc__ = name, plain.__doc__
    return method


AXES_APART = ("reshape", "transpose")  # methods that take what the function takes in a tuple
for _name in sorted({*vars(Array)} & {*dir(np.ndarray)}):
    if not _name.startswith("_") and callable(getattr(Array, _name)) and callable(getattr(np, _name, None)):
        setattr(ShardedArray, _name, _of_numpy(_name))


def put(values: Any, sharding: NamedSharding) -> ShardedArray:
    """An array on the devices of a mesh; NumPy's arrays and scalars are copied, as they may change."""
    held = values._values if isinstance(values, HeldValues) else np.array(values)
    return of_whole(held, sharding)


def of_whole(values: np.ndarray, sharding: NamedSharding) -> ShardedArray:
    """An array whose elements are all there: this process keeps the parts of its devices."""
    if sharding.is_fully_addressable and not are_apart(sharding):
        return ShardedArray(values, sharding)
    return of_blocks(values.shape, sharding, lambda index: values[index])


def are_apart(sharding: NamedSharding) -> bool:
    """Whether its devices have memories of their own."""
    return any(device.platform != "cpu" for device in sharding.device_set)


def of_blocks(shape: tuple[int, ...], sharding: NamedSharding, block: Callable[[Index], Any]) -> ShardedArray:
    """An array of which this process has the parts of its devices: `block(slices)` gives one of them."""
    mine = sharding.addressable_devices_indices_map(shape)
    if not mine:
        raise ValueError("no device of this process is in the mesh of the array")
    found: dict[Any, Array] = {}
    blocks = []
    for device, index in mine.items():
        key = tuple((one.start, one.stop) for one in index)
        if key not in found:
            found[key] = Array(np.array(block(index)))
        blocks.append(device.put(found[key]))
    return ShardedArray.of_parts(Parts(blocks, lambda: None, cut_by(sharding.mesh, sharding.spec)))

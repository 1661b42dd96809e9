"""`Array`: the immutable array that compiled functions return.

    y = f(x)                    an Array
    y + 1.0, y @ z, y < 0       Arrays again, through compiled kernels
    y.at[0].set(1.0)            a changed copy; `y[0] = 1.0` is a TypeError
    np.asarray(y), np.sin(y)    conversions give an ndarray, the other functions of NumPy Arrays

An array of no dimensions behaves as in NumPy: its operators give NumPy scalars.
"""

from __future__ import annotations

import copy
import functools
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import namespace, operators, protocols
from .at import At
from .devices import Device, by_number, named
from .far_arrays import by_method, indexed, viewed
from .operators import absent, binary, delegated, equality, reflected, unary
from .sharding.shardings import Shard, SingleDeviceSharding
from .values import KINDS, HeldValues, placed, unwrap, wrap

_delegated = functools.partial(delegated, elsewhere=by_method)


class Array(HeldValues):
    """An immutable array of numbers.

    values  a NumPy array, which is taken without a copy (who changes it afterwards changes the Array), or anything else
            that `np.asarray` takes; of any shape, and of numbers or bools

    Operators, indexing and the functions of NumPy work on it and give Arrays; methods such as `x.sum()` do as well.
    `np.asarray(x)` gives its values without a copy, as an array that cannot be written to; `np.array(x)`, `np.copy(x)`
    and `np.atleast_1d(x)` give an array of one's own.
    An item assignment is a TypeError: `x.at[index].set(value)` gives a changed copy.

    Raises TypeError for what is not numeric, and for arrays with a mask.
    """

    __slots__ = ()
    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: Any) -> None:
        if type(values) is not np.ndarray:
            if isinstance(values, np.ma.MaskedArray):
                raise TypeError("an Array has no mask: take `values.filled(fill_value)`")
            values = np.asarray(unwrap(values))
        if values.dtype.kind not in KINDS:
            raise TypeError(f"an Array holds numbers, not {values.dtype}")
        super().__init__(values)

    # --- what it is

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next, along every dimension."""
        found: tuple[int, ...] = (self._values if self._there is None else self._there).strides
        return found

    @property
    def device(self) -> Device:
        """Where calls with it run."""
        return by_number(self._place)

    def devices(self) -> set[Device]:
        """Where its elements are: a set of one device."""
        return {self.device}

    @property
    def sharding(self) -> Any:
        """How it is cut among devices: not at all, if it was not put on several."""
        return SingleDeviceSharding(self.device)

    @property
    def addressable_shards(self) -> list[Any]:
        """What each device of this process has of it: objects with `device`, `index`, `replica_id` and `data`."""
        return [Shard(self.device, (slice(None),) * self.ndim, 0, self)]

    def addressable_data(self, index: int) -> Array:
        """What one device of this process has of it, by the number of the device among those that have some."""
        part: Array = self.addressable_shards[index].data
        return part

    @property
    def is_fully_addressable(self) -> bool:
        """Whether this process has all of it."""
        return True

    @property
    def is_fully_replicated(self) -> bool:
        """Whether every device that has a part has all of it."""
        return bool(self.sharding.is_fully_replicated)

    @property
    def T(self) -> Array:
        """The array with its dimensions in reverse order."""
        found = viewed(self, lambda elements: elements.T)
        return placed(Array(self._values.T), self) if found is None else found

    @property
    def mT(self) -> Array:
        """The array with its last two dimensions exchanged."""
        found = viewed(self, lambda elements: elements.swapaxes(-1, -2))
        return placed(Array(self._values.mT), self) if found is None else found

    @property
    def real(self) -> Array:
        """The real parts."""
        return placed(Array(self._values.real), self)

    @property
    def imag(self) -> Array:
        """The imaginary parts."""
        return placed(Array(self._values.imag), self)

    @property
    def flat(self) -> Any:
        """An iterator over all elements, which can be indexed."""
        return self._values.flat

    def view(self, dtype: Any = None) -> Array:
        """The same bytes as elements of another dtype.  Raises ValueError where they do not divide into these."""
        return placed(Array(self._values.view(self.dtype if dtype is None else dtype)), self)

    def ptp(self, axis: Any = None, keepdims: bool = False) -> Any:
        """The largest element less the smallest, over all elements or along an axis."""
        return placed(wrap(np.ptp(self._values, axis=axis, keepdims=keepdims), Array), self)

    @property
    def at(self) -> At:
        """Changed copies: `x.at[index].set(value)`, `.add`, `.multiply`, `.min`, `.max`, ..."""
        return At(self)

    def block_until_ready(self) -> Array:
        """The array itself, once its values are there.  Raises the error of the call that should have made them."""
        self._wait()
        return self

    def to_device(self, device: Device | str, /, *, stream: None = None) -> Array:
        """The array on a device, given as such or by its name; between devices of the processor nothing is copied.

        Raises ValueError where there is no such device.
        """
        if stream is not None:
            raise ValueError("a device has one stream: stream is None")
        wanted = named(device)
        found: Array = self if self._place == wanted.number else wanted.put(self)
        return found

    # --- elements

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (placed(wrap(part, Array), self) for part in iter(self._values))

    def __contains__(self, item: object) -> bool:
        return unwrap(item) in self._values

    def __getitem__(self, index: Any) -> Any:
        found = indexed(self, index)
        return placed(wrap(self._values[unwrap(index)], Array), self) if found is None else found

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError("an Array cannot be changed; `x = x.at[index].set(value)` gives a changed copy")

    def __delitem__(self, index: Any) -> None:
        raise TypeError("an Array cannot be changed; `np.delete(x, index)` and `x.at[index].set(value)` give new ones")

    # --- Python's conversions

    def __float__(self) -> float:
        return float(self._plain)

    def __int__(self) -> int:
        return int(self._plain)

    def __complex__(self) -> complex:
        return complex(self._plain)

    def __bool__(self) -> bool:
        return bool(self._plain)

    def __index__(self) -> int:
        return operator.index(self._plain)

    def __round__(self, digits: int | None = None) -> Any:
        return round(self._number(), digits)

    def __trunc__(self) -> int:
        return math.trunc(self._number())

    def __floor__(self) -> int:
        return math.floor(self._number())

    def __ceil__(self) -> int:
        return math.ceil(self._number())

    def _number(self) -> Any:
        """The number that an array of no dimensions is."""
        return self._plain if self._is_number else self._values.item() if self.ndim == 0 else self._values

    def __repr__(self) -> str:
        text = repr(self._values)
        return f"A{text[1:]}" if text.startswith("array(") else f"Array({text})"

    def __str__(self) -> str:
        return str(self._values)

    def __format__(self, form: str) -> str:
        return format(self._plain, form)

    def __copy__(self) -> Array:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self._plain if self._is_number else self.copy()

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """A pickle holds the values; of what stands for a number it holds the number."""
        return (copy.copy, (self._plain,)) if self._is_number else (Array, (self._values,))

    # --- NumPy's protocols

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy:
            return np.array(self._values, dtype=dtype)
        if dtype is None or self._values.dtype == dtype:
            # through a read-only buffer, which NumPy never makes writeable again, as it would an array
            return np.asarray(memoryview(self._values).toreadonly())  # type: ignore[arg-type]
        return np.asarray(self._values, dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        is_plain = method == "__call__" and not kwargs and any(map(operators.is_array, inputs))
        if is_plain and operators.is_operator(ufunc, inputs):
            return wrap(operators.evaluate(ufunc.__name__, unwrap(inputs)), Array)
        result = protocols.call_ufunc(ufunc, method, inputs, kwargs)
        return result if "out" in kwargs else wrap(result, Array)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        result = protocols.call_function(function, types, args, kwargs)
        if function in protocols.CONVERTING or function not in protocols.SAVING and kwargs.get("out") is not None:
            return result
        return wrap(result, Array)

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        """The module with the functions of the array API standard: `pellucid.numpy`."""
        return namespace.of_arrays(api_version)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        found: dict[str, Any] = self._values.__array_interface__
        return found

    def __dlpack__(self, **options: Any) -> Any:
        return self.device.shared(self).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        found: tuple[int, int] = self.device.shared(self).__dlpack_device__()
        return found

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """For libraries of CUDA: the elements on the device.  Raises AttributeError where it is on none of these."""
        if self.device.platform != "cuda":
            raise AttributeError("__cuda_array_interface__")
        found: dict[str, Any] = self.device.shared(self).__cuda_array_interface__
        return {**found, "data": (found["data"][0], True)}

    # --- operators

    __neg__, __pos__ = unary("negative"), unary("positive")
    __abs__, __invert__ = unary("absolute"), unary("invert")
    __add__, __radd__ = binary("add"), reflected("add")
    __sub__, __rsub__ = binary("subtract"), reflected("subtract")
    __mul__, __rmul__ = binary("multiply"), reflected("multiply")
    __truediv__, __rtruediv__ = binary("divide"), reflected("divide")
    __floordiv__, __rfloordiv__ = binary("floor_divide"), reflected("floor_divide")
    __mod__, __rmod__ = binary("remainder"), reflected("remainder")
    __pow__, __rpow__ = binary("power"), reflected("power")
    __matmul__, __rmatmul__ = binary("matmul"), reflected("matmul")
    __and__, __rand__ = binary("bitwise_and"), reflected("bitwise_and")
    __or__, __ror__ = binary("bitwise_or"), reflected("bitwise_or")
    __xor__, __rxor__ = binary("bitwise_xor"), reflected("bitwise_xor")
    __lshift__, __rlshift__ = binary("left_shift"), reflected("left_shift")
    __rshift__, __rrshift__ = binary("right_shift"), reflected("right_shift")
    __lt__, __le__ = binary("less"), binary("less_equal")
    __gt__, __ge__ = binary("greater"), binary("greater_equal")
    __eq__, __ne__ = equality("equal"), equality("not_equal")

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return other // self, other % self

    # --- NumPy's methods

    fill, sort = absent("fill", "np.full_like(x, value)"), absent("sort", "np.sort(x)")
    partition, resize = absent("partition", "np.partition(x, k)"), absent("resize", "np.resize(x, shape)")
    put, setflags = absent("put", "x.at[index].set(value)"), absent("setflags", "np.array(x)")

    choose, compress = map(_delegated, ("choose", "compress"))
    all, any, argmax, argmin = map(_delegated, ("all", "any", "argmax", "argmin"))
    argpartition, argsort, astype, clip = map(_delegated, ("argpartition", "argsort", "astype", "clip"))
    conj, conjugate, copy, cumprod = map(_delegated, ("conj", "conjugate", "copy", "cumprod"))
    cumsum, diagonal, dot, flatten = map(_delegated, ("cumsum", "diagonal", "dot", "flatten"))
    item, max, mean, min = map(_delegated, ("item", "max", "mean", "min"))
    nonzero, prod, ravel, repeat = map(_delegated, ("nonzero", "prod", "ravel", "repeat"))
    reshape, round, searchsorted, squeeze = map(_delegated, ("reshape", "round", "searchsorted", "squeeze"))
    std, sum, swapaxes, take = map(_delegated, ("std", "sum", "swapaxes", "take"))
    tobytes, tolist, trace, transpose, var = map(_delegated, ("tobytes", "tolist", "trace", "transpose", "var"))

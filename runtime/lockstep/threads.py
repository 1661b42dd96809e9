"""What one thread of a kernel can do; a rewritten kernel gets its thread as the first argument.

Memory is reached through it, and it knows its position:

    x[i, j]                        ->   _t.load(_site_1, x, (i, j))
    cuda.threadIdx.x               ->   _t.threadIdx.x
    cuda.atomic.add(out, k, v)     ->   _t.atomic(_site_2, "add", out, k, v)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ..nature import article
from .errors import KernelFault, LockstepError
from .memory import LOCAL, SHARED, Allocation, DeviceArray, allocate
from .numbers import wrapped
from .order import Moment, is_ordered, joined

WARP = 32
MOST_SHARED = 48 * 1024

# What a number of Python is in numba.
OF_PYTHON = {
    int: np.dtype(np.int64), float: np.dtype(np.float64), complex: np.dtype(np.complex128), bool: np.dtype(np.bool_),
}  # fmt: skip


class Triple(NamedTuple):
    x: int
    y: int
    z: int

    def within(self, size: Triple) -> str:
        """As a string: of as many axes as the block or the grid has."""
        axes = 3 if size.z > 1 else 2 if size.y > 1 else 1
        return str(self.x) if axes == 1 else str(tuple(self[:axes]))


def nth(number: int, size: Triple) -> Triple:
    """The position of a thread in its block, or of a block in the grid, x first."""
    return Triple(number % size.x, number // size.x % size.y, number // (size.x * size.y))


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """A location in the printed file that touches memory or waits."""

    file: str
    line: int
    column: int
    text: str  # the array, or the call


class Block:
    """What the threads of a block share."""

    __slots__ = ("blockDim", "blockIdx", "gridDim", "number", "shared", "shared_bytes")

    def __init__(self, number: int, blockIdx: Triple, blockDim: Triple, gridDim: Triple) -> None:
        self.number = number
        self.blockIdx, self.blockDim, self.gridDim = blockIdx, blockDim, gridDim
        self.shared: dict[Site, DeviceArray] = {}
        self.shared_bytes = 0


class Thread:
    """One thread: where it is, which barriers it has passed, and its way to memory."""

    __slots__ = (
        "block", "blockDim", "blockIdx", "gridDim", "has_failed", "kernel", "now", "number", "path", "threadIdx",
    )  # fmt: skip

    warpsize = WARP

    def __init__(self, kernel: str, block: Block, number: int, threadIdx: Triple) -> None:
        self.kernel = kernel
        self.block = block
        self.number = number
        self.threadIdx = threadIdx
        self.blockIdx, self.blockDim, self.gridDim = block.blockIdx, block.blockDim, block.gridDim
        self.path: tuple[Site, ...] = ()
        self.has_failed = False  # whether it has stored into the word for faults
        self.now: Moment = (block.number, 0, number // WARP, 0, number)

    laneid = property(lambda self: self.number % WARP)

    def grid(self, count: int) -> Any:
        """The position of this thread among all of the launch."""
        at = tuple(b * d + t for b, d, t in zip(self.blockIdx, self.blockDim, self.threadIdx))
        return at[0] if count == 1 else at[:count]

    def gridsize(self, count: int) -> Any:
        size = tuple(g * d for g, d in zip(self.gridDim, self.blockDim))
        return size[0] if count == 1 else size[:count]

    def enter(self, site: Site) -> Thread:
        """Begin a call that may wait for others: those who meet at a barrier come by the same calls."""
        self.path = (*self.path, site)
        return self

    def leave(self, result: Any) -> Any:
        self.path = self.path[:-1]
        return result

    # --- memory

    def load(self, site: Site, array: Any, index: Any) -> Any:
        if type(array) is tuple:
            return array[index]
        place = self.place(site, array, index)
        memory = array.allocation
        if not memory.written[place]:
            self.fail(site, f"reads element {shown(index)} of {site.text}, which nobody has written yet")
        if not memory.is_exempt:
            now = self.now
            store = memory.stores.get(place)
            if store is not None and store[0] is not now:
                self.ordered(memory, store, site, index, "reads", "stores")
            if memory.atomics:
                self.ordered(memory, memory.atomics.get(place), site, index, "reads", "changes atomically")
            self.note(memory.loads, place, site)
        return memory.numbers[place]

    def store(self, site: Site, array: Any, index: Any, value: Any) -> None:
        place = self.place(site, array, index)
        memory = array.allocation
        value = self.held(site, array, value)
        self.has_failed |= memory.is_exempt
        memory.is_of_failed |= self.has_failed
        if not memory.is_exempt:
            now = self.now
            store = memory.stores.get(place)
            if store is not None and store[0] is not now:
                self.ordered(memory, store, site, index, "stores", "stores")
            load = memory.loads.pop(place, None)
            if load is not None and load[0] is not now:
                self.ordered(memory, load, site, index, "stores", "reads")
            if memory.atomics:
                self.ordered(memory, memory.atomics.pop(place, None), site, index, "stores", "changes atomically")
            memory.stores[place] = (now, site)
        memory.written[place] = True
        memory.numbers[place] = value

    def atomic(self, site: Site, operation: str, array: Any, index: Any, *values: Any) -> Any:
        """The old number, after the new one was stored in one step."""
        place = self.place(site, array, index)
        memory = array.allocation
        if not memory.written[place]:
            self.fail(site, f"changes element {shown(index)} of {site.text}, which nobody has written yet")
        if not memory.is_exempt:
            self.ordered(memory, memory.stores.get(place), site, index, "changes", "stores")
            self.ordered(memory, memory.loads.get(place), site, index, "changes", "reads")
            self.note(memory.atomics, place, site)
        given = [self.held(site, array, value) for value in values]
        old = memory.numbers[place]
        memory.numbers[place] = ATOMICS[operation](old, *given)
        return old

    def place(self, site: Site, array: Any, index: Any) -> int:
        """Where in its allocation an element lies; an index is a whole number from 0 on."""
        if not isinstance(array, DeviceArray):
            raise TypeError(f"{site.text} is {article(type(array).__name__)}: a kernel indexes arrays of the device")
        at = index if type(index) is tuple else (index,)
        shape = array.shape
        if len(at) != len(shape):
            self.fail(site, f"{site.text} has {len(shape)} dimensions, and its index {len(at)}")
        place = array.first
        for axis, k in enumerate(at):
            if type(k) is not int:
                k = self.whole(site, k)
            if not 0 <= k < shape[axis]:
                if self.has_failed and not shape[axis]:  # no index is right, and a device has memory there all the same
                    raise KernelFault(f"{self.kernel}: the program fails at {site.text}, which has no elements")
                self.fail(site, f"index {k} is out of bounds of axis {axis} of {site.text} with length {shape[axis]}")
            place += k * array.strides[axis]
        return place

    def whole(self, site: Site, k: Any) -> int:
        if not isinstance(k, int | np.integer) or isinstance(k, bool):
            self.fail(site, f"{site.text} is indexed by {k!r}, which is no integer")
        return int(k)

    def held(self, site: Site, array: DeviceArray, value: Any) -> Any:
        """A value that an array is to hold; numba would convert another dtype and say nothing."""
        if type(value) is array.kind:
            return value
        dtype = value.dtype if isinstance(value, np.generic) else OF_PYTHON.get(type(value))
        if dtype != array.dtype:
            name = dtype or type(value).__name__
            self.fail(site, f"a value of dtype {name} for {site.text}, which holds {array.dtype}")
        return wrapped(value, 64, np.int64) if type(value) is int else value

    def note(self, table: dict[int, tuple[Moment, Site]], place: int, site: Site) -> None:
        """Hold that this thread reads or changes an element, beside all others who do since it was stored."""
        before = table.get(place)
        if before is None:
            table[place] = (self.now, site)
        elif before[0] is not self.now:
            table[place] = (joined(before[0], self.now), site)

    def ordered(
        self, memory: Allocation, other: tuple[Moment, Site] | None, site: Site, index: Any, mine: str, theirs: str
    ) -> None:
        if other is not None and not is_ordered(other[0], self.now):
            if self.has_failed or memory.is_of_failed:  # threads went on with any index in bounds
                raise KernelFault(f"{self.kernel}: the program fails ahead of {site.text}")
            who, where = self.told(other[0]), f"line {other[1].line}"
            if other[1].file != site.file:
                where += f" of {other[1].file}"
            what = f"element {shown(index)} of {site.text}"
            self.fail(site, f"a race: it {mine} {what}, which {who} {theirs} on {where} with no barrier between")

    def told(self, other: Moment) -> str:
        """Who did something at another moment; several readers are not distinguished."""
        block, _, _, _, thread = other
        if block < 0:
            return "a thread of another block"
        who = "another thread" if thread < 0 else f"thread {nth(thread, self.blockDim).within(self.blockDim)}"
        return who if block == self.block.number else f"{who} of block {nth(block, self.gridDim).within(self.gridDim)}"

    # --- arrays of the kernel

    def shared_array(self, site: Site, shape: Any, dtype: Any) -> DeviceArray:
        """The one array that the block has for this line of the program."""
        block = self.block
        if site not in block.shared:
            made = block.shared[site] = allocate(shape, dtype, SHARED)
            block.shared_bytes += made.nbytes
            if block.shared_bytes > MOST_SHARED:
                self.fail(site, f"the block has {block.shared_bytes} bytes of shared memory, of at most {MOST_SHARED}")
        return block.shared[site]

    def local_array(self, site: Site, shape: Any, dtype: Any) -> DeviceArray:
        return allocate(shape, dtype, LOCAL)

    # --- faults

    @property
    def name(self) -> str:
        return f"thread {self.place_in_block} of block {self.blockIdx.within(self.gridDim)}"

    @property
    def place_in_block(self) -> str:
        return self.threadIdx.within(self.blockDim)

    def fail(self, site: Site, what: str) -> NoReturn:
        """Raise what is wrong, with the line of the kernel; that of a device function stands after it."""
        if self.path:
            outer = self.path[0]
            what = f"in {outer.text} ({site.file}:{site.line}), {what}"
            site = outer
        raise LockstepError(f"{self.kernel} ({site.file}:{site.line}), {self.name}: {what}")


def shown(index: Any) -> str:
    return f"[{', '.join(str(int(k)) for k in (index if isinstance(index, tuple) else (index,)))}]"


def least(old: Any, value: Any) -> Any:
    """CUDA's minimum: of a number and nan, the number."""
    return np.fmin(old, value)


def greatest(old: Any, value: Any) -> Any:
    return np.fmax(old, value)


ATOMICS: dict[str, Callable[..., Any]] = {
    "add": lambda old, value: old + value,
    "sub": lambda old, value: old - value,
    "min": least,
    "max": greatest,
    "exch": lambda old, value: value,
    "cas": lambda old, expected, value: value if old == expected else old,
    "and_": lambda old, value: old & value,
    "or_": lambda old, value: old | value,
    "xor": lambda old, value: old ^ value,
}
"""What `cuda.atomic` has; `cas` takes what is expected before what is stored."""

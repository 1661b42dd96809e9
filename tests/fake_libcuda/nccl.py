"""The functions of NCCL that we call, on the fake driver: parts of `libraries.py`.

A group of calls is looked at when it ends: all devices of a communicator have made the same calls, of the same dtype
and length, each in a stream of its own device and on memory of it, and what is sent is received.  Everything else would
wait for ever, or be wrong, on GPUs.  The work is done when a stream comes to it, and the others have come as far.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

DTYPES = dict(enumerate(("i1", "u1", "i4", "u4", "i8", "u8", "f2", "f4", "f8")))
OPERATIONS: dict[int, Callable[..., Any]] = {0: np.add, 1: np.multiply, 2: np.fmax, 3: np.fmin}  # which pass over nan
INVALID_ARGUMENT, INVALID_USAGE = 4, 5
ORDINAL = 9  # attribute of a pointer: the number of its device
TEXT = """
const char *ncclGetErrorString(int status);
const char *ncclGetErrorString(int status) { return status == 4 ? "invalid argument" : "unhandled cuda error"; }
"""


@dataclass(frozen=True)
class Call:
    """A call of one device: what it reads and writes are (address, elements)."""

    name: str
    clique: Clique
    rank: int
    stream: int
    dtype: str
    read: tuple[int, int]
    written: tuple[int, int]
    more: tuple[int, ...]  # the operation, or the other device

    def alike(self) -> tuple[Any, ...]:
        """What is the same on all devices."""
        return self.name, self.dtype, self.read[1], self.written[1], self.more


@dataclass(eq=False)
class Clique:
    """Communicators that belong together."""

    numbers: tuple[int, ...]
    kept: list[Any] = field(default_factory=list)


class _Group(threading.local):
    def __init__(self) -> None:
        self.depth = 0
        self.calls: list[Call] = []


class Nccl:
    def __init__(self, libraries: Any) -> None:
        self.libraries = libraries
        self.places: dict[int, tuple[Clique, int]] = {}
        self.group = _Group()
        self.fails: dict[str, int] = {}

    def call(self, name: str, words: list[int]) -> int:
        if name in self.fails:
            return self.fails.pop(name)
        match name:
            case "ncclCommInitAll":
                return self.begin(*words)
            case "ncclGroupStart":
                self.group.depth += 1
                return 0
            case "ncclGroupEnd":
                return self.end()
        return self.put(name, words)

    def begin(self, place: int, count: int, devices: int) -> int:
        numbers = tuple((ctypes.c_int * count).from_address(devices))
        if len(set(numbers)) < count:
            return INVALID_USAGE
        clique = Clique(numbers)
        for rank in range(count):
            made = ctypes.create_string_buffer(8)
            clique.kept.append(made)
            self.places[ctypes.addressof(made)] = clique, rank
            ctypes.c_void_p.from_address(place + 8 * rank).value = ctypes.addressof(made)
        return 0

    def put(self, name: str, words: list[int]) -> int:
        *given, comm, stream = words
        if comm not in self.places:
            self.libraries.fault(f"{name}: a communicator that nobody made")
            return INVALID_ARGUMENT
        clique, rank = self.places[comm]
        size = len(clique.numbers)
        match name, given:
            case "ncclAllReduce", (x, y, n, dtype, operation):
                read, written, more = (x, n), (y, n), (operation,)
            case "ncclAllGather", (x, y, n, dtype):
                read, written, more = (x, n), (y, n * size), ()
            case "ncclReduceScatter", (x, y, n, dtype, operation):
                read, written, more = (x, n * size), (y, n), (operation,)
            case "ncclSend", (x, n, dtype, other):
                read, written, more = (x, n), (0, 0), (other,)
            case "ncclRecv", (y, n, dtype, other):
                read, written, more = (0, 0), (y, n), (other,)
        if dtype not in DTYPES or name in ("ncclSend", "ncclRecv") and not 0 <= other < size:
            return INVALID_ARGUMENT
        made = Call(name, clique, rank, stream, DTYPES[dtype], read, written, more)
        for address, count in (read, written):
            self.check(made, address, count * np.dtype(made.dtype).itemsize, False)
        if self.group.depth == 0:
            self.libraries.fault(f"{name}: outside of a group")
            return INVALID_USAGE
        self.group.calls.append(made)
        return 0

    def check(self, made: Call, address: int, size: int, is_running: bool) -> None:
        if not size:
            return
        library, number = self.libraries.fake.library, ctypes.c_int(-1)
        library.fake_check(ctypes.c_void_p(address), ctypes.c_size_t(size), int(is_running))
        library.cuPointerGetAttribute(ctypes.byref(number), ORDINAL, ctypes.c_uint64(address))
        own = made.clique.numbers[made.rank]
        if number.value != own:
            self.libraries.fault(f"{made.name}: memory of cuda:{number.value} for cuda:{own}")

    def end(self) -> int:
        self.group.depth -= 1
        if self.group.depth:
            return 0
        calls, self.group.calls = self.group.calls, []
        for clique in dict.fromkeys(call.clique for call in calls):
            ranks = range(len(clique.numbers))
            own = [[call for call in calls if call.clique is clique and call.rank == rank] for rank in ranks]
            collective = [[call for call in some if not call.name.endswith(("Send", "Recv"))] for some in own]
            if len({tuple(call.alike() for call in some) for some in collective}) > 1:
                self.libraries.fault("devices of a communicator have made different calls")
                return INVALID_USAGE
            steps = [_collective(list(step)) for step in zip(*collective)]
            moved = self.pairs(own)
            if moved is None:
                return INVALID_USAGE
            self.enqueue([some for some in own if some], [*steps, *moved])
        return 0

    def pairs(self, own: list[list[Call]]) -> list[Callable[[], None]] | None:
        """What is sent and received; None where something is only one of the two."""
        sent: dict[tuple[int, int], list[Call]] = {}
        received: dict[tuple[int, int], list[Call]] = {}
        for call in (call for some in own for call in some):
            if call.name == "ncclSend":
                sent.setdefault((call.rank, call.more[0]), []).append(call)
            if call.name == "ncclRecv":
                received.setdefault((call.more[0], call.rank), []).append(call)
        lengths = [{key: [(c.dtype, c.read[1] + c.written[1]) for c in found] for key, found in some.items()}
                   for some in (sent, received)]  # fmt: skip
        if lengths[0] != lengths[1]:
            self.libraries.fault("what devices send is not what they receive")
            return None
        return [_moved(list(zip(found, received[key]))) for key, found in sent.items()]

    def enqueue(self, own: list[list[Call]], steps: list[Callable[[], None]]) -> None:
        """Into the streams of all; whichever comes to it first does it for all, once the others have come as far."""
        library = self.libraries.fake.library
        events, lock, done = [], threading.Lock(), []

        def work() -> None:
            with lock:
                if done:
                    return
                for event in events:
                    library.cuEventSynchronize(event)
                for call in (call for some in own for call in some):
                    for address, count in (call.read, call.written):
                        self.check(call, address, count * np.dtype(call.dtype).itemsize, True)
                for step in steps:
                    step()
                done.append(True)

        for some in own:
            with Context(library, some[0].clique.numbers[some[0].rank]):
                for stream in dict.fromkeys(call.stream for call in some):
                    event = ctypes.c_void_p()
                    library.cuEventCreate(ctypes.byref(event), 2)
                    library.cuEventRecord(event, ctypes.c_void_p(stream))
                    events.append(event)
        for some in own:
            with Context(library, some[0].clique.numbers[some[0].rank]):
                for stream in dict.fromkeys(call.stream for call in some):
                    self.libraries.later(stream, work)


class Context:
    """A block in which the context of a device is current."""

    def __init__(self, library: Any, number: int) -> None:
        self.library, self.context = library, ctypes.c_void_p()
        library.cuDevicePrimaryCtxRetain(ctypes.byref(self.context), number)

    def __enter__(self) -> None:
        self.library.cuCtxPushCurrent_v2(self.context)

    def __exit__(self, *error: object) -> None:
        self.library.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


def over(where: tuple[int, int], dtype: str) -> np.ndarray:
    """An array over memory of a device."""
    address, count = where
    item = np.dtype(dtype).itemsize
    return np.ndarray(count, dtype, (ctypes.c_char * (count * item)).from_address(address))


def _collective(calls: list[Call]) -> Callable[[], None]:
    def work() -> None:
        first = calls[0]
        read = [np.array(over(call.read, call.dtype)) for call in calls]
        if first.name == "ncclAllGather":
            whole = np.concatenate(read)
        else:
            whole = reduce(OPERATIONS[first.more[0]], read)
        for call in calls:
            part = call.written[1]
            own = whole[call.rank * part : (call.rank + 1) * part] if first.name == "ncclReduceScatter" else whole
            over(call.written, call.dtype)[:] = own

    return work


def _moved(pairs: list[tuple[Call, Call]]) -> Callable[[], None]:
    """Read when the work is made: devices may receive where others have sent from."""

    def work() -> None:
        for sender, receiver in pairs:
            over(receiver.written, receiver.dtype)[:] = over(sender.read, sender.dtype)

    return work

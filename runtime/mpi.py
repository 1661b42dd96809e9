"""MPI, as mpi4py has loaded it: what devices of several processes exchange, and what Python says to other processes.

    world = start()                 once in a process; the native part has MPI's functions by their addresses
    world.team((0, 0, 1, 1))        the processes of a mesh, by that of each device: what launches on it need
    world.all_of(value)             the values of all processes
    world.abort()                   ends all of them

Nothing is compiled against MPI: a handle is a number that mpi4py tells (`MPI._handleof`), and its extension module is
linked with the library that its functions are taken from.
"""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from . import asynchronous, native_part
from .cores import available_cores

GLANCES, GLANCES_OF_MANY = 200, 10  # at a message, before a thread lets others have its core
ALARMS = 1  # tags that no launch has


class ProcessError(RuntimeError):
    """Another process has failed, or has ended before this one."""

    __module__ = "pellucid.distributed"  # as users see it


@dataclass(frozen=True, slots=True)
class Team:
    """The processes of a mesh.

    capsule    for the native part
    processes  the process of each device
    seats      the places in the mesh of the devices that are of this process
    """

    capsule: Any
    processes: tuple[int, ...]
    seats: tuple[int, ...]
    native: ModuleType

    def close(self) -> None:
        self.native.close_team(self.capsule)


_STARTED: list[World] = []


class World:
    """All processes that were started together."""

    def __init__(self, mpi: Any, communicator: Any, native: ModuleType | None) -> None:
        self._mpi, self._native = mpi, native
        self._launches, self._said = communicator.Dup(), communicator.Dup()
        self.index, self.count = communicator.Get_rank(), communicator.Get_size()
        node = communicator.Split_type(mpi.COMM_TYPE_SHARED)
        self._near = node.allgather((asynchronous.cpu_devices(), _cores_of_process()))
        node.Free()
        self._devices: tuple[int, ...] = tuple(communicator.allgather(asynchronous.cpu_devices()))
        self._teams: dict[tuple[int, ...], Team] = {}
        self._communicators: list[Any] = []

    @property
    def devices(self) -> tuple[int, ...]:
        """How many devices of the processor each process has."""
        return self._devices

    def sharers(self) -> int:
        """How many processes of this machine may use a core that this one may use, itself among them."""
        own = _cores_of_process()
        return sum(not own or not other or bool(own & other) for _, other in self._near)

    def all_of(self, value: Any) -> list[Any]:
        """The values of all processes, in their order, each of which calls this."""
        found: list[Any] = self._said.allgather(value)
        return found

    def of_one(self, value: Any, process: int) -> Any:
        """The value of one process, in all of them, each of which calls this."""
        return self._said.bcast(value, root=process)

    def wait_for_all(self) -> None:
        """Returns once all processes have called this."""
        self._said.Barrier()

    def team(self, processes: tuple[int, ...]) -> Team:
        """The processes of a mesh, given that of each device.  The first call for them is one of all of them."""
        found = self._teams.get(processes)
        if found is None:
            found = self._teams[processes] = self._make_team(processes)
        return found

    def _make_team(self, processes: tuple[int, ...]) -> Team:
        assert self._native is not None
        members = sorted({*processes})
        world = self._launches.Get_group()
        group = world.Incl(members)
        communicator = self._launches.Create_group(group)
        group.Free()
        world.Free()
        self._communicators.append(communicator)
        most = communicator.Get_attr(self._mpi.TAG_UB) or 32767
        axes = 8  # at most, each with as many groups as there are devices
        tags = (most - ALARMS) // (axes * len(processes)) - 1
        ranks = tuple(members.index(process) for process in processes)
        busy = sum(devices for devices, _ in self._near)
        glances = GLANCES if busy <= available_cores() else GLANCES_OF_MANY
        handle = _number(self._mpi, communicator)
        capsule = self._native.make_team(handle, members.index(self.index), ranks, tags, glances)
        seats = tuple(place for place, process in enumerate(processes) if process == self.index)
        return Team(capsule, processes, seats, self._native)

    def close(self) -> None:
        """This process says no more: launches that others wait for it in fail."""
        asynchronous.finish()
        for team in self._teams.values():
            team.close()
        self._teams.clear()
        _STARTED.clear()

    def abort(self) -> None:
        """End all processes, with the exit status 1."""
        sys.stdout.flush()
        sys.stderr.flush()
        self._launches.Abort(1)


def _cores_of_process() -> frozenset[int]:
    """The cores that the system lets this process use; none where it does not say."""
    return frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset()


def _number(mpi: Any, handle: Any) -> int:
    return int(mpi._handleof(handle)) & (2**64 - 1)


def start(communicator: Any = None) -> World:
    """The processes of a communicator, MPI's of all if it is None; each of them calls this.

    Raises ImportError where mpi4py or its MPI is missing, and RuntimeError where these cannot serve.
    """
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as missing:
        raise ImportError(
            f"many processes talk by MPI ({missing}): `pip install mpi4py mpich` has one that works without the "
            "system's, and `pip install mpi4py` takes the system's own"
        ) from missing
    communicator = MPI.COMM_WORLD if communicator is None else communicator
    native = asynchronous.prepare()
    if native is None and communicator.Get_size() > 1:
        raise RuntimeError(f"many processes need the native part, which is not there: {native_part.why_not()}")
    if native is not None and MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        raise RuntimeError("MPI was started for one thread, and each device has one: start it with MPI_THREAD_MULTIPLE")
    if native is not None:
        _give_functions(MPI, native)
    _STARTED.append(World(MPI, communicator, native))
    return _STARTED[-1]


def world() -> World | None:
    """What was started; None before, and after it was closed."""
    return _STARTED[-1] if _STARTED else None


def _give_functions(mpi: Any, native: ModuleType) -> None:
    """Tell the native part where the functions are."""
    library = ctypes.CDLL(mpi.__file__)
    names = ("MPI_Isend", "MPI_Irecv", "MPI_Test", "MPI_Cancel")
    found = [ctypes.cast(getattr(library, name), ctypes.c_void_p).value for name in names]
    native.use_mpi(*found, _number(mpi, mpi.BYTE), mpi.ANY_SOURCE)

"""`shard_map` and `pmap`: functions of one device, called with arrays of all devices.

    shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P())(a)     every device calls f with its block of a
    pmap(f, axis_name="i")(a)                                      device k calls f with a[k]

Both mean the `vmap` of `numpy/sharded.py`, which is what derivatives are taken of and printed stages show.  A call runs
on all devices at once where it can (`launching.py`), and else as what it means.  It takes arrays of NumPy's, Arrays and
sharded Arrays, and says of its results on which devices they are.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from . import tree
from .compiler.diagnostics import BatchError
from .compiler.ops.schema import TypeFault
from .compiler.stages import KERNELS, TRANSFORMED
from .function import Function
from .launching import OfDevice, Unfit, are_gpus
from .library_names import is_library
from .numpy import sharded as meaning
from .on_blocks import OnBlocks
from .on_examples import OnExamples
from .own_frames import told_to_users
from .placing import with_sharding_constraint
from .runtime.array import Array
from .runtime.devices import Device, default_kind, devices, named
from .runtime.sharding import Mesh, NamedSharding, PartitionSpec
from .runtime.sharding.meshes import current_mesh
from .runtime.sharding.sharded import ShardedArray, of_whole
from .runtime.sharding.specs import SpecTree
from .text import Text
from .transformations import compile, known_inside, mapping, vmap

NO_NAME = "devices"  # of the axis of a `pmap` without one
DEVICE = "device"  # the stage of the program of one device


class MappedFunction(Function):
    """A function that runs on many devices: a `Function` whose results say where they are.

    before  looks at the arguments of a call, and may refuse it; what it gives is known after
    apart   calls all devices at once, where it can; None where every call runs as what it means
    layout  gives, for a result of that, the sharding of each of its arrays
    there   the devices, or more of them
    """

    def __init__(
        self, whole: Function, before: Callable[..., Any], apart: OnBlocks | OnExamples | None,
        layout: Callable[..., Any], there: Iterable[Device],
    ) -> None:  # fmt: skip
        super().__init__(whole.__pellucid__, judge=False)
        self._is_on_gpus = are_gpus(there)
        self._whole, self._before, self._apart, self._layout = whole, before, apart, layout

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        found = None if kwargs or self._apart is None else self._apart.again(args)
        if found is not None:
            return found[0]
        known = self._before(args, kwargs)
        found = None if kwargs or self._apart is None else self._apart.call(known, args)
        if found is not None:
            return found[0]
        whole = self._whole(*map(gathered, args), **{k: gathered(v) for k, v in kwargs.items()})
        if self._is_on_gpus:  # and it has said nothing of what is wrong with the call
            raise ValueError(
                f"{self.__name__} runs on GPUs, where it is a function, no bound method or `partial`, of arrays and "
                "numbers that are given by position and cut by specs; all axes of the mesh are mapped"
            )
        return self._layout(known, whole)

    def _of_device(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> OfDevice | None:
        """The program of one device for these values or types; None where there is none."""
        if kwargs or self._apart is None:
            return None
        try:
            return self._apart.of_device(self._before(args, kwargs), args)
        except (Unfit, TypeFault):
            return None

    @told_to_users
    def source(self, stage: str, *args: Any, **kwargs: Any) -> str:
        """The program at a stage, as `Function.source` gives it; or at `device`, the program of one device.

        At `device` collectives are calls, and the first parameter says which device it is; on GPUs so it is at
        `kernels`.  Raises ValueError where the calls run as one program on all threads.
        """
        if stage != DEVICE and not (stage == KERNELS and self._is_on_gpus):
            return super().source(stage, *args, **kwargs)
        found = self._of_device(args, kwargs)
        if found is None:
            super().source("typed", *args, **kwargs)  # which says what is wrong with them
            raise ValueError("such calls have no program of one device; the stages of their own are printed")
        return Text(found.source(TRANSFORMED if stage == DEVICE else stage))

    @told_to_users
    def explain(self, *args: Any, **kwargs: Any) -> str:
        """What was decided for the program of one device, and how many run it; see `Function.explain`.

        mesh  devices to tell the collectives of: where they are, how often they run, and the bytes that they move
        """
        mesh = kwargs.pop("mesh") if isinstance(kwargs.get("mesh"), Mesh) else None
        if mesh is not None:
            from .simulation import counted  # the printed stages, which other calls do without

            return Text(f"{self.explain(*args, **kwargs)}\ncollectives\n\n{counted(self, args, mesh)}")
        found = self._of_device(args, kwargs) if args else None
        try:
            return super().explain(*args, **kwargs) if found is None else Text(found.explain())
        except BatchError:
            return super().explain(*args, **kwargs)


def gathered(argument: Any) -> Any:
    """An argument with Arrays of one buffer for those that are on many devices, in containers, too."""
    if type(argument) is np.ndarray or type(argument) is Array:
        return argument
    if isinstance(argument, ShardedArray):
        return argument.whole
    if isinstance(argument, tuple | list | dict):
        return tree.map(lambda leaf: leaf.whole if isinstance(leaf, ShardedArray) else leaf, argument)
    return argument


@told_to_users
def shard_map(
    function: Callable[..., Any] | None = None, /, *, mesh: Mesh | None = None, in_specs: Any = None,
    out_specs: Any = None, axis_names: Iterable[str] = (), check_vma: bool = True,
) -> Any:  # fmt: skip
    """The function of whole arrays in which every device of a mesh calls `function` with its block of each argument.

    mesh        the devices; None: the mesh of the `with` block around this call
    in_specs    how arguments are cut: a `PartitionSpec` for each, in a tuple, or one for all; an entry may be a
                container of specs built like the argument, or one for all that is in it
    out_specs   how results are joined, in the same way.  What a spec does not name has to be the same on all devices
    axis_names  the axes of the mesh to map over, where these are not all; along the others there is one block
    check_vma   refuse a result that may differ along an axis which its spec does not name.  False: that of the first
                device counts

    Collectives in the function (`pellucid.lax.psum(x, "x")` and others) take the names of the axes.  It means nested
    `vmap`s with these names, over the blocks: derivatives, batching and compiling go through it in any order, and a
    decorator `@shard_map(mesh=..., in_specs=..., out_specs=...)` is possible.

    Raises ValueError where an array does not divide by the axes that cut it, and CompileError for specs that do not fit
    (S005).
    """
    names = tuple(sorted(axis_names))
    if function is None:
        return told_to_users(functools.partial(
            shard_map, mesh=mesh, in_specs=in_specs, out_specs=out_specs, axis_names=names, check_vma=check_vma
        ))
    mesh = current_mesh() if mesh is None else mesh
    if not isinstance(mesh, Mesh):
        raise TypeError("shard_map takes `mesh=`, or is called inside `with mesh:`")
    joined = SpecTree(out_specs)
    called = compile(function) if type(function).__name__ == "function" else function
    made = meaning.shard_map(called, mesh=mesh, axis_names=names, in_specs=SpecTree(in_specs), out_specs=joined,
                             check_vma=check_vma)  # fmt: skip
    made.__name__, made.__qualname__, made.__doc__ = (
        getattr(function, name, None) or "sharded" for name in ("__name__", "__qualname__", "__doc__")
    )
    if isinstance(called, Function) and not is_library(called.__pellucid__.python.__module__ or ""):
        # where messages point, and whose parameters give the names
        made.__pellucid_stands_for__ = called.__pellucid__.python
    layout = functools.partial(_by_specs, mesh, joined.tree)
    apart = None
    if isinstance(called, Function) and names in ((), tuple(sorted(mesh.axis_names))):
        apart = OnBlocks(called, mesh, SpecTree(in_specs), joined, check_vma)
    return MappedFunction(Function(compile(made).__pellucid__), _nothing, apart, layout, mesh.devices.flat)


shard_map.__pellucid_told__ = meaning.shard_map  # type: ignore[attr-defined]
with_sharding_constraint.__pellucid_told__ = meaning.with_sharding_constraint  # type: ignore[attr-defined]


def _nothing(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    return None


def _by_specs(mesh: Mesh, specs: Any, _: Any, result: Any) -> Any:
    """A result whose Arrays are on the devices of a mesh."""
    if isinstance(result, Array):
        return of_whole(result._values, NamedSharding(mesh, specs or PartitionSpec()))
    found, made = tree.flatten(result)
    each: Any = meaning.ask.specs_of.ask(specs, made, [(name, 0) for name in mesh.axis_names], "out_specs")
    return made.unflatten([
        _by_specs(mesh, spec, None, leaf) if isinstance(leaf, Array) else leaf
        for leaf, spec in zip(found, each, strict=True)
    ])


# --- pmap ------------------------------------------------------------------------------------------------------------


@told_to_users
def pmap(
    function: Callable[..., Any], axis_name: str | None = None, *, in_axes: Any = 0, out_axes: Any = 0,
    static_broadcasted_argnums: int | Sequence[int] = (), donate_argnums: int | Sequence[int] = (),
    axis_size: int | None = None, devices: Sequence[Device] | None = None, backend: str | None = None,
) -> Any:  # fmt: skip
    """The function of many examples, each on a device of its own: `vmap` with as many examples as devices at most.

    axis_name  the name of the axis, for collectives in the function
    in_axes    where the examples are in the arguments, as for `vmap`
    out_axes   where they are in the results
    static_broadcasted_argnums  parameters whose values are part of the compiled code, by number
    donate_argnums  as in JAX, where it lets a result take the memory of an argument; it changes nothing
    axis_size  how many examples there are; needed where no argument is mapped
    devices    the devices, in order; None: those of the kind of the default device, or of the kind `backend`
    backend    the kind of device

    Raises ValueError where there are more examples than devices, and what `vmap` raises.
    """
    numbers = static_broadcasted_argnums
    static = (numbers,) if isinstance(numbers, int) else tuple(numbers)
    there = tuple(map(named, devices)) if devices is not None else _of_kind(backend)
    called = compile(function, static_argnums=static) if static else function
    whole = vmap(called, in_axes, out_axes, axis_name, axis_size)
    if not isinstance(whole, Function):
        raise TypeError("pmap takes a function, not one with some arguments given: write a function that gives them")
    before = functools.partial(_count, there, in_axes, axis_size, static)
    layout = functools.partial(_by_axes, there, axis_name or NO_NAME, out_axes)
    apart = OnExamples(called, axis_name, axis_name or NO_NAME, in_axes, out_axes, there, static)
    return MappedFunction(whole, before, apart, layout, there)


def _of_kind(backend: str | None) -> tuple[Device, ...]:
    return tuple(devices(backend or default_kind()))


def _count(
    there: tuple[Device, ...], in_axes: Any, size: int | None, static: tuple[int, ...], args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> int:  # fmt: skip
    """How many examples a call has.  Raises ValueError where there are more than devices."""
    axes = in_axes if isinstance(in_axes, tuple | list) else [in_axes] * len(args)
    lengths = [n for k, (a, axis) in enumerate(zip(args, axes)) if k not in static for n in _lengths(a, axis)]
    count = size if size is not None else next(iter(lengths), 0)
    if count > len(there):
        raise ValueError(
            f"pmap: there are {count} examples, and {len(there)} devices.  `vmap` takes any number of examples, and "
            "`shard_map` gives each device a block of them; PELLUCID_CPU_DEVICES says how many devices the processor "
            "counts for"
        )
    if 0 < count < len(there) and not all(device.is_here() for device in there):
        raise ValueError(
            f"pmap: there are {count} examples, and {len(there)} devices of several processes, each of which passes "
            "the examples of all; `devices=pellucid.local_devices()` takes those of this process alone"
        )
    return count


def _lengths(argument: Any, axis: Any) -> list[int]:
    """The lengths of the mapped axes of what is in an argument."""
    if axis is None:
        return []
    if isinstance(axis, int):
        return [np.shape(leaf)[axis] for leaf in tree.leaves(argument) if -np.ndim(leaf) <= axis < np.ndim(leaf)]
    if isinstance(axis, dict):
        return [n for key, part in axis.items() for n in _lengths(argument[key], part)]
    return [n for inner, part in zip(argument, axis) for n in _lengths(inner, part)]


def _by_axes(there: tuple[Device, ...], name: str, out_axes: Any, count: int, result: Any) -> Any:
    """A result whose Arrays are on the first devices, one example each."""
    mesh = Mesh(np.array(there[:count], dtype=object), (name,))

    def laid(part: Any, axis: Any) -> Any:
        if isinstance(part, Array):
            spec = PartitionSpec() if axis is None else PartitionSpec(*[None] * (axis % part.ndim), name)
            return of_whole(part._values, NamedSharding(mesh, spec))
        if axis is None or isinstance(axis, int):
            return tree.map(lambda leaf: laid(leaf, axis) if isinstance(leaf, Array) else leaf, part)
        if isinstance(axis, dict):
            return {key: laid(inner, axis[key]) for key, inner in part.items()}
        inner = [laid(one, its) for one, its in zip(part, axis, strict=True)]
        return type(part)(*inner) if hasattr(part, "_fields") else type(part)(inner)

    return laid(result, out_axes)


def _asks(
    axis_name: str | None = None, *, in_axes: Any = 0, out_axes: Any = 0, static_broadcasted_argnums: Any = (),
    donate_argnums: Any = (), axis_size: int | None = None, devices: Any = None, backend: Any = None,
) -> Any:  # fmt: skip
    """What `pmap` asks for inside a compiled function, where all values that are known stay known."""
    return mapping(in_axes, out_axes, axis_name, axis_size)


known_inside(pmap, _asks)

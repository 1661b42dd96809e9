"""What `shard_map` and `pmap` mean: a function of one device, mapped over the blocks of a mesh by `vmap`.

    shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"))(a)       with "x" of 2 devices
        ->      np.reshape(vmap(f, axis_name="x")(np.reshape(a, (2, len(a) // 2))), ...)

Arguments are cut into blocks, which stand in front in the order of the mesh; `f` is mapped over one axis of the mesh
after the other, the last one innermost; results are joined.
"""

import numpy as np

from .. import tree
from ..compiler.ops import blocks as ask
from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..transformations import over_devices
from .manipulation import reshape


def shard_map(f=None, *, mesh=None, in_specs=None, out_specs=None, axis_names=(), check_vma=True):
    """The function of whole arrays in which every device of a mesh calls `f` with its blocks."""
    if f is None:
        return lambda g: shard_map(
            g, mesh=mesh, in_specs=in_specs, out_specs=out_specs, axis_names=axis_names, check_vma=check_vma
        )

    def sharded(*args):
        return on_blocks(f, ask.axes_of_mesh(mesh, axis_names), in_specs, out_specs, check_vma, args)

    return sharded


def with_sharding_constraint(x, shardings):
    """The same arrays, which say where they are from here on."""
    found, made = tree.flatten(x)
    specs = ask.shardings_of(shardings, made)
    return tree.unflatten(made, [placed(leaf, specs[k]) for k, leaf in enumerate(found)])


def placed(x, spec):
    if static.rank(x) == 0 or spec is None:
        return x
    return op.with_sharding(x, spec=ask.labels_of(spec, static.rank(x)))


def on_blocks(f, axes, in_specs, out_specs, check_vma, args):
    """What `f` gives for the blocks of the arguments, joined."""
    given, made = tree.flatten(args)
    specs = ask.specs_of(in_specs, made, axes, "in_specs")

    def of_leaves(*leaves):
        return f(*tree.unflatten(made, leaves))

    cut = [in_blocks(leaf, specs[k], axes) for k, leaf in enumerate(given)]
    result = over_axes(of_leaves, axes, specs, out_specs, check_vma)(*cut)
    found, structure = tree.flatten(result)
    out = ask.specs_of(out_specs, structure, axes, "out_specs")
    return tree.unflatten(structure, [joined(leaf, out[k], axes) for k, leaf in enumerate(found)])


def in_blocks(x, spec, axes):
    """The blocks of an array, their axes in front in the order of the mesh."""
    if ask.count_of(spec) == 0:
        ask.cuts_of(spec, np.ndim(x), axes, "in_specs")
        return x
    shape = np.shape(x)
    apart: list = []
    for axis, sizes in enumerate(ask.cuts_of(spec, len(shape), axes, "in_specs")):
        count = ask.product(sizes)
        if count > 1 and shape[axis] % count != 0:
            raise ValueError(
                f"axis {axis} of an argument has the length {shape[axis]}, which is not divided by the {count} devices "
                f"along {ask.words_of(spec, axis)}: fill it up to a multiple of {count} (np.pad), or leave this axis "
                "whole (None)"
            )
        apart = [*apart, *sizes, shape[axis] // count]
    return np.transpose(reshape(x, apart), ask.blocks_first(spec, len(shape), axes))


def over_axes(f, axes, specs, out_specs, check_vma):
    """The function mapped over all axes of the mesh, the first one outermost."""
    if len(axes) == 0:
        return f
    name, size = axes[0]
    inner = over_axes(f, axes[1:], specs, out_specs, check_vma)
    in_axes = ask.mapped_axes(specs, name)
    if check_vma:
        return over_devices(inner, in_axes, ask.result_axes(out_specs, name), name, size, True)
    mapped = over_devices(inner, in_axes, 0, name, size)
    return lambda *args: of_first(mapped(*args), out_specs, name)


def of_first(result, out_specs, name):
    """What the first device along an axis gives, of results whose specs do not name it."""
    found, structure = tree.flatten(result)
    out = ask.specs_of(out_specs, structure, None, "out_specs")
    return tree.unflatten(structure, [x if ask.names_axis(out[k], name) else x[0] for k, x in enumerate(found)])


def joined(x, spec, axes):
    """An array of its blocks."""
    count = ask.count_of(spec)
    ndim = np.ndim(x) - count
    cuts = ask.cuts_of(spec, ndim, axes, "out_specs")
    if count == 0:
        return x
    apart = np.transpose(x, ask.blocks_back(spec, ndim, axes))
    return reshape(apart, [ask.product(sizes) * x.shape[count + axis] for axis, sizes in enumerate(cuts)])

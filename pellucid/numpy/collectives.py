"""Collectives in the spellings of `jax.lax`: what the examples along a named axis of `vmap` tell each other.

Each takes the name of the axis, or several names in a tuple.  Outside of a `vmap` with that
name they raise a NameError.
"""

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..compiler.ops.pairs import largest_of, pairs_of
from ..runtime.parts import map_parts
from . import grouped_collectives as grouped
from .grouped_collectives import is_plain, names_of, number_along, size_along
from .manipulation import reshape
from .manipulation import shape as shape_of


def reduced(collective, in_group, x, axis_name, groups):
    """What all examples get of each part, along one axis after the other; or what those of each group get."""

    def part(value):
        if groups is not None:
            return in_group(grouped.values_of_group(value, axis_name, groups)[0], axis=0)
        for name in names_of(axis_name):
            value = collective(value, axis_name=name)
        return value

    return map_parts(part, x)


def psum(x, axis_name, *, axis_index_groups=None):
    """The sum over all examples, which all of them get; truths are counted.

    x          a number, an array, or a container of them
    axis_name  the name of the axis, or several in a tuple
    axis_index_groups  lists of numbers of examples: those of each get the sum over it
    """

    return reduced(op.psum, np.sum, x, axis_name, axis_index_groups)


def pmean(x, axis_name, *, axis_index_groups=None):
    """The mean over all examples, which all of them get: `psum(x, axis_name) / axis_size(axis_name)`."""
    if axis_index_groups is not None:
        return reduced(op.psum, np.mean, x, axis_name, axis_index_groups)
    return map_parts(lambda value: psum(value, axis_name) / axis_size(axis_name), x)


def pmax(x, axis_name, *, axis_index_groups=None):
    """The largest value among all examples, element by element; examples that tie share a derivative evenly."""

    return reduced(op.pmax, np.max, x, axis_name, axis_index_groups)


def pmin(x, axis_name, *, axis_index_groups=None):
    """The smallest value among all examples, element by element; examples that tie share a derivative evenly."""

    return reduced(op.pmin, np.min, x, axis_name, axis_index_groups)


def pvary(x, axis_name):
    """The value itself, of which from here on each device has its own.

    In a `shard_map` with `check_vma=True` the derivative by what all devices share is the sum over them; that by its
    `pvary` is what each has for itself.
    """

    def part(value):
        for name in names_of(axis_name):
            value = op.pvary(value, axis_name=name)
        return value

    return map_parts(part, x)


def pcast(x, axis_name=None, *, to=None):
    """`pvary(x, axis_name)`, as JAX spells it: `to` is "varying"."""
    if to != "varying":
        raise ValueError(f"pcast: to={to!r}, and only to='varying' is there")
    return pvary(x, axis_name)


def axis_size(axis_name):
    """How many examples there are along the axis, or along all of several."""
    return size_along(names_of(axis_name))


def axis_index(axis_name):
    """The number of the example along the axis; of several names, counted with the last one running fastest."""
    return number_along(names_of(axis_name))


def all_gather(x, axis_name, *, axis_index_groups=None, axis=0, tiled=False):
    """The values of all examples, which all of them get, along a new axis.

    x      a number, an array, or a container of them
    axis   where the new axis is
    tiled  join along this axis, which is there already, instead
    axis_index_groups  as for `psum`: those of each group get its values
    """

    def part(value):
        if not is_plain(axis_name, axis_index_groups):
            return grouped.gathered(value, axis_name, axis_index_groups, axis, tiled)
        shape = shape_of(value)
        place = static.axis_of(axis, len(shape) + (0 if tiled else 1))
        size = op.axis_size(axis_name=axis_name)
        gathered = op.all_gather(
            value, axis=place, shape=(*shape[:place], size, *shape[place:]), axis_name=axis_name
        )
        if tiled:
            return reshape(gathered, (*shape[:place], size * shape[place], *shape[place + 1 :]))
        return gathered

    return map_parts(part, x)


def psum_scatter(x, axis_name, *, scatter_dimension=0, axis_index_groups=None, tiled=False):
    """Of the sum over all examples the part with the number of the example.

    x                  an array, or a container of them
    scatter_dimension  the axis of the parts, as long as there are examples; the result does not have it
    tiled              cut the axis in as many blocks as there are examples, and keep it
    """

    def part(value):
        if not is_plain(axis_name, axis_index_groups):
            return grouped.scattered(value, axis_name, axis_index_groups, scatter_dimension, tiled)
        parts = in_parts(value, axis_name, scatter_dimension, tiled, "psum_scatter")
        return op.psum_scatter(parts, axis=static.axis_of(scatter_dimension, len(value.shape)), axis_name=axis_name)

    return map_parts(part, x)


def all_to_all(x, axis_name, split_axis, concat_axis, *, axis_index_groups=None, tiled=False):
    """Every example sends part k to example k, and joins the parts that it gets, in the order of who sent them.

    x            an array, or a container of them
    split_axis   the axis of the parts, as long as there are examples; the result does not have it
    concat_axis  where the result has the parts that it got
    tiled        cut the axis in as many blocks as there are examples, keep it, and join along one that is there
    """

    def part(value):
        if not is_plain(axis_name, axis_index_groups):
            return grouped.exchanged(value, axis_name, axis_index_groups, split_axis, concat_axis, tiled)
        rank = len(value.shape)
        split, concat = static.axis_of(split_axis, rank), static.axis_of(concat_axis, rank)
        parts = in_parts(value, axis_name, split, tiled, "all_to_all")
        size = op.axis_size(axis_name=axis_name)
        rest = (*parts.shape[:split], *parts.shape[split + 1 :])
        sent = op.all_to_all(
            parts, split=split, concat=concat, shape=(*rest[:concat], size, *rest[concat:]), axis_name=axis_name
        )
        if tiled:
            return reshape(sent, (*rest[:concat], size * rest[concat], *rest[concat + 1 :]))
        return sent

    return map_parts(part, x)


def in_parts(value, axis_name, axis, tiled, what):
    """The array with an axis as long as there are examples."""
    shape = value.shape
    place = static.axis_of(axis, len(shape))
    size = op.axis_size(axis_name=axis_name)
    length = shape[place]
    if tiled:
        if length % size != 0:
            raise ValueError(f"{what}: an axis of length {length} is not divided by the {size} examples of the axis")
        return reshape(value, (*shape[:place], size, length // size, *shape[place + 1 :]))
    if length != size:
        raise ValueError(f"{what}: an axis of length {length} has not one element for each of the {size} examples")
    return reshape(value, (*shape[:place], size, *shape[place + 1 :]))


def pswapaxes(x, axis_name, axis):
    """The axis of the examples and another one change places: `all_to_all(x, axis_name, axis, axis)`."""
    return all_to_all(x, axis_name, axis, axis)


def ppermute(x, axis_name, perm):
    """The value of another example; zeros for those that are sent nothing.

    x     a number, an array, or a container of them
    perm  pairs (source, destination) of numbers of examples, each at most once on either side
    """
    sent = pairs_of(perm)
    most = largest_of(sent)

    def part(value):
        size = axis_size(axis_name)
        if most >= size:
            raise ValueError(f"ppermute: there are {size} examples, and perm names number {most}")
        if static.is_sequence(axis_name):
            return grouped.permuted(value, axis_name, sent, most)
        return op.ppermute(value, perm=sent, axis_name=axis_name)

    return map_parts(part, x)


def pshuffle(x, axis_name, perm):
    """The value of example `perm[k]` for example k."""
    return ppermute(x, axis_name, [(source, place) for place, source in enumerate(perm)])

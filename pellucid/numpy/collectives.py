"""Collectives in the spellings of `jax.lax`: what the examples along a named axis of `vmap` tell each other.

Each takes the name of the axis; those that reduce take several names in a tuple, too.  Outside of a `vmap` with that
name they raise a NameError.
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..compiler.ops.pairs import largest_of, pairs_of
from ..runtime.parts import map_parts
from .manipulation import reshape
from .manipulation import shape as shape_of


def names_of(axis_name):
    return axis_name if static.is_sequence(axis_name) else (axis_name,)


def reduced(collective, x, axis_name):
    """What all examples get of each part, along one axis after the other."""

    def part(value):
        for name in names_of(axis_name):
            value = collective(value, axis_name=name)
        return value

    return map_parts(part, x)


def psum(x, axis_name):
    """The sum over all examples, which all of them get; truths are counted.

    x          a number, an array, or a container of them
    axis_name  the name of the axis, or several in a tuple
    """

    return reduced(op.psum, x, axis_name)


def pmean(x, axis_name):
    """The mean over all examples, which all of them get: `psum(x, axis_name) / axis_size(axis_name)`."""
    return map_parts(lambda value: psum(value, axis_name) / axis_size(axis_name), x)


def pmax(x, axis_name):
    """The largest value among all examples, element by element; examples that tie share a derivative evenly."""

    return reduced(op.pmax, x, axis_name)


def pmin(x, axis_name):
    """The smallest value among all examples, element by element; examples that tie share a derivative evenly."""

    return reduced(op.pmin, x, axis_name)


def axis_size(axis_name):
    """How many examples there are along the axis, or along all of several."""
    size = 1
    for name in names_of(axis_name):
        size = size * op.axis_size(axis_name=name)
    return size


def axis_index(axis_name):
    """The number of the example along the axis; of several names, counted with the last one running fastest."""
    index = 0
    for name in names_of(axis_name):
        index = index * op.axis_size(axis_name=name) + op.axis_index(axis_name=name)
    return index


def all_gather(x, axis_name, *, axis=0, tiled=False):
    """The values of all examples, which all of them get, along a new axis.

    x      a number, an array, or a container of them
    axis   where the new axis is
    tiled  join along this axis, which is there already, instead
    """

    def part(value):
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


def psum_scatter(x, axis_name, *, scatter_dimension=0, tiled=False):
    """Of the sum over all examples the part with the number of the example.

    x                  an array, or a container of them
    scatter_dimension  the axis of the parts, as long as there are examples; the result does not have it
    tiled              cut the axis in as many blocks as there are examples, and keep it
    """

    def part(value):
        parts = in_parts(value, axis_name, scatter_dimension, tiled, "psum_scatter")
        return op.psum_scatter(parts, axis=static.axis_of(scatter_dimension, len(value.shape)), axis_name=axis_name)

    return map_parts(part, x)


def all_to_all(x, axis_name, split_axis, concat_axis, *, tiled=False):
    """Every example sends part k to example k, and joins the parts that it gets, in the order of who sent them.

    x            an array, or a container of them
    split_axis   the axis of the parts, as long as there are examples; the result does not have it
    concat_axis  where the result has the parts that it got
    tiled        cut the axis in as many blocks as there are examples, keep it, and join along one that is there
    """

    def part(value):
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
        size = op.axis_size(axis_name=axis_name)
        if most >= size:
            raise ValueError(f"ppermute: there are {size} examples, and perm names number {most}")
        return op.ppermute(value, perm=sent, axis_name=axis_name)

    return map_parts(part, x)


def pshuffle(x, axis_name, perm):
    """The value of example `perm[k]` for example k."""
    return ppermute(x, axis_name, [(source, place) for place, source in enumerate(perm)])

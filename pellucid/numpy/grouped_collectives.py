"""Collectives in groups of examples, and along several axes that count as one.

    psum(x, "i", axis_index_groups=[[0, 1], [2, 3]])        the sum over examples 0 and 1, and over 2 and 3
    all_gather(x, ("i", "j"))                               along one new axis, "j" running fastest

Every example gets the values of all, and takes those that are meant for it.
"""

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..compiler.ops.pairs import groups_of, places_in, sources_of
from .manipulation import moveaxis, reshape
from .manipulation import shape as shape_of


def names_of(axis_name):
    return axis_name if static.is_sequence(axis_name) else (axis_name,)


def is_plain(axis_name, groups):
    """Whether one axis is meant, and all of it."""
    return groups is None and not static.is_sequence(axis_name)


def number_along(names):
    """The number of the example, the last axis running fastest."""
    index = 0
    for name in names:
        index = index * op.axis_size(axis_name=name) + op.axis_index(axis_name=name)
    return index


def size_along(names):
    size = 1
    for name in names:
        size = size * op.axis_size(axis_name=name)
    return size


def all_values(value, names):
    """The values of all examples along a first axis."""
    shape = shape_of(value)
    for name in names[::-1]:
        value = op.all_gather(
            value, axis=0, shape=(op.axis_size(axis_name=name), *shape_of(value)), axis_name=name
        )
    return reshape(value, (size_along(names), *shape))


def values_of_group(value, axis_name, groups):
    """The values of the examples of the group along a first axis, and where this one stands in it."""
    names = names_of(axis_name)
    whole, number = all_values(value, names), number_along(names)
    if groups is None:
        return whole, number
    members = groups_of(groups)
    if len(members) != whole.shape[0]:
        raise ValueError(
            f"axis_index_groups has {len(members)} numbers, and there are {whole.shape[0]} examples along the axis"
        )
    return whole[np.array(members)[number]], np.array(places_in(members))[number]


def gathered(value, axis_name, groups, axis, tiled):
    whole, _ = values_of_group(value, axis_name, groups)
    return joined(whole, static.axis_of(axis, len(whole.shape) - (1 if tiled else 0)), tiled)


def joined(parts, place, tiled):
    """The parts along a first axis, brought to another place, or joined along one that is there."""
    moved = moveaxis(parts, 0, place)
    if not tiled:
        return moved
    shape = moved.shape
    return reshape(moved, (*shape[:place], shape[place] * shape[place + 1], *shape[place + 2 :]))


def own_part(value, number, count, axis, tiled, what):
    """The part of an array that is an example's, along an axis as long as there are, or divided by them."""
    shape = value.shape
    if tiled:
        if shape[axis] % count != 0:
            raise ValueError(f"{what}: an axis of length {shape[axis]} is not divided by the {count} examples")
        apart = reshape(value, (*shape[:axis], count, shape[axis] // count, *shape[axis + 1 :]))
        return moveaxis(apart, axis, 0)[number]
    if shape[axis] != count:
        raise ValueError(f"{what}: an axis of length {shape[axis]} has not one element for each of {count} examples")
    return moveaxis(value, axis, 0)[number]


def scattered(value, axis_name, groups, axis, tiled):
    whole, number = values_of_group(value, axis_name, groups)
    total = np.sum(whole, axis=0)
    return own_part(total, number, whole.shape[0], static.axis_of(axis, len(total.shape)), tiled, "psum_scatter")


def exchanged(value, axis_name, groups, split_axis, concat_axis, tiled):
    rank = len(value.shape)
    split, concat = static.axis_of(split_axis, rank), static.axis_of(concat_axis, rank)
    whole, number = values_of_group(value, axis_name, groups)
    count = whole.shape[0]
    parts = own_part(whole, number, count, split + 1, tiled, "all_to_all")
    return joined(parts, concat, tiled)


def permuted(value, axis_name, perm, most):
    """The value of another example along several axes; zeros for those that are sent nothing, as all after `most`."""
    names = names_of(axis_name)
    source = np.array(sources_of(perm, most + 2))[min(number_along(names), most + 1)]
    there = all_values(value, names)[max(source, 0)]
    return np.where(source >= 0, there, np.zeros_like(there))

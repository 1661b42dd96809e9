"""Collectives as the devices of a mesh compute them: each a call for a vector, and what makes arrays of that.

    psum(x, devices, along)    ->    the sum of the x of all devices along an axis of the mesh

`transform/on_device.py` writes them in place of the collectives of one example.
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .manipulation import ravel, total


def flat(x):
    """The elements one after the other."""
    if static.rank(x) == 0:
        return op.full(x, shape=(1,), dtype=static.element(x))
    return ravel(x)


def like(made, x):
    """Elements in the shape of another value."""
    if static.rank(x) == 0:
        return made[0]
    return made if static.rank(x) == 1 else op.reshape(made, shape=x.shape)


def added(x):
    """In the dtype in which sums are taken."""
    word = static.element(x)
    if word == "bool":
        return op.cast(x, dtype="i64")
    return op.cast(x, dtype="f32") if word == "f16" else x


def psum(x, devices, along):
    return like(op.sum_of_devices(devices, flat(added(x)), along=along), x)


def pmax(x, devices, along):
    return like(op.max_of_devices(devices, flat(widened(x)), along=along), x)


def pmin(x, devices, along):
    return like(op.min_of_devices(devices, flat(widened(x)), along=along), x)


psum_shared, pmax_shared, pmin_shared = psum, pmax, pmin


def widened(x):
    """In a dtype that is compared in memory."""
    return op.cast(x, dtype="f32") if static.element(x) == "f16" else x


# --- NCCL sums no integers of 16 bits, and its extremes pass over nan


def psum_by_nccl(x, devices, along):
    return narrowed(psum(counted(x), devices, along), x)


def pmax_by_nccl(x, devices, size, along):
    if static.element(x)[0] not in "fc":
        return narrowed(pmax(counted(x), devices, along), x)
    return like(op.max(of_all(widened(x), devices, size, along), axis=0, keepdims=False), x)


def pmin_by_nccl(x, devices, size, along):
    if static.element(x)[0] not in "fc":
        return narrowed(pmin(counted(x), devices, along), x)
    return like(op.min(of_all(widened(x), devices, size, along), axis=0, keepdims=False), x)


psum_shared_by_nccl, pmax_shared_by_nccl, pmin_shared_by_nccl = psum_by_nccl, pmax_by_nccl, pmin_by_nccl


def psum_scatter_by_nccl(x, devices, along, axis):
    return narrowed(psum_scatter(counted(x), devices, along, axis), x)


def counted(x):
    """Integers of 16 bits as those of 32."""
    return op.cast(x, dtype="i32") if static.element(x) in ("i16", "u16") else x


def narrowed(made, x):
    return op.cast(made, dtype=static.element(x)) if static.element(x) in ("i16", "u16") else made


def of_all(x, devices, size, along):
    """The elements of all devices, a row of each."""
    parts = flat(x)
    made = op.gather_of_devices(devices, parts, shape=(size * parts.shape[0],), along=along)
    return op.reshape(made, shape=(size, parts.shape[0]))


# --- what is moved


def all_gather(x, devices, size, along, axis):
    parts = flat(x)
    made = op.gather_of_devices(devices, parts, shape=(size * parts.shape[0],), along=along)
    if static.rank(x) == 0:
        return made
    return first_to(op.reshape(made, shape=(size, *x.shape)), axis)


def psum_scatter(x, devices, along, axis):
    parts = to_first(added(x), axis)
    rest = parts.shape[1:]
    made = op.scatter_of_devices(devices, ravel(parts), shape=(total(rest),), along=along)
    if static.rank(x) == 1:
        return made[0]
    return made if static.rank(x) == 2 else op.reshape(made, shape=rest)


def all_to_all(x, devices, along, split, concat):
    parts = to_first(x, split)
    made = op.exchange_of_devices(devices, ravel(parts), along=along)
    return first_to(like(made, parts), concat)


def ppermute(x, devices, source, along):
    sources = op.full(source, shape=(1,), dtype="i64")
    return like(op.permute_of_devices(devices, sources, flat(x), along=along), x)


def ppermute_by_nccl(x, devices, source, along, perm):
    sources = op.full(source, shape=(1,), dtype="i64")
    return like(op.permute_by_pairs(devices, sources, flat(x), along=along, pairs=perm), x)


def first_to(x, axis):
    """The first axis moved to another position."""
    return x if axis == 0 else op.transpose(x, axes=static.moved_order(static.rank(x), 0, axis))


def to_first(x, axis):
    return x if axis == 0 else op.transpose(x, axes=static.moved_order(static.rank(x), axis, 0))

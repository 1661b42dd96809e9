"""Calls on all devices at once: that they go this way, what they take and give, and what goes the other way."""

import functools
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid import NamedSharding, P, compile, device_put, devices, grad, lax, make_mesh, pmap, shard_map, tree
from pellucid.launching import Launcher
from pellucid.runtime import native_part
from pellucid.runtime.sharding.sharded import ShardedArray

RNG = np.random.default_rng(7)
MESH = make_mesh((2, 4), ("x", "y"))
FOUR = make_mesh((4,), ("i",))
A = RNG.normal(size=(4, 8))
same = np.testing.assert_array_equal


class Launches:
    """How many runs have started in a block, with which blocks, and how many as a call like one that was seen.

    is_new  let no call be like one that was seen
    """

    def __init__(self, is_new=False):
        self.is_new = is_new

    def __enter__(self):
        self.blocks, self.again = [], 0
        self.plain = Launcher.start, Launcher.again
        start, again = self.plain

        def started(launcher, blocks):
            run = start(launcher, blocks)
            if run is not None:
                self.blocks.append(blocks)
            return run

        def remembered(launcher, args):
            found = None if self.is_new else again(launcher, args)
            self.again += found is not None
            return found

        Launcher.start, Launcher.again = started, remembered
        return self

    def __exit__(self, *_):
        Launcher.start, Launcher.again = self.plain


def launched(function, *args, times=1):
    """What a call gives that goes to all devices at once."""
    with Launches() as seen:
        found = function(*args)
    assert len(seen.blocks) + seen.again == (times if native_part.extension() else 0)
    return found


def launched_again(function, *args):
    """What a call gives that is like one that was seen; the first one of the kind is made here."""
    first = launched(function, *args)
    with Launches() as seen:
        found = function(*args)
    assert seen.again == bool(native_part.extension()), f"native code does not know the call {args}"
    for one, other in zip(tree.leaves(found), tree.leaves(first), strict=True):
        same(one, other)
        assert type(one) is type(other) and np.asarray(one).dtype == np.asarray(other).dtype
        assert not isinstance(one, ShardedArray) or one.sharding == other.sharding
    return found


def needs_native(test):
    """Without the native part calls run as what they mean, and there are no parts."""
    return test if native_part.extension() else lambda: None


def whole(function, *args):
    """What it means: the program of all devices on all threads."""
    return compile(lambda *args: function(*args))(*args)


def product(a, b):
    return lax.psum(a * 2.0, "y") - b, a + lax.axis_index("x")


PRODUCT = shard_map(product, mesh=MESH, in_specs=(P("x", "y"), P("x")), out_specs=(P("x"), P("x", "y")))


def test_the_value_is_that_of_the_meaning():
    b = RNG.normal(size=(4, 2))
    for first in (A, np.asfortranarray(A), A[::-1], pellucid.Array(A), A.astype(np.float32)):
        found, want = launched(PRODUCT, first, b), whole(PRODUCT, first, b)
        for part, other in zip(found, want, strict=True):
            same(part, other)
            assert part.dtype == other.dtype and isinstance(part, ShardedArray)
        assert found[0].sharding == NamedSharding(MESH, P("x")) and found[1].sharding.spec == P("x", "y")


def test_all_ways_to_cut():
    for spec in (P("x"), P("y"), P(None, "x"), P("y", "x"), P(("x", "y")), P(None, ("y", "x")), P()):
        check_cut(spec, RNG.normal(size=(8, 8, 2)))


def check_cut(spec, a):
    f = shard_map(lambda a: a * 3.0, mesh=MESH, in_specs=spec, out_specs=spec)
    found = launched(f, a)
    assert found.shape == (8, 8, 2) and found.dtype == np.float64 and (found.ndim, found.size) == (3, 128)
    for shard in found.addressable_shards:
        same(shard.data, a[shard.index] * 3.0)
    same(found, a * 3.0)
    for shard in found.addressable_shards:
        same(shard.data, a[shard.index] * 3.0)
        assert shard.data.device == shard.device
    same(launched(f, launched(f, launched(f, a))), a * 3.0 * 3.0 * 3.0)


@needs_native
def test_the_parts_are_the_arguments_of_the_next_call():
    f = shard_map(lambda a: a + 1.0, mesh=FOUR, in_specs=P("i"), out_specs=P("i"))
    found = launched(f, np.zeros(8))
    blocks = found.parts.blocks
    with Launches(is_new=True) as seen:
        again = f(found)
    assert all(given[0] is block for given, block in zip(seen.blocks[0], blocks, strict=True))
    same(again, np.full(8, 2.0))
    same(found, np.ones(8))
    assert all(np.shares_memory(block, found) for block in found.parts.blocks)
    same(launched(f, found), np.full(8, 2.0))
    put = device_put(np.zeros(8), NamedSharding(FOUR, P("i")))
    with Launches(is_new=True) as seen:
        f(put)
    assert all(np.shares_memory(given[0], put) for given in seen.blocks[0])


@needs_native
def test_an_array_is_copied_once():
    f = shard_map(lambda w, a: a * w, mesh=FOUR, in_specs=(P(), P("i")), out_specs=P("i"))
    w, a = np.full(2, 3.0), np.ones((4, 2))
    with Launches(is_new=True) as seen:
        found = f(w, a)
    w[:], a[:] = 0.0, 0.0  # the call has its own
    same(found, np.full((4, 2), 3.0))
    assert all(np.shares_memory(given[0], seen.blocks[0][0][0]) for given in seen.blocks[0])


def test_numbers_containers_and_results_that_are_common():
    class Pair(NamedTuple):
        a: object
        b: object

    def f(pair, n, table):
        return {"sum": lax.psum(np.sum(pair.a), "i"), "pair": Pair(pair.a * n, table["k"][0] + 1.0), "none": None}

    mapped = shard_map(f, mesh=FOUR, in_specs=(Pair(P("i"), P()), P(), P()),
                       out_specs={"sum": P(), "pair": Pair(P("i"), P()), "none": P()})  # fmt: skip
    args = Pair(np.arange(8.0), 2), 3, {"k": [np.ones(2)]}
    found = launched(mapped, *args)
    assert float(found["sum"]) == 28.0 and f"{found['sum']:.1f}" == "28.0" and found["none"] is None
    assert isinstance(found["pair"], Pair)
    same(found["pair"].a, 3.0 * np.arange(8.0))
    same(found["pair"].b, np.full(2, 2.0))
    again = launched(shard_map(lambda s, a: a * s, mesh=FOUR, in_specs=(P(), P("i")), out_specs=P("i")),
                     found["sum"], found["pair"].a)  # fmt: skip
    same(again, 84.0 * np.arange(8.0))
    assert compile(lambda s: s + 1.0)(found["sum"]) == 29.0 and found["sum"] + 1.0 == 29.0


def test_what_the_first_device_gives_counts():
    f = shard_map(lambda a: (a, lax.psum(a, "x")), mesh=MESH, in_specs=P(("x", "y")), out_specs=(P("y"), P()),
                  check_vma=False)  # fmt: skip
    a = np.arange(16.0)
    found, want = launched(f, a), whole(f, a)
    same(found[0], want[0])
    same(found[1], want[1])
    same(found[0], a[:8])
    assert [shard.data.device for shard in found[0].addressable_shards] == devices()
    twice = shard_map(lambda a: 2.0 * a, mesh=MESH, in_specs=P("y"), out_specs=P("y"))
    same(launched(twice, found[0]), 2.0 * a[:8])


# --- pmap ------------------------------------------------------------------------------------------------------------


def test_examples_on_devices():
    def f(x, w):
        return x * w - lax.pmean(x, "i"), np.sum(x), lax.axis_index("i"), lax.psum(x[0] > 0.0, "i")

    mapped = pmap(f, axis_name="i", in_axes=(1, None), out_axes=(1, 0, 0, None))
    found, want = launched(mapped, A[:, :4], 2), whole(mapped, A[:, :4], 2)
    for part, other in zip(found, want, strict=True):  # as a whole the sum over examples in rows is taken in lanes
        np.testing.assert_allclose(part, other, rtol=1e-15, atol=1e-15)
        assert np.asarray(part).dtype == np.asarray(other).dtype
    same([shard.data for shard in found[1].addressable_shards], want[1].reshape(4, 1))
    same([shard.data[:, 0] for shard in found[0].addressable_shards], np.asarray(found[0]).T)


@needs_native
def test_rows_stay_on_their_devices():
    step = pmap(lambda x: x * 0.5 + lax.pmean(x, "i"), axis_name="i")
    x = launched(step, A[:4])
    blocks = x.parts.blocks
    with Launches(is_new=True) as seen:
        y = step(x)
    assert all(given[0] is block for given, block in zip(seen.blocks[0], blocks, strict=True))
    want = A[:4]
    for _ in range(2):
        want = want * 0.5 + want.mean(axis=0)
    np.testing.assert_allclose(y, want)
    sums = launched(pmap(lambda x: np.sum(x), axis_name="i"), y)
    np.testing.assert_allclose(launched(pmap(lambda s: s + 1.0), sums), want.sum(axis=1) + 1.0)


def test_static_arguments_gradients_and_other_devices():
    same(launched(pmap(lambda x, n: x**n, static_broadcasted_argnums=1), np.arange(4.0), 3), np.arange(4.0) ** 3)
    slopes = pmap(grad(lambda w, x: np.sum((w * x) ** 2)), in_axes=(None, 0), devices=devices()[4:])
    np.testing.assert_allclose(launched(slopes, 3.0, A[:3]), 6.0 * np.sum(A[:3] ** 2, axis=1))
    assert slopes(3.0, A[:3]).sharding.mesh.devices.tolist() == devices()[4:7]


# --- the program of one device ---------------------------------------------------------------------------------------


def test_the_printed_program_of_one_device():
    for args in [("f64[n, m]", "f64[n, 2]"), ("f64[4, 8]", "f64[4, 2]"), (A, np.ones((4, 2))),
                 (pellucid.ShapeDtypeStruct((4, 8), np.float64), "f64[4, 2]")]:  # fmt: skip
        text = PRODUCT.source("device", *args)
        assert text.startswith("# This runs on 8 devices at once, cpu:0, cpu:1,") and "Mesh('x': 2, 'y': 4)" in text
        assert "def product(devices, a, b):" in text and "sum_of_devices(devices, " in text and "along=1)" in text
    assert "a: f64[2, 2]   b: f64[2, 2]" in PRODUCT.source("device", "f64[4, 8]", "f64[4, 2]")
    told = PRODUCT.explain("f64[n, m]", "f64[n, 2]")
    assert told.startswith("This runs on 8 devices at once") and "all devices meet: `allreduce_sum`" in told
    mapped = pmap(lambda w, x: x * w - lax.pmean(x, "i"), axis_name="i", in_axes=(None, 1))
    for x in ("f64[3, 2]", np.ones((3, 2)), "f64[n, m]"):
        assert "def lambda_(devices, w, x):" in mapped.source("device", 2.0, x)
    assert "on 2 devices" in mapped.source("device", 2.0, np.ones((3, 2)))
    assert "x: f64[m]" in mapped.source("device", "float", "f64[m, n]")


def test_where_no_program_of_one_device_is_printed():
    partly = shard_map(lambda a: a, mesh=MESH, in_specs=P("x"), out_specs=P("x"), axis_names={"x"})
    with pytest.raises(ValueError, match="no program of one device"):
        partly.source("device", np.ones(4))
    assert "memory" in partly.explain(np.ones(4)) and "This runs" not in partly.explain(np.ones(4))
    with pytest.raises(ValueError, match="in_specs is"):
        PRODUCT.source("device", A)
    differs = shard_map(lambda a: a, mesh=FOUR, in_specs=P("i"), out_specs=P())
    with pytest.raises(pellucid.BatchError, match="may differ along it"):
        differs.source("device", np.ones(4))


# --- errors ----------------------------------------------------------------------------------------------------------


def checked(x):
    y = lax.psum(x, "i")
    if x[0] > 2.0:
        raise ValueError(f"{x[0]} is too large")
    return y, np.sum(lax.psum(y, "i"))


CHECKED = shard_map(checked, mesh=FOUR, in_specs=P("i"), out_specs=(P(), P()))


READS = [
    lambda found: np.asarray(found[0]), lambda found: float(found[1]), lambda found: found[0].block_until_ready(),
    lambda found: found[1].block_until_ready(), lambda found: found[0] + 1.0, lambda found: CHECKED(found[0]),
    lambda found: found[0].addressable_shards, lambda found: grad(lambda a: np.sum(CHECKED(a)[0]))(found[0]),
]  # fmt: skip


def check_error(read):
    bad = np.array([1.0, 0.0, 1.0, 0.0, 3.0, 0.0, 4.0, 0.0])
    with pytest.raises(ValueError, match=r"3\.0 is too large") as told:
        read(launched(CHECKED, bad))
    frames = [entry.name for entry in told.traceback]
    assert "checked" in frames, frames
    with pytest.raises(ValueError, match=r"3\.0 is too large"):
        np.asarray(whole(CHECKED, bad)[0])
    same(CHECKED(np.ones(8))[0], np.full(2, 4.0))


def test_an_error_of_a_device_wherever_the_result_is_read():
    for read in READS:
        check_error(read)


def test_calls_that_end_before_they_return():
    with pellucid.synchronous():
        with pytest.raises(ValueError, match="is too large"):
            CHECKED(np.full(8, 3.0))
        assert CHECKED(np.ones(8))[0].is_ready()


def test_what_goes_the_other_way():
    def own_test(x):
        return lax.psum(x, "i") if lax.axis_index("i") * 0 + x[0] > 0.0 else x

    for f, args in [
        (shard_map(lambda a: a * 2.0, mesh=make_mesh((1,), ("i",)), in_specs=P("i"), out_specs=P("i")), (np.ones(4),)),
        (shard_map(lambda a: a * 2.0, mesh=MESH, in_specs=P("x"), out_specs=P("x"), axis_names={"x"}), (np.ones(4),)),
        (pmap(lambda x: x * 2.0), (np.ones((1, 3)),)),
    ]:
        same(launched(f, *args, times=0), 2.0 * args[0])
    for _ in range(2):
        with pytest.raises(pellucid.BatchError, match="B003"):
            launched(shard_map(own_test, mesh=FOUR, in_specs=P("i"), out_specs=P("i")), np.ones(4), times=0)
    keyword = pmap(lambda x, y=1.0: x + y)
    same(launched(functools.partial(keyword, y=np.ones(3)), np.ones(3), times=0), np.full(3, 2.0))


def test_values_outside_may_change():
    scale = 2.0
    f = shard_map(lambda a: a * scale, mesh=FOUR, in_specs=P("i"), out_specs=P("i"))
    same(launched(f, np.ones(4)), np.full(4, 2.0))
    scale = 5.0
    same(launched(f, np.ones(4)), np.full(4, 5.0))
    same(launched(f, np.ones(4)), np.full(4, 5.0))


def test_many_steps_one_after_the_other():
    step = shard_map(lambda x: x + lax.ppermute(x, "i", [(k, (k + 1) % 4) for k in range(4)]) * 0.5, mesh=FOUR,
                     in_specs=P("i"), out_specs=P("i"))  # fmt: skip
    x, want = np.arange(4.0), np.arange(4.0)
    for _ in range(50):
        x, want = step(x), want + np.roll(want, 1) * 0.5
    same(x, want)

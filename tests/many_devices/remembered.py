"""Calls like one that was seen: native code cuts their arguments, and devices write into one buffer."""

import gc
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid import NamedSharding, P, device_put, devices, lax, make_mesh, pmap, shard_map
from pellucid.runtime import asynchronous, memory

from .launches import Launches, launched, launched_again, needs_native

RNG = np.random.default_rng(11)
MESH = make_mesh((2, 4), ("x", "y"))
FOUR = make_mesh((4,), ("i",))
SPECS = (P("x"), P("y"), P(None, "x"), P("y", "x"), P(("x", "y")), P(None, ("y", "x")), P())
same = np.testing.assert_array_equal
FACTOR = 3.0


def forms(a, sharding):
    """The same elements in all ways in which an argument may have them."""
    return (
        a, np.asfortranarray(a), a[::-1][::-1], np.repeat(a, 2, axis=-1)[..., ::2], pellucid.Array(a),
        pellucid.Array(np.asfortranarray(a)), device_put(a, sharding), device_put(a, devices()[3]),
        pellucid.compile(lambda a: a * 1.0)(a),
    )  # fmt: skip


def test_all_ways_to_cut_all_forms_of_an_argument():
    a = RNG.normal(size=(8, 16, 2))
    for spec in SPECS:
        f = shard_map(lambda a: a * FACTOR, mesh=MESH, in_specs=spec, out_specs=spec)
        for given in forms(a, NamedSharding(MESH, spec)):
            found = launched_again(f, given)
            same(found, a * 3.0)
            same(launched_again(f, found), a * 3.0 * 3.0)
            for shard in found.addressable_shards:
                same(shard.data, a[shard.index] * 3.0)


def test_dtypes_and_examples_along_all_axes():
    a = RNG.normal(size=(4, 3)) + 1j  # whose elements go to no queue
    same(launched_again(pmap(lambda x: x), a), a)
    for dtype in "?bhilqBHILQefdF":
        a = (RNG.normal(size=(4, 4, 4)) * 5.0).astype(dtype)
        for axis in (0, 1, 2, -1):
            f = pmap(lambda x: (x, x[0], x[0, 0]), in_axes=axis, out_axes=(axis, 0, 0))
            found = launched_again(f, a)
            rows = np.moveaxis(a, axis, 0)
            for one, want in zip(found, (a, rows[:, 0], rows[:, 0, 0]), strict=True):
                same(one, want)
                assert one.dtype == a.dtype
        if dtype not in "qQ":  # as numbers these go to no queue
            same(launched_again(pmap(lambda x: x), a[0, 0]), a[0, 0])


@needs_native
def test_the_parts_that_lie_one_after_the_other_are_one_buffer():
    def f(a):
        b = a
        for _ in range(3):
            b = b * 0.5
        return a + 1.0, b, a, np.sum(a, keepdims=True), (a + 1.0)[:, :1]

    for mesh, spec, count in ((FOUR, P("i"), 4), (MESH, P("x"), 2), (MESH, P(("y", "x")), 8), (MESH, P("y"), 4)):
        mapped = shard_map(f, mesh=mesh, in_specs=spec, out_specs=spec)
        for rows in (8, 64):
            a = RNG.normal(size=(rows, 3))
            found = launched_again(mapped, a)
            sums = a.reshape(count, -1).sum(axis=1, keepdims=True)
            for part, want in zip(found[:3], (a + 1.0, a * 0.125, a), strict=True):
                same(part, want)
                assert any(np.shares_memory(part, one) for one in part.parts.blocks)
            np.testing.assert_allclose(found[3], sums)
            same(found[4], (a + 1.0)[:, :1])
    one = launched_again(pmap(lambda x: x * 2.0), np.ones((4, 8)))
    assert all(np.shares_memory(block, one) for block in one.parts.blocks)


@needs_native
def test_a_result_that_is_made_once_is_made_in_its_place():
    a = RNG.normal(size=(4, 1000, 8))
    held = []
    for f in (lambda x: x * 2.0, lambda x: x):
        mapped = pmap(f)
        launched_again(mapped, a)
        before = live()
        found = mapped(a)
        same(found, f(a))
        held.append(live() - before)
        del found
    assert held[0] - held[1] == 4 * 512  # a block without data for each; what is copied into its place has none


def live():
    asynchronous.finish()
    gc.collect()
    return memory.live_bytes()


def test_what_does_not_fit_is_told_as_at_the_first_time():
    f = shard_map(lambda a: a * 2.0, mesh=FOUR, in_specs=P("i", None), out_specs=P("i", None))
    launched_again(f, np.ones((4, 2)))
    for wrong in (np.ones((6, 2)), np.ones(4), 3.0):
        with pytest.raises((ValueError, pellucid.CompileError)) as told:
            f(wrong)
        with pytest.raises(told.type) as first:
            shard_map(lambda a: a * 2.0, mesh=FOUR, in_specs=P("i", None), out_specs=P("i", None))(wrong)
        assert str(told.value).split("\n")[0] == str(first.value).split("\n")[0]
    same(launched_again(f, np.zeros((0, 2))), np.zeros((0, 2)))
    g = pmap(lambda x: x + 1.0)
    for count in (4, 2, 8, 4):
        same(launched_again(g, np.ones((count, 2))), np.full((count, 2), 2.0))
    with pytest.raises(ValueError, match="9 examples, and 8 devices"):
        g(np.ones((9, 2)))


class Pair(NamedTuple):
    a: object
    b: object


def test_containers_numbers_and_static_values():
    def f(params, n, table, x):
        return Pair({"w": params["w"] * n, "b": params["b"] + lax.psum(np.sum(x), "i")}, x * table[0][0])

    specs = (P(), P(), P(), P("i"))
    mapped = shard_map(f, mesh=FOUR, in_specs=specs, out_specs=Pair(P(), P("i")))
    params, x = {"w": np.ones(3), "b": np.zeros(2)}, np.arange(8.0)
    found = launched_again(mapped, params, 2, [(np.float32(3.0), None)], x)
    assert isinstance(found, Pair)
    same(found.a["w"], np.full(3, 2.0))
    same(found.a["b"], np.full(2, 28.0))
    same(found.b, 3.0 * x)
    same(launched_again(mapped, found.a, 2, [(3.0, None)], x).a["b"], np.full(2, 56.0))
    same(launched_again(mapped, {"b": np.zeros(2), "w": np.ones(3)}, 5, [(3.0, None)], x).a["w"], np.full(3, 5.0))
    power = pmap(lambda x, n: x**n, static_broadcasted_argnums=1)
    for n in (2, 3, 2):
        same(launched(power, x[:4], n), x[:4] ** n)


@needs_native
def test_a_long_list_goes_through_python():
    f = shard_map(lambda t, x: x * t[3], mesh=FOUR, in_specs=(P(), P("i")), out_specs=P("i"))
    for _ in range(3):
        same(launched(f, [1.0] * 20, np.arange(8.0)), np.arange(8.0))


def test_an_array_of_numpy_may_change_after_the_call():
    f = shard_map(lambda w, a: np.tanh(a) * w, mesh=FOUR, in_specs=(P(), P("i")), out_specs=P("i"))
    for _ in range(4):
        w, a = np.full(4, 3.0), np.ones((400, 4))
        found = f(w, a)
        w[:], a[:] = 0.0, 0.0
        same(found, np.full((400, 4), np.tanh(1.0) * 3.0))


def test_what_a_function_reads_from_outside_may_change():
    global FACTOR
    f = shard_map(lambda a: a * FACTOR, mesh=FOUR, in_specs=P("i"), out_specs=P("i"))
    try:
        for factor in (3.0, 4.0, 3.0, 5.0):
            FACTOR = factor
            for _ in range(3):
                same(f(np.ones(4)), np.full(4, factor))
    finally:
        FACTOR = 3.0


def test_a_long_chain_and_waiting_calls():
    step = pmap(lambda x: x * 0.5 + lax.pmean(x, "i"), axis_name="i")
    x, want = RNG.normal(size=(4, 5)), None
    found, want = x, x
    for _ in range(300):  # more than a queue has room for
        found, want = step(found), want * 0.5 + want.mean(axis=0)
    np.testing.assert_allclose(found, want, rtol=1e-10)
    with pellucid.synchronous(), Launches() as seen:
        found = step(found)
        assert found.is_ready()
    assert seen.again == 1 or not seen.blocks
    other = shard_map(lambda a: lax.psum(a, "x"), mesh=MESH, in_specs=P("x"), out_specs=P(), check_vma=False)
    same(launched_again(other, np.arange(4.0)), np.array([2.0, 4.0]))
    by_first = shard_map(lambda a: a, mesh=MESH, in_specs=P("x", "y"), out_specs=P("x"), check_vma=False)
    a = RNG.normal(size=(2, 4))
    same(launched_again(by_first, a), a[:, :1])


def item(x, k):
    return x * 1.0, x[k]


@needs_native
def test_an_error_of_one_device_reaches_the_calls_that_need_it():
    take = pmap(item, in_axes=(0, 0))
    after = pmap(lambda x, y: x + y + lax.axis_index("i"), axis_name="i")
    rows, places = np.arange(8.0).reshape(4, 2), np.zeros(4, np.int64)
    for _ in range(3):
        x, y = take(rows, places)
        same(after(x, x), 2.0 * rows + np.arange(4.0)[:, None])
    for _ in range(3):
        x, _ = take(rows, np.array([0, 0, 5, 0]))
        with pytest.raises(IndexError, match="index 5 is out of bounds"):
            np.asarray(after(x, x))
        with pytest.raises(IndexError):
            np.asarray(x)
    same(after(*(take(rows, places)[:1] * 2)), 2.0 * rows + np.arange(4.0)[:, None])


def test_an_error_between_collectives_reaches_the_next_call():
    def f(x, k):
        total = lax.psum(x, "i")
        return lax.psum(total * x[k], "i")

    take, after = pmap(f, axis_name="i"), pmap(lambda x: lax.psum(x, "i"), axis_name="i")
    rows, places = np.ones((4, 2)), np.zeros(4, np.int64)
    for _ in range(3):
        after(take(rows, places)).block_until_ready()
    for bad in ([0, 0, 7, 0], [9, 0, 0, 0]):
        with pytest.raises(IndexError, match=f"index {max(bad)} is out of bounds"):
            after(take(rows, np.array(bad))).block_until_ready()

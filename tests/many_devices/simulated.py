"""What the simulator counts: against machine code's own count, closed forms, and loops that have run."""

import numpy as np
import pytest

import pellucid
from pellucid import P, ShapeDtypeStruct, lax, make_mesh, pmap, shard_map
from pellucid.measured_network import network_of_this_machine
from pellucid.network import Network, bytes_sent, fastest
from pellucid.runtime import native_part
from pellucid.simulation import imagined_mesh, rehearsed, simulate

from .as_written import conjugate_gradients, jacobi, life, page_rank, summa, tempering

NET = Network(latency=2e-6, bandwidth=1e10)
needs_native = (lambda test: test) if native_part.extension() else (lambda test: lambda: None)


def counts(told):
    found = {}
    for one in told.collectives:
        found[one.name, one.axis] = found.get((one.name, one.axis), 0) + one.calls
    return found


def all_kinds(x):
    """Of six elements on each of four devices, and three turns of a loop."""
    total = lax.psum(x, "i")
    for _ in range(3):
        total = total + lax.ppermute(x, "i", [(0, 1), (1, 2), (2, 3), (3, 0)])
    many = lax.all_gather(x, "i", tiled=True)
    part = lax.psum_scatter(many, "i", tiled=True)
    sent = lax.all_to_all(many, "i", 0, 0, tiled=True)
    return total * part, lax.pmax(np.sum(sent), "i")


def test_bytes_and_places():
    f = shard_map(all_kinds, mesh=make_mesh((4,), ("i",)), in_specs=P("i"), out_specs=(P("i"), P()))
    told = simulate(f, np.arange(24.0), network=NET, compute=False)
    found = {one.name: (one.calls, one.own, one.sent) for one in told.collectives}
    assert found == {
        "psum": (1, 48, 2 * 3 / 4 * 48), "ppermute": (3, 48, 3 * 48), "all_gather": (1, 48, 3 * 48),
        "psum_scatter": (1, 192, 3 / 4 * 192), "all_to_all": (1, 192, 3 / 4 * 192), "pmax": (1, 8, 2 * 3 / 4 * 8),
    }  # fmt: skip
    assert told.sent == sum(sent for _, _, sent in found.values()) and told.is_exact and told.devices == 4
    first = all_kinds.__code__.co_firstlineno
    places = {one.name: one.place.line - first for one in told.collectives}
    assert places == {"psum": 2, "ppermute": 4, "all_gather": 5, "psum_scatter": 6, "all_to_all": 7, "pmax": 8}
    assert all(one.place.file == __file__ for one in told.collectives)
    alone = simulate(f, "f64[24]", network=NET, compute=False)
    assert not alone.is_exact and alone.collectives == told.collectives
    text = f.explain("f64[24]", mesh=make_mesh((4,), ("i",)))
    assert "This runs on 4 devices" in text and "ppermute along 'i' 3 times of 48 bytes: sends 144 bytes" in text
    assert f"simulated.py:{first + 4}    total = total + lax.ppermute(x" in text


@needs_native
def test_machine_code_meets_as_often_and_with_as_many_bytes():
    for program in (conjugate_gradients, jacobi, life, page_rank, summa, tempering):
        f, args = program.build(4), program.given()
        told = simulate(f, *args, network=NET, compute=False, together=False)
        made = f._of_device(args, {})
        own = [np.asarray(a) if isinstance(a, pellucid.Array) else a for a in made.arguments]
        seen = rehearsed(made.function, made.mesh.axis_sizes, own)
        assert seen.collectives == sum(one.calls for one in told.collectives) > 0
        assert seen.bytes == sum(one.calls * one.own for one in told.collectives)


def test_loops_count_as_often_as_they_run():
    for program, name in ((page_rank, "psum_scatter"), (jacobi, "pmax"), (conjugate_gradients, "ppermute")):
        f, args = program.build(4), program.given()
        turns = int(f(*args)[-1])
        told = simulate(f, *args, network=NET, compute=False)
        calls = {key: sum(n for (one, _), n in counts(told).items() if one == key) for key in (name,)}
        assert calls[name] == turns * {"psum_scatter": 1, "pmax": 2, "ppermute": 2}[name] and turns > 5


def test_pmap():
    f = pmap(lambda x, w: lax.pmean(x * w, "i"), axis_name="i", in_axes=(0, None))
    told = simulate(f, np.ones((3, 5)), 2.0, network=NET, compute=1e-3)
    assert [(one.name, one.calls, one.own, one.devices) for one in told.collectives] == [("psum", 1, 40, 3)]
    assert told.compute == 1e-3 and told.seconds == pytest.approx(1e-3 + told.communication)


def test_many_devices_that_are_not_there():
    for count in (2, 100, 10_000):
        mesh = imagined_mesh((count,), ("i",))
        f = shard_map(lambda x: x / lax.psum(np.sum(x), "i"), mesh=mesh, in_specs=P("i"), out_specs=P("i"))
        told = simulate(f, ShapeDtypeStruct((count * 10,), np.float32), network=NET)
        (one,) = told.collectives
        assert (one.devices, one.own, one.calls) == (count, 4, 1) and told.compute >= 0.0
        assert one.seconds == pytest.approx(int(np.ceil(np.log2(count))) * (2e-6 + 4 / 1e10))
    with pytest.raises(ValueError, match="the mesh has 10000 devices"):
        f(np.ones(100_000))
    small = shard_map(lambda x: lax.psum(x, "i"), mesh=make_mesh((2,), ("i",)), in_specs=P("i"), out_specs=P())
    wide = simulate(small, "f64[6400]", mesh=imagined_mesh((64,), ("i",)), network=NET)
    assert wide.devices == 64 and wide.collectives[0].own == 800


# --- formulae --------------------------------------------------------------------------------------------------------


def ring_all_reduce(p, length):
    """The messages and the elements that a device sends, in a ring that adds up pieces and passes them on."""
    values = [np.arange(length, dtype=float) + k for k in range(p)]
    pieces = [np.array_split(v, p) for v in values]
    messages, sent = 0, 0
    for step in range(2 * (p - 1)):
        moving = [pieces[k][(k - step) % p].copy() for k in range(p)]
        for k in range(p):
            place = (k - step) % p
            own = pieces[(k + 1) % p]
            own[place] = own[place] + moving[k] if step < p - 1 else moving[k]
        messages, sent = messages + 1, sent + len(moving[0])
    for own in pieces:
        np.testing.assert_allclose(np.concatenate(own), sum(values))
    return messages, sent


def test_the_ring_is_what_its_formula_says():
    for p in (2, 3, 4, 8):
        messages, sent = ring_all_reduce(p, 24 * p)
        assert bytes_sent("sum", p, 8.0 * 24 * p) == 8.0 * sent
        assert messages == 2 * (p - 1)


def test_closed_forms():
    """For what is long the ring or halving and doubling, for what is short as few messages as there can be."""
    assert fastest("sum", 2, 1e9, NET)[0] == pytest.approx(2e-6 + 1e9 / 1e10)
    for p in (4, 64, 1024):
        rounds = np.log2(p)
        assert fastest("sum", p, 1e9, NET)[0] == pytest.approx(2 * rounds * 2e-6 + 2 * (p - 1) / p * 1e9 / 1e10)
        assert fastest("sum", p, 8.0, NET)[0] == pytest.approx(rounds * (2e-6 + 8 / 1e10))
        assert fastest("gather", p, 8.0, NET)[0] == pytest.approx(rounds * 2e-6 + (p - 1) * 8 / 1e10)
        assert fastest("permute", p, 8.0, NET)[0] == pytest.approx(2e-6 + 8 / 1e10)
        assert fastest("exchange", p, 1e9, NET)[0] == pytest.approx((p - 1) * 2e-6 + (p - 1) / p * 0.1)
    for kind in ("sum", "max", "min", "gather", "scatter", "exchange", "permute"):
        assert fastest(kind, 1, 1e6, NET)[0] == 0.0 and bytes_sent(kind, 1, 1e6) == 0.0


@needs_native
def test_the_network_of_this_machine():
    found = network_of_this_machine(messages=50, large=1 << 16)
    assert 1e-9 <= found.latency < 1e-2 and 1e6 < found.bandwidth < 1e13


def test_what_has_no_program_of_one_device():
    with pytest.raises(TypeError, match="what `shard_map` or `pmap` gives"):
        simulate(lambda x: x, np.ones(3), network=NET)
    f = shard_map(lambda x: lax.psum(x, "i"), mesh=make_mesh((4,), ("i",)), in_specs=P("i"), out_specs=P())
    with pytest.raises(ValueError, match="no program of one device"):
        simulate(f, np.ones(5), network=NET)
    with pytest.raises(ValueError, match="lengths that are not known"):
        simulate(f, "f64[n]", network=NET)
    with pytest.raises(ValueError, match="`mesh=` is for a `shard_map`"):
        simulate(f, np.ones(8), mesh=imagined_mesh((2,), ("j",)), network=NET)

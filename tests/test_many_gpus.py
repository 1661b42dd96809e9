"""`shard_map` and `pmap` on several GPUs, on a driver and an NCCL that are not there (`fake_libcuda`).

Values are those of the devices of the processor, whose sums are taken in the same order as the fake takes them.
"""

import pathlib

import pytest

import pellucid

from .harness.many_gpus import build_all, run_on_gpus

PROGRAMS = sorted(path.stem for path in (pathlib.Path(__file__).parent / "many_devices/as_written").glob("[a-z]*.py"))
QUICK, SLOW = ("experts", "heat", "summa"), ("conjugate_gradients", "jacobi", "monte_carlo", "tempering")

pytestmark = pytest.mark.skipif(
    pellucid.runtime.native_part.extension() is None, reason="devices of CUDA need the native part"
)


@pytest.fixture(scope="session")
def libraries(tmp_path_factory):
    return build_all(tmp_path_factory.mktemp("libcuda")) or pytest.skip("there is no C compiler")


@pytest.fixture
def runs(libraries, tmp_path):
    return lambda text, **environment: run_on_gpus(text, tmp_path, libraries, **environment)


# --- arrays ----------------------------------------------------------------------------------------------------------


def test_arrays_and_calls_on_each(runs):
    runs("""
assert [str(one) for one in gpus] == ["cuda:0", "cuda:1", "cuda:2", "cuda:3"] == [str(one) for one in devices("cuda")]
assert pellucid.device_put(1.5 * np.ones(2), "gpu:3").device == gpus[3]

@pellucid.compile
def twice(x):
    return 2.0 * x

x = np.arange(6.0)
for device in gpus:
    y = twice(device_put(x, device))
    assert y.device == device and device.memory_stats()["bytes_in_use"] > 0
    np.testing.assert_array_equal(np.asarray(y), 2.0 * x)
with pytest.raises(ValueError, match="different devices, cuda:0 and cuda:2"):
    pellucid.compile(lambda a, b: a + b)(device_put(x, gpus[0]), device_put(x, gpus[2]))
""")


def test_copies_between_gpus_do_not_pass_the_host(runs):
    runs("""
twice = pellucid.compile(lambda x: 2.0 * x)
for x in (np.arange(600.0), np.float32(3.0) * np.ones((3, 4)).T, np.ones(0), np.array(2, np.int16)):
    there = twice(device_put(x, gpus[1]))
    before = gpu.calls("cuMemcpyDtoHAsync_v2"), gpu.calls("cuMemcpyHtoDAsync_v2")
    other = there.T.to_device("cuda:3")
    del there  # its memory may go to others before the copy has been made
    junk = twice(device_put(7.0 + x, gpus[1])) if x.size > 100 else None
    if junk is None:
        assert before == (gpu.calls("cuMemcpyDtoHAsync_v2"), gpu.calls("cuMemcpyHtoDAsync_v2"))
    assert other.device == gpus[3]
    np.testing.assert_array_equal(np.asarray(other), (2.0 * x).T)
    assert np.asarray(other).dtype == (2.0 * x).dtype
assert gpu.calls("cuMemcpyPeerAsync") == 3
""")


def test_arrays_cut_among_gpus(runs):
    runs("""
x = np.arange(24.0).reshape(8, 3)
y = device_put(x, NamedSharding(mesh, P("i")))
assert [shard.data.device for shard in y.addressable_shards] == gpus
for k, shard in enumerate(y.addressable_shards):
    np.testing.assert_array_equal(np.asarray(shard.data), x[2 * k : 2 * k + 2])
    assert shard.data._there.number == k
np.testing.assert_array_equal(np.asarray(y), x)
assert [shard.data.device for shard in y.addressable_shards] == gpus, "reading it leaves the parts where they are"
same = device_put(x, NamedSharding(mesh, P()))
assert [shard.data.shape for shard in same.addressable_shards] == [x.shape] * 4
with pytest.raises(ValueError, match="divide"):
    device_put(np.ones(6), NamedSharding(mesh, P("i")))
with pytest.raises(ValueError, match="of one kind, not cpu and cuda"):
    make_both = make_mesh((2,), ("i",), devices=[gpus[0], cpus[0]])
    shard_map(lambda x: x, mesh=make_both, in_specs=P(), out_specs=P())
""")


def test_operators_run_on_the_parts(runs):
    runs("""
x = np.random.default_rng(0).normal(size=(8, 4))
y, rows = device_put(x, NamedSharding(mesh, P("i"))), device_put(x[0], NamedSharding(mesh, P("i")))
before = gpu.calls("cuMemcpyDtoHAsync_v2")
made = 1.0 - y * y / 2.0
assert before == gpu.calls("cuMemcpyDtoHAsync_v2") and made.sharding == y.sharding
assert [shard.data.device for shard in made.addressable_shards] == gpus
np.testing.assert_array_equal(np.asarray(made), 1.0 - x * x / 2.0)
with pytest.raises(ValueError):  # one that would go along another axis
    y + rows
np.testing.assert_array_equal(np.asarray(np.sum(y, axis=1)), np.sum(x, axis=1))
with pytest.raises(ValueError, match="twice takes arrays on several GPUs inside a `shard_map`"):
    @pellucid.compile
    def twice(x):
        return 2.0 * x
    twice(y)
np.testing.assert_array_equal(np.asarray(twice(pellucid.device_get(y))), 2.0 * x)
""")


# --- collectives -----------------------------------------------------------------------------------------------------

COLLECTIVES = {
    "psum": ('lambda x: lax.psum(x, "i")', 'P("i")', "P()"),
    "pmax": ('lambda x: lax.pmax(x, "i")', 'P("i")', "P()"),
    "pmin": ('lambda x: lax.pmin(x, "i")', 'P("i")', "P()"),
    "all_gather": ('lambda x: lax.all_gather(x, "i")', 'P("i")', 'P(None, "i")'),
    "all_gather_tiled": ('lambda x: lax.all_gather(x, "i", axis=1, tiled=True)', 'P("i")', 'P("i")'),
    "psum_scatter": ('lambda x: lax.psum_scatter(x, "i", tiled=True)', 'P(None, "i")', 'P("i")'),
    "all_to_all": ('lambda x: lax.all_to_all(x, "i", 1, 0, tiled=True)', 'P("i")', 'P(None, "i")'),
    "ppermute": ('lambda x: lax.ppermute(x, "i", [(k, (k + 1) % 4) for k in range(4)])', 'P("i")', 'P("i")'),
    "ppermute_to_some": ('lambda x: lax.ppermute(x, "i", [(0, 2), (3, 0)])', 'P("i")', 'P("i")'),
    "axis_index": ('lambda x: x * np.asarray(lax.axis_index("i"), x.dtype)', 'P("i")', 'P("i")'),
}
COUNTED = {name: "True" for name in COLLECTIVES} | {  # the dtypes that have it
    "pmax": 'word != "c8"', "pmin": 'word != "c8"', "axis_index": 'word not in ("c8", "bool")',
}  # fmt: skip


@pytest.mark.parametrize("names", [list(COLLECTIVES)[:5], list(COLLECTIVES)[5:]], ids=" ".join)
def test_collectives(runs, names):
    calls = "\n".join(f"    if {COUNTED[name]}: on_devices({', '.join(COLLECTIVES[name])}, x)" for name in names)
    runs(f"""
random = np.random.default_rng(3)
for word in ("f8", "f2", "i8", "u4", "i2", "bool", "c8"):
    x = np.asarray(100.0 * random.normal(size=(8, 4))).astype(word)
    if word == "f8":
        x[1, 1], x[2, 2], x[3, 3] = np.nan, np.inf, -0.0
{calls}
""")


def test_one_axis_of_two_and_groups(runs):
    runs("""
def f(x):
    row, column = lax.psum(x, "r"), lax.psum(x, "c")
    both = lax.pmax(x, ("r", "c"))
    pairs = lax.ppermute(x, "c", [(0, 1), (1, 0)])
    return row, column, both, pairs, lax.all_gather(x, "r", tiled=True)

x = np.random.default_rng(0).normal(size=(6, 10))
both = P("r", "c")
on_devices(f, both, (P(None, "c"), P("r"), P(), both, both), x, shape=(2, 2), names=("r", "c"))
assert {tuple(sorted(numbers)) for clique, _ in nccl.places.values() for numbers in [clique.numbers]} == {
    (0, 2), (1, 3), (0, 1), (2, 3)}

def g(x):
    pairs = [[0, 1], [2, 3]]
    return lax.psum(x, "i", axis_index_groups=[[0, 3], [1, 2]]), lax.all_gather(x, "i", axis_index_groups=pairs)

on_devices(g, P("i"), (P("i"), P(None, "i")), x[:4])
""")


def test_streams_get_the_work_of_all_in_one_order(runs):
    """Many collectives of two axes before anybody waits, in a loop whose length the host does not know."""
    runs("""
def f(x):
    total = x
    while lax.psum(np.sum(np.abs(total)), ("r", "c")) < 1e6:
        total = 1.5 * lax.psum(total, "r") + lax.ppermute(total, "c", [(0, 1), (1, 0)])
        total = lax.pmean(total, "c") + lax.psum(total, "r")
        total = 0.5 * total + lax.psum(total, ("r", "c"))
    return total

x = np.random.default_rng(0).normal(size=(4, 6)) + 1.0
on_devices(f, P("r", "c"), P("r", "c"), x, shape=(2, 2), names=("r", "c"))
for _ in range(3):
    on_devices(lambda x: lax.fori_loop(0, 20, lambda _, y: 0.5 * lax.psum(y, "i"), x), P("i"), P("i"), np.arange(8.0))
""")


def test_steps_stay_on_the_gpus(runs):
    runs("""
def step(w, x, y):
    def error(w):
        return lax.pmean(np.mean((x @ w - y) ** 2), "i")
    return w - 0.1 * grad(error)(w)

x, y = np.random.default_rng(0).normal(size=(16, 3)), np.arange(16.0)
on_devices(step, (P(), P("i"), P("i")), P(), np.zeros(3), x, y)
specs = (P(), P("i"), P("i"))
train = shard_map(step, mesh=mesh, in_specs=specs, out_specs=P())
own = shard_map(step, mesh=make_mesh((4,), ("i",), devices=cpus), in_specs=specs, out_specs=P())
rows = NamedSharding(mesh, P("i"))
there, w, v = device_put((x, y), rows), device_put(np.zeros(3), NamedSharding(mesh, P())), np.zeros(3)
w = train(w, *there)
before = gpu.calls("cuMemcpyDtoHAsync_v2"), gpu.calls("cuMemcpyHtoDAsync_v2")
for _ in range(4):
    w = train(w, *there)
assert before == (gpu.calls("cuMemcpyDtoHAsync_v2"), gpu.calls("cuMemcpyHtoDAsync_v2"))
for _ in range(5):
    v = own(v, x, y)
np.testing.assert_array_equal(np.asarray(w), np.asarray(v))
""")


def test_pmap(runs):
    runs("""
x = np.random.default_rng(0).normal(size=(4, 5))
def f(x, scale, word):
    return scale * x / lax.psum(np.sum(x), "i"), lax.axis_index("i"), lax.pmax(x, "i")

found = []
for there in (gpus, cpus):
    f_ = pmap(f, axis_name="i", in_axes=(0, None, None), static_broadcasted_argnums=2, devices=there)
    found.append(f_(x, 2.0, "word"))
    two = pmap(lambda x: x + lax.psum(x, "i"), "i", in_axes=1, out_axes=1, devices=there)(x[:, :2])
    assert {device.platform for device in two.devices()} == {there[0].platform}
    found[-1] = (*found[-1], two)
for got, want in zip(*found, strict=True):
    assert [shard.data.device for shard in got.addressable_shards] == gpus[: len(got.addressable_shards)]
    np.testing.assert_array_equal(np.asarray(got), np.asarray(want))
    for one, other in zip(got.addressable_shards, want.addressable_shards):
        assert one.index == other.index
        np.testing.assert_array_equal(np.asarray(one.data), np.asarray(other.data))
assert pmap(lambda x: 2.0 * x, backend="gpu")(x).devices() == set(gpus)
with pellucid.default_device("gpu"):
    assert pmap(lambda x: 2.0 * x)(x).devices() == set(gpus) == set(make_mesh((4,), ("i",)).devices.flat)
with pytest.raises(ValueError, match="5 examples, and 4 devices"):
    pmap(lambda x: x, backend="gpu")(np.ones(5))
""")


def test_what_the_first_device_has(runs):
    runs("""
on_devices(lambda x: x + 1.0, P("i"), P(), np.arange(4.0), check_vma=False)
""")


def test_the_example_of_the_documentation(runs):
    text = (pathlib.Path(__file__).parent.parent / "docs/many-devices.md").read_text(encoding="utf-8")
    program, _, rest = text.partition("```python sketch=centred.py\n")[2].partition("```\n\n```\n")
    runs(f"""
import contextlib, io, os, pathlib, runpy, tempfile
os.chdir(tempfile.mkdtemp())
pathlib.Path("centred.py").write_text({program!r})
with contextlib.redirect_stdout(io.StringIO()) as said:
    runpy.run_path("centred.py")
assert said.getvalue().rstrip() == {rest.partition("```")[0].rstrip()!r}, said.getvalue()
""")


# --- programs --------------------------------------------------------------------------------------------------------


def check_program(runs, name, counts):
    runs(f"""
import importlib
program = importlib.import_module("tests.many_devices.as_written.{name}")
args = program.given()
for count in {counts}:
    want = program.build(count)(*args)
    with pellucid.default_device("gpu"):
        function = program.build(count)
    found = function(*args)
    for got, wanted in zip(*map(pellucid.tree.leaves, (found, want)), strict=True):
        np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=1e-12, atol=1e-12)
        assert np.asarray(got).dtype == np.asarray(wanted).dtype
    assert gpu.launched
    gpu.launched.clear()
""")


@pytest.mark.parametrize("name", QUICK)
def test_programs(runs, name):
    check_program(runs, name, (2, 4))


@pytest.mark.drawn(8)
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in (*QUICK, *SLOW)])
def test_other_programs(runs, name):
    check_program(runs, name, (1, 4))


@pytest.mark.long
@pytest.mark.parametrize("name", SLOW)  # kernels in lockstep take their time
def test_slow_programs(runs, name):
    check_program(runs, name, (2,))

"""Compiled functions of dask's and xarray's arrays: programs as their fields write them, against NumPy on the whole."""

import math
import os
import pickle
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from scipy.special import ndtr

import pellucid
import pellucid.random
from pellucid import compile, grad, value_and_grad, vmap

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")

from pellucid.block_calls import BlockCall  # noqa: E402  dask is needed from here on

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RANDOM = np.random.default_rng(11)
IMAGE = RANDOM.random((12, 10))
COLUMN = 80.0 + 40.0 * RANDOM.random(23)
LAZY = da.from_array(IMAGE, chunks=(5, 4))


def agrees(lazy, wanted, scheduler="threads"):
    """The result is lazy, says of itself what NumPy gives, and computes it."""
    assert isinstance(lazy, da.Array)
    assert (lazy.shape, lazy.dtype) == (wanted.shape, wanted.dtype)
    found = lazy.compute(scheduler=scheduler)
    assert type(found) in (np.ndarray, type(wanted)) and found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


# --- programs ------------------------------------------------------------------------------------------------------


@compile
def ndvi(nir, red):
    total = nir + red
    return np.where(total == 0.0, np.nan, (nir - red) / np.where(total == 0.0, 1.0, total))


def test_index_of_vegetation_of_two_bands():
    nir, red = np.round(IMAGE, 1), np.round(IMAGE[::-1], 1)
    nir[2, 3] = red[2, 3] = 0.0
    found = ndvi(da.from_array(nir, chunks=(5, 4)), da.from_array(red, chunks=(12, 3)))
    wanted = ndvi.__wrapped__(nir, red)
    assert np.isnan(wanted[2, 3])
    agrees(found, wanted)


def anomaly(series, climatology):
    months = np.arange(len(series)) % 12
    return series - climatology[months]


def test_anomaly_from_climatology_by_vmap_over_pixels():
    series, climatology = RANDOM.random((7, 36)), RANDOM.random((7, 12))
    found = vmap(anomaly)(da.from_array(series, chunks=(3, -1)), da.from_array(climatology, chunks=(2, -1)))
    agrees(found, series - np.tile(climatology, 3))
    assert found.chunks[1] == (36,)


def cdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def price(spot, strike, rate, volatility, years):
    d1 = (math.log(spot / strike) + (rate + volatility**2 / 2.0) * years) / (volatility * math.sqrt(years))
    d2 = d1 - volatility * math.sqrt(years)
    return spot * cdf(d1) - strike * math.exp(-rate * years) * cdf(d2)


TERMS = (100.0, 0.03, 0.2, 1.5)


def test_black_scholes_over_a_lazily_loaded_column():
    def load(start, stop):
        return COLUMN[start:stop]

    bounds = [(0, 10), (10, 20), (20, 23)]
    column = da.concatenate([
        da.from_delayed(dask.delayed(load)(*b), shape=(b[1] - b[0],), dtype=float) for b in bounds
    ])  # fmt: skip
    strike, rate, volatility, years = TERMS
    d1 = (np.log(COLUMN / strike) + (rate + volatility**2 / 2.0) * years) / (volatility * np.sqrt(years))
    wanted = COLUMN * ndtr(d1) - strike * np.exp(-rate * years) * ndtr(d1 - volatility * np.sqrt(years))
    axes = (0, None, None, None, None)
    agrees(vmap(price, in_axes=axes)(column, *TERMS), wanted)
    agrees(vmap(grad(price), in_axes=axes)(column, *TERMS), ndtr(d1))  # its delta
    both = vmap(value_and_grad(price), in_axes=axes)(column, *TERMS)
    agrees(both[0], wanted)
    agrees(both[1], ndtr(d1))


def loss(w, x, y):
    return np.sum((x @ w - y) ** 2)


def test_gradient_of_a_loss_by_chunk_summed():
    x, y, w = RANDOM.random((30, 4)), RANDOM.random(30), RANDOM.random(4)
    slope = dask.delayed(grad(loss))
    rows, targets = da.from_array(x, chunks=(8, 4)), da.from_array(y, chunks=8)
    parts = [slope(w, a, b) for a, b in zip(rows.to_delayed()[:, 0], targets.to_delayed())]
    np.testing.assert_allclose(dask.delayed(sum)(parts).compute(), 2.0 * x.T @ (x @ w - y), rtol=1e-12)


@compile
def smooth(image):
    out = image.copy()
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            out[i, j] = (image[i - 1, j] + image[i + 1, j] + image[i, j - 1] + image[i, j + 1]) / 4.0
    return out


def test_image_filter_by_map_overlap():
    found = da.map_overlap(smooth, LAZY, depth=1, boundary="reflect", dtype=float)
    padded = np.pad(IMAGE, 1, mode="symmetric")
    wanted = (padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]) / 4.0
    np.testing.assert_allclose(found.compute(), wanted, rtol=1e-12)


def departure(series):
    return series - series.mean()


def test_apply_ufunc_of_xarray_in_parallel():
    xr = pytest.importorskip("xarray")
    x = xr.DataArray(LAZY.rechunk((5, -1)), dims=("pixel", "time"), coords={"time": np.arange(10)})
    found = xr.apply_ufunc(
        vmap(departure), x, input_core_dims=[["time"]], output_core_dims=[["time"]], dask="parallelized",
        output_dtypes=[float],
    )  # fmt: skip
    assert isinstance(found.data, da.Array)
    np.testing.assert_allclose(found.compute().values, IMAGE - IMAGE.mean(axis=1, keepdims=True), rtol=1e-12)


def resampled(key, sample):
    return sample[pellucid.random.randint(key, (len(sample),), 0, len(sample))].mean()


def test_bootstrap_by_vmap_over_keys():
    keys = np.asarray(pellucid.random.split(pellucid.random.key(3), 20))
    found = vmap(resampled, in_axes=(0, None))(da.from_array(keys, chunks=(6, -1)), COLUMN)
    wanted = [COLUMN[np.asarray(pellucid.random.randint(k, (23,), 0, 23))].mean() for k in keys]
    agrees(found, np.array(wanted))


@compile
def standardised(x, mean, deviation):
    return (x - mean) / deviation


def test_z_score_with_statistics_that_are_lazy_too():
    agrees(standardised(LAZY, LAZY.mean(axis=0), LAZY.std(axis=0)), (IMAGE - IMAGE.mean(0)) / IMAGE.std(0))
    agrees(standardised(LAZY, LAZY.mean(), LAZY.std()), (IMAGE - IMAGE.mean()) / IMAGE.std())


# --- what is elementwise -------------------------------------------------------------------------------------------


def powers(x, count):
    total = np.zeros_like(x) + np.ones(x.shape)
    for k in range(count):
        total = total * x + float(k)
    return total


def masked(x):
    y = np.abs(x) - 0.5
    y[y < 0.0] = 0.0
    return y


def chosen(x, upwards):
    if upwards:
        y = np.ceil(4.0 * x)
    else:
        y = np.floor(4.0 * x)
    return y.astype(np.float32)


def polynomial(x, coefficients):
    y = np.zeros(x.shape)
    for k in range(len(coefficients)):
        y = y * x + coefficients[k]
    return y


@compile(static=("n",))
def half(x, n):
    return x / n


def by_helper(x):
    return np.clip(np.hypot(x, half(x, 2)), 0.1, 0.9) > 0.3


ELEMENTWISE = {
    "a loop": (powers, (3,)),
    "a mask": (masked, ()),
    "a branch that a flag decides": (chosen, (True,)),
    "another branch": (chosen, (False,)),
    "an array that is read whole": (polynomial, (np.array([1.0, -2.0, 0.5]),)),
    "an array in blocks": (lambda x, y: np.maximum(x, y), (IMAGE[::-1].copy(),)),
    "one that is broadcast": (lambda x, y: np.maximum(x, y), (IMAGE[0].copy(),)),
    "one of length 1": (lambda x, y: x + y, (IMAGE[:, :1].copy(),)),
    "helpers": (by_helper, ()),
    "the gradient of a sum": (grad(lambda x: np.sum(np.sin(x) ** 2)), ()),
    "its value in a dict": (lambda x: {"sum": x + 1, "of": (x > 0.5, None, 1j * x)}, ()),
}


def whole(function, *args):
    """The results of all elements at once, in order."""
    found = []
    pellucid.tree.map(found.append, function(*args))
    return [leaf if isinstance(leaf, da.Array) else np.asarray(leaf) for leaf in found]


@pytest.mark.parametrize("case", ELEMENTWISE)
def test_elementwise_functions_are_lazy(case):
    function, rest = ELEMENTWISE[case]
    function = compile(function) if isinstance(function, type(powers)) else function
    lazy, wanted = whole(function, LAZY, *rest), whole(function, IMAGE, *rest)
    assert len(lazy) == len(wanted)
    for one, other in zip(lazy, wanted):
        agrees(one, other)
        assert one.chunks == LAZY.chunks


WEIGHTS = np.array([1.0, 2.0, 3.0])
NOT_ELEMENTWISE = {
    "a sum": (lambda x: x - x.mean(), "`np.sum` is not elementwise"),
    "a product": (lambda x: x @ x.T, "`np.transpose` is not elementwise"),
    "a length": (lambda x: x / len(x), "`np.divide` of the number of elements"),
    "a slice": (lambda x: x[1:] - x[:-1], "an index, a slice, or a view"),
    "another order of axes": (lambda x: x.T, "`np.transpose` is not elementwise"),
    "another rank": (lambda x: x[:, None] + x, "is not elementwise"),
    "one shape less": (lambda x, y: (x + 1, y + 1), "result 2, whose shape is not"),
    "a number": (lambda x: (x, 2.0), "result 2, whose shape is not"),
    "an index": (lambda x: np.cumsum(x, axis=0), "is not elementwise"),
    "a mean's gradient": (grad(lambda x: np.mean(x * x)), "the number of elements is not elementwise"),
    "an array of another shape": (lambda x: x[:, :3] * WEIGHTS, "is not elementwise"),
    "a condition on elements": (lambda x: x if x.max() > 2.0 else -x, "is not elementwise"),
    "a sorted array": (lambda x: np.sort(x), "is not elementwise"),
    "an array from outside": (lambda x: np.ones((1, 10)) * x, "with an array that is no block"),
}


@pytest.mark.parametrize("case", NOT_ELEMENTWISE)
def test_other_functions_are_refused_with_what_works(case):
    function, words = NOT_ELEMENTWISE[case]
    function = compile(function) if isinstance(function, type(powers)) else function
    second = [da.from_array(IMAGE[0], chunks=4)] if "less" in case else []
    with pytest.raises(TypeError, match=re.escape(words)) as caught:
        function(LAZY, *second)
    for way in ("map_blocks", "apply_gufunc", "map_overlap"):
        assert way in str(caught.value)


def test_the_ways_out_work():
    centred = compile(lambda x: x - x.mean())
    by_block = da.map_blocks(centred, LAZY, dtype=float).compute()
    np.testing.assert_allclose(by_block[:5, :4], IMAGE[:5, :4] - IMAGE[:5, :4].mean())
    by_row = da.apply_gufunc(vmap(departure), "(k)->(k)", LAZY.rechunk((5, -1)), output_dtypes=float)
    np.testing.assert_allclose(by_row.compute(), IMAGE - IMAGE.mean(axis=1, keepdims=True))


def test_shapes_that_do_not_fit_are_numpys_error():
    with pytest.raises(ValueError, match="broadcast"):
        ndvi(LAZY, da.from_array(np.ones(3), chunks=3))


def test_blocks_of_another_library_or_dtype_are_refused():
    texts = da.from_array(np.array(["a", "b"]), chunks=1)
    with pytest.raises(TypeError, match="none of the dtypes"):
        ndvi(texts, texts)
    changed = compile(lambda x: x.fill(0.0), mutates=("x",))
    with pytest.raises(TypeError, match="mutates= is for arrays of NumPy"):
        changed(LAZY)


def test_unknown_lengths_stay_unknown():
    some = LAZY[LAZY > 0.5]
    found = standardised(some, 0.5, 2.0)
    assert np.isnan(found.shape[0])
    np.testing.assert_allclose(found.compute(), (some.compute() - 0.5) / 2.0)
    with pytest.raises(TypeError, match=r"compute_chunk_sizes"):
        vmap(lambda x: x * 2.0)(some)


def test_nothing_is_computed_to_make_the_graph():
    def fail(block):
        raise AssertionError("a block was asked for")

    broken = LAZY.map_blocks(fail, dtype=float, meta=np.empty((0, 0)))
    assert ndvi(broken, broken).dtype == float
    assert vmap(departure)(broken.rechunk((5, -1))).shape == (12, 10)


def test_equal_calls_have_equal_names():
    assert ndvi(LAZY, LAZY).name == ndvi(LAZY, LAZY).name != ndvi(LAZY, 2.0 * LAZY).name


# --- mapped axes ---------------------------------------------------------------------------------------------------


def spread(x, y, scale):
    return np.outer(x, y).sum(axis=1) * scale, x.sum() - y.sum()


MAPPED = {
    "the first axes": ((0, 0, None), 0, (12, 5), (12, 3)),
    "other axes": ((1, -1, None), (1, 0), (5, 12), (3, 12)),
    "one that is shared": ((0, None, None), 0, (12, 5), (3,)),
    "the shared one first": ((None, 1, None), (-1, 0), (5,), (3, 12)),
}


@pytest.mark.parametrize("case", MAPPED)
@pytest.mark.parametrize("is_second_lazy", [True, False])
def test_mapped_axes_are_in_blocks(case, is_second_lazy):
    in_axes, out_axes, first, second = MAPPED[case]
    function = vmap(spread, in_axes=in_axes, out_axes=out_axes)
    x, y = RANDOM.random(first), RANDOM.random(second)
    lazy = [da.from_array(a, chunks=tuple(4 if n == 12 else -1 for n in a.shape)) for a in (x, y)]
    found = function(lazy[0], lazy[1] if is_second_lazy else y, 2.0)
    for one, other in zip(found, function(x, y, 2.0)):
        agrees(one, np.asarray(other))
        assert any(len(chunks) == 3 for chunks in one.chunks) or not is_second_lazy


def test_two_mapped_axes_are_both_in_blocks():
    inner = vmap(lambda x, y: np.exp(-np.sum((x - y) ** 2)), in_axes=(None, 0))
    kernel = vmap(inner, in_axes=(0, None))
    x, y = RANDOM.random((9, 2)), RANDOM.random((7, 2))
    found = kernel(da.from_array(x, chunks=(4, -1)), da.from_array(y, chunks=(3, -1)))
    assert found.numblocks == (3, 3)
    agrees(found, np.exp(-((x[:, None] - y) ** 2).sum(axis=2)))


def test_axes_that_examples_need_whole_are_in_one_chunk():
    with pytest.raises(TypeError, match=r"axis 1 of array 1 .* several chunks") as caught:
        vmap(departure)(LAZY)
    assert "x.rechunk({1: -1})" in str(caught.value)
    agrees(vmap(lambda x: x * 2.0)(LAZY), 2.0 * IMAGE)  # it is elementwise, and needs nothing whole


def test_a_collective_needs_its_axis_whole():
    shares = vmap(lambda x: x / pellucid.lax.psum(x, "i"), axis_name="i")
    column = da.from_array(COLUMN, chunks=10)
    with pytest.raises(TypeError, match="rechunk"):
        shares(column)
    agrees(shares(column.rechunk(-1)), COLUMN / COLUMN.sum())


def test_lengths_that_differ_are_refused_as_they_are_of_numpy():
    with pytest.raises(ValueError, match="examples"):
        vmap(lambda x, y: x + y.sum())(da.from_array(COLUMN, chunks=10), da.from_array(COLUMN[:1], chunks=1))


# --- xarray --------------------------------------------------------------------------------------------------------


def bands():
    xr = pytest.importorskip("xarray")
    nir = xr.DataArray(IMAGE, dims=("y", "x"), coords={"x": np.arange(10), "y": np.arange(12)}, name="nir")
    return xr, nir, xr.DataArray(IMAGE[0], dims=("x",), coords={"x": np.arange(10)})


@pytest.mark.parametrize("chunks", [None, {"y": 5}])
def test_data_arrays_are_aligned_by_their_dimensions(chunks):
    xr, nir, red = bands()
    wanted = (nir.T - red) / (nir.T + red)
    found = ndvi(nir.T if chunks is None else nir.T.chunk(chunks), red)
    assert isinstance(found.data, np.ndarray if chunks is None else da.Array)
    xr.testing.assert_allclose(found.compute().transpose(*wanted.dims), wanted)
    assert set(found.coords) == {"x", "y"}
    variable = ndvi(nir.variable, red.variable)
    np.testing.assert_allclose(variable.transpose(*wanted.dims).values, wanted.values)


@pytest.mark.parametrize("chunks", [None, {"y": 5}])
def test_results_that_examples_give_have_the_mapped_dimension(chunks):
    xr, nir, _ = bands()
    found = vmap(lambda row: row.max() - row.min())(nir if chunks is None else nir.chunk(chunks))
    xr.testing.assert_allclose(found.compute(), (nir.max("x") - nir.min("x")), check_dim_order=True)
    assert set(found.coords) == {"y"}


def test_what_xarray_cannot_name_is_refused():
    xr, nir, red = bands()
    for function, given in [
        (compile(departure), (nir,)), (vmap(departure), (nir,)), (vmap(np.add), (nir, red.rename(x="z")[:12])),
    ]:  # fmt: skip
        with pytest.raises((TypeError, ValueError), match="apply_ufunc|examples"):
            function(*given)
    with pytest.raises(TypeError, match=r"dataset\.map"):
        compile(departure)(xr.Dataset({"nir": nir}))
    with pytest.raises(TypeError, match="give it dimensions"):
        ndvi(nir, LAZY)
    with pytest.raises(TypeError, match="give it dimensions"):
        ndvi(nir, IMAGE.copy())


# --- workers -------------------------------------------------------------------------------------------------------

SCRIPT = """
import os
import numpy as np, dask.array as da
import pellucid
from pellucid import compile, grad, vmap

RATE = 3.0


def helper(v):
    return v * RATE


@compile
def scaled(x):
    return helper(x) + 1.0


def main():
    a = np.arange(40.0)
    x = da.from_array(a, chunks=5)
    slope = vmap(grad(lambda s: s**3))
    {run}


if __name__ == "__main__":
    main()
"""
CHECK = """
    np.testing.assert_array_equal({0}, 3.0 * a + 1.0)
    np.testing.assert_allclose({1}, 3.0 * a**2)
    print("agrees")
"""
PROCESSES = CHECK.format('scaled(x).compute(scheduler="processes", num_workers=2)',
                         'slope(x).compute(scheduler="processes", num_workers=2)')  # fmt: skip
CLUSTER = """
    from distributed import Client, LocalCluster
    with LocalCluster(n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None) as c, Client(c):
""" + textwrap.indent(CHECK.format("scaled(x).compute()", "slope(x).compute()"), "    ")  # fmt: skip


def compilations(script, folder, **environment):
    """How often each function was compiled, and how often it came from the store, in all processes together."""
    path = folder / "program.py"
    path.write_text(SCRIPT.replace("    {run}", script))
    (folder / "store").mkdir(exist_ok=True, mode=0o700)
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, timeout=240,
        env=os.environ | {"PYTHONPATH": ROOT, "PELLUCID_LOG": "compile", "PELLUCID_CACHE": "1",
                          "PELLUCID_CACHE_DIR": str(folder / "store")} | environment,
    )  # fmt: skip
    assert done.stdout == "agrees\n", done.stderr
    line = r"pellucid: (?:main.<locals>.)?(\w+|<lambda>_grad_vmap)\(.*\) (compiled in|taken from)"
    found = re.findall(line, done.stderr)
    return {key: found.count(key) for key in set(found)}


@pytest.mark.parametrize("engine", ["dask", "distributed"])
@pytest.mark.long  # processes that import all of dask
def test_functions_of_main_go_to_processes_by_value_and_compile_once_in_each(engine, tmp_path):
    """Eight blocks in two processes: without a store each compiles once, with a store that has the code none does."""
    pytest.importorskip(engine)
    script = {"dask": PROCESSES, "distributed": CLUSTER}[engine]
    names = ("scaled", "<lambda>_grad_vmap")
    without = compilations(script, tmp_path, PELLUCID_CACHE="0")
    assert all(1 <= without[name, "compiled in"] <= 2 for name in names) and len(without) == 2
    filled = compilations("    scaled(a), slope(a)\n" + script, tmp_path)
    assert all(filled[name, "compiled in"] == 1 and 1 <= filled[name, "taken from"] <= 2 for name in names)


def test_blocks_that_reach_one_process_have_one_function():
    found = [pickle.loads(pickle.dumps(BlockCall(grad(loss), (), None, (), ()))).function for _ in range(3)]
    assert all(one is found[0] for one in found)


def test_neither_dask_nor_xarray_is_imported_by_pellucid():
    code = """
        import sys, numpy as np, pellucid
        assert pellucid.compile(lambda x: x + 1.0)(2.0) == 3.0
        try:
            pellucid.compile(lambda x: x + 1.0)({1.0})
        except TypeError:
            pass
        print(sorted({m.partition(".")[0] for m in sys.modules} & {"dask", "xarray", "distributed", "cloudpickle"}))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=240,
        env=os.environ | {"PYTHONPATH": ROOT},
    )  # fmt: skip
    assert done.stdout == "[]\n", done.stderr

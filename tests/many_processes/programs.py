"""Programs over all devices of all processes, four or eight: whose these are makes no difference to what they give."""

from functools import partial

import numpy as np

import pellucid
from pellucid import NamedSharding, P, device_put, grad, lax, make_mesh, pmap, shard_map, value_and_grad

RNG = np.random.default_rng(17)


def line():
    return make_mesh((len(pellucid.devices()),), ("i",))


def grids():
    count = len(pellucid.devices())
    return [make_mesh((2, count // 2), ("x", "y")), make_mesh((count // 2, 2), ("x", "y"))]


def ring(count, step=1):
    return [(k, (k + step) % count) for k in range(count)]


# --- collectives -----------------------------------------------------------------------------------------------------


def program_collectives():
    """Each of them, of few elements and of many, in several dtypes."""
    mesh = line()
    count = mesh.size

    def all_of(a):
        rows = np.reshape(a, (count, -1))
        return (
            lax.psum(a, "i"), lax.pmax(a, "i"), lax.pmin(a, "i"), lax.all_gather(a, "i"),
            lax.psum_scatter(rows, "i"), lax.all_to_all(rows, "i", 0, 0), lax.ppermute(a, "i", ring(count, 3)),
            lax.ppermute(a, "i", [(0, count - 1)]), a * 0 + lax.axis_index("i"),
        )  # fmt: skip

    specs = (P(), P(), P(), P(), *[P("i")] * 5)
    f = shard_map(all_of, mesh=mesh, in_specs=P("i"), out_specs=specs)
    found = []
    for length in (8, 1000, 40_000):
        for dtype in (np.float64, np.float32, np.int64, np.int8):
            values = np.random.default_rng(length).normal(size=count * length) * 50.0
            found.append(f(values.astype(dtype)))
    return found


def program_complex_and_bool():
    mesh = line()
    z = RNG.normal(size=(mesh.size, 3000)) + 1j * RNG.normal(size=(mesh.size, 3000))
    f = shard_map(lambda z: (lax.psum(z, "i"), lax.psum(np.abs(z) > 1.0, "i")), mesh=mesh, in_specs=P("i"),
                  out_specs=P())  # fmt: skip
    return f(z)


def program_columns():
    """Blocks of columns do not lie one after the other."""
    mesh = line()
    a = RNG.normal(size=(900, mesh.size * 4))
    f = shard_map(lambda a: (lax.psum(a, "i"), lax.all_gather(a[:, 1], "i")), mesh=mesh, in_specs=P(None, "i"),
                  out_specs=(P(), P()))  # fmt: skip
    return f(a), f(a[::-1])


def program_axes_of_a_grid():
    """Along one of two axes, along both, and in groups."""
    found = []
    for mesh in grids():
        a = RNG.normal(size=(mesh.size, 2500))

        def f(a):
            along_x, along_y = lax.psum(a, "x"), lax.psum(a, "y")
            both = lax.psum(along_x, "y") + lax.pmax(a, ("x", "y"))
            return along_x, along_y, both, lax.all_gather(a[:, :7], ("x", "y"))

        specs = (P("y"), P("x"), P(), P())
        found.append(shard_map(f, mesh=mesh, in_specs=P(("x", "y")), out_specs=specs)(a))
    count = len(pellucid.devices())
    groups = (tuple(range(0, count, 2)), tuple(range(1, count, 2)))
    grouped = shard_map(lambda a: lax.psum(a, "i", axis_index_groups=groups), mesh=line(), in_specs=P("i"),
                        out_specs=P("i"))  # fmt: skip
    return found, grouped(RNG.normal(size=3 * count))


def program_many_collectives():
    """A long chain of small and large ones, each of which needs the one before."""
    mesh = line()

    def f(a):
        for k in range(200):
            a = 0.5 * a + 0.1 * lax.ppermute(a, "i", ring(mesh.size)) - 0.01 * lax.pmean(a, "i")
        return a

    mapped = shard_map(f, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
    return mapped(RNG.normal(size=4 * mesh.size)), mapped(RNG.normal(size=3000 * mesh.size))


# --- programs --------------------------------------------------------------------------------------------------------


def program_data_parallel_steps():
    """Each device has a part of the examples; the mean of the gradients is the step of all."""
    mesh = line()
    x, w_true = RNG.normal(size=(8 * mesh.size, 5)), RNG.normal(size=(5, 2))
    y = np.tanh(x @ w_true)
    parameters = {"w": 0.1 * RNG.normal(size=(5, 2)), "b": np.zeros(2)}

    def loss(parameters, x, y):
        return np.mean((np.tanh(x @ parameters["w"] + parameters["b"]) - y) ** 2)

    @partial(shard_map, mesh=mesh, in_specs=(P(), P("i"), P("i")), out_specs=(P(), P()))
    def step(parameters, x, y):
        value, slope = value_and_grad(loss)(parameters, x, y)
        return lax.pmean(value, "i"), {k: p - 0.5 * lax.pmean(slope[k], "i") for k, p in parameters.items()}

    x, y = device_put((x, y), NamedSharding(mesh, P("i")))
    losses = []
    for _ in range(10):
        value, parameters = step(parameters, x, y)
        losses.append(float(value))
    assert losses[-1] < losses[0]
    return np.array(losses), parameters


def program_product_of_blocks():
    """SUMMA: rows and columns of blocks are gathered."""
    mesh = grids()[0]
    a, b = RNG.normal(size=(16, 24)), RNG.normal(size=(24, 32))

    def f(a, b):
        rows, columns = lax.all_gather(a, "y", axis=1, tiled=True), lax.all_gather(b, "x", axis=0, tiled=True)
        return rows @ columns

    product = shard_map(f, mesh=mesh, in_specs=(P("x", "y"), P("x", "y")), out_specs=P("x", "y"))(a, b)
    np.testing.assert_allclose(product.addressable_shards[0].data, (a @ b)[product.addressable_shards[0].index])
    return product


def program_halo_stencil():
    mesh = line()
    count = mesh.size

    @partial(shard_map, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
    def step(u):
        left = lax.ppermute(u[-1:], "i", ring(count))
        right = lax.ppermute(u[:1], "i", ring(count, count - 1))
        padded = np.concatenate([left, u, right])
        return u + 0.1 * (padded[2:] - 2.0 * u + padded[:-2])

    u = RNG.normal(size=16 * count)
    for _ in range(20):
        u = step(u)
    return u


def program_conjugate_gradients():
    """Rows of a matrix on each device; the products of vectors are sums over all."""
    mesh = line()
    n = 4 * mesh.size
    root = RNG.normal(size=(n, n))
    matrix, right = root @ root.T + n * np.eye(n), RNG.normal(size=n)

    @partial(shard_map, mesh=mesh, in_specs=(P("i"), P("i")), out_specs=P("i"))
    def solve(rows, b):
        x, r = np.zeros_like(b), b
        p, rho = r, lax.psum(r @ r, "i")
        for _ in range(30):
            q = rows @ lax.all_gather(p, "i", tiled=True)
            alpha = rho / lax.psum(p @ q, "i")
            x, r = x + alpha * p, r - alpha * q
            later = lax.psum(r @ r, "i")
            p, rho = r + later / rho * p, later
        return x

    found = solve(matrix, right)
    shard = found.addressable_shards[-1]
    np.testing.assert_allclose(shard.data, np.linalg.solve(matrix, right)[shard.index], rtol=1e-8, atol=1e-10)
    return found


def program_pmap():
    count = len(pellucid.devices())
    x = RNG.normal(size=(count, 4))
    shares = pmap(lambda x, w: (x * w / lax.psum(np.sum(x * x), "i"), np.sum(x)), axis_name="i", in_axes=(0, None))
    first, sums = shares(x, 2.0)
    again, _ = shares(first, 3.0)
    slopes = pmap(grad(lambda x: np.sum(np.sin(x) ** 2)))(x)
    columns = pmap(lambda x: x + lax.axis_index("i"), axis_name="i", in_axes=1, out_axes=1)(x.T)
    return first, sums, again, slopes, columns


def program_whole_arrays_are_the_same_everywhere():
    """Inside a compiled function, and under `grad` from outside, every process runs the program of all devices."""
    mesh = line()
    f = shard_map(lambda w, x: lax.psum(np.sum(np.tanh(x * w)), "i"), mesh=mesh, in_specs=(P(), P("i")), out_specs=P())
    x = RNG.normal(size=2 * mesh.size)
    return pellucid.compile(lambda w, x: f(w, x) + 1.0)(0.3, x), grad(lambda w, x: f(w, x))(0.3, x)


# --- arrays ----------------------------------------------------------------------------------------------------------


def program_arrays():
    """Of which each process makes its parts."""
    mesh = grids()[1]
    sharding = NamedSharding(mesh, P("x", "y"))
    values = RNG.normal(size=(mesh.size, 6))
    put = device_put(values, sharding)
    called = pellucid.make_array_from_callback(values.shape, sharding, lambda index: values[index])
    rows = NamedSharding(line(), P("i"))
    own = [shard.index[0] for shard in device_put(values, rows).addressable_shards]
    mine = values[min(one.start for one in own) : max(one.stop for one in own)]
    local = pellucid.make_array_from_process_local_data(rows, mine)
    named = pellucid.make_array_from_process_local_data(rows, values, values.shape)
    for array in (put, called, local, named):
        assert array.shape == values.shape and array.dtype == values.dtype
        for shard in array.addressable_shards:
            np.testing.assert_array_equal(shard.data, values[shard.index])
            assert shard.data.device == shard.device and shard.device.process_index == pellucid.process_index()
    double = shard_map(lambda a: 2.0 * a, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y"))
    return put, called, local, named, double(put)

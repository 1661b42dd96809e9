"""Programs of one device of a mesh, with the arguments of all devices: what `tests/test_on_devices.py` runs.

    PROGRAMS["halo"].arguments((4,))    ->    the arguments stacked along the axes of the mesh, and which are shared

A program is a function of one example of nested `vmap(axis_name=)`, which is what a run on all devices has to equal.
"""

import zlib
from dataclasses import dataclass
from math import prod

import numpy as np

from pellucid import grad, lax, value_and_grad


@dataclass(frozen=True)
class Program:
    """A function of one device, the shapes of its arguments for one device, and the meshes that it runs on.

    `is_exact` says that floats are combined in one order alone: devices, turns and `vmap` agree to the last bit.
    """

    function: object
    shapes: tuple
    axes: tuple = ("i",)
    shared: tuple = ()
    meshes: tuple = ((1,), (2,), (8,))
    is_exact: bool = False

    def arguments(self, sizes):
        rng = np.random.default_rng((zlib.crc32(self.function.__name__.encode()), *sizes))
        made = []
        for number, shape in enumerate(self.shapes):
            own = tuple(prod(sizes) if n == "d" else n for n in shape)
            made.append(rng.normal(size=own if number in self.shared else (*sizes, *own)))
        return made


def loss(w, x, y):
    return np.mean((np.tanh(x @ w) - y) ** 2)


def data_parallel_step(w, x, y):
    """Gradients of the parts of a batch, averaged over the devices."""
    value, slope = value_and_grad(loss)(w, x, y)
    return lax.pmean(value, "i"), w - 0.1 * lax.pmean(slope, "i")


def whole_loss(w, x, y):
    return lax.pmean(loss(w, x, y), "i")


def slope_of_whole_loss(w, x, y):
    """Every device has a result of its own, the same, and the derivative is that of their sum."""
    return grad(whole_loss)(w, x, y)


def ring(x, w):
    """Each device sees the blocks of all others, one after the other."""
    count, block, total = lax.axis_size("i"), x, np.zeros(x.shape)
    for _ in range(count):
        total = total + np.sin(block) * w
        block = lax.all_gather(block, "i")[(lax.axis_index("i") + 1) % count]
    return total


def neighbours(x):
    """Blocks sent on around a ring of four."""
    total = np.zeros(x.shape)
    for k in range(4):
        total = total * 0.5 + x
        x = lax.ppermute(x, "i", [(0, 1), (1, 2), (2, 3), (3, 0)])
    return total


def halo(u):
    """Diffusion of a line that is cut in blocks, whose ends are not moved on."""
    index, count = lax.axis_index("i"), lax.axis_size("i")
    for _ in range(5):
        edges = lax.all_gather(np.array([u[0], u[-1]]), "i")
        left = edges[index - 1, 1] if index > 0 else 0.0
        right = edges[(index + 1) % count, 0] if index < count - 1 else 0.0
        before = np.concatenate((np.array([left]), u[:-1]))
        after = np.concatenate((u[1:], np.array([right])))
        u = u + 0.1 * (before - 2.0 * u + after)
    return u


def slope_of_halo(u):
    return grad(lambda u: np.sum(np.sin(halo(u))))(u)


def summa(a, b):
    """Blocks of a product of matrices, on a mesh of rows and columns."""
    rows, columns = lax.all_gather(a, "columns"), lax.all_gather(b, "rows")
    total = np.zeros((a.shape[0], b.shape[1]))
    for k in range(rows.shape[0]):
        total = total + rows[k] @ columns[k]
    return total


def slope_of_summa(a, b):
    return grad(lambda a, b: np.sum(np.sin(summa(a, b))), argnums=(0, 1))(a, b)


def conjugate_gradients(b):
    """Solves (4 I - shift - shift.T) x = b of a ring of all devices' vectors, until the residual is small."""

    def applied(v):
        ends = lax.all_gather(np.array([v[0], v[-1]]), "i")
        index, count = lax.axis_index("i"), lax.axis_size("i")
        first, last = ends[(index + 1) % count, 0], ends[(index + count - 1) % count, 1]
        return 4.0 * v - np.concatenate((v[1:], np.array([first]))) - np.concatenate((np.array([last]), v[:-1]))

    def product(u, v):
        return lax.psum(np.sum(u * v), "i")

    x, r, p = np.zeros(b.shape), b, b
    rest, turns = product(r, r), 0
    while rest > 1e-20 and turns < 100:
        q = applied(p)
        step = rest / product(p, q)
        x, r = x + step * p, r - step * q
        new = product(r, r)
        p, rest, turns = r + new / rest * p, new, turns + 1
    return x, turns


def extremes(x):
    return lax.pmax(x, "i"), lax.pmin(x[0], "i"), lax.psum(x > 0.0, "i"), lax.psum(3, "i"), lax.axis_index("i")


def of_dtypes(x):
    whole = (x * 100.0).astype(np.int8)
    return (
        lax.psum(whole, "i"), lax.pmax(whole.astype(np.uint16), "i"), lax.psum(x.astype(np.float32), "i"),
        lax.psum(x + 1j * x[::-1], "i"), lax.all_gather(x > 0.0, "i"),
        lax.ppermute(x.astype(np.complex64), "i", [(0, 0)]),
        lax.pmax(x.astype(np.float16), "i"), lax.psum(x[::2], "i"), lax.psum(np.outer(x, x).T[1:], "i"),
    )  # fmt: skip


def scattered(x):
    return lax.psum_scatter(x, "i"), lax.psum_scatter(x.T, "i", scatter_dimension=1, tiled=True)


def exchanged(x):
    return lax.all_to_all(x, "i", 0, 1), lax.all_to_all(x, "i", 1, 0, tiled=True), lax.all_gather(x, "i", axis=1)


def large(x):
    return lax.psum(x, "i"), lax.all_gather(x, "i")[0], lax.ppermute(x, "i", [(0, 1), (1, 0)])


def along_both(x):
    return lax.psum(x, ("rows", "columns")), lax.psum(x, "columns"), lax.axis_index(("rows", "columns"))


def under_a_common_test(x, k):
    total = lax.psum(x, "i")
    return total * lax.pmax(x, "i") if k > 0.0 else total


BOTH = {"axes": ("rows", "columns"), "meshes": ((1, 1), (2, 2), (2, 4))}
PROGRAMS = {
    "data-parallel step": Program(data_parallel_step, ((3, 2), (6, 3), (6, 2)), shared=(0,)),
    "slope of the whole loss": Program(slope_of_whole_loss, ((3, 2), (6, 3), (6, 2)), shared=(0,)),
    "ring": Program(ring, ((5,), (5,))),
    "neighbours": Program(neighbours, ((3, 2),), meshes=((4,),), is_exact=True),
    "halo": Program(halo, ((7,),), is_exact=True),
    "slope of the halo": Program(slope_of_halo, ((7,),)),
    "summa": Program(summa, ((3, 4), (4, 2)), axes=("rows", "columns"), meshes=((1, 1), (2, 2))),
    "slope of summa": Program(slope_of_summa, ((3, 4), (4, 2)), axes=("rows", "columns"), meshes=((1, 1), (2, 2))),
    "conjugate gradients": Program(conjugate_gradients, ((6,),)),
    "extremes": Program(extremes, ((4,),), is_exact=True),
    "dtypes": Program(of_dtypes, ((6,),)),
    "scattered": Program(scattered, (("d", "d"),)),
    "exchanged": Program(exchanged, (("d", "d"),), is_exact=True),
    "large": Program(large, ((5000,),), meshes=((2,), (4,))),
    "along both": Program(along_both, ((3,),), **BOTH),
    "under a common test": Program(under_a_common_test, ((3,), ()), shared=(1,)),
}

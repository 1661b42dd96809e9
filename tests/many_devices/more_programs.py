"""Programs of many devices as they are written for JAX: exchanges between all, and loops around them."""

from functools import partial

import numpy as np

from pellucid import P, lax, make_mesh, shard_map

from .agreement import agrees

RNG = np.random.default_rng(6)
MESH = make_mesh((4,), ("i",))
COUNT = 4
RING = [(k, (k + 1) % COUNT) for k in range(COUNT)]


# --- attention -------------------------------------------------------------------------------------------------------


@partial(shard_map, mesh=MESH, in_specs=(P("i"), P("i"), P("i")), out_specs=P("i"))
def ring_attention(q, k, v):
    """Keys and values go round; sums of exponentials are kept with the largest exponent so far."""
    scale = 1.0 / np.sqrt(q.shape[1])
    largest = np.full(q.shape[0], -np.inf)
    total = np.zeros(q.shape[0])
    out = np.zeros(v.shape)
    for _ in range(COUNT):
        scores = scale * (q @ k.T)
        now = np.maximum(largest, np.max(scores, axis=1))
        weights = np.exp(scores - now[:, None])
        kept = np.exp(largest - now)
        total = total * kept + np.sum(weights, axis=1)
        out = out * kept[:, None] + weights @ v
        largest = now
        k = lax.ppermute(k, "i", RING)
        v = lax.ppermute(v, "i", RING)
    return out / total[:, None]


def attention(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[1])
    weights = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return weights / np.sum(weights, axis=1, keepdims=True) @ v


def test_attention_in_a_ring():
    agrees(ring_attention, attention, *(RNG.normal(size=(8, 3)) for _ in range(3)), by=(0, 1, 2))


# --- exchanges between all -------------------------------------------------------------------------------------------


@partial(shard_map, mesh=MESH, in_specs=P("i"), out_specs=P("i"))
def transposed(x):
    """Blocks of rows of a matrix to blocks of rows of its transpose."""
    return lax.all_to_all(x, "i", split_axis=1, concat_axis=0, tiled=True).T


def test_a_transpose():
    agrees(transposed, lambda x: x.T, RNG.normal(size=(8, 12)), by=(0,), inside=True)


@partial(shard_map, mesh=MESH, in_specs=P("i"), out_specs=P("i"))
def spectrum(x):
    rows = np.fft.fft(x, axis=1)
    columns = lax.all_to_all(rows, "i", split_axis=1, concat_axis=0, tiled=True)
    whole = np.fft.fft(columns, axis=0)
    back = lax.all_to_all(whole, "i", split_axis=0, concat_axis=1, tiled=True)
    return np.abs(back) ** 2


def test_a_fourier_transform_in_two_dimensions():
    agrees(spectrum, lambda x: np.abs(np.fft.fft2(x)) ** 2, RNG.normal(size=(4, 8)), by=(0,))


@partial(shard_map, mesh=MESH, in_specs=(P("i"), P("i"), P("i")), out_specs=P("i"))
def experts(x, gate, w):
    """Each device has an expert; a token goes to the one that its gate names, and comes back."""
    chosen = np.argmax(gate, axis=1)
    slots = np.stack([np.where((chosen == e)[:, None], x, 0.0) for e in range(COUNT)])
    arrived = lax.all_to_all(slots, "i", split_axis=0, concat_axis=0)
    done = np.tanh(arrived @ w[0])
    returned = lax.all_to_all(done, "i", split_axis=0, concat_axis=0)
    return np.sum(np.where((chosen == np.arange(COUNT)[:, None])[:, :, None], returned, 0.0), axis=0)


def test_experts():
    def whole(x, gate, w):
        return np.stack([np.tanh(row @ w[int(np.argmax(g))]) for row, g in zip(x, gate)])

    agrees(experts, whole, RNG.normal(size=(12, 3)), RNG.normal(size=(12, 4)), RNG.normal(size=(4, 3, 3)), by=(0, 2))


# --- a pipeline ------------------------------------------------------------------------------------------------------


@partial(shard_map, mesh=MESH, in_specs=(P("i"), P()), out_specs=P())
def pipeline(w, x):
    """Each device has a layer; small batches go through, one device further at each turn."""
    stage = lax.axis_index("i")
    state = np.zeros(x.shape[1:])
    out = np.zeros(x.shape)
    for turn in range(len(x) + COUNT - 1):
        entering = x[min(turn, len(x) - 1)]
        state = np.where(stage == 0, entering, state)
        state = np.tanh(state @ w[0])
        if turn >= COUNT - 1:
            out = out.at[turn - COUNT + 1].set(state)
        state = lax.ppermute(state, "i", RING)
    return lax.psum(np.where(stage == COUNT - 1, out, 0.0), "i")


def test_a_pipeline():
    def whole(w, x):
        for k in range(COUNT):
            x = np.tanh(x @ w[k])
        return x

    agrees(pipeline, whole, RNG.normal(size=(4, 3, 3)), RNG.normal(size=(5, 2, 3)), by=(0, 1))


# --- iterations ------------------------------------------------------------------------------------------------------


@partial(shard_map, mesh=MESH, in_specs=(P("i"), P()), out_specs=P())
def k_means(points, centres):
    for _ in range(6):
        distances = np.sum((points[:, None, :] - centres[None, :, :]) ** 2, axis=2)
        nearest = np.argmin(distances, axis=1)
        belongs = (nearest[:, None] == np.arange(len(centres))).astype(np.float64)
        sums = lax.psum(belongs.T @ points, "i")
        counts = lax.psum(np.sum(belongs, axis=0), "i")
        centres = sums / np.maximum(counts, 1.0)[:, None]
    return centres


def test_k_means():
    def whole(points, centres):
        for _ in range(6):
            nearest = np.argmin(np.sum((points[:, None] - centres) ** 2, axis=2), axis=1)
            centres = np.stack([points[nearest == k].sum(axis=0) / max(np.sum(nearest == k), 1) for k in range(3)])
        return centres

    points = np.concatenate([RNG.normal(size=(8, 2)) + centre for centre in ([0, 0], [4, 4], [0, 6])])
    agrees(k_means, whole, RNG.permutation(points), points[np.array([0, 8, 16])])


@partial(shard_map, mesh=MESH, in_specs=P(None, "i"), out_specs=(P("i"), P()))
def page_rank(links):
    """Each device has the pages that some pages link to, and their ranks."""
    n = links.shape[0]
    rank = np.full(links.shape[1], 1.0 / n)
    change = np.inf
    turns = 0
    out = np.sum(links, axis=0)
    share = links / np.maximum(out, 1.0)
    while change > 1e-10 and turns < 200:
        moved = lax.psum_scatter(share @ rank, "i", scatter_dimension=0, tiled=True)
        lost = lax.psum(np.sum(np.where(out == 0.0, rank, 0.0)), "i")
        new = 0.15 / n + 0.85 * (moved + lost / n)
        change = lax.psum(np.sum(np.abs(new - rank)), "i")
        rank = new
        turns = turns + 1
    return rank, turns


def test_page_rank():
    def whole(links):
        n = len(links)
        out = links.sum(axis=0)
        share = np.where(out > 0, links / np.maximum(out, 1.0), 1.0 / n)
        rank, change, turns = np.full(n, 1.0 / n), np.inf, 0
        while change > 1e-10 and turns < 200:
            new = 0.15 / n + 0.85 * (share @ rank)
            rank, change, turns = new, np.abs(new - rank).sum(), turns + 1
        return rank, turns

    links = (RNG.random((12, 12)) < 0.3).astype(float)
    links[:, 3] = 0.0
    agrees(page_rank, whole, links, rtol=1e-8, inside=True)


@partial(shard_map, mesh=MESH, in_specs=(P("i"), P("i")), out_specs=(P("i"), P()))
def ensemble(state, rate):
    """Each device follows some of the oscillators by the method of Runge and Kutta; the mean is that of all."""

    def slope(y):
        return np.stack([y[:, 1], rate * (1.0 - y[:, 0] ** 2) * y[:, 1] - y[:, 0]], axis=1)

    h = 0.05
    for _ in range(20):
        a = slope(state)
        b = slope(state + 0.5 * h * a)
        c = slope(state + 0.5 * h * b)
        d = slope(state + h * c)
        state = state + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
    return state, lax.pmean(np.mean(state[:, 0]), "i")


def test_an_ensemble_of_oscillators():
    def whole(state, rate):
        def slope(y):
            return np.stack([y[:, 1], rate * (1.0 - y[:, 0] ** 2) * y[:, 1] - y[:, 0]], axis=1)

        for _ in range(20):
            a = slope(state)
            b = slope(state + 0.025 * a)
            c = slope(state + 0.025 * b)
            d = slope(state + 0.05 * c)
            state = state + 0.05 / 6.0 * (a + 2.0 * b + 2.0 * c + d)
        return state, np.mean(state[:, 0])

    agrees(ensemble, whole, RNG.normal(size=(8, 2)), RNG.uniform(0.5, 1.5, size=8), by=(0, 1))


@partial(shard_map, mesh=MESH, in_specs=(P("i"), P()), out_specs=(P("i"), P()))
def conjugate_gradients(b, shift):
    """A difference equation, each device with a piece of the line: products need neighbours, dot products all."""

    def apply(x):
        left = lax.ppermute(x[-1:], "i", [(k, k + 1) for k in range(COUNT - 1)])
        right = lax.ppermute(x[:1], "i", [(k + 1, k) for k in range(COUNT - 1)])
        padded = np.concatenate([left, x, right])
        return (2.0 + shift) * x - padded[:-2] - padded[2:]

    def dot(x, y):
        return lax.psum(np.sum(x * y), "i")

    x = np.zeros(b.shape)
    r = b
    p = r
    rr = dot(r, r)
    turns = 0
    while rr > 1e-22 and turns < 100:
        ap = apply(p)
        alpha = rr / dot(p, ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = dot(r, r)
        p = r + new / rr * p
        rr = new
        turns = turns + 1
    return x, rr


def test_conjugate_gradients():
    def whole(b, shift):
        n = len(b)
        matrix = (2.0 + shift) * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
        return np.linalg.solve(matrix, b), 0.0

    agrees(conjugate_gradients, whole, RNG.normal(size=16), 0.5, by=(0,), rtol=1e-8)

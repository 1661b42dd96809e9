"""Layers, losses and optimisers: against Flax, Optax and JAX, plain NumPy, differences; gradients as code."""

import dataclasses
import importlib.util
import pathlib

import numpy as np
import pytest

from pellucid import Array, compile, grad, nn, optim, random, tree, value_and_grad

HERE = pathlib.Path(__file__).parent / "neural_networks"
SPEC = importlib.util.spec_from_file_location("problems", HERE / "problems.py")
problems = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(problems)
KNOWN = np.load(HERE / "flax_values.npz")


def conv(cls=nn.Conv, **options):
    return lambda p: cls(p["weight"], p["bias"], **options)


def attention(p):
    return nn.MultiHeadAttention(*[nn.Linear(p["w" + k], p["b" + k]) for k in "qkvo"], heads=problems.HEADS)


@dataclasses.dataclass
class Pooled:
    weight: np.ndarray
    pool: nn.Pool

    def __call__(self, x):
        return self.pool(x @ self.weight)


@dataclasses.dataclass
class Causal:
    inner: nn.MultiHeadAttention

    def __call__(self, x):
        return self.inner(x, causal=True)


@dataclasses.dataclass
class Outputs:
    cell: nn.LSTM | nn.GRU

    def __call__(self, x):
        return self.cell(x)[1]


def pooled(*args):
    return lambda p: Pooled(p["weight"], nn.Pool(*args))


MADE = {
    "linear": lambda p: nn.Linear(**p),
    "mlp": lambda p: nn.MLP([nn.Linear(p[f"w{k}"], p[f"b{k}"]) for k in range(3)]),
    "embedding": lambda p: nn.Embedding(**p),
    "conv_1d": conv(),
    "conv_2d": conv(),
    "conv_strides": conv(strides=(2, 2)),
    "conv_valid": conv(padding="VALID"),
    "conv_dilation": conv(dilation=(2, 1), padding=((1, 2), (0, 1))),
    "conv_groups": conv(groups=2),
    "conv_3d": conv(strides=(1, 2, 1)),
    "conv_transpose_1d": conv(nn.ConvTranspose, strides=(2,)),
    "conv_transpose_2d": conv(nn.ConvTranspose, strides=(2, 3)),
    "conv_transpose_valid": conv(nn.ConvTranspose, strides=2, padding="VALID"),
    "conv_transpose_3d": conv(nn.ConvTranspose, strides=(2, 1, 2)),
    "layer_norm": lambda p: nn.LayerNorm(**p),
    "rms_norm": lambda p: nn.RMSNorm(**p),
    "group_norm": lambda p: nn.GroupNorm(**p, groups=3),
    "batch_norm": lambda p: nn.BatchNorm(**p, momentum=0.9),
    "attention": attention,
    "attention_causal": lambda p: Causal(attention(p)),
    "lstm": lambda p: Outputs(nn.LSTM(**p)),
    "gru": lambda p: Outputs(nn.GRU(**p)),
    "max_pool": pooled(nn.max_pool, (2, 2)),
    "max_pool_same": pooled(nn.max_pool, (3, 2), (2, 1), "SAME"),
    "avg_pool": pooled(nn.avg_pool, (2, 3), (1, 2), "SAME"),
}


def layer_loss(layer, x, stats):
    y, stats = (layer(x), stats) if stats is None else layer(x, stats, train=True)
    return np.mean(np.sin(y) ** 2 + 0.5 * y), stats


def layer_step(layer, x, stats):
    (value, stats), slopes = value_and_grad(layer_loss, has_aux=True)(layer, x, stats)
    return tree.map(lambda p, s: p - problems.RATE * s, layer, slopes), stats, value


def floats(values):
    return [leaf for leaf in tree.leaves(values) if isinstance(leaf, np.ndarray | Array)]


def close(found, expected, rtol=1e-9, atol=1e-10):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=atol)


@pytest.mark.parametrize("name", MADE)
def test_a_layer_learns_as_that_of_flax(name):
    layer, x = MADE[name](problems.parameters(name)), problems.inputs(name)
    stats = nn.BatchStats.create(4, dtype=np.float64) if name == "batch_norm" else None
    step, losses = compile(layer_step), []
    for _ in range(problems.STEPS):
        layer, stats, value = step(layer, x, stats)
        losses.append(value)
    close(losses, KNOWN[f"layer {name} losses"])
    for word, leaf in zip(problems.parameters(name), floats(layer), strict=True):
        close(leaf, KNOWN[f"layer {name} {word}"])
    if stats is not None:
        close(stats.mean, KNOWN["layer batch_norm mean"])
        close(stats.var, KNOWN["layer batch_norm var"])


def regression(p, x, y):
    return np.mean((np.tanh(x @ p["w"]) + p["b"] - y) ** 2)


def composed():
    rate = optim.warmup_cosine_decay_schedule(0.0, 0.2, 5, 20)
    yield (
        "chain",
        optim.chain(
            optim.clip_by_global_norm(0.3), optim.add_decayed_weights(0.01), optim.scale_by_learning_rate(rate)
        ),
    )
    yield "clip", optim.chain(optim.clip(0.1), optim.ema(0.8), optim.scale_by_learning_rate(0.2))
    yield "multi_steps", optim.MultiSteps(optim.adam(0.1), 3)


OPTIMISERS = {name: getattr(optim, f)(*args, **options) for name, (f, args, options) in problems.OPTIMISERS.items()}
OPTIMISERS |= dict(composed())


@pytest.mark.parametrize("name", OPTIMISERS)
def test_an_optimiser_goes_where_that_of_optax_goes(name):
    optimizer = OPTIMISERS[name]

    @compile
    def step(p, state, x, y):
        value, slopes = value_and_grad(regression)(p, x, y)
        updates, state = optimizer.update(slopes, state, p)
        return optim.apply_updates(p, updates), state, value

    p, losses = problems.START, []
    state = optimizer.init(p)
    for _ in range(problems.STEPS):
        p, state, value = step(p, state, problems.X, problems.Y)
        losses.append(value)
    close(losses, KNOWN[f"optimiser {name} losses"], 1e-7)  # Optax has numbers of float32 here and there
    for word, value in p.items():
        close(value, KNOWN[f"optimiser {name} {word}"], 1e-7, 1e-8)


@pytest.mark.parametrize("name", problems.SCHEDULES)
def test_a_schedule_has_the_rates_of_optax(name):
    function, args, options = problems.SCHEDULES[name]
    schedule = getattr(optim, function)(*args, **options)
    rates = compile(lambda n: [float(schedule(k)) for k in range(n)])
    for found in (rates(len(problems.COUNTS)), [schedule(k) for k in problems.COUNTS]):
        close(found, KNOWN[f"schedule {name}"], 1e-6, 1e-8)  # Optax's are of float32 here and there


def weighed(x, weights, function, *rest, **options):
    return np.sum(weights * function(x, *rest, **options))


@pytest.mark.parametrize("name", problems.ACTIVATIONS)
def test_an_activation_has_the_values_and_slopes_of_jax(name):
    word, options = problems.ACTIVATIONS[name]
    function, expected = getattr(nn, word), KNOWN[f"activation {name}"]
    compiled = compile(lambda x, **options: function(x, **options))
    for found in (function(problems.POINTS, **options), compiled(problems.POINTS, **options)):
        close(found, expected, 1e-12, 1e-15)
    slopes = grad(weighed)(problems.POINTS, np.cos(np.arange(len(expected))), function, **options)
    close(slopes, KNOWN[f"activation {name} slope"], 1e-10, 1e-14)
    assert function(problems.POINTS.astype(np.float32), **options).dtype == np.float32


@pytest.mark.parametrize("name", problems.LOSSES)
def test_a_loss_has_the_values_and_slopes_of_optax(name):
    word, (first, *rest), options = problems.LOSSES[name]
    function = getattr(nn, word)
    compiled = compile(lambda *args, **options: function(*args, **options))
    for found in (function(first, *rest, **options), compiled(first, *rest, **options)):
        close(found, KNOWN[f"loss {name}"], 1e-12, 1e-14)
    close(grad(weighed)(first, 1.0, function, *rest, **options), KNOWN[f"loss {name} slope"], 1e-10, 1e-13)


@pytest.mark.parametrize("name", problems.INITIALIZERS)
def test_an_initialiser_has_the_numbers_of_jax(name):
    word, args, shape = problems.INITIALIZERS[name]
    close(getattr(nn.initializers, word)(*args)(random.key(3), shape, np.float64), KNOWN[f"initializer {name}"], 1e-6)

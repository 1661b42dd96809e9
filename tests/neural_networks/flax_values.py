"""What Flax, Optax and JAX give for `problems.py`, kept in `flax_values.npz`: run by hand with a Python that has them.

    python -m venv /tmp/flax && /tmp/flax/bin/pip install jax==0.10.2 flax==0.12.8 optax==0.2.8
    /tmp/flax/bin/python tests/neural_networks/flax_values.py           in float64

Of each layer the loss before each step and the parameters after the last are kept, of each optimiser the same, of each
function values and slopes.
"""

import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import problems  # noqa: E402

jax.config.update("jax_enable_x64", True)
F64 = {"dtype": jnp.float64, "param_dtype": jnp.float64}


def conv(kind=linen.Conv, **options):
    def apply(p, x):
        layer = kind(p["weight"].shape[-1], p["weight"].shape[:-2], **options, **F64)
        return layer.apply({"params": {"kernel": p["weight"], "bias": p["bias"]}}, x)

    return apply


def norm(layer):
    return lambda p, x: layer.apply({"params": dict(p)}, x)


def mlp(p, x):
    for k in range(3):
        x = linen.Dense(p[f"b{k}"].shape[0], **F64).apply({"params": {"kernel": p[f"w{k}"], "bias": p[f"b{k}"]}}, x)
        x = jax.nn.relu(x) if k < 2 else x
    return x


def attention(causal):
    def apply(p, x):
        heads, features = problems.HEADS, x.shape[-1]
        inner = {
            word: {
                "kernel": p["w" + word[0]].reshape(features, heads, -1),
                "bias": p["b" + word[0]].reshape(heads, -1),
            }
            for word in ("query", "key", "value")
        }
        out = {"kernel": p["wo"].reshape(heads, -1, features), "bias": p["bo"]}
        layer = linen.MultiHeadDotProductAttention(heads, **F64)
        mask = linen.make_causal_mask(x[..., 0]) if causal else None
        return layer.apply({"params": {**inner, "out": out}}, x, mask=mask)

    return apply


def lstm(p, x):
    cell = {}
    for k, gate in enumerate("ifgo"):
        cell["i" + gate] = {"kernel": p["weight_x"][:, k]}
        cell["h" + gate] = {"kernel": p["weight_h"][:, k], "bias": p["bias"][k]}
    layer = linen.RNN(linen.OptimizedLSTMCell(p["bias"].shape[-1], **F64))
    return layer.apply({"params": {"cell": cell}}, x)


def gru(p, x):
    cell = {}
    for k, gate in enumerate("rzn"):
        cell["i" + gate] = {"kernel": p["weight_x"][:, k], "bias": p["bias"][k]}
        cell["h" + gate] = {"kernel": p["weight_h"][:, k]}
    cell["hn"]["bias"] = p["bias_n"]
    return linen.RNN(linen.GRUCell(p["bias"].shape[-1], **F64)).apply({"params": {"cell": cell}}, x)


def batch_norm(p, x, stats):
    layer = linen.BatchNorm(use_running_average=False, momentum=0.9, **F64)
    return layer.apply({"params": dict(p), "batch_stats": stats}, x, mutable=["batch_stats"])


LAYERS = {
    "linear": lambda p, x: linen.Dense(4, **F64).apply({"params": {"kernel": p["weight"], "bias": p["bias"]}}, x),
    "mlp": mlp,
    "embedding": lambda p, x: linen.Embed(7, 4, **F64).apply({"params": {"embedding": p["table"]}}, x),
    "conv_1d": conv(),
    "conv_2d": conv(),
    "conv_strides": conv(strides=(2, 2)),
    "conv_valid": conv(padding="VALID"),
    "conv_dilation": conv(kernel_dilation=(2, 1), padding=((1, 2), (0, 1))),
    "conv_groups": conv(feature_group_count=2),
    "conv_3d": conv(strides=(1, 2, 1)),
    "conv_transpose_1d": conv(linen.ConvTranspose, strides=(2,)),
    "conv_transpose_2d": conv(linen.ConvTranspose, strides=(2, 3)),
    "conv_transpose_valid": conv(linen.ConvTranspose, strides=(2, 2), padding="VALID"),
    "conv_transpose_3d": conv(linen.ConvTranspose, strides=(2, 1, 2)),
    "layer_norm": norm(linen.LayerNorm(**F64)),
    "rms_norm": norm(linen.RMSNorm(**F64)),
    "group_norm": norm(linen.GroupNorm(3, **F64)),
    "attention": attention(False),
    "attention_causal": attention(True),
    "lstm": lstm,
    "gru": gru,
    "max_pool": lambda p, x: linen.max_pool(x @ p["weight"], (2, 2), strides=(2, 2)),
    "max_pool_same": lambda p, x: linen.max_pool(x @ p["weight"], (3, 2), strides=(2, 1), padding="SAME"),
    "avg_pool": lambda p, x: linen.avg_pool(x @ p["weight"], (2, 3), strides=(1, 2), padding="SAME"),
}


def train_layer(name, kept):
    p = {word: jnp.asarray(value) for word, value in problems.parameters(name).items()}
    x = problems.inputs(name)
    stats = {"mean": jnp.zeros(4), "var": jnp.ones(4)}

    def loss(p, stats):
        if name == "batch_norm":
            y, made = batch_norm(p, x, stats)
            stats = made["batch_stats"]
        else:
            y = LAYERS[name](p, x)
        return jnp.mean(jnp.sin(y) ** 2 + 0.5 * y), stats

    step = jax.jit(jax.value_and_grad(loss, has_aux=True))
    losses = []
    for _ in range(problems.STEPS):
        (value, stats), slopes = step(p, stats)
        losses.append(value)
        p = {word: p[word] - problems.RATE * slopes[word] for word in p}
    kept[f"layer {name} losses"] = np.array(losses)
    for word in p:
        kept[f"layer {name} {word}"] = np.asarray(p[word])
    if name == "batch_norm":
        kept[f"layer {name} mean"], kept[f"layer {name} var"] = np.asarray(stats["mean"]), np.asarray(stats["var"])


def train(optimiser, kept, name):
    p = {word: jnp.asarray(value) for word, value in problems.START.items()}
    state = optimiser.init(p)

    def loss(p):
        return jnp.mean((jnp.tanh(problems.X @ p["w"]) + p["b"] - problems.Y) ** 2)

    losses = []
    for _ in range(problems.STEPS):
        value, slopes = jax.value_and_grad(loss)(p)
        updates, state = optimiser.update(slopes, state, p)
        p = optax.apply_updates(p, updates)
        losses.append(value)
    kept[f"optimiser {name} losses"] = np.array(losses)
    for word in p:
        kept[f"optimiser {name} {word}"] = np.asarray(p[word])


def composed():
    rate = optax.warmup_cosine_decay_schedule(0.0, 0.2, 5, 20)
    yield (
        "chain",
        optax.chain(
            optax.clip_by_global_norm(0.3), optax.add_decayed_weights(0.01), optax.scale_by_learning_rate(rate)
        ),
    )
    yield "clip", optax.chain(optax.clip(0.1), optax.ema(0.8), optax.scale_by_learning_rate(0.2))
    yield "multi_steps", optax.MultiSteps(optax.adam(0.1), 3)


def main():
    kept = {}
    for name in problems.LAYERS:
        train_layer(name, kept)
    for name, (function, args, options) in problems.OPTIMISERS.items():
        options = {**options, **({"linesearch": None} if function == "lbfgs" else {})}
        train(getattr(optax, function)(*args, **options), kept, name)
    for name, optimiser in composed():
        train(optimiser, kept, name)
    for name, (function, args, options) in problems.SCHEDULES.items():
        schedule = getattr(optax, function)(*args, **options)
        kept[f"schedule {name}"] = np.array([float(schedule(k)) for k in problems.COUNTS])
    for name, (function, options) in problems.ACTIVATIONS.items():
        values, pull = jax.vjp(lambda x: getattr(jax.nn, function)(x, **options), jnp.asarray(problems.POINTS))
        kept[f"activation {name}"] = np.asarray(values)
        kept[f"activation {name} slope"] = np.asarray(pull(jnp.cos(jnp.arange(len(values))))[0])
    for name, (function, args, options) in problems.LOSSES.items():
        given = [jnp.asarray(one) for one in args]
        values, pull = jax.vjp(lambda x: getattr(optax.losses, function)(x, *given[1:], **options), given[0])
        kept[f"loss {name}"] = np.asarray(values)
        kept[f"loss {name} slope"] = np.asarray(pull(jnp.ones_like(values))[0])
    for name, (function, args, shape) in problems.INITIALIZERS.items():
        made = getattr(jax.nn.initializers, function)(*args)
        kept[f"initializer {name}"] = np.asarray(made(jax.random.key(3), shape, jnp.float64))
    np.savez_compressed(HERE / "flax_values.npz", **kept)


if __name__ == "__main__":
    main()

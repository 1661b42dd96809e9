"""Layers as they are read and used: gradients as code, mapped over, saved, made inside, with static fields."""

import dataclasses
import json

import numpy as np
import pytest

from pellucid import Array, compile, grad, jvp, nn, optim, random, tree, value_and_grad, vmap

KEY = random.key(0)
RNG = np.random.default_rng(0)


def x(*shape):
    return RNG.normal(size=shape)


F64 = {"dtype": np.float64}
LAYERS = {
    "linear": (nn.Linear.create(KEY, 3, 4, **F64), x(5, 3)),
    "embedding": (nn.Embedding.create(KEY, 7, 4, **F64), np.array([[1, 2], [2, 0]])),
    "mlp": (nn.MLP.create(KEY, (3, 5, 2), activation=nn.gelu, **F64), x(5, 3)),
    "sequential": (nn.Sequential([nn.Linear.create(KEY, 3, 4, **F64), np.tanh]), x(5, 3)),
    "conv_1d": (nn.Conv.create(KEY, 3, 4, (3,), **F64), x(2, 6, 3)),
    "conv_2d": (nn.Conv.create(KEY, 4, 6, (3, 2), strides=2, groups=2, **F64), x(2, 5, 4, 4)),
    "conv_3d": (nn.Conv.create(KEY, 2, 3, (2, 2, 2), padding=1, **F64), x(1, 3, 3, 2, 2)),
    "conv_transpose": (nn.ConvTranspose.create(KEY, 3, 2, (3, 3), strides=2, **F64), x(2, 3, 2, 3)),
    "layer_norm": (nn.LayerNorm.create(4, **F64), x(5, 4)),
    "rms_norm": (nn.RMSNorm.create(4, **F64), x(5, 4)),
    "group_norm": (nn.GroupNorm.create(4, 2, **F64), x(3, 2, 2, 4)),
    "attention": (nn.MultiHeadAttention.create(KEY, 6, 2, **F64), x(2, 4, 6)),
    "rotary": (nn.RotaryEmbedding(), x(2, 5, 6)),
    "lstm": (nn.LSTM.create(KEY, 3, 4, **F64), x(2, 5, 3)),
    "gru": (nn.GRU.create(KEY, 3, 4, **F64), x(2, 5, 3)),
    "max_pool": (nn.Pool(nn.max_pool, (2, 2)), x(2, 5, 4, 3)),
    "avg_pool": (nn.Pool(nn.avg_pool, (2, 2), (1, 1), "SAME"), x(2, 5, 4, 3)),
    "dropout": (nn.Dropout(0.25), x(6, 4), random.key(3)),
    "batch_norm": (nn.BatchNorm.create(4, **F64), x(5, 4), nn.BatchStats.create(4, **F64), True),
}


def output(layer, *args):
    """The array that a layer gives, apart from its state."""
    y = layer(*args)
    if isinstance(layer, nn.LSTM | nn.GRU):
        return y[1]
    return y[0] if isinstance(layer, nn.BatchNorm) else y


def loss(layer, *args):
    return np.sum(np.sin(output(layer, *args)))


def differentiated(name):
    """Which arguments have slopes: the layer, if it has parameters, and its input, if that is no int."""
    return (1,) if name in ("max_pool", "avg_pool", "rotary", "dropout") else (0,) if name == "embedding" else (0, 1)


def direction(leaf):
    """A direction of the shape of a leaf; functions stay."""
    return np.cos(np.arange(leaf.size)).reshape(leaf.shape)


def lines_of_code(text):
    return [line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]


@pytest.mark.parametrize("name", LAYERS)
def test_back_propagation_is_short_code(name):
    layer, *args = LAYERS[name]
    text = grad(loss, argnums=differentiated(name)).source("reverse", layer, *args)
    forward, backward = text.split("    # backward\n")
    assert len(lines_of_code(backward)) < 60
    # what a generator of random numbers does is written out where it is used
    assert len(lines_of_code(text)) < (60 if name not in ("attention", "lstm", "gru", "dropout") else 90)


@pytest.mark.parametrize("name", LAYERS)
def test_slopes_agree_with_differences_and_plain_python(name):
    layer, *args = LAYERS[name]
    np.testing.assert_allclose(np.asarray(compile(output)(layer, *args)), output(layer, *args), rtol=1e-12, atol=1e-14)
    wanted = differentiated(name)

    def along(t):
        moved = [
            tree.map(lambda p: p + t * direction(p) if hasattr(p, "size") else p, a) if k in wanted else a
            for k, a in enumerate([layer, *args])
        ]
        return float(loss(*moved))

    step = 1e-6
    expected = (along(step) - along(-step)) / (2 * step)
    slopes = grad(loss, argnums=wanted)(layer, *args)
    found = sum(np.sum(np.asarray(s) * direction(s)) for s in tree.leaves(slopes))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_forward_mode_goes_through_layers():
    layer, images = LAYERS["conv_2d"]
    slopes = grad(loss)(layer, images)
    tangent = tree.map(lambda p: np.cos(p), layer)
    along = jvp(loss, (layer, images), (tangent, np.zeros_like(images)))[1]
    expected = sum(np.sum(np.asarray(a) * np.asarray(b)) for a, b in zip(tree.leaves(slopes), tree.leaves(tangent)))
    np.testing.assert_allclose(along, expected, rtol=1e-10)


# --- plain formulas -----------------------------------------------------------------------


def test_attention_is_the_formula_for_each_head():
    layer, inputs = LAYERS["attention"]
    mask = np.tril(np.ones((4, 4), bool))
    expected = np.empty_like(inputs)
    for b in range(2):
        heads = []
        for h in range(2):
            q, k, v = [(inputs[b] @ one.weight + one.bias)[:, 3 * h : 3 * h + 3]
                       for one in (layer.query, layer.key, layer.value)]  # fmt: skip
            scores = np.where(mask, q @ k.T / np.sqrt(3), -np.inf)
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            heads.append(weights / weights.sum(axis=1, keepdims=True) @ v)
        expected[b] = np.concatenate(heads, axis=1) @ layer.out.weight + layer.out.bias
    for found in (layer(inputs, causal=True), layer(inputs, mask=mask)):
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12)


def test_rotary_products_depend_on_distances():
    turn, (q, k) = nn.RotaryEmbedding(), x(2, 1, 8)
    turned = [np.asarray(turn(np.repeat(v, 6, axis=0))) for v in (q, k)]
    products = turned[0] @ turned[1].T
    np.testing.assert_allclose(products[1:, 1:], products[:-1, :-1], rtol=1e-10)
    np.testing.assert_allclose(np.asarray(turn(q, offset=4)), turned[0][4:5], rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(turned[0], axis=1), np.linalg.norm(q), rtol=1e-12)


def test_dropout_scales_what_it_keeps():
    ones = np.ones((200, 50))
    dropped = np.asarray(nn.Dropout(0.25)(ones, KEY))
    np.testing.assert_allclose(np.unique(dropped), [0.0, 4 / 3])
    assert abs(np.mean(dropped) - 1.0) < 0.02
    assert nn.Dropout(0.25)(ones) is ones


def test_a_step_of_a_recurrent_layer_is_one_of_the_sequence():
    for name in ("lstm", "gru"):
        cell, inputs = LAYERS[name]
        state, states = cell.start(inputs[:, 0]), []
        for t in range(inputs.shape[1]):
            state, y = cell.step(state, inputs[:, t])
            states.append(y)
        last, ys = cell(inputs)
        np.testing.assert_allclose(np.asarray(ys), np.stack(states, axis=1), rtol=1e-12)
        for found, expected in zip(tree.leaves(last), tree.leaves(state)):
            np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-12)


# --- models of one's own -----------------------------------------------------------------------


@dataclasses.dataclass
class Model:
    first: nn.Conv
    out: nn.Linear
    act: object = nn.relu

    def __call__(self, images):
        y = nn.avg_pool(self.act(self.first(images)), (2, 2))
        return self.out(y.reshape((y.shape[0], 32)))


def make_model(key, **options):
    first, second = random.split(key)
    return Model(nn.Conv.create(first, 1, 8, (3, 3), **options), nn.Linear.create(second, 32, 3, **options))


def test_a_model_is_mapped_over():
    """Shared by examples, and one for each example: an ensemble of models made by a map over keys."""
    images, model = x(4, 5, 4, 4, 1), make_model(KEY, **F64)
    shared = vmap(lambda m, i: m(i), in_axes=(None, 0))(model, images)
    np.testing.assert_allclose(np.asarray(shared), np.stack([model(one) for one in images]), rtol=1e-10)
    models = [make_model(k, **F64) for k in random.split(KEY, 4)]
    stacked = tree.map(lambda *leaves: np.stack(leaves) if hasattr(leaves[0], "shape") else leaves[0], *models)
    each = vmap(lambda m, i: m(i), in_axes=(Model(0, 0, None), 0))(stacked, images)
    np.testing.assert_allclose(np.asarray(each), np.stack([m(one) for m, one in zip(models, images)]), rtol=1e-10)


def test_static_fields_stay_what_they_are():
    """In results, slopes and states of compiled steps, call after call; as trees they are no leaves."""

    def cost(model, images):
        return np.mean(model(images) ** 2)

    optimizer = optim.chain(optim.clip_by_global_norm(1.0), optim.adamw(1e-2))

    @compile
    def step(model, state, images):
        value, slopes = value_and_grad(cost)(model, images)
        updates, state = optimizer.update(slopes, state, model)
        return optim.apply_updates(model, updates), state, value

    model, images = make_model(KEY), x(5, 4, 4, 1).astype(np.float32)
    state, values = optimizer.init(model), []
    for _ in range(8):  # the third call and later ones are made by machine code
        model, state, value = step(model, state, images)
        values.append(float(value))
        assert (model.first.strides, model.first.padding, model.first.groups, model.act) == (1, "SAME", 1, nn.relu)
        assert type(model.first.strides) is int and model.first.weight.dtype == np.float32
    assert values[-1] < 0.8 * values[0]
    assert str(tree.structure(model.first)) == (
        "Conv(weight=*, bias=*, strides=1, padding='SAME', dilation=1, groups=1)"
    )


@nn.layer
class Averaged:
    weight: np.ndarray
    axes: tuple = nn.static(default=(0, 1))

    def __call__(self, images):
        return np.mean(images * self.weight, axis=self.axes)


def test_a_static_tuple_is_known_in_derivatives_taken_inside():
    layer, images = Averaged(np.array([1.0, 2.0])), x(3, 4, 2)
    function = lambda m, i: np.sum(m(i) ** 2)
    inside = compile(lambda m, i: grad(function)(m, i))(layer, images)
    np.testing.assert_allclose(np.asarray(inside.weight), np.asarray(grad(function)(layer, images).weight), rtol=1e-12)
    assert inside.axes == (0, 1)


def test_layers_are_made_inside_too():
    made = compile(lambda key: nn.MLP.create(key, (3, 4, 2), dtype=np.float64))(KEY)
    for found, expected in zip(tree.leaves(made), tree.leaves(nn.MLP.create(KEY, (3, 4, 2), **F64))):
        if isinstance(found, Array):
            np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-12)


@pytest.mark.parametrize("make", [
    lambda: nn.Conv.create(KEY, 3, 4, (3,), groups=2),
    lambda: nn.GroupNorm.create(5, 2),
    lambda: nn.MultiHeadAttention.create(KEY, 5, 2),
    lambda: nn.Conv.create(KEY, 3, 4, (3,), padding="HALF")(x(2, 5, 3)),
    lambda: nn.initializers.lecun_normal()(KEY, (3,)),
    lambda: nn.initializers.variance_scaling(1.0, "fan", "normal")(KEY, (3, 3)),
])  # fmt: skip
def test_what_does_not_fit_is_a_value_error(make):
    with pytest.raises(ValueError):
        make()


# --- files -----------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["npz", "safetensors"])
def test_a_model_is_saved_and_loaded(suffix, tmp_path):
    model, path = make_model(KEY), tmp_path / f"model.{suffix}"
    state = optim.adam(1e-3).init(model)
    nn.save(path, {"model": model, "state": state})
    other = {"model": make_model(random.key(1)), "state": optim.adam(1e-3).init(model)}
    found = nn.load(path, other)["model"]
    np.testing.assert_array_equal(found.first.weight, np.asarray(model.first.weight))
    assert found.act is nn.relu and found.first.strides == 1
    assert sorted(nn.load(path))[:2] == ["model.first.bias", "model.first.weight"]
    with pytest.raises(ValueError, match="differ in"):
        nn.load(path, {"model": model})
    wider = dataclasses.replace(model, out=nn.Linear.create(KEY, 32, 4))
    with pytest.raises(ValueError, match="shape"):
        nn.load(path, {"model": wider, "state": state})


def test_safetensors_are_as_the_format_says(tmp_path):
    path = tmp_path / "one.safetensors"
    nn.save(path, {"w": np.arange(6, dtype=np.int16).reshape(2, 3)})
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    assert header == {"w": {"dtype": "I16", "shape": [2, 3], "data_offsets": [0, 12]}}
    assert content[8 + length :] == np.arange(6, dtype="<i2").tobytes() and length % 8 == 0
    path.write_bytes(content[:-1])
    with pytest.raises(ValueError, match="not whole"):
        nn.load(path)


def test_lbfgs_with_a_line_search_finds_the_minimum():
    def rosenbrock(p):
        return np.sum(100.0 * (p[1:] - p[:-1] ** 2) ** 2 + (1.0 - p[:-1]) ** 2)

    optimizer = optim.lbfgs()

    @compile
    def step(p, state):
        value, slope = value_and_grad(rosenbrock)(p)
        updates, state = optimizer.update(slope, state, p, value=value, value_fn=rosenbrock)
        return optim.apply_updates(p, updates), state

    p = np.array([-1.2, 1.0, 0.5, -0.3])
    state = optimizer.init(p)
    for _ in range(70):
        p, state = step(p, state)
    np.testing.assert_allclose(np.asarray(p), 1.0, atol=1e-6)


def test_stars_in_an_index_are_its_items():
    a, places = x(2, 3, 4), (np.array([0, 1]), np.array([1, 2]))

    def read(a, p, q):
        b = a.copy()
        b[0, *[1, slice(0, 2)]] = 5.0
        b[(slice(None), *(2,))] += 1.0
        return a[:, *[p, q]], a[*(1, 2)], a[(0, ..., *[1])], b, np.s_[1, *(2, 3)]

    for found, expected in zip(compile(read)(a, *places), read(a, *places)):
        np.testing.assert_array_equal(np.asarray(found), expected)
    changed = compile(lambda a: a.at[0, *[1, 2]].set(9.0))(a)
    assert changed[0, 1, 2] == 9.0

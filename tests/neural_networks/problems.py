"""Small problems that layers and optimisers are trained on, here and in `flax_values.py` by Flax and Optax.

Arrays are cosines, so that both sides have them without a generator of random numbers.
"""

import numpy as np

STEPS = 20


def array(seed, *shape, scale=0.5):
    """Numbers between -scale and scale."""
    return scale * np.cos(1.7 * seed + 2.3 * np.arange(np.prod(shape, dtype=int))).reshape(shape)


# Each layer: the shapes of its parameters and the shape of its input.
LAYERS = {
    "linear": ({"weight": (3, 4), "bias": (4,)}, (5, 3)),
    "mlp": ({"w0": (3, 6), "b0": (6,), "w1": (6, 6), "b1": (6,), "w2": (6, 2), "b2": (2,)}, (5, 3)),
    "embedding": ({"table": (7, 4)}, None),
    "conv_1d": ({"weight": (3, 3, 4), "bias": (4,)}, (2, 9, 3)),
    "conv_2d": ({"weight": (3, 2, 3, 4), "bias": (4,)}, (2, 6, 7, 3)),
    "conv_strides": ({"weight": (3, 3, 3, 4), "bias": (4,)}, (2, 7, 6, 3)),
    "conv_valid": ({"weight": (3, 3, 3, 4), "bias": (4,)}, (2, 7, 6, 3)),
    "conv_dilation": ({"weight": (3, 3, 3, 4), "bias": (4,)}, (2, 7, 8, 3)),
    "conv_groups": ({"weight": (3, 3, 2, 6), "bias": (6,)}, (2, 5, 6, 4)),
    "conv_3d": ({"weight": (2, 3, 2, 3, 2), "bias": (2,)}, (2, 4, 3, 4, 3)),
    "conv_transpose_1d": ({"weight": (3, 3, 4), "bias": (4,)}, (2, 5, 3)),
    "conv_transpose_2d": ({"weight": (3, 3, 3, 2), "bias": (2,)}, (2, 4, 3, 3)),
    "conv_transpose_valid": ({"weight": (2, 3, 3, 2), "bias": (2,)}, (2, 4, 3, 3)),
    "conv_transpose_3d": ({"weight": (2, 2, 2, 3, 2), "bias": (2,)}, (1, 3, 2, 2, 3)),
    "layer_norm": ({"scale": (4,), "bias": (4,)}, (5, 4)),
    "rms_norm": ({"scale": (4,)}, (5, 4)),
    "group_norm": ({"scale": (6,), "bias": (6,)}, (3, 2, 4, 6)),
    "batch_norm": ({"scale": (4,), "bias": (4,)}, (5, 3, 4)),
    "attention": ({f"{p}{k}": (6, 6) if p == "w" else (6,) for k in "qkvo" for p in "wb"}, (2, 5, 6)),
    "attention_causal": ({f"{p}{k}": (6, 6) if p == "w" else (6,) for k in "qkvo" for p in "wb"}, (2, 5, 6)),
    "lstm": ({"weight_x": (3, 4, 5), "weight_h": (5, 4, 5), "bias": (4, 5)}, (2, 6, 3)),
    "gru": ({"weight_x": (3, 3, 5), "weight_h": (5, 3, 5), "bias": (3, 5), "bias_n": (5,)}, (2, 6, 3)),
    "max_pool": ({"weight": (3, 4)}, (2, 6, 5, 3)),
    "max_pool_same": ({"weight": (3, 4)}, (2, 6, 5, 3)),
    "avg_pool": ({"weight": (3, 4)}, (2, 6, 5, 3)),
}
TOKENS = np.array([[1, 2, 2, 0], [6, 3, 1, 5]])
HEADS = 2
RATE = 0.3  # what the layers are trained with


def parameters(name):
    """The parameters that a layer begins with, by their names."""
    shapes, _ = LAYERS[name]
    return {word: array(3 + k, *shape) for k, (word, shape) in enumerate(shapes.items())}


def inputs(name):
    shape = LAYERS[name][1]
    return TOKENS if shape is None else array(1, *shape, scale=1.0)


# The problem of the optimisers: nonlinear regression.
START = {"w": array(2, 3, 2, scale=1.0), "b": array(5, 2)}
X, Y = array(7, 12, 3, scale=1.5), array(9, 12, 2, scale=1.0)

# Optimisers: the name, then positional and keyword arguments, as they are in Optax.
OPTIMISERS = {
    "sgd": ("sgd", (0.1,), {}),
    "momentum": ("sgd", (0.05,), {"momentum": 0.9}),
    "nesterov": ("sgd", (0.05,), {"momentum": 0.9, "nesterov": True}),
    "adam": ("adam", (0.05,), {}),
    "adam_b1_b2": ("adam", (0.05,), {"b1": 0.8, "b2": 0.9, "eps": 1e-3, "eps_root": 1e-4}),
    "nadam": ("nadam", (0.05,), {}),
    "adamw": ("adamw", (0.05,), {"weight_decay": 0.1}),
    "adamax": ("adamax", (0.05,), {}),
    "lamb": ("lamb", (0.05,), {"weight_decay": 0.01}),
    "rmsprop": ("rmsprop", (0.02,), {}),
    "rmsprop_centered": ("rmsprop", (0.02,), {"centered": True, "momentum": 0.5}),
    "adagrad": ("adagrad", (0.1,), {}),
    "lion": ("lion", (0.01,), {}),
    "lbfgs": ("lbfgs", (0.5,), {"memory_size": 4}),
}
SCHEDULES = {
    "constant": ("constant_schedule", (0.1,), {}),
    "linear": ("linear_schedule", (0.0, 1.0, 10, 2), {}),
    "polynomial": ("polynomial_schedule", (1.0, 0.1, 2, 9, 3), {}),
    "exponential": ("exponential_decay", (1.0, 5, 0.5), {"transition_begin": 2, "end_value": 0.2}),
    "staircase": ("exponential_decay", (1.0, 5, 0.5), {"staircase": True}),
    "cosine": ("cosine_decay_schedule", (1.0, 15), {"alpha": 0.1, "exponent": 2.0}),
    "warmup_constant": ("warmup_constant_schedule", (0.0, 1.0, 8), {}),
    "warmup_cosine": ("warmup_cosine_decay_schedule", (0.0, 1.0, 5, 18), {"end_value": 0.05}),
    "piecewise": ("piecewise_constant_schedule", (1.0, {5: 0.5, 11: 0.1}), {}),
}
COUNTS = range(25)

# Functions of one array, and of predictions and targets; each with arguments beside.
POINTS = np.array([-40.0, -6.5, -3.0, -2.9, -1.0, -0.75, -1e-3, 0.0, 1e-3, 0.5, 1.0, 2.5, 3.5, 6.0, 9.0, 40.0])
ACTIVATIONS = {
    **{name: (name, {}) for name in """
        relu relu6 sigmoid softplus sparse_plus sparse_sigmoid soft_sign silu log_sigmoid leaky_relu hard_tanh
        hard_sigmoid hard_silu elu celu selu gelu squareplus mish log_softmax softmax standardize glu
    """.split()},
    "gelu_erf": ("gelu", {"approximate": False}),
    "celu_2": ("celu", {"alpha": 2.0}),
    "elu_half": ("elu", {"alpha": 0.5}),
}  # fmt: skip
LOGITS = array(3, 4, 5, scale=3.0)
TARGETS = np.exp(array(4, 4, 5)) / np.sum(np.exp(array(4, 4, 5)), axis=-1, keepdims=True)
LABELS = np.array([0, 4, 2, 2])
SIGNS = np.sign(array(8, 4, 5))
LOSSES = {
    "squared_error": ("squared_error", (LOGITS, TARGETS), {}),
    "l2_loss": ("l2_loss", (LOGITS, TARGETS), {}),
    "huber_loss": ("huber_loss", (LOGITS, TARGETS), {"delta": 0.8}),
    "log_cosh": ("log_cosh", (LOGITS, TARGETS), {}),
    "cosine_similarity": ("cosine_similarity", (LOGITS, TARGETS), {}),
    "cosine_distance": ("cosine_distance", (LOGITS, TARGETS), {"epsilon": 1e-6}),
    "softmax_cross_entropy": ("softmax_cross_entropy", (LOGITS, TARGETS), {}),
    "integer_labels": ("softmax_cross_entropy_with_integer_labels", (LOGITS, LABELS), {}),
    "binary": ("sigmoid_binary_cross_entropy", (LOGITS, TARGETS), {}),
    "hinge_loss": ("hinge_loss", (LOGITS, SIGNS), {}),
    "kl_divergence": ("kl_divergence", (np.log(TARGETS[::-1]), TARGETS), {}),
    "kl_log_targets": ("kl_divergence_with_log_targets", (np.log(TARGETS[::-1]), np.log(TARGETS)), {}),
    "focal": ("sigmoid_focal_loss", (LOGITS, (SIGNS + 1) / 2), {"alpha": 0.3, "gamma": 1.5}),
    "smooth_labels": ("smooth_labels", (TARGETS, 0.1), {}),
}
INITIALIZERS = {
    "normal": ("normal", (0.3,), (4, 5)),
    "uniform": ("uniform", (0.3,), (4, 5)),
    "truncated_normal": ("truncated_normal", (0.3,), (4, 5)),
    "constant": ("constant", (0.3,), (4, 5)),
    **{name: (name, (), (2, 3, 5)) for name in """
        lecun_normal lecun_uniform glorot_normal glorot_uniform he_normal he_uniform
    """.split()},
    "variance_scaling": ("variance_scaling", (1.5, "fan_out", "normal"), (3, 4)),
    "orthogonal": ("orthogonal", (0.5,), (5, 3)),
    "orthogonal_wide": ("orthogonal", (), (3, 2, 7)),
}  # fmt: skip

"""Layers, activations, initialisers and losses, as plain dataclasses and functions in NumPy.

    @dataclass
    class Model:
        hidden: nn.Linear
        out: nn.Linear

        def __call__(self, x):
            return self.out(nn.relu(self.hidden(x)))

    model = Model(nn.Linear.create(k1, 64, 32), nn.Linear.create(k2, 32, 10))
    slopes = grad(loss)(model, x, y)                a Model

A model is a class of one's own; its parameters are its arrays.  Layers are functions of their arguments: what changes
(running means, keys, the state of a sequence) is given and returned.
"""

from . import initializers
from .activations import (
    celu,
    elu,
    gelu,
    glu,
    hard_sigmoid,
    hard_silu,
    hard_swish,
    hard_tanh,
    identity,
    leaky_relu,
    log_sigmoid,
    log_softmax,
    logsumexp,
    mish,
    one_hot,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    soft_sign,
    softmax,
    softplus,
    sparse_plus,
    sparse_sigmoid,
    squareplus,
    standardize,
    swish,
)
from .attention import MultiHeadAttention, RotaryEmbedding, dot_product_attention
from .convolution import Conv, ConvTranspose
from .fields import layer, static
from .linear import MLP, Embedding, Linear, Sequential
from .losses import (
    cosine_distance,
    cosine_similarity,
    hinge_loss,
    huber_loss,
    kl_divergence,
    kl_divergence_with_log_targets,
    l2_loss,
    log_cosh,
    logistic_loss,
    sigmoid_binary_cross_entropy,
    sigmoid_focal_loss,
    smooth_labels,
    softmax_cross_entropy,
    softmax_cross_entropy_with_integer_labels,
    squared_error,
)
from .normalization import (
    BatchNorm,
    BatchStats,
    Dropout,
    GroupNorm,
    LayerNorm,
    RMSNorm,
)
from .pooling import Pool, avg_pool, max_pool, min_pool
from .recurrent import GRU, LSTM
from .saving import load, save

__all__ = [
    "GRU",
    "LSTM",
    "MLP",
    "BatchNorm",
    "BatchStats",
    "Conv",
    "ConvTranspose",
    "Dropout",
    "Embedding",
    "GroupNorm",
    "LayerNorm",
    "Linear",
    "MultiHeadAttention",
    "Pool",
    "RMSNorm",
    "RotaryEmbedding",
    "Sequential",
    "avg_pool",
    "celu",
    "cosine_distance",
    "cosine_similarity",
    "dot_product_attention",
    "elu",
    "gelu",
    "glu",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "hinge_loss",
    "huber_loss",
    "identity",
    "initializers",
    "kl_divergence",
    "kl_divergence_with_log_targets",
    "l2_loss",
    "layer",
    "leaky_relu",
    "load",
    "log_cosh",
    "log_sigmoid",
    "log_softmax",
    "logistic_loss",
    "logsumexp",
    "max_pool",
    "min_pool",
    "mish",
    "one_hot",
    "relu",
    "relu6",
    "save",
    "selu",
    "sigmoid",
    "sigmoid_binary_cross_entropy",
    "sigmoid_focal_loss",
    "silu",
    "smooth_labels",
    "soft_sign",
    "softmax",
    "softmax_cross_entropy",
    "softmax_cross_entropy_with_integer_labels",
    "softplus",
    "sparse_plus",
    "sparse_sigmoid",
    "squared_error",
    "squareplus",
    "standardize",
    "static",
    "swish",
]  # fmt: skip

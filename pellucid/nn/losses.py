"""Losses under the names of Optax, with its values: each example's loss, of which one takes the mean.

    np.mean(softmax_cross_entropy_with_integer_labels(logits, labels))

Targets and predictions have one shape; losses over classes take the last axis, unless another is asked for.
"""

import numpy as np

from .. import lax
from .activations import log_sigmoid, log_softmax, softplus


def squared_error(predictions, targets):
    """(predictions - targets)**2, elementwise."""
    return (predictions - targets) ** 2


def l2_loss(predictions, targets):
    """Half of `squared_error`."""
    return 0.5 * (predictions - targets) ** 2


def huber_loss(predictions, targets, delta=1.0):
    """Quadratic up to `delta`, linear from there.  Source: Huber (1964), doi:10.1214/aoms/1177703732."""
    error = np.abs(predictions - targets)
    quadratic = np.minimum(error, delta)
    return 0.5 * quadratic**2 + delta * (error - quadratic)


def log_cosh(predictions, targets):
    """log(cosh(predictions - targets)) without overflow."""
    error = predictions - targets
    return np.logaddexp(error, -error) - np.log(2.0)


def cosine_similarity(predictions, targets, epsilon=0.0, axis=-1):
    """The cosine of the angle between vectors along an axis.

    epsilon  the smallest length that a vector counts with
    """
    return np.sum(unit(predictions, epsilon, axis) * unit(targets, epsilon, axis), axis=axis)


def unit(x, epsilon, axis):
    """Vectors divided by their lengths, or by `epsilon` where that is larger."""
    square = np.sum(x * x, axis=axis, keepdims=True)
    return x / np.sqrt(np.where(square > epsilon**2, square, epsilon**2))


def cosine_distance(predictions, targets, epsilon=0.0, axis=-1):
    """1 - `cosine_similarity`."""
    return 1.0 - cosine_similarity(predictions, targets, epsilon, axis)


def softmax_cross_entropy(logits, labels, axis=-1):
    """-sum(labels * log(softmax(logits))) along an axis, where labels are probabilities."""
    return -np.sum(labels * log_softmax(logits, axis), axis=axis)


def softmax_cross_entropy_with_integer_labels(logits, labels):
    """-log of the probability of the right class: logits (..., classes) and ints (...) -> (...)."""
    highest = lax.stop_gradient(np.max(logits, axis=-1, keepdims=True))
    shifted = logits - highest
    right = np.take_along_axis(shifted, labels[..., None], axis=-1)[..., 0]
    return np.log(np.sum(np.exp(shifted), axis=-1)) - right


def sigmoid_binary_cross_entropy(logits, labels):
    """-log of the probability of labels between 0 and 1, elementwise: softplus(logits) - labels * logits."""
    return -labels * log_sigmoid(logits) - (1.0 - labels) * log_sigmoid(-logits)


def hinge_loss(predictor_outputs, targets):
    """max(0, 1 - targets * outputs) for targets -1 and 1."""
    return np.maximum(0, 1 - predictor_outputs * targets)


def kl_divergence(log_predictions, targets):
    """sum(targets * (log(targets) - log_predictions)) along the last axis; what has the target 0 counts as 0."""
    logarithms = np.log(np.where(targets > 0, targets, 1))
    return np.sum(targets * (logarithms - log_predictions), axis=-1)


def kl_divergence_with_log_targets(log_predictions, log_targets):
    """The same where the targets are logarithms too."""
    return np.sum(np.exp(log_targets) * (log_targets - log_predictions), axis=-1)


def sigmoid_focal_loss(logits, labels, alpha=None, gamma=2.0):
    """Cross-entropy that counts what is recognised already for less.  Source: Lin et al. (2017), arXiv:1708.02002.

    alpha  the weight of label 1, 1 - alpha being that of label 0; None for no weights
    """
    loss = sigmoid_binary_cross_entropy(logits, labels)
    right = labels * np.exp(log_sigmoid(logits)) + (1 - labels) * np.exp(log_sigmoid(-logits))
    loss = loss * (1 - right) ** gamma
    return loss if alpha is None else loss * (alpha * labels + (1 - alpha) * (1 - labels))


def logistic_loss(logits, targets):
    """log(1 + exp(-targets * logits)) for targets -1 and 1."""
    return softplus(-logits * targets)


def smooth_labels(labels, alpha):
    """Labels of which the part `alpha` is spread over all classes of the last axis."""
    return (1.0 - alpha) * labels + alpha / labels.shape[-1]

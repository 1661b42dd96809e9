"""Losses, layers, optimisers and neighbours."""

import math

import numpy as np


def sigmoid_layer(features, kernel, bias):
    """A dense layer with a logistic activation."""
    return 1.0 / (1.0 + np.exp(-(features @ kernel + bias)))


def logistic_loss(x, signs):
    """Mean of log(1 + exp(-s x)), safe for large scores."""
    return np.mean(np.logaddexp(0.0, -signs * x))


def softmax_cross_entropy(features, labels):
    """Mean negative log probability of the labels, the features as logits."""
    shifted = features - np.max(features, axis=1, keepdims=True)
    log_total = np.log(np.sum(np.exp(shifted), axis=1))
    chosen = shifted[np.arange(len(labels)), labels]
    return np.mean(log_total - chosen)


def hinge_loss(features, signs, kernel):
    margin = signs * (features @ kernel)
    return np.mean(np.maximum(0.0, 1.0 - margin)) + 0.05 * np.sum(kernel**2)


def focal_loss(x, mask):
    """Cross entropy that counts easy examples less."""
    probability = 1.0 / (1.0 + np.exp(-x))
    right = np.where(mask, probability, 1.0 - probability)
    return np.sum(-((1.0 - right) ** 2) * np.log(right))


def ridge_descent(features, targets, rate, n_steps):
    """Gradient descent on a ridge regression, gradient by hand."""
    kernel = np.zeros(3)
    for _ in range(n_steps):
        residual = features @ kernel - targets
        kernel = kernel - rate * (features.T @ residual + 0.1 * kernel)
    return kernel


def two_layer_network(features, params):
    """Predictions of a network from nested parameters."""
    kernel, bias = params["hidden"]
    readout, offset = params["output"]
    hidden = np.tanh(features @ kernel + bias)
    return hidden @ readout + offset


def network_loss(features, targets, params):
    """Squared error and weight decay over the same parameters."""
    error = np.mean((two_layer_network(features, params) - targets) ** 2)
    decay = np.sum(params["hidden"][0] ** 2) + np.sum(params["output"][0] ** 2)
    return error + 0.01 * decay


def _softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def attention(features, others):
    """Each feature row attends to the others."""
    scores = features @ others.T / math.sqrt(features.shape[1])
    return _softmax(scores) @ others


def causal_attention(features):
    """Rows attend to themselves and the past."""
    n, width = features.shape
    scores = features @ features.T / np.sqrt(width)
    allowed = np.arange(n)[:, None] >= np.arange(n)
    return _softmax(np.where(allowed, scores, -1e9)) @ features


def multi_head_attention(features, kernel):
    """Three heads of one column each share one kernel for keys, values and queries."""
    mixed = features @ kernel
    n = len(features)
    heads = mixed.reshape(n, 3, -1).transpose(1, 0, 2)
    scores = heads @ heads.transpose(0, 2, 1)
    return (_softmax(scores) @ heads).transpose(1, 0, 2).reshape(n, -1)


def layer_norm(features, a, b, epsilon=1e-5):
    centred = features - features.mean(axis=-1, keepdims=True)
    spread = np.mean(centred * centred, axis=-1, keepdims=True)
    return a * centred / np.sqrt(spread + epsilon) + b


def recurrent_network(features, kernel, loop):
    """Hidden states of a plain recurrent network over the rows."""
    state = np.zeros(len(loop))
    states = np.empty((len(features), len(loop)))
    for i, row in enumerate(features):
        state = np.tanh(row @ kernel + state @ loop)
        states[i] = state
    return states


def gated_recurrent_unit(x, a, b, c):
    """A gated unit with one number of state."""
    state = 0.0
    for value in x:
        update = 1.0 / (1.0 + math.exp(-(a * value + b * state)))
        reset = 1.0 / (1.0 + math.exp(-(b * value + c * state)))
        candidate = math.tanh(c * value + a * reset * state)
        state = (1.0 - update) * state + update * candidate
    return state


def k_means_step(points, centres):
    """Move each centre to the mean of the points that are nearest to it."""
    moved = centres.copy()
    gaps = points[:, None, :] - centres[None, :, :]
    nearest = np.argmin(np.sum(gaps * gaps, axis=2), axis=1)
    for k in range(len(centres)):
        total, count = np.zeros(3), 0
        for i in range(len(points)):
            if nearest[i] == k:
                total += points[i]
                count += 1
        if count > 0:
            moved[k] = total / count
    return moved


def nearest_neighbour(points, targets, others):
    """The target of the nearest point, for each query."""
    answers = np.zeros(len(others))
    for i in range(len(others)):
        distance = np.sum((points - others[i]) ** 2, axis=1)
        answers[i] = targets[np.argmin(distance)]
    return answers


def three_nearest_mean(points, targets, others):
    """Mean target of the three nearest points, picked one after another."""
    answers = np.zeros(len(others))
    for i in range(len(others)):
        distance = np.sum((points - others[i]) ** 2, axis=1)
        for _ in range(3):
            nearest = np.argmin(distance)
            answers[i] += targets[nearest] / 3.0
            distance[nearest] = np.inf
    return answers


def perceptron(features, signs, rate):
    """One pass of mistake-driven updates."""
    kernel = np.full(3, 0.1)
    for row, sign in zip(features, signs):
        if sign * (row @ kernel) < 0.0:
            kernel = kernel + rate * sign * row
    return kernel


def adam_on_quadratic(x, p, n_steps, rate=0.1):
    """Adam on sum(p x**2) / 2."""
    first, second = np.zeros_like(x), np.zeros_like(x)
    for step in range(1, n_steps + 1):
        gradient = p * x
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        corrected = first / (1.0 - 0.9**step)
        x = x - rate * corrected / (np.sqrt(second / (1.0 - 0.99**step)) + 1e-8)
    return x


def convolution_layer(image, stencil):
    """Valid two-dimensional correlation and a rectifier."""
    rows, columns = image.shape[0] - 2, image.shape[1] - 2
    out = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            out[i, j] = np.sum(image[i : i + 3, j : j + 3] * stencil)
    return np.maximum(out, 0.0)


def max_pool(square):
    """Largest of every two by two block."""
    n, m = square.shape
    return square.reshape(n // 2, 2, m // 2, 2).max(axis=3).max(axis=1)


def gelu(x):
    """The tanh form of the Gaussian error unit."""
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


def masked_dropout(features, mask, alpha):
    """Rows that are kept are scaled up."""
    return np.where(mask[:, None], features / (1.0 - alpha), 0.0)


def bag_of_words(features, idx):
    """Mean embedding of tokens, normalised to length one."""
    mean = features[idx].mean(axis=0)
    return mean / np.sqrt(np.sum(mean * mean))


def contrastive_loss(features, others):
    """Cosine similarities, pair i of `features` against pair i of `others` as the right one."""
    first = features / np.sqrt(np.sum(features**2, axis=1, keepdims=True))
    second = others / np.sqrt(np.sum(others**2, axis=1, keepdims=True))
    similarity = first @ second[:-1].T / 0.5
    total = 0.0
    for i in range(len(similarity)):
        total += np.log(np.sum(np.exp(similarity[i]))) - similarity[i, i]
    return total


def predicted_classes(features, kernel):
    """The class with the highest score."""
    return np.argmax(features @ kernel, axis=1)


def decision_stump(x, labels):
    """Threshold with the fewest mistakes when values above it are of class 1."""
    best, fewest = 0, len(x) + 1
    for i in range(len(x)):
        mistakes = 0
        for j in range(len(x)):
            if (x[j] > x[i]) != (labels[j] == 1):
                mistakes += 1
        if mistakes < fewest:
            best, fewest = i, mistakes
    return best, fewest


ARGUMENTS = {
    "sigmoid_layer": lambda rng, n: (rng.normal(size=(n, 3)), rng.normal(size=(3, 2)), rng.normal(size=2)),
    "hinge_loss": lambda rng, n: (rng.normal(size=(n, 3)), rng.choice([-1.0, 1.0], n), rng.normal(size=3)),
    "multi_head_attention": lambda rng, n: (rng.normal(size=(n, 3)), rng.normal(size=(3, 6)) / 2.0),
    "recurrent_network": lambda rng, n: (rng.normal(size=(n, 3)), rng.normal(size=(3, 4)), rng.normal(size=(4, 4))),
    "k_means_step": lambda rng, n: (rng.normal(size=(n, 3)), rng.normal(size=(2, 3))),
    "convolution_layer": lambda rng, n: (rng.normal(size=(n + 2, n + 3)), rng.normal(size=(3, 3))),
    "max_pool": lambda rng, n: (rng.normal(size=(2 * n, 4)),),
    "predicted_classes": lambda rng, n: (rng.normal(size=(n, 3)), rng.normal(size=(3, 5))),
}

MIN_SIZE = {"three_nearest_mean": 3}

NO_GRADIENT = {"predicted_classes": "integers", "decision_stump": "integers"}

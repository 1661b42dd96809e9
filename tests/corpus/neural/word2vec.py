"""Skip-grams with negative samples (Mikolov et al. 2013): the loss, and a pass of its hand-written updates."""
import numpy as np


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def log_sigmoid(x):
    return -np.log1p(np.exp(-np.abs(x))) + np.minimum(x, 0)


def skipgram_loss(W_in, W_out, center, context, negatives):
    v = W_in[center]
    positive = log_sigmoid(np.sum(v * W_out[context], axis=1))
    negative = log_sigmoid(-np.einsum("bd,bkd->bk", v, W_out[negatives])).sum(axis=1)
    return -np.mean(positive + negative)


def sgd_epoch(W_in, W_out, center, context, negatives, lr):
    """In the way of the C program: pair after pair, each with its own small updates."""
    W_in, W_out = W_in.copy(), W_out.copy()
    total = 0.0
    for c, o, negs in zip(center, context, negatives):
        v = W_in[c].copy()
        grad_v = np.zeros_like(v)
        for word, label in [(o, 1.0)] + [(k, 0.0) for k in negs]:
            p = sigmoid(np.dot(v, W_out[word]))
            total -= np.log(p if label == 1.0 else 1.0 - p)
            g = p - label
            grad_v += g * W_out[word]
            W_out[word] -= lr * g * v
        W_in[c] -= lr * grad_v
    return W_in, W_out, total


def similarities(W, word):
    norms = np.linalg.norm(W, axis=1)
    return W @ W[word] / (norms * norms[word])


def loss(W, center, context, negatives):
    W_in, W_out, total = sgd_epoch(W["in"], W["out"], center, context, negatives, 0.1)
    after = skipgram_loss(W_in, W_out, center, context, negatives)
    return after + 0.1 * total + 0.05 * np.sum(similarities(W_in, 1) ** 2)


def make_arguments(rng):
    vocab, d, pairs = 9, 4, 7
    W = {"in": rng.normal(size=(vocab, d)), "out": rng.normal(size=(vocab, d))}
    return W, rng.integers(0, vocab, pairs), rng.integers(0, vocab, pairs), rng.integers(0, vocab, (pairs, 3))

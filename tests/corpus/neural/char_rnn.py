"""Characters by a recurrent net gradients by hand through time, states in dicts by time."""
import numpy as np


def loss_and_gradients(Wxh, Whh, Why, bh, by, inputs, targets, hprev):
    xs, hs, ps = {}, {}, {}
    hs[-1] = np.copy(hprev)
    total = 0.0
    for t in range(8):
        xs[t] = np.zeros((Wxh.shape[1], 1))
        xs[t][inputs[t]] = 1
        hs[t] = np.tanh(Wxh @ xs[t] + Whh @ hs[t - 1] + bh)
        y = Why @ hs[t] + by
        ps[t] = np.exp(y - np.max(y)) / np.sum(np.exp(y - np.max(y)))
        total += -np.log(ps[t][targets[t], 0])
    dWxh, dWhh, dWhy = np.zeros_like(Wxh), np.zeros_like(Whh), np.zeros_like(Why)
    dbh, dby = np.zeros_like(bh), np.zeros_like(by)
    dhnext = np.zeros_like(hs[0])
    for t in reversed(range(8)):
        dy = np.copy(ps[t])
        dy[targets[t]] -= 1
        dWhy += dy @ hs[t].T
        dby += dy
        draw = (1 - hs[t] * hs[t]) * (Why.T @ dy + dhnext)
        dbh += draw
        dWxh += draw @ xs[t].T
        dWhh += draw @ hs[t - 1].T
        dhnext = Whh.T @ draw
    grads = [np.clip(g, -5, 5) for g in (dWxh, dWhh, dWhy, dbh, dby)]
    return total, grads, hs[7]


def loss(params, inputs, targets, hprev):
    total, grads, last = loss_and_gradients(*params, inputs, targets, hprev)
    return total + 0.1 * sum((g**2).sum() for g in grads) + np.sum(last)


def make_arguments(rng):
    vocab, hidden = 5, 6

    def w(*shape):
        return 0.3 * rng.normal(size=shape)

    params = (w(hidden, vocab), w(hidden, hidden), w(vocab, hidden), w(hidden, 1), w(vocab, 1))
    return params, rng.integers(0, vocab, 8), rng.integers(0, vocab, 8), np.zeros((hidden, 1))

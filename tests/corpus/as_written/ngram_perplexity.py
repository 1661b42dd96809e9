"""Interpolated n-gram language model on integer tokens: Kneser-Ney trigrams, perplexity, EM for weights.

Jelinek & Mercer (1980) deleted interpolation; Kneser & Ney (1995); Chen & Goodman (1999).
"""
import math
from collections import Counter, defaultdict

import numpy as np

BOS = -1


class NGramCounts:
    """Counts of orders 1 to `order`, with begin-of-sentence padding."""

    def __init__(self, sentences, order):
        self.order = order
        self.counts = [Counter() for _ in range(order)]
        self.followers = defaultdict(set)        # context -> distinct next tokens
        self.predecessors = defaultdict(set)     # token -> distinct previous tokens
        for sentence in sentences:
            padded = [BOS] * (order - 1) + list(sentence)
            for i in range(order - 1, len(padded)):
                for k in range(order):
                    gram = tuple(padded[i - k:i + 1])
                    self.counts[k][gram] += 1
                    self.followers[gram[:-1]].add(gram[-1])
                self.predecessors[padded[i]].add(padded[i - 1])

    def context_total(self, context):
        k = len(context)
        return sum(self.counts[k][context + (w,)] for w in self.followers.get(context, ()))

    @property
    def n_bigram_types(self):
        return sum(len(p) for p in self.predecessors.values())


def kneser_ney(counts, discount, vocab_size):
    """Probability function p(token, context) with absolute discounting at every order."""
    bigram_types = counts.n_bigram_types

    def continuation(token):
        p = len(counts.predecessors.get(token, ())) / bigram_types
        return 0.95 * p + 0.05 / vocab_size

    def prob(token, context):
        if not context:
            return continuation(token)
        total = counts.context_total(context)
        lower = prob(token, context[1:])
        if total == 0:
            return lower
        count = counts.counts[len(context)][context + (token,)]
        distinct = len(counts.followers[context])
        return max(count - discount, 0.0) / total + discount * distinct / total * lower

    return prob


def maximum_likelihood(counts, token, context, vocab_size):
    total = counts.context_total(context)
    if total == 0:
        return 1.0 / vocab_size
    return counts.counts[len(context)][context + (token,)] / total


def component_table(counts, sentences, vocab_size):
    """Rows: tokens of the held-out text; columns: uniform, unigram, bigram, ... probabilities."""
    rows = []
    for sentence in sentences:
        padded = [BOS] * (counts.order - 1) + list(sentence)
        for i in range(counts.order - 1, len(padded)):
            row = [1.0 / vocab_size]
            for k in range(counts.order):
                context = tuple(padded[i - k:i])
                row.append(maximum_likelihood(counts, padded[i], context, vocab_size))
            rows.append(row)
    return np.array(rows)


def em_weights(P, start, n_iter=20, tol=1e-8):
    """EM for mixture weights; returns weights and the log-likelihood per token at each step."""
    lam = np.array(start) / np.sum(start)
    history = []
    for _ in range(n_iter):
        mix = P @ lam
        history.append(np.mean(np.log(mix)))
        responsibility = P * lam / mix[:, None]
        lam = responsibility.mean(axis=0)
        if len(history) > 1 and history[-1] - history[-2] < tol:
            break
    return lam, np.array(history)


def perplexity(prob, sentences, order):
    log_sum, n_tokens = 0.0, 0
    for sentence in sentences:
        history = (BOS,) * (order - 1)
        for token in sentence:
            log_sum += math.log(prob(token, history))
            history = (history + (token,))[1:]
            n_tokens += 1
    return math.exp(-log_sum / n_tokens)


def evaluate(train, heldout, start_weights, discount=0.75, order=3):
    """Perplexity of the Kneser-Ney model and of the interpolated model with EM weights."""
    if not train or not heldout:
        raise ValueError("training and held-out text must not be empty")
    if not 0.0 < discount < 1.0:
        raise ValueError(f"discount {discount} not in (0, 1)")
    if len(start_weights) != order + 1:
        raise ValueError(f"order {order} needs {order + 1} weights, got {len(start_weights)}")
    vocabulary = sorted({t for s in train for t in s} | {t for s in heldout for t in s})
    V = len(vocabulary)

    counts = NGramCounts(train, order)
    prob = kneser_ney(counts, discount, V)
    ppl = perplexity(prob, heldout, order)
    P = component_table(counts, heldout, V)
    lam, history = em_weights(P, start_weights)
    context = tuple(train[0][:order - 1])
    following = np.array([prob(w, context) for w in vocabulary])
    ranked = sorted(zip(vocabulary, following), key=lambda item: (-item[1], item[0]))
    return {
        "perplexity": ppl,
        "interpolated_perplexity": float(np.exp(-history[-1])),
        "weights": lam,
        "history": history,
        "next_distribution": following,
        "most_likely_next": ranked[0][0],
        "types": [len(c) for c in counts.counts],
    }


ENTRY = "evaluate"


def _text(rng, n, lines):
    return [[int(t) for t in rng.integers(0, 6, size=n + 2)] for _ in range(lines)]


def make_arguments(rng, n):
    return (_text(rng, n, 12), _text(rng, n, 4), [0.1, 0.3, 0.3, 0.3], float(rng.uniform(0.4, 0.9)))


GRADIENT = ("discount",)
ERRORS = [
    (lambda rng, n: ([], _text(rng, n, 2), [0.25] * 4), ValueError),
    (lambda rng, n: (_text(rng, n, 2), _text(rng, n, 2), [0.25] * 4, 1.5), ValueError),
]

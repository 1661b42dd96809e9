"""Byte-pair encoding on integer lists, Huffman code lengths of the tokens, and the embedding compression.

Gage (1994), Sennrich, Haddow & Birch (2016); Huffman (1952). New tokens get the mean of
the vectors of their parts, so a text's pooled embedding before and after merging can be compared.
"""
import heapq
from collections import Counter
from typing import NamedTuple

import numpy as np


class Merge(NamedTuple):
    left: int
    right: int
    new: int
    count: int


def pair_counts(sequences):
    counts = Counter()
    for seq in sequences:
        counts.update(zip(seq, seq[1:]))
    return counts


def merge_pair(seq, pair, new):
    out = []
    i = 0
    while i < len(seq):
        if i + 1 < len(seq) and (seq[i], seq[i + 1]) == pair:
            out.append(new)
            i += 2
        else:
            out.append(seq[i])
            i += 1
    return out


def learn_merges(sequences, vocab_size, n_merges, min_count=2):
    """Merge the most frequent pair repeatedly, ties by the smaller pair."""
    sequences = [list(s) for s in sequences]
    merges = []
    for k in range(n_merges):
        counts = pair_counts(sequences)
        if not counts:
            break
        pair, count = min(counts.items(), key=lambda kv: (-kv[1], kv[0]))
        if count < min_count:
            break
        new = vocab_size + k
        sequences = [merge_pair(s, pair, new) for s in sequences]
        merges.append(Merge(*pair, new, count))
    return merges, sequences


def encode(seq, merges):
    for m in merges:
        seq = merge_pair(seq, (m.left, m.right), m.new)
    return seq


def decode(seq, merges):
    table = {m.new: (m.left, m.right) for m in merges}

    def expand(token):
        if token not in table:
            return [token]
        left, right = table[token]
        return expand(left) + expand(right)

    return [t for token in seq for t in expand(token)]


def huffman_lengths(frequencies):
    """Code length of each symbol from the depth in the Huffman tree."""
    if len(frequencies) == 1:
        return {symbol: 1 for symbol in frequencies}
    heap = [(f, i, (s,)) for i, (s, f) in enumerate(sorted(frequencies.items()))]
    heapq.heapify(heap)
    lengths = dict.fromkeys(frequencies, 0)
    ticket = len(heap)
    while len(heap) > 1:
        f1, _, s1 = heapq.heappop(heap)
        f2, _, s2 = heapq.heappop(heap)
        for s in s1 + s2:
            lengths[s] += 1
        heapq.heappush(heap, (f1 + f2, ticket, s1 + s2))
        ticket += 1
    return lengths


def entropy_bits(frequencies):
    p = np.array(sorted(frequencies.values()), dtype=float)
    p /= p.sum()
    return float(-(p * np.log2(p)).sum())


def extend_embedding(embedding, merges):
    rows = list(embedding)
    for m in merges:
        rows.append(0.5 * (rows[m.left] + rows[m.right]))
    return np.stack(rows)


def pooled(embedding, seq, decay):
    """Exponentially weighted mean of token vectors, the last token weighs most."""
    w = decay ** np.arange(len(seq) - 1, -1, -1)
    return w @ embedding[seq] / w.sum()


def cosine(a, b):
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b) + 1e-12)


def tokenizer_report(corpus, query, embedding, n_merges=8, decay=0.9):
    """Learn merges on the corpus, apply them to the query, and measure what changes.

    The first entry is the cosine between the pooled query vectors before and after merging.
    """
    vocab_size, dim = embedding.shape
    flat = [t for seq in corpus for t in seq] + list(query)
    if not query or not flat:
        raise ValueError("corpus and query must not be empty")
    if min(flat) < 0 or max(flat) >= vocab_size:
        raise ValueError(f"tokens must be in [0, {vocab_size}), found {min(flat)} .. {max(flat)}")

    merges, encoded = learn_merges(corpus, vocab_size, n_merges)
    tokens = encode(list(query), merges)
    assert decode(tokens, merges) == list(query), "round trip failed"

    big = extend_embedding(embedding, merges)
    before = pooled(embedding, list(query), decay)
    after = pooled(big, tokens, decay)

    freq = Counter(t for seq in encoded for t in seq)
    lengths = huffman_lengths(freq)
    bits = sum(freq[s] * lengths[s] for s in freq)
    raw_freq = Counter(t for seq in corpus for t in seq)
    raw_lengths = huffman_lengths(raw_freq)
    raw_bits = sum(f * raw_lengths[s] for s, f in raw_freq.items())
    kraft = sum(2.0 ** -l for l in lengths.values())
    return {
        "similarity": cosine(before, after),
        "pooled": after,
        "tokens": np.array(tokens),
        "compression": len(query) / len(tokens),
        "bits_ratio": bits / raw_bits,
        "entropy": entropy_bits(freq),
        "kraft": kraft,
        "merge_counts": [m.count for m in merges],
        "mean_length": bits / sum(freq.values()),
    }


ENTRY = "tokenizer_report"


def _corpus(rng, n, vocab=5):
    return [[int(t) for t in rng.choice(vocab, size=4 * n, p=[0.4, 0.25, 0.2, 0.1, 0.05])] for _ in range(4)]


def make_arguments(rng, n):
    corpus = _corpus(rng, n)
    return (corpus, _corpus(rng, n)[0], rng.standard_normal((5, 4)), n, 0.85)


GRADIENT = ("embedding", "decay")
ERRORS = [
    (lambda rng, n: (_corpus(rng, n), [99], rng.standard_normal((5, 4))), ValueError),
    (lambda rng, n: (_corpus(rng, n), [], rng.standard_normal((5, 4))), ValueError),
]

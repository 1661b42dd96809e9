"""Compression of symbol streams: LZ78 parsing, run lengths, arithmetic-code lengths, and complexity measures.

Ziv & Lempel (1978); Rissanen (1976); Kaspar & Schuster (1987) for the complexity of time series.
"""
from collections import Counter

import numpy as np


def symbolise(x, levels):
    """Letters by quantiles of the values."""
    edges = np.quantile(x, np.linspace(0, 1, levels + 1)[1:-1])
    return "".join(chr(ord("a") + int(k)) for k in np.searchsorted(edges, x, side="right"))


def lz78(text):
    """Phrases as (index of the prefix, letter)."""
    table = {"": 0}
    phrase, output = "", []
    for letter in text:
        if phrase + letter in table:
            phrase += letter
            continue
        output.append((table[phrase], letter))
        table[phrase + letter] = len(table)
        phrase = ""
    if phrase:
        output.append((table[phrase[:-1]], phrase[-1]))
    return output


def unpack(pairs):
    phrases = [""]
    for index, letter in pairs:
        phrases.append(phrases[index] + letter)
    return "".join(phrases)


def run_lengths(text):
    runs = []
    for letter in text:
        if runs and runs[-1][0] == letter:
            runs[-1] = (letter, runs[-1][1] + 1)
        else:
            runs.append((letter, 1))
    return runs


def lz76_complexity(text):
    """Number of distinct words in the exhaustive history."""
    n, i, count = len(text), 0, 0
    while i < n:
        length = 1
        while i + length <= n and text[i:i + length] in text[:i + length - 1]:
            length += 1
        count += 1
        i += length
    return count


def entropy(counts):
    p = np.array(list(counts.values()), dtype=float)
    p /= p.sum()
    return -(p * np.log2(p)).sum()


def block_entropies(text, longest):
    return [entropy(Counter(text[i:i + k] for i in range(len(text) - k + 1))) for k in range(1, longest + 1)]


def adaptive_code_length(text, alphabet, alpha):
    """Bits of an ideal arithmetic coder with a Dirichlet prior."""
    seen = {letter: alpha for letter in alphabet}
    bits = 0.0
    for letter in text:
        bits -= np.log2(seen[letter] / sum(seen.values()))
        seen[letter] += 1.0
    return bits


def longest_repeat(text):
    suffixes = sorted(text[i:] for i in range(len(text)))
    best = ""
    for one, other in zip(suffixes, suffixes[1:]):
        k = 0
        while k < min(len(one), len(other)) and one[k] == other[k]:
            k += 1
        if k > len(best):
            best = one[:k]
    return best


def analyse_series(x, alpha=0.5, levels=3, longest=3):
    """Compressibility of a series, symbolised by quantiles. Raises ValueError for series that are too short."""
    x = np.asarray(x)
    if x.ndim != 1 or len(x) < 2 * levels:
        raise ValueError(f"need a series of at least {2 * levels} values")
    if not np.isfinite(x).all():
        raise ValueError("the series has holes")
    text = symbolise(x, levels)
    pairs = lz78(text)
    assert unpack(pairs) == text, "round trip failed"
    runs = run_lengths(text)
    h = block_entropies(text, longest)
    return {
        "bits": adaptive_code_length(text, sorted(set(text)), alpha),
        "phrases": len(pairs),
        "ratio": len(pairs) * (np.log2(len(pairs)) + np.log2(levels)) / (len(text) * np.log2(levels)),
        "complexity": lz76_complexity(text),
        "entropy_rate": h[-1] - h[-2],
        "runs": max(length for _, length in runs),
        "repeat": longest_repeat(text),
        "head": text[:5],
        "mirrored": sum(1 for a, b in zip(text, reversed(text)) if a == b),
        "groups": len(runs),
    }


ENTRY = "analyse_series"


def make_arguments(rng, n):
    return (np.sin(np.arange(6.0 * n)) + 0.3 * rng.normal(size=6 * n), 0.6)


GRADIENT = ("alpha",)
ERRORS = [
    (lambda rng, n: (np.ones(3),), ValueError),
    (lambda rng, n: (np.full(20, np.nan),), ValueError),
]

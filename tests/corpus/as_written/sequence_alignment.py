"""Pairwise alignment of DNA strings: Needleman-Wunsch (global) and Smith-Waterman (local, affine gaps).

Gotoh, "An improved algorithm for matching biological sequences", J. Mol. Biol. 162 (1982).
"""
import numpy as np

ALPHABET = "ACGT"
INDEX = {base: i for i, base in enumerate(ALPHABET)}
NEG_INF = -1e9
DIAG, UP, LEFT = 1, 2, 3


def encode(seq):
    try:
        return np.array([INDEX[c] for c in seq.upper()], dtype=int)
    except KeyError as err:
        raise ValueError(f"unexpected base {err.args[0]!r} in sequence {seq!r}") from None


def scoring_matrix(match, mismatch, transition_bonus):
    """Match/mismatch scores; transitions (A<->G, C<->T) are milder than transversions."""
    S = np.full((4, 4), mismatch)
    np.fill_diagonal(S, match)
    for a, b in ("AG", "CT"):
        S[INDEX[a], INDEX[b]] += transition_bonus
        S[INDEX[b], INDEX[a]] += transition_bonus
    return S


def needleman_wunsch(a, b, S, gap):
    m, n = len(a), len(b)
    F = np.zeros((m + 1, n + 1))
    trace = np.zeros((m + 1, n + 1), dtype=np.int8)
    F[1:, 0] = gap * np.arange(1, m + 1)
    F[0, 1:] = gap * np.arange(1, n + 1)
    trace[1:, 0] = UP
    trace[0, 1:] = LEFT
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            diag = F[i - 1, j - 1] + S[a[i - 1], b[j - 1]]
            up = F[i - 1, j] + gap
            left = F[i, j - 1] + gap
            best = max(diag, up, left)
            F[i, j] = best
            if best == diag:
                trace[i, j] = DIAG
            elif best == up:
                trace[i, j] = UP
            else:
                trace[i, j] = LEFT
    return F, trace


def traceback(trace, a, b):
    i, j = len(a), len(b)
    top, bottom = [], []
    while i > 0 or j > 0:
        move = trace[i, j]
        if move == DIAG:
            i, j = i - 1, j - 1
            top.append(a[i])
            bottom.append(b[j])
        elif move == UP:
            i -= 1
            top.append(a[i])
            bottom.append("-")
        else:
            j -= 1
            top.append("-")
            bottom.append(b[j])
    return "".join(reversed(top)), "".join(reversed(bottom))


def smith_waterman_affine(a, b, S, gap_open, gap_extend):
    """Best local score with three-state recursion; also where it ends."""
    m, n = len(a), len(b)
    H = np.zeros((m + 1, n + 1))
    E = np.full((m + 1, n + 1), NEG_INF)
    F = np.full((m + 1, n + 1), NEG_INF)
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            E[i, j] = max(E[i, j - 1] + gap_extend, H[i, j - 1] + gap_open)
            F[i, j] = max(F[i - 1, j] + gap_extend, H[i - 1, j] + gap_open)
            H[i, j] = max(0.0, H[i - 1, j - 1] + S[a[i - 1], b[j - 1]], E[i, j], F[i, j])
    end = np.unravel_index(np.argmax(H), H.shape)
    return H[end], np.array(end)


def align(seq_a, seq_b, match=1.0, mismatch=-1.0, gap=-1.5, gap_extend=-0.5, transition_bonus=0.4):
    """Global score, local score, identity and gap count of the global alignment."""
    if not seq_a or not seq_b:
        raise ValueError("sequences must not be empty")
    if gap >= 0 or gap_extend >= 0:
        raise ValueError(f"gap penalties must be negative, got {gap} and {gap_extend}")
    a, b = encode(seq_a), encode(seq_b)
    S = scoring_matrix(match, mismatch, transition_bonus)
    F, trace = needleman_wunsch(a, b, S, gap)
    top, bottom = traceback(trace, seq_a, seq_b)
    same = sum(1 for p, q in zip(top, bottom) if p == q)
    local, end = smith_waterman_affine(a, b, S, gap, gap_extend)
    return {
        "global_score": F[-1, -1],
        "local_score": local,
        "local_end": end,
        "identity": same / len(top),
        "gaps": top.count("-") + bottom.count("-"),
        "length": len(top),
    }


ENTRY = "align"


def _seq(rng, n):
    return "".join(ALPHABET[i] for i in rng.integers(0, 4, size=n))


def make_arguments(rng, n):
    return (_seq(rng, n + 2), _seq(rng, n), 1.0, -0.9, -1.45, -0.47)


GRADIENT = ("match", "mismatch", "gap")
ERRORS = [
    (lambda rng, n: (_seq(rng, n) + "X", _seq(rng, n)), ValueError),
    (lambda rng, n: (_seq(rng, n), _seq(rng, n), 1.0, -1.0, 2.0), ValueError),
]

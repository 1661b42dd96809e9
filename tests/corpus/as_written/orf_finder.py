"""Open reading frames on both strands of a DNA sequence, codon usage, GC skew and melting temperature of primers.

Crick (1968) for the code; Sharp & Li (1987) for relative codon usage; SantaLucia (1998) for the idea of neighbours.
"""
from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np

STOPS = ("TAA", "TAG", "TGA")
START = "ATG"


class Frame(NamedTuple):
    strand: int
    start: int
    codons: int
    score: float


def complement(base):
    if base == "A":
        return "T"
    if base == "T":
        return "A"
    return "G" if base == "C" else "C"


def reverse_complement(seq):
    return "".join(complement(b) for b in reversed(seq))


def gc_content(seq):
    return (seq.count("G") + seq.count("C")) / len(seq)


def gc_skew(seq, window):
    """Cumulative (G - C) / (G + C) over windows; its minimum marks the origin."""
    skew = []
    total = 0.0
    for i in range(0, len(seq) - window + 1, window):
        part = seq[i:i + window]
        g, c = part.count("G"), part.count("C")
        total += (g - c) / (g + c) if g + c else 0.0
        skew.append(total)
    return np.array(skew)


def codons_from(seq, start):
    """Codons up to the stop, or None where there is none."""
    found = []
    for i in range(start, len(seq) - 2, 3):
        codon = seq[i:i + 3]
        if codon in STOPS:
            return found
        found.append(codon)
    return None


def open_frames(seq, strand, min_codons, gc_weight):
    frames = []
    for i in range(len(seq) - 2):
        if seq[i:i + 3] != START:
            continue
        codons = codons_from(seq, i)
        if codons is None or len(codons) < min_codons:
            continue
        gc3 = sum(1 for codon in codons if codon[2] in "GC") / len(codons)
        frames.append(Frame(strand, i, len(codons), len(codons) * (1.0 + gc_weight * gc3)))
    return frames


def codon_usage(seq, frames):
    usage = Counter()
    for frame in frames:
        for k in range(frame.codons):
            at = frame.start + 3 * k
            usage[seq[at:at + 3]] += 1
    return usage


def melting_temperature(primer, salt):
    """Wallace's rule for short primers, a salt-corrected one for the others."""
    n = len(primer)
    gc = gc_content(primer)
    if n < 14:
        return 2.0 * n + 2.0 * n * gc
    return 81.5 + 16.6 * np.log10(salt) + 41.0 * gc - 675.0 / n


def scan(seq, gc_weight=0.5, salt=0.05, min_codons=2, window=6):
    """Best reading frames of both strands with usage statistics. Raises ValueError for letters that are no bases."""
    seq = seq.upper()
    unknown = sorted(set(seq) - set("ACGT"))
    if unknown:
        raise ValueError(f"not DNA: {unknown}")
    if len(seq) < window:
        raise ValueError(f"a sequence of {len(seq)} bases is shorter than the window of {window}")
    other = reverse_complement(seq)
    forward = open_frames(seq, 1, min_codons, gc_weight)
    frames = forward + open_frames(other, -1, min_codons, gc_weight)
    frames.sort(key=lambda f: (-f.score, f.start))
    by_strand = defaultdict(int)
    for frame in frames:
        by_strand[frame.strand] += frame.codons
    usage = codon_usage(seq, forward)
    skew = gc_skew(seq, window)
    return {
        "score": sum(f.score for f in frames),
        "tm": melting_temperature(seq[:10], salt) + melting_temperature(other[:18], salt),
        "frames": frames[:3],
        "coding": (by_strand[1], by_strand[-1]),
        "most_used": usage.most_common(1),
        "origin": int(np.argmin(skew)),
        "reverse": other,
    }


ENTRY = "scan"


def make_arguments(rng, n):
    body = "".join("ACGT"[i] for i in rng.integers(0, 4, size=6 * n))
    return ("atggcc" + body + "GGTTAACATGCGTTAG", 0.4, 0.06)


GRADIENT = ("gc_weight", "salt")
ERRORS = [
    (lambda rng, n: ("ACGTXX" * n,), ValueError),
    (lambda rng, n: ("ACG",), ValueError),
]

"""Sample inputs of operators, by name: what the generated tests run every row on.

A `Sample` is operands (NumPy values or Python numbers), static keywords, and whether the operator is smooth there, so
that its derivative can be compared with differences.  Elementwise sets are made from a domain for each operand, in all
shapes that matter: single numbers, no dimensions, empty, broadcast against each other, every dtype.  The sets of
reductions, structure and contractions are in `array_samples.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np

from ..records import dataclass

inf, nan = np.inf, np.nan


@dataclass(frozen=True, slots=True)
class Sample:
    operands: tuple[object, ...]
    static: Mapping[str, object] = field(default_factory=dict)
    smooth: bool = True


# Floats where functions on this domain are smooth, and ints inside it.
DOMAINS: dict[str, tuple[tuple[float, ...], tuple[int, ...]]] = {
    "reals": ((-2.3, -0.7, 0.4, 1.9, 3.2, -1.1), (-2, 3, 1, 0)),
    "others": ((1.7, 0.3, -1.2, 0.6, -0.45, 2.8), (2, -1, 3, 1)),
    "nonzero": ((-2.3, -0.7, 0.4, 1.9, 3.2, -1.1), (-2, 3, 1, 7)),
    "positive": ((0.2, 1.3, 4.1, 0.7, 2.2, 9.5), (1, 2, 3, 9)),
    "unit": ((-0.8, -0.1, 0.3, 0.9, 0.55, -0.35), (0, 0, 0, 0)),
    "above_one": ((1.2, 2.5, 3.7, 1.9, 6.1, 1.05), (2, 3, 5, 9)),
    "counts": ((), (0, 1, 2, 3)),
    "tens": ((), (10, 14, 12, 20)),
    "share": ((0.15, 0.4, 0.85, 0.6, 0.3, 0.93), (1, 0, 1, 0)),
    "negative": ((-2.3, -0.7, -0.4, -1.9, -3.2, -1.1), (-2, -3, -1, -5)),
    "off_poles": ((0.2, 1.3, -1.6, 0.7, -2.3, 9.5), (1, 2, 3, 9)),
    "ints": ((), (5, -3, 0, 12)),
}
SPECIAL = np.array([nan, inf, -inf, -0.0, 0.0, 1.0])
SHAPES: dict[int, list[tuple[tuple[int, ...], ...]]] = {
    1: [((3,),), ((),), ((0,),), ((2, 3),)],
    2: [((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((3,), ()), ((0, 2), (2,)), ((), ()), ((1,), (3,))],
    3: [((3,), (3,), (3,)), ((2, 1), (3,), ()), ((), (), ())],
    4: [((3,), (3,), (3,), (3,)), ((), (2, 1), (3,), ())],
}  # fmt: skip


def _floats(domain: str, shape: tuple[int, ...], dtype: object = np.float64) -> np.ndarray:
    values = DOMAINS[domain][0] or DOMAINS[domain][1]
    return np.resize(np.array(values), shape).astype(dtype)  # type: ignore[call-overload]


def _ints(domain: str, shape: tuple[int, ...], dtype: object) -> np.ndarray:
    return np.resize(np.array(DOMAINS[domain][1]), shape).astype(dtype)  # type: ignore[call-overload]


def _with_floats(domains: Sequence[str]) -> list[Sample]:
    found: list[Sample] = []
    for shapes in SHAPES[len(domains)]:
        for dtype in (np.float64, np.float32):
            arrays = [_floats(d, s, dtype) for d, s in zip(domains, shapes)]
            found.append(Sample(tuple(arrays)))
            found.append(Sample(tuple(a[()] if a.ndim == 0 else a for a in arrays)))
    found.append(Sample(tuple(float(_floats(d, (1,))[0]) for d in domains)))
    if len(domains) == 2:
        first, second = (_floats(d, (2, 3), np.float32) for d in domains)
        found += [Sample((first, float(second[0, 0]))), Sample((float(first[0, 0]), second))]
        inner = domains[1] != "share"  # whose ints are the ends
        found.append(Sample((_floats(domains[0], (3,)), _ints(domains[1], (3,), np.int32)), smooth=inner))
        found.append(Sample((np.float32(first[0, 0]), _floats(domains[1], (3,)))))
    return found


def _with_ints(domains: Sequence[str]) -> list[Sample]:
    arrays = [[_ints(d, (4,), t) for d in domains] for t in (np.int32, np.int64)]
    found = [Sample(tuple(a), smooth=False) for a in arrays]
    found.append(Sample(tuple(int(a[1]) for a in arrays[1]), smooth=False))
    return found


def smooth(*domains: str, special: bool = True) -> tuple[Sample, ...]:
    """Floats and ints of these domains; special values for each operand in turn."""
    found = _with_floats(domains) + _with_ints(domains)
    if special:
        for k in range(len(domains)):
            operands = [_floats(d, (6,)) for d in domains]
            operands[k] = SPECIAL
            found.append(Sample(tuple(operands), smooth=False))
    return tuple(found)


def whole(*domains: str) -> tuple[Sample, ...]:
    """Ints and bools only."""
    found = _with_ints(domains)
    if "counts" not in domains:
        found.append(Sample((np.array([True, False, True]),) * len(domains), smooth=False))
    return tuple(found)


def singles(*domains: str) -> tuple[Sample, ...]:
    """Single numbers, as the functions of `math` take them: Python's, NumPy's, ints."""
    found: list[Sample] = []
    for i in range(4):
        floats = [_floats(d, (6,))[i] for d in domains]
        found.append(Sample(tuple(float(v) for v in floats)))
        found.append(Sample(tuple(floats)))
        found.append(Sample(tuple(np.float32(v) for v in floats)))
        found.append(Sample(tuple(int(_ints(d, (4,), np.int64)[i]) for d in domains), smooth=False))
    return tuple(found)


BOOLS = np.array([True, False, True])
TRUTHS = (np.array([True, True, False, False]), np.array([True, False, True, False]))


def _choices() -> tuple[Sample, ...]:
    pairs = [((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((3,), ()), ((0, 3), (3,))]
    samples = []
    for left, right in pairs:
        for dtype in (np.float64, np.float32):
            operands = (_floats("reals", left, dtype), _floats("others", right, dtype))
            samples.append(Sample((BOOLS, *operands)))
            samples.append(Sample((True, *operands)))
    samples += [Sample((True, 1.5, 2.5)), Sample((np.True_, np.float32(1.5), 2))]
    samples.append(Sample((np.False_, 1.0, np.float64(2.0))))
    samples += [Sample((BOOLS, 1.5, _floats("reals", (3,), np.float32))), Sample((BOOLS, 1.5, 2.5))]
    samples += [Sample((BOOLS, 1, 2), smooth=False), Sample((False, 1, 2), smooth=False)]
    return tuple(samples)


def _without_ints(samples: tuple[Sample, ...]) -> tuple[Sample, ...]:
    return tuple(s for s in samples if all(np.asarray(o).dtype.kind == "f" for o in s.operands))


def _complex_numbers() -> tuple[Sample, ...]:
    """Complex numbers and real ones."""
    numbers = np.array([0.4 - 2.3j, -0.7 + 1.1j, 1.9 + 0.0j, -3.2 - 0.5j])
    arrays = [np.resize(numbers, shape).astype(t) for shape in ((4,), (2, 3), (0,)) for t in ("c16", "c8")]
    singles = [numbers[0], np.complex64(numbers[1]), complex(numbers[3])]
    return tuple(Sample((x,)) for x in (*arrays, *singles)) + smooth("reals", special=False)


SAMPLES: dict[str, tuple[Sample, ...]] = {
    "numbers": smooth("nonzero"),
    "reals": smooth("reals"),
    "complex_numbers": _complex_numbers(),
    "nonzero": smooth("nonzero", special=False),
    "nonzero_reals": smooth("nonzero"),
    "positive": smooth("positive"),
    "unit": smooth("unit"),
    "above_one": smooth("above_one"),
    "pairs": smooth("reals", "others"),
    "real_pairs": smooth("reals", "others"),
    "quotients": smooth("reals", "others", special=False),
    "powers": smooth("positive", "positive") + tuple(_with_floats(("positive", "others"))),
    "choices": _choices(),
    "truth": (Sample((TRUTHS[0],)), Sample((True,)), Sample((np.False_,))),
    "truths": (Sample(TRUTHS), Sample((True, False)), Sample((np.True_, True)), Sample((TRUTHS[0], False))),
    "bits": whole("ints", "counts") + whole("ints", "ints"),
    "bits_alone": whole("ints"),
    "shifts": whole("ints", "counts"),
    "real_numbers": singles("reals"),
    "nonzero_numbers": singles("nonzero"),
    "positive_numbers": singles("positive"),
    "unit_numbers": singles("unit"),
    "above_one_numbers": singles("above_one"),
    "nonzero_pair_numbers": singles("nonzero", "others"),
    "power_numbers": singles("positive", "others"),
    "stopped": _without_ints(smooth("reals")),
    "stopped_pairs": tuple(Sample(s.operands * 2, smooth=False) for s in _without_ints(smooth("reals"))),
    "stored": tuple(
        Sample((np.array(numbers, dtype),), smooth=False)
        for numbers, dtype in (([0, 1, -1, 2**62, 2**52 - 7], "i8"), ([0, 1, -1, 2**30], "i4"), ([], "i8"))
    ),
    "collectives": (),  # they have a meaning among many examples alone
    "special_numbers": singles("reals") + tuple(Sample((float(v),), smooth=False) for v in SPECIAL),
}

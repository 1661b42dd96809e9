"""The arguments of generated programs: seven variations of lengths, layouts, dtypes and special values."""

import dataclasses

import numpy as np

# name: dtype and lengths
PARAMETERS = {
    "x": ("f64", ("n",)),
    "y": ("f64", ("n",)),
    "z": ("f64", ("m",)),
    "A": ("f64", ("n", "m")),
    "B": ("f64", ("m", "n")),
    "q": ("f32", ("n",)),
    "j": ("i64", ("n",)),
    "h": ("i32", ("m",)),
    "w": ("bool", ("n",)),
    "idx": ("i64", ("n",)),
    "s": ("f64", ()),
    "k": ("i64", ()),
    "flag": ("bool", ()),
}
DTYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "bool": np.bool_}
SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1e300, 5e-324, -1.0)
BIG = {"i64": (2**62, -(2**63), 2**53 + 1, -1, 0), "i32": (2**31 - 1, -(2**31), -1, 0)}


@dataclasses.dataclass(frozen=True, slots=True)
class Variation:
    """How the arguments of one call are made."""

    n: int
    m: int
    layout: str = "C"
    special: bool = False
    other_dtypes: bool = False


VARIATIONS = (
    Variation(4, 3),
    Variation(3, 3),
    Variation(2, 5, "mixed"),
    Variation(1, 4),
    Variation(0, 2),
    Variation(5, 2, "mixed", other_dtypes=True),
    Variation(4, 3, special=True),
)


def make(names, variation, seed):
    """The arguments for these parameters, the same for the same seed."""
    rng = np.random.default_rng(seed)
    return tuple(_make(name, variation, rng) for name in names)


def _make(name, variation, rng):
    dtype, shape = PARAMETERS[name]
    lengths = tuple({"n": variation.n, "m": variation.m}[part] for part in shape)
    if not shape:
        return _scalar(dtype, variation, rng)
    if name == "idx":
        return rng.integers(-lengths[0], max(lengths[0], 1), lengths)
    if variation.other_dtypes and rng.integers(2):
        dtype = rng.choice([other for other in DTYPES if other != dtype])
    return laid_out(_values(dtype, lengths, variation, rng), variation.layout, rng)


def _scalar(dtype, variation, rng):
    match dtype:
        case "f64":
            value = float(np.round(rng.uniform(-1.5, 1.5), 3))
            return (
                float(rng.choice(SPECIAL))
                if variation.special
                else np.float32(value)
                if _other(variation, rng)
                else value
            )
        case "i64":
            value = int(rng.integers(0, 4))
            return np.int32(value) if _other(variation, rng) else value
    return bool(rng.integers(2))


def _other(variation, rng):
    return variation.other_dtypes and rng.integers(3) == 0


def _values(dtype, lengths, variation, rng):
    if dtype == "bool":
        return rng.integers(0, 2, lengths).astype(bool)
    if dtype in BIG:
        values = rng.integers(-6, 7, lengths).astype(DTYPES[dtype])
        special = np.array(BIG[dtype], DTYPES[dtype])
    else:
        values = np.round(rng.uniform(-1.5, 1.5, lengths), 3).astype(DTYPES[dtype])
        with np.errstate(all="ignore"):
            special = np.array(SPECIAL).astype(DTYPES[dtype])
    if variation.special:
        return np.where(rng.random(lengths) < 0.4, rng.choice(special, lengths), values)
    return values


def laid_out(value, layout, rng):
    """The same numbers with other strides."""
    if layout == "C" or not value.size:
        return value
    match rng.integers(4):
        case 0:
            return np.ascontiguousarray(value[::-1])[::-1]
        case 1:
            return np.repeat(value, 2, axis=-1)[..., ::2]
        case 2 if value.ndim == 2:
            return np.ascontiguousarray(value.T).T
    return value

"""Sample inputs of reductions, creation, structure and contractions; see `samples.py`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..dtypes import DTYPES, PYTHON_WORDS
from .routine_samples import ROUTINE_SAMPLES
from .samples import DOMAINS, SAMPLES, Sample, smooth
from .schema import OPERATORS

GRID = np.array([[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]])
GRID32 = GRID.astype(np.float32)
CUBE = np.linspace(-1.0, 2.0, 24).reshape(2, 3, 4) ** 2 - 0.3
TURNED = CUBE.transpose(0, 2, 1)


def _reductions() -> tuple[Sample, ...]:
    with_zero = np.array([[2.0, 0.0, 3.0], [1.5, 4.0, -1.0]])
    arrays = (GRID, GRID32, GRID.T, GRID[0], np.float64(1.5), np.array(2.5), with_zero)
    samples = [Sample((a,), {"axis": None, "keepdims": k}) for a in arrays for k in (False, True)]
    for array, axes in ((GRID, (0, 1, -1, (0, 1))), (CUBE, (0, 1, 2, (0, 2), (1, 2), (0, 1, 2)))):
        samples += [Sample((array,), {"axis": axis, "keepdims": k}) for axis in axes for k in (False, True)]
    ints = np.array([[3, -1, 2], [0, 5, 1]])
    others = (ints, ints.astype(np.int32), ints > 0, np.array([1.0, np.nan, 3.0]), np.array([-0.0, 0.0]))
    samples += [Sample((a,), {"axis": axis, "keepdims": False}, False) for a in others for axis in (None, 0)]
    return (*samples, Sample((np.zeros((0, 3)),), {"axis": 1, "keepdims": False}, False))


def _static(name: str, *pairs: tuple[object, object], smooth: bool = True) -> tuple[Sample, ...]:
    """One operand and one static keyword."""
    return tuple(Sample((operand,), {name: value}, smooth) for operand, value in pairs)


def _made(
    shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str], *operands: object, smooth: bool = True, **more: object
) -> list[Sample]:
    return [Sample(operands, {"shape": s, "dtype": d, **more}, smooth) for s in shapes for d in dtypes]


def _conversions() -> tuple[Sample, ...]:
    arrays = (GRID, GRID32, GRID > 0, np.array(1.5))
    singles = (2.5, 4, True, np.float64(-2.7), np.float32(1.5), np.int32(3), np.True_)
    samples = [Sample((v,), {"dtype": d, "weak": False}, d == "f64") for v in (*arrays, *singles) for d in DTYPES]
    samples += [Sample((v,), {"dtype": d, "weak": True}, d == "f64") for v in singles for d in PYTHON_WORDS]
    return tuple(samples)


SQUARE = np.array([[4.0, -1.5, 0.5], [1.0, 3.0, -0.75], [0.25, 2.0, -5.0]])
SYSTEMS = (
    (SQUARE, GRID[0]), (SQUARE, GRID.T), (SQUARE.T, GRID[1]), (SQUARE[::-1], GRID.T), (SQUARE, SQUARE.T),
    (SQUARE[:2, :2], GRID[:, :1]), (SQUARE.astype(np.float32), GRID32[0]), (SQUARE.astype(np.float32), GRID[0]),
    (SQUARE[:1, :1], GRID[1, :1]),
)  # fmt: skip
PRODUCTS = (
    (GRID, GRID.T), (GRID, GRID[0]), (GRID[:, 0], GRID), (GRID[0], GRID[1]),
    (CUBE, TURNED), (CUBE, CUBE[0, 0]), (CUBE, CUBE[0].T), (CUBE[0], TURNED), (GRID[0], CUBE), (CUBE[:1], TURNED),
    (CUBE[:, None], TURNED[None, :]), (GRID32, GRID32.T), (GRID32, GRID.T), (GRID[:, :1], GRID[:1]),
    (np.zeros((2, 0)), np.zeros((0, 3))), (np.zeros(0), np.zeros(0)),
)  # fmt: skip

EINSUMS = (
    ("ij,jk->ik", GRID, GRID.T), ("ij,kj->ik", GRID, GRID), ("ij,ij->ij", GRID, GRID), ("ij,ij->", GRID, GRID),
    ("ij,ji->", GRID, GRID.T), ("ij,j->i", GRID, GRID[0]), ("ij,ij->i", GRID, GRID), ("bij,bjk->bik", CUBE, TURNED),
    ("i,j->ji", GRID[0], GRID[1]), ("bij,jk->kbi", CUBE, CUBE[0].T), ("ij,->ij", GRID, np.float64(2.0)),
    ("ij,ij->ji", GRID32, GRID), ("ij,ij->", GRID[:, :1], GRID), ("ij,jk->ik", GRID[:, :1], GRID),
)  # fmt: skip


def _has_gaps(matrix: np.ndarray) -> bool:
    """Whether the singular values of a matrix are apart from each other and from zero."""
    if not np.isfinite(matrix).all() or matrix.ndim != 2:
        return matrix.ndim != 2
    values = np.append(np.linalg.svd(matrix, compute_uv=False), 0.0)
    return bool((values[:-1] - values[1:] > 1e-3).all())


SAMPLES.update({
    "arrays": _reductions(),
    "sharded": (Sample((GRID,), {"spec": (("x",), None)}), Sample((CUBE[:, ::2],), {"spec": (None, None, ("x", "y"))})),
    "arrays_alone": tuple(Sample((a,)) for a in (GRID, GRID.T, CUBE[:, ::2], np.array(1.0), np.zeros((0, 2)))),
    "shapes": tuple(_made([(), (3,), (2, 0), (2, 3)], DTYPES)),
    "fills": (
        *_made([(), (3,), (0,), (2, 3)], ["f64"], 1.5),
        *_made([(3,), (2, 3)], ["f64"], np.float32(2.0)),
        *_made([(3,)], ["f32"], 1.5, smooth=False),
        *_made([(2,)], ["i64", "bool"], 7, smooth=False),
    ),
    "progressions": (
        *_made([(4,)], ["i64", "i32", "f64"], 0, 4, 1, smooth=False),
        *_made([(3,)], ["i64", "f32"], 7, 1, -2, smooth=False),
        *_made([(0,)], ["i64"], 3, 1, 1, smooth=False),
        *_made([(8,)], ["f64"], 0.5, 2.3, 0.25),
        *_made([(8,)], ["f32"], 0.5, 2.3, 0.25, smooth=False),
    ),
    "squares": tuple(s for k in (0, 1, -2) for s in _made([(3, 3), (2, 4), (0, 2)], ["f64", "i64"], offset=k)),
    "tables": (
        *_made([(2, 3), (6,)], ["f64", "f32"], values=(0.5, -1.0, 2.0, 0.0, 1e300, 3.25), smooth=False),
        *_made([(3,), (3, 1)], ["i64", "i32"], values=(7, -1, 0), smooth=False),
        *_made([(2,)], ["bool"], values=(True, False), smooth=False),
    ),
    "reshapes": _static(
        "shape", (GRID, (3, 2)), (GRID, (6,)), (GRID.T, (2, 3)), (np.array(1.5), (1, 1)), (CUBE, (6, 4)),
        (np.zeros((0, 3)), (3, 0)), (np.array([2.0]), ()),
    ),
    "transposes": _static("axes", (GRID, (1, 0)), (CUBE, (2, 0, 1)), (CUBE, (0, 1, 2)), (CUBE[:, ::2], (1, 0, 2))),
    "broadcasts": _static(
        "shape", (GRID, (2, 3)), (GRID[0], (4, 3)), (GRID[:, :1], (2, 5)), (np.float64(1.5), (2, 2)), (2.5, (3,)),
        (GRID[:1, :1], (4, 2, 3)), (np.zeros((0, 1)), (0, 4)),
    ),
    "joins": tuple(Sample(parts, {"axis": axis}) for axis, *parts_ in (
        (0, GRID, GRID + 1.0), (1, GRID, GRID[:, :1], GRID), (-1, GRID), (0, GRID[0], GRID[0, :0], GRID[1]),
        (0, GRID, GRID32), (0, GRID, np.ones((1, 3), np.int64)),
    ) for parts in [tuple(parts_)]),
    "determinants": (Sample((np.float64(0.0), np.ones((3, 3))), smooth=False),),
    "logarithms": (Sample((np.zeros((3, 3)), np.eye(3)), smooth=False),),
    "lengths": _static("axis", (GRID, 0), (GRID, 1), (CUBE, 2), (np.zeros((0, 2)), 0), smooth=False),
    "conversions": _conversions(),
    "products": (*map(Sample, PRODUCTS), Sample((np.ones((2, 2), np.int32), np.ones((2, 2), np.int64)), smooth=False),
                 Sample((GRID > 0, GRID.T > 0), smooth=False)),
    "systems": tuple(map(Sample, SYSTEMS)),
    "rows": _static("shape", *((a, (len(a), a.shape[1] // 2 + 1)) for (a,) in ROUTINE_SAMPLES["rows"])),
    "half_rows": _static("shape", *((a, (len(a), 2 * a.shape[1] - k))
                                    for k, (a,) in enumerate(ROUTINE_SAMPLES["half_rows"][3:], 1))),
    **{
        name: tuple(Sample(o, smooth=_has_gaps(o[0])) for o in sets if max(len(a) for a in o) < 6)
        for name, sets in ROUTINE_SAMPLES.items() if name not in ("systems", "rows", "half_rows")
    },
    "einsums": tuple(Sample(tuple(operands), {"subscripts": s}) for s, *operands in EINSUMS),
})  # fmt: skip
# The samples of a row that names a domain for each operand.
SAMPLES.update({
    row.samples: smooth(*row.samples.split(), special=False)
    for row in OPERATORS.values()
    if row.samples not in SAMPLES and all(word in DOMAINS for word in row.samples.split())
})  # fmt: skip

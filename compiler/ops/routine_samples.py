"""Sample operands of library routines, by name: what the generated tests call every row on.

All are of float64 or complex128, and are converted; among them are empty ones, those that a routine refuses or fails
on, and those whose lengths do not go together.
"""

from __future__ import annotations

import numpy as np

Operands = tuple[np.ndarray, ...]


def _made(*shape: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng((seed, *shape)).normal(size=shape)


def _pairs(*shape: int) -> np.ndarray:
    return _made(*shape) + 1j * _made(*shape, seed=2)


def _square(n: int) -> np.ndarray:
    return _made(n, n) + 3.0 * np.eye(n)


def _symmetric(n: int) -> np.ndarray:
    return _made(n, n) + _made(n, n).T


def _apart(n: int) -> np.ndarray:
    """Eigenvalues far from each other, the first two of them a pair: rounding does not change their order."""
    made = np.diag(np.arange(1.0, n + 1.0)) + 0.1 * np.triu(_made(n, n), 1)
    if n > 1:
        made[1, 0], made[0, 1], made[1, 1] = -1.0, 4.0, 1.0
    return made


def _band(n: int) -> np.ndarray:
    """A diagonal below and one above, and the row in which factors are kept."""
    return _made(4, n) + np.array([[0.0], [0.0], [1.0], [0.0]])


def _positive(n: int) -> np.ndarray:
    return _made(n, n) @ _made(n, n).T + np.eye(n)


SIZES = (0, 1, 2, 5, 40)
WRONG = (_made(2, 3), _made(3, 2))
NAN = np.full((3, 3), np.nan)
SINGULAR = (np.zeros((2, 2)), np.ones((3, 3)), np.triu(np.ones((3, 3)), 1))

ROUTINE_SAMPLES: dict[str, tuple[Operands, ...]] = {
    "matrix_products": tuple((_made(n, k), _made(k, m)) for n in (0, 1, 3) for k in (0, 1, 4) for m in (0, 1, 5))
    + ((_made(2, 3), _made(2, 3)),),
    "vector_products": tuple((_made(n, k), _made(k)) for n in (0, 1, 3) for k in (0, 1, 4))
    + ((_made(2, 3), _made(2)),),
    "dot_products": tuple((_made(k), _made(k, seed=2)) for k in SIZES) + ((_made(2), _made(3)),),
    "rows": tuple((_made(m, n),) for m in (0, 1, 3) for n in (1, 2, 5, 8)),
    "unordered_rows": tuple((_made(m, n),) for m in (0, 1, 3) for n in (0, 1, 2, 17, 40))
    + ((np.array([[0.0, np.nan, -0.0, np.inf, -np.inf, 0.0]]),), (np.zeros((2, 5)),)),
    "rows_of_complex": tuple((_pairs(m, n),) for m in (0, 1, 3) for n in (1, 2, 5, 8)),
    "half_rows": tuple((_pairs(m, n),) for m in (0, 1, 3) for n in (2, 3, 5)),
    "systems": tuple((_square(n), b) for n in SIZES for b in (_made(n), _made(n, 3), _made(n, 0)))
    + tuple((a, _made(len(a), 2)) for a in (*SINGULAR, *WRONG, NAN))
    + ((_square(3), _made(2)), (_square(3), _made(2, 2))),
    "factors": tuple((_made(n, n) + 9.0 * np.eye(n), (np.arange(n) + n) // 2, b)
                     for n in SIZES for b in (_made(n), _made(n, 3), _made(n, 0)))
    + tuple((a, np.arange(3), b) for a in (_square(3), _made(2, 3)) for b in (_made(2), _made(2, 2))),
    "triangles": tuple((np.tril(_square(n)), b) for n in SIZES[1:] for b in (_made(n), _made(n, 3)))
    + tuple((a, _made(len(a), 2)) for a in (*SINGULAR, *WRONG))
    + ((_square(3), _made(2)), (_square(3), _made(2, 2))),
    "lower_triangles": tuple((np.tril(_square(n)),) for n in SIZES[1:])
    + tuple((np.tril(a),) for a in (*SINGULAR, *WRONG)),
    "positive_definite": tuple((_positive(n),) for n in SIZES)
    + tuple((a,) for a in (*SINGULAR, *WRONG, NAN, -np.eye(3))),
    "matrices": tuple((_made(m, n),) for m in SIZES for n in (0, 1, 3, 40)) + tuple((a,) for a in SINGULAR),
    "square_matrices": tuple((_square(n),) for n in SIZES) + tuple((a,) for a in (*SINGULAR, *WRONG, NAN)),
    "apart_in_eigenvalues": tuple((a,) for a in WRONG) + tuple((_apart(n),) for n in (0, 1, 2, 3, 5, 8)),
    "square_pairs": tuple((a,) for a in WRONG) + tuple((_apart(n) * (1.0 + 0.5j),) for n in (0, 1, 2, 3, 5, 8)),
    "sylvester": tuple((_apart(m) * (1.0 + 0.5j), _apart(n) + 0j, _pairs(m, n)) for m in (0, 1, 3) for n in (0, 1, 4))
    + ((_pairs(2, 2), _pairs(3, 3), _pairs(3, 3)), (_pairs(2, 3), _pairs(3, 3), _pairs(2, 3))),
    "bands": tuple((_made(1), _band(n), b) for n in SIZES[1:] for b in (_made(n), _made(n, 3)))
    + ((_made(2), _made(5, 4), _made(4)), (_made(0), 1.0 + np.abs(_made(3, 4)), _made(4)))
    + ((_made(1), np.zeros((4, 3)), _made(3)), (_made(1), _band(3), _made(2)), (_made(1), _band(3), _made(2, 2))),
    "symmetric": tuple((_symmetric(n),) for n in SIZES) + tuple((a,) for a in (*SINGULAR, *WRONG, np.eye(4))),
}

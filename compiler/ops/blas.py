"""Rows: products of matrices and vectors, which BLAS computes for floats and plain loops for everything else.

    gemm(c, a, b)     c[i, j] = sum of a[i, k] * b[k, j]
    gemv(y, a, x)     y[i]    = sum of a[i, k] * x[k]
    dot(x, y)         sum of x[k] * y[k]

BLAS reads columns, so that it is asked for the transposed product; an operand whose rows or columns are contiguous is
passed as it is, every other one is copied first.
"""

from __future__ import annotations

import operator

import numpy as np

from .routines import gufunc, routine

PRODUCT = gufunc("matmul", "(n?,k),(k,m?)->(n?,m?)")
DOT = "shapes ({known},) and ({found},) not aligned: {known} (dim 0) != {found} (dim 0)"

routine("gemm", "c(n, m) <- a(n, k), b(k, m)", meaning=operator.matmul, work="n * m * k", mismatch=(PRODUCT,),
        is_product=True, samples="matrix_products", steps="""
            left = rows(a)
            right = rows(b)
            gemm(trans(right), trans(left), m, n, k, 1.0, right, lead(right), left, lead(left), 0.0, c, m)
        """)  # fmt: skip
routine("gemv", "y(n) <- a(n, k), x(k)", meaning=operator.matmul, work="n * k", mismatch=(PRODUCT,),
        is_product=True, samples="vector_products", steps="""
            left = rows(a)
            right = vector(x)
            gemv(turned(left), inner(left), outer(left), 1.0, left, lead(left), right, step(right), 0.0, y, 1)
        """)  # fmt: skip
routine("dot", "s() <- x(k), y(k)", meaning=np.dot, work="k", mismatch=(DOT,), is_product=True, samples="dot_products",
        steps="""
            left = vector(x)
            right = vector(y)
            s = dot(k, left, step(left), right, step(right))
        """)  # fmt: skip

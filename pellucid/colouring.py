"""Colour the columns of a sparse matrix, so that those of one colour are told apart in their sum.

    column_colours    no two columns of a colour have an element in the same row:   a Jacobian
    star_colours      of a symmetric matrix: each element is alone in its row, or in its column, among those of the
                      colour

Written in the language; `ready` compiles them.  Matrices come by rows (`start`, `column`, as the `indptr` and
`indices` of scipy.sparse) and by columns.

Sources: A. Curtis, M. Powell and J. Reid, On the Estimation of Sparse Jacobian Matrices (1974), J. Inst. Maths Applics
13; A. Gebremedhin, F. Manne and A. Pothen, What Color Is Your Jacobian? (2005), SIAM Review 47, algorithms 3.1 and 4.1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .transformations import compile


@cache
def ready(function: Callable[..., Any]) -> Any:
    """The function compiled, when it is first needed: importing Pellucid compiles nothing."""
    return compile(function)


def column_colours(start, column, column_start, row):
    """The colour of each column: the first that no column has with which it shares a row."""
    count = len(column_start) - 1
    colour = np.full(count, -1)
    seen = np.full(count + 1, -1)
    for j in range(count):
        for place in range(column_start[j], column_start[j + 1]):
            i = row[place]
            for other in range(start[i], start[i + 1]):
                taken = colour[column[other]]
                if taken >= 0:
                    seen[taken] = j
        free = 0
        while seen[free] == j:
            free += 1
        colour[j] = free
    return colour


def star_colours(start, column):
    """The colours of the columns of a symmetric matrix: neighbours differ, and a path of four has three of them."""
    count = len(start) - 1
    colour = np.full(count, -1)
    seen = np.full(count + 1, -1)
    for v in range(count):
        for first in range(start[v], start[v + 1]):
            w = column[first]
            if w == v:
                continue
            if colour[w] >= 0:
                seen[colour[w]] = v
            for second in range(start[w], start[w + 1]):
                x = column[second]
                if x in (v, w) or colour[x] < 0:
                    continue
                if colour[w] < 0:
                    seen[colour[x]] = v
                    continue
                for third in range(start[x], start[x + 1]):
                    y = column[third]
                    if y != w and y != x and colour[y] == colour[w]:
                        seen[colour[x]] = v
                        break
        free = 0
        while seen[free] == v:
            free += 1
        colour[v] = free
    return colour

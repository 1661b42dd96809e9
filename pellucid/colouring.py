"""Colour the columns of a sparse matrix, so that those of one colour are told apart in their sum.

    column_colours    no two columns of a colour have an element in the same row:   a Jacobian
    star_colours      of a symmetric matrix: each element is alone in its row, or in its column, among those of the
                      colour
    acyclic_colours   of a symmetric matrix: the elements of two colours are the edges of trees, so that each is found
                      from the leaves on (`leaves_first`, `substituted`).  It takes fewer colours, and adds rounding
                      errors up along a tree

Written in the language; `ready` compiles them.  Matrices come by rows (`start`, `column`, as the `indptr` and
`indices` of scipy.sparse) and by columns.

Sources: A. Curtis, M. Powell and J. Reid, On the Estimation of Sparse Jacobian Matrices (1974), J. Inst. Maths Applics
13; A. Gebremedhin, F. Manne and A. Pothen, What Color Is Your Jacobian? (2005), SIAM Review 47, algorithms 3.1 and 4.1;
A. Gebremedhin, A. Tarafdar, F. Manne and A. Pothen, New Acyclic and Star Coloring Algorithms (2007), SIAM Journal on
Scientific Computing 29, algorithm 3.1.
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


def acyclic_colours(start, column, edge, edges):
    """The colours of the columns of a symmetric matrix: neighbours differ, and no cycle has two of them.

    `edge` numbers the elements off the diagonal, both halves alike.  Those of two colours that hang together are a set,
    told by the edge at the end of the chain of `parent`.
    """
    count = len(start) - 1
    colour = np.full(count, -1)
    seen = np.full(count + 1, -1)
    parent = np.arange(edges)
    met_by, met_from = np.full(edges, -1), np.full(edges, -1)
    for v in range(count):
        for first in range(start[v], start[v + 1]):
            w = column[first]
            if w != v and colour[w] >= 0:
                seen[colour[w]] = v
        for first in range(start[v], start[v + 1]):
            w = column[first]
            if w == v or colour[w] < 0:
                continue
            for second in range(start[w], start[w + 1]):
                x = column[second]
                if x in (v, w) or colour[x] < 0 or seen[colour[x]] == v:
                    continue
                tree = last_of(parent, edge[second])
                if met_by[tree] != v:
                    met_by[tree] = v
                    met_from[tree] = w
                elif met_from[tree] != w:  # from here on and back to v would be a cycle
                    seen[colour[x]] = v
        free = 0
        while seen[free] == v:
            free += 1
        colour[v] = free
        for first in range(start[v], start[v + 1]):
            w = column[first]
            if w == v or colour[w] < 0:
                continue
            own = edge[first]
            for second in range(start[w], start[w + 1]):
                x = column[second]
                if x != v and x != w and colour[x] == free:
                    parent[last_of(parent, edge[second])] = last_of(parent, own)
            for other in range(start[v], first):
                if column[other] != v and colour[column[other]] == colour[w]:
                    parent[last_of(parent, edge[other])] = last_of(parent, own)
    return colour


def last_of(parent, place):
    while parent[place] != place:
        place = parent[place]
    return place


def leaves_first(first, second, sums):
    """The order in which elements are found that stand in two of the given number of sums each: of each element the sum
    in which it is the last one left, the other one, and its number; and how many are subtracted one after the other."""
    left, mixed = np.zeros(sums, dtype=np.int64), np.zeros(sums, dtype=np.int64)
    for e in range(len(first)):
        for place in (first[e], second[e]):
            left[place] += 1
            mixed[place] ^= e
    queue, reach = np.zeros(sums, dtype=np.int64), np.zeros(sums, dtype=np.int64)
    own, other = np.zeros(len(first), dtype=np.int64), np.zeros(len(first), dtype=np.int64)
    number = np.zeros(len(first), dtype=np.int64)
    tail = 0
    for place in range(sums):
        if left[place] == 1:
            queue[tail] = place
            tail += 1
    head, made, longest = 0, 0, 0
    while head < tail:
        place = queue[head]
        head += 1
        if left[place] != 1:  # found from the other side
            continue
        e = mixed[place]
        rest = first[e] + second[e] - place
        own[made], other[made], number[made] = place, rest, e
        made += 1
        left[place] = 0
        left[rest] -= 1
        mixed[rest] ^= e
        reach[rest] = max(reach[rest], reach[place] + 1)
        longest = max(longest, reach[rest])
        if left[rest] == 1:
            queue[tail] = rest
            tail += 1
    return own, other, number, longest


def substituted(sums, own, other):
    """The elements in that order: each is what is left of a sum, and is taken from the other one."""
    left = sums.copy()
    found = np.zeros(len(own), dtype=sums.dtype)
    for k in range(len(own)):
        found[k] = left[own[k]]
        left[other[k]] -= found[k]
    return found

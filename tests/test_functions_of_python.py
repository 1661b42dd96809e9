"""Functions of Python's libraries that were imported by name: those of C say that they are of `_functools`."""

from bisect import bisect_left
from functools import reduce
from heapq import heappop, heappush
from operator import itemgetter, mul

import numpy as np
import pytest

import pellucid

V = np.array([1.5, -0.25, 3.0, 0.75])


def product_of_all(v):
    return reduce(mul, [v, v + 1.0, v])


def chain_of_matrices(v):
    return reduce(np.dot, [np.outer(v, v), np.diag(v), v])


def least_of_heap(v):
    heap = []
    for x in v:
        heappush(heap, x)
    return heappop(heap), bisect_left([0.0, 1.0, 2.0], v[0])


def ordered(v):
    return sorted([(k, x) for k, x in enumerate(v)], key=itemgetter(1))


@pytest.mark.parametrize("function", [product_of_all, chain_of_matrices, least_of_heap, ordered])
def test_values_are_pythons(function):
    found, wanted = pellucid.compile(function)(V), function(V)
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=1e-14)

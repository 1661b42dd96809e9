"""Say by whole arrays what is written element by element: products of matrices, and values stored into all of an array.

    for i, j, k:  c[i, j] += a[i, k] * b[k, j]      ->      c_1 = c + a @ b
    c[:] = c * 2.0                                          c_2 = c_1 * 2.0

`take_products` is the step, which knows whether the user asked for the loops as they are written.
Takes and gives typed functions in which every name is a value; derivatives are taken of what it gives.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..frontend.specialise.specialised import Specialised
from ..program import Function
from .products.products import products
from .prune import prune
from .simplify import simplify
from .whole_stores import whole_stores


def in_arrays(function: Function) -> Function:
    """The function in whole arrays; the same object where nothing can be said so."""
    taken = products(function)
    made = whole_stores(taken)
    return taken if made is taken else prune(simplify(made))


def take_products(made: Specialised, asked: Any) -> Specialised:
    """Replace loops over elements by whole arrays, unless they are to stay as they are written."""
    change = in_arrays if asked.request.rewrite else lambda function: function.with_(as_written=True)
    return replace(made, program=made.program.map(change))

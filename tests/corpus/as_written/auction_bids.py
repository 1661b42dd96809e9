"""A double auction: bids and asks as objects, sorted by price, matched and partly filled.

Friedman and Rust, "The double auction market".
"""
from dataclasses import dataclass

import numpy as np


@dataclass
class Bid:
    price: float
    quantity: float
    trader: int
    filled: float = 0.0

    def left(self):
        return self.quantity - self.filled


def clear(prices, quantities, sides):
    """Surplus, volume, and what each trader got."""
    if (quantities <= 0).any():
        raise ValueError("quantities must be positive")
    bids, asks = [], []
    for k in range(len(prices)):
        bid = Bid(prices[k], quantities[k], k)
        if sides[k] > 0:
            bids.append(bid)
        else:
            asks.append(bid)
    bids.sort(key=lambda b: -b.price)
    asks.sort(key=lambda b: b.price)
    surplus, volume = 0.0, 0.0
    i, j = 0, 0
    while i < len(bids) and j < len(asks):
        buyer, seller = bids[i], asks[j]
        if buyer.price < seller.price:
            break
        traded = min(buyer.left(), seller.left())
        buyer.filled += traded
        seller.filled += traded
        surplus += traded * (buyer.price - seller.price)
        volume += traded
        if buyer.left() <= 0:
            i += 1
        if seller.left() <= 0:
            j += 1
    got = np.zeros(len(prices))
    for bid in sorted(bids + asks, key=lambda b: b.trader):
        got[bid.trader] = bid.filled
    return surplus, volume, got


ENTRY = "clear"


def make_arguments(rng, n):
    return (rng.uniform(8, 12, 3 * n), rng.uniform(1, 5, 3 * n), rng.choice([-1, 1], 3 * n))


GRADIENT = ("prices", "quantities")
ERRORS = [(lambda rng, n: (np.ones(n), -np.ones(n), np.ones(n)), ValueError)]

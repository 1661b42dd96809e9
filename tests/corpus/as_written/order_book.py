"""A limit order book with price-time priority, its mid price, imbalance and the cost of a market order.

Harris, "Trading and Exchanges" (2003); Cont, Stoikov & Talreja (2010) for the stylised flow.
"""
import heapq
import math
from typing import NamedTuple

import numpy as np


class Order(NamedTuple):
    side: str
    price: float
    size: int
    time: int


class Trade(NamedTuple):
    price: float
    size: int
    time: int


class Book:
    def __init__(self, tick=0.01):
        self.bids = []
        self.asks = []
        self.trades = []
        self.tick = tick

    @property
    def best_bid(self):
        return -self.bids[0][0] if self.bids else None

    @property
    def best_ask(self):
        return self.asks[0][0] if self.asks else None

    def mid(self):
        if self.best_bid is None or self.best_ask is None:
            return math.nan
        return 0.5 * (self.best_bid + self.best_ask)

    def submit(self, order):
        """Match against the other side, rest what is left."""
        left = order.size
        other, sign = (self.asks, 1) if order.side == "buy" else (self.bids, -1)
        while left > 0 and other and other[0][0] <= sign * order.price:
            key, time, size = heapq.heappop(other)
            done = min(left, size)
            self.trades.append(Trade(abs(key), done, order.time))
            left -= done
            if size > done:
                heapq.heappush(other, (key, time, size - done))
        if left > 0:
            own, key = (self.bids, -order.price) if order.side == "buy" else (self.asks, order.price)
            heapq.heappush(own, (key, order.time, left))

    def depth(self, levels=3):
        """Total size near the top of each side."""
        return (sum(size for _, _, size in sorted(self.bids)[:levels]),
                sum(size for _, _, size in sorted(self.asks)[:levels]))


def market_cost(asks, size):
    """Average price of buying `size` by walking up the book; None where it is too thin."""
    left, paid = size, 0.0
    for price, _, available in sorted(asks):
        take = min(left, available)
        paid += take * price
        left -= take
        if left == 0:
            return paid / size
    return None


def vwap(trades):
    volume = sum(t.size for t in trades)
    return sum(t.price * t.size for t in trades) / volume if volume else math.nan


def replay(prices, sizes, sides, tick=0.01, probe=5):
    """Replay a flow of orders and summarise the book. Raises ValueError for orders that are not valid."""
    if not len(prices) == len(sizes) == len(sides):
        raise ValueError("prices, sizes and sides differ in number")
    book = Book(tick)
    mids, imbalances = [], []
    for time, (price, size, side) in enumerate(zip(prices, sizes, sides)):
        if size <= 0:
            raise ValueError(f"order {time} has size {size}")
        book.submit(Order("buy" if side > 0 else "sell", price, int(size), time))
        bid_size, ask_size = book.depth()
        imbalances.append((bid_size - ask_size) / (bid_size + ask_size) if bid_size + ask_size else 0.0)
        if not math.isnan(book.mid()):
            mids.append(book.mid())
    returns = np.diff(np.log(mids)) if len(mids) > 1 else np.zeros(1)
    cost = market_cost(book.asks, probe)
    return {
        "vwap": vwap(book.trades),
        "volatility": np.sqrt((returns**2).sum()),
        "imbalance": np.mean(imbalances),
        "trades": book.trades[-2:],
        "spread": (book.best_ask - book.best_bid) / tick if book.bids and book.asks else None,
        "cost": cost,
        "resting": (len(book.bids), len(book.asks)),
    }


ENTRY = "replay"


def make_arguments(rng, n):
    count = 6 * n
    return (100.0 + np.round(rng.normal(size=count), 2), rng.integers(1, 9, size=count),
            rng.choice([-1, 1], size=count))


GRADIENT = ("prices",)
ERRORS = [
    (lambda rng, n: (np.ones(3), np.ones(2, dtype=int), np.ones(3)), ValueError),
    (lambda rng, n: (np.ones(3), np.array([1, 0, 1]), np.ones(3)), ValueError),
]

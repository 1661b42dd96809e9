"""Texas hold'em: ranking of seven cards, exact river odds, equity by simulation, and the pot odds of a call."""
from collections import Counter
from itertools import combinations

import numpy as np

RANKS = "23456789TJQKA"
SUITS = "cdhs"
NAMES = ["high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house", "four of a kind",
         "straight flush"]


def parse(text):
    """'AsKd' as [(12, 3), (11, 1)]."""
    if len(text) % 2:
        raise ValueError(f"odd number of characters: {text}")
    cards = []
    for k in range(0, len(text), 2):
        rank, suit = text[k], text[k + 1]
        if rank not in RANKS or suit not in SUITS:
            raise ValueError(f"no such card: {rank}{suit}")
        cards.append((RANKS.index(rank), SUITS.index(suit)))
    return cards


def score(five):
    """A tuple that compares as the hands do."""
    counts = Counter(rank for rank, _ in five)
    groups = sorted(counts.items(), key=lambda item: (-item[1], -item[0]))
    shape = tuple(n for _, n in groups)
    ranks = tuple(r for r, _ in groups)
    flush = len({suit for _, suit in five}) == 1
    ordered = sorted((r for r, _ in five), reverse=True)
    straight = len(counts) == 5 and ordered[0] - ordered[4] == 4
    if ordered == [12, 3, 2, 1, 0]:  # the wheel
        straight, ranks = True, (3, 2, 1, 0, -1)
    if straight and flush:
        kind = 8
    elif shape == (4, 1):
        kind = 7
    elif shape == (3, 2):
        kind = 6
    elif flush:
        kind = 5
    elif straight:
        kind = 4
    elif shape[0] == 3:
        kind = 3
    elif shape[:2] == (2, 2):
        kind = 2
    elif shape[0] == 2:
        kind = 1
    else:
        kind = 0
    return (kind,) + ranks


def best_of(cards):
    return max(score(five) for five in combinations(cards, 5))


def shuffled(deck, seed):
    deck = list(deck)
    state = seed
    for i in range(len(deck) - 1, 0, -1):
        state = (1103515245 * state + 12345) % 2**31
        j = state % (i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck


def equity(hole, villain, board, trials, seed):
    known = set(hole + villain + board)
    deck = [(r, s) for r in range(13) for s in range(4) if (r, s) not in known]
    won = 0.0
    kinds = np.zeros(9, dtype=int)
    for t in range(trials):
        runout = board + shuffled(deck, seed + t)[: 5 - len(board)]
        mine, his = best_of(hole + runout), best_of(villain + runout)
        kinds[mine[0]] += 1
        if mine > his:
            won += 1
        elif mine == his:
            won += 0.5
    return won / trials, kinds


def decision(hole, villain, board, pot, bet, trials=4, seed=7):
    """Equity, how often each hand was made, the name of the likeliest, expected value and the best action."""
    hole, villain, board = parse(hole), parse(villain), parse(board)
    if len(set(hole + villain + board)) != len(hole) + len(villain) + len(board):
        raise ValueError("a card is dealt twice")
    p, kinds = equity(hole, villain, board, trials, seed)
    ev = p * (pot + bet) - (1 - p) * bet
    odds = bet / (pot + 2 * bet)
    action = "call" if p > odds else "fold"
    return p, kinds, NAMES[int(np.argmax(kinds))], ev, action


ENTRY = "decision"


def make_arguments(rng, n):
    return "AsKs", "QhQd", "2s7sTc", 100.0, 10.0 * n


GRADIENT = ("pot", "bet")
ERRORS = [(lambda rng, n: ("AsK", "QhQd", "", 1.0, 1.0), ValueError),
          (lambda rng, n: ("AsKs", "AsQd", "2s7sTc", 1.0, 1.0), ValueError)]

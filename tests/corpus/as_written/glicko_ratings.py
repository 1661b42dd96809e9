"""Ratings of players from games: Elo as a start, Glicko-2 per period, predictions and their log loss."""
import math
from typing import NamedTuple

import numpy as np

SCALE = 173.7178
TAU = 0.5


class Player(NamedTuple):
    mu: float
    phi: float
    sigma: float


def g(phi):
    return 1 / math.sqrt(1 + 3 * phi ** 2 / math.pi ** 2)


def expected(mu, mu_j, phi_j):
    return 1 / (1 + math.exp(-g(phi_j) * (mu - mu_j)))


def new_volatility(player, delta, v, eps=1e-6):
    """Illinois algorithm of Glickman's paper."""
    a = math.log(player.sigma ** 2)

    def f(x):
        ex = math.exp(x)
        top = ex * (delta ** 2 - player.phi ** 2 - v - ex)
        return top / (2 * (player.phi ** 2 + v + ex) ** 2) - (x - a) / TAU ** 2

    A = a
    if delta ** 2 > player.phi ** 2 + v:
        B = math.log(delta ** 2 - player.phi ** 2 - v)
    else:
        k = 1
        while f(a - k * TAU) < 0:
            k += 1
        B = a - k * TAU
    fa, fb = f(A), f(B)
    while abs(B - A) > eps:
        C = A + (A - B) * fa / (fb - fa)
        fc = f(C)
        if fc * fb <= 0:
            A, fa = B, fb
        else:
            fa /= 2
        B, fb = C, fc
    return math.exp(A / 2)


def update(player, games):
    """A player's rating after a period of (opponent, score) pairs."""
    if not games:
        return player._replace(phi=math.hypot(player.phi, player.sigma))
    v_inv, total = 0.0, 0.0
    for other, score in games:
        e = expected(player.mu, other.mu, other.phi)
        weight = g(other.phi)
        v_inv += weight ** 2 * e * (1 - e)
        total += weight * (score - e)
    v = 1 / v_inv
    sigma = new_volatility(player, v * total, v)
    phi_star = math.sqrt(player.phi ** 2 + sigma ** 2)
    phi = 1 / math.sqrt(1 / phi_star ** 2 + v_inv)
    return Player(player.mu + phi ** 2 * total, phi, sigma)


def elo_start(scores, opponents, k=24.0):
    ratings = np.full(scores.shape[0], 1500.0)
    for i in range(scores.shape[0]):
        for j, s in zip(opponents[i], scores[i]):
            if s >= 0:
                e = 1 / (1 + 10 ** ((ratings[j] - ratings[i]) / 400))
                ratings[i] += k * (s - e)
    return ratings


def rate(opponents, scores, deviation=200.0, volatility=0.06, periods=2):
    """Final ratings, deviations, a ranking and the log loss of predictions; a score below 0 is a game not played."""
    if opponents.shape != scores.shape:
        raise ValueError("every game needs an opponent and a score")
    if np.any(scores > 1):
        raise ValueError(f"scores above 1 at {np.argwhere(scores > 1).tolist()}")
    start = elo_start(scores, opponents)
    players = [Player((r - 1500) / SCALE, deviation / SCALE, volatility) for r in start]
    loss, n_games = 0.0, 0
    for _ in range(periods):
        renewed = []
        for i, player in enumerate(players):
            games = []
            for j, s in zip(opponents[i], scores[i]):
                if s < 0 or j == i:
                    continue
                games.append((players[j], s))
                p = expected(player.mu, players[j].mu, players[j].phi)
                loss -= s * math.log(p) + (1 - s) * math.log(1 - p)
                n_games += 1
            renewed.append(update(player, games))
        players = renewed
    ratings = np.array([1500 + SCALE * p.mu for p in players])
    deviations = np.array([SCALE * p.phi for p in players])
    order = sorted(range(len(players)), key=lambda k: -ratings[k])
    return {"ratings": ratings, "deviations": deviations, "ranking": np.array(order),
            "log_loss": loss / max(n_games, 1), "spread": ratings.max() - ratings.min()}


ENTRY = "rate"


def make_arguments(rng, n):
    players = n + 2
    opponents = rng.integers(0, players, size=(players, 4))
    scores = rng.choice([0.0, 0.5, 1.0, -1.0], size=(players, 4), p=[0.35, 0.2, 0.35, 0.1])
    return opponents, scores


GRADIENT = ("scores",)
ERRORS = [(lambda rng, n: (np.zeros((3, 2), dtype=int), np.zeros((3, 3))), ValueError),
          (lambda rng, n: (np.zeros((3, 2), dtype=int), np.full((3, 2), 2.0)), ValueError)]

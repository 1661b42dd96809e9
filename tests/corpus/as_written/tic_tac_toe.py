"""Minimax with alpha-beta pruning for tic-tac-toe, and soft (entropy-regularised) play.

Russell & Norvig, "Artificial Intelligence", ch. 5. Boards are strings of nine characters
'X', 'O', '.', row by row; X moves first.
"""
import math

import numpy as np

LINES = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8),
    (0, 3, 6), (1, 4, 7), (2, 5, 8),
    (0, 4, 8), (2, 4, 6),
)
OTHER = {"X": "O", "O": "X"}


def winner(board):
    for a, b, c in LINES:
        if board[a] != "." and board[a] == board[b] == board[c]:
            return board[a]
    return None


def moves(board):
    return [i for i, cell in enumerate(board) if cell == "."]


def play(board, square, player):
    return board[:square] + player + board[square + 1:]


def to_move(board):
    n_x, n_o = board.count("X"), board.count("O")
    if n_x not in (n_o, n_o + 1):
        raise ValueError(f"impossible position {board!r}: {n_x} X and {n_o} O")
    return "X" if n_x == n_o else "O"


def parse(board):
    board = board.replace("/", "").upper()
    if len(board) != 9:
        raise ValueError(f"a board has nine squares, got {len(board)}")
    unknown = set(board) - set("XO.")
    if unknown:
        raise ValueError(f"unexpected characters {sorted(unknown)}")
    return board


def heuristic(board, weights):
    """Open lines with 1, 2 marks, centre and corners, X minus O."""
    w_one, w_two, w_centre, w_corner = weights
    score = 0.0
    for line in LINES:
        cells = [board[i] for i in line]
        for player, sign in (("X", 1.0), ("O", -1.0)):
            if OTHER[player] in cells:
                continue
            count = cells.count(player)
            if count == 1:
                score += sign * w_one
            elif count == 2:
                score += sign * w_two
    if board[4] != ".":
        score += w_centre if board[4] == "X" else -w_centre
    score += w_corner * sum({"X": 1, "O": -1, ".": 0}[board[i]] for i in (0, 2, 6, 8))
    return score


class Searcher:
    def __init__(self, weights, discount):
        self.weights = weights
        self.discount = discount
        self.visited = 0

    def alphabeta(self, board, player, depth, alpha=-math.inf, beta=math.inf):
        """Value for X; a win is worth 10, discounted per ply."""
        self.visited += 1
        w = winner(board)
        if w is not None:
            return 10.0 if w == "X" else -10.0
        options = moves(board)
        if not options:
            return 0.0
        if depth == 0:
            return heuristic(board, self.weights)
        d = self.discount
        if player == "X":
            best = -math.inf
            for square in options:
                value = d * self.alphabeta(play(board, square, "X"), "O", depth - 1, alpha / d, beta / d)
                best = max(best, value)
                alpha = max(alpha, best)
                if alpha >= beta:
                    break
            return best
        best = math.inf
        for square in options:
            value = d * self.alphabeta(play(board, square, "O"), "X", depth - 1, alpha / d, beta / d)
            best = min(best, value)
            beta = min(beta, best)
            if beta <= alpha:
                break
        return best

    def plain(self, board, player, depth):
        """Minimax without pruning."""
        w = winner(board)
        if w:
            return 10.0 if w == "X" else -10.0
        if not moves(board):
            return 0.0
        if depth == 0:
            return heuristic(board, self.weights)
        values = [self.discount * self.plain(play(board, s, player), OTHER[player], depth - 1) for s in moves(board)]
        return max(values) if player == "X" else min(values)


def analyse_position(board, weights, temperature=1.0, depth=3, discount=0.95):
    """Value of the position under soft play, value and policy of every legal move, best square."""
    board = parse(board)
    if temperature <= 0:
        raise ValueError("temperature must be positive")
    player = to_move(board)
    w = winner(board)
    if w is not None or not moves(board):
        outcome = {"X": 10.0, "O": -10.0, None: 0.0}[w]
        return {"soft_value": outcome, "values": np.zeros(0), "policy": np.zeros(9), "best": -1, "visited": 0}

    searcher = Searcher(weights, discount)
    sign = 1.0 if player == "X" else -1.0
    squares = moves(board)
    values = np.array([searcher.plain(play(board, s, player), OTHER[player], depth - 1) for s in squares])
    scaled = sign * values / temperature
    top = scaled.max()
    weights_exp = np.exp(scaled - top)
    policy = np.zeros(9)
    for s, p in zip(squares, weights_exp / weights_exp.sum()):
        policy[s] = p
    soft = sign * temperature * (top + math.log(weights_exp.mean()))
    return {
        "soft_value": soft,
        "values": values,
        "policy": policy,
        "best": squares[int(np.argmax(scaled))],
        "minimax": searcher.alphabeta(board, player, depth),
        "visited": searcher.visited,
    }


ENTRY = "analyse_position"


def make_arguments(rng, n):
    board = "." * 9
    for k in range(min(max(n // 2, 2), 5)):
        square = int(rng.choice(moves(board)))
        trial = play(board, square, "XO"[k % 2])
        if winner(trial):
            break
        board = trial
    weights = tuple(float(w) for w in rng.uniform(0.1, 1.0, size=4))
    return (board, weights, float(rng.uniform(0.5, 2.0)))


GRADIENT = ("weights", "temperature")
ERRORS = [
    (lambda rng, n: ("XX." * 3, (0.1, 0.5, 0.2, 0.1)), ValueError),
    (lambda rng, n: ("." * (n + 9), (0.1, 0.5, 0.2, 0.1)), ValueError),
]

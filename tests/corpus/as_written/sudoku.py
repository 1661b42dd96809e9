"""Sudoku by constraint propagation and depth-first search with the fewest candidates, after Norvig's essay."""
import numpy as np


class Contradiction(Exception):
    pass


def peers_of(r, c):
    box = [(3 * (r // 3) + i, 3 * (c // 3) + j) for i in range(3) for j in range(3)]
    row = [(r, j) for j in range(9)]
    col = [(i, c) for i in range(9)]
    return {p for p in box + row + col if p != (r, c)}


def candidates(grid, r, c):
    used = {grid[i, j] for i, j in peers_of(r, c)}
    return [d for d in range(1, 10) if d not in used]


def propagate(grid):
    """Fill every cell that has one candidate, until there is none; raises Contradiction."""
    changed = True
    filled = 0
    while changed:
        changed = False
        for r in range(9):
            for c in range(9):
                if grid[r, c] != 0:
                    continue
                options = candidates(grid, r, c)
                if not options:
                    raise Contradiction
                if len(options) == 1:
                    grid[r, c] = options[0]
                    filled += 1
                    changed = True
    return filled


def most_constrained(grid):
    best = None
    for r in range(9):
        for c in range(9):
            if grid[r, c] == 0:
                n = len(candidates(grid, r, c))
                if best is None or n < best[0]:
                    best = n, r, c
    return best


def solve(grid, depth=0):
    """The solved grid, or None."""
    grid = grid.copy()
    try:
        propagate(grid)
    except Contradiction:
        return None
    cell = most_constrained(grid)
    if cell is None:
        return grid
    _, r, c = cell
    for digit in candidates(grid, r, c):
        grid[r, c] = digit
        found = solve(grid, depth + 1)
        if found is not None:
            return found
    return None


def is_valid(grid):
    for k in range(9):
        for line in (grid[k], grid[:, k], grid[3 * (k // 3) : 3 * (k // 3) + 3, 3 * (k % 3) : 3 * (k % 3) + 3].ravel()):
            if sorted(line) != list(range(1, 10)):
                return False
    return True


def sudoku(clues):
    """Solved grid, number of clues, whether the solution is right, and the sum of the diagonal."""
    grid = np.array(clues)
    if grid.shape != (9, 9):
        raise ValueError(f"a sudoku is 9 by 9, not {grid.shape}")
    solution = solve(grid)
    if solution is None:
        return grid, int(np.sum(grid > 0)), False, 0
    return solution, int(np.sum(grid > 0)), is_valid(solution), int(np.trace(solution))


ENTRY = "sudoku"
PUZZLE = ("530070000600195000098000060800060003400803001700020006060000280000419005000080079")


def make_arguments(rng, n):
    grid = np.array([int(ch) for ch in PUZZLE]).reshape(9, 9)
    return (np.roll(grid, 3 * (n % 3), axis=0),)


GRADIENT = ()
ERRORS = [(lambda rng, n: (np.zeros((3, 3), int),), ValueError)]

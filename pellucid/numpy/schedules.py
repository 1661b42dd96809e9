"""When states of a loop are kept for the way back: functions in the language, for `checkpoint(range(n), memory=...)`.

Source: A. Griewank and A. Walther, Algorithm 799: Revolve (2000), ACM Transactions on Mathematical Software 26.
"""

from __future__ import annotations


def slots_and_leaf(budget, state):
    """How many states are kept at a time, and how many iterations are run with all that they keep.

    Half of the budget is for states; what an iteration keeps is taken to be twice the state.
    """
    slots = max(budget // (2 * max(state, 1)), 1)
    return slots, max(slots // 4, 1)


def turns_ahead(turns, slots, leaf):
    """How many iterations are run before the next state is kept, of more than `leaf`.

    With s slots and r runs of each part C(s + r, s) parts can be gone through; the first half has as many of them as
    the same slots manage with one run less.
    """
    parts = (turns + leaf - 1) // leaf
    whole, below, runs = slots + 1, 1, 1
    while whole < parts:
        runs += 1
        below = whole
        whole = whole * (slots + runs) // runs
    return min(below, parts - 1) * leaf

"""Which of two accesses of one element a GPU is sure to carry out first: what is not ordered is a race.

A moment is (block, barriers of the block so far, warp, barriers of the warp so far, thread).  Two moments are ordered

    in one thread,
    in one block, if a barrier of the block lies between,
    in one warp, if a `syncwarp` lies between,
    and never in two blocks.

Shuffles and votes make lanes wait and do not order memory (PTX says so of `shfl.sync`), so that a compiler may move a
store across one.

Many readers of an element are held as one moment, in which EVERY stands for what they do not share.  Only the latest
barrier counts: whoever comes after it comes after everything before it.
"""

from __future__ import annotations

Moment = tuple[int, int, int, int, int]

EVERY = -1


def is_ordered(earlier: Moment, now: Moment) -> bool:
    """Whether what happened at `earlier` is sure to have happened before `now`."""
    if earlier[0] != now[0]:
        return False
    if earlier[1] != now[1]:
        return True
    if earlier[2] != now[2]:
        return False
    return earlier[3] != now[3] or earlier[4] == now[4]


def joined(earlier: Moment, now: Moment) -> Moment:
    """The moment that is ordered before exactly what both of these are ordered before."""
    if earlier[0] != now[0]:
        return (EVERY, 0, EVERY, 0, EVERY)
    if earlier[1] != now[1]:
        return now
    if earlier[2] != now[2]:
        return (now[0], now[1], EVERY, 0, EVERY)
    if earlier[3] != now[3] or earlier[4] == now[4]:
        return now
    return (now[0], now[1], now[2], now[3], EVERY)

"""Which programs the suite runs of many: the same few every time, and more with `make fuzz-seeds`.

    @pytest.mark.parametrize("seeds", blocks(1000, 60, 20))     ->    1000 to 1019, 1020 to 1039, 1040 to 1059
    @pytest.mark.parametrize("seed", seeds(0, 24))              ->    0 to 23; with PELLUCID_DRAWS=10, 0 to 239
    @pytest.mark.parametrize("program", some(programs(), 3))  ->  every third; with PELLUCID_DRAWS=10, all of them
"""

import os

TIMES = int(os.environ.get("PELLUCID_DRAWS", "1"))


def seeds(first, count):
    return range(first, first + count * TIMES)


def some(items, step):
    """Those of a list that stand `step` apart; so many more where more is drawn."""
    return items[:: max(1, step // TIMES)]


def blocks(first, count, size):
    """The seeds in ranges of one size: a test each."""
    return [range(start, start + size) for start in range(first, first + count * TIMES, size)]

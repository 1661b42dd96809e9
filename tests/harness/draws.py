"""Which programs of a generator the suite runs: the same few every time, and many with `make fuzz-seeds`.

    @pytest.mark.parametrize("seeds", blocks(1000, 60, 20))     ->    1000 to 1019, 1020 to 1039, 1040 to 1059
    @pytest.mark.parametrize("seed", seeds(0, 24))              ->    0 to 23; with PELLUCID_DRAWS=10, 0 to 239
"""

import os

TIMES = int(os.environ.get("PELLUCID_DRAWS", "1"))


def seeds(first, count):
    return range(first, first + count * TIMES)


def blocks(first, count, size):
    """The seeds in ranges of one size: a test each."""
    return [range(start, start + size) for start in range(first, first + count * TIMES, size)]

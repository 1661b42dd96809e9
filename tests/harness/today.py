"""What of a long table of tests is run today: the other cases are marked `long`, which `make test-long` runs.

    @pytest.mark.drawn(4)                        ->    a quarter of the cases each day, all of them in four days
    @pytest.mark.parametrize("program", programs(), ids=str)
    def test_gradient(program): ...

    @pytest.mark.rotated(3)                      ->    of those that are long a third each day

The day is that of the run's first process, counted from 1970, and stands in the head of what pytest says:
PELLUCID_DAY=20783 runs the cases of that day again.  Who names a single test gets it, whatever its day.
"""

import os
import time
import zlib

import pytest

DAY = "PELLUCID_DAY"


def set_day():
    """Workers, and those that start after midnight too, hold to the day on which the run began."""
    os.environ.setdefault(DAY, str(int(time.time()) // 86400))


def is_of_today(case, one_in):
    """Whether a case is run today: its turn comes every `one_in` days."""
    return (zlib.crc32(case.encode()) + int(os.environ[DAY])) % one_in == 0


def mark_those_of_other_days(items):
    """The mark `long` for the cases of drawn tests that have their turn on another day, and `resting` for those of the
    long ones that have it on another day still."""
    for item in items:
        drawn, rotated = item.get_closest_marker("drawn"), item.get_closest_marker("rotated")
        if drawn is not None and not is_of_today(item.nodeid, *drawn.args):
            item.add_marker(pytest.mark.long)
        if rotated is not None and not is_of_today(f"long {item.nodeid}", *rotated.args):
            item.add_marker(pytest.mark.resting)

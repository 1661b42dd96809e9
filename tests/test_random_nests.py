"""Random loops of users: compiled as in CPython, whichever iteration of a parallel loop comes first."""

import pytest

from tests.harness.nests_agreement import nests_agree
from tests.harness.regions import every_loop_on_threads, last_iteration_first

PROGRAMS = 30


@pytest.mark.parametrize("first", range(0, PROGRAMS, 10))
def test_backwards(first, monkeypatch):
    with last_iteration_first(monkeypatch):
        assert sum(map(nests_agree, range(first, first + 10)))


@pytest.mark.parametrize("first", range(1000, 1010, 10))
def test_on_threads(first, monkeypatch):
    with every_loop_on_threads(monkeypatch):
        assert sum(map(nests_agree, range(first, first + 10)))

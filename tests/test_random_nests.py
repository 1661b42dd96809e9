"""Random loops of users: compiled as in CPython, whichever iteration of a parallel loop comes first."""

import pytest

from tests.harness.draws import blocks
from tests.harness.nests_agreement import nests_agree
from tests.harness.regions import every_loop_on_threads, last_iteration_first

pytestmark = pytest.mark.drawn(5)


@pytest.mark.parametrize("chosen", blocks(0, 12, 6))
def test_backwards(chosen, monkeypatch):
    with last_iteration_first(monkeypatch):
        assert sum(map(nests_agree, chosen))


@pytest.mark.parametrize("chosen", blocks(1000, 6, 6))
def test_on_threads(chosen, monkeypatch):
    with every_loop_on_threads(monkeypatch):
        assert sum(map(nests_agree, chosen))

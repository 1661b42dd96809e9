"""Cases of drawn tests: each has its turn, and who asks for all days gets all cases."""

import subprocess
import sys

import pytest

from tests.harness.today import DAY, is_of_today

CASES = [f"tests/test_gradients.py::test_gradient[{k}]" for k in range(60)]


@pytest.mark.parametrize("one_in", [1, 2, 3, 7])
def test_every_case_has_its_turn_once_in_so_many_days(one_in, monkeypatch):
    turns = dict.fromkeys(CASES, 0)
    for day in range(20783, 20783 + one_in):
        monkeypatch.setenv(DAY, str(day))
        for case in CASES:
            turns[case] += is_of_today(case, one_in)
    assert set(turns.values()) == {1}


TEXT = """
import pytest

@pytest.mark.drawn(3)
@pytest.mark.parametrize("k", range(12))
def test_drawn(k):
    pass

@pytest.mark.drawn(3)
@pytest.mark.long
@pytest.mark.parametrize("k", range(12))
def test_long(k):
    pass

@pytest.mark.drawn(3)
@pytest.mark.rotated(3)
@pytest.mark.parametrize("k", range(12))
def test_rotated(k):
    pass
"""
PLUGIN = """
import pytest
from tests.harness.today import mark_those_of_other_days

def pytest_configure(config):
    config.addinivalue_line("markers", "long: of other days")
    config.addinivalue_line("markers", "drawn(one_in): in part")
    config.addinivalue_line("markers", "rotated(one_in): in part")
    config.addinivalue_line("markers", "resting: of other days still")

@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    mark_those_of_other_days(items)
"""


def test_what_is_left_to_other_days_is_long(tmp_path):
    (tmp_path / "test_some.py").write_text(TEXT)
    (tmp_path / "conftest.py").write_text(PLUGIN)
    kinds = ("not long", "long and not resting", "long and resting")
    short, long, resting = (set(collected(tmp_path, expression)) for expression in kinds)
    assert not short & long and len(short) + len(long) + len(resting) == 36
    assert 0 < len(short) < 24 and not any("test_long" in name for name in short)
    assert resting and all("test_rotated" in name for name in resting) and any("test_rotated" in name for name in long)


def collected(folder, expression):
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    made = subprocess.run([*command, "-m", expression, str(folder)], capture_output=True, text=True)
    return [line for line in made.stdout.splitlines() if "::" in line]

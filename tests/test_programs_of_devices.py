"""Programs of many devices as they are written for JAX: each in a process with eight devices.

`tests/many_devices/program.py` says what is checked; `tests/many_devices/as_written` has the programs.
"""

import os
import pathlib
import subprocess
import sys

import pytest

from pellucid.runtime import native_part

ROOT = pathlib.Path(__file__).parent.parent
PROGRAMS = sorted((ROOT / "tests/many_devices/as_written").glob("[a-z]*.py"))


def run(*command, **environment):
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, timeout=600, cwd=ROOT,
        env=os.environ | {"PELLUCID_CPU_DEVICES": "8"} | environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.drawn(5)
@pytest.mark.parametrize("name", [path.stem for path in PROGRAMS])
def test_equal_to_jax_and_to_itself(name):
    run("-m", "tests.many_devices.program", name)


def test_a_file_runs_by_itself():
    told = [run("tests/many_devices/as_written/heat.py", count, PYTHONPATH=str(ROOT)) for count in ("1", "4")]
    assert told[0] == told[1] and told[0].startswith("[")


needs_native = pytest.mark.skipif(native_part.extension() is None, reason="there is no native part")


@needs_native
def test_collectives_to_which_devices_come_in_a_random_order():
    assert "300 collectives" in run("-m", "tests.many_devices.random_arrivals", "300")


@needs_native
@pytest.mark.long
def test_ten_thousand_collectives_in_a_random_order():
    assert "10000 collectives" in run("-m", "tests.many_devices.random_arrivals", "10000")

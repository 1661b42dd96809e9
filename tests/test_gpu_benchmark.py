"""The run on a GPU, on one that is not there: its parts run through at tiny sizes, and it tells what is wrong."""

import os
import pathlib
import subprocess
import sys

import pytest

import pellucid

from .fake_libcuda import build

ROOT = pathlib.Path(__file__).parent.parent

pytestmark = pytest.mark.skipif(
    pellucid.runtime.native_part.extension() is None, reason="devices of CUDA need the native part"
)

HEAD = f"""
import sys
sys.path.insert(0, {str(ROOT / "benchmarks")!r})
from pathlib import Path
from tests.harness.fake_gpu import FakeGpu
fake = FakeGpu()
import numpy as np
import gpu, gpu_correct, gpu_parts
gpu_parts.queued.__defaults__ = 1, 1e-9
run = gpu_parts.Run(0, 1e9, is_tiny=True)
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    found = build(tmp_path_factory.mktemp("libcuda"))
    if found is None:
        pytest.skip("there is no C compiler")
    return found


@pytest.fixture
def said(library, tmp_path):
    """What a run says and what it leaves on its page."""

    def run(text):
        script, page = tmp_path / "program.py", tmp_path / "page.md"
        script.write_text(f"{HEAD}page = Path({str(page)!r})\n{text}\nfake.finish()\n")
        environment = {**os.environ, "PELLUCID_LIBCUDA": str(library), "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, cwd=ROOT, env=environment, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout, page.read_text() if page.exists() else ""

    return run


def test_every_program_is_right(said):
    output, page = said("assert gpu.measured(run, ['correct'], page) == 0, run.faults")
    assert "## Correct" in page and "| bodies | 3 |" in page and "## Faults" not in page
    assert "0 faults" in output


def test_bars_peers_and_copies_run_through(said):
    _, page = said("assert gpu.measured(run, ['bars', 'peers', 'copies'], page) == 0, run.faults")
    for line in ("## Bars", "| a Jacobi step, 256 x 256 |", "## Programs", "| programs compared |", "## Copies"):
        assert line in page


def test_what_is_wrong_is_told(said):
    said("""
table = run.table("Correct", "", "program")
x = np.ones(3)
gpu_correct.held(run, table, "wrong", lambda x: np.asarray(x) + 1.0, lambda x: x, [(x,)])
gpu_correct.held(run, table, "shape", lambda x: np.asarray(x)[:2], lambda x: x, [(x,)])
gpu_correct.held(run, table, "nan", lambda x: np.asarray(x) * np.nan, lambda x: x, [(x,)])
turns = iter(range(9))
gpu_correct.held(run, table, "other bits", lambda x: np.asarray(x) + 1e-14 * next(turns), lambda x: x, [(x,)])
gpu_correct.held(run, table, "right", lambda x: np.asarray(x), lambda x: x, [(x,)])
gpu_correct.error(run, table, "no error", lambda x: x, x)
assert [fault.split(":")[0] for fault in run.faults] == ["wrong", "shape", "nan", "other bits", "no error"], run.faults
""")


def test_a_part_that_fails_costs_that_part_alone(said):
    _, page = said("""
def failing(run):
    raise RuntimeError("it is broken")

gpu.PARTS["bars"] = failing
assert gpu.measured(run, ["bars", "copies"], page) == 1
""")
    assert "- bars: RuntimeError: it is broken" in page and "## Copies" in page


def test_no_part_begins_when_the_time_is_up(said):
    _, page = said("run.limit = 0.0\nassert gpu.measured(run, ['bars'], page) == 1")
    assert "no time was left for bars" in page and "## Bars" not in page

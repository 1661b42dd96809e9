"""One program in many processes, started by `mpiexec`: the values of one process to the bit, and what fails."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import time

import numpy as np
import pytest

from pellucid import distributed
from pellucid.runtime.cores import available_cores

ROOT = pathlib.Path(__file__).parent.parent
MPIEXEC = pathlib.Path(sys.executable).parent / "mpiexec"
HAS_MPI = importlib.util.find_spec("mpi4py") is not None and MPIEXEC.exists()
needs_mpi = pytest.mark.skipif(not HAS_MPI, reason="mpi4py or mpiexec is not installed: pip install mpi4py mpich")
needs_zarr = pytest.mark.skipif(importlib.util.find_spec("zarr") is None, reason="zarr is not installed")
LONGEST = 300.0  # seconds that no run takes


def run(count, *arguments, devices=1, **variables):
    """What `mpiexec` ends with, for so many processes with so many devices each; without it for no count."""
    start = [] if count is None else [str(MPIEXEC), "-n", str(count)]
    own = {"PELLUCID_CPU_DEVICES": str(devices), **variables}
    return subprocess.run(
        [*start, sys.executable, *arguments], capture_output=True, text=True, timeout=LONGEST, cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "PELLUCID_NUM_THREADS"} | own,
    )  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The arrays of all programs, by how many processes and devices of each there are."""
    folder, known = tmp_path_factory.mktemp("processes"), {}

    def found(count, devices):
        if (count, devices) not in known:
            file = str(folder / f"{count}_{devices}.npz")
            alone = ["alone"] if count is None else []
            done = run(count, "-m", "tests.many_processes", file, *alone, devices=devices)
            assert done.returncode == 0, done.stderr
            with np.load(file) as loaded:
                known[count, devices] = dict(loaded)
        return known[count, devices]

    return found


@needs_mpi
@pytest.mark.parametrize("count, devices", [(1, 8), (2, 4), (4, 2), (2, 2), (4, 1)])
def test_processes_give_the_bits_of_one_process(results, count, devices):
    wanted, found = results(None, count * devices), results(count, devices)
    assert found.keys() == wanted.keys() and len(wanted) > 100
    for name, value in found.items():
        assert value.dtype == wanted[name].dtype and value.shape == wanted[name].shape, name
        assert value.tobytes() == wanted[name].tobytes(), name


@needs_mpi
def test_what_a_process_knows_of_others_and_what_it_refuses():
    done = run(2, "-m", "tests.many_processes.refusals", devices=2)
    assert done.returncode == 0, done.stderr


@needs_mpi
@pytest.mark.parametrize("given, wanted", [(None, max(1, available_cores() // 2)), (3, 3)])
def test_processes_share_the_cores(given, wanted):
    """What the user says of threads is for each process."""
    done = run(2, "-m", "tests.many_processes.share", **({} if given is None else {"PELLUCID_NUM_THREADS": str(given)}))
    found = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("threads")]
    assert found == [[str(given or available_cores()), str(wanted), str(wanted)]] * 2, done.stderr


def test_importing_pellucid_does_not_ask_for_mpi():
    code = "import sys, pellucid; assert pellucid.process_count() == 1 and 'mpi4py' not in sys.modules"
    assert run(None, "-c", code).returncode == 0


def test_without_mpi4py_it_is_said_what_to_install():
    code = "import sys, pellucid; sys.modules['mpi4py'] = None; pellucid.distributed.initialize()"
    assert "ImportError: many processes talk by MPI" in run(None, "-c", code).stderr


@needs_mpi
def test_the_page_shows_what_is_printed(tmp_path):
    page = (ROOT / "docs/many-devices.md").read_text(encoding="utf-8")
    found = re.search(r"```python sketch=train.py\n(.*?)```\n\n```\n(.*?)```", page, re.DOTALL)
    (tmp_path / "train.py").write_text(found[1], encoding="utf-8")
    done = run(2, str(tmp_path / "train.py"), PYTHONPATH=str(ROOT))
    assert done.stdout == found[2], done.stderr


# --- checkpoints -----------------------------------------------------------------------------------------------------


@needs_mpi
@needs_zarr
@pytest.mark.parametrize("saved, loaded", [((4, 1), (2, 1)), ((1, 2), (2, 2)), ((2, 2), (None, 4))])
def test_what_some_processes_save_others_load(tmp_path, saved, loaded):
    for mode, (count, devices) in (("save", saved), ("load", loaded)):
        alone = ["alone"] if count is None else []
        given = (str(tmp_path / "kept"), mode, *alone)
        done = run(count, "-m", "tests.many_processes.checkpoints", *given, devices=devices)
        assert done.returncode == 0, done.stderr


@needs_zarr
def test_what_is_not_loaded(tmp_path):
    kept = tmp_path / "kept"
    distributed.save(kept, {"a": np.arange(3.0), "n": 2})
    found = distributed.load(kept, {"a": np.zeros(3), "n": None})
    np.testing.assert_array_equal(found["a"], np.arange(3.0))
    assert int(found["n"]) == 2
    for like, told in [({"a": None}, "`like` has them at"),
                       ({"a": np.zeros(4), "n": None}, r"shape \(3,\) and the dtype"),
                       ({"a": np.zeros(3, int), "n": None}, "has \\(3,\\) and int64")]:  # fmt: skip
        with pytest.raises(ValueError, match=told):
            distributed.load(kept, like)
    with pytest.raises(TypeError, match="arrays of numbers are saved, not str"):
        distributed.save(kept, {"a": "text"})
    with pytest.raises(ValueError, match="nothing has been saved in .*, or not to the end"):
        distributed.load(kept, {"a": None})


# --- failures --------------------------------------------------------------------------------------------------------


def failing(name):
    """What a run printed, and how many seconds after its last line it ended."""
    done = run(3, "-m", "tests.many_processes.failures", name)
    ended = time.time()
    lines = [line.split() for line in done.stdout.splitlines() if re.match(r"\d \d+\.\d+ ", line)]
    return done, lines, ended - max(float(line[1]) for line in lines)


@needs_mpi
@pytest.mark.parametrize("name, told", [
    ("outside", "KeyError: 'between two calls'"),
    ("inside", r"raise ValueError\(f\"\{a\[0\]\} is too large\"\)\nValueError: 7.0 is too large"),
    ("ended", "ProcessError: process 2 has failed in this call, or has ended before it"),
    ("other_call", "RuntimeError: another device has failed, or has come to another collective"),
])  # fmt: skip
def test_a_process_that_fails_ends_all(name, told):
    """At most five seconds after, and its traceback is printed."""
    done, lines, seconds = failing(name)
    assert done.returncode != 0 and re.search(told, done.stderr), done.stderr
    assert not any("done" in line for line in lines)
    assert name == "ended" or "ProcessError" not in done.stderr, done.stderr
    assert seconds < 5.0, lines


@needs_mpi
def test_a_process_that_is_killed_ends_all():
    done, lines, seconds = failing("killed")
    assert done.returncode != 0 and not any("done" in line for line in lines)
    assert seconds < 5.0


@needs_mpi
def test_all_go_on_after_an_error_that_each_has_caught():
    done, lines, _ = failing("caught")
    assert done.returncode == 0, done.stderr
    for process, told in enumerate(["other process 2 has failed in this call", "other process 2", "own 7.0 is too"]):
        own = [" ".join(line[2:]) for line in lines if line[0] == str(process)]
        assert [one.startswith(told) for one in own] == [True] * 3 + [False] * 2, own
        assert own[3:] == ["went on", "is done"]

"""Many devices on one machine: meshes, sharded arrays, `shard_map` and `pmap`, in a process with eight devices."""

import ast
import json
import os
import pathlib
import subprocess
import sys
from functools import cache

import pytest

ROOT = pathlib.Path(__file__).parent.parent
OTHERS = ("__init__", "__main__", "agreement")
FILES = sorted(path for path in (ROOT / "tests/many_devices").glob("*.py") if path.stem not in OTHERS)


def names(path):
    """The tests of a file, which is not imported here: that would count the devices of this process."""
    found = ast.parse(path.read_text(encoding="utf-8")).body
    return [f"{path.stem}::{node.name}" for node in found if getattr(node, "name", "").startswith("test_")]


@cache
def outcomes(module):
    done = subprocess.run(
        [sys.executable, "-m", "tests.many_devices", module], capture_output=True, text=True, timeout=600, cwd=ROOT,
        env=os.environ | {"PELLUCID_CPU_DEVICES": "8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", [name for path in FILES for name in names(path)])
def test_with_eight_devices(name):
    error = outcomes(name.partition("::")[0])[name]
    assert not error, error

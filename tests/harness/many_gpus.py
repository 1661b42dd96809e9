"""Programs on four GPUs that are not there (`fake_gpu.py`), and as many devices of the processor beside them.

    libraries = build_all(folder)                  the environment; None where there is no C compiler
    run_on_gpus(text, folder, libraries)           a program says `fine`, and did nothing that no program may do
"""

import os
import pathlib
import subprocess
import sys

from tests.fake_libcuda import build
from tests.fake_libcuda.libraries import build as build_libraries

ROOT = pathlib.Path(__file__).parent.parent.parent
HEAD = """
import numpy as np
import pytest
from tests.harness.fake_gpu import FakeGpu
import pellucid
from pellucid import Array, NamedSharding, P, device_put, devices, grad, lax, make_mesh, pmap, shard_map

gpu = FakeGpu()
gpus, cpus = devices("gpu"), devices("cpu")
mesh = make_mesh((4,), ("i",), devices=gpus)
nccl = gpu.libraries._parts["nccl"]

def on_devices(function, in_specs, out_specs, *args, shape=(4,), names=("i",), **options):
    "The results of a function on GPUs and on devices of the processor."
    found = []
    for there in (gpus, cpus):
        where = make_mesh(shape, names, devices=there)
        found.append(shard_map(function, mesh=where, in_specs=in_specs, out_specs=out_specs, **options)(*args))
    for got, want in zip(*map(pellucid.tree.leaves, found), strict=True):
        assert {shard.data.device.platform for shard in got.addressable_shards} == {"cuda"}
        np.testing.assert_array_equal(np.asarray(got), np.asarray(want))
        assert got.dtype == want.dtype and got.shape == want.shape
    return found[0]
"""


def build_all(folder):
    driver = build(folder)
    if driver is None:
        return None
    return {"PELLUCID_LIBCUDA": driver, "PELLUCID_CUDA_LIBRARIES": build_libraries(folder, ("cublas", "nccl")),
            "PELLUCID_CPU_DEVICES": "4", "FAKE_CUDA_DEVICES": "4", "PYTHONPATH": str(ROOT)}  # fmt: skip


def run_on_gpus(text, folder, libraries, **environment):
    script = folder / "program.py"
    script.write_text(f"{HEAD}{text}\ngpu.finish()\nprint('fine')\n")
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, cwd=ROOT, timeout=300,
        env=os.environ | libraries | environment,
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout.endswith("fine\n"), done.stdout + done.stderr

"""Functions that are compiled for a GPU, a GPU as the default device, and what is said where there is none."""

import os
import subprocess
import sys

import numpy as np
import pytest

import pellucid
from pellucid.cli import main

from .test_gpu_calls import ROOT, library, pytestmark, runs  # noqa: F401

WITHOUT = """
import numpy as np
import pellucid


@pellucid.compile(target="cuda")
def poly(x):
    return x * x + 1.0


def plain(x):
    return x * x


def changed(x):
    x[0] = 1.0
"""


def test_a_target_takes_arrays_of_the_host(runs):  # noqa: F811
    runs("""
@compile(target="cuda")
def poly(x, k):
    return k * x + x**2

for x in (random.normal(size=5), random.normal(size=(3, 4))):
    same(poly(x, 2.0), 2.0 * x + x**2)
    same(poly(x, 2.0), 2.0 * x + x**2)
    same(poly(Array(x), 2.0), 2.0 * x + x**2)
    same(poly(device_put(x, "cpu"), there(np.float64(2.0))), 2.0 * x + x**2)
    same(poly(poly(x, 2.0), 1.0), 2.0 * x + x**2 + (2.0 * x + x**2) ** 2)
assert len(poly._on_gpu) == 4 and not poly._compiled and not poly._native
assert poly.source("loops").startswith("import numpy as np")  # for the types of the last call

@compile(target="cuda")
def total(x):
    return np.sum(x * x)

x = random.normal(size=6)
same(grad(total)(x), 2.0 * x)
same(vmap(total)(np.ones((3, 4))), np.full(3, 4.0))
value, slope = value_and_grad(compile(lambda x: np.sum(x), target=devices("cuda")[0]))(x)
np.testing.assert_allclose(float(value), np.sum(x))
same(slope, np.ones(6))

@compile(target="cuda")
def ramp(n):
    return np.arange(n) * 0.5

same(ramp(4), np.arange(4) * 0.5)
same(ramp(3), np.arange(3) * 0.5)
""")


def test_a_target_that_names_one_device(runs):  # noqa: F811
    runs("""
f = compile(lambda x: x + 1.0, target="cuda:0")
same(f(np.ones(3)), np.full(3, 2.0))
same(f(there(np.ones(3))), np.full(3, 2.0))
assert str(f(np.ones(3)).device) == "cuda:0"
with pytest.raises(pellucid.DeviceError, match="and there is no device .cuda:7.; there are cpu:0, cuda:0"):
    compile(f, target="cuda:7")(np.ones(3))
if len(devices("cuda")) > 1:
    with pytest.raises(ValueError, match="arguments are on cuda:1, and the function is compiled for cuda:0"):
        f(device_put(np.ones(3), "cuda:1"))
""")


def test_a_default_device(runs):  # noqa: F811
    """Calls whose arguments do not say where run there, those that machine code has learnt to make, too."""
    runs("""
import threading

@compile
def poly(x):
    return x * x + 1.0

@compile(mutates=("x",))
def doubled(x):
    x *= 2.0

x = random.normal(size=5)
for _ in range(4):
    assert poly(x).device == "cpu"
own = poly(x)
with pellucid.default_device("cuda"):
    for _ in range(4):
        same(poly(x), x * x + 1.0)
        same(poly(2.0 + there(np.zeros(2))), np.full(2, 5.0))
    assert type(poly(2.0)) is not Array and poly(2.0) == 5.0
    assert device_put(x).device == "cuda" and device_put(x)._there is not None
    assert Array(x).device == "cuda" and poly(Array(x)).device == "cuda"
    assert poly(device_put(x, "cpu")).device == "cpu"
    y = x.copy()
    doubled(y)
    np.testing.assert_array_equal(y, 2.0 * x)
    found = []
    thread = threading.Thread(target=lambda: found.append(poly(x).device))
    thread.start(), thread.join()
    assert found == ["cpu"]
    with pellucid.default_device("cpu"):
        assert poly(x).device == "cpu"
    assert poly(x).device == "cuda"
for _ in range(2):
    assert poly(x).device == "cpu" and poly(2.0) == 5.0 and device_put(x).device == "cpu"
pellucid.default_device("cuda")
same(poly(x), x * x + 1.0)
same(grad(lambda x: np.sum(x * x))(x), 2.0 * x)
""")


def test_a_target_without_a_gpu(tmp_path, monkeypatch):
    """A call says why there is none, with the user's file; the stages down to the kernels are there."""
    script = tmp_path / "physics.py"
    script.write_text(WITHOUT + "\nprint(poly.source('kernels', 'f64[n]'))\nprint(poly.debug('kernels')(np.ones(2)))\n"
                      "poly(np.ones(3))\n")  # fmt: skip
    environment = {**os.environ, "PELLUCID_LIBCUDA": str(tmp_path / "missing.so"), "PYTHONPATH": ROOT}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 1 and "@cuda.jit" in done.stdout and done.stdout.endswith("[2. 2.]\n")
    assert "error[D001]: the function is compiled for 'cuda', and there is no driver of CUDA: " in done.stderr
    assert "physics.py:6:1\n" in done.stderr and "missing.so" in done.stderr
    assert "site-packages" not in done.stderr and "pellucid/placing.py" not in done.stderr


@pytest.mark.parametrize("target", ["gpu", "cpu", "cuda:x", "cuda:", ""])
def test_other_targets_are_refused(target):
    with pytest.raises(ValueError, match=f"there is no target {target!r}: a function is compiled for 'cuda'"):
        pellucid.compile(lambda x: x, target=target)


def test_what_a_function_changes_is_of_the_host():
    with pytest.raises(ValueError, match="mutates= is for arrays of the host, and target='cuda' copies them to a GPU"):
        pellucid.compile(mutates="x", target="cuda")(lambda x: None)


def test_a_target_is_kept():
    f = pellucid.compile(lambda x: np.sum(x), target="cuda")
    for made in (pellucid.grad(f), pellucid.vmap(f), pellucid.compile(f, fastmath=True), pellucid.jacfwd(f)):
        assert made.__pellucid__.target == "cuda"
    assert not pellucid.compile(lambda x: x).__pellucid__.target


# --- the command line ----------------------------------------------------------------------------------------------


@pytest.fixture
def physics(tmp_path):
    path = tmp_path / "physics.py"
    path.write_text(WITHOUT)
    return path


def test_emit_for_a_target(physics, capsys):
    assert main(["emit", f"{physics}:plain", "--target", "cuda", "--args", "f64[n]"]) == 0
    shown = capsys.readouterr().out
    assert "@cuda.jit" in shown and "def plain_1(x, result):" in shown
    assert main(["emit", f"{physics}:plain", "--stage", "kernels", "--args", "f64[n]"]) == 0
    assert capsys.readouterr().out == shown
    assert main(["emit", f"{physics}:poly", "--args", "f64[n]"]) == 0  # as its decorator says
    assert "@cuda.jit" in capsys.readouterr().out
    assert main(["emit", f"{physics}:poly", "--stage", "typed", "--args", "f64[n]"]) == 0
    assert "@cuda.jit" not in capsys.readouterr().out


def test_what_is_missing_for_machine_code_is_no_traceback(physics, capsys, monkeypatch):
    from pellucid import gpu_listing
    from pellucid.compiler.targets.cuda.toolkit import MissingTool

    def missing(*arguments, path):
        raise MissingTool("numba-cuda")

    monkeypatch.setattr(gpu_listing, "assemble", missing)
    assert main(["emit", f"{physics}:plain", "--stage", "ptx", "--args", "f64[n]"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("error[D002]: numba-cuda, which compiles kernels, is not installed\n")
    assert "physics.py:11:1\n" in said and "= help: pip install 'pellucid[cuda]'\n" in said


def test_debug_for_a_target_stops_in_the_driver(physics, capsys, monkeypatch):
    import io

    monkeypatch.setattr(sys, "stdin", io.StringIO("p x.shape\nc\n"))
    assert main(["debug", f"{physics}:plain", "--target", "cuda", "--values", "np.ones(3)"]) == 0
    shown = capsys.readouterr().out
    assert "physics_plain_kernels.py" in shown and "(3,)" in shown and "result: Array([1., 1., 1.])" in shown

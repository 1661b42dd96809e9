"""Starting: the import, the first call, and the first call of a second process, each in processes of their own.

A measurement is a few lines of Python that a fresh interpreter runs and that print seconds.  The contenders take
iterations, process by process.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from measure import Row
from peers import OURS, imported
from workload import Bar

HERE = Path(__file__).parent
ROUNDS = 9

IMPORT = """
import time
started = time.perf_counter()
import {module}
print(time.perf_counter() - started)
"""

ARGUMENTS = """
import sys, time
import numpy as np
import long_programs, workloads
rng = np.random.default_rng(0)
function, transform, arguments = {{
    "selu": lambda: (workloads.selu, "compile", (rng.standard_normal((100, 100)).astype(np.float32),)),
    "loss": lambda: (workloads.digits_loss, "compile", workloads.batch_of_digits(rng)),
    "gradient": lambda: (workloads.digits_loss, "grad", workloads.batch_of_digits(rng)),
    "unrolled": lambda: (long_programs.unrolled(), "compile", tuple(rng.standard_normal((2, 100)))),
    "arrays": lambda: (long_programs.arrays(), "compile", (*rng.standard_normal((2, 100)), 0.5)),
    "scalars": lambda: (long_programs.scalars(), "compile", (0.3, 0.4)),
}}[{program!r}]()
"""

PELLUCID = ARGUMENTS + """
started = time.perf_counter()
import pellucid
imported = time.perf_counter() - started
if {warm}:
    pellucid.compile(workloads.small_arrays)(*rng.random((3, 4)))
started = time.perf_counter()
getattr(pellucid, transform)(function)(*arguments)
print(time.perf_counter() - started + {with_import} * imported)
"""

JAX = ARGUMENTS + """
started = time.perf_counter()
import jax
imported = time.perf_counter() - started
import peers
arguments = peers.on_device(jax, arguments)
if {warm}:
    jax.block_until_ready(jax.jit(peers.over_jax_numpy(workloads.small_arrays))(*rng.random((3, 4))))
function = peers.over_jax_numpy(function)
started = time.perf_counter()
jax.block_until_ready(jax.jit(jax.grad(function) if transform == "grad" else function)(*arguments))
print(time.perf_counter() - started + {with_import} * imported)
"""

PROGRAMS = {"selu": "selu", "loss": "the digits loss", "gradient": "the gradient of the digits loss"}
LONG = {"unrolled": "800 unrolled statements", "arrays": "300 lines on arrays", "scalars": "300 lines on scalars"}
# when: whether another function has been compiled before, whether the import counts, the bar
FIRST_CALLS = (
    ("after another function", True, False, (Bar(1.3, ("jax",)),)),
    ("after import", False, False, (Bar(1.3, ("jax",)),)),
    ("together with the import", False, True, ()),
)


def start_rows(rounds: int = ROUNDS, only: str = "") -> list[Row]:
    """All that is measured about starting."""
    rows = []
    for name, scripts, settings, bars in measurements():
        if only.lower() in name.lower():
            rows.append(Row(name, in_processes(scripts, rounds, settings), bars=bars))
    return rows


def measurements():
    """Name, scripts by contender, settings of the object cache, bars."""
    modules = {OURS: "pellucid", "numpy": "numpy", "numba": "numba", "jax": "jax"}
    known = {name: IMPORT.format(module=m) for name, m in modules.items() if imported(m) is not None}
    yield "import", known, "filled", (Bar(0.15),)
    yield "import, nothing cached", {OURS: known[OURS]}, "off", (Bar(0.3),)
    for program, title in (PROGRAMS | LONG).items():
        for when, warm, with_import, bars in FIRST_CALLS if program in PROGRAMS else FIRST_CALLS[:1]:
            settings = {"program": program, "warm": warm, "with_import": with_import}
            scripts = {OURS: PELLUCID.format(**settings)}
            if imported("jax") is not None:
                scripts["jax"] = JAX.format(**settings)
            yield f"first call of {title}, {when}", scripts, "off", bars
    for program, title in PROGRAMS.items():
        scripts = {OURS: PELLUCID.format(program=program, warm=False, with_import=False)}
        yield f"first call of {title}, second process", scripts, "filled", (Bar(0.015),)


def in_processes(scripts: Mapping[str, str], rounds: int, cache: str) -> dict[str, float]:
    """The median of what the scripts print; `cache` is off, or filled by a first process that does not count.

    That process writes the bytecode too, as installing a package does, whatever the environment says of bytecode.
    """
    samples: dict[str, list[float]] = {name: [] for name in scripts}
    with tempfile.TemporaryDirectory() as folder:
        settings = {"PELLUCID_CACHE": "0"} if cache == "off" else {"PELLUCID_CACHE_DIR": folder}
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment = {**inherited, **settings}
        for number in range(rounds + 1):
            for name, script in scripts.items() if number == 0 else [(n, scripts[n]) for n in samples]:
                try:
                    seconds = float(run(script, environment))
                except RuntimeError as error:
                    if name == OURS:
                        raise
                    print(f"{name} cannot: {str(error).splitlines()[0]}", file=sys.stderr, flush=True)
                    del samples[name]  # a peer may need more memory than there is
                    continue
                if number:
                    samples[name].append(seconds)
    return {name: statistics.median(times) for name, times in samples.items()}


def run(script: str, environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=HERE, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"a measurement ended with status {done.returncode}:\n{script}\n{done.stderr}")
    return done.stdout.split()[-1]

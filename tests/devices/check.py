"""Run all programs on all their meshes: what `tests/test_on_devices.py` calls, with eight devices.

    PELLUCID_CPU_DEVICES=8 .venv/bin/python -m tests.devices.check      one line for each program and mesh, as JSON
"""

import itertools
import json
import sys
import traceback

import numpy as np

from pellucid import vmap
from pellucid.on_devices import DeviceProgram
from tests.devices.programs import PROGRAMS


def of_all(program, sizes, arguments):
    """Nested `vmap`, whose results have the axes of the mesh first."""
    function = program.function
    axes = tuple(None if k in program.shared else 0 for k in range(len(arguments)))
    for name in reversed(program.axes):
        function = vmap(function, in_axes=axes, axis_name=name)
    found = function(*arguments)
    return [np.asarray(part) for part in (found if isinstance(found, tuple) else (found,))]


def stacked(results, sizes):
    """The results of all devices with the axes of the mesh first."""
    rows = [result if isinstance(result, tuple) else (result,) for result in results]
    parts = [np.stack([np.asarray(part) for part in column]) for column in zip(*rows, strict=True)]
    return [part.reshape(*sizes, *part.shape[1:]) for part in parts]


def same(found, want, is_exact):
    for part, other in zip(found, want, strict=True):
        assert (part.dtype, part.shape) == (other.dtype, other.shape)
        tolerance = 1e-5 if part.dtype in (np.float32, np.complex64) else 1e-11
        if is_exact or part.dtype.kind in "biu":
            np.testing.assert_array_equal(part, other)
        else:
            np.testing.assert_allclose(part, other, rtol=tolerance, atol=tolerance)


def check(program, sizes):
    arguments = program.arguments(sizes)
    names = program.function.__code__.co_varnames
    shared = {names[k]: program.axes for k in program.shared}
    run = DeviceProgram(program.function, dict(zip(program.axes, sizes, strict=True)), shared)
    places = itertools.product(*map(range, sizes))
    given = [tuple(a if k in program.shared else a[place] for k, a in enumerate(arguments)) for place in places]
    want = of_all(program, sizes, arguments)
    for _ in range(3):
        found = stacked(run(given), sizes)
        same(found, want, program.is_exact)
    for stage in ("transformed", "loops"):
        same(stacked(run.in_turns(stage, given), sizes), found, program.is_exact)


def main():
    for name, program in PROGRAMS.items():
        for sizes in program.meshes:
            try:
                check(program, sizes)
                told = ""
            except Exception:
                told = traceback.format_exc()
            print(json.dumps([name, sizes, told]), flush=True)


if __name__ == "__main__":
    sys.exit(main())

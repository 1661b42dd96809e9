"""Check one of the programs in `as_written` on 1, 2, 4 and 8 devices: `python -m tests.many_devices.program heat`.

Values and slopes are those of JAX and of finite differences, and a call gives the same bits each time.  Where no sum
depends on how many devices there are (`EXACT`), so do 1, 2, 4 and 8 of them, and the program of all that a call means.
"""

import importlib
import json
import sys

import numpy as np

import pellucid
from pellucid import compile, grad, tree
from pellucid.launching import Launcher
from pellucid.runtime import native_part

from .jax_values import KEPT, digits, leaves, weighed

COUNTS = (1, 2, 4, 8)


def same_digits(found, wanted, what, rtol=1e-9):
    for one, other in zip(digits(found), wanted, strict=True):
        assert one["shape"] == other["shape"], what
        scale = max(1.0, *np.abs(other["first"]), abs(other["sum"]))
        np.testing.assert_allclose(one["first"], other["first"], rtol=rtol, atol=rtol * scale, err_msg=what)
        np.testing.assert_allclose(one["sum"], other["sum"], rtol=rtol, atol=rtol * scale, err_msg=what)


def same_bits(found, wanted):
    for one, other in zip(leaves(found), leaves(wanted), strict=True):
        np.testing.assert_array_equal(one, other)
        assert np.asarray(one).dtype == np.asarray(other).dtype


def called_on_devices(function, args):
    """The result, and how many calls went to all devices at once."""
    count, plain = [], Launcher.start

    def start(launcher, blocks):
        run = plain(launcher, blocks)
        if run is not None:
            count.append(len(blocks))
        return run

    Launcher.start = start
    try:
        return function(*args), count
    finally:
        Launcher.start = plain


def check_values(program, known):
    args = program.given()
    alone = program.build(1)(*args)
    for count in COUNTS:
        function = program.build(count)
        found, starts = called_on_devices(function, args)
        assert starts == ([count] if count > 1 and native_part.extension() else []), starts
        same_digits(found, known["values"], f"{count} devices")
        same_bits(function(*args), found)
        if getattr(program, "EXACT", False):
            same_bits(found, alone)
            if count == 4:
                same_bits(found, compile(lambda *args, function=function: function(*args))(*args))
    return tuple(np.asarray(leaf).dtype.kind == "f" for leaf in leaves(alone))


def check_slopes(program, known, floats):
    args = program.given()
    found = {}
    for count in (1, 4):
        loss = weighed(program.build(count), floats)
        found[count] = grad(loss, argnums=program.BY)(*args)
        if "slopes" in known:
            same_digits(found[count], known["slopes"], f"slopes of {count} devices", rtol=1e-8)
    for one, other in zip(leaves(found[1]), leaves(found[4]), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-10)
    check_differences(weighed(program.build(4), floats), args, program.BY, found[4])


def check_differences(loss, args, by, slopes):
    rng = np.random.default_rng(0)
    ways = [tree.map(lambda leaf: rng.normal(size=np.shape(leaf)), args[place]) for place in by]

    def moved(step):
        new = list(args)
        for place, way in zip(by, ways, strict=True):
            new[place] = tree.map(lambda value, one: value + step * one, args[place], way)
        return float(loss(*new))

    h = 1e-5
    want = (8.0 * (moved(h) - moved(-h)) - moved(2.0 * h) + moved(-2.0 * h)) / (12.0 * h)
    got = sum(np.sum(np.asarray(slope) * way) for slope, way in zip(leaves(slopes), leaves(ways), strict=True))
    np.testing.assert_allclose(got, want, rtol=2e-6, atol=1e-7)


def check(name):
    program = importlib.import_module(f"tests.many_devices.as_written.{name}")
    known = json.loads(KEPT.read_text(encoding="utf-8"))[name]
    floats = check_values(program, known)
    if hasattr(program, "BY"):
        check_slopes(program, known, floats)


if __name__ == "__main__":
    with pellucid.synchronous():
        check(sys.argv[1])

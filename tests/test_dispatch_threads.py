"""Threads that call a compiled function natively while others let native code know of more, or change the world.

One test for each piece of state that Python replaces while native code reads it.  Threads switch as often as the
interpreter can, so that what is not valid between two lines is met within a second.
"""

import dataclasses
import sys
import threading
import warnings

import numpy as np
import pytest

from pellucid import Array, compile
from pellucid.runtime.frozen import Frozen, variable
from tests.test_dispatch import ARGUMENTS, general, same

CALLERS = 5


@pytest.fixture(autouse=True)
def many_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    sys.setswitchinterval(before)


def together(*tasks):
    """Run tasks in threads that begin at once; raises the first error of any."""
    errors, start = [], threading.Barrier(len(tasks))

    def run(task):
        start.wait()
        try:
            task()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120.0)
    assert not any(thread.is_alive() for thread in threads)
    if errors:
        raise errors[0]


def while_called(change, call):
    """Run `change` while other threads call until it is over."""
    done = threading.Event()

    def changing():
        try:
            change()
        finally:
            done.set()

    def calling():
        while not done.is_set():
            call()

    together(changing, *[calling] * CALLERS)


def copy_with_code(function, python):
    """Another function that knows no native calls yet, and has the machine code already."""
    made = compile(python)
    made._compiled.update(function._compiled)
    return made


def combined(x, y):
    return x * 2.0 + y


def test_keys_are_learned_while_others_are_looked_up():
    kinds = [value for name, value in ARGUMENTS.items() if name not in ("bool", "bool_", "bool array")]
    first = compile(combined)
    expected = [general(first, kind, kind) for kind in kinds]

    def calls(f, shift):
        for k in range(4 * len(kinds)):
            at = (k + 3 * shift) % len(kinds)
            assert same(f(kinds[at], kinds[at]), expected[at])

    for _ in range(40):
        f = copy_with_code(first, combined)
        together(*[lambda shift=shift: calls(f, shift) for shift in range(6)])


def total(record):
    return record.x * 2.0 + record.y


def test_classes_are_met_while_records_are_read():
    classes = [dataclasses.make_dataclass(f"Record{k}", [("x", float), ("y", float)]) for k in range(16)]
    first = compile(total)
    records = [cls(float(k), 1.0) for k, cls in enumerate(classes)]
    for record in records:
        general(first, record)

    def calls(f, shift):
        for k in range(4 * len(records)):
            at = (k + 5 * shift) % len(records)
            assert f(records[at]) == 2.0 * at + 1.0

    for _ in range(40):
        f = copy_with_code(first, total)
        together(*[lambda shift=shift: calls(f, shift) for shift in range(6)])


WEIGHTS = Array(np.zeros(4000))
OFFSETS = Array(np.zeros(4000))


def weighted(x):
    return WEIGHTS * x + OFFSETS


def test_arrays_from_outside_are_replaced_while_they_are_read():
    """Each call gives what stood there at some time during it, and both arrays are whole."""
    f, x, newest = compile(weighted), np.ones(4000), [0]
    for _ in range(3):
        f(x)

    def change():
        for k in range(1, 400):
            globals()["WEIGHTS"] = Array(np.full(4000, float(k)))
            newest[0] = k
            f(x)

    def call():
        before = newest[0]
        found = np.asarray(f(x))
        assert np.all(found == found[0]) and before <= found[0] <= newest[0] + 1

    globals()["WEIGHTS"] = Array(np.zeros(4000))
    while_called(change, call)


def test_a_thread_that_changes_an_array_sees_its_own():
    """The world goes back and forth, and what others find meanwhile is not what this thread's calls are given."""
    f, x, pair = compile(weighted), np.ones(4000), [Array(np.full(4000, float(k))) for k in (1, 2)]
    for _ in range(3):
        f(x)

    def change():
        for k in range(500):
            globals()["WEIGHTS"] = pair[k % 2]
            assert f(x)[0] == k % 2 + 1.0

    while_called(change, lambda: f(x))


def test_defaults_are_replaced_while_they_are_bound():
    def scaled(x, scale=1.0, *, shift=0.0):
        return x * scale + shift

    f = compile(scaled)

    def change():
        for k in range(250):
            scaled.__defaults__ = (float(k % 7),)
            assert f(2.0) == 2.0 * (k % 7)
            assert f(2.0) == 2.0 * (k % 7)

    while_called(change, lambda: f(1.0))


def test_a_container_changes_while_its_call_is_learned():
    """What is learned belongs to the types that were compiled for, whatever the container holds by then."""
    values = [2.0, np.full(5, 3.0)]

    def doubled(d):
        return d["x"] * 2.0

    first = compile(doubled)
    expected = [general(first, {"x": value}) for value in values]
    for _ in range(30):
        f, shared = copy_with_code(first, doubled), {"x": 2.0}

        def change(shared=shared):
            for k in range(400):
                shared["x"] = values[k % 2]

        def call(f=f, shared=shared):
            found = f(shared)
            assert same(found, expected[0]) or same(found, expected[1])

        while_called(change, call)
        assert [same(f({"x": value}), want) for value, want in zip(values, expected, strict=True)] == [True, True]


TABLE = [0.0]


def reads_table():
    return TABLE


def test_threads_that_freeze_at_once_keep_one_value():
    place = variable(reads_table, "TABLE")
    for _ in range(200):
        frozen, seen = Frozen(), []
        globals()["TABLE"] = [float(k) for k in range(50)]
        together(*[lambda frozen=frozen, seen=seen: seen.append(frozen.value(place))] * 4)
        assert len({id(value) for value in seen}) == 1

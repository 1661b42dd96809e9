"""Threads that drive GPUs and meet at collectives (`runtime/devices/cuda/together.py`): without a GPU."""

import random
import threading
import time

import pytest

import pellucid
from pellucid.runtime.devices.cuda.together import ABSENT, Launch, seat

pytestmark = pytest.mark.skipif(
    pellucid.runtime.native_part.extension() is None, reason="devices of CUDA need the native part"
)


def launch(sizes, perform=lambda *_: None):
    count = 1
    for size in sizes:
        count *= size
    return Launch(sizes, [10 + place for place in range(count)], lambda: None, perform)


def test_all_come_and_each_gets_its_result():
    performed = []
    made = launch((2, 2), lambda *given: performed.append(given))

    def drive(place):
        seat().meet("sum", 0, (place,))
        seat().meet("gather", 1, (place,))
        return place, seat().number(0), seat().number(1)

    assert made.run(drive) == [(0, 0, 0), (1, 0, 1), (2, 1, 0), (3, 1, 1)]
    assert sorted(performed) == [
        ([10, 11], "gather", [(0,), (1,)]), ([10, 12], "sum", [(0,), (2,)]),
        ([11, 13], "sum", [(1,), (3,)]), ([12, 13], "gather", [(2,), (3,)]),
    ]  # fmt: skip
    with pytest.raises(RuntimeError, match="together with those of all others"):
        seat()


def test_in_any_order_of_arrival():
    order = {number: [] for number in range(10, 14)}
    rng = random.Random(7)
    kinds = [rng.randrange(2) for _ in range(300)]

    def perform(numbers, kind, operands):
        for number in numbers:
            order[number].append((kind, *operands))

    made = launch((2, 2), perform)

    def drive(place):
        own = random.Random(place)
        for k, along in enumerate(kinds):
            if own.random() < 0.05:
                time.sleep(own.random() * 2e-3)
            seat().meet(f"{k}", along, (k, along))

    made.run(drive)
    for number in order:
        assert [int(kind) for kind, *_ in order[number]] == list(range(300))
        assert all(one == other == (int(kind), kinds[int(kind)]) for kind, one, other in order[number])


def failing(place):
    if place == 2:
        raise ValueError("the third")
    seat().meet("sum", 0, ())
    if place == 1:
        raise TypeError("nobody comes here")


def different(place):
    seat().meet("sum" if place else "gather", 0, ())


def early(place):
    if place != 1:
        seat().meet("sum", 0, ())


def late(place):
    seat().meet("sum", 0, ())
    if place == 3:
        seat().meet("sum", 0, ())


@pytest.mark.parametrize("drive, error, told", [
    (failing, ValueError, "the third"), (different, RuntimeError, ABSENT), (early, RuntimeError, ABSENT),
    (late, RuntimeError, ABSENT),
], ids=lambda one: getattr(one, "__name__", ""))  # fmt: skip
def test_nobody_waits_for_ever(drive, error, told):
    found = []

    def run():
        with pytest.raises(error, match=told):
            launch((4,)).run(drive)
        found.append(True)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(20.0)
    assert found


def test_devices_that_wait_along_different_axes():
    def crosswise(place):
        seat().meet("sum", place % 2, ())

    with pytest.raises(RuntimeError, match=ABSENT):
        launch((2, 2)).run(lambda place: crosswise(place // 2 + place))


def test_what_fails_in_a_collective_is_the_error_of_all():
    def perform(numbers, kind, operands):
        raise OSError("no library")

    with pytest.raises(OSError, match="no library"):
        launch((4,), perform).run(lambda place: seat().meet("sum", 0, ()))
    assert launch((4,)).run(lambda place: place) == [0, 1, 2, 3]

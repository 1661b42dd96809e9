"""The sort of `runtime/kernels/sorting.py`, against NumPy's stable one, and its runs of equal keys."""

import numpy as np
import pytest

import pellucid.support as support
from pellucid.runtime.lockstep import cuda
from pellucid.support import digits_of, elements, sort_parts

from .test_device_functions import kernel

COUNT, SUM, PLACE, RUNS = (
    kernel(f"def apply({given}):\n    {name}({given})\n", **{name: getattr(support, name)})
    for name, given in (
        ("count_digits", "keys, shift, counts"),
        ("sum_counts", "counts"),
        ("place_by_digits", "keys, order, shift, counts, new_keys, new_order"),
        ("mark_runs", "keys, firsts, ends"),
    )
)


def sorted_on_the_machine(keys, largest):
    """The keys sorted, and where each of them was."""
    n = keys.size
    old = cuda.to_device(keys), cuda.to_device(np.arange(n))
    new = cuda.device_array(n, np.int64), cuda.device_array(n, np.int64)
    counts = cuda.device_array(256 * sort_parts(n)[0], np.int64)
    for shift in digits_of(largest):
        COUNT[sort_parts(n)](old[0], shift, counts)
        SUM[1, 1024](counts)
        PLACE[sort_parts(n)](*old, shift, counts, *new)
        old, new = new, old
    return old


@pytest.mark.parametrize("n", [1, 31, 32, 33, 600, 4097])
@pytest.mark.parametrize("largest", [0, 1, 255, 256, 70000])
def test_a_sort_is_stable(n, largest):
    keys = np.random.default_rng(n).integers(0, largest + 1, n)
    found, order = (part.copy_to_host() for part in sorted_on_the_machine(keys, largest))
    np.testing.assert_array_equal(order, np.argsort(keys, kind="stable"))
    np.testing.assert_array_equal(found, np.sort(keys))


@pytest.mark.parametrize("keys", [[3] * 70, list(range(9)), [0, 0, 2, 2, 2, 5, 7, 7], [8]])
def test_runs_of_equal_keys(keys):
    """For the key 8 there is no place."""
    firsts, ends = cuda.to_device(np.zeros(8, np.int64)), cuda.to_device(np.zeros(8, np.int64))
    RUNS[elements(len(keys))](cuda.to_device(np.array(keys)), firsts, ends)
    firsts, ends = firsts.copy_to_host(), ends.copy_to_host()
    for key in range(8):
        assert ends[key] - firsts[key] == keys.count(key)
        assert keys[firsts[key] : ends[key]] == [key] * keys.count(key)


def test_passes_are_those_of_the_largest_key():
    assert [len(digits_of(n)) for n in (0, 255, 256, 2**16 - 1, 2**16, 2**62)] == [1, 1, 2, 2, 3, 8]
    assert list(digits_of(2**16)) == [0, 8, 16]

"""`bytes` are known values, as texts are: sequences of ints, gone over, indexed, cut, compared and searched."""

import numpy as np
import pytest

import pellucid
from tests.harness.answers import agree, outcome
from tests.harness.stages import Stages

KEY = b"\x01\x02\xff"


def checksum(data):
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1) ^ 0x07 if crc & 0x80 else crc << 1
            crc &= 0xFF
    return crc


def of_places(data, k):
    return data[k], data[-1], data[k + 1] * 2, len(data)


def scrambled(x):
    return np.array([v * KEY[i % len(KEY)] for i, v in enumerate(x)])


def parts(data):
    cut = data[1:], data[::-1], data + b"!", data * 2
    asked = 101 in data, b"ey" in data, data == b"key", data < b"kez", b"x" not in data
    taken = sum(data), max(data), list(data), sorted(data), data.find(b"e", 1), data.upper(), bool(data)
    return cut, asked, taken, isinstance(data, bytes)


def distance(a, b):
    return sum((p ^ q).bit_count() for p, q in zip(a, b)), [c for c in a if c > 98]


def is_in_it(data, k):
    return k in data


def matched(data):
    match data:
        case b"abc":
            return 1
        case bytes():
            return 2
    return 3


def of_bits(k):
    return k.bit_count(), (-k).bit_count(), k.bit_length(), (255).bit_count()


def as_tuples(value):
    return tuple(map(as_tuples, value)) if isinstance(value, list | tuple) else value


def read(data, dtype, count, offset):
    return np.frombuffer(data, dtype, count, offset)


def offset_too_large(data):
    return np.frombuffer(data, np.uint8, offset=len(data) + 1)


def weighed(data, x):
    return np.sum(np.frombuffer(data, dtype=np.uint8) * x)


MANY = bytes(range(40, 72))
CALLS = [
    (read, (MANY, np.uint8, -1, 0)), (read, (MANY, float, -1, 8)), (read, (MANY, np.int16, 3, 2)),
    (read, (MANY, np.complex64, -1, 8)), (read, (MANY, np.float32, 9, 0)), (read, (MANY, np.int32, -1, 3)),
    (read, (MANY, np.uint8, -1, 32)), (offset_too_large, (KEY,)), (weighed, (MANY, 0.5)),
    (checksum, (b"123456789",)), (of_places, (b"abcd", 1)), (of_places, (b"ab", 5)), (of_places, (b"ab", -3)),
    (scrambled, (np.arange(4.0),)), (parts, (b"key",)), (distance, (b"abc", b"xyz")), (is_in_it, (b"abc", 97)),
    (is_in_it, (b"abc", 96)), (is_in_it, (b"abc", 256)), (matched, (b"abc",)), (matched, (b"ab",)), (of_bits, (12345,)),
    (of_bits, (0,)),
]  # fmt: skip


@pytest.mark.parametrize("function, args", CALLS, ids=lambda part: getattr(part, "__name__", ""))
def test_every_stage_is_cpythons(function, args):
    want, runner = outcome(function, args), Stages(function)
    for stage in ("typed", "llvm"):
        found = runner.run(stage, *args)
        assert agree(as_tuples(found.error or found.value), as_tuples(want))


def test_each_value_has_code_of_its_own():
    compiled = pellucid.compile(checksum)
    assert [compiled(data) for data in (b"a", b"ab", b"a")] == [checksum(data) for data in (b"a", b"ab", b"a")]


@pytest.mark.parametrize(
    "function, args, code",
    [
        (lambda a, k: a[:k], (b"abc", 2), "R001"),
        (lambda a: np.array(a), (b"abc",), "T001"),
        (lambda a: np.frombuffer(a), (np.ones(3),), "U012"),
    ],
)
def test_the_rest_is_refused(function, args, code):
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(*args)
    assert [d.code for d in caught.value.diagnostics] == [code]

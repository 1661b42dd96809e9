"""The memory that results hold, in the format of pprof (`profile.proto` of github.com/google/pprof), by hand.

    profile()    ->    the bytes of a message `Profile`: a sample for each dtype and shape of the Arrays that are alive

A message is a row of fields; each is a key, 8 * number + kind, and a varint or a length and so many bytes.
"""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Iterable, Iterator

from .runtime.array import Array
from .runtime.memory import live_bytes

OTHER = "other memory of compiled code"
# The numbers of the fields that are written.
SAMPLE_TYPE, SAMPLE, LOCATION, FUNCTION, STRINGS, TIME, DEFAULT_TYPE = 1, 2, 4, 5, 6, 9, 14


def held() -> list[tuple[str, int, int]]:
    """(what, how many, bytes) of the Arrays that are alive, and of all else that compiled code holds."""
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for one in gc.get_objects():
        if type(one) is Array:
            name = f"Array {one.dtype}[{', '.join(map(str, one.shape))}]"
            counts[name] += 1
            sizes[name] += one.nbytes
    rows = [(name, counts[name], sizes[name]) for name, _ in sizes.most_common()]
    rest = live_bytes() - sum(sizes.values())  # below zero where Arrays hold memory of NumPy's
    return [*rows, (OTHER, 1, rest)] if rest > 0 else rows


def profile() -> bytes:
    """The message; strings are told once and meant by their number."""
    strings = {"": 0}

    def text(words: str) -> int:
        return strings.setdefault(words, len(strings))

    kinds = [(text("objects"), text("count")), (text("space"), text("bytes"))]
    rows = [(text(name), count, size) for name, count, size in held()]
    fields: list[tuple[int, int | bytes]] = [(SAMPLE_TYPE, message([(1, kind), (2, unit)])) for kind, unit in kinds]
    for number, (name, count, size) in enumerate(rows, 1):
        fields.append((SAMPLE, message([(1, varint(number)), (2, varint(count) + varint(size))])))
        fields.append((LOCATION, message([(1, number), (4, message([(1, number)]))])))
        fields.append((FUNCTION, message([(1, number), (2, name), (3, name)])))
    fields += [(TIME, time.time_ns()), (DEFAULT_TYPE, kinds[1][0])]
    return message([*fields, *((STRINGS, words.encode()) for words in strings)])


def message(fields: Iterable[tuple[int, int | bytes]]) -> bytes:
    return b"".join(_field(number, value) for number, value in fields)


def _field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return varint(8 * number) + varint(value)
    return varint(8 * number + 2) + varint(len(value)) + value


def varint(value: int) -> bytes:
    """Seven bits to a byte, the lowest first; the last byte alone is below 128."""
    return bytes(_septets(value))


def _septets(value: int) -> Iterator[int]:
    while value >= 128:
        yield value % 128 + 128
        value //= 128
    yield value

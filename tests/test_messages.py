"""What an error says of containers: compiled code writes the text that Python writes."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

import pellucid


class Pair(NamedTuple):
    first: float
    second: tuple


@dataclasses.dataclass(frozen=True)
class Model:
    rate: float
    order: int = dataclasses.field(default=2, repr=False)


@dataclasses.dataclass(frozen=True)
class Named:
    rate: float

    def __repr__(self):
        return "a model"


def tuples_and_lists(x, k):
    raise ValueError(f"{(x, k)} {[k]} {(k,)} {()} {x!r} {[]!s} {[(x, 'a')]!r}")


def records_and_dicts(x, k):
    raise ValueError(f"{Pair(x, (k, 'a{b'))} {Model(x)!s} { {'p': x, 3: (k, None, True)} }")


def shapes(x, k):
    raise ValueError(f"need ({k}, n), got {np.reshape(x, (1, -1)).shape}")


def own_text(x, k):
    raise ValueError(f"{Named(k)}")


def wide(x, k):
    raise ValueError(f"{(x, k)!r:>20}")


def said(function, *arguments):
    with pytest.raises(ValueError) as caught:
        function(*arguments)
    return str(caught.value)


@pytest.mark.parametrize("x", [1.5, 3, True, np.float64(2.5), np.float32(0.1), np.int64(7)], ids=repr)
@pytest.mark.parametrize("function", [tuples_and_lists, records_and_dicts, shapes])
def test_containers_are_written_as_python_writes_them(function, x):
    assert said(pellucid.compile(function), x, 4) == said(function, x, 4)


@pytest.mark.parametrize("function", [own_text, wide])
def test_what_has_a_text_of_its_own_is_refused(function):
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(1.5, 4)
    assert caught.value.diagnostics[0].code == "U008"

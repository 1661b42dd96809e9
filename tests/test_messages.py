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


@dataclasses.dataclass
class Unfinished:
    rate: float
    scale: float = dataclasses.field(init=False)


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


def without_a_field(x, k):
    model = Unfinished(x)
    if k:
        raise ValueError(f"not a model: {model}")
    model.scale = 1.0
    return model.scale


def said(function, *arguments):
    with pytest.raises(ValueError) as caught:
        function(*arguments)
    return str(caught.value)


@pytest.mark.parametrize("x", [1.5, 3, True, np.float64(2.5), np.float32(0.1), np.int64(7)], ids=repr)
@pytest.mark.parametrize("function", [tuples_and_lists, records_and_dicts, shapes])
def test_containers_are_written_as_python_writes_them(function, x):
    assert said(pellucid.compile(function), x, 4) == said(function, x, 4)


# --- what machine code does not write: Python is asked ---------------------------------------------------------------


def arrays(x, k):
    raise ValueError(f"{x} and {x > 1.0!r} at {np.flatnonzero(x > 1.0).tolist()}, {k}")


def lists(x, k):
    found = []
    for v in x:
        if v > 0.0:
            found.append((float(v), k))
    raise ValueError("these:", found, k)


def in_a_helper(x, k):
    def refuse(rows):
        if rows.any():
            raise ValueError(f"rows {rows} are wrong")

    refuse(np.outer(x, x) * k)
    return x


def width(x, k):
    raise ValueError(f"{x[0]:.{k}f} of {x.max():>{k + 6}.2e}")


def again(x, k):
    try:
        raise KeyError(f"no {x}")
    except KeyError as error:
        raise ValueError(f"{k} failed") from error


@pytest.mark.parametrize("function", [own_text, wide])
def test_a_text_of_its_own_is_pythons(function):
    for _ in range(3):
        assert said(pellucid.compile(function), 1.5, 4) == said(function, 1.5, 4)


@pytest.mark.parametrize("function", [arrays, lists, in_a_helper, width, again])
def test_arrays_and_lists_are_written_as_python_writes_them(function):
    compiled = pellucid.compile(function)
    for x in (np.array([0.5, 2.0]), np.arange(4.0), np.arange(2000.0)):
        with pytest.raises(ValueError) as ours:
            compiled(x, 3)
        with pytest.raises(ValueError) as pythons:
            function(x, 3)
        assert type(ours.value) is type(pythons.value) and ours.value.args == pythons.value.args


def test_the_traceback_ends_where_the_error_is():
    with pytest.raises(ValueError) as caught:
        pellucid.compile(arrays)(np.ones(2), 1)
    assert [entry.name for entry in caught.traceback][-1] == "arrays" and len(caught.traceback) == 2


def test_what_the_function_would_change_is_left_alone():
    def fill(out, x):
        out[:] = 1.0
        raise ValueError(f"{x}")

    out = np.zeros(3)
    with pytest.raises(ValueError, match=r"^\[0\. 1\.\]$"):
        pellucid.compile(fill, mutates="out")(out, np.arange(2.0))
    assert not out.any()


def test_the_gradient_says_the_same():
    def loss(x):
        if x[0] > 0.0:
            raise ValueError(f"bad {x}")
        return np.sum(x * x)

    with pytest.raises(ValueError, match=r"^bad \[1\. 1\.\]$"):
        pellucid.grad(loss)(np.ones(2))
    assert list(pellucid.grad(loss)(-np.ones(2))) == [-2.0, -2.0]


def test_a_format_that_arrays_do_not_take_is_refused():
    def shown(x):
        raise ValueError(f"{x:.3f}")

    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(shown)(np.ones(2))
    assert [d.code for d in caught.value.diagnostics] == ["U008"]


def test_the_text_of_an_object_needs_all_its_fields():
    messages = []
    for function in (without_a_field, pellucid.compile(without_a_field)):
        with pytest.raises(AttributeError) as caught:
            function(1.5, True)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert pellucid.compile(without_a_field)(1.5, False) == 1.0

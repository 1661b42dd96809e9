"""What random loops must hold to: the results of CPython, or its exception with its message."""

from __future__ import annotations

import linecache

import numpy as np

import pellucid
from pellucid.compiler.diagnostics import CompileError

from .random_nests import random_arguments, random_program

TRIALS = 4
MOST_TURNS = 20_000  # of all loops of a call: bounds that loops move may run away


class TooLong(Exception):
    pass


def nests_agree(seed):
    """Whether the program is one that is compiled; it then agrees with CPython for several arguments."""
    text = random_program(seed)
    function = function_of(text, f"<random nests {seed}>")
    compiled = pellucid.compile(function)
    for number in range(TRIALS):
        arguments = random_arguments(seed, number)
        try:
            want = outcome(function_of(text, f"<random nests {seed}>", range=_counting_range()), arguments)
            got = outcome(compiled, arguments)
        except TooLong:
            continue
        except CompileError:  # a view that would show: asserted elsewhere
            return False
        assert _is_same(want, got), f"{text}\narguments {number}: {arguments}\nCPython {want}\ncompiled {got}"
    return True


def _counting_range():
    turns = 0

    def counting(*ends):
        nonlocal turns
        for k in range(*ends):
            turns += 1
            if turns > MOST_TURNS:
                raise TooLong
            yield k

    return counting


def function_of(text, name, **names):
    """The function `f` of a text, whose lines the compiler can read."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {"np": np, **names}
    exec(compile(text, name, "exec"), namespace)
    return namespace["f"]


def outcome(function, arguments):
    given = [np.array(a) if isinstance(a, np.ndarray) else a for a in arguments]
    try:
        return None, [np.asarray(part) for part in function(*given)]
    except (IndexError, ValueError, ArithmeticError) as error:
        if isinstance(error, CompileError):
            raise
        return type(error), str(error).splitlines()[0]


def _is_same(want, got):
    if want[0] is not None or got[0] is not None:
        return want == got
    return all(
        a.dtype == b.dtype and a.shape == b.shape and np.allclose(a, b, rtol=1e-12, atol=1e-13, equal_nan=True)
        for a, b in zip(want[1], got[1], strict=True)
    )

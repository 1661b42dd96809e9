"""Functions defined in a loop and used behind it: the last definition, which sees the variables as they are then."""

import numpy as np
import pytest

import pellucid

from .harness.answers import function_of
from .harness.stages import STAGES, Stages, assert_same, in_python

pytestmark = pytest.mark.drawn(5)

RIGHT = (
    "for v in x:\n    def step(u): return u * v\nstep(3.0)",
    "i = 0\nwhile i < len(x):\n    k = 2.0 * x[i]\n    step = lambda u, a=2.0: u * k + a\n    i += 1\nstep(3.0)",
    "for v in x:\n    def step(u): return u * v\nv = 10.0\nstep(1.0)",
    "for v in x:\n    for w in (1.0, 2.0):\n        def step(u): return u * v * w\n    v += 1.0\nstep(1.0)",
    "for v in x:\n    def step(u): return v if u <= 0 else u * step(u - 1)\nstep(3)",
    "for v in x:\n    if v > 1.5:\n        step = lambda u: u + v\n        break\nstep(1.0)",
    "rows = []\nfor v in x:\n    rows.append(v)\n    def total(): return sum(rows)\nrows.append(5.0)\ntotal()",
    "best = None\nfor v in x:\n    step = lambda u: u * v\n    best = step if v > 1.0 and best is None else best\n"
    "best(1.0) if best is not None else -1.0",
    "s = 0.0\nfor v in x:\n    def step(u): return u * v\n    s += step(s) + 1.0\n    try:\n        s += x[int(s)]\n"
    "    except IndexError:\n        break\nstep(s)",
    "for v in x:\n    def step(u): return u * v\ntuple(map(step, (1.0, 2.0))) + (step is step,)",
)
KEEPS = "call it in the branch or loop where it is made, and keep what it gives"
NUMBER = "keep a number beside each function, and compare the numbers"
REFUSED = (
    ("T002", KEEPS, "for v in x:\n    def step(u, k=v): return u + k\nstep(1.0)"),
    ("T002", KEEPS, "make = lambda k: lambda u: u * k\nfor v in x:\n    step = make(v)\nstep(1.0)"),
    ("T002", KEEPS, "step = lambda u: u\nfor v in x:\n    step = lambda u: u * v\nstep(1.0)"),
    ("T002", KEEPS, "f = lambda u: u\nfor v in x:\n    g = f\n    f = lambda u: g(u) + v\nf(1.0)"),
    ("R001", NUMBER, "fs = []\nfor k in (1, 2):\n    fs.append(lambda: k)\nfs[0] is fs[1]"),
    ("R001", NUMBER, "step = prev = None\nfor v in x:\n    prev = step\n    step = lambda u: u * v\n"
                     "prev is step if prev is not None and step is not None else False"),
)  # fmt: skip


@pytest.mark.parametrize("text", RIGHT)
def test_the_last_definition_counts(text):
    function = function_of(text, "x")
    stages = Stages(function)
    for x in (np.array([1.0, 2.0, 3.0]), np.zeros(0)):
        want = in_python(function, x)
        for stage in STAGES:
            assert_same(stages.run(stage, x), want)


@pytest.mark.parametrize("code, way_out, text", REFUSED)
def test_what_a_function_of_a_turn_keeps_is_refused(code, way_out, text):
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function_of(text, "x"))(np.ones(3))
    assert [(d.code, d.help) for d in caught.value.diagnostics] == [(code, (way_out,))]


def test_its_derivative():
    def last(x):
        for v in x:
            def step(u):
                return u * v * v
        return step(3.0)

    np.testing.assert_array_equal(pellucid.grad(last)(np.array([1.0, 2.0])), [0.0, 12.0])

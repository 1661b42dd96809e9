"""Find the first pass after which a failing program gives another answer.

    python -m tests.harness.bisect physics.py:energy "np.arange(3.0)" 0.5
    python -m tests.harness.bisect physics.py:energy --grad 0 "np.arange(3.0)" 0.5

    the answer differs first after `prune`: 3.0 instead of 5.0

Every pass tells of its program before and after it (`compiler/steps.py`), and both are run by CPython as their trees
stand, on the same arguments.  The first program is held against the function itself, the last one against its machine
code, and a derivative against differences of the program that was differentiated.  Before `copies` a program may only
be run with the copies that it would get: two names of one array are two values until then.
"""

import argparse
import contextlib
import dataclasses
import importlib.util
import pathlib
import sys

import numpy as np

from pellucid.compiler import driver, steps
from pellucid.compiler.diagnostics import InternalError
from pellucid.compiler.frontend.specialise.values import Leaf, leaves
from pellucid.compiler.program import Program
from pellucid.compiler.request import Gradient
from pellucid.compiler.targets.llvm import llvm
from pellucid.compiler.transform.copies import with_copies

from .lowering_check import outcome, runnable, text_of
from .stages import Stages, assert_same, assert_same_value, in_python

TOLERANCE = {np.float16: 1e-2, np.float32: 1e-4, np.float64: 1e-8}
SLOPES = {np.float16: 1e-1, np.float32: 1e-2, np.float64: 1e-4}


@dataclasses.dataclass(frozen=True)
class Culprit:
    """The pass, what differs after it, and its program on both sides as text."""

    step: str
    message: str
    before: str = ""
    after: str = ""

    def __str__(self):
        shown = [f"the answer differs first after `{self.step}`: {self.message}"]
        for title, text in (("before", self.before), ("after", self.after)):
            shown += [f"--- {title} `{self.step}`", text.rstrip()] if text else []
        return "\n".join(shown)


def bisect(function, *args, transforms=(), static=()):
    """The culprit, or None where every stage agrees.  What the compiler refuses is raised as it is."""
    plain = Stages(function, static=static)
    for stage, step in (("core", "desugar"), ("raw", "specialise")):
        differs = _difference(lambda: assert_same(plain.run(stage, *args), in_python(function, *args)))  # noqa: B023
        if differs:
            return Culprit(step, differs, after=plain.texts.get(stage, ""))
    stages = Stages(function, transforms, static)
    flat = stages.flatten(args)
    with told() as events:
        try:
            made, loops = stages.program("loops", flat)
            last = driver.for_llvm(loops)
        except InternalError as error:
            return Culprit(error.step, str(error), error.statement_text)
    wrt = [_wrt(made, transform) for transform in transforms]
    for event in _programs(events):
        differs = _change(event, flat.leaves, wrt)
        if differs:
            return Culprit(event.step, differs, text_of(event.before), text_of(event.after))
    return _in_machine_code(last, flat.leaves)


def blamed():
    """The pass that is to blame for the last call of a failing test, as text; empty where there was no call."""
    if Stages.last is None:
        return ""
    stages, args = Stages.last
    try:
        culprit = bisect(stages.function, *args, transforms=stages.transforms, static=stages.request.static)
    except Exception as failed:  # a test that fails says so in any case
        return f"could not be found: {failed!r}"
    finally:
        Stages.last = None
    return str(culprit or "no pass changes the answer for the arguments of the last call")


# --- the programs between the passes -------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Event:
    """One pass: whole programs before and after it."""

    step: str
    before: Program
    after: Program


@contextlib.contextmanager
def told():
    """Everything that `steps.observe` tells meanwhile."""
    events = []

    def listen(*event):
        events.append(event)

    steps.observers.append(listen)
    try:
        yield events
    finally:
        steps.observers.remove(listen)


def _programs(events):
    """The passes over the outermost program, in order, but for the one that gives other results."""
    begin = max(k for k, (step, before, _) in enumerate(events) if step == "specialise" and before is None)
    for step, before, after in events[begin + 1 :]:
        if step != "choose_results":
            yield Event(step, before, after)


def _wrt(made, transform):
    """The places of the arguments that a gradient is taken by, among the leaves."""
    numbers = transform.argnums if isinstance(transform.argnums, tuple) else (transform.argnums,)
    values = list(made.arguments.values())
    names = [leaf.name for n in numbers for leaf in leaves(values[n]) if isinstance(leaf, Leaf)]
    return [made.program.main.parameters.index(name) for name in names]


# --- comparing -----------------------------------------------------------------------------------------------------


def _change(event, arguments, wrt):
    """What is different after a pass; empty if nothing is.  A reverse pass takes the next of `wrt`."""
    if event.before is event.after:
        return ""
    want, got = (_run(program, event.step, arguments) for program in (event.before, event.after))
    if event.step == "reverse":
        return _slopes(event.before, want, got, arguments, wrt.pop(0))
    return _different(got, want)


def _run(program, step, arguments):
    if step in ("inline", "reachable", "simplify_once", "prune", "reverse", "copies") and program.main.stage != "loops":
        program = program.map(with_copies)
    return outcome(runnable(program), arguments)


def _different(got, want, tolerance=TOLERANCE):
    (values, error), (wanted, wanted_error) = got, want
    if error is not None or wanted_error is not None:
        return "" if type(error) is type(wanted_error) else f"{_shown(got)} instead of {_shown(want)}"
    return _difference(lambda: assert_same_value(list(values), list(wanted), tolerance))


def _shown(result):
    return f"raises {result[1]!r}" if result[1] is not None else f"gives {result[0]!r}"


def _difference(check):
    try:
        check()
    except AssertionError as found:
        return str(found).strip()
    return ""


def _slopes(before, want, got, arguments, places):
    """A reverse pass keeps the value, and adds slopes: those of central differences."""
    if want[1] is not None or got[1] is not None:
        return _different(got, want)
    count = len(want[0])
    lost = _different((got[0][:count], None), want)
    if lost:
        return lost
    call = runnable(before.map(with_copies))
    wanted = [_central(call, arguments, place) for place in places]
    found = [np.asarray(slope, float) for slope in got[0][count:]]
    return _difference(lambda: assert_same_value(found, wanted, SLOPES, "the slope"))


def _central(call, arguments, place, step=1e-6):
    """The slope of the first result by one argument."""
    at = np.array(arguments[place], float)
    result = np.zeros_like(at)
    for index in np.ndindex(at.shape):
        ends = []
        for sign in (1.0, -1.0):
            moved = at.copy()
            moved[index] += sign * step
            value = moved.astype(arguments[place].dtype) if at.ndim else type(arguments[place])(moved[()])
            results, error = outcome(call, [*arguments[:place], value, *arguments[place + 1 :]])
            ends.append(np.nan if error is not None else float(results[0]))
        result[index] = (ends[0] - ends[1]) / (2.0 * step)
    return result


def _in_machine_code(program, arguments):
    want = outcome(runnable(program), arguments)
    call = llvm.compile_program(program, None, lambda made: made)  # it is down the whole way
    got = outcome(lambda *values: _as_list(call(values)), arguments)
    differs = _different((None if got[0] is None else list(map(_bare, got[0])), got[1]), want)
    return Culprit("machine code", differs, text_of(program)) if differs else None


def _as_list(results):
    return list(results) if isinstance(results, tuple | list) else [results]


def _bare(leaf):
    return leaf if isinstance(leaf, np.generic | int | float | bool | list) else np.asarray(leaf)


# --- on the command line -------------------------------------------------------------------------------------------


def main(words=None):
    parser = argparse.ArgumentParser(prog="python -m tests.harness.bisect", description=__doc__.split("\n", 1)[0])
    parser.add_argument("function", help="FILE.py:NAME")
    parser.add_argument("values", nargs="*", help="the arguments, as Python expressions; `np` is NumPy")
    parser.add_argument("--grad", help="the numbers of the arguments to take the gradient by, such as 0 or 0,1")
    given = parser.parse_args(words)
    file, _, name = given.function.rpartition(":")
    function = getattr(_module(file), name)
    transforms = [Gradient(tuple(map(int, given.grad.split(","))))] if given.grad else []
    values = [eval(text, {"np": np}) for text in given.values]
    culprit = bisect(getattr(function, "__wrapped__", function), *values, transforms=transforms)
    print(culprit or "every pass keeps the answer")
    return 1 if culprit else 0


def _module(file):
    spec = importlib.util.spec_from_file_location(pathlib.Path(file).stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    sys.exit(main())

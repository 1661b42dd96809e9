"""Hold one generated program against CPython: every call's value or exception, its arguments afterwards, its gradient.

    check(case)  ->  [Finding("agreed"), Finding("refused", "R003"), Finding("failure", "value: ...", detail), ...]

CPython and NumPy say what is right.  A refusal of the compiler is an answer; so is what docs/limits.md says will differ
(`limit`).  A program that rounding alone moves too far says nothing about values (`unstable`).  Anything else fails.
"""

import copy
import dataclasses
import linecache
import os
import pathlib
import re
import tempfile
import traceback

import numpy as np

import pellucid
from pellucid.compiler.diagnostics import CompileError, InternalError

from ..corpus import is_float, leaves, map_leaves
from ..stages import STAGES, Outcome, Stages, attempt, plain, raises_alike
from . import complex_step, widened
from .case import Case
from .compare import Difference, difference, moved_by
from .limits import TooSlow, time_limit

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="pellucid_fuzz_"))
SLOW_IN_PYTHON = 0.5  # seconds after which a program is given up as one that does not end
SLOW_WITH_TRANSFORMS = 20.0  # the same for one that compiles derivatives of its own
SLOW_STAGE = 10.0  # the same for a stage, run by CPython, of a program that does end
NUDGES = 3  # a branch on what rounding alone decides is turned by one of them, most likely
LAST_DIGITS = {"float16": 1e-3, "float32": 1e-6, "float64": 1e-13}
MOST_SENSITIVE = 1e-4


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """What one call of one program came to.  `kind` is agreed, refused, limit, unstable, passed or failure."""

    kind: str
    what: str = ""
    stage: str = ""
    detail: str = ""
    call: int = 0


def check(case: Case, stages: tuple[str, ...] = ("native",), gradient: bool = False) -> list[Finding]:
    """All findings for a case: its calls at each of the stages, and the gradient of its loss."""
    name = f"fuzz_{os.getpid()}_{abs(hash(case.source))}"
    path = FOLDER / f"{name}.py"
    path.write_text(case.source, encoding="utf-8")
    try:
        return _check(case, stages, gradient, path)
    except TooSlow:
        return [Finding("passed", "does not end in CPython")]
    finally:
        path.unlink(missing_ok=True)
        linecache.cache.pop(str(path), None)


def _check(case, stages, gradient, path):
    wants = expected(case, path)
    if isinstance(wants, Finding):
        return [wants]
    found = []
    for stage in stages:
        runner = Runner(case, path, stage)
        for number, (call, want) in enumerate(zip(case.calls, wants)):
            if isinstance(want, Finding):
                runner.change(call.before)
                continue
            got = runner.outcome(call)
            finding = judged(case, got, want)
            if finding.kind == "failure" and any(c.before for c in case.calls[: number + 1]):
                finding = dataclasses.replace(finding, what=f"{finding.what}, after a change outside")
            found.append(dataclasses.replace(finding, stage=stage, call=number))
            if found[-1].kind == "refused" and "R0" not in found[-1].what and stage == "native" and number == 0:
                break  # decoration or types: the other calls would say the same
    if gradient and case.loss and not any(f.kind == "failure" for f in found):
        found += [dataclasses.replace(f, stage=f.stage or "gradient") for f in gradients(case, path)]
    return found


# --- what is right -----------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class Expected:
    """CPython's outcome, its arguments after the call, and how far rounding may move the result."""

    outcome: Outcome
    after: tuple
    before: tuple
    moved: float


def expected(case, path):
    """What CPython makes of each call, in a module of its own; the others get arguments nudged in several ways."""
    with time_limit(SLOW_WITH_TRANSFORMS if "pellucid." in case.source else SLOW_IN_PYTHON):
        spaces = [module(case, path) for _ in range(1 + NUDGES)]
        if "np.empty" in case.source:
            for space, filling in zip(spaces[1:], (77, -77)):
                space["np"] = Undefined(filling)
        wants = []
        for call in case.calls:
            try:
                for space in spaces:
                    exec(call.before, space)
                args, *near = (eval(call.arguments, space) for space in spaces)
            except Exception as error:
                return Finding("passed", f"no call: {type(error).__name__}")
            before = copy.deepcopy(args)
            want = attempt(spaces[0]["program"], *args)
            others = [
                attempt(space["program"], *map_leaves(nudged(np.random.default_rng(7 + number)), moved))
                for number, (space, moved) in enumerate(zip(spaces[1:], near))
            ]
            if re.search(r"\[\.\.\.\]|\{\.\.\.\}", repr(want.value)):
                return Finding("passed", "a container holds itself")
            wants.append(Expected(want, args, before, max(moved_by(want, other) for other in others)))
        return wants


class Undefined:
    """NumPy whose `empty` holds something else than it does in the first run: a result that shows it is unstable."""


    def __init__(self, held):
        self.held = held

    def empty(self, shape, *args, **options):
        return np.full_like(np.empty(shape, *args, **options), self.held)

    def empty_like(self, array, *args, **options):
        return np.full_like(np.empty_like(array, *args, **options), self.held)

    def __getattr__(self, name):
        return getattr(np, name)


def nudged(rng):
    """The same numbers but for their last digits, each moved on its own."""

    def nudge(leaf):
        if not is_float(leaf):
            return leaf
        values = np.asarray(leaf)
        change = 1.0 + LAST_DIGITS[values.dtype.name] * rng.uniform(-1.0, 1.0, values.shape)
        moved = (values * change).astype(values.dtype)
        return moved if isinstance(leaf, np.ndarray) else type(leaf)(moved)

    return nudge


def module(case, path):
    """The names of the case's module."""
    space = {"__name__": path.stem, "__file__": str(path)}
    exec(compile(case.source, str(path), "exec"), space)
    return space


# --- what comes ----------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class Got:
    """The outcome of one call, and the arguments as the call left them."""

    outcome: Outcome
    after: tuple


class Runner:
    """One case at one stage: `native` is the public function, the others are those of `tests.harness.stages`."""

    def __init__(self, case, path, stage):
        self.space, self.stage = module(case, path), stage
        self.freeze, self.reads_outside = case.freeze, bool(case.freeze) or "pellucid.Array" in case.source
        self.python = self.space["program"]
        self.function = None

    def change(self, before):
        exec(before, self.space)
        if self.space["program"] is not self.python:  # redefined itself: compile what it is now
            self.python, self.function = self.space["program"], None
        if before and self.stage != "native" and not self.reads_outside:  # `Stages` look at nothing again
            self.function = None

    def outcome(self, call):
        self.change(call.before)
        args = eval(call.arguments, self.space)
        with np.errstate(all="ignore"):
            try:
                outcome = self.run(args)
            except CompileError as refused:
                outcome = Outcome(error=refused)
            except Exception as error:
                outcome = Outcome(error=error)
        return Got(outcome, args)

    def run(self, args):
        if self.stage == "native":
            if self.function is None:
                self.function = pellucid.compile(self.python, freeze=self.freeze)
            return Outcome(map_leaves(plain, self.function(*args)))
        if self.reads_outside:  # arrays from outside are arguments that only the public function knows to find
            if self.function is None:
                self.function = pellucid.compile(self.python, freeze=self.freeze).debug(self.stage)
            with time_limit(SLOW_STAGE):
                return Outcome(map_leaves(plain, self.function(*args)))
        if self.function is None:
            self.function = Stages(self.python)
        with time_limit(SLOW_STAGE):
            return self.function.run(self.stage, *args)


def judged(case, got, want) -> Finding:
    """The finding for one call."""
    error, right = got.outcome.error, want.outcome.error
    if isinstance(error, CompileError):
        return Finding("refused", ",".join(dict.fromkeys(d.code for d in error.diagnostics)))
    if error is not None and is_ours(error):
        return Finding("failure", f"{type(error).__name__} in {innermost(error)}", detail=described(error))
    limit = documented(case, got.outcome, want)
    if limit:
        return Finding("limit", limit)
    if error is None and right is None:
        return judged_values(case, got, want)
    if want.moved == np.inf:
        return Finding("unstable")  # which path is taken is decided by rounding, or by what `np.empty` holds
    if error is None:
        return Finding(
            "failure", f"value, not {type(right).__name__}", detail=f"gave {got.outcome.value!r}, not {right!r}"
        )
    if right is None:
        return Finding(
            "failure", f"{type(error).__name__}, not value", detail=f"raised {error!r}, not {want.outcome.value!r}"
        )
    if not raises_alike(error, right):
        return Finding(
            "failure", f"{type(error).__name__}, not {type(right).__name__}", detail=f"{error!r}, not {right!r}"
        )
    return arguments_agree(got, want)


def judged_values(case, got, want):
    try:
        difference(got.outcome.value, want.outcome.value, want.moved if want.moved <= MOST_SENSITIVE else None)
    except Difference as wrong:
        values = got.outcome.value, want.outcome.value
        if wrong.kind in ("dtype", "kind of bool") and widened.explains(case.source, *values):
            return Finding("limit", "one type on both paths")
        of_numbers, float32 = wrong.kind in ("value", "dtype"), "float32" in str(case)
        if of_numbers and float32 and widened.has_float32s_digits(case.source, *values):
            return Finding("limit", "a Python float that meets an np.float32 has its digits")
        if wrong.kind == "dtype" and widened.is_of_numpys_numbers(case.source, want.before, got.outcome.value):
            return Finding("limit", "a Python number and a NumPy scalar in one variable")
        return Finding(
            "failure", wrong.kind, detail=f"{wrong}\ngot  {got.outcome.value!r}\nwant {want.outcome.value!r}"
        )
    if want.moved > MOST_SENSITIVE:
        return Finding("unstable")
    return arguments_agree(got, want)


def arguments_agree(got, want):
    """The caller's objects are as CPython leaves them."""
    try:
        difference(got.after, want.after, 0.0, exact=True)
    except Difference as wrong:
        return Finding("failure", "arguments", detail=f"{wrong}\ngot  {got.after!r}\nwant {want.after!r}")
    return Finding("agreed")


def is_ours(error) -> bool:
    """Whether an exception comes out of the compiler, not out of the program."""
    return isinstance(error, InternalError) or compiler_frame(error) is not None


def compiler_frame(error):
    """The innermost frame of the compiler that an exception went through."""
    frames = [f for f in traceback.extract_tb(deepest(error).__traceback__) if "/compiler/" in f.filename]
    return frames[-1] if frames and not frames[-1].filename.endswith("executable.py") else None


def deepest(error):
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def innermost(error) -> str:
    frame = compiler_frame(error)
    if isinstance(deepest(error), InternalError):  # the verifier: what it says, without the names
        return re.sub(r"'[^']*'|`[^`]*`|\d+", "_", f"{deepest(error).step}: {deepest(error).reason}")[:100]
    if frame is None:
        return getattr(error, "step", "?")
    path = frame.filename.rpartition("/compiler/")[2]
    return f"{path}:{frame.name} ({type(deepest(error)).__name__})"


def described(error) -> str:
    return "".join(traceback.format_exception(error, limit=-4))


def documented(case, got, want) -> str:
    """The line of docs/limits.md that says this difference will come, or nothing."""
    if isinstance(got.error, OverflowError) and "meet in one variable" in str(got.error):
        return "a Python number and a NumPy scalar in one variable"
    is_spurious = " out of bounds for " in str(got.error)  # NumPy's own words, where NumPy does not say them
    if (
        isinstance(got.error, OverflowError) and not is_spurious
        and (want.outcome.error is None or "int too large" in str(got.error))
    ):  # fmt: skip
        return "an int has 64 bits"
    if isinstance(got.error, ValueError) and str(got.error).startswith("need at least one array: how many"):
        return "the rank of an empty list"
    single = "compiled code takes its length to be 1|a slice of one element is repeated here"
    if isinstance(got.error, ValueError) and re.search(single, str(got.error)):
        return "x[:1] has length 1"
    if "np.linspace" in case.source and any(map(is_subnormal, leaves(want.before))):
        return "np.linspace of less than the smallest normal number"
    if isinstance(got.error, ValueError) and "not be broadcast" in str(got.error) and takes_single_elements(case):
        return "x[:1] has length 1"
    if got.error is None and is_without_dimensions(got.value, want.outcome.value):
        return "an array without dimensions"
    if isinstance(got.error, ValueError | IndexError) and "has length 1 at run time" in str(got.error):
        return "broadcast of a length that turns out to be 1"
    if isinstance(got.error, IndexError) and "corresponding boolean axis is 0" in str(got.error):
        return "a mask without elements"
    if isinstance(want.outcome.error, ZeroDivisionError) and got.error is None:
        if is_numpys_infinity(got.value) or widened.is_of_numpys_numbers(case.source, want.before, got.value):
            return "a Python number and a NumPy scalar in one variable"
    if isinstance(got.error, ZeroDivisionError) and want.outcome.error is None and widened.meets(case.source):
        return "a Python number and a NumPy scalar in one variable"
    if "np.arange" in case.source and "Maximum allowed size" in str(want.outcome.error):
        return "np.arange counts in ints of 64 bits"
    if isinstance(want.outcome.error, TypeError) and "boolean" in str(want.outcome.error) and got.error is None:
        if widened.meets(case.source):  # a bool that is a number wherever it meets one may be subtracted
            return "one type on both paths"
    if got.error is None and want.outcome.error is None and ints_became_floats(got.value, want.outcome.value):
        return "an int and a float in one variable"
    return ""


def is_subnormal(leaf) -> bool:
    sizes = np.abs(np.asarray(leaf, float)) if is_float(leaf) else np.zeros(0)
    return bool(np.any((sizes > 0.0) & (sizes < np.finfo(float).tiny)))


def takes_single_elements(case) -> bool:
    """Whether a program has slices such as x[1:2], whose length is taken to be 1."""
    bounds = re.findall(r"\[(-?\d+)?:(-?\d+)?\]|\[(-?\d+)?:(-?\d+)?,|, (-?\d+)?:(-?\d+)?[],]", case.source)
    pairs = [(int(b[k] or 0), int(b[k + 1] or 0)) for b in bounds for k in (0, 2, 4) if b[k] or b[k + 1]]
    return any(stop - start == 1 for start, stop in pairs)


def is_without_dimensions(got, want) -> bool:
    """Whether a result is NumPy's scalar where NumPy gives an array without dimensions."""
    if isinstance(want, tuple) and type(got) is tuple and len(got) == len(want):
        pairs = list(zip(got, want))
        return any(is_without_dimensions(*p) for p in pairs) and all(is_same(*p) for p in pairs)
    return isinstance(got, np.generic) and isinstance(want, np.ndarray) and want.shape == () and is_same(got, want)


def is_same(got, want) -> bool:
    one, other = np.asarray(got), np.asarray(want)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    return np.allclose(one, other, rtol=1e-9, atol=0.0, equal_nan=True)


def ints_became_floats(got, want) -> bool:
    """Whether two results differ in Python's ints alone, which are floats of the same value in the first."""
    ours, theirs = list(leaves(got)), list(leaves(want))
    changed = [type(a) is float and type(b) is int and a == b for a, b in zip(ours, theirs)]
    same = [type(a) is type(b) and np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind == "f")
            for a, b in zip(ours, theirs)]  # fmt: skip
    return len(ours) == len(theirs) and any(changed) and all(a or b for a, b in zip(changed, same))


def is_numpys_infinity(value) -> bool:
    """Whether a result has an inf or nan of NumPy's own; of a Python float it would be a failure."""
    numpys = [np.asarray(leaf) for leaf in leaves(value) if isinstance(leaf, np.floating | np.ndarray)]
    return any(leaf.dtype.kind == "f" and not np.all(np.isfinite(leaf)) for leaf in numpys)


# --- gradients -----------------------------------------------------------------------------------------------------


def gradients(case, path):
    """The compiled gradient of the loss by every float argument, against complex steps that differences confirm."""
    found = []
    space = module(case, path)
    loss = space[case.loss]
    compiled = {}
    for number, call in enumerate(case.calls[:3]):
        args = eval(call.arguments, space)
        argnums = tuple(k for k, value in enumerate(args) if is_float(value) and np.asarray(value).dtype == np.float64)
        if not argnums or call.before:
            continue
        with time_limit(SLOW_STAGE):
            want = complex_step.gradient(case, loss, args, argnums)
            others = [complex_step.gradient(*filled, args, argnums) for filled in filled_in(case, path)]
        if want is None or any(other is None or complex_step.wrong(other, want) for other in others):
            found.append(Finding("passed", "no derivative to hold it against", "gradient"))
            continue
        try:
            if argnums not in compiled:
                compiled[argnums] = pellucid.grad(loss, argnums)
            got = compiled[argnums](*args)
        except CompileError as refused:
            codes = ",".join(dict.fromkeys(d.code for d in refused.diagnostics))
            return [*found, Finding("refused", codes, "gradient", call=number)]
        except Exception as error:
            if isinstance(error, ZeroDivisionError) and "math." in case.source:
                found.append(Finding("limit", "the slope at the end of a domain", "gradient", call=number))
                continue
            limit = "" if is_ours(error) else documented(case, Outcome(error=error), Expected(Outcome(), (), args, 0.0))
            if limit:
                found.append(Finding("limit", limit, "gradient", call=number))
                continue
            what = f"gradient: {type(error).__name__} in {innermost(error) if is_ours(error) else 'the program'}"
            return [*found, Finding("failure", what, "gradient", described(error), number)]
        wrong = complex_step.wrong(got, want)
        infinite = any(not np.all(np.isfinite(leaf)) for leaf in leaves(args) if is_float(leaf))
        if wrong and "nan" in wrong and (infinite or complex_step.meets_an_end(case, args)):
            found.append(Finding("limit", "the slope at the end of a domain", "gradient", call=number))
            continue
        if wrong:
            what = "gradient: shape" if "has shape" in wrong else "gradient: value"
            return [*found, Finding("failure", what, "gradient", wrong, number)]
        found.append(Finding("agreed", "gradient"))
    return found


def filled_in(case, path):
    """The case and its loss with zeros, and with ones, for what `np.empty` leaves undefined."""
    for made in ("np.zeros", "np.ones") if "np.empty" in case.source else ():
        text = re.sub(r"np\.empty(_like)?\b", made + r"\1", case.source)
        filled = dataclasses.replace(case, source=text)
        yield filled, module(filled, path)[case.loss]


# --- which pass ------------------------------------------------------------------------------------------------------


def first_wrong_stage(case: Case, what: str) -> str:
    """The first stage at which a failure shows; `native` where only machine code, or dispatch, has it."""
    if any(call.before for call in case.calls):
        return "native"  # what changes between calls is seen by the public function alone
    try:
        for stage in STAGES:
            if any(f.kind == "failure" for f in check(case, (stage,))):
                return stage
    except Exception:
        return "?"
    return "native"

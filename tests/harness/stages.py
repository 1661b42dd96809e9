"""Run a Python function on arguments at any stage, and hold the answer against CPython's.

    stages = Stages(softmax)
    outcome = stages.run("loops", x)          a value, or the exception that came
    assert_same(outcome, in_python(softmax, x))

The stages, in the order in which a function travels:

    core      desugared Python, run by CPython on the arguments as they are
    raw       typed as the specialiser leaves it, before any pass
    typed     typed (and differentiated, when a transform is asked for) as it is printed and lowered
    loops     scalar loops over explicit buffers
    llvm      machine code
    kernels   a driver and kernels for a GPU, in lockstep; not among STAGES, since it takes longer

Stages up to loops are printed, and it is the text that runs.  What is compiled for one combination of argument types is
kept, so that calls with other lengths test that one compile serves all shapes.
"""

import dataclasses
import itertools
import linecache
import pathlib
import tempfile
import types as python_types
from collections import deque

import numpy as np

from pellucid.compiler import driver
from pellucid.compiler.frontend.source.read import read
from pellucid.compiler.frontend.specialise.interpreter.apply import core_of
from pellucid.compiler.frontend.specialise.specialise import specialise
from pellucid.compiler.request import Request, namespace_of
from pellucid.compiler.steps import observers
from pellucid.compiler.targets.cuda.kernels import kernels
from pellucid.compiler.targets.llvm import llvm
from pellucid.compiler.targets.python import printer
from pellucid.compiler.transform.write_through import write_through
from pellucid.flatten import flatten, rebuild
from pellucid.runtime.array import Array
from pellucid.runtime.lockstep import KernelFault, in_lockstep

from .corpus import copy_tree, map_leaves

STAGES = ("core", "raw", "typed", "loops", "llvm")
CORES = {}  # module name -> its names, its names with desugared functions, those functions
TOLERANCE = {np.float16: 2e-3, np.float32: 2e-5, np.float64: 1e-10}


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """What a call came to: a value, or the exception it raised."""

    value: object = None
    error: Exception | None = None


def attempt(function, *args):
    """Call a function, keeping what it raises; NumPy's warnings are not of interest."""
    with np.errstate(all="ignore"):
        try:
            return Outcome(function(*args))
        except Exception as error:
            return Outcome(error=error)


def in_python(function, *args):
    """The specification: what CPython and NumPy make of it, on arrays of their own."""
    return attempt(function, *copy_tree(args))


class Stages:
    """One function at every stage.  `transforms` are applied in order.

    `last` is the last call of all: where a test fails, `conftest.py` asks `bisect` which pass is to blame for it.
    """

    last = None

    def __init__(self, function, transforms=(), static=()):
        self.function = function
        self.transforms = tuple(transforms)
        self.request = Request(function, static=tuple(static), transforms=tuple(transforms))
        self.signature = self.request.signature()
        self.texts = {}
        self._raw, self._derived, self._settled, self._lowered, self._runnable = {}, {}, {}, {}, {}
        self._core = None

    def run(self, stage, *args):
        """The outcome at a stage; a fault of the compiler itself comes out as it is."""
        Stages.last = self, args
        if stage == "core":
            if self._core is None:
                self._core = core_function(self.function)
            return attempt(self._core, *copy_tree(args))
        flat = self.flatten(args)
        structure, call = self.compiled(stage, flat)
        before = copy_tree(flat.leaves)
        outcome = attempt(call, flat.leaves)
        assert_unchanged(flat.leaves, before)
        if outcome.error is not None:
            return outcome
        return Outcome(map_leaves(plain, rebuild(structure, as_list(outcome.value))))

    def flatten(self, args, texts=False):
        """The arguments taken apart; with `texts`, their leaves are types written as text."""
        bound = self.signature.bind(*args)
        names = tuple(bound.arguments) if texts else ()
        bound.apply_defaults()
        return flatten(bound.arguments, self.request.static, self.function, texts=names)

    def compiled(self, stage, flat):
        """The structure of the result, and a callable on leaves."""
        if (stage, flat.key) not in self._runnable:
            made, program = self.program(stage, flat)
            if stage == "llvm":
                options = llvm.EmitOptions(exceptions=made.exceptions)
                call = llvm.compile_program(program, options, driver.for_llvm)
            elif stage == "kernels":
                call = self.in_lockstep(program, flat)
            else:
                text = self.texts[stage] = printer.print_program(program)
                call = unpacking(entry_of(text, program.entry, f"{self.function.__name__}_{stage}.py"))
            self._runnable[stage, flat.key] = made.result, call
        return self._runnable[stage, flat.key]

    def in_lockstep(self, program, flat):
        """The kernels stage, with the error of the processor where a kernel says that there is one."""
        made = kernels(driver.for_cuda(program))
        text = self.texts["kernels"] = made.text
        driver_ = in_lockstep(entry_of(text, made.entry, f"{self.function.__name__}_kernels.py"))

        def call(leaves):
            try:
                return driver_(*leaves)
            except KernelFault as fault:
                self.compiled("loops", flat)[1](leaves)
                self.compiled("llvm", flat)[1](leaves)  # there ints of Python overflow
                raise AssertionError("a kernel finds a fault where the program of the processor finds none") from fault

        return call

    def program(self, stage, flat):
        if stage == "raw" and (self.transforms or not self.goes_down(flat)):
            made = specialise(self.function, flat.arguments, derive=driver.derive)
            return made, made.program.map(write_through)  # up to here a name may show what NumPy has as a view
        self.derive(flat)
        made, settled = self._derived[flat.key], self._settled[flat.key]
        if stage == "raw":
            return made, self._raw[flat.key].map(write_through)
        if stage == "typed":
            return made, settled
        if flat.key not in self._lowered:
            self._lowered[flat.key] = driver.lowered(settled)
        return made, self._lowered[flat.key]


    def goes_down(self, flat):
        """Whether it gets to the typed stage: where it does, the specialiser works once for both stages."""
        try:
            self.derive(flat)
        except Exception:  # which comes again where the typed stage is asked for
            return False
        return True

    def derive(self, flat):
        if flat.key in self._derived:
            return
        specialised = []

        def listen(step, before, after):
            if step == "specialise":
                specialised.append(after)

        observers.append(listen)
        try:
            made = driver.derive(self.request, flat.arguments)
        finally:
            observers.remove(listen)
        self._raw[flat.key] = specialised[-1]  # of the function itself: those that it differentiates inside come first
        self._settled[flat.key] = driver.settled(made.program)
        self._derived[flat.key] = made


def unpacking(function):
    return lambda values: function(*values)


def entry_of(text, entry, path):
    """The entry of a printed stage; its lines can be read in tracebacks."""
    path = f"<stage {path}>"
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    namespace = {}
    exec(compile(text, path, "exec"), namespace)
    return namespace[entry]


def core_function(function):
    """The desugared function; the functions of its module that it calls are desugared too."""
    module, namespace = core_module(function.__module__, function.__globals__)
    if function.__globals__.get(function.__name__) is function:
        return module[function.__name__]
    return define_core(function, {**module, **namespace_of(function), **namespace})


def core_module(name, module):
    """The names of a module, and apart from them its functions, desugared and calling one another."""
    if name not in CORES or CORES[name][0] is not module:
        namespace = dict(module)
        made = {}
        for key, value in module.items():
            if isinstance(value, python_types.FunctionType) and value.__module__ == name:
                made[key] = define_core(value, namespace)
        namespace.update(made)
        CORES[name] = module, namespace, made
    return CORES[name][1:]


def define_core(function, namespace):
    core = core_of(read(function).tree)[0]
    text = printer.print_core(core)
    path = f"<core {function.__module__}.{function.__qualname__}>"
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    scope = {}
    exec(compile(text, path, "exec"), namespace, scope)
    made = scope[core.name]
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return made


# --- programs as text ----------------------------------------------------------------------------------------------


FOLDER = tempfile.TemporaryDirectory(prefix="pellucid_tests_")
NUMBERS = itertools.count()


def module_of(text, **names):
    """The names of a module with this text, in a file of its own so that the source can be read; `names` come first."""
    path = pathlib.Path(FOLDER.name) / f"written_{next(NUMBERS)}.py"
    path.write_text(text, encoding="utf-8")
    namespace = {"__name__": path.stem, "__file__": str(path), **names}
    exec(compile(text, str(path), "exec"), namespace)
    return namespace


# --- results -------------------------------------------------------------------------------------------------------


def as_list(results):
    """The result leaves of a printed stage, which returns one value bare."""
    if isinstance(results, tuple | list):
        return list(results)
    return [] if results is None else [results]


def plain(leaf):
    return np.asarray(leaf) if isinstance(leaf, Array) else leaf


def assert_unchanged(leaves_after, leaves_before):
    """No stage may write into its arguments."""
    for after, before in zip(leaves_after, leaves_before, strict=True):
        if isinstance(before, np.ndarray):
            assert after.tobytes() == before.tobytes(), "an argument was changed"


# --- comparing -----------------------------------------------------------------------------------------------------


def assert_same(got, want, tolerance=TOLERANCE):
    """Outcomes agree: the type of the exception, or the value; otherwise says where they part."""
    if want.error is not None:
        assert got.error is not None, f"gave {got.value!r} where CPython raises {want.error!r}"
        assert raises_alike(got.error, want.error), f"raised {got.error!r} where CPython raises {want.error!r}"
        return
    if got.error is not None:
        raise AssertionError(f"raised {got.error!r} where CPython gives {want.value!r}") from got.error
    assert_same_value(got.value, want.value, tolerance)


def assert_same_at_all_stages(function, inputs, tolerance=TOLERANCE):
    """What CPython makes of each input, every stage makes of it."""
    stages = Stages(function)
    for given in inputs:
        want = in_python(function, given)
        for stage in STAGES:
            assert_same(stages.run(stage, given), want, tolerance)


def raises_alike(got, want):
    """The same exception type; a subclass that NumPy defines counts as its base, a printed stand-in as its class."""
    if type(got) is type(want) or (type(want).__module__.startswith("numpy") and isinstance(want, type(got))):
        return True
    is_own = type(want).__module__ not in ("builtins", "numpy")
    return is_own and type(got).__name__ == type(want).__name__ and got.args == want.args


def assert_same_value(got, want, tolerance=TOLERANCE, place="result"):
    """The same containers, and at the leaves the same dtypes, shapes and, to rounding, values."""
    match want:
        case dict():
            assert type(got) is type(want) and list(got) == list(want), f"{place}: {got!r}, not {want!r}"
            for key in want:
                assert_same_value(got[key], want[key], tolerance, f"{place}[{key!r}]")
        case tuple() | list():
            assert type(got) is type(want), f"{place} is a {type(got).__name__}, not a {type(want).__name__}"
            assert len(got) == len(want), f"{place} has {len(got)} parts, not {len(want)}"
            for number, (one, other) in enumerate(zip(got, want, strict=True)):
                assert_same_value(one, other, tolerance, f"{place}[{number}]")
        case deque():
            assert type(got) is deque and got.maxlen == want.maxlen, f"{place} is {got!r}, not {want!r}"
            assert_same_value(list(got), list(want), tolerance, place)
        case _ if dataclasses.is_dataclass(want):
            assert type(got) is type(want), f"{place} is a {type(got).__name__}, not a {type(want).__name__}"
            for field in dataclasses.fields(want):
                one, other = getattr(got, field.name), getattr(want, field.name)
                assert_same_value(one, other, tolerance, f"{place}.{field.name}")
        case None | str() | set():
            assert got == want, f"{place} is {got!r}, not {want!r}"
        case _:
            assert_same_leaf(got, want, tolerance, place)


def assert_same_leaf(got, want, tolerance, place):
    is_array = isinstance(want, np.ndarray)
    assert isinstance(got, np.ndarray) == is_array, f"{place} is a {type(got).__name__}, not a {type(want).__name__}"
    one, other = np.asarray(got), np.asarray(want)
    # Where two paths meet, a Python number may have become NumPy's scalar of the same kind: only that is let pass.
    assert one.dtype == other.dtype, f"{place} has dtype {one.dtype}, not {other.dtype}"
    assert one.shape == other.shape, f"{place} has shape {one.shape}, not {other.shape}"
    if other.dtype.kind == "c":
        one, other = (np.stack([v.real, v.imag]) for v in (one, other))
    if other.dtype.kind != "f":
        np.testing.assert_array_equal(one, other, err_msg=place)
        return
    relative = tolerance[other.dtype.type]
    finite = np.abs(other[np.isfinite(other)])
    scale = max(1.0, float(np.max(finite, initial=0.0)))
    np.testing.assert_allclose(one, other, rtol=relative, atol=relative * scale, equal_nan=True, err_msg=place)



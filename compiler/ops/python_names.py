"""Which names of Python mean which operator or library function.

    BINDINGS["numpy.sin"]       the operator `sin`, called `np.sin(x, /)`
    BINDINGS["numpy.mean"]      the library function `mean` in `pellucid/numpy/statistics.py`
    METHODS["sum"]              what `x.sum(...)` calls, with `x` as the first argument
    binding_of(np.sin)          the same by the object itself

NumPy's functions give NumPy's scalars even of Python numbers: where a binding is `strong`, a call all of whose operands
are Python numbers converts them first (`np.add(1, 2)` is an int64), while `np.add(x32, 1.0)` keeps its weak operand.
"""

from __future__ import annotations

import cmath
import inspect
import math
import pkgutil
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from .. import vocabulary
from ..dtypes import DTYPE_OF_NUMPY
from ..records import dataclass
from . import OPERATORS
from .numpy_names import (
    BISECT_FUNCTIONS,
    CMATH_FUNCTIONS,
    MATH_FUNCTIONS,
    METHOD_FUNCTIONS,
    NUMPY_FUNCTIONS,
)
from .numpy_names import OF_COMPLEX as OF_COMPLEX_IN_NUMPY
from .schema import Operator
from .scipy_names import OF_COMPLEX as OF_COMPLEX_IN_SCIPY
from .scipy_names import SCIPY_FUNCTIONS, SCIPY_OBJECTS
from .sharing import sharing_of

LIBRARIES = ("pellucid.numpy", "pellucid.scipy")
# Of Python's own functions: those that return one of their arguments, and those that make something new of them.
PICKING = frozenset({"min", "max", "next"})
COMBINING = frozenset({"sum", "abs", "any", "all"})


@cache
def methods_of_objects() -> frozenset[str]:
    """The methods that objects of the library have: sparse arrays, splines, distributions, results of solvers."""
    package = import_module("pellucid.scipy")
    found: set[str] = set()
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, type):
                found.update(name for name, held in vars(value).items() if inspect.isfunction(held))
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class NameBinding:
    """What a name means: exactly one of `operator`, `function`, `dtype` and `constant`.

    operator   the name of a row
    function   `module:name` of a library function, loaded by `load()`: `statistics:mean` in `pellucid/numpy`, and
               `scipy.special:expit` in `pellucid/scipy`
    dtype      a conversion such as np.float32(x); the name is also a dtype
    constant   a number, or None for np.newaxis
    strong     operands that are all Python numbers are converted to NumPy's first
    owner      the name of the function that a library function gets in front of its arguments: `numpy.add`
    """

    operator: str = ""
    function: str = ""
    dtype: str = ""
    constant: complex | None = None
    strong: bool = False
    owner: str = ""

    @property
    def kind(self) -> str:
        return "operator" if self.operator else "function" if self.function else "dtype" if self.dtype else "constant"

    @property
    def row(self) -> Operator:
        return OPERATORS[self.operator]

    def load(self) -> Callable[..., Any]:
        """The library function."""
        module, _, name = self.function.partition(":")
        package = "pellucid" if module.startswith("scipy.") else "pellucid.numpy"
        return getattr(import_module(f"{package}.{module}"), name)

    @property
    def takes_complex(self) -> bool:
        """Whether a library function takes complex numbers."""
        module, _, name = self.function.partition(":")
        return bool({"*", name} & set(OF_COMPLEX.get(module, "").split()))

    @property
    def shares(self) -> str:
        """Whether the result shares elements with the arguments (`sharing`)."""
        if self.operator:
            return self.row.shares
        return sharing_of(self.load()) if self.function else "either" if self.dtype else "copy"

    def signature(self) -> inspect.Signature:
        """How Python binds the arguments of a call."""
        if self.function:
            found = inspect.signature(self.load())
            return found.replace(parameters=list(found.parameters.values())[1 if self.owner else 0 :])
        names = self.row.operands if self.operator else ("x",)
        kind = inspect.Parameter.POSITIONAL_ONLY
        return inspect.Signature([inspect.Parameter(name, kind) for name in names])


def _rows() -> dict[str, NameBinding]:
    """Names that a row claims for itself."""
    return {
        dotted: NameBinding(operator=row.name, strong=not dotted.startswith("math."))
        for row in OPERATORS.values()
        if row.kind in ("elementwise", "contraction", "library")
        for dotted in row.python
    }


def is_in_library(module: str | None) -> bool:
    """Whether a module is one of those in which the library is written."""
    return (module or "").startswith(LIBRARIES)


def _library(prefix: str, table: dict[str, str]) -> dict[str, NameBinding]:
    """`module: names` to bindings of `prefix.name`; `name=other` where the function is called differently."""
    bindings = {}
    for module, names in table.items():
        for entry in names.split():
            name, _, function = entry.partition("=")
            bindings[f"{prefix}{name}"] = NameBinding(function=f"{module}:{function or name}")
    return bindings


def _files(table: dict[str, str]) -> dict[str, str]:
    """A table of SciPy's names, by modules as bindings name them."""
    return {f.removeprefix("numpy.") if f.startswith("numpy.") else f"scipy.{f}": names for f, names in table.items()}


OF_COMPLEX = OF_COMPLEX_IN_NUMPY | {f"scipy.{file}": names for file, names in OF_COMPLEX_IN_SCIPY.items()}
OF_UFUNCS = frozenset({"out", "where", "casting", "order", "dtype", "subok", "signature"})  # keywords of each of them
UFUNC_METHODS = "reduce accumulate outer reduceat at".split()
DTYPES = {f"numpy.{name}": DTYPE_OF_NUMPY[np.dtype(getattr(np, name))] for name in sorted(vocabulary.DTYPES)}
CONSTANTS = {
    "numpy.pi": math.pi, "numpy.e": math.e, "numpy.inf": math.inf, "numpy.nan": math.nan, "numpy.newaxis": None,
    "numpy.euler_gamma": float(np.euler_gamma), "math.pi": math.pi, "math.e": math.e, "math.tau": math.tau,
    "math.inf": math.inf, "math.nan": math.nan, "cmath.pi": math.pi, "cmath.e": math.e, "cmath.tau": math.tau,
    "cmath.inf": math.inf, "cmath.nan": math.nan, "cmath.infj": cmath.infj, "cmath.nanj": cmath.nanj,
}  # fmt: skip

BINDINGS: dict[str, NameBinding] = {
    **_rows(),
    **_library("numpy.", NUMPY_FUNCTIONS),
    **_library("math.", MATH_FUNCTIONS),
    **_library("bisect.", BISECT_FUNCTIONS),
    **_library("cmath.", CMATH_FUNCTIONS),
    **{
        dotted: binding
        for module, table in SCIPY_FUNCTIONS.items()
        for dotted, binding in _library(f"{module}.", _files(table)).items()
    },
    **{dotted: NameBinding(dtype=dtype) for dotted, dtype in DTYPES.items()},
    **{dotted: NameBinding(constant=value) for dotted, value in CONSTANTS.items()},
}
BINDINGS |= {
    f"{dotted}.{method}": NameBinding(function=f"ufunc_methods:{method}", owner=dotted)
    for dotted in BINDINGS
    if isinstance(function := getattr(np, dotted.removeprefix("numpy."), None), np.ufunc) and function.nin == 2
    for method in UFUNC_METHODS
}
METHODS: dict[str, NameBinding] = _library("", METHOD_FUNCTIONS)


_module = cache(import_module)


def object_of(dotted: str) -> Any:
    """The object that a dotted name means, or None where this version of the library does not have it."""
    module, *path = dotted.split(".")
    value: Any = _module(module)
    for part in path:
        if inspect.ismodule(value) and not hasattr(value, part):
            try:
                value = import_module(f"{value.__name__}.{part}")
                continue
            except ImportError:
                return None
        value = getattr(value, part, None)
    return value


SCIPY_MODULES = tuple(sorted({d.rpartition(".")[0] for d in BINDINGS if d.startswith("scipy.")} | {*SCIPY_OBJECTS}))


def _imported() -> tuple[str, ...]:
    """The modules of SciPy that have been imported: others have no objects yet."""
    return tuple([m for m in SCIPY_MODULES if m in sys.modules])


@cache
def _by_object(imported: tuple[str, ...]) -> dict[int, tuple[Any, NameBinding]]:
    """Bindings by the identity of what they are of; a module of SciPy that is not imported yet has no objects."""
    found: dict[int, tuple[Any, NameBinding]] = {}
    for dotted, binding in BINDINGS.items():
        is_there = not dotted.startswith("scipy.") or dotted.rpartition(".")[0] in imported
        value = object_of(dotted) if is_there else None
        if binding.kind != "constant" and value is not None:
            found.setdefault(id(value), (value, binding))
    return found


def binding_of(value: object) -> NameBinding | None:
    """The binding of a function or dtype object of NumPy, SciPy or `math`."""
    owner = getattr(value, "__self__", None)
    if isinstance(owner, np.ufunc):  # a method, of which there is a new object every time
        return BINDINGS.get(f"numpy.{owner.__name__}.{value.__name__}")  # type: ignore[attr-defined]
    entry = _by_object(()).get(id(value))
    if entry is None and callable(value) and (getattr(value, "__module__", None) or "scipy").startswith("scipy"):
        entry = _by_object(_imported()).get(id(value))
    return entry[1] if entry and entry[0] is value else None


@cache
def _stand_ins(imported: tuple[str, ...]) -> dict[int, tuple[Any, Any]]:
    found = {}
    for module in imported:
        for dotted, binding in _library(f"{module}.", _files(SCIPY_OBJECTS.get(module, {}))).items():
            value = object_of(dotted)
            found[id(value)] = value, binding.load()
    return found


def stand_in(value: Any) -> Any:
    """The object of the library that stands for one of SciPy's with methods, `scipy.stats.norm`, or for a class whose
    methods make objects, `Rotation`; others stay."""
    owner = value if isinstance(value, type) else type(value)
    if not owner.__module__.startswith("scipy."):
        return value
    entry = _stand_ins(_imported()).get(id(value))
    return entry[1] if entry and entry[0] is value else value


def takes_where(binding: NameBinding) -> bool:
    """Whether a library function takes `where` itself, as np.copyto does."""
    return bool(binding.function) and "where" in binding.signature().parameters


def takes_out(binding: NameBinding) -> bool:
    """Whether NumPy's function has an argument `out`."""
    return binding.strong if binding.operator else binding.function in _with_out()


def has_place_for_out(binding: NameBinding, count: int) -> bool:
    """Whether an operator with so many arguments writes its result to the last one: `np.add(x, y, x)`."""
    return bool(binding.operator) and takes_out(binding) and count == len(binding.row.operands) + 1


@cache
def _with_out() -> frozenset[str]:
    named = {dotted: b.function for dotted, b in BINDINGS.items() if b.function and dotted.startswith("numpy.")}
    return frozenset(function for dotted, function in named.items() if _takes(object_of(dotted), "out"))


def is_lacking(binding: NameBinding, keyword: str) -> bool:
    """Whether the function that a name means takes this keyword, and ours does not."""
    parameters = binding.signature().parameters.values()
    if any(p.name == keyword or p.kind == p.VAR_KEYWORD for p in parameters):
        return False
    methods = {f"numpy.ndarray.{name}": method for name, method in METHODS.items()}
    return any(_takes(object_of(d), keyword) for d, other in (BINDINGS | methods).items() if other == binding)


@cache
def order_of_numpys(binding: NameBinding) -> tuple[str, ...]:
    """The arguments of NumPy's function that a call may give by their places, in order; none where it does not say."""
    dotted = [name for name, other in BINDINGS.items() if other == binding and name.startswith("numpy.")]
    dotted += [f"numpy.{name}" for name, other in METHODS.items() if other == binding]
    for name in dotted:
        try:
            parameters = inspect.signature(object_of(name)).parameters.values()
        except (TypeError, ValueError):
            continue
        return tuple(p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
    return ()


def _takes(function: object, keyword: str) -> bool:
    try:
        parameters = inspect.signature(function).parameters  # type: ignore[arg-type]
        hands_on = any(p.kind == p.VAR_KEYWORD for p in parameters.values())  # they go to the ufunc that does the work
        return keyword in parameters or hands_on and keyword in OF_UFUNCS
    except (TypeError, ValueError):  # one in C says in the first line of its docstring what it takes
        return f"{keyword}=" in (function.__doc__ or "").partition("\n\n")[0]

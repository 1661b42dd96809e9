"""`compile`, `grad`, `value_and_grad` and the `Function` they give."""

from __future__ import annotations

import functools
import inspect
from bdb import BdbQuit
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import stepping
from .compiler import pipeline, printer
from .compiler.backend import llvm
from .compiler.backend import python as python_backend
from .compiler.backend.abi import Options
from .compiler.frontend.apply import namespace_of
from .compiler.frontend.decoration import check as check_purity
from .compiler.frontend.frame import Specialised
from .compiler.frontend.read import read
from .compiler.frontend.values import Value
from .compiler.pipeline import Gradient, Request
from .compiler.program import Program
from .explanation import explanation
from .flatten import Flattened, abstract, flatten, rebuild, runtime_leaves
from .runtime.array import Array


@dataclass(slots=True, eq=False)
class Compiled:
    """One specialisation: the typed program, the machine code, and how to put results together."""

    made: Specialised
    executable: Any
    loops: Any


class Function:
    """A compiled function.  Call it like the Python function it wraps; look inside with `source` and `explain`.

    Each combination of argument types (dtypes, numbers of dimensions, contiguity, lengths of 1, static values) is
    compiled once; other lengths reuse the code.
    """

    def __init__(self, request: Request) -> None:
        self.__pellucid__ = request
        functools.update_wrapper(self, request.python)
        if request.transforms:
            self.__name__ = f"{request.python.__name__}_grad"
            self.__qualname__ = f"{request.python.__qualname__}_grad"
        self._signature = inspect.signature(request.python)
        self._parameters = list(self._signature.parameters.values())
        self._compiled: dict[Any, Compiled] = {}
        self._held: dict[str, Any] = {}
        self._check_options()
        check_purity(request)

    def _check_options(self) -> None:
        request = self.__pellucid__
        known = set(self._signature.parameters)
        for option in ("static", "mutates"):
            for name in getattr(request, option):
                if name not in known:
                    raise ValueError(f"{option}={name!r} is no parameter of {request.python.__name__}{self._signature}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        flat = self._flatten(args, kwargs)
        compiled = self._compiled.get(flat.key)
        if compiled is None:
            compiled = self._compiled[flat.key] = self._compile(flat)
        targets = self._targets(compiled.made, flat)
        return self._finish(compiled.made, targets, compiled.executable(flat.leaves))

    def __repr__(self) -> str:
        return f"<compiled {self.__qualname__}{self._signature}>"

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    # --- looking inside ---

    def source(self, stage: str, *args: Any, **kwargs: Any) -> str:
        """The program at a stage, for arguments of these types.

        `stage` is one of source, core, typed, reverse, loops, llvm, asm; source and core need no arguments.
        Arguments may be values or types written as text: "f64[n, m]", "float", "i32[3]".
        Raises ValueError for an unknown stage and CompileError where the program cannot be compiled.
        """
        if stage not in pipeline.STAGES:
            raise ValueError(f"there is no stage {stage!r}; the stages are {', '.join(pipeline.STAGES)}")
        if stage == pipeline.SOURCE:
            return printer.print_core(read(self.__pellucid__.python).tree)
        if stage == pipeline.CORE:
            return stepping.core_text(self.__pellucid__.python)
        flat = self._flatten(args, kwargs, texts=True)
        if stage in (pipeline.TYPED, pipeline.REVERSE, pipeline.LOOPS):
            return printer.print_program(self._program(stage, flat)[1])
        executable = self._compiled_for(flat).executable
        return executable.llvm_text if stage == pipeline.LLVM else executable.asm

    def debug(self, stage: str, call: Callable[..., Any] | None = None) -> Callable[..., Any]:
        """The program at a stage as a Python function run by CPython from a real file, for pdb and editors.

        `stage` is one of core, typed, reverse, loops.  With `call=pdb.runcall` it stops at its first line.  An error
        carries a note with the user's own line.
        """
        if stage not in (pipeline.CORE, pipeline.TYPED, pipeline.REVERSE, pipeline.LOOPS):
            raise ValueError(f"{stage!r} does not run in CPython; core, typed, reverse and loops do")

        def core(*args: Any, **kwargs: Any) -> Any:
            bound = self._bind(args, kwargs)
            bound.apply_defaults()
            function = stepping.load_core(self.__pellucid__.python)
            return stepping.run(function, list(bound.arguments.values()), call)

        def run(*args: Any, **kwargs: Any) -> Any:
            flat = self._flatten(args, kwargs)
            made, program = self._program(stage, flat)
            targets = self._targets(made, flat)
            function = python_backend.load(program)
            given = [np.array(v) if isinstance(v, np.ndarray) else v for v in flat.leaves]
            results = stepping.run(function, given, call)
            if results is None and program.main.results:  # `call` is a debugger that was left
                raise BdbQuit
            return self._finish(made, targets, list(results) if isinstance(results, tuple) else [results])

        return functools.wraps(self.__pellucid__.python)(core if stage == pipeline.CORE else run)

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """What was decided for these argument types and why: types unified, loops fused, values saved.

        Arguments may be values or types written as text, as for `source`.
        """
        flat = self._flatten(args, kwargs, texts=True)
        made = self._derive(pipeline.REVERSE, flat)
        return explanation(made.program, pipeline.loops(made.program))

    # --- compiling ---

    def _bind(self, args: tuple, kwargs: dict[str, Any]) -> inspect.BoundArguments:
        try:
            return self._signature.bind(*args, **kwargs)
        except TypeError as wrong:
            raise TypeError(f"{self.__pellucid__.python.__name__}() {wrong}") from None

    def _flatten(self, args: tuple, kwargs: dict[str, Any], texts: bool = False) -> Flattened:
        """The arguments taken apart; with `texts` those that are given may be types written as text."""
        request = self.__pellucid__
        bound = self._bind(args, kwargs)
        given = frozenset(bound.arguments) if texts else frozenset()
        bound.apply_defaults()
        flat = flatten(bound.arguments, request.static, request.python, given)
        for name in request.freeze:
            flat.leaves.append(np.asarray(self._global(name)))
        return flat

    def _global(self, name: str) -> Any:
        """The value that a global had when it was first needed; later changes do not reach the compiled code."""
        if name not in self._held:
            namespace = namespace_of(self.__pellucid__.python)
            if name not in namespace:
                raise ValueError(f"freeze={name!r}: {self.__name__} sees no such variable")
            if not isinstance(namespace[name], np.ndarray | Array):
                raise ValueError(f"freeze={name!r}: only arrays are frozen, not a {type(namespace[name]).__name__}")
            self._held[name] = np.array(namespace[name])
        return self._held[name]

    def _frozen(self) -> dict[str, tuple[Any, Value]]:
        held = {name: self._global(name) for name in self.__pellucid__.freeze}
        return {name: (np.asarray(value), abstract(value)) for name, value in held.items()}

    def _derive(self, stage: str, flat: Flattened) -> Specialised:
        make = pipeline.typed if stage == pipeline.TYPED else pipeline.derive
        return make(self.__pellucid__, flat.arguments, self._frozen())

    def _program(self, stage: str, flat: Flattened) -> tuple[Specialised, Program]:
        made = self._derive(stage, flat)
        return made, pipeline.loops(made.program) if stage == pipeline.LOOPS else pipeline.settled(made.program)

    def _compile(self, flat: Flattened) -> Compiled:
        made = self._derive(pipeline.REVERSE, flat)
        lowered = pipeline.loops(made.program)
        return Compiled(made, llvm.compile_program(lowered, self._options()), lowered)

    def _options(self) -> Options:
        request = self.__pellucid__
        names = namespace_of(request.python)
        exceptions = {n: c for n, c in names.items() if isinstance(c, type) and issubclass(c, BaseException)}
        return Options(fastmath=request.fastmath, parallel=request.parallel, exceptions=exceptions)

    def _compiled_for(self, flat: Flattened) -> Compiled:
        found = self._compiled.get(flat.key)
        if found is None:
            found = self._compiled[flat.key] = self._compile(flat)
        return found

    def _targets(self, made: Specialised, flat: Flattened) -> list[np.ndarray]:
        """The arrays that `mutates=` writes to.  Raises ValueError where that would not mean what Python means."""
        if not made.mutated:
            return []
        places = {leaf.name: i for i, leaf in enumerate(runtime_leaves(made.arguments))}
        targets = [flat.leaves[places[name]] for name in made.mutated]
        for name, target in zip(made.mutated, targets, strict=True):
            if not target.flags.writeable:
                raise ValueError(f"`{name}` is declared with mutates= and cannot be written to; pass np.array({name})")
            for position, other in enumerate(flat.leaves):
                if not isinstance(other, np.ndarray) or position == places[name]:
                    continue
                if np.may_share_memory(target, other):
                    raise ValueError(f"`{name}` is declared with mutates= and shares memory with another argument")
        return targets

    def _finish(self, made: Specialised, targets: list[np.ndarray], results: list[Any]) -> Any:
        """Put result leaves back into containers, and into the arrays that are changed in place."""
        count = len(results) - len(targets)
        for target, new in zip(targets, results[count:], strict=True):
            target[...] = new
        return rebuild(made.result, results[:count])


def compile(
    function: Callable[..., Any] | None = None,
    *,
    static: tuple[str, ...] = (),
    mutates: tuple[str, ...] = (),
    freeze: tuple[str, ...] = (),
    fastmath: bool = False,
    parallel: bool = True,
) -> Any:
    """Compile a pure numeric Python function; use as `@compile`, `@compile(...)` or `compile(f, ...)`.

    static    parameters whose values are part of the compiled code (an axis, a shape, a string)
    mutates   array parameters that the function updates in place; they are written back when it returns
    freeze    global arrays whose present values are baked in
    fastmath  allow reassociation and other value-changing floating-point rewrites
    parallel  allow the use of several threads

    Gives a `Function` with the name, signature and docstring of the original.  Raises CompileError, with all faults of
    the function at once, where it is impure or outside the language.
    """
    options: dict[str, Any] = {
        "static": names(static),
        "mutates": names(mutates),
        "freeze": names(freeze),
        "fastmath": fastmath,
        "parallel": parallel,
    }
    if function is None:
        return lambda f: compile(f, **options)
    if isinstance(function, Function):
        usual = {"parallel": True, "fastmath": False}
        given = {option: value for option, value in options.items() if value != usual.get(option, ())}
        return Function(replace(function.__pellucid__, **given))
    if not inspect.isfunction(function):
        raise TypeError(f"compile takes a Python function, not {type(function).__name__}")
    return Function(Request(function, **options))


def names(given: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def grad(function: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Function:
    """The gradient of a scalar function by reverse mode, as a compiled `Function`.

    argnums  the argument to differentiate by, or a tuple of them; each may be a nested container of floats and float
             arrays, and its gradient has the same structure, shapes and dtypes
    has_aux  the function returns (value, auxiliary) and the result is (gradient, auxiliary)

    Raises GradientError where the derivative cannot be given correctly: an argument that is not a float (G001), a
    result that is not a float scalar (G002), an operator without derivative (G003).
    """
    return _transformed(function, Gradient(argnums, has_aux, with_value=False))


def value_and_grad(function: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Function:
    """The value and the gradient: (value, gradient), or ((value, auxiliary), gradient) with `has_aux`.  See `grad`."""
    return _transformed(function, Gradient(argnums, has_aux, with_value=True))


def _transformed(function: Callable[..., Any], transform: Gradient) -> Function:
    compiled: Function = function if isinstance(function, Function) else compile(function)
    request = compiled.__pellucid__
    if isinstance(transform.argnums, list):
        transform = replace(transform, argnums=tuple(transform.argnums))
    return Function(replace(request, transforms=(*request.transforms, transform)))


# Inside a compiled function these are taken when it is compiled; this says what they ask for.
grad.__pellucid_transform__ = functools.partial(Gradient, with_value=False)  # type: ignore[attr-defined]
value_and_grad.__pellucid_transform__ = functools.partial(Gradient, with_value=True)  # type: ignore[attr-defined]

"""A compiled function from the text of a stage, which a user may have edited.

    f = pellucid.from_source("loss_typed.py", stage="typed")
    f(w, x)                      the answer of the edited text, from machine code
    pellucid.grad(f)(w, x)       its gradient: what is written in the typed stage is Python
    print(f.source("loops"))     the rest of the way down
"""

from __future__ import annotations

import builtins
import inspect
import linecache
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from .compiler.request import Request
from .compiler.stages import ASM, EDITABLE, KERNELS, LLVM, LOOPS, OF_GPU, TYPED, named
from .compiler.types import Array as ArrayType
from .compiler.types import Dim, ListOf, Scalar, Type
from .dtypes_of import dtype_of_value
from .function import Function
from .runtime.array import Array
from .runtime.nature import article
from .text import Text


def from_source(path: str | os.PathLike[str], stage: str = TYPED) -> StageFunction:
    """Compile the text of a printed stage, as it is or edited by hand.

    path   a file that `pellucid emit --stage ... -o FILE` or `f.source(stage, ...)` gave, or one like it
    stage  "typed", "transformed", "reverse" or "loops": the first three are one language; or "kernels", which runs on
           the GPU that arrays are on, else on the first one, and in lockstep where there is none

    The function takes arguments of the types in the header of the first function, of the last one where the stage is
    that of kernels, and refuses others with a TypeError or ValueError.  Raises StageError, with file and line, for what
    is not of the language, and OSError where the file cannot be read.
    """
    if stage not in EDITABLE:
        raise ValueError(f"no function is made of the stage {stage!r}; {named(EDITABLE)} can be read back")
    text = Path(path).read_text(encoding="utf-8")
    if stage == KERNELS:
        from .edited_kernels import EditedKernels

        return EditedKernels(text, str(path))
    return StageFunction(text, str(path), stage)


class StageFunction(Function):
    """What `from_source` gives: a `Function` of one signature, that of the header."""

    def __init__(self, text: str, path: str, stage: str) -> None:
        from . import editing

        self._program, self._editing = editing.read(text, path, stage), editing
        main = self._program.main
        self._describe(main.name, {name: main.types[name] for name in main.parameters}, text, path, stage)
        self._made: SimpleNamespace | None = None

    def _describe(self, name: str, parameters: Mapping[str, Type], text: str, path: str, stage: str) -> None:
        self._text, self._path, self._stage = text, path, stage
        self.types = tuple(parameters.values())
        self._signature = inspect.Signature(
            [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in parameters]
        )
        python = stand_in(name, path, self._signature)
        self.__pellucid__ = Request(python)
        self.__name__ = self.__qualname__ = name
        self.__wrapped__, self.__doc__, self.__module__ = python, None, __name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves = self._leaves(args, kwargs)
        return as_returned(self._compiled_code().executable(leaves))

    def __reduce__(self) -> Any:
        return type(self), (self._text, self._path, self._stage)

    def __repr__(self) -> str:
        return f"<compiled {self.__name__}{self._signature} of {self._path}>"

    def source(self, stage: str, *args: Any, **kwargs: Any) -> str:
        """The text of this stage or of one below it; arguments are not needed and not looked at."""
        if stage == self._stage:
            return Text(self._text)
        if stage == LOOPS:
            return Text(self._editing.text(self._editing.lowered(self._program)))
        if stage in (LLVM, ASM):
            executable = self._compiled_code().executable
            return Text(executable.llvm_text if stage == LLVM else executable.asm)
        if stage in (KERNELS, *OF_GPU):
            return Text(self._editing.for_gpu(self._program, stage, self._path))
        raise ValueError(f"a {self._stage} stage has no stage {stage!r} below it")

    def debug(self, stage: str = "", call: Callable[..., Any] | None = None) -> Callable[..., Any]:
        """The text as a Python function that CPython runs from a file, for pdb and editors."""
        program = self._program if stage in ("", self._stage) else self._editing.lowered(self._program)
        if stage not in ("", self._stage, LOOPS):
            raise ValueError(f"a {self._stage} stage has no stage {stage!r} below it that runs in CPython")
        return lambda *args, **kwargs: self._editing.run(program, self._leaves(args, kwargs), call)

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """What was decided below this stage."""
        return Text(self._editing.explain(self._program))

    def as_written(self) -> Callable[..., Any]:
        """The Python function that the text is, of which a transformation can be taken."""
        if self._stage == LOOPS:
            raise TypeError(
                f"{self.__name__} was read from the loops stage, which has no derivative: edit the typed stage"
            )
        path = self._path
        module: dict[str, Any] = {"__name__": Path(path).stem}
        linecache.cache[path] = (len(self._text), None, self._text.splitlines(True), path)  # what was read, not edited
        exec(builtins.compile(self._text, path, "exec"), module)
        function: Callable[..., Any] = module[self.__name__]
        return function

    def _compiled_code(self) -> SimpleNamespace:
        if self._made is None:
            self._made = SimpleNamespace(executable=self._editing.compiled(self._program))
        return self._made

    def _leaves(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The arguments, if they are of the types in the header."""
        values = {n: v._plain if isinstance(v, Array) else v for n, v in self._bound(args, kwargs).items()}
        check_arguments(self.__name__, values, self.types)
        return list(values.values())

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by the names of the parameters."""
        try:
            return self._signature.bind(*args, **kwargs).arguments
        except TypeError as wrong:
            raise TypeError(f"{self.__name__}() {wrong}") from None


def stand_in(name: str, path: str, signature: inspect.Signature) -> Callable[..., Any]:
    """What stands where other functions have the Python that they were made of."""

    def edited(*args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{name} was read from {path} and has no Python function behind it")

    edited.__name__ = edited.__qualname__ = name
    edited.__signature__ = signature  # type: ignore[attr-defined]
    edited.__pellucid_text__ = path  # type: ignore[attr-defined]
    return edited


def as_returned(results: list[Any]) -> Any:
    """Results as Python's `return` gives them: one bare, several in a tuple."""
    wrapped = [Array(r) if isinstance(r, np.ndarray) else r for r in results]
    return wrapped[0] if len(wrapped) == 1 else tuple(wrapped) if wrapped else None


# --- arguments -----------------------------------------------------------------------------------------------------


def check_arguments(function: str, values: Mapping[str, Any], types: Sequence[Type]) -> None:
    """Raise a TypeError or a ValueError unless all arguments are of the types in the header."""
    lengths: dict[str, tuple[int, str]] = {}
    for (name, value), type_ in zip(values.items(), types, strict=True):
        check_argument(function, name, value, type_)
    for (name, value), type_ in zip(values.items(), types, strict=True):
        if isinstance(type_, ArrayType):
            note_lengths(name, value, type_, lengths)
    for (name, value), type_ in zip(values.items(), types, strict=True):
        if isinstance(type_, ArrayType):
            check_lengths(function, name, value, type_, lengths)


def check_argument(function: str, name: str, value: Any, type_: Type) -> None:
    """Raise a TypeError unless an argument is of the type in the header, lengths aside."""
    if isinstance(type_, ListOf):
        raise TypeError(f"{function}() takes a list `{name}`, and lists come from inside of programs only")
    found = dtype_of_value(value)
    if isinstance(type_, Scalar):
        if found != (type_.dtype, type_.weak, 0):
            raise TypeError(f"{function}() takes {type_} for `{name}`, not {described(value)}")
        return
    if not isinstance(value, np.ndarray) or found != (type_.dtype, False, type_.ndim):
        raise TypeError(f"{function}() takes {type_} for `{name}`, not {described(value)}")
    if type_.layout == "C" and not value.flags.c_contiguous:
        way_out = f"pass np.ascontiguousarray({name}), or write `any {type_}` in the header"
        raise ValueError(f"{function}() takes {type_} for `{name}`, whose elements lie side by side; {way_out}")


def described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with {value.ndim} dimensions"
    module = type(value).__module__
    return article(f"{module + '.' if module != 'builtins' else ''}{type(value).__name__}")


def note_lengths(name: str, value: np.ndarray, type_: ArrayType, lengths: dict[str, tuple[int, str]]) -> None:
    """What symbols stand for, by the axes that are nothing but a symbol."""
    for axis, (extent, length) in enumerate(zip(type_.dims, value.shape)):
        if isinstance(extent, Dim) and extent.constant == 0 and [c for _, c in extent.terms] == [1]:
            lengths.setdefault(extent.symbols()[0], (length, f"axis {axis} of `{name}`"))


def check_lengths(
    function: str, name: str, value: np.ndarray, type_: ArrayType, lengths: dict[str, tuple[int, str]]
) -> None:
    """Raise a ValueError unless the lengths of an argument are those of the header."""
    for axis, (extent, length) in enumerate(zip(type_.dims, value.shape)):
        if isinstance(extent, Dim) and any(symbol not in lengths for symbol in extent.symbols()):
            continue  # compared when the function is entered, as far as it says anything
        symbols: Sequence[str] = extent.symbols() if isinstance(extent, Dim) else ()
        wanted = extent if isinstance(extent, int) else max(
            0, extent.constant + sum(factor * lengths[symbol][0] for symbol, factor in extent.terms)
        )  # fmt: skip
        if length != wanted:
            because = "".join(f"; {s} is {lengths[s][0]}, the length of {lengths[s][1]}" for s in symbols)
            raise ValueError(f"{function}() takes {type_} for `{name}`, and axis {axis} has length {length}{because}")

"""Functions of a module that have several callers: what works on arrays of any lengths is written only once.

    solve(x, a, b)          status = call i64 @pellucid.solve.double(x, its lengths, a, its lengths and strides, ...)
    solve(y, a, x)    ->    status = call i64 @pellucid.solve.double(y, ...)

The cost of LLVM grows with the text, and such code is long.  A routine gives 0, or says what it failed at: the error
belongs to the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields

from .abi import STORED
from .arrays import View, strides_of
from .frame import Emission
from .operands import NULL, SsaValue, int_, type_word
from .text import AS_IT_STANDS, Code, LlvmDefinition

TOO_LARGE = -1
FAILED = -2  # and below it, counting down, the site where it failed; above zero are the bytes that could not be had


class SharedRoutine(Emission):
    """A routine being written: a check that fails ends it."""

    def fail_if(self, condition: SsaValue, exception: str, message: str, *values: SsaValue) -> None:
        if condition.text == "false":
            return
        bad, good = self.code.label("bad"), self.code.label("good")
        self.code.branch(condition, bad, good, unlikely=True)
        status = values[0].text if values else TOO_LARGE
        self.code.cold += [f"{bad}:", f"  ret i64 {status}"]
        self.code.start(good)


def call_routine(
    frame: Emission, name: str, write: Callable[..., None], given: Sequence[View], results: int,
    failing: tuple[str, str],
) -> None:
    """Call what `write(frame, *given)` writes; only which of the results have strides makes another routine.

    `failing` is the exception that it may end with, and its words, beside want of memory.
    """
    views = [*given[:results], *(View(v.dtype, v.owner, v.data, v.dims, strides_of(frame, v)) for v in given[results:])]
    strided = "".join(f".strided{k}" for k, view in enumerate(given[:results]) if view.strides is not None)
    full = f"pellucid.{name}.{type_word(STORED[given[-1].dtype])}{strided}"
    if full not in frame.module.definitions:
        frame.module.define_movable(_routine(frame, full, write, views))
    parts = [part for view in views for part in (view.data, *view.dims, *(view.strides or ()))]
    failed = frame.code.call("i64", full, *parts)
    large = frame.code.compare("eq", failed, int_(TOO_LARGE))
    frame.fail_if(large, "MemoryError", "the array is too large")
    if failing[0]:
        place = [frame.code.binary("sub", int_(FAILED), failed)] if "{}" in failing[1] else []
        frame.fail_if(frame.code.compare("sle", failed, int_(FAILED)), *failing, *place)
    none = frame.code.compare("ne", failed, int_(0))
    frame.fail_if(none, "MemoryError", "unable to allocate {} bytes for an array", failed)


def _routine(frame: Emission, name: str, write: Callable[..., None], views: list[View]) -> LlvmDefinition:
    code = Code(frame.module, frame.code.flags)
    inside = SharedRoutine(**{field.name: getattr(frame, field.name) for field in fields(Emission)} | {"code": code})
    inner = [_parameter(view, number) for number, view in enumerate(views)]
    write(inside, *inner)
    code.finish("ret i64 0")
    parameters = [str(part) for view in inner for part in (view.data, *view.dims, *(view.strides or ()))]
    return code.function(name, "i64", parameters, AS_IT_STANDS)  # the work is done in what it calls


def _parameter(view: View, number: int) -> View:
    """The view as the routine is given it."""
    dims = tuple(SsaValue("i64", f"%length{number}.{axis}") for axis in range(len(view.dims)))
    strides = None if view.strides is None else tuple(SsaValue("i64", f"%stride{number}.{k}") for k in range(len(dims)))
    return View(view.dtype, NULL, SsaValue("ptr", f"%data{number}"), dims, strides)

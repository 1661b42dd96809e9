"""Functions of the program as values: local ones, their derivatives, methods, functions with some arguments."""

from __future__ import annotations

import functools
import types as python_types

import gast

from ..describing import FUNCTION
from ..frame import Frame
from ..functional import Bound, Closure, Derived, Partial
from ..protocol import describe, python_class, truth
from ..values import Static, Value


@truth.of(Closure, Bound, Partial)
def _(frame: Frame, value: Value, node: gast.AST) -> Value:
    return Static(True)


@python_class.of(Closure)
def _(frame: Frame, value: Closure) -> type:
    return python_types.FunctionType


@python_class.of(Partial)
def _(frame: Frame, value: Partial) -> type:
    return functools.partial


@python_class.of(Bound)
def _(frame: Frame, value: Bound) -> type:
    return python_types.MethodType


@describe.of(Closure, Derived, Partial)
def _(frame: Frame, value: Value) -> str:
    return FUNCTION


@describe.of(Bound)
def _(frame: Frame, value: Bound) -> str:
    return "method"

"""The parameters of a Python function as they were when they were looked at.

    Seen.of(request).is_current(f)    ->    False once `f.__defaults__` is another tuple
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .compiler.request import Request


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """The parameters of a Python function, which belong to it and can be given other defaults."""

    code: CodeType
    defaults: tuple[Any, ...] | None
    by_keyword: dict[str, Any] | None
    signature: inspect.Signature

    @classmethod
    def of(cls, request: Request) -> Seen:
        """What is seen now; a change while it is looked at shows at the next look, as the signature comes last."""
        python = request.python
        by_keyword = python.__kwdefaults__
        parts = python.__code__, python.__defaults__, None if by_keyword is None else dict(by_keyword)
        return cls(*parts, request.signature())

    def is_current(self, python: Any) -> bool:
        """Whether the function still has these parameters."""
        if python.__code__ is not self.code or python.__defaults__ is not self.defaults:
            return False
        by_keyword = python.__kwdefaults__
        return not (self.by_keyword or by_keyword) or identical(self.by_keyword, by_keyword)


def identical(left: dict[str, Any] | None, right: dict[str, Any] | None) -> bool:
    """Whether two dicts hold the same objects by the same names."""
    left, right = left or {}, right or {}
    return left.keys() == right.keys() and all(value is right[name] for name, value in left.items())


def is_needed(parameter: inspect.Parameter) -> bool:
    """Whether every call gives a parameter a value."""
    return parameter.default is parameter.empty and parameter.kind not in (
        parameter.VAR_POSITIONAL,
        parameter.VAR_KEYWORD,
    )

"""Compiled functions as methods: `camera.project` of a class whose `project` is compiled.

    class Camera:
        @compile                          camera.project(x)         ->   the compiled function of (camera, x)
        def project(self, x): ...         grad(camera.loss)(x)      ->   grad(Camera.loss, argnums=1)(camera, x)

    compile(partial(f, 2.0))(x)           ->   the compiled function of (2.0, x)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any

from .own_frames import leave_out


class BoundFunction:
    """A compiled function whose first argument is given.  It has what a `Function` has, for the other arguments."""

    __pellucid_bound__ = True

    def __init__(self, function: Any, instance: Any) -> None:
        self.__func__, self.__self__ = function, instance
        self.__wrapped__ = MethodType(function.__wrapped__, instance)
        self.__name__, self.__qualname__, self.__doc__ = function.__name__, function.__qualname__, function.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self.__func__(self.__self__, *args, **kwargs)
        except BaseException as error:
            leave_out(error)
            raise

    def source(self, stage: str, *args: Any, **kwargs: Any) -> str:
        """See `Function.source`."""
        text: str = self.__func__.source(stage, self.__self__, *args, **kwargs)
        return text

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """See `Function.explain`."""
        text: str = self.__func__.explain(self.__self__, *args, **kwargs)
        return text

    def debug(self, stage: str, call: Callable[..., Any] | None = None) -> Callable[..., Any]:
        """See `Function.debug`."""
        return functools.partial(self.__func__.debug(stage, call), self.__self__)

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, BoundFunction)
        return same and self.__func__ is other.__func__ and self.__self__ is other.__self__  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((id(self.__func__), id(self.__self__)))

    def __reduce__(self) -> Any:
        name = self.__func__.__wrapped__.__name__
        own = getattr(type(self.__self__), name, None)
        by_name = getattr, (self.__self__, name)
        return by_name if own is self.__func__ else (BoundFunction, (self.__func__, self.__self__))

    def __repr__(self) -> str:
        return f"<compiled method {self.__qualname__} of {self.__self__!r}>"


class PartialFunction(functools.partial):
    """A compiled function with some arguments given.  It has what a `Function` has, for the other arguments."""

    def __new__(cls, function: Any, *args: Any, **kwargs: Any) -> Any:
        made: Any = super().__new__(cls, function, *args, **kwargs)
        made.__name__, made.__qualname__, made.__doc__ = function.__name__, function.__qualname__, function.__doc__
        made.__wrapped__ = functools.partial(function.__wrapped__, *args, **kwargs)
        return made

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except BaseException as error:
            leave_out(error)
            raise

    def source(self, stage: str, *args: Any, **kwargs: Any) -> str:
        """See `Function.source`."""
        own: Any = self.func
        text: str = own.source(stage, *self.args, *args, **self.keywords, **kwargs)
        return text

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """See `Function.explain`."""
        own: Any = self.func
        text: str = own.explain(*self.args, *args, **self.keywords, **kwargs)
        return text

    def debug(self, stage: str, call: Callable[..., Any] | None = None) -> Callable[..., Any]:
        """See `Function.debug`."""
        own: Any = self.func
        return functools.partial(own.debug(stage, call), *self.args, **self.keywords)

    def __repr__(self) -> str:
        own: Any = self.func
        return f"<compiled partial of {own.__qualname__}>"


def is_bound(function: object) -> bool:
    return isinstance(function, MethodType | BoundFunction)


def method_of(function: Any) -> Any:
    """The method that an object of a class of the user's is called by; anything else as it is."""
    call = getattr(function, "__call__", None)  # noqa: B004
    own = not isinstance(function, type) and not type(function).__module__.startswith("pellucid")
    return call if own and isinstance(call, MethodType) else function

"""Functions of NumPy, SciPy and `math` as functions of the user's, so that they can be transformed like those.

    grad(np.sin)        grad of        import numpy as np
                                       def sin(x): return np.sin(x)

    np.sum              ->             def sum(a, axis=None, dtype=None, *, keepdims=False, initial=None): ...
"""

from __future__ import annotations

import inspect
import linecache
import sys
from collections.abc import Callable
from functools import lru_cache
from math import isfinite
from types import FunctionType
from typing import Any

from .compiler.diagnostics import Diagnostic, Span
from .compiler.ops.python_names import BINDINGS, object_of
from .compiler.vocabulary import instead_of

IMPORT = {"numpy": "import numpy as np", "math": "import math"}
SHORT = {"numpy": "np"}
OPTIONS = frozenset("axis axes dtype ord shape order kind ddof".split())  # those that may be None
PLAIN = (bool, int, float, str, type(None))  # defaults that can be written down


@lru_cache(maxsize=256)
def own_function(function: Callable[..., Any]) -> tuple[FunctionType, tuple[str, ...]] | None:
    """A Python function that calls it, and which of its parameters say what is done, not with what (`axis`).

    None for a function that the language does not have.
    """
    dotted = next((d for d, b in BINDINGS.items() if b.kind in ("operator", "function") and _is(d, function)), None)
    if dotted is None:
        return None
    parameters = [p for p in BINDINGS[dotted].signature().parameters.values() if _is_kept(p)]
    options = tuple(p.name for p in parameters if _is_option(p))
    text = _text(dotted, parameters)
    file = f"<{dotted}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, file, "exec"), namespace)
    made: FunctionType = namespace[dotted.rpartition(".")[2]]
    return made, options


def not_supported(dotted: str) -> Diagnostic:
    """What is said of a function that the language does not have, at the line that asks for it."""
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__package__", "").partition(".")[0] == "pellucid":
        frame = frame.f_back
    place = Span(frame.f_code.co_filename, frame.f_lineno, 0, frame.f_lineno, 0)
    help_ = (instead_of(dotted),)
    return Diagnostic("U012", f"`{dotted}` is not supported", place, "asked for here", help=help_)


def _is(dotted: str, function: Callable[..., Any]) -> bool:
    name = getattr(function, "__name__", "")
    return dotted.endswith(f".{name}") and object_of(dotted) is function


def _is_kept(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty or type(parameter.default) in PLAIN


def _is_option(parameter: inspect.Parameter) -> bool:
    """Whether it says what is done: floats are values, and where nothing stands for one, its name tells."""
    default = parameter.default
    return parameter.name in OPTIONS if default is None else isinstance(default, bool | int | str)


def _text(dotted: str, parameters: list[inspect.Parameter]) -> str:
    module, _, path = dotted.partition(".")
    if module in IMPORT:
        head, called = IMPORT[module], f"{SHORT.get(module, module)}.{path}"
    else:
        head, called = f"import {dotted.rpartition('.')[0]}", dotted
    signature = inspect.Signature(parameters)
    given = ", ".join(_argument(p) for p in parameters)
    if any(isinstance(p.default, float) and not isfinite(p.default) for p in parameters):
        head = f"from math import inf, nan\n\n{head}"
    return f"{head}\n\n\ndef {dotted.rpartition('.')[2]}{signature}:\n    return {called}({given})\n"


def _argument(parameter: inspect.Parameter) -> str:
    match parameter.kind:
        case parameter.VAR_POSITIONAL:
            return f"*{parameter.name}"
        case parameter.VAR_KEYWORD:
            return f"**{parameter.name}"
        case parameter.KEYWORD_ONLY:
            return f"{parameter.name}={parameter.name}"
    return parameter.name

"""What `compile` is told of parameters, judged when it is told.

    compile(f, static="axes")    ->    ValueError: static='axes' is no parameter of f(x, axis)
"""

from __future__ import annotations

import inspect

from .compiler.request import Request


def check_options(request: Request, signature: inspect.Signature) -> None:
    """Raises ValueError where an option names no parameter, or two exclude each other."""
    known = set(inspect.signature(request.python).parameters)
    for option in ("static", "mutates", "donate"):
        for name in getattr(request, option):
            if name not in (known if option != "donate" else request.signature().parameters):
                written = f"{request.python.__name__}{signature}"
                raise ValueError(f"{option}={name!r} is no parameter of {written}")
    if request.target and request.mutates:
        raise ValueError(f"mutates= is for arrays of the host, and target={request.target!r} copies them to a GPU")
    for option in ("static", "mutates"):
        for name in (n for n in request.donate if n in getattr(request, option)):
            raise ValueError(f"`donate` and `{option}` both name `{name}`, but what is given away has no other use")

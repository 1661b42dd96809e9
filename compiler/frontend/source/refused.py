"""The constructs that are outside the language wherever they occur: what each is called, and what to write instead."""

from __future__ import annotations

import gast

# node class -> (code, what it is, way out)
REFUSED: dict[type, tuple[str, str, str]] = {
    gast.TryStar: ("U001", "`except*`", "raise and catch one exception at a time: `except`"),
    gast.With: ("U002", "`with`", "do this outside and call the compiled function inside the `with`"),
    gast.AsyncWith: ("U003", "`async with`", "do this outside and pass the values as arguments"),
    gast.AsyncFor: ("U003", "`async for`", "collect the values outside and pass them as an argument"),
    gast.AsyncFunctionDef: ("U003", "an `async` function", "write a plain `def`; a caller may run it in a thread"),
    gast.Await: ("U003", "`await`", "wait outside and pass the value as an argument"),
    gast.Yield: ("U004", "`yield`", "fill an array or a list and return it"),
    gast.YieldFrom: ("U004", "`yield from`", "fill an array or a list and return it"),
    gast.ClassDef: ("U005", "a class definition inside a function", "define the class at the top of the module"),
}  # fmt: skip

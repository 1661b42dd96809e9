"""Long functions, of which only the time to compile them is of interest: written by rule, as a file to be imported.

    unrolled()    a loop over 800 constants, which compilers unroll
    arrays()      300 lines on arrays, sums and scalars
    scalars()     300 lines on floats
"""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

STATEMENTS, LINES = 800, 300
HEAD = "import numpy as np\n\n\n"
ON_ARRAYS = (
    ("a{new} = np.sin(a{old}) * s{old} + b{old}", "b{new} = a{new} - 0.5 * b{old}", "s{new} = s{old} * 0.99 + 0.01"),
    ("a{new} = a{old} * b{old} * 0.1", "b{new} = np.where(a{new} > 0.0, b{old}, a{old})",
     "s{new} = s{old} + np.sum(a{new}) * 1e-6"),
    ("a{new} = np.tanh(a{old} + s{old})", "b{new} = np.exp(-b{old} * b{old})", "s{new} = s{old} * 0.5 + 0.3"),
)  # fmt: skip
ON_SCALARS = ("x = x * 0.5 + y", "y = y - 0.1 * x * x", "x = np.sin(x) + y")


def unrolled() -> Callable[..., Any]:
    factors = ", ".join(f"{0.5 + 0.001 * k:.3f}" for k in range(STATEMENTS))
    return _defined("unrolled", "x, y", [f"for k in ({factors}):", "    x = k * x + np.sin(y) * 0.5"], "x")


def arrays() -> Callable[..., Any]:
    def lines() -> Iterator[str]:
        for old in range(LINES // 3):
            yield from (line.format(old=old, new=old + 1) for line in ON_ARRAYS[old % 3])

    last = LINES // 3
    return _defined("arrays", "a0, b0, s0", list(lines()), f"a{last}, b{last}, s{last}")


def scalars() -> Callable[..., Any]:
    return _defined("scalars", "x, y", [ON_SCALARS[k % 3] for k in range(LINES)], "x + y")


def _defined(name: str, parameters: str, body: list[str], result: str) -> Callable[..., Any]:
    """The function, imported from a file of its own: compilers read the source."""
    lines = [f"def {name}({parameters}):", *(f"    {line}" for line in body), f"    return {result}", ""]
    path = Path(tempfile.mkdtemp()) / f"{name}.py"
    path.write_text(HEAD + "\n".join(lines), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)

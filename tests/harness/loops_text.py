"""Programs of the loops stage as text, for tests: what `languages.loops` reads, types as annotations.

    def f(x: "f64[n]", k: "int") -> "f64":
        total: "f64" = 0.0
        for i in range(dim(x, 0)):
            total += x[i] * k
        return total

The last function is the entry unless one is called `main`.
"""

from __future__ import annotations

import re

from pellucid.compiler.languages.loops import read_loops as read
from pellucid.compiler.program import Program

from .typed_text import with_temporaries


def read_loops(text: str, file: str = "loops.py") -> Program:
    text = re.sub(r"(?<![.\w])(min|max)\(", r"\1imum(", text)  # as Python has them
    functions = read(text, file).map(with_temporaries).functions
    return Program("main" if "main" in functions else list(functions)[-1], functions)

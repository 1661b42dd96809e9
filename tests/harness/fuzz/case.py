"""A generated program as text: source, the calls to make, and a script that shows a failure without this harness.

    Case(source, (Call("(np.array([1.0, 2.0]), 3)"), Call("(np.array([])[::-1], 0)", before="gain = 2.0")), loss="loss")

Everything is text, so that a case is reproduced by its print and shrunk by editing it.  The function is `program`;
`loss`, where there is one, sums its results to one float.  `before` changes the module between calls.
"""

import ast
import dataclasses
import random
import re
from collections.abc import Callable

import numpy as np

PRELUDE = "import math\n\nimport numpy as np\nfrom numpy import inf, nan\n\n\n"


WORDS = (
    "item items each stopped position place total result returned broke skipped subject matched count index value"
    " values best found out data shape length start stop step n m i j t x_1 column columns row rows made kept saved"
    " test size ended choice first rest left right args function cond lanes noalias prange gemm best_1 t_1 z_bar"
    " tangent"
).split()


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """One call: a tuple of arguments as text, and statements that are executed in the module before it."""

    arguments: str
    before: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """A module with a function `program`, and the calls it gets, in order and on one compiled function."""

    source: str
    calls: tuple[Call, ...]
    loss: str = ""
    smooth: bool = False  # whether a derivative may be asked for at all
    freeze: tuple[str, ...] = ()  # variables of the module that are compiled with the values they have

    def script(self, seen: str) -> str:
        """A file that runs the calls in CPython and compiled, side by side; `seen` says what went wrong."""
        comment = "\n".join(f"# {line}".rstrip() for line in seen.splitlines())
        calls = "\n".join(f"    ({call.before!r}, {call.arguments!r})," for call in self.calls)
        loss = self.loss or "program"
        return SCRIPT.format(comment=comment, source=self.source.strip(), calls=calls, loss=loss, freeze=self.freeze)

    def size(self) -> int:
        """How much there is to read."""
        return len(self.source) + sum(len(call.arguments) + len(call.before) for call in self.calls)


def drawn(generator: str, seed: int, write: Callable[[random.Random], Case | None]) -> Case:
    """The first program that `write` manages to draw, always the same for a seed."""
    rng = random.Random(f"{generator} {seed}")
    while True:
        written = write(rng)
        if written is not None:
            return written if seed % 2 else renamed(written, rng)


def renamed(case: Case, rng: random.Random) -> Case:
    """The same program with words for its variables that the compiler may want for its own."""
    found = sorted({name for name in bound_names(ast.parse(case.source)) if re.fullmatch(r"[a-z]+\d+", name)})
    words = rng.sample(WORDS, len(WORDS))
    new = dict(zip(found, words, strict=False))  # as far as the words go

    def other(text: str) -> str:
        return re.sub(r"(?<![\w.])[a-z]+\d+\b", lambda m: new.get(m.group(), m.group()), text)

    calls = tuple(Call(call.arguments, other(call.before)) for call in case.calls)
    freeze = tuple(new.get(name, name) for name in case.freeze)
    return dataclasses.replace(case, source=other(case.source), calls=calls, freeze=freeze)


def bound_names(tree: ast.AST):
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.FunctionDef(name=name):
                yield name


SCRIPT = """{comment}

{source}


CALLS = [
{calls}
]


def attempt(function, arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return f"{{type(error).__name__}}: {{error}}"


if __name__ == "__main__":
    import pellucid

    np.seterr(all="ignore")
    compiled = pellucid.compile(program, freeze={freeze!r})
    gradient = {loss!r} != "program" and pellucid.grad({loss})
    for before, arguments in CALLS:
        exec(before, globals())
        print("CPython: ", attempt(program, eval(arguments)))
        print("compiled:", attempt(compiled, eval(arguments)))
        if gradient:
            print("gradient:", attempt(gradient, eval(arguments)))
"""


# --- values as text --------------------------------------------------------------------------------------------------


def text_of(value) -> str:
    """An expression that makes a value; arrays keep their strides in kind (gaps, backwards, columns first)."""
    match value:
        case np.ndarray():
            return array_text(value)
        case np.generic():
            return f"np.{value.dtype.name}({value.item()!r})"
        case list():
            return f"[{', '.join(map(text_of, value))}]"
        case tuple() if hasattr(value, "_fields"):
            return f"{type(value).__name__}({', '.join(map(text_of, value))})"
        case tuple():
            return f"({''.join(text_of(part) + ', ' for part in value)})"
        case dict():
            return f"{{{', '.join(f'{key!r}: {text_of(part)}' for key, part in value.items())}}}"
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            parts = (f"{field.name}={text_of(getattr(value, field.name))}" for field in dataclasses.fields(value))
            return f"{type(value).__name__}({', '.join(parts)})"
        case _ if callable(value) and hasattr(value, "__name__"):
            return value.__name__
    return repr(value)


def array_text(value: np.ndarray) -> str:
    """An array in C order, or as a view of one where its strides say so."""
    if value.ndim and value.size and value.strides[0] < 0:
        return f"{array_text(np.ascontiguousarray(value[::-1]))}[::-1]"
    if value.ndim == 2 and value.flags.f_contiguous and not value.flags.c_contiguous:
        return f"{array_text(np.ascontiguousarray(value.T))}.T"
    if value.size and not value.flags.c_contiguous:
        return f"np.repeat({array_text(np.ascontiguousarray(value))}, 2, axis=-1)[..., ::2]"
    if not value.size:
        return f"np.zeros({value.shape!r}, np.{value.dtype.name})"
    dtype = "" if value.dtype.name in ("float64", "int64", "bool") else f", np.{value.dtype.name}"
    if value.dtype.kind == "f" and not dtype and not np.any(value != np.trunc(value)):
        return f"np.array({value.tolist()!r})"
    return f"np.array({value.tolist()!r}{dtype})"


def read(text: str) -> str:
    """A program's source as `ast` would write it: what shrinking compares and edits."""
    return ast.unparse(ast.parse(text))

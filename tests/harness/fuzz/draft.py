"""A program that is run while it is written: after every statement its names have known values.

    draft.attempt("t = x[1:] + s")        kept if it runs, for every set of arguments that comes this far
    with draft.block("for i in range(3):"):
        ...                               statements are tried in the first iteration, the loop when it is complete
    draft.values                          what `locals()` is at the cursor

The text so far is run again from its start for every statement: programs are small, and nothing has to be undone, so
views, aliases and containers are those of CPython.
"""

import contextlib

import numpy as np

from ..corpus import leaves
from .case import PRELUDE
from .limits import TooSlow, time_limit

TURNS = 300  # of all loops together, while a program is written


class Stop(BaseException):
    """The cursor has been reached."""


class TooLong(Exception):
    """Loops that go on and on."""


class Draft:
    """The statements of `program` so far, as a tree; strings, and (head, body) for what has a block."""

    def __init__(self, parameters, environments, rng, definitions=(), maker=""):
        """`environments` are texts of argument tuples; `definitions` texts of the module, before the function.

        With `maker`, lines of a function `make` that defines and returns `program`, which sees its variables.
        """
        self.parameters, self.rng = parameters, rng
        self.environments = [compile(text, "<arguments>", "eval") for text in environments]
        self.definitions, self.maker = list(definitions), maker
        self.body = []
        self.blocks = [self.body]
        self.values = {}
        self.hidden = set()  # names that a block made: after it they may be unbound
        self.given = ()  # the arrays that were passed, of the arguments whose values are seen
        self._settle(self.probe()[1])

    # --- text ---

    def text(self, cursor=False, ticks=False):
        lines = self._lines(self.body, 1, cursor, ticks)
        lines = [f"def program({', '.join(self.parameters)}):", *(lines or ["    pass"])]
        definitions = "".join(f"{text}\n\n\n" for text in self.definitions)
        if self.maker:
            lines = ["def make():", *self.maker.splitlines(), *(f"    {line}" for line in lines)]
            lines += ["    return program, change", "", "", "program, change = make()"]
        return PRELUDE + definitions + "\n".join(lines) + "\n"

    def _lines(self, body, depth, cursor, ticks):
        pad = "    " * depth
        lines = []
        for item in body:
            if isinstance(item, str):
                lines += [pad + line for line in item.splitlines()]
                continue
            head, inner = item
            lines.append(pad + head)
            if ticks and head.startswith(("for", "while")):
                lines.append(f"{pad}    _tick()")
            lines += self._lines(inner, depth + 1, cursor, ticks) or [f"{pad}    pass"]
        if cursor and body is self.blocks[-1]:
            lines.append(f"{pad}_probe(locals())")
        return lines

    # --- running ---

    def probe(self):
        """Run up to the cursor for every set of arguments: an error, and who came there with what."""
        space = {"_tick": self._tick, "_probe": self._stop}
        code = compile(self.text(cursor=True, ticks=True), "<draft>", "exec")
        error, reached = None, {}
        with np.errstate(all="ignore"):
            exec(code, space)
        for number, arguments in enumerate(self.environments):
            self._turns, self._seen = 0, None
            args = eval(arguments, space)
            given = [leaf for leaf in leaves(args) if isinstance(leaf, np.ndarray)]
            try:
                with np.errstate(all="ignore"), time_limit(0.5):
                    space["program"](*args)
            except Stop:
                reached[number] = self._seen, given
            except (Exception, TooSlow) as wrong:
                error = error or wrong
        return error, reached

    def _tick(self):
        self._turns += 1
        if self._turns > TURNS:
            raise TooLong

    def _stop(self, names):
        self._seen = dict(names)
        raise Stop

    # --- writing ---

    def attempt(self, *statements, tolerance=0.0) -> bool:
        """Add statements to the block; take them back if some arguments came here and now do not, or if one raises."""
        block = self.blocks[-1]
        before = len(block)
        block.extend(statements)
        if self._holds(tolerance):
            return True
        del block[before:]
        return False

    def _holds(self, tolerance):
        try:
            error, reached = self.probe()
        except SyntaxError:
            return False
        if error is not None and self.rng.random() >= tolerance:
            return False
        if not reached and self.reached:
            return False
        if any(unwieldy(value) for values, _ in reached.values() for value in values.values()):
            return False
        self._settle(reached)
        return True

    def _settle(self, reached):
        self.reached = reached
        if reached:
            self.values, self.given = next(iter(reached.values()))
            common = set.intersection(*(set(values) for values, _ in reached.values())) - self.hidden
            self.values = {name: value for name, value in self.values.items() if name in common}

    def finish(self, statement) -> bool:
        """The last statement of the function; whether some arguments come to its end."""
        if not self.reached:
            return False
        self.body.append(statement)
        return True

    @contextlib.contextmanager
    def block(self, head, least=1):
        """A block at the cursor; at its end it is run as a whole, and loses statements from its end until it runs.

        One that is left with fewer than `least` statements goes.
        """
        item = (head, [])
        outer, before = self.blocks[-1], (self.reached, self.values, self.given)
        outer.append(item)
        self.blocks.append(item[1])
        try:
            inside = self.probe()[1]
        except SyntaxError:
            inside = {}
        self._settle(inside)
        yield bool(inside)
        self.blocks.pop()
        made = set(self.values) - set(before[1])
        self.reached, self.values, self.given = before
        if self.rng.randrange(12):
            self.hidden |= made
        while len(item[1]) >= least and not self._holds(0.04):
            item[1].pop()
        if len(item[1]) < least:
            outer.remove(item)
            self._holds(1.0)


def unwieldy(value, depth=5):
    """Whether a container is deep, holds itself, or has grown out of all proportion."""
    if not isinstance(value, list | tuple | dict):
        return False
    parts = value.values() if isinstance(value, dict) else value
    return depth == 0 or len(value) > 40 or any(unwieldy(part, depth - 1) for part in parts)

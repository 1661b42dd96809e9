"""Random programs that change arrays through views, and read what others have changed.

    r = M[1]; t = r[::-1]; t[0] = v[2]; M += 0.5; s, r = r, s          for i in range(4): r = M[i]; r[1:] += q

Every statement is run by NumPy while the program is written, so that shapes always agree where they have to.  Names are
taken again for other views, handed on by loops, chosen by branches and passed to helpers; all of them are returned.

    written = random_views(7)      text and two sets of arguments
"""

import random
from dataclasses import dataclass

import numpy as np

from .stages import module_of

SIZE = 4
VIEWS = ("p", "q", "r", "s")
NAMES = ("M", "v", *VIEWS)
OF_MATRICES = (
    "{n}[{i}]", "{n}[{i}]", "{n}[:, {i}]", "{n}.T", "{n}[1:]", "{n}[::-1]", "{n}[:, ::-1]", "{n}[1:, :2]",
    "{n}[{i}, 1:]", "{n}.ravel()",
    "{n}.reshape(-1)", "{n}[:, None]", "np.swapaxes({n}, 0, 1)", "{n}[::2]", "{n}[:, 1:3]", "{n}",
)  # fmt: skip
OF_VECTORS = (
    "{n}[1:]", "{n}[:-1]", "{n}[::-1]", "{n}[::2]", "{n}[1:3]", "{n}[None]", "{n}[:, None]", "{n}", "{n}[-3:]",
)  # fmt: skip
PLACES = {
    1: ("{i}", ":", "1:", "::-1", ":2", "::2", "-2:"),
    2: ("{i}", "{i}, {j}", ":, {i}", "1:", ":, ::-1", "{i}, 1:", ":"),
}
ELEMENTS = {1: "{n}[{i}]", 2: "{n}[{i}, {j}]", 3: "{n}[{i}, {j}, 0]"}
WHOLE = ("{e} * 0.5", "{e} + {c}", "{e} - 0.5 * {f}", "{e} * {f} * 0.25", "{e}", "{e}[::-1]", "{c}", "np.sin({e})")
HELPERS = """
def put(out, i, value):
    out[i] = out[i] * 0.5 + value


def part(out, low):
    return out[low:]

"""


@dataclass(frozen=True, slots=True)
class WrittenViews:
    """A program as text, and what makes its arguments."""

    text: str
    seed: int

    def function(self):
        return module_of(self.text)["program"]

    def arguments(self, turn=0):
        return made_arguments(self.seed, turn)


def made_arguments(seed, turn):
    rng = np.random.default_rng([seed, turn])
    return rng.uniform(-1.5, 1.5, (SIZE, SIZE)), rng.uniform(-1.5, 1.5, SIZE)


def random_views(seed, smooth=False):
    """One program; `smooth`: it returns one float, and branches go by numbers that are no arguments."""
    return Writer(random.Random(seed), seed, smooth).program()


def ranks(world):
    return {n: world[n].ndim for n in NAMES if n in world}


class Writer:
    """Writes a program line by line; the lines so far are run anew with each."""

    def __init__(self, chance, seed, smooth):
        self.chance, self.seed, self.smooth = chance, seed, smooth
        self.lines = []
        self.arguments = made_arguments(seed, 0)
        self.world = self.run([])

    @property
    def names(self):
        return [n for n in NAMES if n in self.world]

    def program(self):
        kinds = (self.view, self.view, self.store, self.store, self.update, self.hand_on, self.loop, self.branch)
        for _ in range(self.chance.randint(5, 11)):
            self.take(lambda: self.chance.choice(kinds)())
        names = self.names
        if self.smooth:
            result = " + ".join(f"np.sum({n} * {k + 1}.5)" for k, n in enumerate(names))
        else:
            result = ", ".join(names)
        body = ["M, v = x.copy(), y.copy()", *self.lines, f"return {result}"]
        inside = "\n".join(f"    {line}" for line in body)
        return WrittenViews(f"import numpy as np\n\n{HELPERS}\ndef program(x, y):\n{inside}\n", self.seed)

    def take(self, kind):
        """Lines of one kind, if NumPy can run them."""
        for _ in range(6):
            lines = kind()
            world = self.run(lines)
            if world is not None:
                self.lines += lines
                self.world = world
                return

    def run(self, more):
        """The names after the lines so far and some more; None where they fail, or leave something else than arrays."""
        x, y = self.arguments
        world = {"np": np, "x": x, "y": y, "M": x.copy(), "v": y.copy()}
        try:
            exec("\n".join([HELPERS, *self.lines, *more]), world)
        except (ValueError, IndexError, NameError):
            return None
        arrays = [world[n] for n in NAMES if n in world]
        return world if all(isinstance(a, np.ndarray) and 0 < a.ndim < 4 and a.size for a in arrays) else None

    # --- parts

    def name(self, rank=None):
        fitting = [n for n in self.names if rank is None or self.world[n].ndim == rank]
        return self.chance.choice(fitting) if fitting else None

    def ints(self, **more):
        i, j = (self.chance.randint(-SIZE + 2, SIZE - 1) for _ in "ij")
        return {"i": i, "j": j, **more}

    def view_of(self, name, ints):
        choices = OF_MATRICES if self.world[name].ndim == 2 else OF_VECTORS
        return self.chance.choice(choices).format(n=name, **ints)

    def number(self, ints):
        name = self.name()
        element = ELEMENTS[self.world[name].ndim].format(n=name, **{**ints, **self.ints()})
        return self.chance.choice((element, f"{element} * 0.5", "1.25", "-0.75"))

    def value(self, shape, ints):
        """An expression that broadcasts to a shape, mostly of arrays that have it."""
        same = [n for n in self.names if self.world[n].shape == shape]
        if not same or self.chance.random() < 0.3:
            return self.number(ints)
        e, f = self.chance.choice(same), self.chance.choice(same)
        return self.chance.choice(WHOLE).format(e=e, f=f, c=self.number(ints))

    # --- statements

    def view(self, ints=None):
        ints = ints or self.ints()
        source, target = self.name(), self.chance.choice(VIEWS)
        if self.chance.random() < 0.15 and self.world[source].ndim == 1:
            return [f"{target} = part({source}, {self.chance.randint(0, 2)})"]
        return [f"{target} = {self.view_of(source, ints)}"]

    def store(self, ints=None):
        ints = ints or self.ints()
        name = self.name()
        array = self.world[name]
        if array.ndim > 2:
            return [f"{name}[...] = {self.number(ints)}"]
        if self.chance.random() < 0.2 and array.ndim == 1:
            return [f"put({name}, {ints['i']}, {self.number(ints)})"]
        place = self.chance.choice(PLACES[array.ndim]).format(**ints)
        try:
            shape = eval(f"np.shape({name}[{place}])", {"i": 1, **self.world})
        except IndexError:
            shape = ()
        return [f"{name}[{place}] {self.chance.choice(('=', '=', '+=', '*='))} {self.value(shape, ints)}"]

    def update(self, ints=None):
        name = self.name()
        value = self.value(self.world[name].shape, ints or self.ints())
        return [f"{name} {self.chance.choice(('+=', '*=', '-='))} {value}"]

    def hand_on(self, ints=None):
        first, second = self.name(), self.name()
        if first in ("M", "v") or first == second:
            return self.view(ints)
        if second not in ("M", "v") and self.chance.random() < 0.5:
            return [f"{first}, {second} = {second}, {first}"]
        return [f"{first} = {second}"]

    def loop(self):
        """Rows one after the other, and names that an iteration hands to the next."""
        head = self.chance.choice(("for i in range(3):", "for i in range(2):", "for i in range(-1, 2):"))
        return self.block([head], {"i": "i", "j": self.chance.randint(0, 2)}, self.chance.randint(1, 4))

    def branch(self):
        numbers = [self.number(self.ints()) for _ in range(2)]
        test = self.chance.choice(("x.shape[0] > 3", "y.shape[0] > 9") if self.smooth else (
            f"{numbers[0]} > 0.0", f"{numbers[0]} > {numbers[1]}"))  # fmt: skip
        first = self.block([f"if {test}:"], self.ints(), self.chance.randint(1, 2))
        return self.block([*first, "else:"], self.ints(), self.chance.randint(1, 2))

    def block(self, head, ints, count):
        """What stands before it, and statements inside of it."""
        before, lines = self.world, [*head, "    pass"]
        for _ in range(count):
            kind = self.chance.choice((self.view, self.store, self.store, self.update, self.hand_on))
            made = [*lines, *(f"    {line}" for line in kind(ints))]
            world = self.run(made)
            if world is not None and ranks(world) == ranks(before):
                lines, self.world = made, world
        self.world = before
        return lines

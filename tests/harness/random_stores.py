"""Random programs that store into arrays what they read from the same arrays.

    v[p] = v                 M[:, [1, 2, 0]] = M.T          p[p] += 1           t = v[b]; b[:] = ~b; v[b] = t + 1.0

Every statement is run by NumPy while the program is written, so that lengths always agree where they have to, and what
an index array holds is known: repeats, permutations, negative places, and now and then a place that is not there.

    written = random_stores(7)      text, names of arguments, names declared with `mutates=`, two sets of arguments
"""

import random
from dataclasses import dataclass

import numpy as np

from .stages import module_of

FLOATS, INTS, BOOLS = ("v", "M"), ("p", "q", "P"), ("b", "B")
ROWS = COLUMNS = 4
SLICES = (":", "1:", ":-1", "::-1", "::2", "1:3", "-2:", "2:0:-1", ":2", "1::2")
VIEWS_OF_MATRICES = ("{n}.T", "{n}[1:]", "{n}[::-1]", "{n}[:, ::-1]", "{n}[1:, 1:]", "{n}.ravel()")
VIEWS_OF_VECTORS = ("{n}[1:]", "{n}[::-1]", "{n}[::2]", "{n}.reshape(2, 2)")
HALVES = ("{e}", "{e}", "{e} * 0.5", "{e} + {f}", "{e} - {f} * 0.5", "np.sin({e})", "{e} * {f}")
WHOLE = ("{e}", "{e}", "{e} + 1", "({e} + {f}) % 4", "3 - {e} % 4", "{e} - {f}", "np.abs({e}) % 4")
TRUTHS = ("{e}", "~{e}", "{e} & {f}", "{e} ^ {f}", "{e} | {f}")


@dataclass(frozen=True, slots=True)
class WrittenStores:
    """A program as text, and what makes its arguments."""

    text: str
    parameters: tuple[str, ...]
    mutates: tuple[str, ...]
    seed: int

    def function(self):
        return module_of(self.text)["program"]

    def arguments(self, turn=0):
        made = arrays(np.random.default_rng([self.seed, turn]))
        return tuple(made[name] for name in self.parameters)


def arrays(rng):
    """Vectors and square matrices of one length; `p` is a permutation, `q` has repeats and negative places."""
    return {
        "v": rng.uniform(-1.5, 1.5, ROWS),
        "M": rng.uniform(-1.5, 1.5, (ROWS, COLUMNS)),
        "p": rng.permutation(ROWS),
        "q": rng.integers(-ROWS, ROWS, ROWS),
        "P": rng.integers(0, ROWS, (ROWS, COLUMNS)),
        "b": rng.permutation(np.arange(ROWS) % 2 == 0),
        "B": rng.random((ROWS, COLUMNS)) < 0.5,
    }


def random_stores(seed, smooth=False, views=False):
    """One program.  `smooth`: floats are stored alone and one float is returned; `views`: through other names, too."""
    return Writer(random.Random(seed), seed, smooth, views).program()


class Writer:
    """Writes statements and runs them as it goes along."""

    def __init__(self, choose, seed, smooth, views):
        self.choose, self.seed, self.smooth, self.views = choose, seed, smooth, views
        self.state = arrays(np.random.default_rng([seed, 0]))
        self.own = {name: name for name in self.state}  # a name, and the name in the program of what may be changed
        self.number = 0

    def program(self):
        changing = FLOATS if self.smooth else (*FLOATS, *INTS, *BOOLS)
        mutates = () if self.smooth or self.views else tuple(n for n in changing if self.choose.random() < 0.2)
        lines = [f"{name} = {name}.copy()" for name in changing if name not in mutates]
        for _ in range(self.choose.randint(2, 6)):
            lines += self.kept(self.statement)
        results = ", ".join(name for name in self.state if name in changing)
        if self.smooth:
            results = "np.sum(v * np.arange(1.0, 5.0)) + np.sum(M * np.arange(1.0, 17.0).reshape(4, 4))"
        body = [f"    {line}" for line in [*lines, f"return {results}"]]
        text = "\n".join([f"def program({', '.join(self.own)}):", *body])
        return WrittenStores(f"import numpy as np\n\n\n{text}\n", tuple(self.own), mutates, self.seed)

    # --- statements

    def kept(self, write, tries=30):
        """The lines of a statement that NumPy has run; nothing where none of the tries was possible."""
        for _ in range(tries):
            before = {name: np.copy(value) for name, value in self.state.items()}
            lines = write()
            self.state = before
            if lines and self.run(lines):
                return lines
        return []

    def run(self, lines):
        """Whether NumPy can; else nothing has changed."""
        trial = self.after(lines)
        if trial is not None:
            self.state = {name: trial[name] for name in self.own}
        return trial is not None

    def after(self, lines):
        """The arrays after these lines; None where NumPy raises, or numbers get large."""
        trial = {name: value.copy() for name, value in self.state.items()}
        try:
            with np.errstate(all="ignore"):
                exec("\n".join(lines), {"np": np}, trial)
        except (IndexError, ValueError, TypeError):
            return None
        is_small = all(np.all(np.isfinite(trial[name])) and np.max(np.abs(trial[name])) < 1e3 for name in FLOATS)
        return trial if is_small else None

    def statement(self):
        makers = [self.store] * 6 + [self.added] * 3 + [self.by_name] * 3 + [self.loop, self.branch, self.swap]
        return self.choose.choice([*makers, *[self.through_view] * 3] if self.views else makers)()

    def target(self):
        return self.choose.choice(FLOATS if self.smooth else (*FLOATS, *FLOATS, *INTS, *BOOLS))

    def store(self):
        name = self.target()
        place = self.place(name)
        return [f"{place} = {self.value(name, place)}"]

    def added(self):
        name = self.choose.choice(FLOATS if self.smooth else (*FLOATS, *INTS))
        place = self.place(name)
        sign = self.choose.choice(("+=", "-="))
        return [f"{place} {sign} {self.value(name, place)}"]

    def by_name(self):
        """What is stored is computed first, and something changes before it is stored."""
        name, made = self.target(), self.fresh("t")
        place = self.place(name)
        first = self.choose.choice((place, place, self.place(name), f"{name}.copy()", self.value(name, place)))
        between = self.choose.choice((self.store, self.store, self.added, list))()
        later = self.choose.choice((f"{made}", f"{made} + {made}" if name not in BOOLS else f"~{made}", f"{made} * 1"))
        if name in BOOLS and later.endswith("* 1"):
            later = made
        if first in (place, name) or first.startswith(name + "["):
            first = f"{first}.copy()" if not self.is_copy(first) else first
        return [f"{made} = {first}", *between, f"{place} = {later}"]

    def is_copy(self, text):
        """Whether it has elements of its own."""
        scope = dict(self.state)
        try:
            value = eval(text, {"np": np}, scope)
        except (IndexError, ValueError):
            return True
        return not any(np.shares_memory(value, other) for other in self.state.values())

    def through_view(self):
        """A name for a view, and a store through either: the compiler may refuse it."""
        name, made = self.target(), self.fresh("r")
        is_matrix = name in ("M", "P", "B")
        view = self.choose.choice(VIEWS_OF_MATRICES if is_matrix else VIEWS_OF_VECTORS)
        scope = dict(self.state)
        scope[made] = eval(view.format(n=name), {"np": np}, scope)
        self.state = scope
        self.kinds = {made: name}
        target = self.choose.choice((made, name))
        place = self.place(target)
        lines = [f"{made} = {view.format(n=name)}", f"{place} = {self.value(target, place, other=made)}"]
        return lines

    def loop(self):
        variable = self.fresh("i")
        self.state[variable] = np.array(1)
        body = self.kept_inside()
        self.state.pop(variable, None)
        return [f"for {variable} in range({self.choose.randint(1, 3)}):", *(f"    {x}" for x in body)] if body else []

    def branch(self):
        test = self.choose.choice(("v[0] > 0.0", "q[1] > 0", "M[0, 1] < v[2]", "b[0]"))
        body, other = self.kept_inside(), self.kept_inside()
        if not body:
            return []
        tail = ["else:", *(f"    {x}" for x in other)] if other else []
        return [f"if {test}:", *(f"    {x}" for x in body), *tail]

    def kept_inside(self):
        lines = []
        for _ in range(self.choose.randint(1, 2)):
            made = self.choose.choice((self.store, self.added, self.by_name))()
            lines += made if self.after(made) else []
        return lines

    def swap(self):
        """Rows, columns or elements change places at once."""
        i, j = self.choose.sample(range(ROWS), 2)
        name = self.choose.choice(FLOATS if self.smooth else (*FLOATS, *INTS))
        if name in ("M", "P"):
            items = self.choose.choice(("[{i}, {j}]", ":, [{i}, {j}]"))
            return [f"{name}[{items.format(i=i, j=j)}] = {name}[{items.format(i=j, j=i)}]"]
        return [f"{name}[{i}], {name}[{j}] = {name}[{j}], {name}[{i}]"]

    def fresh(self, prefix):
        self.number += 1
        return f"{prefix}{self.number}"

    # --- places and values

    def place(self, name):
        """`M[1:, q]` and the like."""
        rank = np.ndim(self.state[name])
        for _ in range(20):
            text = f"{name}[{self.items(rank)}]"
            if self.shape(text) is not None:
                return text
        return f"{name}[:]"

    def items(self, rank):
        pick = self.choose.choice
        if rank == 1:
            return pick((self.index, self.index, self.slice, self.mask, self.table))()
        return pick((
            lambda: self.index(),
            lambda: f":, {self.index()}",
            lambda: f"{self.slice()}, {self.index()}",
            lambda: f"{self.index()}, {self.slice()}",
            lambda: f"{self.index()}, {self.index()}",
            lambda: f"{self.index()}[:, None], {self.index()}",
            lambda: f"{self.slice()}, {self.slice()}",
            lambda: f"{pick(range(ROWS))}, {self.index()}",
            lambda: f"{self.index()}, {pick(range(ROWS))}",
            lambda: pick(("B", "M > 0.0", "~B", "P > 1", "B.T")),
            lambda: self.mask(),
            lambda: f"{self.slice()}, {self.mask()}",
            lambda: self.table(),
        ))()  # fmt: skip

    def index(self):
        """An integer array of one axis."""
        listed = str([self.choose.randrange(-ROWS, ROWS) for _ in range(self.choose.randint(1, 4))])
        named = ("p", "q", "p[::-1]", "q[1:]", "P[0]", "P[:, 1]", "((p + 1) % 4)", "p[p]", "p[:2]", "np.arange(4)")
        return f"np.array({listed})" if self.choose.random() < 0.3 else self.choose.choice(named)

    def table(self):
        """An integer array of two axes."""
        return self.choose.choice(("P", "P.T.copy()", "P[1:]", "P[:, :2]", "((P + 1) % 4)"))

    def mask(self):
        return self.choose.choice(("b", "~b", "v > 0.0", "b[::-1]", "p > 1", "q >= p", "B[1]", "B[:, 0]"))

    def slice(self):
        return self.choose.choice(SLICES)

    def value(self, name, place, other=None):
        """An expression that broadcasts into the place, mostly made of the array itself."""
        kind = getattr(self, "kinds", {}).get(name, name)
        forms = HALVES if kind in FLOATS else WHOLE if kind in INTS else TRUTHS
        wanted = self.shape(place)
        for _ in range(60):
            e, f = self.part(name, place, other), self.part(name, place, other)
            text = self.choose.choice(forms).format(e=e, f=f)
            shape = self.shape(text)
            if shape is not None and wanted is not None and fits(shape, wanted):
                return text
        return "True" if kind in BOOLS else "1.5" if kind in FLOATS else "2"

    def part(self, name, place, other=None):
        """(A part of) the array itself or, now and then, of another one of its kind."""
        if other is not None and self.choose.random() < 0.5:
            name = other
        elif self.choose.random() < 0.2:
            kind = next(k for k in (FLOATS, INTS, BOOLS) if getattr(self, "kinds", {}).get(name, name) in k)
            name = self.choose.choice(kind)
        rank = np.ndim(self.state[name])
        options = [name, name, place, f"{name}[{self.items(rank)}]", f"{name}[{self.items(rank)}]", f"{name}[::-1]"]
        if rank == 2:
            options += [f"{name}.T", f"{name}.T[{self.items(2)}]", f"{name}[{self.choose.randrange(ROWS)}]",
                        f"{name}[:, {self.choose.randrange(ROWS)}]", f"{name}[1]", f"{name}[:, 1:2]"]  # fmt: skip
        else:
            options += [f"{name}[{self.choose.randrange(ROWS)}]", f"{name}[:, None]", f"{name}[None, :]"]
        return self.choose.choice(options)

    def shape(self, text):
        """The shape that NumPy gives it, None where it raises."""
        try:
            return np.shape(eval(text, {"np": np}, dict(self.state)))
        except (IndexError, ValueError, TypeError):
            return None


def fits(shape, wanted):
    """Whether an array of one shape can be stored into a place of the other."""
    if len(shape) > len(wanted):
        return False
    return all(a in (1, b) for a, b in zip(shape[::-1], wanted[::-1]))

"""Random loops as users write them: nests that store at sums of their variables, under conditions, with names carried.

    text = random_program(7)      a function `f(x, y, A, p, q)` of f64[n], f64[n], f64[n, m] and two ints
    random_arguments(7, 0)        short arrays, ints that may be negative

Much is meant to be almost independent: an index that meets another iteration's once, bounds that the body changes, a
variable that is assigned again, a name that holds what another was before.  Most accesses are guarded, so that they
are proven to be in bounds; the others may raise.
"""

import random

import numpy as np

HEAD = """def f(x, y, A, p, q):
    n = x.shape[0]
    m = A.shape[1]
    a = x.copy()
    b = np.zeros(n)
    B = A.copy()
    s = 0.0
    t = p
    u = q
"""
RESULT = "    return a, b, B, s, t, u\n"
AXES = {"a": ("n",), "b": ("n",), "B": ("n", "m"), "x": ("n",), "y": ("n",), "A": ("n", "m")}
STORED = ("a", "a", "b", "B", "B")
LENGTHS = (5, 2, 7, 0, 1, 4)


class Writer:
    """`counters` are the variables of the loops around, `private` floats and `fixed` ints that are set here."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.number = 0
        self.counters, self.private, self.fixed = [], [], []
        self.room = self.random.choice((2, 4, 8, 14))

    def chance(self, part):
        return self.random.random() < part

    def fresh(self, base):
        self.number += 1
        return f"{base}{self.number}"

    # --- expressions

    def atom(self):
        """An int: most often the variable of a loop around."""
        names = [*self.counters * 3, *self.fixed * 2, "t", "u", "p"]
        return self.random.choice(names)

    def index(self, depth=0):
        choose = self.random
        match choose.choices(("atom", "shifted", "sum", "end", "constant"), (40, 25, 15, 8, 8))[0]:
            case "atom":
                return self.atom()
            case "shifted":
                return f"{self.atom()} {choose.choice('+-')} {choose.choice((1, 1, 2))}"
            case "sum":
                return f"{self.atom()} {choose.choice('+-')} {self.atom()}"
            case "end":
                return f"n - 1 - {self.atom()}"
        return str(choose.choice((0, 1, 2, -1)))

    def place(self, array):
        """An element, and the conditions under which it is there; sometimes without them."""
        indices = [self.index() for _ in AXES[array]]
        guards = [f"0 <= {i} < {length}" for i, length in zip(indices, AXES[array]) if not i.isdigit()]
        guards += [f"{i} < {length}" for i, length in zip(indices, AXES[array]) if i.isdigit()]
        return f"{array}[{', '.join(indices)}]", guards if self.chance(0.95) else []

    def value(self):
        """A float, and the conditions for its loads."""
        choose = self.random
        array = choose.choice((*STORED, *STORED, "x", "y", "A"))
        loaded, guards = self.place(array)
        first = "y[0]" if any("< n" in guard for guard in guards) else "1.0"
        other = choose.choice([*self.private * 3, "s", "0.25", "float(t)", f"float({self.atom()})", first])
        form = choose.choice(("{0} * 0.5 + {1} * 0.25", "{0}", "{0} - {1} * 0.5", "{1} * 0.5", "max({0}, {1}) * 0.5"))
        return form.format(loaded, other), guards if "{0}" in form else []

    def bound(self):
        choose = self.random
        outer = [f"{c}" for c in self.counters] + [f"{c} + 1" for c in self.counters]
        low = choose.choice(["0"] * 5 + ["1", "2", "t", "p", "u + 1"] + outer * 2)
        high = choose.choice(["n"] * 5 + ["m", "n - 1", "n - t", "t", "q", "n - u", *self.fixed] + self.counters)
        if self.chance(0.12):
            return f"range({high} - 1, {low} - 1, -1)"
        return f"range({low}, {high}, 2)" if self.chance(0.06) else f"range({low}, {high})"

    # --- statements

    def block(self, depth, most=4):
        kept = len(self.private), len(self.fixed)
        lines = []
        for _ in range(self.random.randint(1, most)):
            lines += self.statement(depth)
        del self.private[kept[0] :], self.fixed[kept[1] :]
        return lines

    def guarded(self, depth, guards, lines):
        margin = "    " * depth
        if not guards:
            return [margin + line for line in lines]
        return [f"{margin}if {' and '.join(dict.fromkeys(guards))}:", *(f"{margin}    {line}" for line in lines)]

    def statement(self, depth):
        self.room -= 1
        kinds = {"store": 45, "private": 12, "fixed": 8, "carried": 5, "int": 7, "branch": 8, "counter": 2, "leave": 2}
        kinds |= {"row": 6, "own": 3, "stale": 12}
        if depth < 5 and self.room > 0:
            kinds |= {"loop": 12 if depth > 1 else 60, "while": 4}
        match self.random.choices(list(kinds), list(kinds.values()))[0]:
            case "store":
                return self.store(depth)
            case "private":
                value, guards = self.value()
                name = self.fresh("v")
                lines = ["    " * depth + f"{name} = {self.random.choice(('0.0', 's', '1.5'))}"] if guards else []
                lines += self.guarded(depth, guards, [f"{name} = {value}"])
                self.private.append(name)
                return lines
            case "fixed":
                name = self.fresh("k")
                lines = ["    " * depth + f"{name} = {self.index()}"]
                self.fixed.append(name)
                return lines
            case "carried":
                value, guards = self.value()
                return self.guarded(depth, guards, [self.random.choice((f"s = {value}", f"s += {value}"))])
            case "int":
                name = self.random.choice("tu")
                new = self.random.choice((f"{name} + 1", f"{name} - 1", f"-{name}", "q", "1", *self.counters))
                return [f"{'    ' * depth}{name} = {new}"]
            case "branch":
                return self.branch(depth)
            case "counter" if self.counters:
                return [f"{'    ' * depth}{self.counters[-1]} = {self.index()}"]
            case "leave" if self.counters:
                word = self.random.choice(("break", "continue", "raise ValueError('here')"))
                margin = "    " * depth
                return [f"{margin}if {self.atom()} == {self.random.randint(1, 4)}:", f"{margin}    {word}"]
            case "row":
                return self.row(depth)
            case "own":
                return self.own(depth)
            case "stale":
                return self.stale(depth)
            case "loop":
                return self.loop(depth)
            case "while":
                return self.repeat(depth)
        return self.store(depth)

    def store(self, depth):
        array = self.random.choice(STORED)
        place, guards = self.place(array)
        value, more = self.value()
        return self.guarded(depth, [*guards, *more], [f"{place} {self.random.choice(('=', '=', '+=', '-='))} {value}"])

    def row(self, depth):
        """Whole rows and columns, views of them, and sums."""
        i, j = self.index(), self.index()
        guards = [f"0 <= {i} < n", f"0 <= {j} < n"]
        line = self.random.choice((
            f"B[{i}] = B[{j}] * 0.5", f"B[{i}] = A[{j}] + B[{i}] * 0.5", f"B[{i}, 1:] = B[{j}, :-1] * 0.5",
            f"b[{i}] = np.sum(B[{j}]) * 0.125", f"a[{i}:] = a[{i}:] * 0.5 + b[{j}]", f"a[1:] = a[:-1] * 0.5 + x[{i}]",
        ))  # fmt: skip
        return self.guarded(depth, guards, [line])

    def own(self, depth):
        """An array that an iteration makes for itself."""
        margin, name, counter = "    " * depth, self.fresh("w"), self.fresh("c")
        i, j = self.index(), self.index()
        lines = [f"{margin}{name} = np.zeros(m)", f"{margin}for {counter} in range(m):"]
        load = self.random.choice((f"B[{i}, {counter}]", f"A[{i}, {counter}]", f"a[{i}]"))
        lines += self.guarded(depth + 1, [f"0 <= {i} < n"], [f"{name}[{counter}] = {load} * 0.5"])
        use = self.random.choice((f"B[{j}] = {name}", f"s = np.sum({name})"))
        return lines + self.guarded(depth, [f"0 <= {j} < n"], [use])

    def stale(self, depth):
        """A name for an int that changes afterwards, and a loop that uses both."""
        margin, name, old = "    " * depth, self.fresh("k"), self.random.choice((*"tu", *self.counters))
        low, high = self.random.randint(0, 2), self.random.choice(("n", f"n - {old}"))
        at = self.random.choice(("i9", "i9", f"i9 + {old}"))
        lines = [f"{margin}{name} = {old} {self.random.choice('+-')} 1"]
        less, branch = f"{old} -= 1", ["if p > 1:", f"    {old} -= 1"]
        lines += [margin + line for line in self.random.choice(([less], [f"{old} -= 2"], [f"{old} += 1"], branch, []))]
        array = self.random.choice("ab")
        store = f"{array}[{at}] = {array}[{at}] * 0.5 + {array}[{name}]"
        body = self.guarded(depth + 1, [f"0 <= {at} < n"] if self.chance(0.7) else [], [store])
        loop = [f"for i9 in range({old} + {low}, {high}):", *(line[4 * depth :] for line in body)]
        return lines + self.guarded(depth, [f"0 <= {name} < n"], loop)

    def branch(self, depth):
        margin = "    " * depth
        test = self.random.choice((f"{self.atom()} > {self.atom()}", "s > 0.5", f"{self.atom()} % 2 == 0", "p > 1"))
        lines = [f"{margin}if {test}:", *self.block(depth + 1, 2)]
        return [*lines, f"{margin}else:", *self.block(depth + 1, 2)] if self.chance(0.4) else lines

    def loop(self, depth):
        margin = "    " * depth
        names = [c for c in "ijk" if c not in self.counters or self.chance(0.05)] or ["i"]
        counter, bound = self.random.choice(names), self.bound()
        self.counters.append(counter)
        body = self.block(depth + 1)
        self.counters.pop()
        return [f"{margin}for {counter} in {bound}:", *body]

    def repeat(self, depth):
        margin, name = "    " * depth, self.fresh("w")
        self.fixed.append(name)
        body = self.block(depth + 1, 3)
        self.fixed.remove(name)
        count = self.random.choice(("2", "n", "3"))
        step = f"{margin}    {name} += 1"
        ordered = [step, *body] if self.chance(0.5) else [*body, step]
        if any(line.strip() == "continue" for line in body):
            ordered = [step, *body]
        return [f"{margin}{name} = 0", f"{margin}while {name} < {count}:", *ordered]


def random_program(seed):
    writer = Writer(seed)
    lines = []
    for _ in range(writer.random.randint(1, 3)):
        lines += writer.loop(1) if writer.chance(0.8) else writer.repeat(1)
    return HEAD + "\n".join(lines) + "\n" + RESULT


def random_arguments(seed, number):
    rng = np.random.default_rng((seed, number))
    n = LENGTHS[(seed + number) % len(LENGTHS)]
    m = n if rng.random() < 0.4 else int(rng.integers(0, 6))
    p, q = (int(k) for k in rng.integers(-1, 4, 2))
    return _exact(rng, n), _exact(rng, n), _exact(rng, (n, m)), p, q


def _exact(rng, shape):
    """Numbers whose sums have no rounding, so that their order does not matter."""
    return rng.integers(-128, 128, shape) / 64.0

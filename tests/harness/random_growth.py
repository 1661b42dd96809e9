"""Random smooth programs in which arrays have lengths of their own: grown and cut in loops, carried, dead, listed.

    random_program(seed)     ->     the text of a module with a function `f(x, y, A, s, t, k)`

Arrays meet at the shorter of their lengths, so that programs run whatever their arrays have become; values stay
bounded, and all is smooth where it is defined, so that a complex step gives the derivative to the last digits.  Here
names are bound and lost, arrays replaced, cut, stored into, swapped and listed in every order: what the backward sweep
takes for a length must be that length, in the iteration where it stands.
"""

import random

import numpy as np

IMPORT = "import numpy as np\n\n\n"
SIGNATURE = "def f(x, y, A, s, t, k):\n"
HELPERS = """def rec(v, d):
    if d == 0 or len(v) == 0:
        return v.sum() * 0.3
    return rec(np.concatenate((v[1:], v[:d] * 0.5)), d - 1) + v[0] * 0.2


def cut(v, d):
    if len(v) > d:
        return v[d:] * 0.7
    return np.concatenate((v, np.sin(v)))


"""


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.count, self.depth, self.loops = [], 0, 1, 0
        self.vectors, self.rows, self.scalars, self.ints = ["x", "y"], ["A"], ["s", "t"], ["k"]
        self.own = []  # vectors that may be stored into
        self.lists = []

    def emit(self, line):
        self.lines.append("    " * self.depth + line)

    def fresh(self, base):
        self.count += 1
        return f"{base}{self.count}"

    def pick(self, names):
        return self.random.choice(names)

    def chance(self, one_in):
        return self.random.randrange(one_in) == 0

    # --- expressions

    def scalar(self):
        a, b, v = self.pick(self.scalars), self.pick(self.scalars), self.pick(self.vectors)
        M = self.pick(self.rows)
        return self.pick([
            f"{a} * 0.6 + {b} * 0.3", f"np.sin({a}) * {b}", f"np.tanh({v}.sum() * 0.3)", f"np.sum({v} * {v}) * 0.1",
            f"np.sum({v}[1:]) * {a} * 0.2", f"np.cos({M}.sum()) * {a}", f"len({v}) * 0.1 * {a}",
            f"np.sum({v}[:{self.pick(self.ints)}]) * 0.2", f"np.tanh({v} @ {v})", f"np.sum({M}[:, 1:]) * 0.1",
            f"rec({v}, {self.pick(['1', '2'])}) * 0.3",
        ])  # fmt: skip

    def vector(self):
        """A vector of any length."""
        v, w, a, i = self.pick(self.vectors), self.pick(self.vectors), self.pick(self.scalars), self.pick(self.ints)
        M = self.pick(self.rows)
        return self.pick([
            f"np.sin({v}) * {a}", f"{v}[1:] * {a}", f"{v}[:{i}] + {a}", f"{v}[{i}:] * 0.8", f"{v}[::-1] * 0.9",
            f"{v}[::2] + {a} * 0.1", f"np.concatenate(({v}[:2], {w}[1:] * {a}))", f"np.full({i} % 3 + 1, {a})",
            f"np.concatenate(({v}[1:2], {w}[:3]))", f"{M}[:, 0] * {a}", f"{M}[-1] * 0.5", f"{M}.sum(axis=1) * 0.3",
            f"np.tanh({v} + {a})", f"{v}.copy()", f"{v} * {v}", f"{v}[-3:-1] * 1.1", f"{v}[::-2] * {a}",
            f"np.where({v} > {a}, {v} * {a}, 0.3)", f"cut({v}, {self.pick(['1', '2', i])})",
            f"{v}[{v} > 0.2] * {a}", f"np.stack(({a}, {self.pick(self.scalars)}))", f"np.repeat({v}[:2], 2) * 0.4",
            f"({M} @ {M}.T)[0] * 0.1", f"np.cumsum({v}) * 0.2", f"{M}.ravel()[:6] * {a}",
        ])  # fmt: skip

    def matrix(self):
        M, N, v, a = self.pick(self.rows), self.pick(self.rows), self.pick(self.vectors), self.pick(self.scalars)
        i = self.pick(self.ints)
        return self.pick([
            f"np.sin({M}) * {a}", f"{M}[1:] + {a}", f"{M}[:, ::-1] * 0.8", f"{M}[:{i}] * {a}", f"{M}.T * 0.9",
            f"np.concatenate(({M}, {M}[1:] * {a}))", f"np.vstack(({M}, {M}.sum(axis=0)[None, :] * 0.3))",
            f"np.outer({v}[:3], {self.pick(self.vectors)}[:2]) * {a}", f"{M}[::-1]", f"{M}[:, 1:] * {a}",
            f"np.concatenate(({M}[:, 1:], {M}), axis=1) * 0.7", f"np.tanh({M}.T @ {M}) * {a}", f"{M} * {a} + 0.1",
        ])  # fmt: skip

    def test(self):
        v, i = self.pick(self.vectors), self.pick(self.ints)
        return self.pick([
            f"{self.pick(self.scalars)} > 0.2", f"len({v}) > {self.pick(['2', '3', '5', i])}", f"{i} % 2 == 0",
            f"{v}.sum() > {self.pick(['0.1', self.pick(self.scalars)])}", f"len({v}) < {i} + 2",
            f"{self.pick(self.rows)}.shape[0] > 2", f"{i} > 1",
        ])  # fmt: skip

    # --- statements

    def statement(self):
        kinds = [self.new_vector] * 2 + [self.new_scalar, self.again, self.again, self.grow, self.grow, self.new_matrix]
        kinds += [self.meet, self.rows_again, self.swap]
        if self.own:
            kinds += [self.store] * 3
        if self.depth < 4:
            kinds += [self.branch] * 2
        if self.loops < 2:
            kinds += [self.counted, self.counted, self.dynamic, self.over_elements]
        if self.depth < 3:
            kinds += [self.listed]
        if self.loops and self.depth < 5:
            kinds += [self.leave]
        if self.lists and self.chance(2):
            kinds += [self.append_to]
        self.pick(kinds)()

    def new_scalar(self):
        value = self.scalar()
        name = self.fresh("a")
        self.emit(f"{name} = {value}")
        self.scalars.append(name)

    def new_vector(self):
        value, name = self.vector(), self.fresh("v")
        self.emit(f"{name} = {value}")
        self.vectors.append(name)
        if not value.endswith("]"):
            self.own.append(name)

    def new_matrix(self):
        value, name = self.matrix(), self.fresh("M")
        self.emit(f"{name} = {value}")
        self.rows.append(name)

    def again(self):
        """A name that there is already gets another value, of another length."""
        vectors = [v for v in self.vectors if v[0] == "v"]
        scalars = [a for a in self.scalars if a[0] == "a"]
        if vectors and (self.chance(2) or not scalars):
            name, value = self.pick(vectors), self.vector()
            self.emit(f"{name} = {value}")
            if value.endswith("]") and name in self.own:
                self.own.remove(name)
        elif scalars:
            self.emit(f"{self.pick(scalars)} = np.tanh({self.scalar()})")

    def rows_again(self):
        names = [M for M in self.rows if M[0] == "M"]
        if not names:
            self.new_matrix()
            return
        name = self.pick(names)
        self.emit(f"if {name}.size < 30:")
        self.emit(f"    {name} = {self.matrix()}")

    def grow(self):
        names = [v for v in self.vectors if v[0] == "v"]
        if not names:
            self.new_vector()
            return
        z, w, a = self.pick(names), self.pick(self.vectors), self.pick(self.scalars)
        if z in self.own:
            self.own.remove(z)
        self.emit(f"if len({z}) < {self.random.randint(4, 14)}:")
        self.emit("    " + f"{z} = " + self.pick([
            f"np.concatenate(({z}, {w} * {a}))", f"np.concatenate(({w}[:2], {z}))", f"np.hstack(({z}, {w}[:2] * {a}))",
            f"np.concatenate(({z}, np.full(2, {a})))", f"np.concatenate(({z}[1:], {z}[:2] * {a}))",
            f"np.concatenate(({z}, {z} * {a}))", f"np.concatenate(({z}, np.zeros(1), {z}[1:] * {z}[:-1]))",
        ]))  # fmt: skip

    def meet(self):
        """Two vectors at the shorter of their lengths."""
        v, w, m, name = self.pick(self.vectors), self.pick(self.vectors), self.fresh("m"), self.fresh("v")
        self.emit(f"{m} = min(len({v}), len({w}))")
        self.emit(self.pick([
            f"{name} = {v}[:{m}] * {w}[:{m}]", f"{name} = {v}[:{m}] - {w}[len({w}) - {m}:]",
            f"{name} = np.sin({v}[:{m}]) + {w}[:{m}] * 0.5",
        ]))  # fmt: skip
        self.vectors.append(name)
        self.own.append(name)
        self.ints.append(m)

    def store(self):
        w, v, a = self.pick(self.own), self.pick(self.vectors), self.pick(self.scalars)
        m = self.fresh("m")
        kind = self.random.randrange(7)
        if kind == 0:
            self.emit(f"{w}[1:] = {self.scalar()}")
        elif kind == 1:
            self.emit(f"{m} = min(len({w}), len({v}))")
            self.emit(f"{w}[:{m}] = {v}[:{m}] * {a}")
        elif kind == 2:
            self.emit(f"{w}[{w} > 0.3] = {a}")
        elif kind == 3:
            self.emit(f"{w} *= {a}")
        elif kind == 4:
            self.emit(f"{w}[::2] += {a} * 0.3")
        else:
            self.emit(f"if len({w}) > {self.pick(['0', '1', '2'])}:")
            self.emit("    " + self.pick([
                f"{w}[0] = {self.scalar()}", f"{w}[-1] += {a} * {w}[0]", f"{w}[0] = {w}[0] * {w}[-1]",
                f"{w}[-1] = {w}[0] + {a}", f"{w}[1:] = {w}[:-1] * {a}",
            ]))  # fmt: skip

    def swap(self):
        names = [v for v in self.vectors if v[0] == "v"]
        if len(names) < 2:
            return
        v, w = self.random.sample(names, 2)
        self.emit(f"{v}, {w} = {w}, {v}")
        self.own = [name for name in self.own if name not in (v, w)]

    # --- structure

    def body(self, count, first=""):
        saved = [list(part) for part in (self.vectors, self.rows, self.scalars, self.ints, self.own, self.lists)]
        self.depth += 1
        if first:
            self.emit(first)
        start = len(self.lines)
        for _ in range(count):
            self.statement()
        if len(self.lines) == start:
            self.emit("pass")
        self.depth -= 1
        own = self.own
        self.vectors, self.rows, self.scalars, self.ints, self.own, self.lists = saved
        self.own = [name for name in self.own if name in own]

    def branch(self):
        self.emit(f"if {self.test()}:")
        self.body(self.random.randint(1, 2))
        if self.chance(2):
            self.emit("else:")
            self.body(self.random.randint(1, 2))

    def counted(self):
        i = self.fresh("i")
        outer = [name for name in self.ints if name[0] == "i"]
        bounds = ["k", "3", "1, k", "k, 0, -1", "k - 1, -1, -1", "0, k, 2", f"len({self.pick(self.vectors)}) % 4", "0"]
        bounds += [f"{o}" for o in outer] + [f"{o}, k" for o in outer]
        self.emit(f"for {i} in range({self.pick(bounds)}):")
        self.ints.append(i)
        self.loops += 1
        self.body(self.random.randint(1, 2))
        self.loops -= 1
        self.ints.remove(i)

    def over_elements(self):
        e = self.fresh("e")
        if self.chance(2):
            self.emit(f"for {e} in {self.pick(self.vectors)}[:4]:")
            self.scalars.append(e)
        else:
            self.emit(f"for {e} in {self.pick(self.rows)}[:3]:")
            self.vectors.append(e)
        self.loops += 1
        self.body(self.random.randint(1, 2))
        self.loops -= 1
        if e in self.scalars:
            self.scalars.remove(e)
        else:
            self.vectors.remove(e)

    def dynamic(self):
        """A loop that runs until an array is long or short enough."""
        z, c, w, a = self.fresh("v"), self.fresh("c"), self.pick(self.vectors), self.pick(self.scalars)
        self.emit(f"{z} = {self.vector()}")
        self.emit(f"{c} = 0")
        test, step = self.pick([
            (f"len({z}) < {self.random.randint(3, 8)}", f"{z} = np.concatenate(({z}, {w} * {a}))"),
            (f"len({z}) > 1", f"{z} = {z}[1:] * {a}"), (f"len({z}) > 0", f"{z} = {z}[:-1]"),

        ])  # fmt: skip
        self.emit(f"while {test} and {c} < {self.random.randint(2, 4)}:")
        self.vectors.append(z)
        self.ints.append(c)
        self.loops += 1
        self.body(self.random.randint(1, 3), first=f"{c} = {c} + 1")
        self.loops -= 1
        self.emit(f"    {step}")

    def leave(self):
        self.emit(f"if {self.test()}:")
        self.emit("    " + self.pick(["break", "continue", f"return {self.scalar()}"]))

    def listed(self):
        rows, i, total, e = self.fresh("l"), self.fresh("i"), self.fresh("a"), self.fresh("v")
        self.emit(f"{rows} = []")
        self.emit(f"for {i} in range({self.pick(['k', '3'])}):")
        self.ints.append(i)
        self.lists.append(rows)
        self.loops += 1
        self.body(self.random.randint(0, 2), first=f"{rows}.append({self.vector()})")
        self.loops -= 1
        self.ints.remove(i)
        self.lists.remove(rows)
        self.emit(f"{total} = {self.scalar()}")
        self.emit(f"for {e} in {rows}:")
        self.vectors.append(e)
        self.loops += 1
        self.body(self.random.randint(0, 2), first=f"{total} = {total} * 0.5 + {e}.sum() * {self.pick(self.scalars)}")
        self.loops -= 1
        self.vectors.remove(e)
        self.scalars.append(total)

    def append_to(self):
        self.emit(f"{self.pick(self.lists)}.append({self.vector()})")


def random_program(seed, size=4):
    writer = Writer(seed)
    writer.new_vector()
    for _ in range(size):
        writer.statement()
    terms = [f"np.sum({v} * {v})" for v in writer.vectors[-4:]] + [f"np.sum({M}) * 0.1" for M in writer.rows[-1:]]
    terms += [f"{a} * {a}" for a in writer.scalars[-4:]]
    writer.emit(f"return ({' + '.join(terms)}) * 0.5")
    return IMPORT + HELPERS + SIGNATURE + "\n".join(writer.lines) + "\n"


def arguments(seed, lengths=(3, 4, 2)):
    """Arguments of these lengths: of `x`, of `y`, of the rows of `A` (which has two columns more than `x`)."""
    rng = np.random.default_rng([seed, *lengths])
    n, m, p = lengths
    return (rng.uniform(-0.8, 0.9, n), rng.uniform(-0.8, 0.9, m), rng.uniform(-0.8, 0.9, (p, n + 2)),
            float(rng.uniform(0.1, 0.9)), float(rng.uniform(-0.5, 0.9)), 3)  # fmt: skip

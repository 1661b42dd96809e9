"""Random functions of one example, for `vmap` and its compositions: loops, branches, `while`, stores, lists, recursion.

    source = random_function(7)    ->    the text of `one(x, y, p, q, k, idx)` and of the helpers that it calls
    axes, args = random_batch(7)   ->    (0, None, 0, None, None, 1), arguments of which some have an axis of examples

The functions are smooth where they are defined, stay bounded and end, so that one gradient per example is an oracle.
"""

import random

import numpy as np

HELPERS = '''import numpy as np
import pellucid


def product(v, n):
    total = 1.0
    for i in range(n):
        total = total * (v[i % v.shape[0]] * 0.3 + 1.0)
    return total


def nested(v, a, n):
    if n <= 0:
        return a * 0.5
    return np.sin(nested(v, a * 0.7, n - 1)) * v[n % v.shape[0]] + a


def halved(a, depth):
    if a < 0.3 or depth > 6:
        return a * 1.5
    return halved(a * 0.6, depth + 1) + 0.1 * a


@pellucid.custom_jvp
def softened(a):
    return np.log1p(np.exp(a))


@softened.defjvp
def softened_jvp(primals, tangents):
    (a,), (a_dot,) = primals, tangents
    return softened(a), a_dot / (1.0 + np.exp(-a))


'''
HEAD = "def one(x, y, p, q, k, idx):"
NAMES = ("x", "y", "p", "q", "k", "idx")


class Writer:
    """The statements of one function; `scalars`, `arrays` and `own` are the names that may be read, or stored into."""

    def __init__(self, rng):
        self.rng, self.lines, self.count, self.depth, self.loops = rng, [], 0, 1, 0
        self.scalars, self.arrays, self.own = ["p", "q"], ["x", "y"], []
        self.indices = ["0", "1", "-1", "k"]

    def emit(self, line):
        self.lines.append("    " * self.depth + line)

    def fresh(self, base):
        self.count += 1
        return f"{base}{self.count}"

    def pick(self, names):
        return self.rng.choice(names)

    # --- expressions

    def scalar(self):
        a, b, v, w = self.pick(self.scalars), self.pick(self.scalars), self.pick(self.arrays), self.pick(self.arrays)
        i = self.pick(self.indices)
        return self.pick([
            f"np.sin({a}) * {b}", f"{a} * 0.4 + {b} * 0.3", f"np.cos({a} * {b})", f"{v}[{i}] * 0.7", f"{v}[{i}] * {a}",
            f"np.sum({v} * {w}) * 0.1", f"({v} @ {w}) * 0.1", f"np.sum({v}[idx]) * 0.2", f"np.exp(-{a} * {a})",
            f"product({v}, {self.pick(['3', 'k', 'x.shape[0]'])}) * 0.5", f"nested({v}, {a}, {self.pick(['2', 'k'])})",
            f"halved({a} * {a}, 0)", f"softened({a})", f"np.prod({v} * 0.5 + 1.0) * 0.3", f"np.max({v}) * {a}",
            f"np.sum({v}[{v} > 0.1]) * 0.2", f"np.cumsum({v})[{i}] * 0.2", f"np.sum(np.diff({v}, append={a})) * 0.3",
            f"np.sort({v})[{i}] * 0.5", f"min({a}, {b}) * 0.8", f"np.round({a}, 1) + {b}", f"np.mean({v}) - {b}",
        ])  # fmt: skip

    def array(self):
        v, w, s = self.pick(self.arrays), self.pick(self.arrays), self.pick(self.scalars)
        return self.pick([
            f"np.sin({v}) * {w}", f"{v} * {s} * 0.5", f"{v} * 0.4 + {w} * 0.3", f"{v}[::-1] * 0.9", f"{v}.copy()",
            f"np.tanh({v} + {s})", f"np.where({v} > {w}, {v} * {s}, {w})", f"np.cumsum({v}) * 0.2",
            f"np.diff({v}, append={s})", f"np.concatenate(({v}[1:], {w}[:1]))", f"softened({v}) * 0.5",
            f"np.outer({v}, {w})[{self.pick(self.indices)}] * 0.4", f"np.cumprod({v} * 0.3 + 1.0)", f"np.roll({v}, 1)",
            f"np.maximum({v}, {s}) * 0.5", f"np.sort({v}) * 0.7", f"np.round({v}, 1) * 0.5 + {w}",
        ])  # fmt: skip

    def test(self):
        i, s, v = self.pick(self.indices), self.pick(self.scalars), self.pick(self.arrays)
        return self.pick([f"({i}) % 2 == 0", f"{s} > 0.3", f"{v}[{i}] > 0.0", f"{s} > 0.0 and {v}[0] < 0.5", "k > 1"])

    # --- statements

    def statement(self):
        kinds = [self.new_scalar] * 3 + [self.new_array] * 2 + [self.again] * 2 + [self.make_own]
        if self.own:
            kinds += [self.store] * 4 + [self.store_slice] * 2 + [self.store_view]
        if self.depth < 4:
            kinds += [self.loop, self.products, self.branch, self.branch, self.chosen]
        if self.depth < 3:
            kinds += [self.unbounded, self.listed, self.rows, self.listed_arrays, self.matrix]
        self.pick(kinds)()

    def new_scalar(self):
        name = self.fresh("s")
        self.emit(f"{name} = {self.scalar()}")
        self.scalars.append(name)

    def new_array(self):
        name = self.fresh("v")
        self.emit(f"{name} = {self.array()}")
        self.arrays.append(name)

    def make_own(self):
        name = self.fresh("w")
        v = self.pick(self.arrays)
        self.emit(f"{name} = {self.pick([f'{v}.copy()', 'np.zeros(x.shape[0])', f'{v} * 0.8', f'np.zeros_like({v})'])}")
        self.own.append(name)
        self.arrays.append(name)

    def begin(self):
        self.emit(f"s0 = {self.scalar()}")
        self.emit(f"v0 = {self.array()}")
        self.emit(f"w0 = {self.pick(['x.copy()', 'np.zeros_like(y)', 'y * p'])}")
        self.scalars.append("s0")
        self.arrays += ["v0", "w0"]
        self.own.append("w0")

    def again(self):
        scalars = [name for name in self.scalars if name[0] == "s"]
        arrays = [name for name in self.arrays if name[0] == "v"]
        if scalars and self.rng.random() < 0.6:
            self.emit(f"{self.pick(scalars)} = {self.scalar()}")
        elif arrays:
            self.emit(f"{self.pick(arrays)} = {self.array()}")

    def store(self):
        w, i, j, s = self.pick(self.own), self.pick(self.indices), self.pick(self.indices), self.pick(self.scalars)
        self.emit(self.pick([
            f"{w}[{i}] = {self.scalar()}", f"{w}[{i}] += {s} * 0.3", f"{w}[{i}] *= {s}", f"{w}[{i}] = 0.5",
            f"{w}[{i}] = np.sin({w}[{j}]) * {s}", f"{w}[{i}] = {w}[{i}] * {w}[{j}] * 0.5",
            f"{w}[{i}] = {self.pick(self.arrays)}[{j}]", f"{w}[idx[0]] = {s}",
        ]))  # fmt: skip

    def store_slice(self):
        w, v, s = self.pick(self.own), self.pick(self.arrays), self.pick(self.scalars)
        self.emit(self.pick([
            f"{w}[1:] = {v}[:-1] * {s}", f"{w}[:] = {v} * 0.6", f"{w}[1:-1] += {v}[2:] * 0.3", f"{w}[:2] = {s}",
            f"{w}[1:-1] = np.sin({w}[2:]) * {w}[:-2]", f"{w}[::-1] = {v}.copy()", f"{w}[{v} > 0.4] = {s}",
            f"{w}[1:] *= {s}", f"np.add.at({w}, idx, {v}[idx] * 0.2)", f"{w}[idx] = {v}[idx] * 0.5", f"{w}[k:] = {s}",
            f"{w}[{v} > 0.0] *= 0.5",
        ]))  # fmt: skip

    def store_view(self):
        w, v, name = self.pick(self.own), self.pick(self.arrays), self.fresh("g")
        self.emit(f"{name} = {w}.reshape(1, -1)")
        self.emit(self.pick([
            f"{name}[0, 1:] *= {v}[1:]", f"{name}.reshape(-1)[::2] *= 0.5", f"{name}[0] = {v} * 0.3",
            f"{name}.T[0] += {self.pick(self.scalars)}",
        ]))  # fmt: skip

    # --- structure

    def body(self, count):
        kept = list(self.scalars), list(self.arrays), list(self.own), list(self.indices)
        self.depth += 1
        start = len(self.lines)
        for _ in range(count):
            self.statement()
        if len(self.lines) == start:
            self.new_scalar()
        self.hand_on(*kept[:2])
        self.depth -= 1
        self.scalars, self.arrays, self.own, self.indices = kept

    def hand_on(self, scalars, arrays):
        """Let what was made in a body count: names from before it take it over."""
        made = [name for name in self.scalars if name not in scalars]
        rows = [name for name in self.arrays if name not in arrays]
        to = self.pick([name for name in scalars if name[0] == "s"])
        if made:
            self.emit(f"{to} = {self.pick([f'{to} * 0.6 + {made[-1]} * 0.3', f'{made[-1]} * {to}', made[-1]])}")
        if rows:
            v = rows[-1]
            self.emit(self.pick([
                f"w0[:] = {v} * 0.5", f"w0 += {v} * 0.3", f"v0 = {v}", f"v0 = v0 * 0.5 + {v}",
                f"{to} = {to} + np.sum({v}) * 0.2",
            ]))  # fmt: skip

    def loop(self):
        if self.loops > 1:
            return
        i = self.fresh("i")
        bounds, found = self.pick([
            ("x.shape[0]", [i, f"{i} - 1", f"x.shape[0] - 1 - {i}"]), ("1, x.shape[0]", [i, f"{i} - 1"]),
            ("x.shape[0] - 1, -1, -1", [i]), ("k", [i]), ("0, x.shape[0], 2", [i]), ("x.shape[0] - 1", [i, f"{i} + 1"]),
        ])  # fmt: skip
        self.emit(f"for {i} in range({bounds}):")
        before, self.indices = list(self.indices), self.indices + found * 3
        self.loops += 1
        self.body(self.rng.randint(1, 4))
        self.loops -= 1
        if self.rng.random() < 0.25:
            self.emit(f"    if {self.test()}:")
            self.emit(f"        {self.pick(['break', 'continue'])}")
            self.depth += 1
            self.again()
            self.depth -= 1
        self.indices = before

    def products(self):
        name, v, i = self.fresh("s"), self.pick(self.arrays), self.fresh("i")
        self.emit(f"{name} = {self.pick(['1.0', '0.5', 'p'])}")
        self.emit(f"for {i} in range({self.pick(['x.shape[0]', 'k', '1, x.shape[0]'])}):")
        self.emit(f"    {name} *= {self.pick([f'{v}[{i}]', f'{v}[{i}] * 0.5 + 1.0', f'{v}[{i}] - {v}[{i} - 1]'])}")
        self.scalars.append(name)

    def branch(self):
        self.emit(f"if {self.test()}:")
        self.body(self.rng.randint(1, 3))
        if self.rng.random() < 0.15 and self.depth == 1:
            self.emit(f"    return {self.result()}")
        elif self.rng.random() < 0.6:
            self.emit("else:")
            self.body(self.rng.randint(1, 3))

    def unbounded(self):
        rounds, held = self.fresh("r"), self.fresh("s")
        self.emit(f"{rounds} = 0")
        self.emit(f"{held} = {self.scalar()}")
        self.scalars.append(held)
        self.emit(f"while abs({held}) > 0.05 and {rounds} < {self.pick(['2', '3', 'k'])}:")
        self.loops += 1
        self.body(self.rng.randint(1, 3))
        self.loops -= 1
        self.emit(f"    {held} = {held} * 0.5 + {self.pick(self.scalars)} * 0.2")
        self.emit(f"    {rounds} += 1")

    def listed(self):
        tape, total, i = self.fresh("l"), self.fresh("s"), self.fresh("i")
        item = self.pick(["t", "(t, t * 0.5)[0]"])
        self.emit(f"{tape} = []")
        self.emit(f"for {i} in range({self.pick(['3', 'k', 'x.shape[0]'])}):")
        self.emit(f"    t = {self.scalar()}")
        if self.rng.random() < 0.4:
            self.emit(f"    if {self.test()}:")
            self.emit(f"        {tape}.append({item})")
        else:
            self.emit(f"    {tape}.append({item})")
        self.emit(f"{total} = 0.1")
        if self.rng.random() < 0.5:
            self.emit(f"while {tape}:")
            self.emit(f"    {total} = {total} * 0.5 + {tape}.pop() * {self.pick(self.scalars)}")
        else:
            self.emit(f"for t in {tape}:")
            self.emit(f"    {total} = {total} * 0.5 + t * {self.pick(self.scalars)}")
        self.scalars.append(total)

    def chosen(self):
        """A product whose factors depend on the example, and a branch on what came of it."""
        name, v, i = self.fresh("s"), self.pick(self.arrays), self.fresh("i")
        self.emit(f"{name} = 1.0")
        self.emit(f"for {i} in range({self.pick(['x.shape[0]', 'k', '2'])}):")
        self.emit(f"    if {v}[{i}] > {self.pick(['0.0', 'q', '0.5'])}:")
        self.emit(f"        {name} *= {v}[{i}] * {self.pick(self.scalars)}")
        self.emit(f"if {name} {self.pick(['<', '>='])} {self.pick(['0.2', 'p', '1.0'])}:")
        self.emit(f"    {name} = {name} * {self.pick([self.scalar(), f'{v}[0]', '0.5'])}")
        self.scalars.append(name)

    def rows(self):
        """Rows of a matrix that the example has, changed by way of their names."""
        name, i, v = self.fresh("m"), self.fresh("i"), self.pick(self.arrays)
        self.emit(f"{name} = np.outer({v}, {self.pick(self.arrays)}) * 0.5")
        self.emit(f"for {i} in range({name}.shape[0]):")
        self.emit(f"    row = {name}[{i}]")
        self.emit("    " + self.pick([
            f"row[{self.pick(['0', '-1', i])}] *= {self.pick(self.scalars)}", f"row[1:] += row[:-1] * {v}[{i}]",
            f"row[:] = np.tanh(row) * {self.pick(self.scalars)}", f"{name}[:, {i}] *= row[{i}]",
        ]))  # fmt: skip
        total = self.fresh("s")
        self.emit(f"{total} = np.trace({name}) * 0.5 + np.sum({name}[-1])")
        self.scalars.append(total)

    def listed_arrays(self):
        tape, i, v = self.fresh("l"), self.fresh("i"), self.fresh("v")
        self.emit(f"{tape} = [{self.pick(self.arrays)}]")
        self.emit(f"for {i} in range({self.pick(['k', '2', 'x.shape[0]'])}):")
        self.emit(f"    {tape}.append(np.sin({tape}[-1]) * {self.pick(self.scalars)})")
        self.emit(f"{v} = {tape}[{self.pick(['-1', '0', f'len({tape}) // 2'])}] * 0.5")
        self.arrays.append(v)

    def matrix(self):
        name, total = self.fresh("m"), self.fresh("s")
        v, w, s = self.pick(self.arrays), self.pick(self.arrays), self.pick(self.scalars)
        self.emit(f"{name} = np.outer({v}, {w}) * 0.2 + np.eye({v}.shape[0])")
        self.emit(f"{total} = " + self.pick([
            f"np.linalg.det({name}) * {s}", f"np.sum(np.linalg.solve({name}, {w})) * 0.3", f"({name} @ {v})[0] + {s}",
            f"np.max({name}, axis=0)[-1]", f"np.sum(np.argmax({name}, axis=1)) * {s} * 0.1",
            f"np.sum({name}[{name} > {s}]) * 0.3", f"np.sum(np.where({name} > 0.5, {name}, {s})) * 0.2",
            f"np.sum({name}[np.argsort({v})][0]) * 0.4", f"np.einsum('ij,j->', {name}, {w}) * 0.3",
        ]))  # fmt: skip
        self.scalars.append(total)

    def result(self):
        arrays, scalars = ["v0", "w0", *self.arrays[5:][-3:]], ["s0", *self.scalars[3:][-3:]]
        terms = [f"np.sum({v} * {v}) * 0.1" for v in arrays] + [f"{s} * {s}" for s in scalars]
        return " + ".join(terms)


def random_function(seed, size=6):
    """The text of a module with `one`, which gives a float."""
    writer = Writer(random.Random(f"mapped {seed}"))
    writer.begin()
    for _ in range(size):
        writer.statement()
    writer.emit(f"return {writer.result()}")
    return HELPERS + "\n".join([HEAD, *writer.lines]) + "\n"


def random_batch(seed):
    """Axes and arguments: at least one of the floats has an axis of examples, and so may the others."""
    rng = np.random.default_rng(seed)
    n, m, count = int(rng.integers(2, 5)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    axes = [0 if rng.random() < 0.6 else None for _ in NAMES]
    axes[int(rng.integers(0, 4))] = 0
    lengths = ((n,), (n,), (), (), (), (m,))
    args = []
    for number, (axis, shape) in enumerate(zip(axes, lengths, strict=True)):
        whole = (count, *shape) if axis is not None else shape
        if number < 4:
            value = rng.uniform(-1.5, 1.5, whole)
        else:
            value = rng.integers(0, n if number == 5 else min(n, 3), whole)
        if axis == 0 and shape and rng.random() < 0.2:
            axes[number], value = 1, np.ascontiguousarray(value.T)
        args.append(value if np.ndim(value) else value.item() if rng.random() < 0.3 else value[()])
    return tuple(axes), tuple(args)

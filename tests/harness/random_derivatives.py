"""Random smooth programs for derivatives: loops of every direction, stores in place, swaps, branches, while, lists.

    random_program(seed)     ->     the text of a function `f` that `typed_text` reads

The programs are smooth where they are defined, stay bounded, and end; so that a complex step gives their derivative to
the last digits.  Names are assigned again and again, arrays are overwritten while they are read: what is recorded for
the backward sweep must be right in every order.
"""

import random

HEAD = 'def f(x: "f64[n_]", y: "f64[n_]", a: "f64[n_, n_]", p: "f64", u: "float", k: "int", idx: "i64[m_]"):'


class Writer:
    def __init__(self, seed, dense=False):
        self.random, self.dense = random.Random(seed), dense
        self.lines, self.count, self.depth = [], 0, 1
        self.scalars, self.arrays, self.own = ["p", "u"], ["x", "y"], []
        self.indices = ["0", "1", "-1", "k"]
        self.loops = 0

    def emit(self, line):
        self.lines.append("    " * self.depth + line)

    def fresh(self, base):
        self.count += 1
        return f"{base}{self.count}"

    def pick(self, names):
        return self.random.choice(names)

    # --- expressions

    def scalar(self):
        a, b = self.pick(self.scalars), self.pick(self.scalars)
        v, w = self.pick(self.arrays), self.pick(self.arrays)
        i = self.pick(self.indices)
        return self.pick([
            f"sin({a}) * {b}", f"{a} * 0.4 + {b} * 0.3", f"cos({a} * {b})", f"{a} - {b} * 0.5", f"{v}[{i}] * 0.7",
            f"{v}[{i}] * {a} * 0.5", f"sum({v} * {w}) * 0.1", f"matmul({v}, {w}) * 0.1",
            f"a[{i}, {self.pick(self.indices)}]",
            f"{v}[{i}]", f"{v}[{i}]", f"sum({v}[1:] * {w}[:-1]) * 0.1", f"sum({v}[idx]) * 0.1", f"exp(-{a} * {a})",
        ])  # fmt: skip

    def array(self):
        v, w, s = self.pick(self.arrays), self.pick(self.arrays), self.pick(self.scalars)
        return self.pick([
            f"sin({v}) * {w}", f"{v} * {s} * 0.5", f"{v} * 0.4 + {w} * 0.3", f"{v}[::-1] * 0.9", f"copy({v})",
            f"matmul(a, {v}) * 0.2", f"a[{self.pick(self.indices)}] * {v}",
            f"a[:, {self.pick(self.indices)}] + {v} * 0.1",
            f"tanh({v} + {s})", f"where({v} > {w}, {v} * {s}, {w})", f"{v}", f"a.T[{self.pick(self.indices)}] * 0.5",
        ])  # fmt: skip

    # --- statements

    def statement(self):
        if self.dense and self.loops:
            kinds = [self.store] * 6 + [self.new_scalar] * 2 + [self.again, self.store_slice]
            kinds += [self.loop] * 3 if self.loops < 3 else []
            kinds += [self.branch, self.swap] if self.depth < 5 else []
            self.pick(kinds)()
            return
        kinds = [self.new_scalar] * 3 + [self.new_array] * 2 + [self.again] * 2 + [self.make_own]
        if self.own:
            kinds += [self.store] * 5 + [self.store_slice] * 2 + [self.swap]
        if self.depth < 4:
            kinds += [self.loop] * 3 + [self.branch] * 2
        if self.depth < 3:
            kinds += [self.unbounded, self.listed]
        self.pick(kinds)()

    def new_scalar(self):
        name = self.fresh("s")
        self.emit(f"{name} = {self.as_f64(self.scalar())}")
        self.scalars.append(name)

    def as_f64(self, text):
        return f"cast({text}, 'f64')"

    def new_array(self):
        name = self.fresh("v")
        self.emit(f"{name} = {self.array()}")
        self.arrays.append(name)

    def make_own(self):
        name = self.fresh("w")
        made = self.pick([f"copy({self.pick(self.arrays)})", "zeros((n_0,))", f"{self.pick(self.arrays)} * 0.8"])
        self.emit(f"{name} = {made}")
        self.own.append(name)
        self.arrays.append(name)

    def again(self):
        """A name that there is already gets another value."""
        candidates = [s for s in self.scalars if s[0] == "s"]
        arrays = [v for v in self.arrays if v[0] in "vw"]
        if candidates and self.random.random() < 0.6:
            self.emit(f"{self.pick(candidates)} = {self.as_f64(self.scalar())}")
        elif arrays:
            self.emit(f"{self.pick(arrays)} = {self.array()} * 0.9")

    def swap(self):
        if len(self.own) < 2:
            return
        first, second = self.random.sample(self.own, 2)
        held = self.fresh("h")
        self.emit(f"{held} = {first}")
        self.emit(f"{first} = {second}")
        self.emit(f"{second} = {held}")

    def store(self):
        name, i, j = self.pick(self.own), self.pick(self.indices), self.pick(self.indices)
        s = self.pick(self.scalars)
        self.emit(self.pick([
            f"{name}[{i}] = {self.scalar()}", f"{name}[{i}] += {s} * 0.3", f"{name}[{i}] *= {s}",
            f"{name}[{i}] = sin({name}[{j}]) * {s}", f"{name}[{i}] = {name}[{i}] * {name}[{j}] * 0.5",
            f"{name}[{i}] = {self.pick(self.arrays)}[{j}]", f"{name}[{i}] = 0.5",
            f"{name}[{i}] = {name}[{i}] - {s} * {name}[{j}] * 0.4",
        ]))  # fmt: skip

    def store_slice(self):
        name, v, s = self.pick(self.own), self.pick(self.arrays), self.pick(self.scalars)
        self.emit(self.pick([
            f"{name}[1:] = {v}[:-1] * {s}", f"{name}[:] = {v} * 0.6", f"{name}[1:-1] += {v}[2:] * 0.3",
            f"{name}[:2] = {s}",
            f"{name}[1:-1] = sin({name}[2:]) * {name}[:-2]", f"{name}[::-1] = {v}", f"{name}[{v} > 0.4] = {s}",
            f"{name}[1:] *= {s}", f"add_at({name}, (idx,), {v}[idx] * 0.2)", f"{name}[idx] = {v}[idx] * 0.5",
        ]))  # fmt: skip

    # --- structure

    def body(self, count):
        saved = (list(self.scalars), list(self.arrays), list(self.own), list(self.indices))
        self.depth += 1
        start = len(self.lines)
        for _ in range(count):
            self.statement()
        if len(self.lines) == start:
            self.new_scalar()
        self.depth -= 1
        self.scalars, self.arrays, self.own, self.indices = saved

    def loop(self):
        if self.loops > 2:
            return
        i = self.fresh("i")
        outer = [name for name in self.indices if name[0] == "i" and name.isalnum()]
        ranges = [
            ("0, n_0", [i, f"n_0 - 1 - {i}", f"{i} - 1"]), ("1, n_0", [i, f"{i} - 1", "0"]),
            ("n_0 - 1, -1, -1", [i, f"{i} - 1"]), ("0, n_0 - 1", [i, f"{i} + 1"]), ("n_0 - 2, -1, -1", [i, f"{i} + 1"]),
            ("0, n_0, 2", [i]), ("1, n_0 - 1, 2", [i, f"{i} - 1", f"{i} + 1"]), ("0, k", [i]),
            ("k, n_0", [i, f"{i} - k"]),
            ("2, n_0", [i, f"{i} - 1", f"{i} - 2"]), ("n_0 - 1, 0, -2", [i, f"{i} - 1"]),
        ]  # fmt: skip
        for o in outer:
            ranges += [(f"0, {o}", [i]), (f"{o}, n_0", [i]), (f"{o}, -1, -1", [i])]
        bounds, found = self.pick(ranges)
        self.emit(f"for {i} in range({bounds}):")
        before = list(self.indices)
        self.indices = self.indices + found * 3
        self.loops += 1
        self.body(self.random.randint(1, 4))
        self.loops -= 1
        self.indices = before

    def branch(self):
        i = self.pick([name for name in self.indices if not name.lstrip("-").isdigit()])
        self.emit(f"if {self.pick([f'({i}) % 2 == 0', f'{self.pick(self.scalars)} > 0.3', f'{i} > 1'])}:")
        self.body(self.random.randint(1, 3))
        if self.random.random() < 0.6:
            self.emit("else:")
            self.body(self.random.randint(1, 3))

    def unbounded(self):
        if self.loops > 1:
            return
        rounds, held = self.fresh("r"), self.fresh("s")
        self.emit(f"{rounds} = 0")
        self.emit(f"{held} = {self.as_f64(self.scalar())}")
        self.scalars.append(held)
        self.emit(f"while absolute({held}) > 0.05 and {rounds} < {self.random.randint(1, 3)}:")
        self.loops += 1
        self.body(self.random.randint(1, 4))
        self.loops -= 1
        self.emit(f"    {held} = {held} * 0.5 + {self.pick(self.scalars)} * 0.2")
        self.emit(f"    {rounds} = {rounds} + 1")

    def listed(self):
        tape, total, item, i = self.fresh("l"), self.fresh("s"), self.fresh("q"), self.fresh("i")
        self.emit(f"{tape}: '[f64]' = []")
        self.emit(f"for {i} in range(0, {self.pick(['3', 'k'])}):")
        self.depth += 1
        held = self.fresh("s")
        self.emit(f"{held} = {self.as_f64(self.scalar())}")
        self.emit(f"append({tape}, {held})")
        self.depth -= 1
        self.emit(f"{total} = cast(0.1, 'f64')")
        if self.random.random() < 0.5:
            self.emit(f"while {tape}:")
            self.emit(f"    {item} = pop({tape})")
        else:
            self.emit(f"for {i}0 in range(0, length({tape})):")
            self.emit(f"    {item} = {tape}[{i}0]")
        self.emit(f"    {total} = {total} * 0.5 + {item} * {self.pick(self.scalars)}")
        self.scalars.append(total)


def random_program(seed, size=9):
    """Every second program is dense: nested loops that load and store single elements of two arrays."""
    writer = Writer(seed, dense=seed % 2 == 1)
    writer.emit("n_0 = dim(x, axis=0)")
    if writer.dense:
        writer.make_own()
        writer.make_own()
        writer.new_scalar()
        for _ in range(3):
            writer.loop()
    for _ in range(0 if writer.dense else size):
        writer.statement()
    terms = [f"sum({v} * {v})" for v in writer.arrays[-5:]] + [f"{s} * {s}" for s in writer.scalars[-4:]]
    writer.emit(f"return {' + '.join(terms)} * 0.5")
    return "\n".join([HEAD, *writer.lines]) + "\n"

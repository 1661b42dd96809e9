"""Random typed programs as text: scalars, arrays, stores, views, branches, loops, lists; always in the strict form.

    random_program(seed)     ->     the text of a function `f` that `typed_text` reads

Names are assigned once but for merges, loops are short, and integers stay small.  Everything that can go wrong in a
pass is made likely: the same values twice, copies, constants, dead code, views of what is stored into, errors.
"""

import random

SCALARS = ("f64", "float", "int", "f32")


class Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0
        self.depth = 1
        kinds = ("f64", "float", "int", "f32", "array", "matrix", "own")
        self.scope: dict[str, list[str]] = {kind: [] for kind in kinds}

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def fresh(self, base: str = "") -> str:
        self.count += 1
        if not base:
            base = self.random.choice(["t", "t", "t", "a", "b", "y"])
        return f"{base}_{self.count}"

    def pick(self, *kinds: str) -> str:
        names = [n for kind in kinds for n in self.scope[kind]]
        return self.random.choice(names)

    def define(self, kind: str, text: str) -> str:
        name = self.fresh()
        self.emit(f"{name} = {text}")
        self.scope[kind].append(name)
        return name

    # --- values

    def real(self) -> str:
        if self.random.random() < 0.25:
            return self.random.choice(["0.0", "1.0", "-1.0", "2.0", "0.5", "3.0"])
        return self.pick("f64", "float")

    def whole(self) -> str:
        return self.random.choice(["0", "1", "2", "3"]) if self.random.random() < 0.4 else self.pick("int")

    def array(self) -> str:
        return self.pick("array", "own")

    # --- statements

    def statement(self) -> None:
        kinds = [self.scalar, self.scalar, self.strong, self.vector, self.vector, self.element, self.view, self.again,
                 self.integer, self.copied, self.reduce, self.dead, self.matrix]  # fmt: skip
        if self.scope["own"]:
            kinds += [self.store, self.store, self.store_slice]
        if self.depth < 3:
            kinds += [self.branch, self.counted]
        if self.depth < 2:
            kinds += [self.unbounded, self.tape, self.make_own, self.make_own, self.check]
        self.random.choice(kinds)()

    def scalar(self) -> None:
        sign = self.random.choice(["+", "-", "*", "*", "+"])
        left, right = self.real(), self.real()
        both_weak = all(n not in self.scope["f64"] for n in (left, right))
        self.define("float" if both_weak else "f64", f"{left} {sign} {right}")

    def strong(self) -> None:
        s, t, r = self.pick("f64"), self.pick("f64"), self.real()
        self.define("f64", self.random.choice([
            f"sin({s})", f"-{s}", f"cast({r}, 'f64')", f"abs({s})", f"{s} / {r}", f"where({r} > {s}, {t}, {r})",
            f"maximum({s}, {r})", f"cast({self.pick('f32')}, 'f64') * {r}",
        ]))  # fmt: skip

    def integer(self) -> None:
        sign = self.random.choice(["+", "-"])
        self.define("int", f"{self.whole()} {sign} {self.whole()}")

    def copied(self) -> None:
        kind = self.random.choice(["f64", "float", "int", "array"])
        self.define(kind, self.pick(kind))

    def vector(self) -> None:
        x, y = self.array(), self.random.choice([self.array(), self.real()])
        self.define("array", self.random.choice([
            f"{x} + {y}", f"{x} - {y}", f"{x} * {y}", f"1.0 * {x}", f"-{x}", f"sin({x})", f"where({x} > 0.0, {x}, {y})",
            f"maximum({x}, {y})", f"{x} - -{x}", f"{x} / 1.0", f"broadcast_to({self.pick('f64')}, (n,))",
        ]))  # fmt: skip

    def matrix(self) -> None:
        m, x = self.pick("matrix"), self.array()
        self.define("matrix", self.random.choice([f"{m} * {x}", f"{m} + {self.real()}", f"{m}.T.T", f"1.0 * {m}"]))
        m = self.pick("matrix")
        self.define("array", self.random.choice([f"{m} @ {x}", f"sum({m}, axis=1)"]))

    def reduce(self) -> None:
        x, y = self.array(), self.array()
        self.define("f64", self.random.choice([f"sum({x})", f"max({x})", f"{x} @ {y}"]))

    def element(self) -> None:
        index = self.random.choice(["0", "1", "-1", self.whole()])
        self.define("f64", f"{self.array()}[{index}]")

    def view(self) -> None:
        part = self.define("array", f"{self.array()}[0:n]") if self.random.random() < 0.5 else ""
        if not part:
            self.define("f64", f"sum({self.array()}[{self.random.choice(['1:', ':-1', '::-1', '0:2'])}])")

    def again(self) -> None:
        """A line that stands already, under another name."""
        lines = [line.strip() for line in self.lines if " = " in line and line.startswith("    " * self.depth + "t_")]
        names = {n for names in self.scope.values() for n in names}
        for line in self.random.sample(lines, min(4, len(lines))):
            target, value = line.split(" = ", 1)
            kind = next((k for k, names_ in self.scope.items() if target in names_), None)
            if kind not in (None, "own") and "pop" not in value and target in names:
                self.define(kind, value)
                return

    def dead(self) -> None:
        self.emit(f"{self.fresh('dead')} = {self.real()} * {self.real()}")

    def make_own(self) -> None:
        name = self.define("own", self.random.choice([f"copy({self.array()})", "zeros((n,))", f"{self.array()} * 2.0"]))
        self.scope["own"].append(name)

    def store(self) -> None:
        index = self.random.choice(["0", "1", "-1", self.whole()])
        value = self.random.choice([self.real(), self.real()])
        name = self.pick("own")
        self.emit(self.random.choice([f"{name}[{index}] = {value}", f"{name}[{index}] += {value}"]))

    def store_slice(self) -> None:
        name = self.pick("own")
        part, value = self.random.choice([("1:", self.real()), ("0:2", self.real()), (":", self.array())])
        self.emit(f"{name}[{part}] {self.random.choice(['=', '+='])} {value}")

    def check(self) -> None:
        self.emit(f"if {self.pick('f64')} > 50.0:")
        self.emit(f"    raise ValueError('too large: {{}}', {self.real()})")

    # --- structure

    def nested(self, count: int):
        """A block: names made in it are gone after it."""
        before = {kind: list(names) for kind, names in self.scope.items()}
        self.depth += 1
        for _ in range(count):
            self.statement()
        inner = {kind: list(names) for kind, names in self.scope.items()}
        return before, inner

    def close(self, before) -> None:
        self.depth -= 1
        self.scope = before

    def branch(self) -> None:
        merged = self.fresh("m")
        compared = f"{self.pick('f64')} > {self.real()}"
        condition = self.random.choice([compared, "1.0 < 2.0", f"{self.pick('int')} < 2"])
        self.emit(f"if {condition}:")
        for position in range(2):
            before, _ = self.nested(self.random.randint(0, 3))
            self.emit(f"{merged} = {self.random.choice([self.pick('f64'), self.pick('f64')])}")
            self.close(before)
            if position == 0:
                self.emit("else:")
        self.scope["f64"].append(merged)

    def counted(self) -> None:
        carried, variable = self.fresh("c"), self.fresh("i")
        self.emit(f"{carried} = {self.pick('f64')}")
        start, stop = self.random.choice(["0", "1"]), self.random.choice(["3", "n", "k", "2"])
        self.emit(f"for {variable} in range({start}, {stop}, 1):")
        self.body(carried, variable)

    def body(self, carried: str, variable: str | None) -> None:
        before = {kind: list(names) for kind, names in self.scope.items()}
        self.scope["f64"].append(carried)
        if variable:
            self.scope["int"].append(variable)
        self.nested(self.random.randint(1, 4))
        following = self.define("f64", f"{self.pick('f64')} * 0.5")
        self.emit(f"{carried} = {following}")
        self.close(before)
        self.scope["f64"].append(carried)

    def unbounded(self) -> None:
        carried, rounds = self.fresh("w"), self.fresh("r")
        self.emit(f"{carried} = {self.pick('f64')}")
        self.emit(f"{rounds} = 0")
        self.emit(f"while abs({carried}) > 0.1 and {rounds} < 3:")
        before = {kind: list(names) for kind, names in self.scope.items()}
        self.scope["f64"].append(carried)
        self.nested(self.random.randint(1, 3))
        following, more = self.define("f64", f"{self.pick('f64')} * 0.5"), self.define("int", f"{rounds} + 1")
        self.emit(f"{carried} = {following}")
        self.emit(f"{rounds} = {more}")
        self.close(before)
        self.scope["f64"].append(carried)

    def tape(self) -> None:
        tape, variable, total, item = (self.fresh(base) for base in ("xs", "i", "s", "p"))
        self.emit(f"{tape}: '[f64]' = []")
        self.emit(f"for {variable} in range(0, 3, 1):")
        self.emit(f"    append({tape}, {self.pick('f64')})")
        self.emit(f"{total} = cast(0.0, 'f64')")
        self.emit(f"while {tape}:")
        self.emit(f"    {item} = pop({tape})")
        self.emit(f"    {item}_2 = {total} + {item}")
        self.emit(f"    {total} = {item}_2")
        self.scope["f64"].append(total)


def random_program(seed: int, size: int = 12) -> str:
    writer = Writer(seed)
    writer.scope.update({"f64": ["p", "q"], "float": ["u"], "int": ["k"], "f32": ["g"]})
    writer.scope.update({"array": ["x", "y"], "matrix": ["z"]})
    writer.emit("n = x.shape[0]")
    for _ in range(size):
        writer.statement()
    kinds = [("f64",), ("f64",), ("array", "own"), ("float",), ("int",)]
    writer.emit(f"return {', '.join(writer.pick(*kind) for kind in kinds)}")
    head = 'def f(x: "f64[n_]", y: "f64[n_]", z: "f64[n_, n_]", p: "f64", q: "f64", u: "float", k: "int", g: "f32"):'
    return "\n".join([head, *writer.lines]) + "\n"

"""Random typed programs for the lowering to loops: much fusing, many stores into what is still to be read.

    random_program(seed)      the text of a function `f` that `typed_text` reads
    random_arguments(seed, k)    arguments for it, lengths 0 to 7, indices that are sometimes out of bounds

Views, copies, aliases, lists, masks, scattered stores, branches and loops that carry arrays and overwrite them.
"""

import random

import numpy as np

HEAD = (
    'def f(x: "f64[n]", y: "f64[n]", A: "f64[n, n]", p: "float", q: "f64", k: "int", idx: "i64[m]", idx2: "i64[n]"):\n'
    "    n = x.shape[0]\n"
    '    xs: "[f64[n]]" = []\n'
    "    xs.append(x)\n"
)


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0
        self.scope = {"vectors": ["x", "y"], "matrices": ["A"], "scalars": ["p", "q"], "own": [], "ints": ["k"]}

    def pick(self, kind):
        return self.random.choice(self.scope[kind])

    def fresh(self, base):
        self.count += 1
        return f"{base}{self.count}"

    def choose(self, **weights):
        return self.random.choices(list(weights), list(weights.values()))[0]

    def index(self):
        return self.random.choice([*self.scope["ints"], "0", "-1", "1"])

    # --- expressions

    def vector(self, depth=0):
        if depth > 2:
            return self.pick("vectors")

        def one():
            return self.vector(depth + 1)

        def two():
            return self.random.choice([one(), self.scalar()])

        match self.choose(name=35, infix=30, function=10, where=5, extreme=7, reduced=4, product=2, clipped=4, power=3):
            case "name":
                return self.pick("vectors")
            case "infix":
                return f"({one()} {self.random.choice('+-*')} {self.random.choice([two(), '2', '0.5'])})"
            case "function":
                return f"{self.random.choice(['sin', 'tanh', 'exp'])}({one()} * 0.3)"
            case "where":
                return f"where({one()} > 0.1, {one()}, {self.random.choice([one(), '0.0'])})"
            case "extreme":
                return f"{self.random.choice(['maximum', 'minimum'])}({one()}, {two()})"
            case "reduced":
                return f"sum({self.matrix()}, axis={self.random.choice([0, 1])})"
            case "product":
                return f"({self.matrix()} @ {self.pick('vectors')})"
            case "clipped":
                return f"minimum(maximum({one()}, -1.5), 1.5)"
        return f"(0.1 * {one()} ** 2)"

    def matrix(self):
        match self.choose(name=60, turned=10, row=10, function=10, column=10):
            case "name":
                return self.pick("matrices")
            case "turned":
                return f"transpose({self.pick('matrices')}, axes=(1, 0))"
            case "row":
                return f"({self.pick('matrices')} + {self.pick('vectors')})"
            case "function":
                return f"sin({self.pick('matrices')})"
        return f"({self.pick('matrices')} * {self.pick('vectors')}[:, None])"

    def scalar(self):
        match self.choose(name=50, total=20, element=10, extreme=10, entry=10):
            case "name":
                return self.pick("scalars")
            case "total":
                return f"sum({self.pick('vectors')}) * 0.05"
            case "element":
                return f"{self.pick('vectors')}[{self.index()}]"
            case "extreme":
                return f"max({self.pick('vectors')})"
        return f"{self.pick('matrices')}[{self.index()}, {self.index()}]"

    # --- statements

    def statements(self, depth, count):
        lines = []
        for _ in range(count):
            lines += self.statement(depth)
        return lines

    def statement(self, depth):
        kinds = {"vector": 30, "reversed": 6, "matrix": 6, "own": 9, "scalar": 7, "store": 18, "listed": 4, "popped": 2}
        kinds |= {"alias": 2, "gathered": 2} | ({"branch": 7, "loop": 9} if depth < 3 else {})
        pad = "    " * depth
        match self.choose(**kinds):
            case "vector":
                return self.define(pad, "vectors", "v", self.vector())
            case "reversed":
                return self.define(pad, "vectors", "v", f"{self.pick('vectors')}[::-1] * 1.0")
            case "matrix":
                return self.define(pad, "matrices", "m", f"{self.matrix()} * 1.0")
            case "own":
                made = self.vector()
                lines = self.define(pad, "own", "w", self.random.choice([f"copy({made})"] * 2 + [f"{made} + 0.0"]))
                self.scope["vectors"].append(self.scope["own"][-1])
                return lines
            case "scalar":
                return self.define(pad, "scalars", "s", f"{self.scalar()} * 0.5 + 0.1")
            case "store":
                return [pad + self.store()] if self.scope["own"] else []
            case "listed":
                owned = self.random.choice(self.scope["own"] or self.scope["vectors"])
                return [f"{pad}xs.append({self.random.choice([self.pick('vectors'), f'copy({owned})'])})"]
            case "popped":
                return self.define(pad, "vectors", "v", "xs[-1]")
            case "alias":
                return self.define(pad, "vectors", "v", self.pick("vectors"))
            case "gathered":
                return self.define(pad, "vectors", "v", f"{self.pick('vectors')}[idx2] * {self.pick('vectors')}")
            case "branch":
                return self.branch(depth, pad)
        return self.loop(depth, pad)

    def define(self, pad, kind, base, text):
        name = self.fresh(base)
        self.scope[kind].append(name)
        return [f"{pad}{name} = {text}"]

    def store(self):
        own = self.pick("own")
        any_ = self.random.choice([own, *self.scope["vectors"]])
        return self.random.choice([
            f"{own}[{self.index()}] = {self.scalar()}",
            f"{own}[1:] = {self.pick('vectors')}[:-1]",
            f"{own}[1:-1] = {self.pick('vectors')}[2:] * 0.5 + {any_}[:-2]",
            f"{own}[::2] = {self.scalar()}",
            f"{own}[:] = {self.vector()}",
            f"{own}[{any_} > 0.2] = {self.scalar()}",
            f"{own}[idx] = {self.pick('vectors')}[idx] + 0.5",
            f"add_at({own}, (idx,), {self.pick('vectors')}[idx])",
        ])  # fmt: skip

    def nested(self, depth):
        """The lines of a block, and an array and a scalar made of what it knows."""
        outer = self.scope
        self.scope = {kind: list(names) for kind, names in outer.items()}
        lines = self.statements(depth + 1, self.random.randint(0, 3))
        ends = self.vector(), self.scalar()
        self.scope = outer
        return lines, *ends

    def branch(self, depth, pad):
        test, name = f"{self.scalar()} > 0.1", self.fresh("j")
        (then, value, _), (other, otherwise, _) = self.nested(depth), self.nested(depth)
        self.scope["vectors"].append(name)
        return [f"{pad}if {test}:", *then, f"{pad}    {name} = {value}",
                f"{pad}else:", *other, f"{pad}    {name} = {otherwise}"]  # fmt: skip

    def loop(self, depth, pad):
        """A loop that carries an array and a scalar; the array may be overwritten in it."""
        carried, total, counter = self.fresh("u"), self.fresh("a"), self.fresh("i")
        is_own = self.random.random() < 0.5
        start = self.vector()
        lines = [f"{pad}{carried} = " + (f"copy({start})" if is_own else start)]
        lines.append(f"{pad}{total} = {self.scalar()} * 1.0")
        is_counted = self.random.random() < 0.6
        if is_counted:
            lines.append(f"{pad}for {counter} in range({self.random.choice(['3', 'n', '2'])}):")
        else:
            lines += [f"{pad}{counter} = 0", f"{pad}while {counter} < 3:"]
        self.scope["vectors"].append(carried)
        self.scope["scalars"].append(total)
        self.scope["own"] += [carried] * is_own
        self.scope["ints"].append(counter)
        body, value, number = self.nested(depth)
        self.scope["ints"].remove(counter)
        ends = [f"{carried}_n = tanh({value})", f"{total}_n = {number} * 0.5 + {total} * 0.1"]
        ends += [f"{carried} = {carried}_n", f"{total} = {total}_n"]
        lines += [*body, *(f"{pad}    {end}" for end in ends)]
        return lines if is_counted else [*lines, f"{pad}    {counter} = {counter} + 1"]


def static_length(seed):
    """The length that one program in four has in its types, where the others have `n`."""
    return {3: 1, 7: 3}.get(seed % 8)


def random_program(seed):
    writer = Writer(seed)
    lines = writer.statements(1, writer.random.randint(3, 9))
    results = [writer.pick("vectors"), writer.pick("vectors"), writer.pick("scalars"), writer.vector()]
    results += [writer.pick("matrices"), *writer.scope["own"][:2]]
    length = static_length(seed)
    head = HEAD if length is None else HEAD.replace("[n, n]", f"[{length}, {length}]").replace("[n]", f"[{length}]")
    return head + "\n".join([*lines, f"    return {', '.join(results)}"]) + "\n"


def random_arguments(seed, number):
    rng = np.random.default_rng((seed, number))
    n = (5, 3, 1, 2, 7, 0)[number % 6] if static_length(seed) is None else static_length(seed)
    m, bound = int(rng.integers(0, 4)), max(n, 1)
    return (
        rng.standard_normal(n), rng.standard_normal(n), rng.standard_normal((n, n)), float(rng.standard_normal()),
        np.float64(rng.standard_normal()), int(rng.integers(-2, 3)), rng.integers(-bound, bound, m),
        rng.integers(-bound, bound, n),
    )  # fmt: skip

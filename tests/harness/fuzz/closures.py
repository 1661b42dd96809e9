"""Programs that read arrays, records and containers from outside, and call closures and methods.

    case(seed)  ->  board = pellucid.Array(np.array([1.0, 2.0]))     limits = {"high": [1.0, 4.0]}   frozen
                    model = Model(2.0, (1.0, 3.0))
                    def program(a, s):
                        tally = Tally(s)
                        add = adder(tally)
                        add(model(s) + limits["high"][1])
                        return tally.mean, np.sum(board) * s
                    calls: 1, 2, `board = pellucid.Array(...)`, 3, `model = Model(...)`, 4, 5

What is frozen keeps its value; what can be seen to change does so between calls.
"""

from .case import Call, Case, drawn
from .container_statements import ContainerStatements
from .containers import ARGUMENTS, IMPORTS, RECORDS, arguments
from .draft import Draft
from .outside import MORE, Outside

CLASSES = """@dataclass
class Tally:
    total: float
    count: int = 0

    def add(self, v):
        self.total += v
        self.count += 1
        return self.total

    @property
    def mean(self):
        return self.total / max(self.count, 1)

    def merged(self, other):
        return Tally(self.total + other.total, self.count + other.count)

    def __call__(self, v):
        return v * self.count + self.total


@dataclass(frozen=True)
class Line:
    slope: float
    offset: float = 0.5

    @classmethod
    def through(cls, v):
        return cls(v, -v)

    @staticmethod
    def half(v):
        return 0.5 * v

    def __call__(self, v):
        return self.slope * v + self.offset

    def __add__(self, other):
        return Line(self.slope + other.slope, self.offset + other.offset)


def adder(tally):
    def add(v):
        return tally.add(v)

    return add


def twice(f):
    return lambda v: f(f(v))


def powers(base, count):
    return [lambda v, k=k: v * base**k for k in range(count)]"""


class ClosureStatements(ContainerStatements):
    """Those of containers, and calls of closures and methods."""

    def write(self):
        if self.chance(3) and self.room > 0:
            self.room -= 1
            if self.pick((self.instance, self.instance_change, self.closure, self.closure, self.method))():
                return
        super().write()

    def instances(self, kind):
        return [name for name, value in self.draft.values.items() if type(value).__name__ == kind]

    def instance(self):
        number = self.number_text
        options = [f"Tally({number()})", f"Tally({number()}, 2)", f"Line({number()})", f"Line.through({number()})"]
        options += [f"{name}.merged({self.pick(self.instances('Tally'))})" for name in self.instances("Tally")[-2:]]
        options += [f"{name} + {self.pick(self.instances('Line'))}" for name in self.instances("Line")[-2:]]
        options += self.instances("Tally")[-1:]  # another name for it
        return self.draft.attempt(f"{self.name('o')} = {self.pick(options)}")

    def instance_change(self):
        names = self.instances("Tally")
        if not names:
            return self.instance()
        name, number = self.pick(names), self.number_text
        return self.draft.attempt(self.pick([
            f"{name}.add({number()})", f"{name}.total {self.pick(('+=', '*='))} {number(0)}", f"{name}.count += 1",
            f"for {self.name('i')} in range({self.pick((2, 'k'))}):\n    {name}.add({number(0)})",
            f"if {self.condition()}:\n    {name}.add({number(0)})", f"{name}.total = {number()}",
        ]))  # fmt: skip

    def method(self):
        """A number that a method, a property or a call of an instance gives."""
        number = self.number_text
        options = [f"Line.half({number()})"]
        for name in self.instances("Tally")[-3:]:
            options += [f"{name}.mean", f"{name}({number(0)})", f"{name}.add({number(0)})", f"{name}.total"]
        for name in self.instances("Line")[-3:]:
            options += [f"{name}({number(0)})", f"sum(map({name}, [{number(0)}, {number(0)}]))"]
        return self.draft.attempt(f"{self.name('q')} = {self.pick(options)}")

    def closure(self):
        """A function that sees variables around it, and a call of it, perhaps after they have changed."""
        name, number = self.name("f"), self.number_text
        seen = self.float_places()[-6:] + self.outside.expressions() + ["s"]
        options = [f"{name} = lambda v: v * {self.pick(seen)}", f"{name} = twice(lambda v: v + {number(0)})",
                   f"{name} = functools.partial(lambda u, v: u - v, {number(0)})",
                   f"{name} = powers({number(0)}, 3)[{self.pick((0, 1, 2))}]",
                   f"def {name}(v, by={number(0)}):\n    return v * by + {self.pick(seen)}",
                   f"def {name}(v):\n    if v > {number(0)}:\n        return {self.pick(seen)}\n    return -v",
                   ]  # fmt: skip
        options += [f"{name} = adder({tally})" for tally in self.instances("Tally")[-2:]]
        options += [f"{name} = {tally}.add" for tally in self.instances("Tally")[-1:]]
        if not self.draft.attempt(self.pick(options)):
            return False
        if self.chance(3):
            self.change()
        arrays = self.arrays()[-1:]
        uses = [f"{name}({number(0)})", f"{name}({name}({number(0)}))", f"[{name}(v) for v in (0.5, {number(0)})]",
                f"sum(map({name}, [0.25, {number(0)}]))", f"max([{number(0)}, 2.0], key={name})"]  # fmt: skip
        uses += [f"float(sum({name}(float(v)) for v in {array}))" for array in arrays]
        return self.draft.attempt(f"{self.name('q')} = {self.pick(uses)}")

    def returned(self):
        """Instances of classes whose attributes change are shown by these."""
        tallies = [f"{name}.total, {name}.count" for name in self.instances("Tally")]
        lines = [f"{name}.slope, {name}.offset" for name in self.instances("Line")]
        plain = super().returned().split(", ")
        made = self.instances("Tally") + self.instances("Line")
        return ", ".join([*tallies, *lines, *(name for name in plain if name not in made)])


def case(seed: int) -> Case:
    """The program of this seed."""
    return drawn("outside", seed, write)


def write(rng):
    names = sorted(rng.sample([n for n in ARGUMENTS if n not in "sk"], rng.choice((0, 0, 1, 2)))) + ["s", "k"]
    outside = Outside(rng, more=rng.sample(list(MORE), rng.choice((1, 1, 2, 3))))
    imports = ["import functools\nfrom dataclasses import dataclass\n\nimport pellucid"]
    imports += [IMPORTS[n] for n in names if n in IMPORTS]
    definitions = [*imports, CLASSES, *(RECORDS[n] for n in names if n in RECORDS), *outside.definitions]
    calls = [arguments(names, number, rng) for number in range(3)]
    draft = Draft(names, calls, rng, definitions, outside.maker)
    statements = ClosureStatements(draft, rng, outside, records=[n for n in names if n in RECORDS])
    for _ in range(rng.randint(3, 8)):
        statements.write()
    if len(draft.body) < 3 or not draft.finish(f"return {statements.returned()}"):
        return None
    changes = ["", "", *outside.changes(), ""]
    made = [Call(calls[number % len(calls)], change) for number, change in enumerate(changes)]
    return Case(draft.text(), (*made, Call(calls[0])), freeze=outside.frozen)

"""Programs over instances of the user's own classes, with drawn operators: aliased, changed, made anew, in containers.

    case(seed)  ->  class One:
                        def __init__(self, v, n=0): ...
                        def __add__(self, other):
                            return One(self.v + other, self.n + 1)
                    def program(x, s, k):
                        o1 = One(s)
                        o2 = o1
                        for v3 in x:
                            o1 += v3
                        return (o1.v, o1.n), (o2.v, o2.n), o1 is o2, s
"""

from .case import Call, Case, drawn
from .container_statements import ContainerStatements, inside
from .containers import ARGUMENTS, arguments
from .draft import Draft

METHODS = {
    "add": (
        "    def __add__(self, other):\n        return One(self.v + other, self.n + 1)",
        "    def __add__(self, other):\n        return One(self.v - (other.v if isinstance(other, One) else other))",
        "    def __add__(self, other):\n        return self.v + 2.0 * float(np.sum(other))",
    ),
    "iadd": (
        "    def __iadd__(self, other):\n        self.v += other\n        return self",
        "    def __iadd__(self, other):\n        return One(self.v * 2.0 + other, self.n)",
        "    def __iadd__(self, other):\n        self.n += 1\n        return self if self.n < 2 else One(other)",
        "    def __iadd__(self, other):\n        self.v += other\n        return self.v",
    ),
    "radd": (
        "    def __radd__(self, other):\n        return One(other)",
        "    def __radd__(self, other):\n        return self.v - other",
        "    def __radd__(self, other):\n        return One(float(len(other)), 5)",
    ),
    "mul": (
        "    def __mul__(self, other):\n        return One(self.v * other, self.n)",
        "    def __rmul__(self, other):\n        return One(self.v * 0.5, len(other))",
        "    def __imul__(self, other):\n        self.v *= other\n        self.n -= 1\n        return self",
    ),
    "order": (
        "    def __lt__(self, other):\n        return self.v < other.v",
        "    def __eq__(self, other):\n        return self.n == other.n",
        "    def __bool__(self):\n        return self.v > 0.5",
        "    def __len__(self):\n        return abs(self.n) + 1",
    ),
    "item": (
        "    def __getitem__(self, k):\n        return self.v * k",
        "    def __setitem__(self, k, v):\n        self.v += k * v",
        "    def __contains__(self, v):\n        return self.v > v",
        "    def __call__(self, v):\n        self.n += 1\n        return self.v + v",
    ),
    "step": (
        "    def step(self, v):\n        self.v += v\n        return self",
        "    def step(self, v):\n        if v > 0.0:\n            self.v = v\n        else:\n            self.n += 1",
        "    def step(self, v):\n        return One(self.v - v, self.n + 1)",
    ),
}
CLASS = "class One:\n    def __init__(self, v, n=0):\n        self.v = v\n        self.n = n"
FIELDS = '@dataclass\nclass One:\n    v: float\n    n: int = 0'
ARGUMENTS_OF_THESE = ("a", "m", "i", "x")


def case(seed: int) -> Case:
    """The program of this seed, with four calls."""
    return drawn("instances", seed, write)


def write(rng):
    names = sorted(rng.sample(ARGUMENTS_OF_THESE, rng.choice((0, 1, 1, 2)))) + ["s", "k"]
    assert set(names) <= set(ARGUMENTS)
    calls = [arguments(names, number, rng) for number in range(3)]
    methods = [rng.choice(METHODS[kind]) for kind in METHODS if rng.randrange(5)]
    cls = "\n\n".join([rng.choice((CLASS, FIELDS)), *methods])
    draft = Draft(names, calls, rng, ["from dataclasses import dataclass", cls])
    statements = InstanceStatements(draft, rng)
    statements.instance()
    for _ in range(rng.randint(3, 7)):
        statements.write()
    if len(draft.body) < 3 or not draft.finish(f"return {statements.returned()}"):
        return None
    return Case(draft.text(), tuple(Call(calls[number]) for number in (0, 1, 2, 0)))


class NothingOutside:
    def expressions(self):
        return []


class InstanceStatements(ContainerStatements):
    """Statements about instances, among those about containers."""

    def __init__(self, draft, rng):
        super().__init__(draft, rng, NothingOutside())

    def instances(self):
        return [path for path, value in self.paths() if type(value).__name__ == "One"]

    def write(self):
        if self.chance(3):
            return super().write()
        self.room -= 1
        options = [self.instance, *[self.operate] * 4, *[self.alias] * 2, self.use, self.use, self.list_and_array]
        if self.room > 0 and len(self.draft.blocks) < 3:
            options += [self.branch, self.loop, self.loop]
        for _ in range(5):
            if self.pick(options)():
                return None
        return None

    def instance(self):
        made = f"One({self.number_text(1)}{self.pick(('', ', k', ', 1'))})"
        made = self.pick((made, made, made, f"[{made}, One(1.5)]", f"[One({self.number_text(0)}) for _ in range(k)]"))
        return self.draft.attempt(f"{self.name('o')} = {made}")

    def alias(self):
        names = self.instances()
        if not names:
            return self.instance()
        one, other = self.pick(names), self.pick(names)
        texts = [f"{self.name('o')} = {one}", f"{self.name('o')} = [{one}, {other}]", f"{one} = {other}",
                 f"{one}, {other} = {other}, {one}", f"{self.name('o')} = {one} if {self.condition()} else {other}",
                 f'{self.name("o")} = {{"k": {one}}}']  # fmt: skip
        return self.draft.attempt(self.pick(texts))

    def operate(self):
        names = self.instances()
        if not names:
            return self.instance()
        one, number = self.pick(names), self.number_text(1)
        other = self.pick([number, number, number, self.pick(names)])
        texts = [f"{one} += {other}"] * 3 + [f"{one} *= {number}", f"{one} = {one} + {other}", f"{one} -= {number}",
                 f"{self.name('o')} = {one} + {other}", f"{self.name('o')} = {number} + {one}",
                 f"{self.name('o')} = {one} * {number}", f"{one}.v += {number}", f"{one}.n += 1", f"{one}.v = {number}",
                 f"{one}.step({number})", f"{one} = {one}.step({number})", f"{one}[k] = {number}",
                 f"{one}.v, {one}.n = {number}, k"]  # fmt: skip
        return self.draft.attempt(self.pick(texts))

    def use(self):
        names = self.instances()
        if not names:
            return self.instance()
        one, other = self.pick(names), self.pick(names)
        texts = [f"{one} < {other}", f"{one} == {other}", f"{one} is {other}", f"bool({one})", f"len({one})",
                 f"{one}[k]", f"1.0 in {one}", f"{one}(0.5)", f"max({one}, {other}).v", f"{one}.v + {other}.v",
                 f"isinstance({one}, One)"]  # fmt: skip
        return self.draft.attempt(f"{self.name('q')} = {self.pick(texts)}")

    def list_and_array(self):
        """`xs op= value` where the value may be the one that is asked."""
        lists, ones = self.lists(), self.instances()
        if not lists:
            return self.make()
        value = self.pick([self.array_text(), *ones, "k", f"np.float64({self.number_text(0)})"])
        return self.draft.attempt(f"{self.pick(lists)} {self.pick(('+=', '+=', '*=', '-='))} {value}")

    def returned(self):
        """What all names hold, and which of the instances are one."""
        texts = []
        for name, value in self.draft.values.items():
            if callable(value) and not hasattr(value, "v") or name in self.draft.parameters:
                continue
            ones = [path for path, part in inside(name, value, 2) if type(part).__name__ == "One"]
            texts += [f"({path}.v, {path}.n)" for path in ones[:2]] or [name]
        ones = [path for path in self.instances() if path.isidentifier()]
        texts += [f"{one} is {other}" for one, other in zip(ones, ones[1:])]
        return ", ".join([*texts[-8:], "s"])

"""Random nests of loops that load and store elements, the addresses that they touch when run, and what depends on what.

    for i in range(1, n, 1):                 text that the loops reader takes, and the same as Python
        a[i, 0] = a[i - 1, 2] + 1.0          that notes (access, array, elements, loop variables)

The addresses come from CPython running the nest: nothing here is shared with the analysis that is checked by it.
"""

import itertools
import random

import numpy as np

ARRAYS = {"a": 1, "b": 2, "c": 1}
VIEWS = ("u", "w", "z")
PARTS = {
    1: (("1:",), (":-1",), ("::2",), ("::-1",), ("-2:",), ("n:",), ("-3::2",), ("1:3",), ("p:",), (":",)),
    2: (("1", ":"), (":", "-1"), ("n - 1", "1:"), ("1:", ":"), ("::-1", "1:"), (":", "::2"), ("-2:", "0"), (":", "p")),
}
LARGEST = 4000  # touches of one run


class Nest:
    """One random program: `text` for the reader, `traced` for CPython, `loops[k]` the loops around access k."""

    def __init__(self, seed, affine=False, sliced=False, views=False):
        self.random = random.Random(seed)
        self.affine, self.sliced = affine, sliced
        self.text, self.traced = [], []
        self.loops, self.steps, self.stores, self.arrays = [], {}, [], []
        self.counters = 0
        self.ranks, self.bases = dict(ARRAYS), {name: name for name in ARRAYS}
        for name in VIEWS if views else ():
            self.view(name)
        self.statements((), 1, self.random.choice((1, 2, 3)))

    # --- statements

    def add(self, depth, text, traced=None):
        self.text.append("    " * depth + text)
        self.traced.append("    " * depth + (traced or text))

    def statements(self, around, depth, levels):
        for _ in range(self.random.choice((1, 1, 2, 3))):
            kind = self.random.random()
            if levels and kind < 0.62 or not around:
                self.loop(around, depth, levels)
            elif kind < 0.72 and not self.affine:
                self.scalar(around, depth)
            elif kind < 0.78 and not self.affine:
                self.add(depth, f"if {self.sum(around)} < {self.sum(around)}:")
                self.store(around, depth + 1)
            else:
                self.store(around, depth)

    def loop(self, around, depth, levels):
        if not self.affine and self.random.random() < 0.1:
            return self.turns(around, depth, levels)
        name = f"i{self.counters}"
        if not self.affine and self.counters and self.random.random() < 0.1:
            name = f"i{self.random.randrange(self.counters)}"  # a variable that another loop has as well
        self.counters += 1
        step = self.random.choice((1, 1, 1, 1, 2, 3, -1, -1, -2))
        low, high = self.bound(around, 0), self.bound(around, 1)
        start, stop = (low, high) if step > 0 else (f"{high} - 1", f"{low} - 1")
        key = f"{name}_{len(self.steps)}"
        self.steps[key] = step
        self.add(depth, f"for {name} in range({start}, {stop}, {step}):")
        self.add_traced(depth + 1, f"{key} = {name}")
        self.body((*around, (key, name)), depth, levels)

    def turns(self, around, depth, levels):
        name = f"w{self.counters}"
        self.counters += 1
        key = f"{name}_{len(self.steps)}"
        self.steps[key] = 1
        self.add(depth, f"{name} = {self.random.randrange(3)}")
        self.add(depth, f"while {name} < n:")
        self.add_traced(depth + 1, f"{key} = {name}")
        self.body((*around, (key, name)), depth, levels)
        self.add(depth + 1, f"{name} = {name} + {self.random.choice((1, 2))}")

    def body(self, around, depth, levels):
        first = len(self.text)
        self.statements(around, depth + 1, levels - 1)
        if first == len(self.text):
            self.store(around, depth + 1)

    def scalar(self, around, depth):
        name = self.random.choice(("p", "q"))
        value = self.random.choice(
            (self.sum(around), f"{name} + 1", f"{name} - 1", f"({self.sum(around)}) * ({self.sum(around)})")
        )
        self.add(depth, f"{name} = {value}")

    def view(self, name):
        """A part of an array, or of a part of one, under a name of its own."""
        source = self.random.choice([n for n in self.ranks if n != "c"])
        parts = self.random.choice(PARTS[self.ranks[source]])
        text = f"{source}[{', '.join(parts)}]"
        self.note_access(source, (), False)
        self.add(1, f"{name} = {text}")
        self.ranks[name] = sum(":" in part for part in parts)
        self.bases[name] = self.bases[source]
        self.add_traced(1, f"touch({len(self.loops) - 1}, {name}, (...,), ())")

    # --- ints

    def bound(self, around, end):
        variables = [name for _, name in around]
        if variables and self.random.random() < 0.35:
            return f"{self.random.choice(variables)} + {self.random.choice((0, 1, 2))}"
        if end:
            return self.random.choice(("n", "n", "m", "n - 1", "m - 2", "5", "minimum(n, m)"))
        return self.random.choice(("0", "0", "1", "2", "n - 3"))

    def sum(self, around):
        variables = [name for _, name in around] or ["n"]
        if not self.affine and self.random.random() < 0.15:
            variables = ["p", "q"]
        name, other = self.random.choice(variables), self.random.choice([*variables, "n"])
        constant = self.random.choice(("", "", " + 1", " - 1", " + 2", " - 2"))
        form = self.random.random()
        if form < 0.55:
            return f"{name}{constant}"
        if form < 0.65:
            return f"{self.random.choice((2, 2, 3))} * {name}{constant}"
        if form < 0.75:
            return f"{name} + {other}{constant}"
        if form < 0.85:
            return f"{other} - {name}{constant}"
        return str(self.random.choice((0, 0, 1, 2, 3, -1, -2)))

    # --- accesses

    def access(self, array, around, is_store):
        indices = [self.index(around) for _ in range(self.ranks[array])]
        number = self.note_access(array, around, is_store)
        values = ", ".join(f"({key!r}, {key})" for key, _ in around)
        parts = ", ".join(f"slice({', '.join(i)})" if isinstance(i, tuple) else i for i in indices)
        traced = f"touch({number}, {array}, ({parts},), ({values}{',' if values else ''}))"
        text = f"{array}[{', '.join(sliced(i) if isinstance(i, tuple) else i for i in indices)}]"
        return f"sum({text})" if not is_store and any(isinstance(i, tuple) for i in indices) else text, traced

    def note_access(self, array, around, is_store):
        """The number of a new access."""
        self.loops.append(around)
        self.stores.append(is_store)
        self.arrays.append(array)
        return len(self.loops) - 1

    def index(self, around):
        """An index, or the parts of a slice."""
        if not self.sliced or self.random.random() < 0.5:
            return self.sum(around)
        ends = [self.sum(around) if self.random.random() < 0.6 else "None" for _ in range(2)]
        return *ends, self.random.choice(("None", "None", "None", "1", "2", "3", "-1", "-2"))

    def store(self, around, depth):
        names = list(self.ranks)
        array = self.random.choice(names)
        loads = []
        for _ in range(self.random.choice((0, 1, 1, 2))):
            loaded = array if self.random.random() < 0.7 else self.random.choice(names)
            loads.append(self.access(loaded, around, False))
        place = self.access(array, around, True)
        self.add(depth, " ".join((f"{place[0]} =", " + ".join((*(text for text, _ in loads), "1.0")))), "pass")
        for _, traced in (*loads, place):
            self.add_traced(depth, traced)

    def add_traced(self, depth, line):
        self.traced.append("    " * depth + line)

    # --- as programs

    def source(self):
        parameters = "n: 'int', m: 'int', p: 'int', q: 'int', " + ", ".join(
            f"{name}: 'f64[{', '.join(f'{name}{axis}' for axis in range(rank))}]'" for name, rank in ARRAYS.items()
        )
        return "\n".join((f"def f({parameters}):", *self.text, "    return n", ""))

    def run(self, n, m, p, q, shapes):
        """The touches of one run: (access, element, loop variables), up to so many."""
        touches = []
        numbers, total = {}, 0
        for name, shape in shapes.items():  # every element has a number of its own, also in views
            count = int(np.prod(shape))
            numbers[name], total = np.arange(total, total + count).reshape(shape), total + count

        def touch(number, array, index, values):
            try:
                elements = np.ravel(array[index])
            except IndexError:
                return  # an access out of bounds touches nothing
            touches.extend((number, int(element), dict(values)) for element in elements)
            if len(touches) > LARGEST:
                raise OverflowError

        code = "\n".join(("def f(n, m, p, q, touch, a, b, c):", *self.traced, "    return n"))
        space = {"minimum": min}
        exec(code, space)
        try:
            space["f"](n, m, p, q, touch, **numbers)
        except OverflowError:
            pass
        except IndexError:
            return []  # a view that is not there
        return touches

    def observed(self, runs=6):
        """{(source, sink): distances over their common loops}, as seen in runs with several lengths."""
        found = {}
        for k in range(runs):
            size = self.random.choice((2, 3, 4, 5, 6, 7, 8)), self.random.choice((2, 3, 5, 7))
            shapes = {
                name: tuple(self.random.choice((*size, 9, 9, 9)) for _ in range(rank)) for name, rank in ARRAYS.items()
            }
            touches = self.run(*size, self.random.randrange(3), self.random.randrange(-2, 3), shapes)
            self.note(touches, found)
        return found

    def note(self, touches, found):
        by_element = {}
        for touch in touches:
            by_element.setdefault(touch[1], []).append(touch)
        for met in by_element.values():
            for first, second in itertools.combinations(met, 2):
                if self.stores[first[0]] or self.stores[second[0]]:
                    found.setdefault((first[0], second[0]), set()).add(self.distance(first, second))

    def pairs(self):
        """The pairs of accesses to elements of one array, at least one of them a store."""
        numbers = range(len(self.loops))
        for pair in itertools.product(numbers, numbers):
            one, other = (self.bases[self.arrays[number]] for number in pair)
            if one == other and any(self.stores[number] for number in pair):
                yield pair

    def levels(self, first, second):
        """The loops that may carry a dependence from one access to another, by depth; one more for none of them."""
        count = len(self.common(first, second))
        return range(count + (first < second))

    def common(self, first, second):
        pairs = zip(self.loops[first], self.loops[second])
        return [a[0] for a, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)]

    def distance(self, first, second):
        loops = self.common(first[0], second[0])
        return tuple((second[2][key] - first[2][key]) / self.steps[key] for key in loops)


def sliced(parts):
    start, stop, step = ("" if part == "None" else part for part in parts)
    return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"


def carried_at(distance):
    """The depth of the loop that carries a dependence of this distance, the number of loops where none does."""
    return next((depth for depth, turns in enumerate(distance) if turns), len(distance))

"""Statements over arrays for a draft: assignments, views, stores, control flow, local functions, lists.

Arrays that share memory with an argument are only read; a store through one of two names of one array is written now
and then, to see it done or refused.
"""

import numpy as np

from .expressions import BINARY, COMPARE, FLOATS

MOST_DEEP = 3


class Statements:
    """Writes statements at the draft's cursor; each is kept if it runs."""

    def __init__(self, draft, rng, expressions):
        self.draft, self.rng, self.e = draft, rng, expressions
        self.pick, self.chance = expressions.pick, expressions.chance
        self.number = 0
        self.loops = 0
        self.spec = None  # the kinds that an early return has fixed
        self.counters = set()
        self.room = 14

    def name(self, prefix):
        self.number += 1
        return f"{prefix}{self.number}"

    def write(self):
        """One statement, simple or with a block."""
        self.room -= 1
        simple = [self.new_array, self.new_scalar, self.new_view, self.store, self.store, self.store, self.augment,
                  self.augment, self.reassign, self.other_length, self.swap, self.indexed_store,
                  self.grow_list]  # fmt: skip
        deep = [self.branch, self.branch, self.for_loop, self.for_loop, self.while_loop, self.local_function,
                self.list_loop, self.build_array]  # fmt: skip
        options = simple + (deep if self.room > 0 and len(self.draft.blocks) <= MOST_DEEP else [])
        options += [self.leave_loop] if self.loops else []
        options += [self.leave_early] if self.chance(2) else []
        for _ in range(4):
            if self.pick(options)():
                return

    def body(self, most=3):
        for _ in range(self.rng.randint(1, most)):
            self.write()

    # --- what may be written to ---

    def owned(self, test=lambda value: True):
        """Arrays made by the function; those that share memory with an argument are the caller's."""
        values = self.draft.values
        return [
            name
            for name in self.e.arrays(lambda v: v.ndim > 0 and v.size and v.flags.writeable and test(v))
            if not any(np.shares_memory(values[name], given) for given in self.draft.given)
        ]

    # --- assignments ---

    def new_array(self):
        shapes = [v.shape for v in self.draft.values.values() if isinstance(v, np.ndarray) and 0 < v.ndim <= 2]
        shape = self.pick(shapes or [(3,)])
        text = self.e.array(shape, 2)
        if self.chance(3):
            text = self.pick(("({}).copy()", "np.array({})", "np.zeros_like({})", "1.0 * {}")).format(f"({text})")
        return self.draft.attempt(f"{self.name('t')} = {text}")

    def new_scalar(self):
        name = self.name("c")
        text = self.e.number() if self.chance(2) else self.e.condition() if self.chance(4) else self.e.integer()
        return self.draft.attempt(f"{name} = {text}")

    def new_view(self):
        names = self.e.arrays(lambda v: v.ndim in (1, 2))
        if not names:
            return False
        view, _ = self.pick(self.e.views(self.pick(names)))
        return self.draft.attempt(f"{self.name('v')} = {view}")

    def same_kind(self, value):
        """Names whose values have the type, dtype and rank of this one."""

        def kind(v):
            return (type(v), getattr(v, "dtype", None), getattr(v, "ndim", None))

        return [n for n, v in self.draft.values.items() if kind(v) == kind(value) and n not in self.counters]

    def reassign(self):
        values = self.draft.values
        names = [n for n, v in values.items() if isinstance(v, float | np.ndarray) and n not in self.counters]
        if not names:
            return False
        name = self.pick(names)
        old = values[name]
        if isinstance(old, np.ndarray):
            if old.dtype.kind != "f" or old.ndim not in (1, 2):
                return False
            text = self.e.array(old.shape, 2)
            text = f"np.tanh({text})" if self.loops and self.chance(2) else text
        else:
            text = f"float({self.e.number()})" if self.chance(2) else self.e.number()
        return self.draft.attempt(f"{name} = {text}")

    def other_length(self):
        """A name that gets an array of another length."""
        names = self.e.arrays(lambda v: v.ndim == 1 and v.dtype.kind == "f")
        names = [n for n in names if n not in self.draft.parameters or self.chance(3)]
        if not names:
            return False
        name = self.pick(names)
        options = [f"{name}[1:]", f"{name}[:-1]", f"{name}[::2]", f"np.diff({name})",
                   f"np.concatenate(({name}, {name}))",
                   f"np.concatenate(({name}, np.full(2, {self.e.number(1)})))",
                   f"np.append({name}, {self.e.number(0)})",
                   f"{name}[{name} > {self.e.number(0)}]", f"np.zeros(len({name}) + 1)", f"np.repeat({name}, 2)",
                   f"np.concatenate(({self.e.array(self.e.value(name).shape, 1)}, {name}[:1]))",
                   f"np.arange({self.e.integer()}) * {self.pick(FLOATS)}"]  # fmt: skip
        for shape in [v.shape for v in self.draft.values.values() if isinstance(v, np.ndarray) and v.ndim == 1][:3]:
            options.append(self.e.array(shape, 1))
        target = name if self.chance(2) or self.loops else self.name("t")
        return self.draft.attempt(f"{target} = {self.pick(options)}")

    def augment(self):
        arrays = self.owned(lambda v: v.dtype.kind == "f")
        numbers = [n for n in self.e.scalars(float, int) if n not in self.counters]
        if arrays and (not numbers or self.chance(2)):
            name = self.pick(arrays)
            shape = self.e.value(name).shape
            value = self.e.array(shape, 1) if self.chance(2) else self.e.number(1)
            return self.draft.attempt(f"{name} {self.pick(('+=', '-=', '*='))} {value}")
        if not numbers:
            return False
        name = self.pick(numbers)
        if isinstance(self.e.value(name), int):
            return self.draft.attempt(f"{name} {self.pick(('+=', '-='))} {self.e.integer(0)}")
        return self.draft.attempt(f"{name} {self.pick(('+=', '-=', '*='))} {self.e.number(1)}")

    # --- stores ---

    def store(self):
        names = self.owned()
        if not names:
            return self.new_array()
        name = self.pick(names)
        value = self.e.value(name)
        operator = self.pick(("=", "=", "=", "+=", "-=", "*="))
        if self.chance(2) and value.dtype.kind == "f":
            at = ", ".join(self.e.place(n) for n in value.shape)
            return self.draft.attempt(f"{name}[{at}] {operator} {self.e.number()}")
        view, shape = self.pick(
            [(v, s) for v, s in self.e.views(name) if v.endswith("]")] or [(f"{name}[:]", value.shape)]
        )
        right = self.e.array(shape, 1) if self.chance(2) else self.e.number(1)
        return self.draft.attempt(f"{view} {operator} {right}")

    def indexed_store(self):
        """Through masks and arrays of places; half of them read what they write."""
        names = self.owned(lambda v: v.dtype.kind == "f")
        if not names:
            return False
        name = self.pick(names)
        value = self.e.value(name)
        n = len(value)
        indices = [i for i in self.e.arrays(lambda v: v.dtype.kind == "i" and v.ndim == 1)
                   if all(-n <= p < n for p in self.e.value(i).tolist())]  # fmt: skip
        operator = self.pick(("=", "=", "+=", "*="))
        options = [f"{name}[{name} > {self.e.number(0)}] {operator} {self.e.number(1)}"]
        if n:
            options.append(f"{name}[[0, -1]] = {name}[[-1, 0]]")
        if value.ndim == 1:
            mask = self.e.mask(value.shape)
            options += [
                f"{name}[{mask}] {operator} {self.e.number(1)}",
                f"{name}[{mask}] {operator} {name}[{mask}] * 2.0",
            ]
            options += [
                f"{name}[np.arange({n})[::-1]] {operator} {name}",
                f"{name}[{mask}] {operator} ({self.e.array(value.shape, 1)})[{mask}]",
            ]
        for index in indices:
            places = self.e.value(index).shape
            options += [f"{name}[{index}] {operator} {self.e.number(1)}"] * 2
            if value.ndim == 1:
                options += [
                    f"{name}[{index}] {operator} {self.e.array(places, 1)}",
                    f"{name}[{index}] {operator} {name}[{index[:]}]",
                    f"{name}[{index}] {operator} {name}[:{len(self.e.value(index))}]",
                ]
            else:
                options.append(f"{name}[{index}] {operator} {name}[{index}] + {self.e.number(0)}")
        return self.draft.attempt(self.pick(options))

    def swap(self):
        names = self.owned(lambda v: v.ndim == 1 and len(v) > 1)
        pairs = [(a, b) for a in self.draft.values for b in self.same_kind(self.draft.values[a]) if a < b
                 and isinstance(self.draft.values[a], np.ndarray | float | int)]  # fmt: skip
        pairs = [(a, b) for a, b in pairs if a not in self.counters]
        if names and self.chance(2):
            name = self.pick(names)
            n = len(self.e.value(name))
            first, second = self.e.place(n), self.e.place(n)
            if self.chance(2):
                return self.draft.attempt(f"{name}[{first}], {name}[{second}] = {name}[{second}], {name}[{first}]")
            return self.draft.attempt(f"{name}[:2], {name}[-2:] = {name}[-2:].copy(), {name}[:2].copy()")
        if not pairs:
            return False
        first, second = self.pick(pairs)
        return self.draft.attempt(f"{first}, {second} = {second}, {first}")

    # --- control flow ---

    def branch(self):
        with self.draft.block(f"if {self.e.condition()}:"):
            self.body(2)
        for head in [f"elif {self.e.condition()}:"] * self.chance(3) + ["else:"] * self.chance(2):
            last = self.draft.blocks[-1][-1:]
            if isinstance(last[0], tuple) and last[0][0].startswith(("if", "elif")) if last else False:
                with self.draft.block(head):
                    self.body(2)
        return True

    def for_loop(self):
        vectors = self.e.arrays(lambda v: v.ndim == 1)
        i, row = self.name("i"), self.name("r")
        heads = [f"for {i} in range({self.e.integer()}):", f"for {i} in range(3):",
                 f"for {i} in range({self.e.integer(0)}, 4):",
                 f"for {i} in range({self.e.integer()}, -1, -1):",
                 f"for {i} in reversed(range({self.e.integer()})):"]  # fmt: skip
        for name in self.e.arrays(lambda v: v.ndim > 0):
            heads += [
                f"for {i} in range(len({name})):",
                f"for {row} in {name}:",
                f"for {i}, {row} in enumerate({name}):",
            ]
        if len(vectors) > 1:
            heads.append(f"for {i}, {row} in zip({self.pick(vectors)}, {self.pick(vectors)}):")
        self.draft.attempt(f"{self.name('u')} = {self.e.number(1)}")
        self.loops += 1
        with self.draft.block(self.pick(heads)) as ready:
            if ready:
                self.body(3)
        self.loops -= 1
        return True

    def while_loop(self):
        count, target = self.name("n"), self.pick(self.owned(lambda v: v.dtype.kind == "f") or [""])
        if not self.draft.attempt(f"{count} = 0"):
            return False
        self.counters.add(count)
        bounds = [n for n in self.e.scalars(int) if n not in self.counters and self.e.value(n) < 5] + ["0", "1"]
        test = f"{self.e.condition(0)} and {count} < {self.pick(bounds)} + 3"
        if target:
            amount = self.e.number(0)
            tests = (f"{target}.sum() > {amount}", f"np.any({target} > {amount})",
                     f"np.linalg.norm({target}) > {amount}",
                     f"np.max(np.abs({target})) > {amount} and {count} < 5", f"not np.all({target} < {amount})",
                     f"len({target}) > {count} and np.sum({target}) < 9.0",
                     f"np.mean({target}) {self.pick(COMPARE)} {amount}")  # fmt: skip
            test = self.pick((*tests, test))
            if " and " not in test:
                test = f"{count} < {self.pick((3, 4))} and {test}" if self.chance(2) else f"{test} and {count} < 4"
        self.loops += 1
        with self.draft.block(f"while {test}:", least=2):
            self.draft.attempt(f"{count} += 1")
            if target and self.chance(2):
                self.draft.attempt(f"{target} = {target} {self.pick('*-')} 0.75")
            self.body(3)
        self.loops -= 1
        return True

    def leave_loop(self):
        with self.draft.block(f"if {self.e.condition()}:"):
            self.draft.blocks[-1].append(self.pick(("break", "continue")))
        return True

    def leave_early(self):
        if not self.draft.reached:
            return False
        with self.draft.block(f"if {self.e.condition()}:") as ready:
            self.draft.blocks[-1].append(f"return {self.returned(early=True)}")
        return True

    # --- functions and lists ---

    def local_function(self):
        name, seen = self.name("f"), self.e.scalars(float) + self.e.arrays(lambda v: v.ndim == 1)
        arrays = self.e.arrays(lambda v: v.ndim == 1 and v.dtype.kind == "f")
        kept = self.pick(seen or ["1.0"])
        bodies = [f"return p * {kept} + {self.e.number(1)}", f"return np.tanh(p) - np.sum({kept})",
                  f"if np.sum(p) > {self.e.number(0)}:\n        return p * 2.0\n    return p + {kept}",
                  f"r = p * {self.e.number(0)}\n    return r + 1.0"]  # fmt: skip
        if not self.draft.attempt(f"def {name}(p):\n    {self.pick(bodies)}"):
            return False
        target = self.pick(arrays + [self.e.number(0)])
        return (
            self.draft.attempt(f"{self.name('t')} = {name}({target})")
            and self.chance(2)
            or self.draft.attempt(f"{self.name('t')} = {name}({self.e.number(1)})")
        )

    def list_loop(self):
        items = self.name("l")
        if not self.draft.attempt(f"{items} = []"):
            return False
        i = self.name("i")
        heads = [f"for {i} in range({self.e.integer()}):", f"for {i} in range(3):"]
        heads += [f"for {i} in range(len({n})):" for n in self.e.arrays(lambda v: v.ndim > 0)]
        self.loops += 1
        with self.draft.block(self.pick(heads)) as ready:
            if ready:
                self.body(1)
                vectors = self.e.arrays(lambda v: v.ndim == 1)
                value = self.pick(vectors) if vectors and self.chance(3) else f"float({self.e.number(1)})"
                self.draft.attempt(f"{items}.append({value})")
        self.loops -= 1
        uses = [
            f"np.array({items})",
            f"sum({items})",
            f"len({items})",
            f"{items}[-1]",
            f"{items}[0] * 2.0",
            f"max({items})",
        ]
        return self.draft.attempt(f"{self.name('t')} = {self.pick(uses)}")

    def grow_list(self):
        lists = self.e.names(lambda v: isinstance(v, list) and v)
        if not lists:
            return False
        name = self.pick(lists)
        last = self.e.value(name)[-1]
        value = self.e.array(last.shape, 1) if isinstance(last, np.ndarray) else f"float({self.e.number(1)})"
        return self.draft.attempt(
            self.pick((f"{name}.append({value})", f"{name}[0] = {value}", f"{self.name('t')} = {name}.pop()"))
        )

    def build_array(self):
        """An array that is filled element by element, each from the ones before."""
        name, i = self.name("t"), self.name("i")
        length = self.e.integer()
        if not self.draft.attempt(f"{name} = np.zeros({length})"):
            return False
        self.loops += 1
        with self.draft.block(f"for {i} in range(1, len({name})):") as ready:
            if ready:
                self.draft.attempt(f"{name}[{i}] = {name}[{i} - 1] {self.pick(BINARY[:3])} {self.e.number(1)}")
                self.body(1)
        self.loops -= 1
        return True

    # --- results ---

    def returned(self, early=False):
        """Names to return; after an early return, values of the same kinds."""
        values = self.draft.values
        if self.spec is not None:
            return ", ".join(self.like(kind) for kind in self.spec)
        made = [
            n
            for n, v in values.items()
            if isinstance(v, int | float | np.generic | np.ndarray | list) and not callable(v)
        ]
        made = [n for n in made if n not in self.draft.parameters or self.chance(4)]
        if early:
            made = [n for n in made if isinstance(values[n], float | np.ndarray)][-2:] or ["s"]
            self.spec = [self.kind(values.get(n, 1.0)) for n in made]
            return ", ".join(made)
        return ", ".join(made[-6:] or ["s"])

    def kind(self, value):
        return (type(value), getattr(value, "dtype", None), getattr(value, "ndim", None))

    def like(self, kind):
        found = [n for n, v in self.draft.values.items() if self.kind(v) == kind]
        if found:
            return self.pick(found[-3:])
        if kind[0] is np.ndarray:
            return f"np.zeros({(1,) * kind[2]!r}, np.{kind[1].name})"
        return (
            "float(s)" if kind[0] is float else f"np.{kind[0].__name__}(1)" if issubclass(kind[0], np.generic) else "1"
        )

"""Statements over containers: made, aliased, copied, changed through any name, compared, looped over, passed on."""

import numpy as np

from .sequence_statements import sequence

NUMBERS = ("0.5", "2.0", "-1.0", "1.5", "0.0", "3.0")
DEPTH = 3


class ContainerStatements:
    """Writes statements at the cursor of a draft; what does not run is not kept."""

    def __init__(self, draft, rng, outside, records=()):
        self.draft, self.rng, self.outside, self.records = draft, rng, outside, records
        self.number = 0
        self.room = 12
        self.loops = 0

    def pick(self, choices):
        return self.rng.choice(list(choices))

    def chance(self, one_in):
        return self.rng.randrange(one_in) == 0

    def name(self, prefix):
        self.number += 1
        return f"{prefix}{self.number}"

    # --- what there is ---

    def paths(self, test=lambda value: True, depth=DEPTH):
        """Texts of places in the names at the cursor, such as `d["k"][1]`, whose values pass the test."""
        found = []
        for name, value in self.draft.values.items():
            if not callable(value):
                found += [(path, part) for path, part in inside(name, value, depth) if test(part)]
        return found

    def lists(self, test=lambda value: True, own=True):
        """Paths of lists; those of the caller only now and then, as to change them is refused."""
        found = [path for path, value in self.paths(lambda v: isinstance(v, list) and test(v))]
        mine = [p for p in found if p.split("[")[0].split(".")[0] not in self.draft.parameters]
        return mine if own and (mine or not self.chance(10)) else found

    def float_places(self):
        return [path for path, value in self.paths(lambda v: isinstance(v, float))]

    # --- expressions ---

    def number_text(self, depth=2):
        options = [self.pick(NUMBERS), self.pick(NUMBERS)] + self.float_places()[-8:] + self.outside.expressions()
        if depth:
            lists = self.lists(lambda v: v and all(isinstance(p, float) for p in v), own=False)
            options += [f"sum({name})" for name in lists] + [f"max({name})" for name in lists[-1:]]
            options += [f"{self.number_text(depth - 1)} {self.pick('+-*')} {self.number_text(depth - 1)}"] * 3
            options += [f"{name}[{self.pick((0, -1))}]" for name in lists]
            options += [f"float(np.sum({name}))" for name in self.arrays()[-2:]]
            options.append(f"float({self.integer_text()})")
        return self.pick(options)

    def integer_text(self):
        options = ["0", "1", "2", "k"] + [f"len({name})" for name in self.lists(own=False)]
        options += [path for path, value in self.paths(lambda v: type(v) is int)]
        return self.pick(options)

    def arrays(self):
        return [path for path, value in self.paths(lambda v: isinstance(v, np.ndarray) and v.ndim == 1)]

    def array_text(self):
        names = self.arrays()
        made = [f"np.array([{self.number_text(1)}, {self.number_text(0)}])", "np.zeros(2)", "np.ones(3)"]
        made += (
            [f"{self.pick(names)} * {self.number_text(0)}", f"{self.pick(names)}.copy()", self.pick(names)]
            if names
            else []
        )
        return self.pick(made)

    def like(self, value, depth=1):
        """An expression of the type of a value: containers of the same kinds of parts."""
        match value:
            case bool():
                return self.condition()
            case float():
                return self.number_text(depth)
            case int():
                return self.integer_text()
            case np.ndarray():
                return self.array_text()
            case tuple() if hasattr(value, "_fields"):
                return f"{type(value).__name__}({', '.join(self.like(part, 0) for part in value)})"
            case tuple():
                return f"({''.join(self.like(part, 0) + ', ' for part in value)})"
            case list():
                same = [
                    p
                    for p, v in self.paths(lambda v: isinstance(v, list))
                    if v and value and type(v[0]) is type(value[0])
                ]
                made = f"[{', '.join(self.like(part, 0) for part in value)}]"
                return self.pick([made, made, *same])
            case dict():
                return f"{{{', '.join(f'{key!r}: {self.like(part, 0)}' for key, part in value.items())}}}"
        return self.number_text(depth)

    def item_for(self, items):
        """What a list of this value may hold further."""
        return self.like(items[-1]) if items else self.number_text()

    def new_container(self):
        number, array = self.number_text, self.array_text
        options = [lambda: f"[{number()}, {number()}]", lambda: "[]", lambda: f"[{number()}]",
                   lambda: f"[{array()}, {array()}]",
                   lambda: f"[[{number()}, {number()}], [{number()}, {number()}]]",
                   lambda: f"[{self.pick(NUMBERS)}] * {self.pick((2, 3, 'k'))}",
                   lambda: "[[0.0] * 2] * 2", lambda: f"[[{number()}]] * 2", lambda: f"[{array()}] * 2",
                   lambda: f"({number()}, [{number()}, {number()}])", lambda: f"({array()}, {number()})",
                   lambda: f'{{"k": {number()}, "l": [{number()}]}}', lambda: f'{{"k": {array()}, "l": {number()}}}',
                   lambda: f'{{"k": {{"u": {number()}}}}}',
                   lambda: f"[({number()}, {number()}), ({number()}, {number()})]",
                   lambda: f"[{number()} for _ in range({self.pick((2, 3))})]", lambda: f"[[], [{number()}]]",
                   lambda: "[[0.0] * 2 for _ in range(2)]", lambda: "[[0.0] * k for _ in range(k)]",
                   lambda: f"[[] for _ in range({self.pick((2, 'k'))})]", lambda: f"[{number()} for _ in range(k)]",
                   lambda: f"[{self.integer_text()}, {self.integer_text()}]"]  # fmt: skip
        if "p" in self.records:
            options += [
                lambda: f"Pair({number()}, {array()})",
                lambda: f"[Pair({number()}, {array()})]",
                lambda: f"p._replace(first={number()})",
            ]
        if "g" in self.records:
            options += [
                lambda: f"Box({number()}, ({number()}, {number()}))",
                lambda: f"[g, Box({number()}, (1.0, 2.0))]",
            ]
        return self.pick(options)()

    def copied(self):
        """Another name for a container, a copy of one, or one made from it."""
        names = [path for path, value in self.paths(lambda v: isinstance(v, list | tuple | dict))]
        if not names:
            return None
        name = self.pick(names)
        value = dict(self.paths())[name]
        options = [name, name, name, f"[{name}, {name}]", f"({name}, {self.number_text(0)})", f'{{"k": {name}}}']
        if isinstance(value, list):
            options += [f"list({name})", f"{name}[:]", f"{name}.copy()", f"{name} + {name}", f"{name}[1:]",
                        f"{name}[::-1]", f"tuple({name})",
                        f"[v for v in {name}]", f"{name} * 2", f"{name} + [{self.item_for(value)}]"]  # fmt: skip
        elif isinstance(value, dict):
            options += [f"{name}.copy()", f"dict({name})", f"list({name}.values())", f"{{**{name}}}"]
        elif not hasattr(value, "_fields"):
            options += [f"list({name})", f"{name} + {name}", f"{name}[::-1]"]
        return self.pick(options)

    def condition(self):
        number = self.number_text
        lists = self.lists(own=False)
        options = [f"{number(1)} {self.pick(('<', '>', '<=', '=='))} {number(0)}"] * 3 + [f"k > {self.pick((0, 1, 2))}"]
        options += [f"any([{number(0)} > {number(0)}, {number(0)} < 0.5])", f"all([{number(0)} > -5.0, k > 0])"]
        for name in lists[-4:]:
            options += [name, f"len({name}) > {self.pick((1, 2))}", f"not {name}", f"{name} == {self.pick(lists)}",
                        f"{name} is {self.pick(lists)}",
                        f"{number(0)} in {name}", f"{name} != {self.pick(lists)}",
                        f"len({name}) > 0 and {name}[-1] == {number(0)}"]  # fmt: skip
        paths = [p for p, v in self.paths(lambda v: isinstance(v, tuple | dict))]
        options += (
            [f"{self.pick(paths)} == {self.pick(paths)}", f"{self.pick(paths)} is {self.pick(paths)}"] if paths else []
        )
        return self.pick(options)

    # --- statements ---

    def write(self):
        self.room -= 1
        options = [self.make, self.make, self.share, self.share, self.share, self.change, self.change, self.change,
                   self.change, self.change,
                   self.store, self.store, self.store, self.store, self.question, self.take,
                   self.array_store, self.iterator, *[lambda: sequence(self)] * 4]  # fmt: skip
        if self.room > 0 and len(self.draft.blocks) < DEPTH:
            options += [self.branch, self.branch, self.loop, self.loop, self.drain, self.function, self.function]
        for _ in range(5):
            if self.pick(options)():
                return

    def body(self, most=3):
        for _ in range(self.rng.randint(1, most)):
            self.write()

    def make(self):
        return self.draft.attempt(f"{self.name('c')} = {self.new_container()}")

    def share(self):
        text = self.copied()
        return text is not None and self.draft.attempt(f"{self.name('b')} = {text}")

    def change(self):
        names = self.lists()
        if not names:
            return self.make()
        name = self.pick(names)
        value = dict(self.paths())[name]
        item, at = self.item_for(value), self.pick(("0", "-1", "1", "k"))
        options = [f"{name}.append({item})"] * 4 + [f"{name}.pop()", f"{self.name('v')} = {name}.pop()"]
        options += [f"{name} += [{item}]", f"{name} += {self.pick(names)}", f"{name}.extend([{item}, {item}])"]
        options += [f"{name}.extend({self.pick(names)})", f"{name}.pop({at})", f"{name} *= 2"]
        if len(value) > 1:
            options += [f"{name}[0], {name}[-1] = {name}[-1], {name}[0]"] * 2
        options += [f"{name}.insert({at}, {item})", f"{name}.reverse()", f"{name}[1:] = [{item}]", f"del {name}[{at}]"]
        if self.chance(6):
            options = [f"{name}.clear()", f"del {name}[:1]", f"{name}.remove({name}[{at}])", f"{name}[:1] = {name}"]
        if value and all(isinstance(part, float) for part in value):
            options += [f"{name}.sort()", f"{name}.sort(key=lambda w: w * w, reverse=True)"]
        return self.draft.attempt(self.pick(options))

    def store(self):
        """An item, at any depth, of a list or a dict."""
        places = [(p, v) for p, v in self.paths() if p.endswith("]") and not isinstance(v, np.ndarray)]
        mine = [(p, v) for p, v in places if p.split("[")[0].split(".")[0] not in self.draft.parameters]
        if not mine:
            return self.make()
        place, value = self.pick(mine)
        if isinstance(value, float) and self.chance(2):
            return self.draft.attempt(f"{place} {self.pick(('+=', '-=', '*='))} {self.number_text(1)}")
        return self.draft.attempt(f"{place} = {self.like(value)}")

    def array_store(self):
        """Into an array that a container holds, by its place or through a name for it."""
        given = self.draft.given
        places = [p for p, v in self.paths(lambda v: isinstance(v, np.ndarray) and v.ndim == 1 and v.size)
                  if not any(np.shares_memory(v, other) for other in given)]  # fmt: skip
        if not places:
            return self.make()
        place = self.pick(places)
        if self.chance(2):
            name = self.name("r")
            if not self.draft.attempt(f"{name} = {place}"):
                return False
            place = name
        options = [f"{place}[{self.pick((0, -1))}] = {self.number_text(1)}", f"{place}[0] += {self.number_text(0)}",
                   f"{place} *= 2.0",
                   f"{place}[:] = {self.number_text(0)}", f"{place} += {self.number_text(1)}",
                   f"{place}[1:] = {place}[:-1]"]  # fmt: skip
        return self.draft.attempt(self.pick(options))

    def question(self):
        """A value that tells containers apart."""
        lists = self.lists(lambda v: v, own=False)
        options = [self.condition(), f"any([{self.condition()}, {self.condition()}])", f"all([{self.condition()}])"]
        if lists:
            name = self.pick(lists)
            value = dict(self.paths())[name]
            options += [f"len({name})", f"{name}.index({self.like(value[0])})",
                        f"{name}.count({self.like(value[0])})", f"np.array({name})",
                        f"{name}[-1]", f"{name} == list({name})", f"max({name})", f"{name}.index({name}[-1])",
                        f"sum({name})", f"min({name})"]  # fmt: skip
        return self.draft.attempt(f"{self.name('q')} = {self.pick(options)}")

    def iterator(self):
        """One that has a name, and is used up in several places."""
        lists = self.lists(lambda v: v and all(isinstance(part, float) for part in v), own=False)
        if not lists:
            return self.make()
        z, name, number = self.name("z"), self.pick(lists), self.number_text
        made = [f"iter({name})", f"reversed({name})", f"map(lambda w: w * {number(0)}, {name})"] * 2
        made += [f"zip({name}, {self.pick(lists)})", f"enumerate({name})", f"filter(lambda w: w > {number(0)}, {name})"]
        text = self.pick(made)
        if not self.draft.attempt(f"{z} = {text}"):
            return False
        for _ in range(self.rng.randint(1, 3)):
            v, q, last = self.name("v"), self.name("q"), self.pick((0, 1, "k"))
            uses = [[f"{q} = list({z})"], [f"{q} = []", f"for {v} in {z}:\n    {q}.append({v})"]]
            left = f"for {v} in {z}:\n    {q} += 1\n    if {q} > {last}:\n        break"
            uses.append([f"{q} = 0", left])
            if not text.startswith("filter"):
                uses.append([f"{q} = next({z})"])
            used = self.pick(uses)
            for statement in used:
                self.draft.attempt(statement)
            if left in used:  # what it has left is known to nobody
                break
        return self.change() if self.chance(3) else True

    def take(self):
        """Parts by unpacking, or a part by its path."""
        pairs = [p for p, v in self.paths(lambda v: isinstance(v, list | tuple) and len(v) == 2)]
        if pairs and self.chance(2):
            return self.draft.attempt(f"{self.name('v')}, {self.name('v')} = {self.pick(pairs)}")
        paths = [p for p, v in self.paths() if p.endswith("]") or "." in p]
        return bool(paths) and self.draft.attempt(f"{self.name('v')} = {self.pick(paths)}")

    # --- with blocks ---

    def branch(self):
        with self.draft.block(f"if {self.condition()}:"):
            self.body(2)
        last = self.draft.blocks[-1][-1:]
        if last and isinstance(last[0], tuple) and last[0][0].startswith("if") and self.chance(2):
            with self.draft.block("else:"):
                self.body(2)
        return True

    def loop(self):
        lists = self.lists(lambda v: v, own=False)
        i, v = self.name("i"), self.name("v")
        heads = [f"for {i} in range({self.pick((2, 3, 'k'))}):"] * 3
        for name in lists[-4:]:
            heads += [
                f"for {v} in {name}:",
                f"for {i} in range(len({name})):",
                f"for {i}, {v} in enumerate({name}):",
                f"for {v} in {name}[:]:",
            ]
        heads += [f"for {i}, {v} in {p}.items():" for p, d in self.paths(lambda v: isinstance(v, dict))]
        self.draft.attempt(f"{self.name('c')} = []")
        with self.draft.block(self.pick(heads)) as ready:
            if ready:
                self.body(3)
                if self.chance(8):
                    self.draft.blocks[-1].append(f"if {self.condition()}:\n    {self.pick(('break', 'continue'))}")
        return True

    def drain(self):
        """`while stack:` with pops and, bounded, pushes."""
        lists = self.lists(lambda v: v)
        if not lists:
            return self.make()
        name, v, n = self.pick(lists), self.name("v"), self.name("n")
        if not self.draft.attempt(f"{n} = 0"):
            return False
        test = self.pick((name, f"len({name}) > 0", f"{name} and {n} < 5", f"len({name}) > 1"))
        with self.draft.block(f"while {test}:", least=2):
            self.draft.attempt(f"{v} = {name}.pop({self.pick(('', '', '0'))})")
            self.draft.attempt(f"{n} += 1")
            if self.chance(3):
                self.draft.attempt(
                    f"if {n} < 4:\n    {name}.append({self.item_for(self.draft.values.get(name, [0.0]))})"
                )
            self.body(2)
        return True

    def function(self):
        """A local function that gets, captures, changes or returns a container."""
        name, lists = self.name("f"), self.lists()
        captured = self.pick(lists or ["[1.0]"])
        value = dict(self.paths()).get(captured, [1.0])
        item = self.item_for(value)
        definitions = [f"def {name}(items, v):\n    items.append(v)", f"def {name}(items, v):\n    return items",
                       f"def {name}(items, v):\n    items = items + [v]\n    return items",
                       f"def {name}(items, v):\n    items[0] = v\n    return items[-1]",
                       f"def {name}(items, v):\n    for _ in range(2):\n        items.append(v)\n    return len(items)",
                       f"def {name}(items, v):\n    items += [v]\n    return items",
                       f"def {name}(items, v):\n    if len(items) > 2:\n        items.pop()\n    return v",
                       f"def {name}(items, v):\n    return [v, items]",
                       f"def {name}(items, v, by={self.pick(NUMBERS)}):\n    return by * len(items)"]  # fmt: skip
        definitions += [f"def {name}(items, v):\n    {captured}.append(v)\n    return len(items)"] if lists else []
        if not self.draft.attempt(self.pick(definitions)):
            return False
        call = f"{name}({captured}, {item})"
        return self.draft.attempt(self.pick((call, f"{self.name('b')} = {call}", f"{self.name('b')} = {call}")))

    # --- results ---

    def returned(self):
        """Everything, so that nothing that went wrong stays unseen; now and then less."""
        values = {n: v for n, v in self.draft.values.items() if not callable(v) and n not in self.draft.parameters}
        names = [n for n in values if not self.chance(6)][-7:]
        return ", ".join([*names, "s"])


def inside(path, value, depth):
    """A place and the places in it."""
    yield path, value
    if not depth:
        return
    match value:
        case tuple() if hasattr(value, "_fields"):
            for field in value._fields:
                yield from inside(f"{path}.{field}", getattr(value, field), depth - 1)
        case list() | tuple():
            for number, part in list(enumerate(value))[:3]:
                yield from inside(f"{path}[{number}]", part, depth - 1)
        case dict():
            for key, part in value.items():
                yield from inside(f'{path}["{key}"]', part, depth - 1)
        case _ if type(value).__name__ == "One":
            yield from inside(f"{path}.v", value.v, 0)
        case _ if type(value).__name__ == "Box":
            yield from inside(f"{path}.value", value.value, depth - 1)
            yield from inside(f"{path}.weight", value.weight, depth - 1)

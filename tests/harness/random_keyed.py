"""Random programs over dicts, sets, deques and counters whose keys and items are known only at run time.

    random_program(seed, folder)     ->     a function `f(k)` of an array of ints, written to a file there

A program makes two or three containers, changes them in a loop over the keys, asks them, and returns all it knows.
"""

import importlib.util
import random

HEAD = "from collections import Counter, defaultdict, deque\n\nimport numpy as np\n\n\ndef f(k):\n"
KINDS = ("dict", "dict", "set", "deque", "counter", "default")


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def emit(self, depth, line):
        self.lines.append("    " * depth + line)

    def key(self):
        return self.pick("a", "a", "b", "a + 1", "(a + b) % 4", "i % 3", "3")

    def value(self):
        return self.pick("i", "a * b", "a - i", "total", "1")

    def made(self, name, kind):
        keys = self.pick("k.tolist()", "k[:3].tolist()", "(v + 1 for v in k.tolist())")
        self.emit(1, name + " = " + {
            "dict": self.pick("{}", "dict(zip(k.tolist(), range(len(k))))", "{int(v): 1 for v in k}", "{0: 5}"),
            "set": self.pick("set()", "{int(k[0])}", f"set({keys})", "{int(v) % 3 for v in k}"),
            "deque": self.pick("deque()", "deque(maxlen=3)", "deque(k.tolist())", "deque([0] * 4)"),
            "counter": self.pick("Counter()", f"Counter({keys})"),
            "default": self.pick("defaultdict(int)", "defaultdict(lambda: 2)"),
        }[kind])  # fmt: skip

    def change(self, depth, name, kind):
        key, value = self.key(), self.value()
        is_dict = kind in ("dict", "counter", "default")
        if is_dict:
            line = self.pick(
                f"{name}[{key}] = {value}", f"{name}[{key}] = {name}.get({self.key()}, 0) + {value}",
                f"{name}.setdefault({key}, {value})", f"total += {name}.pop({key}, 7)",
                f"{name}.update({{{key}: {value}}})", f"{name}.pop({key}, 0)",
                f"{name}[{key}] += {value}" if kind != "dict" else f"{name}[a] = {name}.get(a, 0) + 1",
            )  # fmt: skip
        elif kind == "set":
            line = self.pick(f"{name}.add({key})", f"{name}.add({key})", f"{name}.discard({key})",
                             f"{name} = {name} | {{{key}, {self.key()}}}", f"{name} = {name} - {{{key}}}")  # fmt: skip
        else:
            line = self.pick(f"{name}.append({value})", f"{name}.appendleft({key})",
                             f"{name}.extend([{key}, {value}])")  # fmt: skip
            if self.pick(True, False):
                self.emit(depth, f"if {name}:")
                depth += 1
                line = f"total += {name}.{self.pick('pop', 'popleft')}()"
        self.emit(depth, line)

    def asked(self, name, kind):
        key = self.pick("1", "3", "int(k[0])")
        common = f"len({name})", f"{key} in {name}", f"sum({name}.values())" if kind == "default" else f"sum({name})"
        if kind in ("dict", "counter", "default"):
            more = f"max({name}.values(), default=0)", f"[v for v, w in {name}.items() if w > 2]"
            return self.pick(*common, *more, f"list({name}.items())", f"{name}.get({key}, -1)", f"sorted({name})")
        if kind == "set":
            return self.pick(*common, f"sorted({name})", f"{name} & {{1, 2, 3}}", f"{name} == {{1, 2}}",
                             f"max({name}, default=-1)", f"{{1, 9}} - {name}")  # fmt: skip
        return self.pick(*common, f"list({name})", f"max({name}, default=0)", f"sorted({name})")

    def program(self):
        kinds = [self.pick(*KINDS) for _ in range(self.pick(2, 2, 3))]
        names = [f"c{number}" for number in range(len(kinds))]
        for name, kind in zip(names, kinds, strict=True):
            self.made(name, kind)
        self.emit(1, "total = 0")
        self.emit(1, "for i in range(len(k)):")
        self.emit(2, "a, b = int(k[i]), int(k[i - 1])")
        for _ in range(self.pick(2, 3)):
            depth, place = 2, self.random.randrange(len(names))
            if self.pick(True, False, False):
                other = self.pick(*names)
                self.emit(2, self.pick("if a > b:", f"if a in {other}:", f"if len({other}) < 5:"))
                depth = 3
            self.change(depth, names[place], kinds[place])
        answers = [self.asked(name, kind) for name, kind in zip(names, kinds, strict=True)]
        given = [f"dict({name})" if kind == "default" else name for name, kind in zip(names, kinds, strict=True)]
        self.emit(1, f"return total, {', '.join(answers)}, {', '.join(given)}")
        return HEAD + "\n".join(self.lines) + "\n"


def random_program(seed, folder):
    path = folder / f"keyed_{seed}.py"
    path.write_text(Writer(seed).program(), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f

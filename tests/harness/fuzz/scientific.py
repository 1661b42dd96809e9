"""Programs in the style of scientific code: a handful of helper functions and records, and a main function.

    def h1(v): ...  (a stencil)     class R1: ...  (running sums)     def program(x, b, k):
    def h2(v): ...  (a mask)                                              v1 = h1(x)
                                                                          try: s1 = h2(v1) ...
                                                                          return v1, s1

The pieces are templates with random parts (`scientific_pieces.py`).  Half of the programs are smooth and have a loss;
some take derivatives and batches of their helpers themselves.
"""

import numpy as np

from .case import PRELUDE, Call, Case, drawn, text_of
from .losses import loss_of
from .scientific_pieces import (
    CONSTANTS,
    FUNCTIONS,
    HELPERS,
    RECORD,
    ROUGH,
    TRANSFORMS,
    USES_OF_RECORD,
)

LENGTHS = (4, 7, 1, 4)
IMPORTS = (
    PRELUDE.replace("import math\n", "import math\nfrom dataclasses import dataclass, replace\n").rstrip()
    + "\n\nimport pellucid\n\n\n"
)


def case(seed):
    return drawn("scientific", seed, lambda rng: Program(rng).written())


class Program:
    """One program while it is drawn: the texts of its definitions, and the variables of each kind."""

    def __init__(self, rng):
        self.rng, self.is_smooth = rng, rng.random() < 0.5
        self.definitions, self.lines, self.counts = [], [], {}
        self.known = {"vector": ["x"], "matrix": [], "number": [], "bytes": [] if self.is_smooth else ["b"]}
        self.helpers = []
        self.has_transform = False

    def fresh(self, letter):
        self.counts[letter] = self.counts.get(letter, 0) + 1
        return f"{letter}{self.counts[letter]}"

    def filled(self, template, **names):
        """The template with names, and with its random parts drawn one by one."""
        parts = {
            "c": lambda: self.rng.choice(CONSTANTS), "f": lambda: self.rng.choice(FUNCTIONS),
            "op": lambda: self.rng.choice("+-*"),
        }  # fmt: skip
        text = template.replace("{k}", str(self.rng.randint(2, 4)))
        for word, value in names.items():
            text = text.replace("{" + word + "}", value)
        for word, draw in parts.items():
            while "{" + word + "}" in text:
                text = text.replace("{" + word + "}", draw(), 1)
        return text

    def written(self):
        for _ in range(self.rng.randint(2, 4)):
            self.add_helper()
        for _ in range(self.rng.randint(2, 5)):
            self.add_statement()
        results = [name for kind in ("vector", "number", "matrix") for name in self.known[kind] if name != "x"]
        if not results:
            return None
        body = "\n".join("    " + line for text in self.lines for line in text.splitlines())
        main = f"def program(x, b, k):\n{body}\n    return {', '.join(results[-4:])},\n"
        source = IMPORTS + "\n\n\n".join([*self.definitions, main])
        calls = tuple(Call(text_of(self.arguments(n))) for n in LENGTHS)
        loss = self.loss(source) if self.is_smooth and not self.has_transform else ""
        return Case(source + loss, calls, loss="loss" if loss else "", smooth=bool(loss))

    def loss(self, source):
        return loss_of(source, ("x", "b", "k"), self.arguments(4))

    def arguments(self, n):
        values = np.array([round(self.rng.uniform(-2.0, 2.0), 3) for _ in range(n)])
        narrow = np.array([self.rng.randrange(256) for _ in range(n)], np.uint8)
        return values, narrow, self.rng.randint(1, 3)

    def add_helper(self):
        table = dict(HELPERS)
        if not self.is_smooth:
            table = {key: [*HELPERS.get(key, ()), *ROUGH.get(key, ())] for key in HELPERS.keys() | ROUGH.keys()}
        kinds = self.rng.choice(sorted(table))
        name = self.fresh("h")
        self.definitions.append(self.filled(self.rng.choice(table[kinds]), name=name))
        self.helpers.append((name, *kinds))

    def add_statement(self):
        choice = self.rng.random()
        if choice < 0.15:
            self.use_record()
        elif choice < 0.3 and self.transform():
            return
        else:
            self.call_helper()

    def call_helper(self):
        name, takes, gives = self.rng.choice(self.helpers)
        if not self.known[takes]:
            return
        result = self.fresh({"vector": "v", "number": "s", "matrix": "m"}[gives])
        call = f"{name}({self.rng.choice(self.known[takes])})"
        guard = not self.is_smooth and gives == "number" and self.rng.random() < 0.5
        if guard:
            self.lines.append(f"try:\n    {result} = {call}\nexcept ValueError:\n    {result} = -1.0")
        elif self.rng.random() < 0.2:
            self.lines.append(f"{result} = {call}\nfor _ in range(k):\n    {result} = {result} * 0.5 + {call}")
        else:
            self.lines.append(f"{result} = {call}")
        self.known[gives].append(result)

    def use_record(self):
        record, held, result = self.fresh("R"), self.fresh("r"), self.fresh("v")
        self.definitions.append(self.filled(RECORD, name=record))
        vector = self.rng.choice(self.known["vector"])
        use = self.rng.choice(USES_OF_RECORD)
        self.lines.append(self.filled(use, out=held, record=record, v=vector, result=result))
        self.known["number" if "energy" in use else "vector"].append(result)

    def transform(self):
        """A derivative or a batch of a helper of floats; whether there is one."""
        possible = [(name, gives) for name, takes, gives in self.helpers if takes == "vector" and gives in TRANSFORMS]
        if not possible:
            return False
        name, gives = self.rng.choice(possible)
        result = self.fresh("v")
        vector = self.rng.choice(self.known["vector"])
        template = self.rng.choice(TRANSFORMS[gives])
        self.lines.append(self.filled(template, helper=name, v=vector, result=result))
        self.known["vector"].append(result)
        self.has_transform = True
        return True

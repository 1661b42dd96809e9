"""Python's `collections.defaultdict` and `Counter`, written in the language around a dict.

    counts[k] += 1     ->     table.setdefault(k, 0); table[k] += 1
"""

from collections import Counter as PythonCounter
from collections import defaultdict
from collections.abc import Callable

from ..compiler.ops.containers import is_dict, put_all


class Wrapped:
    """What both have from the dict inside."""

    table: dict

    def get(self, key, default=None):
        return self.table.get(key, default)

    def setdefault(self, key, default=None):
        return self.table.setdefault(key, default)

    def pop(self, key, *default):
        return self.table.pop(key, *default)

    def popitem(self):
        return self.table.popitem()

    def clear(self):
        self.table.clear()

    def keys(self):
        return self.table.keys()

    def values(self):
        return self.table.values()

    def items(self):
        return self.table.items()

    def __iter__(self):
        return self.table.keys()

    def __contains__(self, key):
        return key in self.table

    def __len__(self):
        return len(self.table)

    def __setitem__(self, key, value):
        self.table[key] = value


class DefaultDict(Wrapped):
    """A dict that makes the value of a key that is missing."""

    python, shown = defaultdict, ("default_factory", "table")
    default_factory: Callable | None

    def __init__(self, default_factory=None, *given, **named):
        self.default_factory = default_factory
        self.table = dict(*given, **named)

    def ensure(self, key):
        if key not in self.table:
            if self.default_factory is None:
                raise KeyError(key)
            self.table[key] = self.default_factory()

    def __getitem__(self, key):
        self.ensure(key)
        return self.table[key]

    def __delitem__(self, key):
        del self.table[key]

    def update(self, *others, **named):
        for other in (*others, named):
            put_all(self.table, other)

    def copy(self):
        return defaultdict(self.default_factory, self.table)

    def __eq__(self, other):
        return self.table == other


class Counter(Wrapped):
    """A dict of numbers, in which what is missing counts as 0."""

    python, shown = PythonCounter, ("table",)

    def __init__(self, *sources, **named):
        self.table: dict = {}
        self.update(*sources, **named)

    def ensure(self, key):
        self.table.setdefault(key, 0)

    def __getitem__(self, key):
        return self.table.get(key, 0)

    def __delitem__(self, key):
        if key in self.table:
            del self.table[key]

    def update(self, *sources, **named):
        for source in (*sources, named):
            if is_dict(source):
                for key, count in source.items():
                    self.table[key] = count + self.table.get(key, 0)
            else:
                for key in source:
                    self.table[key] = self.table.get(key, 0) + 1

    def copy(self):
        return PythonCounter(self)

    def most_common(self, n=None):
        found = sorted(self.table.items(), key=lambda pair: pair[1], reverse=True)
        return found if n is None else found[: n if n > 0 else 0]

    def __add__(self, other):
        made: PythonCounter = PythonCounter()
        for key, count in self.table.items():
            if count + other[key] > 0:
                made[key] = count + other[key]
        for key, count in other.items():
            if key not in self.table and count > 0:
                made[key] = count
        return made

    def __eq__(self, other):
        for key, count in self.table.items():
            if count != other[key]:
                return False
        return all(count == self[key] for key, count in other.items())

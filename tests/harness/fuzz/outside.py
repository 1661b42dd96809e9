"""What a program reads from outside, and how it changes between calls: globals, helpers, closures, defaults."""

KINDS = {
    # name: definition, how the program reads it, what changes it
    "gain": ("gain = 1.5", "gain", ("gain = 3.0", "gain = -0.5", "gain = 2")),
    "table": ("table = (1.0, 2.0, 3.0)", "table[1]", ("table = (4.0, 5.0)", "table = (0.5, 7.0, 1.0, 2.0)")),
    "total": ("table = (1.0, 2.0, 3.0)", "sum(table)", ("table = (4.0, 5.0)", "table = ()")),
    "scale": (
        "def scale(v):\n    return v * 2.0",
        "scale(s)",
        ("def scale(v):\n    return v + 10.0", "scale = math.exp", "scale = lambda v: v - 1.0"),
    ),
    "inner": (
        "rate = 0.5\n\n\ndef inner(v):\n    return v * rate\n\n\ndef outer(v):\n    return inner(v) + 1.0",
        "outer(s)",
        ("rate = 4.0", "def inner(v):\n    return v - rate"),
    ),
    "default": (
        "def shifted(v, by=1.0):\n    return v + by",
        "shifted(s)",
        ("shifted.__defaults__ = (5.0,)", "def shifted(v, by=3.0):\n    return v - by"),
    ),
    "Settings": ("class Settings:\n    rate = 0.25", "Settings.rate", ("Settings.rate = 8.0", "Settings.rate = 3")),
    "flag": ("flag = True", "(s if flag else 2.0)", ("flag = False",)),
    "weights": ("weights = np.array([1.0, 2.0])", "weights[0]", ("weights = np.array([9.0, 1.0])", "weights[0] = 5.0")),
    "levels": ("levels = [1.0, 2.0]", "levels[0]", ("levels.append(1.0)", "levels[0] = 7.0")),
    "mode": ("mode = 'up'", "(s if mode == 'up' else -s)", ("mode = 'down'",)),
    "captured": ("", "level", ("change(6.0)", "change(-1.0)", "change(2)")),
}
# Arrays that cannot change, and what is frozen, which nothing changes: no call may see that it is.
MORE = {
    "board": (
        "board = pellucid.Array(np.array([1.0, -2.0, 0.5]))",
        "float(board[1])",
        ("board = pellucid.Array(np.array([4.0, 1.5]))", "board = pellucid.Array(np.array([0.25, 3.0, 1.0, -1.0]))"),
    ),
    "grid": (
        "grid = pellucid.Array(np.arange(6.0).reshape(2, 3))",
        "float(np.sum(grid[1]))",
        ("grid = pellucid.Array(np.ones((3, 2)))", "grid = 2.0 * grid"),
    ),
    "counts": (
        "counts = pellucid.Array(np.array([3, 0, 2]))",
        "float(counts[0] + len(counts))",
        ("counts = pellucid.Array(np.array([7, 1]))",),
    ),
    "line": ("line = Line(1.5, 0.25)", "line(s)", ("line = Line(-0.5)", "line = Line.through(2.0)")),
    "handlers": ("handlers = {'up': lambda v: v + 1.0, 'down': twice(Line(0.5))}", "handlers['down'](s)", ()),
    "ranks": ("ranks = [1.0, 2.0, 4.0]", "ranks[-1]", ()),
    "rows": ("rows = [(0.5, 1), (1.5, 2)]", "sum(w * n for w, n in rows)", ()),
    "limits": ("limits = {'low': 0.5, 'high': [1.0, 4.0]}", "limits['high'][1]", ()),
    "basis": ("basis = np.array([[1.0, 2.0], [0.5, -1.0]])", "float(basis[1] @ basis[0])", ()),
    "start": ("start = Tally(2.0, 1)", "start.mean", ()),
}
FROZEN = ("handlers", "ranks", "rows", "limits", "basis", "start")
MAKER = "    level = 1.5\n\n    def change(value):\n        nonlocal level\n        level = value\n"


class Outside:
    """Up to three things that one program reads."""

    def __init__(self, rng, more=()):
        """`more` are names of things that a program of another kind reads besides."""
        self.rng, self.kinds = rng, {**KINDS, **MORE}
        kinds = [name for name in KINDS if name not in ("weights", "levels") or rng.randrange(3) == 0]
        self.names = rng.sample(kinds, rng.choice((0, 0, 1, 1, 2, 3)))
        if "table" in self.names and "total" in self.names:
            self.names.remove("total")
        self.names += more
        self.frozen = tuple(name for name in more if name in FROZEN)
        self.definitions = [self.kinds[name][0] for name in self.names if self.kinds[name][0]]
        self.maker = MAKER if "captured" in self.names else ""

    def expressions(self):
        """How the program reads them."""
        return [self.kinds[name][1] for name in self.names]

    def changes(self):
        """Statements between calls, with calls that change nothing among them."""
        found = []
        for name in self.names:
            possible = self.kinds[name][2]
            for change in self.rng.sample(possible, self.rng.randint(1, len(possible)) if possible else 0):
                found += [change, *[""] * self.rng.randrange(2)]
        return found

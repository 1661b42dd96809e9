"""Random statements: assignments, stores and control flow around random expressions.

Names are bound on every path to where they are read; a block's own names are not seen after it.  Arrays that are stored
into are shared with nothing, but for `hazards`: views of them, whose later use the compiler may refuse.  What loops
carry shrinks, so that values stay of one size.
"""

from hypothesis import strategies as st

from .random_expressions import (
    BOOL,
    COLUMN,
    FLOAT,
    INT,
    MATRIX,
    OTHER_VECTOR,
    VECTOR,
    Expressions,
    Kind,
    Variable,
)

FLAGS = Kind("bool", ("n",))
COUNTS = Kind("i64", ("n",))
SINGLES = Kind("f32", ("n",))
INNER = Kind("f64", ("n - 1",))
ROUGH_KINDS = (FLOAT, VECTOR, MATRIX, INT, OTHER_VECTOR, BOOL, COLUMN, SINGLES, COUNTS, FLAGS, INNER)
SMOOTH_KINDS = (FLOAT, VECTOR, MATRIX, OTHER_VECTOR)


class Writer:
    """Writes the statements of one function; `room` bounds how many there are."""

    def __init__(self, draw, scope, returns, smooth, room, hazards=False):
        self.draw, self.scope, self.returns, self.smooth, self.room = draw, scope, returns, smooth, room
        self.hazards = hazards
        self.expressions = Expressions(draw, scope, smooth)
        self.pick, self.chance = self.expressions.pick, self.expressions.chance
        self.value = self.expressions.value
        self.lines = []
        self.level = 1
        self.loops = 0
        self.number = 0

    def line(self, text):
        self.lines.append("    " * self.level + text)

    def name(self, prefix):
        self.number += 1
        return f"{prefix}{self.number}"

    def block(self, most, inside=()):
        """An indented block; what it binds is not seen after it."""
        self.level += 1
        self.scope.blocks.append(list(inside))
        for _ in range(self.draw(st.integers(1, most))):
            self.statement()
        self.scope.blocks.pop()
        self.level -= 1

    def statement(self):
        self.room -= 1
        options = [self.assign_again, self.store, self.array_again]
        if self.level == 1 or self.chance(4):
            options.append(self.new_variable)  # what a block binds is not seen after it
        if self.room > 0:
            options += [self.branch, self.counted_loop, self.swap, self.element_loop, self.while_loop]
            options += [self.leave_loop] if self.loops else []
            options += [self.leave_early] if self.returns else []
            options += [self.idiom, self.store_of_another_kind] if not self.smooth and self.scope.lengths else []
        self.pick(options)()

    def idiom(self):
        self.pick(IDIOMS)(self)

    def start(self, parameters):
        """The lengths, and something to overwrite."""
        if "A" in parameters:
            self.line("n, m = A.shape")
            self.scope.add(Variable("n", INT))
            self.scope.add(Variable("m", INT))
        self.line("s = 0.5")
        self.scope.add(Variable("s", FLOAT, settable=True))
        for name, kind in (("u", VECTOR), ("W", MATRIX)):
            if "A" in parameters and not self.chance(3):
                self.line(f"{name} = {self.fresh(kind, 2)}")
                self.scope.add(Variable(name, kind, owned=True, settable=True))

    # --- assignments ---

    def new_variable(self):
        kinds = (FLOAT,) if not self.scope.lengths else SMOOTH_KINDS if self.smooth else ROUGH_KINDS
        kind = self.pick(kinds)
        name = self.name("v")
        if kind.shape and not self.smooth and self.chance(5) and self.new_view(name, kind):
            return
        text = self.fresh(kind, 3) if kind.shape else self.value(kind, 3)
        self.line(f"{name} = {text}")
        self.scope.add(Variable(name, kind, owned=bool(kind.shape), settable=True))

    def new_view(self, name, kind):
        """A name for a view of an argument, or now and then of an array that may still be stored into."""
        found = [
            view
            for variable in self.scope.variables()
            if variable.kind.dtype == kind.dtype and (not variable.owned or self.hazards)
            for view in [*self.expressions.views(variable, kind.shape), *[variable.name] * (variable.kind == kind)]
        ]
        if not found:
            return False
        self.line(f"{name} = {self.pick(found)}")
        self.scope.add(Variable(name, kind))
        return True

    def fresh(self, kind, depth):
        """An array that shares its elements with nothing."""
        if kind.dtype != "f64" or self.chance(3):
            return self.pick(("({a}).copy()", "np.array({a})")).format(a=self.value(kind, depth - 1))
        makers = (self.expressions.constant_array, self.expressions.array_pair, self.expressions.array_function)
        maker = self.pick(makers)
        return maker(kind) if maker == self.expressions.constant_array else maker(kind, depth - 1)

    def settable(self, *kinds):
        return [v for v in self.scope.variables() if v.settable and (not kinds or v.kind in kinds)]

    def bounded(self, kind, text):
        """In a loop, a value that does not grow from one iteration to the next."""
        if kind.dtype == "i64" and not kind.shape:
            return f"({text}) % 7"
        if not self.loops or kind.dtype != "f64":
            return text
        if kind.shape:
            return f"np.tanh({text})"
        return self.pick((f"0.9 * math.tanh({text})", f"math.sin({text})", f"np.tanh({text})"))

    def assign_again(self):
        choices = self.settable(FLOAT, INT, BOOL)
        if not choices:
            return self.new_variable()
        chosen = self.pick(choices)
        if chosen.kind != BOOL and self.chance(2):
            small = self.pick(("1", "2", "k" if self.scope.of(INT).count("k") else "3"))
            operation = self.pick(("+=", "-=", "*=") if chosen.kind == FLOAT else ("+=", "-="))
            amount = small if chosen.kind == INT else self.bounded(FLOAT, self.value(FLOAT, 2))
            self.line(f"{chosen.name} {operation} {amount}")
            return None
        self.line(f"{chosen.name} = {self.bounded(chosen.kind, self.value(chosen.kind, 3))}")
        return None

    def array_again(self):
        choices = [v for v in self.settable() if v.owned]
        if not choices:
            return self.new_variable()
        chosen = self.pick(choices)
        if chosen.kind.dtype == "f64" and self.chance(2):
            _, other = self.pick(self.expressions.broadcasts(chosen.kind.shape))
            value = self.bounded(Kind("f64", other), self.value(Kind("f64", other), 2))
            self.line(f"{chosen.name} {self.pick(('+=', '-=', '*='))} {value}")
            return None
        text = self.bounded(chosen.kind, self.value(chosen.kind, 3))
        self.line(f"{chosen.name} = {text if text.startswith('np.tanh') else f'({text}).copy()'}")
        return None

    def swap(self):
        for kind in self.draw(st.permutations((FLOAT, VECTOR, INT, MATRIX))):
            names = [v.name for v in self.settable(kind)]
            if len(names) >= 2:
                first, second = self.draw(st.permutations(names))[:2]
                if kind.shape or self.chance(2):
                    self.line(f"{first}, {second} = {second}, {first}")
                else:
                    self.line(f"{first}, {second} = {second}, {self.bounded(kind, self.value(kind, 2))}")
                return None
        return self.new_variable()

    def store(self):
        """Overwrite elements of an array that the function made."""
        choices = [v for v in self.scope.variables() if v.owned and v.kind.dtype == "f64"]
        if not choices:
            return self.new_variable()
        chosen = self.pick(choices)
        place, wanted = self.pick(self.places(chosen))
        augmented = self.chance(3)
        value = self.bounded(Kind("f64", wanted), self.value(Kind("f64", wanted), 2))
        self.line(f"{chosen.name}{place} {self.pick(('+=', '-=', '*=')) if augmented else '='} {value}")
        return None

    def places(self, variable):
        """Index expressions for a store, and the shape of what can be stored there."""
        index, shape = self.expressions.index, variable.kind.shape
        options = [(f"[{', '.join(map(index, shape))}]", ())]
        if shape == ("n",):
            options += [("[1:]", ("n - 1",)), ("[:-1]", ("n - 1",)), ("[:]", shape), ("[::-1]", shape), ("[1:-1]", ())]
            options += [(f"[{v}]", ()) for v in self.scope.of(FLAGS)]
            options += [("[idx]", shape) for v in self.scope.of(COUNTS) if v == "idx"]
        if len(shape) == 2:
            options += [(f"[{index(shape[0])}]", shape[1:]), (f"[:, {index(shape[1])}]", shape[:1]), ("[:]", shape)]
            options += [("[1:, ::2]", ()), (f"[{index(shape[0])}, :]", ()), ("[::-1]", shape), ("[:, ::-1]", shape)]
            options += [(f"[-1, {index(shape[1])}:]", ())]
        return options

    def store_of_another_kind(self):
        """Stores into arrays of ints, bools and float32, some of them of numbers that have to be converted."""
        choices = [v for v in self.scope.variables() if v.owned and v.kind in (COUNTS, FLAGS, SINGLES)]
        if not choices:
            return self.new_variable()
        chosen = self.pick(choices)
        place = self.pick((f"[{self.expressions.index('n')}]", "[:]", "[1:]", "[::2]"))
        integer, number = self.value(INT, 1), self.value(FLOAT, 1)
        values = {
            COUNTS: (f"({integer}) % 9", f"math.tanh({number}) * 5.0", "True"),
            FLAGS: (self.value(BOOL, 1), integer),
            SINGLES: (number, integer, self.value(SINGLES, 1) if place == "[:]" else "0.1"),
        }
        self.line(f"{chosen.name}{place} = {self.pick(values[chosen.kind])}")
        return None

    # --- control flow ---

    def branch(self):
        self.line(f"if {self.value(BOOL, 2)}:")
        self.block(2)
        if self.chance(4):
            self.line(f"elif {self.value(BOOL, 1)}:")
            self.block(2)
        if self.chance(2):
            self.line("else:")
            self.block(2)

    def loop_block(self, *inside):
        self.loops += 1
        self.block(3, inside)
        self.loops -= 1
        if self.chance(6):
            self.line("else:")
            self.block(1)

    def counted_loop(self):
        name = self.name("i")
        options = [("range(3)", "")]
        if self.scope.lengths:
            length = self.pick(self.scope.lengths)
            options += [(f"range({length})", length), (f"range(1, {length})", length),
                        (f"range({length} - 1, -1, -1)", length), (f"range(0, {length}, 2)", length)]  # fmt: skip
        options += [(f"range({v.name})", v.below) for v in self.scope.variables() if v.below]
        options += [(f"range({self.value(INT, 0)})", "")]
        made, below = self.pick(options)
        self.line(f"for {name} in {made}:")
        self.loop_block(Variable(name, INT, below=below))

    def element_loop(self):
        vectors = self.scope.of(VECTOR)
        parameters = [v.name for v in self.scope.variables() if v.name in vectors and not v.owned]
        if not parameters:
            return self.counted_loop()
        one, other, count = self.name("e"), self.name("e"), self.name("i")
        form = self.draw(st.integers(0, 2))
        if form == 0:
            self.line(f"for {one} in {self.pick(parameters)}:")
            self.loop_block(Variable(one, FLOAT))
        elif form == 1:
            self.line(f"for {count}, {one} in enumerate({self.pick(parameters)}):")
            self.loop_block(Variable(count, INT, below="n"), Variable(one, FLOAT))
        else:
            self.line(f"for {one}, {other} in zip({self.pick(parameters)}, {self.pick(parameters)}):")
            self.loop_block(Variable(one, FLOAT), Variable(other, FLOAT))
        return None

    def while_loop(self):
        count = self.name("c")
        self.line(f"{count} = 0")
        most = self.draw(st.integers(1, 4))
        if self.chance(4):
            self.line("while True:")
            self.level += 1
            self.line(f"if {count} >= {most}:")
            self.line("    break")
            self.level -= 1
        else:
            condition = f" and {self.value(BOOL, 1)}" if self.chance(2) else ""
            self.line(f"while {count} < {most}{condition}:")
        self.lines.append("    " * (self.level + 1) + f"{count} += 1")
        self.loop_block(Variable(count, INT))

    def leave_loop(self):
        self.line(f"if {self.value(BOOL, 1)}:")
        self.line(f"    {self.pick(('break', 'continue'))}")

    def leave_early(self):
        self.line(f"if {self.value(BOOL, 2)}:")
        self.line(f"    return {', '.join(self.value(kind, 1) for kind in self.returns)}")


# --- idioms --------------------------------------------------------------------------------------------------------


def growing_list(writer):
    """Collect values in a loop, then use them."""
    items, count, element = writer.name("items"), writer.name("i"), writer.name("e")
    writer.line(f"{items} = []")
    writer.line(f"for {count} in range(n):")
    writer.scope.blocks.append([Variable(count, INT, below="n")])
    writer.loops += 1
    if writer.chance(2):
        writer.line(f"    if {writer.value(BOOL, 1)}:")
        writer.line(f"        {items}.append({writer.value(FLOAT, 2)})")
    else:
        writer.line(f"    {items}.append(x[{count}] + {writer.value(FLOAT, 1)})")
    writer.loops -= 1
    writer.scope.blocks.pop()
    writer.line(f"for {element} in {items}:")
    writer.line(f"    s = 0.5 * s + {element}")
    name = writer.name("v")
    writer.line(f"{name} = len({items})")
    writer.scope.add(Variable(name, INT, settable=True))


def containers(writer):
    """A dict that is changed, a tuple taken apart, a list indexed from its end."""
    table, pair, one = writer.name("table"), writer.name("pair"), writer.name("v")
    first = writer.value(FLOAT, 1)
    writer.line(f"{table} = {{'p': {first}, 'q': ({writer.value(VECTOR, 1)}, {writer.value(INT, 1)})}}")
    writer.line(f"{table}['p'] = {writer.value(FLOAT, 1)} + {table}['p']")
    writer.line(f"{pair} = [{table}['p'], {writer.value(FLOAT, 1)}]")
    writer.line(f"{one} = {pair}[-1] - {pair}[0] * {table}['q'][1]")
    writer.scope.add(Variable(one, FLOAT, settable=True))


def comprehension(writer):
    """A loop over a static sequence, in brackets."""
    name, word = writer.name("v"), writer.name("c")
    writer.line(f"{name} = sum([{word} * {writer.value(FLOAT, 1)} for {word} in (0.5, {writer.value(FLOAT, 0)}, 2)])")
    writer.scope.add(Variable(name, FLOAT, settable=True))


def closure(writer):
    """A function defined inside, that sees variables as they are when it is called."""
    if writer.level > 1:
        return writer.new_variable()
    name = writer.name("inner")
    writer.line(f"{name} = lambda p, q=0.5: p * q + {writer.value(FLOAT, 1)}")
    writer.scope.helpers.append((name, (FLOAT,), FLOAT))
    return None


def refusal(writer):
    """An error of the program's own, now and then."""
    if writer.chance(2):
        writer.line(f"assert {writer.value(BOOL, 1)} or s == s, f'{{s}} is not a number'")
        return
    writer.line(f"if {writer.value(FLOAT, 1)} > 4.0:")
    writer.line("    raise ValueError('too large')")


def joining(writer):
    """Arrays put together and contracted."""
    name = writer.name("v")
    kind, text = writer.pick((
        (VECTOR, "np.concatenate(({p}[:1], {q}[1:]))"),
        (VECTOR, "np.stack(({p}, {q})).sum(axis=0)"),
        (FLOAT, "np.einsum('i,i->', {p}, {q})"),
        (MATRIX, "np.outer({p}, A[0])"),
        (VECTOR, "np.einsum('ij,i->i', A, {p})"),
        (FLOAT, "np.dot({p}, {q})"),
        (MATRIX, "A.ravel().reshape(n, m) + {p}[:, None]"),
        (INT, "int(np.argmax({p}))"),
        (VECTOR, "np.stack([{p}, {q}], axis=1)[:, 1].copy()"),
    ))  # fmt: skip
    one, other = (writer.pick(writer.scope.of(VECTOR)) for _ in range(2))
    writer.line(f"{name} = {text.format(p=one, q=other)}")
    writer.scope.add(Variable(name, kind, owned=bool(kind.shape), settable=True))


def newton(writer):
    """Iterate until it no longer moves."""
    guess, step = writer.name("v"), writer.name("d")
    writer.line(f"{guess} = 1.0 + {writer.value(FLOAT, 0)} ** 2")
    writer.scope.add(Variable(guess, FLOAT, settable=True))
    writer.line(f"{step} = 1.0")
    writer.line(f"while abs({step}) > 1e-9:")
    writer.line(f"    {step} = ({guess} * {guess} - 2.0) / (2.0 * {guess})")
    writer.line(f"    {guess} -= {step}")


IDIOMS = (growing_list, containers, comprehension, closure, refusal, joining, newton)

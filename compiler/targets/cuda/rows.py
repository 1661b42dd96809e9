"""The statements of threads that take one iteration of a nest together: a row of threads, `cuda.threadIdx.x`.

What stands between the inner loops every thread of the row computes for itself, with the same bits.  An element that
no loop goes over is stored by the first thread.  Threads wait for each other where one may read what another stored.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ... import syntax
from ...analysis.folds import choices_in, nothing_yet
from ...analysis.lanes import arrays_handed_on
from ...names import Names
from ...types import dtype_of
from .choosing import begun, folded, taken, wins
from .nests import bounds, is_together, kind_of
from .spell import FAILED, Unmappable
from .trees import expression, number_of, python, with_name
from .writing import KernelWriter, first_turn, like, neutral, range_of

Touched = tuple[str, str, object, bool]  # memory, by whom ("all", "one" or "each"), index, whether stored


class RowWriter(KernelWriter):
    """Writes what the threads of a row do."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.in_row = True
        self.known: dict[str, gast.expr] = {}  # what names are known to be: constants
        self.touched: list[Touched] = []

    def row(self, body: Sequence[gast.stmt]) -> list[gast.stmt]:
        """Statements that all threads of a row come to."""
        made: list[gast.stmt] = []
        for node in body:
            written = self.in_turn(node)
            made += self.waits_before(node)
            made += written
        return made or [gast.Pass()]

    def in_turn(self, node: gast.stmt) -> list[gast.stmt]:
        match node:
            case gast.For() if self.is_together(node):
                return self.together(node)
            case gast.For(target=gast.Name(id=variable)):
                return self.counted_by_all(node, variable)
            case gast.While(test=test, body=body):
                self.known.clear()
                test_ = self.speller.test(test)
                return [like(gast.While(test_, [*self.stopped_together(test), *self.inside(body)], []), node)]
            case gast.If(test=test, body=body, orelse=orelse):
                parts = [self.inside(block) if block else [] for block in (body, orelse)]
                return [like(gast.If(self.speller.test(test), parts[0], parts[1]), node)]
            case gast.Assign(targets=[gast.Subscript()]):
                (stored,) = self.statement(node)
                return [like(gast.If(expression("cuda.threadIdx.x == 0"), [stored], []), node)]
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                made = self.statement(node)
                self.known.pop(name, None)
                if isinstance(value, gast.Constant) or syntax.operator_of(value) == "cast":
                    self.known[name] = value
                return made
            case gast.Raise():
                raise Unmappable("an error is raised between loops")
        return self.statement(node)

    def stopped_together(self, test: gast.expr) -> list[gast.stmt]:
        """The same for all threads of a row at once: what one reads of the word another may not see yet."""
        made = self.stopped(test)
        return python(f"if {{any}}({FAILED}[0] != 0):\n    break", any=self.need("row_any")) if made else []

    def is_together(self, node: gast.stmt) -> bool:
        """Whether threads may take the iterations of a loop: not where they add to the same elements."""
        if not is_together(node) or arrays_handed_on(node, self.types):
            return False
        if any(choice.also for choice in choices_in(node)):
            return False  # what is kept besides is known to one thread
        return kind_of(node) == "prange" or self.has_free_turns(node)

    def inside(self, body: Sequence[gast.stmt]) -> list[gast.stmt]:
        """The block of a compound statement: what was stored in it is seen after it and in its next iteration."""
        before, self.touched = self.touched, []
        self.known.clear()
        made = self.row(body)
        if any(stored for *_, stored in self.touched):
            made += self.wait()
        self.touched = before
        self.known.clear()
        return made

    def counted_by_all(self, node: gast.For, variable: str) -> list[gast.stmt]:
        start, stop, step = (self.speller.as_dtype(bound, "i64") for bound in node.iter.args)
        if not isinstance(step, gast.Constant | gast.UnaryOp):
            raise Unmappable("the step of a loop is not known")
        self.own.add(variable)
        iter_ = range_of(start, stop, step)
        return [like(gast.For(syntax.target(variable), iter_, self.inside(node.body), [], None), node)]

    # --- loops that threads take together

    def together(self, node: gast.For) -> list[gast.stmt]:
        found = self.accumulators(node) if kind_of(node) != "prange" else {}
        made: list[gast.stmt] = []
        behind: list[gast.stmt] = []
        for name, (operator, fold) in found.items():
            start = neutral(operator, dtype_of(self.types[name]), fold)
            folded = self.fold_name(name, operator)
            if self.begins_with(name, fold):
                behind += python("{t} = {fold}({t})", t=name, fold=folded)
            else:
                part = Names({*self.types, *self.own, *self.parameters}).fresh(f"{name}_part")
                self.own.add(part)
                self.renamed[name] = part
                made += python("{part} = {start}", part=part, start=start)
                row = syntax.call(operator, syntax.name(name), syntax.name(part))
                self.types = {**self.types, part: self.types[name]}
                behind.append((name, operator, folded, part, row))  # type: ignore[arg-type]
        ahead, chosen = self.chosen(node)
        made += ahead
        variable = node.target.id
        self.own.add(variable)
        _, stop = bounds(node)
        first = first_turn(node, self.speller, expression("cuda.threadIdx.x"))
        made += python("{j} = {first}", j=variable, first=first)
        body = self.turns(node.body) + python("{j} += cuda.blockDim.x", j=variable)
        test = expression("{j} < {stop}", j=variable, stop=self.speller.as_dtype(stop, "i64"))
        made.append(gast.While(test, body, []))
        made = [like(s, node) for s in (*made, *chosen)]
        for step in behind:
            if isinstance(step, tuple):
                made.append(like(self.combined(*step), node))
            else:
                made.append(like(step, node))
        for name in (*found, *(n for choice in choices_in(node) for n in choice.names)):
            self.renamed.pop(name, None)
            self.known.pop(name, None)
        return made

    def chosen(self, node: gast.For) -> tuple[list[gast.stmt], list[gast.stmt]]:
        """The statements ahead of a loop whose iterations choose, and after it: each thread begins with nothing."""
        ahead: list[gast.stmt] = []
        behind: list[gast.stmt] = []
        for choice in choices_in(node) if kind_of(node) == "folding" else []:
            nothing = nothing_yet(choice.operator, dtype_of(self.types[choice.best]))
            start = number_of(self.known.get(choice.place))
            if start is not None and number_of(self.known.get(choice.best)) == nothing:
                behind += folded(self, choice, {n: n for n in choice.names})
                continue
            parts = {n: Names({*self.types, *self.own, *self.parameters}).fresh(f"{n}_part") for n in choice.names}
            self.own |= set(parts.values())
            self.types = self.speller.types = {**self.types, **{part: self.types[n] for n, part in parts.items()}}
            self.renamed.update(parts)
            ahead += begun(self, choice, parts, -1)
            behind += folded(self, choice, parts)
            test = wins(self, choice, syntax.name(parts[choice.best]), syntax.name(choice.best))
            behind.append(taken(choice, test, {n: syntax.name(p) for n, p in parts.items()}, {n: n for n in parts}))
        return ahead, behind

    def combined(self, name: str, operator: str, folded: str, part: str, row: gast.expr) -> gast.stmt:
        """`name = name + row_sum(part)`."""
        self.renamed.pop(name, None)
        total = gast.Call(syntax.name(folded), [syntax.name(part)], [])
        speller_types = self.speller.types
        self.speller.types = {**speller_types, part: self.types[name]}
        made = self.speller.expression(row)
        self.speller.types = speller_types
        (statement,) = python("{t} = {made}", t=name, made=with_name(made, part, total))
        return statement

    def begins_with(self, name: str, fold: object) -> bool:
        """Whether the name is known to hold what a fold begins with."""
        start = fold.start(dtype_of(self.types[name]))  # type: ignore[attr-defined]
        return number_of(self.known.get(name)) == start

    # --- who waits

    def waits_before(self, node: gast.stmt) -> list[gast.stmt]:
        """A barrier of the row, where a statement touches what other threads have stored or still read."""
        if isinstance(node, gast.If | gast.While) or isinstance(node, gast.For) and not self.is_together(node):
            new = self.accesses_of(node, "all") if isinstance(node, gast.If | gast.While) else []
            inner = [a for s in syntax.walk([node]) for a in self.accesses_of(s, "all")]
            needed = any(self.clash(one, other) for one in self.touched for other in (*new, *inner))
            self.touched = [] if needed else self.touched
            return self.wait() if needed else []
        new = self.accesses_of(node, "each" if isinstance(node, gast.For) else "all")
        needed = any(self.clash(one, other) for one in self.touched for other in new)
        self.touched = new if needed else [*self.touched, *new]
        return self.wait() if needed else []

    def accesses_of(self, node: gast.stmt, who: str) -> list[Touched]:
        variable = node.target.id if isinstance(node, gast.For) else ""
        found: list[Touched] = []
        for statement in syntax.walk([node]):
            stored = syntax.stored_base(statement)
            for part in syntax.own_nodes(statement):
                if isinstance(part, gast.Subscript) and part.value.id in self.classes:
                    is_store = stored is not None and part is statement.targets[0]
                    form = syntax.form_of(part.slice, lambda n: "@" if n == variable else n)
                    mine = who == "each" and variable in syntax.names_read(part.slice)
                    by = "each" if mine else "one" if is_store else "all"
                    found.append((self.classes[part.value.id], by, form, is_store))
        return found

    @staticmethod
    def clash(one: Touched, other: Touched) -> bool:
        if one[0] != other[0] or not (one[3] or other[3]):
            return False
        same_thread = one[1] == other[1] in ("each", "one") and (one[1] == "one" or one[2] == other[2])
        return not same_thread

    def wait(self) -> list[gast.stmt]:
        return python("{row_sync}()", row_sync=self.need("row_sync"))

"""Take products of matrices that are written as loops out of them, as one product each.

    for i in range(n):                                  t = A @ B
        for j in range(l):                              for i in range(n):
            s = 0.0                              ->         for j in range(l):
            for p in range(m):                                  C[i, j] = alpha * t[i, j]
                s += A[i, p] * B[p, j]
            C[i, j] = alpha * s

The loop that adds up goes; all else stays where it is, as the product depends on nothing that the loops change.  Terms
are added in the order of the product.  Takes and gives typed programs; derivatives are taken of what it gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import gast

from ... import syntax
from ...analysis.def_use import def_use
from ...analysis.integers.affine import Affine
from ...analysis.integers.nest_scope import NestScope
from ...analysis.memory.accesses import Access, accesses
from ...analysis.memory.dependences import Dependences
from ...builder import Builder
from ...dtypes import has_dot
from ...names import Names
from ...ops.schema import row_of
from ...program import Decision, Function
from ...records import dataclass
from ...renaming import with_blocks
from ...tuning import LEAST_PRODUCT
from ...types import Array, Scalar, Type, symbols_of
from ..prune import prune
from ..simplify import simplify
from .apart import Apart
from .dots import Dots
from .forms import Form, form_of
from .hulls import Check, Hulls, plus_number
from .kernels import ALONG, Kernel, are_values, kernels, leading_to
from .maps import in_whole
from .running_sums import RunningSums
from .telling import is_told, product_told
from .versions import either, hands_on, versions


def products(function: Function) -> Function:
    """The function with products of matrices in the place of the loops that say them."""
    if is_told(function) or not _holds_nests(function.body):
        return function  # of what is taken, loops are left for operands that are too short
    made = function
    left: list[gast.stmt] = []
    told: list[Decision] = []
    while True:
        taking = Taking(made, left)
        body = taking.block(list(made.body), NestScope())
        if not taking.decisions:
            break
        told += taking.decisions
        made = made.with_(body=tuple(body), types=taking.build.types)
    if not told:
        return function
    return prune(simplify(made.with_(decisions=(*function.decisions, *dict.fromkeys(told)))))


def _holds_nests(body: Iterable[gast.stmt]) -> bool:
    compound = [s for s in body if type(s) in syntax.COMPOUND]
    return any(_is_deep(s) or any(map(_holds_nests, syntax.blocks_of(s))) for s in compound)


def _is_deep(loop: gast.stmt) -> bool:
    return type(loop) is gast.For and any(type(inner) is gast.For or _is_product(inner) for inner in loop.body)


def _is_product(statement: gast.stmt) -> bool:
    return type(statement) is gast.Assign and syntax.operator_of(statement.value) == "matmul"


@dataclass(frozen=True, slots=True)
class Made:
    """A product that stands ahead of the loops, and the variables along its axes."""
    name: str
    order: tuple[str, ...]


class Taking:
    """One function on the way; `left` are loops that stay as they are."""

    def __init__(self, function: Function, left: list[gast.stmt]) -> None:
        self.function, self.facts, self.left = function, def_use(function), left
        self.dependences = Dependences(function, {name: name for name in function.types})
        self.integers = self.dependences.integers
        types = dict(function.types)
        taken = {*types, *function.parameters, *(s for t in types.values() for s in symbols_of(t))}
        self.build = Builder(Names(taken), types, {})
        self.build.merged = {n for n, found in self.facts.definitions.items() if len(found) > 1}
        self._remember_lengths()
        self.dots = Dots(function, self.facts, self.dependences, self.build)
        self.apart, self.running_sums = Apart(self), RunningSums(self.dots)
        self.decisions: list[Decision] = []

    def _remember_lengths(self) -> None:
        for name, found in self.facts.definitions.items():
            value = getattr(found[0], "value", None)
            if len(found) == 1 and value is not None and syntax.operator_of(value) == "dim":
                array = self.build.types[value.args[0].id]
                if isinstance(array, Array):
                    self.build.extents[name] = array.dims[syntax.static_of(value)["axis"]]

    def block(self, body: list[gast.stmt], scope: NestScope) -> list[gast.stmt]:
        made: list[gast.stmt] = []
        for statement in body:
            if any(statement is loop for loop in self.left):
                made.append(statement)
                continue
            if isinstance(statement, gast.For):
                taken = self._of_loop(statement, scope)
                if taken is not None:
                    made += taken
                    continue
            inside = scope
            if isinstance(statement, gast.For | gast.While):
                inside = scope.inside(self.integers.loop(statement))
            if syntax.blocks_of(statement):
                blocks = [self.block(list(block), inside) for block in syntax.blocks_of(statement)]
                statement = with_blocks(statement, blocks)
            made.append(statement)
        return made

    def _of_loop(self, loop: gast.For, scope: NestScope) -> list[gast.stmt] | None:
        """The loops without the one that adds up, below the product; None where they hold none."""
        if not _is_deep(loop):
            return None
        for reader in (self.dots, self.running_sums):
            taken = reader.of_loop(loop, scope)
            if taken is not None:
                self.left.append(loop)
                self.decisions.append(reader.told(loop))
                return taken
        for kernel in kernels(loop, self.facts, self.integers.types):
            form = form_of(kernel, self.integers)
            if form is None or not self.stays(form) or not self.fits(form):
                continue
            if scope.loops and len(form.free) < 2:  # a product with a vector, which may be short, again and again
                continue
            hulls = Hulls(form.kernel.levels, form.adding, self.integers, scope)
            found = [hulls.checks(operand) for operand in form.operands] if hulls.is_known else [None]
            if None not in found and not self.is_small(hulls):
                taken = self._taken(form, hulls, scope, [check for checks in found for check in checks or ()])
                if taken is not None:
                    self.tell(form)
                    return taken
        return self.apart.of_loop(loop, scope)

    def tell(self, form: Form) -> None:
        self.decisions.append(product_told([level.loop for level in form.kernel.levels], len(form.free) > 1))

    # --- whether it may be taken

    def stays(self, form: Form, is_apart: bool = False) -> bool:
        """Whether the operands are what they are ahead of the loops, and the sum is nothing but a sum.

        In loops of its own, what leads to it is computed for nothing else.
        """
        loop = form.kernel.levels[0].loop
        stored = {syntax.stored_base(s) for s in syntax.walk([loop])}
        arrays = {operand.array for operand in form.operands}
        if arrays & stored or arrays & self.integers.bound_in(loop):
            return False
        if any(not isinstance(s, gast.Assign | gast.For | gast.If) for s in syntax.walk([loop])):
            return False
        depth = self._depth(form)
        if any(level.after or not are_values(level.before) for level in form.kernel.levels[depth:-1]):
            return False
        return self._needed(form) is not None and (is_apart or self._sum_is_local(form))

    def _depth(self, form: Form) -> int:
        """The place of the loop that adds up."""
        return next(k for k, level in enumerate(form.kernel.levels) if level.variable == form.adding)

    def fits(self, form: Form) -> bool:
        """Whether all is of one dtype that the library knows."""
        loads = [operand.load for operand in form.operands if operand.load is not None]
        names = [*(load.targets[0].id for load in loads), form.kernel.value]
        types = [self.integers.types[name] for name in names]
        dtypes = {getattr(type_, "dtype", "") for type_ in types}
        return len(dtypes) == 1 and not any(map(_is_weak, types)) and has_dot(dtypes.pop())

    def _needed(self, form: Form) -> list[gast.stmt] | None:
        """The statements inside of the adding loop that the rest of the factors needs; None where they depend on it."""
        inside = [s for level in form.kernel.levels[self._depth(form) :] for s in level.before]
        inside += form.kernel.inner
        wanted = {n for atom in form.rest for n in syntax.names_read(atom)}
        deeper = form.kernel.levels[self._depth(form) + 1 :]
        bounds = {n for level in deeper for n in syntax.names_read(level.loop.iter)}
        if form.kernel.load is not None:
            wanted.add(form.kernel.load.targets[0].id)
            wanted |= {*syntax.names_read(form.kernel.target.slice)}
        found = leading_to(wanted, inside)
        reads = {n for s in (*found, *leading_to(bounds, inside)) for n in syntax.names_read(s)}
        return None if form.adding in wanted | bounds | reads else found

    def _sum_is_local(self, form: Form) -> bool:
        """Whether what the kernel computes is read nowhere else; a sum in a name starts right before the loop."""
        kernel = form.kernel
        own = [s for level in kernel.levels[self._depth(form) :] for s in level.before] + [*kernel.inner]
        made = {n for s in own for n in syntax.names_bound(s)}
        reads = [n for s in own for n in syntax.names_read(s)]
        deeper = [level for level in kernel.levels[self._depth(form) + 1 :] if not level.is_slice]
        reads += [n for level in deeper for n in syntax.names_read(level.loop.iter)]
        if isinstance(kernel.target, str):
            made.discard(kernel.target)
            level = kernel.levels[-2]
            starts = [s for s in level.before if kernel.target in syntax.names_bound(s)]
            later = sum(_read_count(s, kernel.target) for s in level.after)
            if len(starts) != 1 or len(self.facts.definitions[kernel.target]) != 2:
                return False
            if not syntax.is_atom(starts[0].value) or self.facts.count[kernel.target] != later + 1:
                return False
        return all(self.facts.count[name] == reads.count(name) for name in made)

    def _raises(self, form: Form, scope: NestScope) -> bool:
        """Whether other statements in the loops may raise: the first error would be another."""
        levels = form.kernel.levels
        own = {id(s) for level in levels[self._depth(form) :] for s in syntax.walk([level.loop])}
        for statement in syntax.walk([levels[0].loop]):
            value = getattr(statement, "value", None)
            row = row_of(syntax.operator_of(value)) if value is not None and id(statement) not in own else None
            if row is not None and row.raises([self.build.type_of(a) for a in value.args], syntax.static_of(value)):
                return True
        found = list(accesses([levels[0].loop], scope, self.integers))
        nodes = {id(n) for level in levels[self._depth(form) :] for s in level.loop.body for n in syntax.nodes_of(s)}
        return not all(id(access.node) in nodes or self._is_inside(access) for access in found)

    def _is_inside(self, access: Access) -> bool:
        dims = getattr(self.build.types[access.array], "dims", ())
        items = [item for item in access.items if item is not None and not isinstance(item, gast.Slice)]
        inside = (self.integers.is_inside(item, extent, access.scope) for item, extent in zip(items, dims))
        return len(items) == len(dims) and all(inside)

    def is_small(self, hulls: Hulls) -> bool:
        """Whether the lengths are known, and so short that loops are as good."""
        count = 1
        for variable, stop in hulls.stops.items():
            length = stop.form - hulls.starts[variable].form
            if length.terms:
                return False
            count *= max(length.constant, 0)
        return count < LEAST_PRODUCT

    # --- taking it

    def _taken(
        self, form: Form, hulls: Hulls, scope: NestScope, checks: Sequence[Check]
    ) -> list[gast.stmt] | None:
        """What comes in the place of the loops; the loops themselves where they go beyond an operand.

        None where both would hand on a value.
        """
        build, loop = self.build, form.kernel.levels[0].loop
        build.body, build.span, build.inlined = [], loop.span, getattr(loop, "inlined", ())
        hulls.prepare(build)
        tests = self.idle(form, hulls, checks)
        may_shorten = hulls.stops[form.adding].form != Affine(1)  # of an axis whose length is 1 by its type
        is_exact = may_shorten and not form.is_slice and hulls.is_exact(checks) and not self._raises(form, scope)
        if not tests and (not checks or is_exact):
            hulls.check(build, checks)
            return self.product(form, hulls, checks)
        if hands_on(loop, self.facts):
            return None
        tests += [hulls.is_short(build, checks)] if checks else []
        ahead, build.body = build.body, []
        test = either(build, tests, ahead)
        made = self.product(form, hulls, ())
        self.left.append(loop)
        return [*ahead, *versions(build, self.integers, loop, test, made)]

    def idle(self, form: Form, hulls: Hulls, checks: Sequence[Check]) -> list[gast.expr]:
        """Whether the loop that adds up has no turns, and so does not see that an array is too short."""
        start, stop = hulls.starts[form.adding], hulls.stops[form.adding]
        if self.integers.is_natural(stop.form - start.form.plus(1), hulls.scope):
            return []
        beside = [check for check in checks if check.axis.variable != form.adding]
        if not beside and (form.place is None or hulls.checks(form.place) == []):
            return []
        ends = (hulls.ahead(self.build, end.atom) for end in (stop, start))
        return [self.build.call("less_equal", *ends, hint="is_idle")]

    def product(self, form: Form, hulls: Hulls, checks: Sequence[Check]) -> list[gast.stmt]:
        """The products, and the loops that read their elements."""
        build = self.build
        if any(check.axis.variable == form.adding for check in checks):
            hulls.shorten(build, checks)
        made = {}
        for product in form.products:
            names = [v for v in product.left.variables if v != form.adding]
            others = [v for v in product.right.variables if v != form.adding]
            left = hulls.part(build, product.left, [*names, form.adding], product.left.array)
            right = hulls.part(build, product.right, [form.adding, *others], product.right.array)
            wish = form.kernel.target if isinstance(form.kernel.target, str) else "product"
            name = build.call("matmul", left, right, hint=wish)
            assert isinstance(name, gast.Name)
            made[id(product)] = Made(name.id, (*names, *others))
        ahead, build.body = build.body, []
        nest, whole = self._without(form, hulls, made, 0), {one.name for one in made.values()}
        return [*ahead, *in_whole(nest, whole, build, self.integers, hulls.scope)]

    def _without(self, form: Form, hulls: Hulls, made: Mapping[int, Made], depth: int) -> list[gast.stmt]:
        """The loops from a level on, without the one that adds up."""
        if depth == len(form.kernel.levels):
            return self._last(form, hulls, made)
        level = form.kernel.levels[depth]
        inner = self._without(form, hulls, made, depth + 1)
        if depth == len(form.kernel.levels) - 1:
            is_gone = level.is_slice or level.variable == form.adding
            return inner if is_gone else [syntax.rebuild(level.loop, body=inner)]
        before = level.before
        if depth >= self._depth(form):
            next_ = form.kernel.levels[depth + 1].loop
            before = tuple(leading_to({*syntax.names_read(next_.iter)}, before))
        if level.variable == form.adding:
            return [*before, *inner]
        if isinstance(form.kernel.target, str) and depth == len(form.kernel.levels) - 2:
            before = tuple(s for s in before if form.kernel.target not in syntax.names_bound(s))
        return [syntax.rebuild(level.loop, body=[*before, *inner, *level.after])]

    def _last(self, form: Form, hulls: Hulls, made: Mapping[int, Made]) -> list[gast.stmt]:
        """What adds elements of the products to what the kernel added to."""
        build, kernel = self.build, form.kernel
        end = kernel.inner[-1]
        build.body, build.span, build.inlined = [], end.span, getattr(end, "inlined", ())
        needed = self._needed(form)
        assert needed is not None
        value = _start(kernel)
        for product in form.products:
            one = made[id(product)]
            places = [self._place(form, hulls, variable) for variable in one.order]
            term: gast.expr = build.load(one.name, places)
            for factor in product.rest:
                term = build.call("multiply", factor, term)
            if product.sign < 0:
                value = build.call("subtract", value, term)
            elif isinstance(value, gast.Constant) and value.value == 0.0:
                value = term
            else:
                value = build.call("add", value, term)
        build.append(syntax.assign(kernel.target, value))
        return [*needed, *build.body]

    def _place(self, form: Form, hulls: Hulls, variable: str) -> gast.expr:
        """The place of a loop's turn along the axis of the product."""
        start = hulls.starts[variable]
        first = plus_number(self.build, start.atom, start.plus)
        if variable == ALONG:
            return self._slice(form, hulls, first)
        if isinstance(first, gast.Constant) and first.value == 0:
            return syntax.name(variable)
        return self.build.call("subtract", syntax.name(variable), first)

    def _slice(self, form: Form, hulls: Hulls, first: gast.expr) -> gast.expr:
        """What stands for a slice along the axis of the product, which begins at `first`."""
        item = next(item for item in form.kernel.target.slice.elts if isinstance(item, gast.Slice))
        ends = [None if b is None or hulls.is_ahead(b) else b for b in (item.lower, item.upper)]
        if isinstance(first, gast.Constant) and first.value == 0:
            return syntax.slice_(*ends)
        return syntax.slice_(*(None if b is None else self.build.call("subtract", b, first) for b in ends))


def _is_weak(type_: Type) -> bool:
    return isinstance(type_, Scalar) and type_.weak


def _start(kernel: Kernel) -> gast.expr:
    """What the sum is added to: the element that was there, or what its name was given right before the loop."""
    if kernel.load is not None:
        return syntax.name(kernel.load.targets[0].id)
    (given,) = (s for s in kernel.levels[-2].before if kernel.target in syntax.names_bound(s))
    start: gast.expr = given.value
    return start


def _read_count(statement: gast.stmt, name: str) -> int:
    return syntax.names_read(statement).count(name)

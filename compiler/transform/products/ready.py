"""Judge which sums may be taken out of loops: what they multiply is what it was ahead, and a product is worth it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import gast

from ... import syntax
from ...analysis.def_use import DefUse
from ...analysis.integers.affine import Affine
from ...analysis.integers.nest_scope import NestScope
from ...analysis.memory.accesses import Access, accesses
from ...analysis.memory.alias import stored_names
from ...analysis.memory.dependences import Dependences
from ...builder import Builder, type_of_constant
from ...dtypes import has_dot
from ...ops.schema import row_of
from ...records import dataclass
from ...tuning import LEAST_PRODUCT
from ...types import Scalar, Type
from .forms import Form, Operand, form_of
from .hulls import Check, Hulls, plus_number
from .sums import Kernel, are_values
from .whole import needed, starts_of


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """A sum that may be taken, and which axes may be too short for it."""

    form: Form
    hulls: Hulls
    checks: tuple[Check, ...]

    @property
    def loop(self) -> gast.For:
        return self.form.kernel.levels[0].loop


class Judge:
    """The sums of one function."""

    def __init__(self, body: Sequence[gast.stmt], facts: DefUse, dependences: Dependences) -> None:
        self.body, self.facts, self.dependences, self.integers = body, facts, dependences, dependences.integers
        self.types = self.integers.types

    def ready(
        self, kernel: Kernel, scope: NestScope, touched: Sequence[Access], is_apart: bool = False
    ) -> Ready | None:
        """A sum, if it may be taken; in loops of its own, what leads to it is computed for nothing else."""
        form = form_of(kernel, self.integers, scope)
        loop = kernel.levels[0].loop
        if form is None or not self.fits(form):
            return None
        if not all(self.is_old(side, loop, scope, touched) for side in form.operands):
            return None
        hulls = Hulls(kernel.levels, form.adding, self.integers, scope)
        if not hulls.is_known or not self._is_shaped(form, hulls) or not _pays(form, hulls) or self._is_small(hulls):
            return None
        if not (self._is_kept(form) if kernel.is_dot else self._is_plain(form, hulls, is_apart)):
            return None
        checks = hulls.needed(form.operands)
        if checks is None or not all(hulls.is_ahead(end) for one, _, other in form.lengths for end in (one, other)):
            return None
        if not scope.loops:  # what is copied in a loop is another one in each iteration
            form = self._from_sources(form)
        return Ready(form, hulls, tuple(checks))

    def fits(self, form: Form) -> bool:
        """Whether all is of one dtype that the library knows."""
        value = self.types[form.kernel.value]
        dtypes = {getattr(type_, "dtype", "") for type_ in (value, *(self.types[o.array] for o in form.operands))}
        return len(dtypes) == 1 and not (isinstance(value, Scalar) and value.weak) and has_dot(dtypes.pop())

    def is_old(self, side: Operand, loop: gast.For, scope: NestScope, touched: Sequence[Access]) -> bool:
        """Whether what is read of an operand is what it was ahead of the loops."""
        stores = [(place, a) for place, a in enumerate(touched) if a.is_store and a.array == side.array]
        statement = None if side.load is None else side.load.statement
        if side.array in self.integers.bound_in(loop) or (stores and statement is None):
            return False
        if not stores or statement is None:
            return True
        place, load = next((k, a) for k, a in enumerate(touched) if a.node is statement.value)
        around = len(scope.loops)
        return not any(self.dependences.may_follow(store, load, k < place, around) for k, store in stores)

    def _is_shaped(self, form: Form, hulls: Hulls) -> bool:
        """Whether a sum of which each has other terms is that of two matrices."""
        if hulls.triangle is None:
            return True
        if not form.kernel.is_dot and not (self._is_stored(form, hulls) and self._is_rest_inside(form, hulls)):
            return False  # what is beside sums without terms is not seen by the loops
        sides = [side for product in form.products for side in (product.left, product.right)]
        return hulls.triangle.variable in form.free and all(len(side.variables) == 2 for side in sides)

    def _is_small(self, hulls: Hulls) -> bool:
        """Whether the lengths are known, and so short that loops are as good."""
        count = 1
        for variable, stop in hulls.stops.items():
            length = stop.form - hulls.starts[variable].form
            if length.terms:
                return False
            count *= max(length.constant, 0)
        return count < LEAST_PRODUCT

    def _is_kept(self, form: Form) -> bool:
        """Whether the loops fill an array that is as large as the product: they may be there to do without one."""
        levels = {level.variable for level in form.kernel.levels if not level.is_slice}
        wanted = {self.integers.number_of(variable) for variable in form.free if variable in levels}
        for statement in syntax.walk([form.kernel.levels[0].loop]):
            if syntax.stored_base(statement) is not None:
                forms = [self.integers.of(item) for item in statement.targets[0].slice.elts if syntax.is_atom(item)]
                if wanted <= {unknown for form in forms if form is not None for unknown, _ in form.terms}:
                    return bool(wanted)
        return False

    def _is_plain(self, form: Form, hulls: Hulls, is_apart: bool) -> bool:
        """Whether the loop that adds up does nothing else."""
        levels, bound = form.kernel.levels, self.integers.bound_in(form.kernel.levels[0].loop)
        if hulls.turned:
            is_alone = all(not level.after and are_values(level.before) for level in levels[:-1])
            return is_alone and all(bound.isdisjoint(syntax.names_read(factor)) for factor in form.rest)
        if any(level.after or not are_values(level.before) for level in levels[form.depth : -1]):
            return False
        return needed(form) is not None and (is_apart or self._sum_is_local(form))

    def _sum_is_local(self, form: Form) -> bool:
        """Whether what the kernel computes is read nowhere else; a sum in a name starts right before the loop."""
        kernel = form.kernel
        own = [s for level in kernel.levels[form.depth :] for s in level.before] + [*kernel.inner]
        made = {n for s in own for n in syntax.names_bound(s)}
        reads = [n for s in own for n in syntax.names_read(s)]
        deeper = [level for level in kernel.levels[form.depth + 1 :] if not level.is_slice]
        reads += [n for level in deeper for n in syntax.names_read(level.loop.iter)]
        if isinstance(kernel.target, str):
            made.discard(kernel.target)
            starts = starts_of(kernel)
            later = sum(syntax.names_read(s).count(kernel.target) for s in kernel.levels[-2].after)
            if len(starts) != 1 or len(self.facts.definitions[kernel.target]) != 2:
                return False
            if not syntax.is_atom(starts[0].value) or self.facts.count[kernel.target] != later + 1:
                return False
        return all(self.facts.count[name] == reads.count(name) for name in made)

    def idle_in(self, form: Form) -> list[gast.stmt]:
        """The statements that were for the sum alone: where its name begins, and slices that are multiplied."""
        if not form.kernel.is_dot:
            return starts_of(form.kernel) if isinstance(form.kernel.target, str) else []
        loads = [side.load for side in form.operands if side.load is not None and side.load.statement is not None]
        return [load.statement for load in loads if self.facts.count[load.name] == 1 and load.statement is not None]

    def _from_sources(self, form: Form) -> Form:
        """Operands that are copies in which nothing has been stored yet are read where they were copied from."""
        loop = form.kernel.levels[0].loop
        moved = []
        for product in form.products:
            left, right = (replace(s, array=self._source(s.array, loop)) for s in (product.left, product.right))
            moved.append(replace(product, left=left, right=right))
        return replace(form, products=tuple(moved))

    def _source(self, array: str, loop: gast.For) -> str:
        match self.facts.value_of(array):
            case gast.Call(func=gast.Name(id="copy"), args=[gast.Name(id=source)]) if loop in self.body:
                ahead = syntax.walk(self.body[: self.body.index(loop)])
                stored = {name for s in syntax.walk(self.body) for name in stored_names(s)}
                is_changed = source in stored or any(array in stored_names(s) for s in ahead)
                return array if is_changed else source
        return array

    # --- what is raised

    def idle(self, one: Ready, build: Builder) -> list[gast.expr]:
        """Whether a loop has no iterations, and so does not see that an array is too short, or is not what sees it."""
        form, hulls, asked = one.form, one.hulls, list[str]()
        if any(check.axis.variable != form.adding for check in one.checks) or not self._is_stored(form, hulls):
            asked = [form.adding]
        if not self._is_rest_inside(form, hulls):
            asked = [level.variable for level in form.kernel.levels[form.depth :]]
        found = []
        for variable in asked if not form.kernel.is_dot else ():
            if not hulls.has_turns(variable):
                ends = (plus_number(build, hulls.ahead(build, end.atom), end.plus)
                        for end in (hulls.stops[variable], hulls.starts[variable]))  # fmt: skip
                found.append(build.call("less_equal", *ends, hint="is_idle"))
        return found

    def _is_stored(self, form: Form, hulls: Hulls) -> bool:
        """Whether all that is added to is surely there."""
        return form.place is None or hulls.checks(form.place, with_slices=True) == []

    def _is_rest_inside(self, form: Form, hulls: Hulls) -> bool:
        """Whether the elements that stay factors of the sums are surely there."""
        kept = () if hulls.turned else needed(form) or ()
        nodes = {id(n) for s in kept if s is not form.kernel.load for n in syntax.nodes_of(s)}
        found = accesses([form.kernel.levels[0].loop], hulls.scope, self.integers) if nodes else ()
        return all(self._is_inside(access, None) for access in found if id(access.node) in nodes)

    def is_alone(self, one: Ready) -> bool:
        """Whether a loop with nothing but a product of slices raises what its one check raises, and no other error."""
        checks, levels = one.checks, one.form.kernel.levels
        if not one.form.kernel.is_dot or len(checks) != 1 or not levels[1].is_slice:
            return False
        (check,), variable = checks, levels[0].variable
        if check.is_slice or check.axis.variable != variable:
            return False
        has_turns = one.hulls.starts[variable].form == Affine(0) or one.hulls.has_turns(variable)
        if not has_turns or check.axis.offset or not all(isinstance(s, gast.Assign) for s in one.loop.body):
            return False
        return not self._raises(one, {id(s) for s in one.form.kernel.inner}, check)

    def is_exact(self, one: Ready) -> bool:
        """Whether loops raise first what the checks raise."""
        form, hulls = one.form, one.hulls
        if any(level.is_slice for level in form.kernel.levels):
            return self.is_alone(one)
        may_shorten = hulls.stops[form.adding].form != Affine(1)  # it is 1 for an axis whose length is 1 by its type
        own = {id(s) for level in form.kernel.levels[form.depth :] for s in syntax.walk([level.loop])}
        loads = [check.operand.load for check in one.checks]
        if any(load is None or not any(load.statement is s for s in form.kernel.inner) for load in loads):
            return False  # the loops inside of it need have no iterations
        return may_shorten and hulls.is_exact(one.checks) and not self._raises(one, own, None)

    def raises(self, statements: Iterable[gast.stmt]) -> bool:
        """Whether statements may raise anything but that an element is not there."""
        for statement in statements:
            value = getattr(statement, "value", None)
            row = None if value is None else row_of(syntax.operator_of(value))
            if not isinstance(statement, gast.Assign | gast.For | gast.If):
                return True
            if row is not None and row.raises([self._type_of(a) for a in value.args], syntax.static_of(value)):
                return True
        return False

    def _type_of(self, atom: gast.expr) -> Type:
        return self.types[atom.id] if isinstance(atom, gast.Name) else type_of_constant(atom.value)

    def _raises(self, one: Ready, but: Collection[int], check: Check | None) -> bool:
        """Whether the loops may raise anything but what a check raises, some statements left out."""
        others = [s for s in syntax.walk([one.loop]) if id(s) not in but]
        nodes = {id(n) for s in syntax.walk([one.loop]) if id(s) in but for n in syntax.own_nodes(s)}
        found = accesses([one.loop], one.hulls.scope, self.integers)
        is_quiet = all(id(access.node) in nodes or self._is_inside(access, check) for access in found)
        return not is_quiet or self.raises(others)

    def _is_inside(self, access: Access, check: Check | None) -> bool:
        dims = getattr(self.types[access.array], "dims", ())
        for axis, (item, extent) in enumerate(zip(access.items, dims, strict=True)):
            if check is not None and isinstance(item, gast.Slice):
                continue
            is_told = check is not None and (access.array, axis) == (check.operand.array, check.place)
            if is_told and getattr(item, "id", "") == check.axis.variable:
                continue
            if item is None or isinstance(item, gast.Slice) or not self.integers.is_inside(item, extent, access.scope):
                return False
        return True


def _pays(form: Form, hulls: Hulls) -> bool:
    """Whether a product with a vector does: in each iteration it may be short, and columns are read by rows then."""
    if not hulls.scope.loops or len(form.free) > 1:
        return True
    return form.kernel.is_dot and any(
        side.variables.index(form.adding) == 0 and len(side.variables) == 2 for side in form.operands
    )

"""Make a failing program small: as long as the same kind of failure stays.

    shrink(case, fails)  ->  a smaller case for which `fails` still holds

Edits of the tree, large ones first: drop calls, drop statements, put a block's body in its place, replace an expression
by one of its parts or by a constant, drop functions and parameters' lengths.  After an edit that holds, the next ones
start from the smaller program.
"""

import ast
import copy
import dataclasses
import time
from collections.abc import Callable, Iterator

from .case import Call, Case


def shrink(case: Case, fails: Callable[[Case], bool], seconds: float = 60.0) -> Case:
    """The smallest case found in the time given."""
    until = time.monotonic() + seconds
    statements = (fewer_halves, fewer_statements, fewer_statements)
    for edits in (fewer_calls, *statements, smaller_expressions, smaller_arguments, fewer_statements):
        case = settle(case, fails, edits, until)
    return case


def settle(case, fails, edits, until):
    """Apply the first edit that keeps the failure, again and again, going on where it was."""
    position = 0
    while time.monotonic() < until:
        candidates = list(edits(case))
        if position >= len(candidates):
            return case
        for number, smaller in enumerate(candidates[position:], position):
            if time.monotonic() > until:
                return case
            if smaller.size() <= case.size() and smaller != case and fails(smaller):
                case, position = smaller, number
                break
        else:
            return case
    return case


# --- calls -----------------------------------------------------------------------------------------------------------


def fewer_calls(case: Case) -> Iterator[Case]:
    """One call alone; then without one of them."""
    if len(case.calls) > 1:
        for call in case.calls:
            yield dataclasses.replace(case, calls=(call,))
        for number in range(len(case.calls)):
            yield dataclasses.replace(case, calls=case.calls[:number] + case.calls[number + 1 :])


def smaller_arguments(case: Case) -> Iterator[Case]:
    """Calls with simpler expressions for their arguments, and with changes of the module left out."""
    for number, call in enumerate(case.calls):
        if call.before:
            yield _with_call(case, number, Call(call.arguments))
        for text in expression_edits(call.arguments):
            yield _with_call(case, number, Call(text, call.before))


def _with_call(case, number, call):
    return dataclasses.replace(case, calls=(*case.calls[:number], call, *case.calls[number + 1 :]))


def expression_edits(text):
    tree = ast.parse(text, mode="eval")
    for edit in expression_places(tree):
        changed = copy.deepcopy(tree)
        if edit(changed):
            yield ast.unparse(changed)


# --- statements ------------------------------------------------------------------------------------------------------


def fewer_statements(case: Case) -> Iterator[Case]:
    """Without one statement, from the end; and with a block's body in the place of the block."""
    tree = ast.parse(case.source)
    places = list(_statement_places(tree))
    for path, field, index in reversed(places):
        for edit in (_drop, _unwrap, _drop_else):
            changed = copy.deepcopy(tree)
            if edit(getattr(_at(changed, path), field), index):
                yield from _with_source(case, changed)


def fewer_halves(case: Case) -> Iterator[Case]:
    """Without a half, a quarter, an eighth of the statements of `program`, from the end."""
    tree = ast.parse(case.source)
    count = len(_main(tree).body)
    size = count // 2
    while size > 1:
        for start in range(max(count - size, 0), -1, -size):
            changed = copy.deepcopy(tree)
            del _main(changed).body[start : start + size]
            yield from _with_source(case, changed)
        size //= 2


def _main(tree):
    return next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "program")


def _statement_places(tree, path=()):
    """Every place of a statement: a path to its parent, the field, the index."""
    for field in ("body", "orelse"):
        for index, statement in enumerate(getattr(tree, field, None) or []):
            if not isinstance(statement, ast.stmt):
                return
            yield path, field, index
            yield from _statement_places(statement, (*path, (field, index)))


def _at(tree, path):
    for field, index in path:
        tree = getattr(tree, field)[index]
    return tree


def _drop(block, index):
    if isinstance(block[index], ast.Import | ast.ImportFrom | ast.Pass):
        return False
    del block[index]
    return True


def _unwrap(block, index):
    if not isinstance(block[index], ast.For | ast.While | ast.If):
        return False
    block[index : index + 1] = block[index].body
    return True


def _drop_else(block, index):
    if not getattr(block[index], "orelse", None):
        return False
    block[index].orelse = []
    return True


def _with_source(case, tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.For | ast.While | ast.If | ast.ClassDef) and not node.body:
            node.body = [ast.Pass()]
    text = ast.unparse(ast.fix_missing_locations(tree))
    if "def program" in text:
        yield dataclasses.replace(case, source=text + "\n", loss=case.loss if f"def {case.loss}(" in text else "")


# --- expressions -----------------------------------------------------------------------------------------------------


def smaller_expressions(case: Case) -> Iterator[Case]:
    """With one expression replaced by a part of it, or by a constant; and without one parameter."""
    tree = ast.parse(case.source)
    for edit in expression_places(tree):
        changed = copy.deepcopy(tree)
        if edit(changed):
            yield from _with_source(case, changed)
    yield from fewer_parameters(case, tree)


def expression_places(tree):
    """Edits that replace the expression at one place; each changes a copy of the tree and says whether it could."""
    for number, node in enumerate(ast.walk(tree)):
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "bases", "decorator_list", "func"):
                continue
            if isinstance(value, ast.expr):
                for replacement in replacements(value):
                    yield _Replace(number, field, None, replacement)
            elif isinstance(value, list):
                for index, part in enumerate(value):
                    if isinstance(part, ast.expr):
                        if isinstance(node, ast.Tuple | ast.List) and len(value) > 1:
                            yield _Replace(number, field, index, None)
                        for replacement in replacements(part):
                            yield _Replace(number, field, index, replacement)


@dataclasses.dataclass(frozen=True)
class _Replace:
    number: int
    field: str
    index: int | None
    by: ast.expr | None

    def __call__(self, tree):
        node = next(node for number, node in enumerate(ast.walk(tree)) if number == self.number)
        by = copy.deepcopy(self.by)
        if self.index is None:
            setattr(node, self.field, by)
        elif by is None:
            del getattr(node, self.field)[self.index]
        else:
            getattr(node, self.field)[self.index] = by
        return True


def replacements(node):
    """Parts of an expression that may stand in its place, and small constants."""
    if isinstance(getattr(node, "ctx", None), ast.Store):
        return []
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.BoolOp(values=values):
            return values
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Compare(left=left):
            return [ast.Constant(True), ast.Constant(False)]
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
        case ast.Call(func=func, args=args):
            if ast.unparse(func) == "np.array":
                return []  # a list in its place would be another kind of argument
            inner = [func.value] if isinstance(func, ast.Attribute) and not _is_module(func.value) else []
            return [*inner, *args, ast.Constant(1.0)]
        case ast.Subscript(value=value):
            return [value]
        case ast.Constant(value=float() as value) if value not in (0.0, 1.0, 2.0):
            return [ast.Constant(1.0), ast.Constant(2.0), ast.Constant(round(value, 1))]
        case ast.Constant(value=int() as value) if not isinstance(value, bool) and value not in (0, 1, 2):
            return [ast.Constant(1), ast.Constant(2)]
        case ast.Name(id=name) if name not in ("np", "math", "nan", "inf"):
            return [ast.Constant(1.0)]
    return []


def _is_module(node):
    return isinstance(node, ast.Name) and node.id in ("np", "math")


def fewer_parameters(case, tree):
    """Without one parameter of `program`, where all calls are plain tuples."""
    main = next((s for s in tree.body if isinstance(s, ast.FunctionDef) and s.name == "program"), None)
    parsed = [ast.parse(call.arguments, mode="eval") for call in case.calls]
    if main is None or any(not isinstance(p.body, ast.Tuple) for p in parsed) or case.loss:
        return
    for index in range(len(main.args.args)):
        changed = copy.deepcopy(tree)
        function = next(s for s in changed.body if isinstance(s, ast.FunctionDef) and s.name == "program")
        if len(function.args.args) < 2 or any(len(p.body.elts) != len(function.args.args) for p in parsed):
            return
        del function.args.args[index]
        calls = tuple(Call(_without(p, index), c.before) for p, c in zip(parsed, case.calls))
        for made in _with_source(case, changed):
            yield dataclasses.replace(made, calls=calls)


def _without(parsed, index):
    kept = copy.deepcopy(parsed)
    del kept.body.elts[index]
    return ast.unparse(kept)


def names_plain(case: Case) -> str:
    """The program with its names numbered in order: what two findings of one fault have in common."""
    tree = ast.parse(case.source)
    known = {}
    for node in ast.walk(tree):
        for field in ("id", "arg", "name"):
            name = getattr(node, field, None)
            if isinstance(name, str) and name not in ("np", "math", "program", "len", "range"):
                setattr(node, field, known.setdefault(name, f"a{len(known)}"))
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            node.value = 1.0
    return ast.unparse(tree)

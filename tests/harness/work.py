"""Count the work of a printed stage: how many elements its operators make and read, without a clock.

    y = sin(x) * 2.0        2 * len(x) made, 2 * len(x) read; a view costs one, as does a number; n * k * m of a product

The printed text is run in CPython with every call, operator, store and iteration of a loop handed to a counter.  It is
the work of the program as it is written, before loops are fused: what counts is how it grows.
"""

import ast

import numpy as np


class Work:
    """A counter: `done` elements so far."""

    def __init__(self):
        self.done = 0

    def made(self, result, *operands):
        """What an operator gave for these operands; a view of one of them is there for nothing."""
        arrays = [o for o in operands if isinstance(o, np.ndarray)]
        is_view = isinstance(result, np.ndarray) and any(
            np.may_share_memory(result, a) and result.base is not None or result is a for a in arrays
        )
        self.done += 1
        if not is_view:
            self.done += _size(result) + sum(a.size for a in arrays)
        return result

    def called(self, function, *operands, **static):
        """A call of a function of the program is what it does inside; of anything else it is its elements."""
        result = function(*operands, **static)
        if getattr(function, "__module__", None) == "__counted__" and function.__name__ != "<lambda>":
            self.done += 1
            return result
        owner = getattr(function, "__self__", None)
        reads_length = getattr(function, "__name__", "") in ("len", "append", "pop", "range")
        return self.turn(result) if reads_length else self.made(result, owner, *operands)

    def multiplied(self, function, left, right):
        """A product of matrices is as many products of numbers."""
        self.done += np.size(left) * (np.shape(right)[-1] if np.ndim(right) > 1 else 1)
        return function(left, right)

    def turn(self, value=None):
        self.done += 1
        return value


def _size(value):
    if isinstance(value, tuple):
        return sum(map(_size, value))
    return value.size if isinstance(value, np.ndarray) else 0


class _Counting(ast.NodeTransformer):
    """Every operator of a program handed to `_work`."""

    def visit_Call(self, node):
        self.generic_visit(node)
        return ast.copy_location(ast.Call(_of("called"), [node.func, *node.args], node.keywords), node)

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if _is_number(node):
            return ast.copy_location(ast.Call(_of("turn"), [node], []), node)
        operator = ast.parse("lambda a, b: a + b", mode="eval").body
        operator.body.op = node.op
        method = "multiplied" if isinstance(node.op, ast.MatMult) else "called"
        return ast.copy_location(ast.Call(_of(method), [operator, node.left, node.right], []), node)

    def visit_Assign(self, node):
        self.generic_visit(node)
        return [node, *(_stored(target, node) for target in node.targets if isinstance(target, ast.Subscript))]

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        return [node, _stored(node.target, node)]

    def visit_For(self, node):
        self.generic_visit(node)
        node.body.insert(0, ast.copy_location(ast.Expr(ast.Call(_of("turn"), [], [])), node))
        return node

    visit_While = visit_For


def _is_number(node):
    return all(isinstance(n, ast.Constant | ast.BinOp | ast.operator) for n in ast.walk(node))


def _of(method):
    return ast.Attribute(ast.Name("_work", ast.Load()), method, ast.Load())


def _stored(target, node):
    """`_work.made(a[items])` after a store, as something made: as many elements as were written."""
    place = ast.parse(f"_work.turn(); _work.done += _np.size({ast.unparse(target)})").body
    block = ast.If(ast.Constant(True), place, [])
    return ast.fix_missing_locations(ast.copy_location(block, node))


def counted(text, entry):
    """The entry of a printed stage, with a counter of its work."""
    work = Work()
    tree = ast.fix_missing_locations(_Counting().visit(ast.parse(text)))
    namespace = {"_work": work, "_np": np, "__name__": "__counted__"}
    exec(compile(tree, "<counted>", "exec"), namespace)
    return namespace[entry], work


def work_of(stages, *args):
    """How much work the typed stage of a function, or of its derivative, does for these arguments."""
    flat = stages.flatten(args)
    stages.compiled("typed", flat)
    made, program = stages.program("typed", flat)
    call, work = counted(stages.texts["typed"], program.entry)
    with np.errstate(all="ignore"):
        call(*flat.leaves)
    return work.done

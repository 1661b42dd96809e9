"""Rewrite a kernel or device function for the machine.

    @cuda.jit                                 def f(_t, x, out):
    def f(x, out):                      ->        i = _t.grid(1)
        i = cuda.grid(1)                          _t.store(_site_2, out, i, _t.load(_site_1, x, i))
        out[i] = x[i]

`_t` is the thread; what is added has names that no kernel can have.  What waits for other threads becomes `yield`, so
that what holds it is a generator; all else stays a plain function, because most kernels have no barriers and calls are
several times faster. Nodes keep their lines: tracebacks, pdb and messages show the printed file.
"""

from __future__ import annotations

import ast
import copy
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from .memory import DeviceArray
from .numbers import instead_of
from .threads import ATOMICS, Site

# What waits for other threads, and how many arguments it has: a mask, a value, a lane.
WAITING = {
    "syncthreads": (0,),
    "syncwarp": (0, 1),
    **dict.fromkeys("match_any_sync ballot_sync all_sync any_sync".split(), (2,)),
    **dict.fromkeys("shfl_xor_sync shfl_down_sync shfl_up_sync shfl_sync".split(), (3,)),
}
PURE: dict[str, Callable[[int], int]] = {"popc": lambda number: int(number).bit_count()}
OF_THREAD = frozenset("threadIdx blockIdx blockDim gridDim grid gridsize laneid warpsize".split())
UNKNOWN = object()

# Names that the machine adds are no identifiers, so that no variable of a kernel is one of them.
ADDED = "lockstep."
THREAD = f"{ADDED}thread"


@dataclass(slots=True)
class Names:
    """What names mean where a function stands, and the names that its rewritten text needs besides."""

    scope: Callable[[str], Any]  # the value of a name that is not local; UNKNOWN if there is none
    local: frozenset[str]
    cuda: object
    is_device_function: Callable[[object], bool]
    code_of: Callable[[Any], tuple[Callable[..., Any], bool]]  # the rewritten function, and whether it waits
    file: str
    added: dict[str, Any] = field(default_factory=dict)
    waits: bool = False

    def value(self, node: ast.expr) -> Any:
        """What an expression of names and attributes stands for; UNKNOWN where it depends on the run."""
        match node:
            case ast.Name(id=name):
                return UNKNOWN if name in self.local else self.scope(name)
            case ast.Attribute(value=inner, attr=name):
                found = self.value(inner)
                if found is UNKNOWN or found is self.cuda or isinstance(found, DeviceArray):
                    return UNKNOWN
                return getattr(found, name, UNKNOWN)
        return UNKNOWN

    def of_cuda(self, node: ast.expr) -> str:
        """`shared.array` for `cuda.shared.array`, by whatever name `cuda` goes; else nothing."""
        path: list[str] = []
        while isinstance(node, ast.Attribute):
            path.append(node.attr)
            node = node.value
        is_cuda = isinstance(node, ast.Name) and node.id not in self.local and self.scope(node.id) is self.cuda
        return ".".join(reversed(path)) if is_cuda else ""

    def add(self, stem: str, value: object) -> ast.Name:
        name = f"{ADDED}{stem}_{len(self.added) + 1}"
        self.added[name] = value
        return ast.Name(name, ast.Load())

    def site(self, node: ast.AST, text: str) -> ast.Name:
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        return self.add("site", Site(os.path.basename(self.file), line, column, text))

    def refuse(self, node: ast.AST, why: str) -> NoReturn:
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        raise SyntaxError(why, (self.file, line, column + 1, None))


def of_thread(name: str) -> ast.Attribute:
    return ast.Attribute(ast.Name(THREAD, ast.Load()), name, ast.Load())


class Rewrite(ast.NodeTransformer):
    """The statements of one function."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.temporaries = 0

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        name = self.names.of_cuda(node)
        first, _, rest = name.partition(".")
        if first in OF_THREAD and not rest:
            return ast.copy_location(of_thread(first), node)
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        return ast.copy_location(self.called(node), node)

    def called(self, node: ast.Call) -> ast.expr:
        name = self.names.of_cuda(node.func)
        if name in WAITING:
            return self.waiting(node, name)
        if name in ("shared.array", "local.array"):
            return self.made(node, name)
        if name.startswith("atomic."):
            return self.atomic(node, name.removeprefix("atomic."))
        if name in PURE:
            return ast.Call(self.names.add("call", PURE[name]), [self.visit(argument) for argument in node.args], [])
        if name and name not in OF_THREAD:
            self.names.refuse(node, f"kernels have no cuda.{name} in lockstep")
        value = self.names.value(node.func)
        if self.names.is_device_function(value):
            return self.of_device(node, value)
        other = instead_of(value)
        function = self.visit(node.func) if other is None else self.names.add("call", other)
        keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        return ast.Call(function, [self.visit(argument) for argument in node.args], keywords)

    def waiting(self, node: ast.Call, name: str) -> ast.expr:
        if node.keywords or len(node.args) not in WAITING[name]:
            wanted = " or ".join(map(str, WAITING[name]))
            self.names.refuse(node, f"cuda.{name} has {wanted} arguments, by position")
        self.names.waits = True
        site = self.names.site(node, f"cuda.{name}")
        given = [self.visit(argument) for argument in node.args]
        return ast.Yield(ast.Tuple([ast.Constant(name), site, *given], ast.Load()))

    def made(self, node: ast.Call, name: str) -> ast.expr:
        """An array of the kernel, whose shape numba wants to know when it compiles."""
        given = node.args + [k.value for k in node.keywords]
        if len(given) != 2 or [k.arg for k in node.keywords] not in ([], ["dtype"], ["shape", "dtype"]):
            self.names.refuse(node, f"cuda.{name} takes a shape and a dtype")
        sizes = given[0].elts if isinstance(given[0], ast.Tuple) else [given[0]]
        for size in sizes:
            if not isinstance(size, ast.Constant) and not isinstance(self.names.value(size), int | tuple):
                self.names.refuse(size, f"a length in cuda.{name} is a literal or a constant of the module")
        site = self.names.site(node, f"cuda.{name}")
        return ast.Call(of_thread(name.replace(".", "_")), [site, *map(self.visit, given)], [])

    def atomic(self, node: ast.Call, operation: str) -> ast.expr:
        if operation not in ATOMICS or node.keywords or len(node.args) != (4 if operation == "cas" else 3):
            self.names.refuse(node, f"kernels have no such cuda.atomic.{operation} in lockstep")
        site = self.names.site(node, ast.unparse(node.args[0]))
        return ast.Call(of_thread("atomic"), [site, ast.Constant(operation), *map(self.visit, node.args)], [])

    def of_device(self, node: ast.Call, function: object) -> ast.expr:
        if node.keywords:
            self.names.refuse(node, "functions of the device are called with arguments by position")
        code, waits = self.names.code_of(function)
        thread: ast.expr = ast.Name(THREAD, ast.Load())
        if waits:
            self.names.waits = True
            thread = ast.Call(of_thread("enter"), [self.names.site(node, ast.unparse(node.func))], [])
        call = ast.Call(self.names.add("call", code), [thread, *map(self.visit, node.args)], [])
        if not waits:
            return call
        return ast.Call(of_thread("leave"), [ast.YieldFrom(ast.copy_location(call, node))], [])

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if isinstance(node.value, ast.Attribute) and node.value.attr in ("shape", "strides"):
            return node
        if isinstance(node.ctx, ast.Del):
            self.names.refuse(node, "an element cannot be deleted")
        if isinstance(node.ctx, ast.Store):
            self.names.refuse(node, "an element is stored by an assignment of its own")
        site = self.names.site(node, ast.unparse(node.value))
        call = ast.Call(of_thread("load"), [site, self.visit(node.value), self.visit(node.slice)], [])
        return ast.copy_location(call, node)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        target = node.targets[0]
        if len(node.targets) != 1 or not isinstance(target, ast.Subscript):
            return self.generic_visit(node)  # type: ignore[return-value]
        return self.stored(node, target, self.visit(target.slice), self.visit(node.value))

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        target = node.target
        if not isinstance(target, ast.Subscript):
            return self.generic_visit(node)  # type: ignore[return-value]
        self.temporaries += 1
        name = f"{ADDED}index_{self.temporaries}"  # the index counts once, even if it waits for other threads
        index = ast.NamedExpr(ast.Name(name, ast.Store()), self.visit(target.slice))
        site = self.names.site(target, ast.unparse(target.value))
        load = ast.Call(of_thread("load"), [site, self.visit(target.value), ast.Name(name, ast.Load())], [])
        return self.stored(node, target, index, ast.BinOp(load, node.op, self.visit(node.value)))

    def stored(self, node: ast.stmt, target: ast.Subscript, index: ast.expr, value: ast.expr) -> ast.stmt:
        site = self.names.site(target, ast.unparse(target.value))
        call = ast.Call(of_thread("store"), [site, self.visit(target.value), index, value], [])
        return ast.copy_location(ast.Expr(ast.copy_location(call, node)), node)


def rewrite(definition: ast.FunctionDef, names: Names) -> ast.FunctionDef:
    """The function for the machine; `names.waits` says afterwards whether it is a generator."""
    made = copy.deepcopy(definition)  # the tree of the file is kept, for its other functions
    given = made.args
    if given.vararg or given.kwarg or given.kwonlyargs or given.defaults:
        names.refuse(definition, "a kernel has positional parameters alone")
    for parameter in (*given.posonlyargs, *given.args):
        parameter.annotation = None
    given.args[:0] = [ast.arg(THREAD), *given.posonlyargs]
    given.posonlyargs = []
    made.decorator_list, made.returns = [], None
    rewriter = Rewrite(names)
    made.body = [rewriter.visit(statement) for statement in made.body]
    return ast.fix_missing_locations(made)

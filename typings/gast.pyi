# gast has no types of its own.  What a node holds is said here as far as mypy can use it: names and lists by their
# types, inner expressions as Any, because which kind of node may stand where is the grammar of each language.  The
# attributes of `stmt` are those the compiler puts on statements.  tests/test_architecture.py compares this with gast.

from typing import Any, ClassVar

class AST:
    _fields: ClassVar[tuple[str, ...]]
    _attributes: ClassVar[tuple[str, ...]]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class boolop(AST): ...
class cmpop(AST): ...
class excepthandler(AST): ...
class expr(AST):
    is_cell: Any
class expr_context(AST): ...
class mod(AST): ...
class operator(AST): ...
class pattern(AST): ...
class slice(AST): ...
class stmt(AST):
    span: Any
    changes: Any
    inlined: Any
    base: Any
    made_names: Any
    leaves_loop: Any
    open_ends: Any
    shows: Any
    locked: Any
    puts_back: Any
    is_put_back: Any
class type_ignore(AST): ...
class type_param(AST): ...
class unaryop(AST): ...
class Add(operator): ...
class And(boolop): ...
class AnnAssign(stmt):
    target: Any
    annotation: Any
    value: Any
    simple: Any
class Assert(stmt):
    test: Any
    msg: Any
class Assign(stmt):
    targets: list[Any]
    value: Any
    type_comment: str | None
class AsyncFor(stmt):
    target: Any
    iter: Any
    body: list[stmt]
    orelse: list[stmt]
    type_comment: str | None
class AsyncFunctionDef(stmt):
    name: str
    args: arguments
    body: list[stmt]
    decorator_list: list[Any]
    returns: Any
    type_comment: str | None
    type_params: Any
class AsyncWith(stmt):
    items: list[withitem]
    body: list[stmt]
    type_comment: str | None
class Attribute(expr):
    value: Any
    attr: str
    ctx: expr_context
class AugAssign(stmt):
    target: Any
    op: Any
    value: Any
class AugLoad(expr_context): ...
class AugStore(expr_context): ...
class Await(expr):
    value: Any
class BinOp(expr):
    left: Any
    op: Any
    right: Any
class BitAnd(operator): ...
class BitOr(operator): ...
class BitXor(operator): ...
class BoolOp(expr):
    op: Any
    values: list[Any]
class Break(stmt): ...
class Call(expr):
    func: Any
    args: list[Any]
    keywords: list[keyword]
class ClassDef(stmt):
    name: str
    bases: list[Any]
    keywords: list[keyword]
    body: list[stmt]
    decorator_list: list[Any]
    type_params: Any
class Compare(expr):
    left: Any
    ops: list[cmpop]
    comparators: list[Any]
class Constant(expr):
    value: Any
    kind: str | None
class Continue(stmt): ...
class Del(expr_context): ...
class Delete(stmt):
    targets: list[Any]
class Dict(expr):
    keys: Any
    values: list[Any]
class DictComp(expr):
    key: Any
    value: Any
    generators: list[comprehension]
class Div(operator): ...
class Eq(cmpop): ...
class ExceptHandler(excepthandler):
    type: Any
    name: str | None
    body: list[stmt]
class Exec(stmt):
    body: Any
    globals: Any
    locals: Any
class Expr(stmt):
    value: Any
class Expression(mod):
    body: Any
class FloorDiv(operator): ...
class For(stmt):
    target: Any
    iter: Any
    body: list[stmt]
    orelse: list[stmt]
    type_comment: str | None
class FormattedValue(expr):
    value: Any
    conversion: Any
    format_spec: Any
class FunctionDef(stmt):
    name: str
    args: arguments
    body: list[stmt]
    decorator_list: list[Any]
    returns: Any
    type_comment: str | None
    type_params: Any
class FunctionType(mod):
    argtypes: Any
    returns: Any
class GeneratorExp(expr):
    elt: Any
    generators: list[comprehension]
class Global(stmt):
    names: list[str]
class Gt(cmpop): ...
class GtE(cmpop): ...
class If(stmt):
    test: Any
    body: list[stmt]
    orelse: list[stmt]
class IfExp(expr):
    test: Any
    body: Any
    orelse: Any
class Import(stmt):
    names: list[alias]
class ImportFrom(stmt):
    module: str | None
    names: list[alias]
    level: int
class In(cmpop): ...
class Interactive(mod):
    body: list[stmt]
class Interpolation(expr):
    value: Any
    str: Any
    conversion: Any
    format_spec: Any
class Invert(unaryop): ...
class Is(cmpop): ...
class IsNot(cmpop): ...
class JoinedStr(expr):
    values: list[Any]
class LShift(operator): ...
class Lambda(expr):
    args: arguments
    body: Any
class List(expr):
    elts: list[Any]
    ctx: expr_context
class ListComp(expr):
    elt: Any
    generators: list[comprehension]
class Load(expr_context): ...
class Lt(cmpop): ...
class LtE(cmpop): ...
class MatMult(operator): ...
class Match(stmt):
    subject: Any
    cases: list[match_case]
class MatchAs(pattern):
    pattern: Any
    name: str | None
class MatchClass(pattern):
    cls: Any
    patterns: list[Any]
    kwd_attrs: Any
    kwd_patterns: Any
class MatchMapping(pattern):
    keys: Any
    patterns: list[Any]
    rest: Any
class MatchOr(pattern):
    patterns: list[Any]
class MatchSequence(pattern):
    patterns: list[Any]
class MatchSingleton(pattern):
    value: Any
class MatchStar(pattern):
    name: str | None
class MatchValue(pattern):
    value: Any
class Mod(operator): ...
class Module(mod):
    body: list[stmt]
    type_ignores: list[Any]
class Mult(operator): ...
class Name(expr):
    id: str
    ctx: expr_context
    annotation: Any
    type_comment: str | None
class NamedExpr(expr):
    target: Any
    value: Any
class Nonlocal(stmt):
    names: list[str]
class Not(unaryop): ...
class NotEq(cmpop): ...
class NotIn(cmpop): ...
class Or(boolop): ...
class Param(expr_context): ...
class ParamSpec(type_param):
    name: str
    default_value: Any
class Pass(stmt): ...
class Pow(operator): ...
class Print(stmt):
    dest: Any
    values: list[Any]
    nl: Any
class RShift(operator): ...
class Raise(stmt):
    exc: Any
    cause: Any
class Repr(expr):
    value: Any
class Return(stmt):
    value: Any
class Set(expr):
    elts: list[Any]
class SetComp(expr):
    elt: Any
    generators: list[comprehension]
class Slice(expr):
    lower: Any
    upper: Any
    step: Any
class Starred(expr):
    value: Any
    ctx: expr_context
class Store(expr_context): ...
class Sub(operator): ...
class Subscript(expr):
    value: Any
    slice: Any
    ctx: expr_context
class Suite(mod):
    body: list[stmt]
class TemplateStr(expr):
    values: list[Any]
class Try(stmt):
    body: list[stmt]
    handlers: list[ExceptHandler]
    orelse: list[stmt]
    finalbody: list[stmt]
class TryStar(stmt):
    body: list[stmt]
    handlers: list[ExceptHandler]
    orelse: list[stmt]
    finalbody: list[stmt]
class Tuple(expr):
    elts: list[Any]
    ctx: expr_context
class TypeAlias(stmt):
    name: str
    type_params: Any
    value: Any
class TypeIgnore(type_ignore):
    lineno: Any
    tag: Any
class TypeVar(type_param):
    name: str
    bound: Any
    default_value: Any
class TypeVarTuple(type_param):
    name: str
    default_value: Any
class UAdd(unaryop): ...
class USub(unaryop): ...
class UnaryOp(expr):
    op: Any
    operand: Any
class While(stmt):
    test: Any
    body: list[stmt]
    orelse: list[stmt]
class With(stmt):
    items: list[withitem]
    body: list[stmt]
    type_comment: str | None
class Yield(expr):
    value: Any
class YieldFrom(expr):
    value: Any
class alias(AST):
    name: str
    asname: str | None
class arguments(AST):
    args: list[Any]
    posonlyargs: Any
    vararg: Any
    kwonlyargs: Any
    kw_defaults: Any
    kwarg: Any
    defaults: Any
class comprehension(AST):
    target: Any
    iter: Any
    ifs: list[Any]
    is_async: int
class keyword(AST):
    arg: Any
    value: Any
class match_case(AST):
    pattern: Any
    guard: Any
    body: list[stmt]
class withitem(AST):
    context_expr: Any
    optional_vars: Any

class NodeVisitor:
    def visit(self, node: AST) -> Any: ...
    def generic_visit(self, node: AST) -> Any: ...

class NodeTransformer(NodeVisitor): ...

def parse(*args: Any, **kwargs: Any) -> Any: ...
def dump(node: AST, *args: Any, **kwargs: Any) -> str: ...
def walk(node: AST) -> Any: ...
def iter_child_nodes(node: AST) -> Any: ...
def iter_fields(node: AST) -> Any: ...
def copy_location(new: Any, old: AST) -> Any: ...
def fix_missing_locations(node: AST) -> Any: ...
def gast_to_ast(node: AST) -> Any: ...
def ast_to_gast(node: Any) -> Any: ...
def unparse(node: AST) -> str: ...
def literal_eval(node: Any) -> Any: ...
def get_docstring(node: AST, clean: bool = ...) -> str | None: ...
def increment_lineno(node: Any, n: int = ...) -> Any: ...

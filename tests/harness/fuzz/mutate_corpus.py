"""Programs of the corpus, changed: an operator swapped, a statement moved into a branch, two names for one array, ...

    case(seed)  ->  for i in range(n):                 for i in range(n - 1):
                        out[i] = x[i] ** 2      ->         if x[0] > 0.0:
                                                               out[i] = x[i] * 2

One to four mutations of the tree; what CPython makes of the mutant is right, be it an error.  Arguments are made as the
corpus harness makes them, in several sizes; one of them may become a view with other strides.
"""

import ast
import copy
import inspect

import numpy as np

from ..corpus import programs
from .arguments import laid_out
from .case import PRELUDE, Call, Case, drawn, text_of
from .losses import loss_of
from .moves import MUTATIONS

SIZES = (4, 1, 7, 3)


def case(seed: int) -> Case:
    """The mutant of this seed."""
    return drawn("corpus", seed, lambda rng: write(rng.choice(programs()), rng))


def write(program, rng):
    module = ast.parse(inspect.getsource(program.module))
    kept = needed(module, program.name)
    main = next(s for s in kept if isinstance(s, ast.FunctionDef) and s.name == program.name)
    changed = mutate(main, rng)
    renamed = Renamed(program.name)
    tree = ast.Module([renamed.visit(changed if s is main else s) for s in kept if not is_import(s)], [])
    imports = [f"{ast.unparse(s)}\n" for s in kept if is_import(s) and ast.unparse(s) not in PRELUDE]
    source = PRELUDE + "".join(imports) + ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    sizes = rng.sample(SIZES, 3)
    calls = tuple(Call(text_of(varied(program.make_arguments(seed=rng.randrange(99), size=n), rng))) for n in sizes)
    names = [p.arg for p in changed.args.args][: len(program.make_arguments())]
    loss = ""
    try:
        space = {}
        exec(compile(source, "<mutant>", "exec"), space)
        loss = loss_of(source, names, eval(calls[0].arguments, space)) if program.has_gradient else ""
    except Exception:
        return None
    return Case(source + loss, calls, "loss" if loss else "")


def is_import(statement):
    return isinstance(statement, ast.Import | ast.ImportFrom)


def needed(module, name):
    """The statements of a module that a function needs, in order; imports are all kept."""
    defined = {}
    for statement in module.body:
        for made in names_made(statement):
            defined[made] = statement
    wanted, waiting = set(), [name]
    while waiting:
        found = waiting.pop()
        if found in wanted or found not in defined:
            continue
        wanted.add(found)
        waiting += [n.id for n in ast.walk(defined[found]) if isinstance(n, ast.Name)]
    kept = [s for s in module.body if is_import(s) or wanted & set(names_made(s))]
    return [without_docstring(copy.deepcopy(s)) for s in kept]


def names_made(statement):
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def without_docstring(statement):
    if isinstance(statement, ast.FunctionDef) and ast.get_docstring(statement) is not None:
        statement.body = statement.body[1:] or [ast.Pass()]
    return statement


class Renamed(ast.NodeTransformer):
    """The mutated function is called `program`."""

    def __init__(self, name):
        self.name = name

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.name = "program" if node.name == self.name else node.name
        return node

    def visit_Name(self, node):
        return ast.copy_location(ast.Name("program", node.ctx), node) if node.id == self.name else node


def mutate(function, rng):
    """A copy of the function with one to four mutations."""
    for _ in range(rng.choice((1, 1, 2, 2, 3, 4))):
        for _ in range(12):
            changed = copy.deepcopy(function)
            if rng.choice(MUTATIONS)(changed, rng) and is_program(changed):
                function = changed
                break
    return function


def is_program(function):
    try:
        compile(ast.unparse(ast.fix_missing_locations(function)), "<mutant>", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def varied(args, rng):
    """The arguments, one array of them now and then as a view or with special values."""
    args = list(args)
    arrays = [k for k, value in enumerate(args) if isinstance(value, np.ndarray) and value.ndim]
    if arrays and rng.randrange(3) == 0:
        chosen = rng.choice(arrays)
        args[chosen] = laid_out(args[chosen], "mixed", np.random.default_rng(rng.randrange(2**30)))
    if arrays and rng.randrange(8) == 0:
        chosen = rng.choice(arrays)
        if args[chosen].dtype.kind == "f":
            args[chosen] = args[chosen].copy()
            args[chosen].flat[rng.randrange(max(args[chosen].size, 1))] = rng.choice((np.nan, np.inf, -0.0, 0.0))
    if len(arrays) > 1 and rng.randrange(8) == 0:
        first, second = rng.sample(arrays, 2)
        args[first] = args[second]
    return tuple(args)

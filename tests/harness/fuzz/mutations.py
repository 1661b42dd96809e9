"""Changes of a function's expressions: each takes the tree and a source of chance, changes it, and says if it could."""

import ast

ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Add, ast.Sub, ast.Mult, ast.Div)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
FUNCTIONS = (("sin", "cos", "tanh", "exp", "abs", "sqrt", "arctan"), ("sum", "mean", "max", "min", "prod"),
             ("maximum", "minimum", "hypot"), ("zeros", "ones"), ("cumsum", "copy", "diff"), ("any", "all"),
             ("argmax", "argmin"), ("less", "greater"))  # fmt: skip
WRAPPERS = ("np.abs({})", "({}) * 1.0", "({}) + 0", "-({})", "np.tanh({})", "({})[::-1]", "({})[1:]", "({}).copy()",
            "np.asarray({})", "float({})", "int({})", "np.sum({})", "np.where(({}) > 0.0, {}, 0.5)",
            "np.clip({}, -1.0, 1.0)", "({}).T", "({}) if True else 0.0", "max({}, 0.5)")  # fmt: skip


def nodes(tree, kinds, test=lambda node: True):
    return [node for node in ast.walk(tree) if isinstance(node, kinds) and test(node)]


def blocks(tree):
    """Every list of statements, with what holds it."""
    found = []
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                found.append(block)
    return found


def a_statement(tree, rng, test=lambda statement: True):
    places = [(b, k) for b in blocks(tree) for k, s in enumerate(b) if test(s) and not isinstance(s, ast.Return)]
    return rng.choice(places) if places else (None, 0)


def replace(tree, old, new):
    """Put an expression in the place of another."""
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if value is old:
                setattr(node, field, new)
                return True
            if isinstance(value, list) and any(part is old for part in value):
                setattr(node, field, [new if part is old else part for part in value])
                return True
    return False


def parsed(text):
    return ast.parse(text, mode="eval").body


def sliced(text):
    return parsed(f"x[{text}]").slice


def loaded(tree):
    """Expressions that are read, other than functions called and parts of slices."""
    called = {id(n.func) for n in nodes(tree, ast.Call)} | {id(n.value) for n in nodes(tree, ast.Attribute)}
    arguments = {id(n) for part in nodes(tree, ast.arguments) for n in ast.walk(part)}
    kinds = (ast.Name, ast.BinOp, ast.Call, ast.Subscript, ast.Attribute)
    return [n for n in nodes(tree, kinds) if isinstance(getattr(n, "ctx", ast.Load()), ast.Load)
            and id(n) not in called and id(n) not in arguments and ast.unparse(n) not in ("np", "math")]  # fmt: skip


def names_of(tree):
    return sorted(
        {n.id for n in nodes(tree, ast.Name) if isinstance(n.ctx, ast.Store)} | {a.arg for a in tree.args.args}
    )


# --- operators, constants, names -------------------------------------------------------------------------------------


def swap_operator(tree, rng):
    found = nodes(tree, (ast.BinOp, ast.AugAssign), lambda n: isinstance(n.op, ARITHMETIC))
    if not found:
        return False
    rng.choice(found).op = rng.choice(ARITHMETIC)()
    return True


def swap_comparison(tree, rng):
    found = nodes(tree, ast.Compare)
    if not found:
        return False
    rng.choice(found).ops[0] = rng.choice(COMPARISONS)()
    return True


def change_constant(tree, rng):
    found = nodes(tree, ast.Constant, lambda n: type(n.value) in (int, float))
    if not found:
        return False
    node = rng.choice(found)
    node.value = (
        node.value + rng.choice((-1, 1, 1, 2))
        if isinstance(node.value, int)
        else rng.choice((0.0, -0.5, 2.0, node.value * 2))
    )
    return True


def change_name(tree, rng):
    """Read another name."""
    found, names = nodes(tree, ast.Name, lambda n: isinstance(n.ctx, ast.Load)), names_of(tree)
    found = [n for n in found if n.id in names]
    if not found:
        return False
    rng.choice(found).id = rng.choice(names)
    return True


def swap_function(tree, rng):
    found = [(n, group) for n in nodes(tree, ast.Attribute) for group in FUNCTIONS if n.attr in group]
    if not found:
        return False
    node, group = rng.choice(found)
    node.attr = rng.choice(group)
    return True


def swap_operands(tree, rng):
    found = nodes(tree, ast.BinOp)
    if not found:
        return False
    node = rng.choice(found)
    node.left, node.right = node.right, node.left
    return True


def wrap(tree, rng):
    found = loaded(tree)
    if not found:
        return False
    node = rng.choice(found)
    return replace(tree, node, parsed(rng.choice(WRAPPERS).replace("{}", ast.unparse(node))))


def replace_by_part(tree, rng):
    found = nodes(tree, ast.BinOp)
    if not found:
        return False
    node = rng.choice(found)
    return replace(tree, node, rng.choice((node.left, node.right)))


# --- slices, lengths, views ------------------------------------------------------------------------------------------


def change_slice(tree, rng):
    found = nodes(tree, ast.Slice)
    if not found:
        return change_index(tree, rng)
    node = rng.choice(found)
    field = rng.choice(("lower", "upper", "step"))
    choices = {"lower": ("None", "1", "-2", "0"), "upper": ("None", "-1", "2", "3"), "step": ("None", "2", "-1")}[field]
    setattr(node, field, None if (text := rng.choice(choices)) == "None" else parsed(text))
    return True


def change_index(tree, rng):
    found = nodes(tree, ast.Subscript, lambda n: not isinstance(n.slice, ast.Tuple | ast.Slice))
    if not found:
        return False
    node = rng.choice(found)
    indices = ("{} - 1", "{} + 1", "-{}", "0", "-1", "1:", ":{}", "[{}]", "0", "0")
    node.slice = sliced(rng.choice(indices).replace("{}", ast.unparse(node.slice)))
    return True


def change_length(tree, rng):
    """`range(n)`, `np.zeros(n)`, `len(x)`: one more, one less, half."""

    def makes(n):
        return (
            ast.unparse(n.func) in ("range", "np.zeros", "np.empty", "np.ones", "len", "np.arange", "np.full")
            and n.args
        )

    found = nodes(tree, ast.Call, makes)
    if not found:
        return False
    node = rng.choice(found)
    if ast.unparse(node.func) == "len":
        return replace(tree, node, parsed(f"({ast.unparse(node)} {rng.choice(('- 1', '+ 1', '// 2'))})"))
    if isinstance(node.args[0], ast.Tuple):
        elements = node.args[0].elts
        at = rng.randrange(len(elements))
        elements[at] = parsed(f"{ast.unparse(elements[at])} {rng.choice(('- 1', '+ 1', '// 2'))}")
    else:
        node.args[0] = parsed(f"{ast.unparse(node.args[0])} {rng.choice(('- 1', '+ 1', '// 2'))}")
    return True


def view_of_argument(tree, rng):
    """`x = x[::-1]` at the start, or another view or copy of an argument."""
    if not tree.args.args:
        return False
    name = rng.choice(tree.args.args).arg
    views = (
        "{}[::-1]",
        "{}[1:]",
        "{}.T",
        "{}[:-1]",
        "{}[::2]",
        "{}.copy()",
        "np.asarray({})",
        "{} * 1",
        "{} + 0.0",
        "{}[:]",
    )
    tree.body.insert(0, ast.parse(f"{name} = {rng.choice(views).format(name)}").body[0])
    return True


EXPRESSION_MUTATIONS = (swap_operator, swap_comparison, change_constant, change_name, swap_function, swap_operands,
                        wrap, wrap, replace_by_part, change_slice, change_slice, change_index, change_length,
                        change_length, view_of_argument)  # fmt: skip

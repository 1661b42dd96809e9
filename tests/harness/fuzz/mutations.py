"""Changes of a function's tree: each takes the tree and a source of chance, changes it, and says whether it could."""

import ast
import copy

ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Add, ast.Sub, ast.Mult, ast.Div)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
FUNCTIONS = (("sin", "cos", "tanh", "exp", "abs", "sqrt", "arctan"), ("sum", "mean", "max", "min", "prod"), ("maximum", "minimum", "hypot"),
             ("zeros", "ones"), ("cumsum", "copy", "diff"), ("any", "all"), ("argmax", "argmin"), ("less", "greater"))  # fmt: skip
WRAPPERS = ("np.abs({})", "({}) * 1.0", "({}) + 0", "-({})", "np.tanh({})", "({})[::-1]", "({})[1:]", "({}).copy()", "np.asarray({})", "float({})",
            "int({})", "np.sum({})", "np.where(({}) > 0.0, {}, 0.5)", "np.clip({}, -1.0, 1.0)", "({}).T", "({}) if True else 0.0", "max({}, 0.5)")  # fmt: skip


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
    node.slice = parsed(rng.choice(("{} - 1", "{} + 1", "-{}", "0", "-1", "1:", ":{}", "[{}]")).replace("{}", ast.unparse(node.slice))
                        if rng.randrange(3) else "0")  # fmt: skip
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


def alias(tree, rng):
    """A second name for a value, read or written in the place of the first from there on."""
    assigned = lambda s: isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)  # noqa: E731
    block, index = a_statement(tree, rng, assigned)
    if block is None:
        return False
    name = block[index].targets[0].id
    block.insert(index + 1, ast.parse(f"other = {name}").body[0])
    uses = [n for s in block[index + 2 :] for n in nodes(s, ast.Name) if n.id == name]
    uses = [n for n in uses if isinstance(n.ctx, ast.Load)]
    for node in uses if rng.randrange(3) == 0 else rng.sample(uses, min(len(uses), rng.randint(0, 2))):
        node.id = "other"
    return True


# --- statements ------------------------------------------------------------------------------------------------------


def test_of(tree, rng):
    """A condition over the names of the function."""
    names = names_of(tree)
    name = rng.choice(names)
    return rng.choice(
        (
            f"np.sum({name}) > 0.0",
            f"np.any({name} > 0.5)",
            f"np.size({name}) > 3",
            f"np.max({name}) < 1.0",
            f"{name} is not None",
        )
    )


def into_branch(tree, rng):
    block, index = a_statement(tree, rng)
    if block is None:
        return False
    count = rng.choice((1, 1, 2))
    moved = [s for s in block[index : index + count] if not isinstance(s, ast.Return)]
    branch = ast.parse(f"if {test_of(tree, rng)}:\n    pass").body[0]
    branch.body = moved
    if rng.randrange(3) == 0:
        branch.orelse = [copy.deepcopy(rng.choice(moved))]
    block[index : index + len(moved)] = [branch]
    return True


def into_loop(tree, rng):
    block, index = a_statement(tree, rng)
    if block is None:
        return False
    moved = [s for s in block[index : index + rng.choice((1, 1, 2))] if not isinstance(s, ast.Return)]
    name = rng.choice(names_of(tree))
    heads = (
        "for turn in range(2):",
        "for turn in range(3):",
        f"for turn in range(np.size({name})):",
        f"for turn in range(int(np.sum({name}) > 0.0)):",
    )
    if rng.randrange(3) == 0:
        loop = ast.parse(f"while turns < 3 and {test_of(tree, rng)}:\n    turns += 1").body[0]
        loop.body += moved
        block[index : index + len(moved)] = [ast.parse("turns = 0").body[0], loop]
        return True
    loop = ast.parse(f"{rng.choice(heads)}\n    pass").body[0]
    loop.body = moved
    block[index : index + len(moved)] = [loop]
    return True


def duplicate(tree, rng):
    block, index = a_statement(tree, rng)
    if block is None:
        return False
    block.insert(rng.randint(index, len(block) - 1), copy.deepcopy(block[index]))
    return True


def change_order(tree, rng):
    block, index = a_statement(tree, rng)
    if block is None or index + 1 >= len(block) or isinstance(block[index + 1], ast.Return):
        return False
    block[index], block[index + 1] = block[index + 1], block[index]
    return True


def drop(tree, rng):
    block, index = a_statement(tree, rng)
    if block is None or len(block) < 2:
        return False
    del block[index]
    return True


def leave(tree, rng):
    """`break`, `continue` or a second `return` behind a condition."""
    ends = nodes(tree, ast.Return, lambda n: n.value is not None)
    loops = nodes(tree, (ast.For, ast.While))
    if loops and rng.randrange(3):
        block = rng.choice(loops).body
        way = rng.choice(("break", "continue")) if isinstance(loops[0], ast.For) else "break"
    elif len(ends) == 1:
        block, way = rng.choice(blocks(tree)), ast.unparse(ends[0])
    else:
        return False
    block.insert(rng.randint(0, len(block) - 1), ast.parse(f"if {test_of(tree, rng)}:\n    return").body[0])
    branch = next(
        s for s in block if isinstance(s, ast.If) and isinstance(s.body[0], ast.Return) and s.body[0].value is None
    )
    branch.body = [
        ast.parse(way).body[0] if way.startswith("return") else {"break": ast.Break, "continue": ast.Continue}[way]()
    ]
    return True


def store_into(tree, rng):
    """An element or a slice of a name that the function assigned is overwritten."""
    assigned = lambda s: isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)  # noqa: E731
    block, index = a_statement(tree, rng, assigned)
    if block is None:
        return False
    name = block[index].targets[0].id
    stores = ("{}[0] = 0.5", "{}[-1] += 1.0", "{}[1:] = {}[:-1]", "{}[:] = 2.0", "{}[{} > 0.0] = 0.0", "{}[::-1] += {}", "{} += 1.0", "{} *= 2",
              "{}[[0, -1]] = {}[[-1, 0]]", "{} = {}[1:]", "{} = np.concatenate(({}, {}))", "{} = {}[::-1]", "{}[0], {}[-1] = {}[-1], {}[0]")  # fmt: skip
    block.insert(rng.randint(index + 1, len(block)) if not isinstance(block[-1], ast.Return) else index + 1,
                 ast.parse(rng.choice(stores).replace("{}", name)).body[0])  # fmt: skip
    return True


def augment(tree, rng):
    """`y = y + 1` for `y += 1` and the other way round."""
    found = [(b, k) for b in blocks(tree) for k, s in enumerate(b) if isinstance(s, ast.AugAssign)]
    if not found:
        return store_into(tree, rng)
    block, index = rng.choice(found)
    statement = block[index]
    target = ast.unparse(statement.target)
    made = ast.parse(f"{target} = {target} + 0").body[0]
    made.value = ast.BinOp(made.value.left, statement.op, statement.value)
    block[index] = made
    return True


MUTATIONS = (swap_operator, swap_comparison, change_constant, change_name, swap_function, swap_operands, wrap, wrap, replace_by_part,
             change_slice, change_slice, change_index, change_length, change_length, view_of_argument, alias, alias, into_branch, into_branch,
             into_loop, into_loop, into_loop, duplicate, change_order, drop, leave, store_into, store_into, store_into, augment)  # fmt: skip

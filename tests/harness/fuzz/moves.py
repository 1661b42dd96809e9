"""Changes of a function's statements: each takes the tree and a source of chance, changes it, and says if it could."""

import ast
import copy

from .mutations import EXPRESSION_MUTATIONS, a_statement, blocks, names_of, nodes


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
    """`break`, `continue` or a second `return` after a condition."""
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
    stores = ("{}[0] = 0.5", "{}[-1] += 1.0", "{}[1:] = {}[:-1]", "{}[:] = 2.0", "{}[{} > 0.0] = 0.0", "{}[::-1] += {}",
              "{} += 1.0", "{} *= 2", "{}[[0, -1]] = {}[[-1, 0]]", "{} = {}[1:]", "{} = np.concatenate(({}, {}))",
              "{} = {}[::-1]", "{}[0], {}[-1] = {}[-1], {}[0]")  # fmt: skip
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


MUTATIONS = (*EXPRESSION_MUTATIONS, alias, alias, into_branch, into_branch, into_loop, into_loop, into_loop, duplicate,
             change_order, drop, leave, store_into, store_into, store_into, augment)  # fmt: skip

"""Statements over tuples and texts whose length the run decides: made, made longer, compared, collected, used as keys.

sequence(statements)     writes     t1 = tuple(v for v in c2 if v > 0.5)
                                    for _ in range(k + 1):
                                        t1 = t1 + (s,)
"""


def sequence(statements):
    """One statement, or a loop of some; whether it ran."""
    texts = [path for path, _ in statements.paths(lambda v: isinstance(v, str))]
    tuples = [path for path, _ in statements.paths(is_open)]
    choices = [make_tuple, make_text]
    choices += [longer_tuple, of_tuples, in_a_list, keys] * 2 if tuples else []
    choices += [longer_text, of_texts, in_a_list_of_texts, words] * 2 if texts else []
    return statements.pick(choices)(statements, tuples, texts)


def is_open(value):
    """A tuple of items of one type, which is no record."""
    return isinstance(value, tuple) and not hasattr(value, "_fields") and len({type(v) for v in value}) < 2 and all(
        isinstance(v, float | int) for v in value
    )  # fmt: skip


def make_tuple(statements, tuples, texts):
    lists = statements.lists(lambda v: v and all(type(p) is float for p in v), own=False)
    number = statements.number_text
    made = ["tuple(range(k + 1))", f"tuple({number(0)} * j for j in range(k + 1))", f"({number(0)},)", "()"]
    made += [f"tuple({name})" for name in lists[-2:]]
    made += [f"tuple(v for v in {name} if v > {number(0)})" for name in lists[-2:]]
    made += [f"tuple(sorted({name}))" for name in lists[-1:]]
    return statements.draft.attempt(f"{statements.name('t')} = {statements.pick(made)}")


def make_text(statements, tuples, texts):
    whole = statements.integer_text()
    made = ['"".join("ab"[j % 2] for j in range(k + 1))', "str(k)", f"str({whole})", '"-".join(map(str, range(k)))',
            '"up" if s > 0.0 else "down"', '"x" * k', '"GATTACA"[k:]', '"GATTACA"[k : k + 2]']  # fmt: skip
    return statements.draft.attempt(f"{statements.name('w')} = {statements.pick(made)}")


def longer_tuple(statements, tuples, texts):
    name = statements.pick(tuples)
    if not name.isidentifier() or name in statements.draft.parameters:
        return False
    value = dict(statements.paths()).get(name, ())
    item = statements.like(value[-1]) if value else statements.number_text(1)
    line = statements.pick([f"{name} = {name} + ({item},)", f"{name} += ({item},)", f"{name} = (*{name}, {item})",
                            f"{name} = {name}[1:] + ({item},)", f"{name} = ({item}, *{name})"])  # fmt: skip
    return looped(statements, line)


def longer_text(statements, tuples, texts):
    name = statements.pick(texts)
    if not name.isidentifier() or name in statements.draft.parameters:
        return False
    line = statements.pick([f'{name} = {name} + "c"', f"{name} += str(k)", f'{name} = "-".join([{name}, "z"])',
                            f'{name} = {name}[1:] + "q"', f"{name} += {statements.pick(texts)}[:2]"])  # fmt: skip
    return looped(statements, line)


def looped(statements, line):
    """The line itself, under a test, or in a loop."""
    head = statements.pick(["", f"if {statements.condition()}:\n    ", "for _ in range(k + 1):\n    "])
    return statements.draft.attempt(head + line)


def of_tuples(statements, tuples, texts):
    one, other = statements.pick(tuples), statements.pick(tuples)
    made = [f"len({one})", f"sum({one})", f"{one}[1:]", f"{one}[::-1]", f"{one} + {other}", f"{one} * 2",
            f"list({one})", f"{one} == {other}", f"{one} < {other}", f"max({one}, default=0)", f"{one}[-1]",
            f"[v * 2 for v in {one}]", f"{one}.count(1)", f"1 in {one}", f"sorted({one})", f"{one} != ()",
            f"tuple(zip({one}, {other}))", f"min({one}, {other})", f"{one}[k]",
            f"{one}.index({one}[0])", f"bool({one})"]  # fmt: skip
    return statements.draft.attempt(f"{statements.name('u')} = {statements.pick(made)}")


def of_texts(statements, tuples, texts):
    one, other = statements.pick(texts), statements.pick(texts)
    made = [f"len({one})", f"{one}[::-1]", f"{one} == {other}", f"{one} < {other}", f"{other} in {one}", f"{one} * 2",
            f'{one}.count("a")', f'{one}.find("b")', f"{one}.upper()", f"[c for c in {one}]", f"{one}[-1]",
            f'{one}.startswith("a")', f"{one} + {other}", f'"".join(sorted({one}))', f"int({one})", f"{one}[k]",
            f'{one} or "none"', f'sum(1 for c in {one} if c in "aA1")', f"max({one}, {other})"]  # fmt: skip
    return statements.draft.attempt(f"{statements.name('u')} = {statements.pick(made)}")


def in_a_list(statements, tuples, texts):
    name, found = statements.pick(tuples), statements.name("c")
    if not statements.draft.attempt(f"{found} = [{name}]"):
        return False
    lines = [f"{found}.append({found}[-1] + {name})", f"{found}.append({name}[1:])", f"{found}.append({name})"]
    looped(statements, statements.pick(lines))
    return statements.draft.attempt(statements.pick([f"{found}.sort()", f"u = {found}.pop()", f"u = max({found})"]))


def in_a_list_of_texts(statements, tuples, texts):
    name, found = statements.pick(texts), statements.name("c")
    if not statements.draft.attempt(f"{found} = [{name}]"):
        return False
    lines = [f'{found}.append({found}[-1] + "y")', f"{found}.append({name}[:1])", f"{found}.append({name})"]
    looped(statements, statements.pick(lines))
    ends = [f"{found}.sort()", f'u = ", ".join({found})', f"u = {name} in {found}", f"u = {found}.count({name})"]
    return statements.draft.attempt(statements.pick(ends))


def keys(statements, tuples, texts):
    count, name = statements.name("d"), statements.pick(tuples)
    if not statements.draft.attempt(f"{count} = {{}}"):
        return False
    key = statements.pick([f"{name}[: j % 3]", "tuple(range(j % (k + 1)))", f"{name} * (j % 2)"])
    statements.draft.attempt(f"for j in range(k + 2):\n    {count}[{key}] = {count}.get({key}, 0.0) + s")
    ends = [f"u = {name} in {count}", f"u = len({count})", f"u = max({count})"]
    return statements.draft.attempt(statements.pick(ends))


def words(statements, tuples, texts):
    count, name = statements.name("d"), statements.pick(texts)
    if not statements.draft.attempt(f"{count} = {{}}"):
        return False
    key = statements.pick([f"{name}[j : j + 1]", "str(j % 2)", f"{name} * (j % 2)"])
    statements.draft.attempt(f"for j in range(k + 2):\n    {count}[{key}] = {count}.get({key}, 0) + 1")
    return statements.draft.attempt(statements.pick([f"u = {name} in {count}", f"u = sorted({count})"]))

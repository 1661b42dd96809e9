"""Python's iterator functions written as generator functions: `filter`, and those of `itertools`.

    filter(test, xs)     ->     for item in xs:
                                    if test(item):
                                        yield item
"""

from __future__ import annotations

import gast

from ....parsing import parsed_module
from ...source.located import located
from ..frame import Frame
from ..kinds import generators
from ..values import Value

_WRITTEN = """
def filter(test, items):
    for item in items:
        if test(item):
            yield item

def starmap(function, items):
    for item in items:
        yield function(*item)

def islice(items, start, stop, step):
    place, wanted = 0, start
    if stop > 0:
        for item in items:
            if place == wanted:
                wanted += step
                yield item
            place += 1
            if place == stop:
                break
""".strip().split("\n\n")
TEXTS = {text[len("def ") : text.index("(")]: text for text in _WRITTEN}

# The range and the test of each loop inside `for i in range(n)`, for the next of the chosen items.
NEXT_PLACES = {
    "combinations": ("range({last} + 1, len(items))", ""),
    "permutations": ("range(len(items))", "if {place} not in ({before},):"),
}


def chosen(frame: Frame, kind: str, count: int, items: Value, node: gast.AST) -> Value:
    """The choices of so many items of a list, in nested loops: `combinations(items, 3)` and its like."""
    lines, depth = ["def chosen(items):"], 1
    for k in range(count):
        places, test = NEXT_PLACES[kind] if k else ("range(len(items))", "")
        before = ", ".join(f"i{j}" for j in range(k))
        lines.append("    " * depth + f"for i{k} in {places.format(last=f'i{k - 1}')}:")
        depth += 1
        if test:
            lines.append("    " * depth + test.format(place=f"i{k}", before=before))
            depth += 1
    lines.append("    " * depth + "yield (" + "".join(f"items[i{k}], " for k in range(count)) + ")")
    return of_text(frame, "\n".join(lines), {"items": items}, kind, node)


def product(frame: Frame, columns: list[Value], node: gast.AST) -> Value:
    """One item of each, in nested loops."""
    names = [f"xs{k}" for k in range(len(columns))]
    lines = [f"def product({', '.join(names)}):"]
    lines += ["    " * (k + 1) + f"for x{k} in xs{k}:" for k in range(len(names))]
    lines.append("    " * (len(names) + 1) + "yield (" + "".join(f"x{k}, " for k in range(len(names))) + ")")
    return of_text(frame, "\n".join(lines), dict(zip(names, columns)), "product", node)


def called(frame: Frame, kind: str, given: dict[str, Value], node: gast.AST) -> Value:
    """The result of one of Python's iterator functions, by its generator function."""
    return of_text(frame, TEXTS[kind], given, kind, node)


def of_text(frame: Frame, text: str, given: dict[str, Value], kind: str, node: gast.AST) -> Value:
    tree = next(node for node in parsed_module(text).body if isinstance(node, gast.FunctionDef))
    located(tree, node, anew=True)
    return generators.of_tree(frame, tree, given, None, kind)

"""A random key that is used twice is found at decoration, and by `pellucid check`; what is used once is left alone."""

import textwrap

import pytest

import pellucid
from pellucid import compile, random
from pellucid.check import check_text
from pellucid.random import normal, split

HEAD = "from pellucid import compile, random\nfrom pellucid.random import normal, split\n\n\n@compile\n"

# The body, and at which lines of it K001 is told, each with the line of the first use where that is another place.
USED_TWICE = {
    "in one expression": ("return normal(key) + random.uniform(key)", [(1, 1)]),
    "after it was split": ("one, other = split(key)\nreturn normal(key) + normal(one)", [(2, 1)]),
    "split twice": ("keys = split(key)\nmore = random.split(key, n)\nreturn keys, more", [(2, 1)]),
    "after a branch": ("x = 0.0\nif n > 0:\n    x = normal(key)\nreturn x + normal(key)", [(4, 3)]),
    "in a branch after it": ("x = normal(key)\nif n > 0:\n    x = x + normal(key)\nreturn x", [(3, 1)]),
    "in every iteration": ("x = 0.0\nfor i in range(n):\n    x = x + normal(key)\nreturn x", [(3, None)]),
    "in a while": ("x = 0.0\nwhile x < n:\n    x = x + random.exponential(key)\nreturn x", [(3, None)]),
    "in a test": ("x = 0.0\nwhile random.uniform(key) < 0.5:\n    x = x + 1.0\nreturn x", [(2, None)]),
    "in a comprehension": ("return sum([normal(key) for _ in range(n)])", [(1, None)]),
    "by another name": ("other = key\nreturn normal(key) + normal(other)", [(2, 2)]),
    "by names in a tuple": ("a, b = key, key\nreturn normal(a) + normal(key=b)", [(2, 2)]),
    "an element": ("keys = split(key, 3)\nreturn normal(keys[0]) + normal(keys[0])", [(2, 2)]),
    "an element of a known place": (
        "keys = split(key, n)\nfor i in range(n):\n    x = normal(keys[i])\n    x = x + normal(keys[i])\nreturn x",
        [(4, 3)],
    ),
    "a part of it": (
        "for i in range(n):\n    key, part = split(key)\n    x = normal(part)\n    x = x + normal(part)\nreturn x",
        [(4, 3)],
    ),
    "rebound on one path": (
        "x = normal(key)\nif n > 0:\n    key = random.fold_in(key, n)\nreturn x + normal(key)", [(4, 1)]
    ),
    "in an inner function": ("def g(k):\n    return normal(k) + normal(k)\nreturn g(key)", [(2, 2)]),
    "in a lambda": ("g = lambda k: normal(k) + normal(k)\nreturn g(key)", [(1, 1)]),
    "with the same condition": ("x = 0.0\nif n > 0:\n    x = normal(key)\nif n > 0:\n    x = normal(key)\nreturn x",
                                [(5, 3)]),
}  # fmt: skip
USED_ONCE = {
    "split": "key, part = split(key)\nx = normal(part)\nkey, part = split(key)\nreturn x + normal(part)",
    "exclusive": "if n > 0:\n    return normal(key)\nelif n < 0:\n    return random.uniform(key)\nreturn normal(key)",
    "a conditional expression": "return normal(key) if n > 0 else random.uniform(key)",
    "a condition and its opposite": "if n:\n    x = normal(key)\nif not n:\n    x = random.uniform(key)\nreturn x",
    "two conditions": "x = 0.0\nif n == 1:\n    x = normal(key)\nif n == 2:\n    x = normal(key)\nreturn x",
    "folded in": "x = 0.0\nfor i in range(n):\n    x = x + normal(random.fold_in(key, i))\nreturn x + normal(key)",
    "a key of each": "x = 0.0\nfor k in split(key, n):\n    x = x + normal(k)\nreturn x",
    "an element of each": "keys = split(key, n)\nreturn sum([normal(keys[i]) for i in range(n)])",
    "elements": "keys = split(key, 3)\nreturn normal(keys[0]) + normal(keys[1]) + normal(keys[2])",
    "handed on": "x = 0.0\nfor i in range(n):\n    key, part = split(key)\n    x = x + normal(part)\nreturn x",
    "one iteration": "x = 0.0\nfor i in range(n):\n    if i == 0:\n        x = normal(key)\nreturn x",
    "left after it": "x = 0.0\nfor i in range(n):\n    if i > 2:\n        x = normal(key)\n        break\nreturn x",
    "returned after it": "for i in range(n):\n    return normal(key)\nreturn 0.0",
    "cloned": "return normal(random.clone(key)) + random.uniform(key)",
    "made anew": "x = normal(key)\nkey = random.key(n)\nreturn x + normal(key)",
    "a name of its own": "other = key\nkey = random.key(n)\nreturn normal(key) + normal(other)",
    "a shadowed name": "return normal(key) + sum([normal(key) for key in split(random.key(n), 3)])",
    "told apart by match": (
        "match n:\n    case 1:\n        return normal(key)\n    case 2:\n        return random.uniform(key)\nreturn 0.0"
    ),
}


def written(body):
    return f"{HEAD}def f(key, n):\n{textwrap.indent(body, '    ')}\n"


def told(body):
    faults = [d for d in check_text(written(body), "f.py").diagnostics if d.code == "K001"]
    first = HEAD.count("\n") + 1
    return [(d.span.line - first, d.labels[0].span.line - first if d.labels else None) for d in faults]


@pytest.mark.parametrize("name", USED_TWICE)
def test_a_key_that_is_used_twice(name):
    body, expected = USED_TWICE[name]
    assert told(body) == expected


@pytest.mark.parametrize("name", USED_ONCE)
def test_a_key_that_is_used_once(name):
    assert told(USED_ONCE[name]) == []


def test_it_is_told_at_decoration_with_both_uses():
    def reused(key):
        x = random.normal(key, (3,))
        return x + random.uniform(key, (3,))

    with pytest.raises(pellucid.CompileError) as caught:
        compile(reused)
    (fault,) = caught.value.diagnostics
    assert fault.code == "K001" and fault.message == "the key `key` is used twice"
    assert fault.span.line == fault.labels[0].span.line + 1 and "used first here" in str(caught.value)


def test_it_is_told_of_functions_that_are_imported():
    def reused(key):
        one, _ = split(key)
        return normal(key) + normal(one)

    with pytest.raises(pellucid.CompileError, match="the key `key` is used twice"):
        compile(reused)


def test_another_random_module_has_no_keys():
    text = "import pellucid\nfrom elsewhere import random\n\n\n@pellucid.compile\ndef f(key):\n"
    text += "    return random.normal(key) + random.normal(key)\n"
    assert not [d for d in check_text(text, "f.py").diagnostics if d.code == "K001"]

"""Texts known only at run time: chosen, collected, compared, looked up and returned as CPython does."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from tests.harness.stages import STAGES, Stages, assert_same, in_python

pytestmark = pytest.mark.drawn(5)

X = np.array([1.0, -2.0, 3.0, -0.5])


def chosen(x):
    return "up" if x[0] > 0 else "down"


def chosen_on_paths(x):
    kind = "flat"
    if x[0] > 0:
        kind = "rising"
    elif x[1] < -1.0:
        kind = "falling"
    return kind, kind == "flat", kind != "rising", bool(kind), kind in ("rising", "falling")


def carried_by_a_loop(x):
    state, turns = "idle", 0
    for v in x:
        if state == "idle" and v > 0:
            state = "busy"
        elif state == "busy" and v < 0:
            state = "idle"
            turns += 1
    return state, turns


def collected(x):
    names = []
    for v in x:
        names.append("up" if v > 0 else "down")
    return names, names[0] == "up", len(names[-1]), names.count("up"), "down" in names


def of_one_kind(x):
    return [name for name, v in zip(("a", "b", "c"), x) if v > 0]


def in_rows(x):
    picks = [("P", 1.0, v) for v in x]
    picks += [("S", 2.0, v) for v in x if v > 0]
    total = 0.0
    for phase, weight, v in picks:
        total += v * weight if phase == "P" else 3.0 * v
    return total, picks


def best_of_a_dict(x):
    scores = {"a": x[2], "b": x[0], "c": x[1]}
    best = min(scores, key=scores.get)
    return best, scores[best], scores


def counted(x):
    count = {}
    for v in x:
        key = "neg" if v < 0 else "pos"
        count[key] = count.get(key, 0) + 1
    return count


def counted_by_a_counter(x):
    count = Counter()
    for v in x:
        count["neg" if v < 0 else "pos", int(abs(v)) % 2] += 1
    return count


def in_a_set(x):
    seen = set()
    for v in x:
        seen.add("a" if v > 0 else "b")
    return seen, len(seen), "a" in seen


def letters(x):
    text, found = "ACGT", []
    for v in x:
        letter = text[int(v) % 4]
        found.append(letter)
        if letter in "AC":
            found.append(letter.lower())
    return found, sorted(found), ord(found[0]), max(found), found[0] < "C"


def perhaps_none(x):
    best, where = None, None
    for v, name in zip(x, ("p", "q", "r", "s")):
        if best is None or v > best:
            best, where = v, name
    return where


@dataclass(frozen=True)
class Label:
    kind: str
    value: float


def in_records(x):
    made = [Label("big" if abs(v) > 1.0 else "small", v) for v in x]
    made.sort(key=lambda label: label.value)
    return made[0], made[-1].kind, sum(label.value for label in made if label.kind == "big")


def recursive(x):
    def deep(kind, k):
        if k == 0:
            return kind
        return deep("odd" if k % 2 else "even", k - 1)

    return deep(chosen(x), 3)


def methods(x):
    name = "North West" if x[0] > 0 else "south"
    return name.upper(), name[:2], name[0], name.startswith("N"), name.find("t"), "W" in name


def numbers_in_text(x):
    return int("12" if x[0] > 0 else "7"), float("1.5" if x[1] > 0 else "2")


def raised(x):
    bad = [name for name, v in zip(("a", "b", "c"), x) if v < -1.0]
    if bad:
        raise ValueError(f"negative: {', '.join(bad)}; {bad}, {bad[0]!r}")
    return len(bad)


def raised_for_some(x):
    return int("12" if x[0] > 0 else "none")


def missing(x):
    return {"up": 1.0, "left": 2.0}[chosen(x)]


def out_of_range(x):
    return "abc"[int(x[2])]


def of_a_tuple(x):
    name = ("left", "up", "right")[int(np.argmax(x)) - 3]
    return name, {"left": 1.0, "up": 2.0, "right": 3.0}[name]


def not_in_a_list(x):
    names = ["up" if v > 0 else "down" for v in x]
    return names.index(chosen(x)), [int(v) for v in x].index(int(x[0]) if x[0] > 0 else 70)


def letter_by_letter(x):
    word = "up" if x[0] > 0 else "down" if x[1] > 3 else ""
    total, seen = 0, []
    for i, letter in enumerate(word):
        if letter == "w":
            break
        total = total * 31 + ord(letter)
        seen.append(letter)
    return total, seen, [c for c in reversed(word)], sum(c > "n" for c in word)


def letter_at(x):
    return chosen(x)[int(x[2]) - 2], chosen(x)[int(x[1])]


EVERYWHERE = [
    chosen, chosen_on_paths, carried_by_a_loop, collected, of_one_kind, in_rows, best_of_a_dict, counted,
    counted_by_a_counter, in_a_set, letters, perhaps_none, in_records, recursive, methods, numbers_in_text, raised,
    raised_for_some, missing, out_of_range, of_a_tuple, not_in_a_list,
    letter_by_letter, letter_at,
]  # fmt: skip


@pytest.mark.parametrize("function", EVERYWHERE, ids=lambda f: f.__name__)
def test_a_text_of_the_run_is_pythons_at_every_stage(function):
    stages = Stages(function)
    for x in (X, -X):
        for stage in STAGES:
            assert_same(stages.run(stage, x), in_python(function, x))


@pytest.mark.parametrize("function", [raised, raised_for_some, missing, not_in_a_list], ids=lambda f: f.__name__)
def test_an_error_shows_the_text(function):
    compiled = pellucid.compile(function)
    for x in (X, -X):
        wanted = in_python(function, x)
        if wanted.error is None:
            assert compiled(x) == wanted.value
            continue
        with pytest.raises(type(wanted.error)) as caught:
            compiled(x)
        assert str(caught.value) == str(wanted.error)


def test_a_text_comes_back_from_every_call_and_from_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path))
    for _ in range(2):
        compiled = pellucid.compile(letters)
        for _ in range(4):
            assert compiled(X) == letters(X)


def test_what_a_text_chooses_is_differentiated():
    def loss(x):
        kind = "square" if x[0] > 0 else "cube"
        return np.sum(x**2 if kind == "square" else x**3)

    for x in (X, -X):
        wanted = 2 * x if x[0] > 0 else 3 * x**2
        np.testing.assert_allclose(pellucid.grad(loss)(x), wanted)
        np.testing.assert_allclose(pellucid.jvp(loss, (x,), (np.ones(4),))[1], wanted.sum())
        np.testing.assert_allclose(pellucid.vmap(loss)(np.stack([x, -x])), [loss(x), loss(-x)])


def test_all_examples_may_return_one_text():
    def spoken(x, up):
        return np.sum(x), "up" if up else "down"

    sums, word = pellucid.vmap(spoken, in_axes=(0, None), out_axes=(0, None))(np.stack([X, -X]), True)
    assert word == "up"
    np.testing.assert_allclose(sums, [X.sum(), -X.sum()])


def split(x):
    return chosen(x).split("o")


def is_one(x):
    word = "up"
    return chosen(x) is word


def ordered_with_a_number(x):
    return chosen(x) < 1.0


@pytest.mark.parametrize("function", [split, is_one, ordered_with_a_number])
def test_what_has_no_meaning_here_is_refused(function):
    with pytest.raises(CompileError) as caught:
        pellucid.compile(function)(X)
    assert caught.value.diagnostics[0].code in ("U018", "R001", "T001", "T002")


def test_a_text_that_differs_from_example_to_example_is_refused():
    with pytest.raises(CompileError, match="different strings"):
        pellucid.vmap(chosen)(np.stack([X, -X]))


def test_a_text_has_no_cotangent():
    with pytest.raises(CompileError, match="a string that is only known at run time"):
        pellucid.vjp(lambda x: (np.sum(x), chosen(x)), X)

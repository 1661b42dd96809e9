"""Texts that the run builds of others: joined, added, taken apart, compared, looked up and returned as CPython does."""

from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from tests.harness.stages import STAGES, Stages, assert_same, in_python

pytestmark = pytest.mark.drawn(5)


def joined(n):
    out = []
    for i in range(n):
        out.append("ACGT"[i * i % 4])
    return "".join(out), "-".join(out), ", ".join(reversed(out)), "".join("ab"[i % 2] for i in range(n))


def with_words(n):
    words = ["up" if i % 2 else "down" for i in range(n)]
    return " ".join(words), "-".join([words[0], "b"]) if words else "", words[0] + "s" if words else "none"


def grown(n):
    text = ""
    for i in range(n):
        text += "ab"[i % 2]
    return text, len(text), text[1:3], text[::-1], "<" + text + ">", [c for c in text], bool(text)


def compared(n):
    text = "".join("ab"[i % 2] for i in range(n))
    return text == "abab", "aba" != text, text < "abb", text >= "ab", text in ("a", "ab"), max(text, "aa"), text == 3


def parts(n):
    text = "".join("abc"[i % 3] for i in range(n))
    return "ca" in text, "b" in text, "" in text, text.count("ab"), text.count(""), text in "abcabc"


def text_of(letter, n):
    return "".join(letter for _ in range(n))


def ends_of_the_ints(n):
    low, high = "-922337203685477580" + text_of("8", n > 0), "922337203685477580" + text_of("7", n > 0)
    return int(low), int(high), int("-9223372036854775808" if n else "7")


def numbers(n):
    written = "12" + text_of("0", n)
    other = int("x", 36) if n else 0
    return int(written), int("-" + written), int(" 1_0" + written + " "), other, str("a"), str(written)


def not_a_number(n):
    return int("12" + text_of("x", n % 3))


def words_counted(n):
    text, count = "GATTACAGATTA", {}
    for i in range(n):
        word = text[i : i + 2]
        count[word] = count.get(word, 0) + 1
    return count, count.get("TT", 0), "GA" in count, count.get("A" + "G", -1), sorted(count)


def counted(n):
    count, text = Counter(), ""
    for i in range(n):
        text = text + "xy"[i % 2]
        count[text[-2:]] += 1
    return count


def in_a_set(n):
    seen = set()
    for i in range(n):
        seen.add((text_of("a", i % 3), i % 2))
    return len(seen), ("a", 1) in seen, ("b", 0) in seen


def in_lists(n):
    words = []
    for i in range(n):
        words.append(text_of("abc"[i % 3], i))
    return words, sorted(words), [w for w in words if len(w) > 1], words.count("b"), "cc" in words


class Named(NamedTuple):
    name: str
    size: int


def in_records(n):
    made = [Named("n" + text_of("i", i), i) for i in range(n)]
    return made, [one.name for one in made if "ii" in one.name]


def on_paths(n):
    text = "none"
    if n > 2:
        text = "".join("01"[i % 2] for i in range(n))
    best = None
    for i in range(n):
        if best is None or text_of("b", i % 3) > best:
            best = text_of("b", i % 3)
    return text, best


def last_letter(n):
    text = text_of("z", n)
    return text[2]


def raised(n):
    raise ValueError("bad " + str(n) + f": {'x' * n!r}")


def palindromes(n):
    words = ["".join("ab"[i >> k & 1] for k in range(4)) for i in range(n)]
    return [word for word in words if word == word[::-1]], [f"<{word}>" for word in words]


def letters_of_codes(n):
    codes = [ord("a") + i * n % 26 for i in range(n)]
    return "".join(chr(c) for c in codes), [chr(c) for c in codes], chr(n - 1)


def at_places(n):
    words, names = [""], ["a", "b", "c"]
    for i in range(n):
        words.append(words[i // 2] + "xy"[i % 2])
        names[i % 3] = names[(i + 1) % 3]
    return words, names, names[n // 3]


EVERYWHERE = [
    letters_of_codes, at_places, joined, with_words, grown, compared, parts, numbers, not_a_number, words_counted,
    counted, in_a_set, in_lists, in_records, on_paths, last_letter, raised, palindromes, ends_of_the_ints,
]  # fmt: skip


@pytest.mark.parametrize("function", EVERYWHERE, ids=lambda f: f.__name__)
def test_a_built_text_is_pythons(function):
    stages = Stages(function)
    for n in (0, 1, 4, 7):
        assert_same(stages.run("typed", n), in_python(function, n))


@pytest.mark.parametrize("function", [joined, words_counted, in_lists, not_a_number], ids=lambda f: f.__name__)
def test_a_built_text_is_pythons_at_every_stage(function):
    stages = Stages(function)
    for stage in STAGES:
        assert_same(stages.run(stage, 4), in_python(function, 4))


def taken_into_lines(text, x):
    words = text.split()
    words.append("end")
    alias = words
    alias[0] = "first"
    lines = text.splitlines()
    lines.reverse()
    by_name = text.split(sep="b", maxsplit=1), text.splitlines(keepends=True), text.expandtabs(tabsize=3)
    return words, lines, text.rsplit(None, 1), text.rpartition(" "), text.expandtabs(2), text.isprintable(), by_name, x


def test_the_lists_that_a_known_text_gives_are_lists():
    assert pellucid.compile(taken_into_lines)("a b\tc\nd e", 1.0) == taken_into_lines("a b\tc\nd e", 1.0)


def test_more_than_64_bits_is_refused():
    def next_digit(text, n, digit):
        return int(text + text_of(digit, n))

    assert pellucid.compile(next_digit)("-922337203685477580", 1, "8") == -(2**63)
    for text, digit in (("-922337203685477580", "9"), ("922337203685477580", "8"), (str(-(2**62)), "0")):
        with pytest.raises(OverflowError):
            pellucid.compile(next_digit)(text, 1, digit)


@pytest.mark.parametrize("function", [not_a_number, last_letter, raised], ids=lambda f: f.__name__)
def test_an_error_shows_the_text(function):
    for n in (1, 3, 5):
        wanted = in_python(function, n)
        if wanted.error is not None:
            with pytest.raises(type(wanted.error)) as caught:
                pellucid.compile(function)(n)
            assert str(caught.value) == str(wanted.error)


def test_a_built_text_comes_back_from_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path))
    for _ in range(2):
        compiled = pellucid.compile(in_records)
        assert [compiled(n) for n in (0, 3)] == [in_records(n) for n in (0, 3)]


def test_what_a_built_text_chooses_is_differentiated():
    def loss(x):
        signs = "".join("+" if v > 0 else "-" for v in x)
        return np.sum(x**2) * signs.count("+") + (x[0] if signs == "++-" else 0.0)

    x = np.array([1.0, 2.0, -3.0])
    np.testing.assert_allclose(pellucid.grad(loss)(x), 4 * x + np.array([1.0, 0.0, 0.0]))
    np.testing.assert_allclose(pellucid.vmap(loss)(np.stack([x, -x])), [loss(x), loss(-x)])


def split(n):
    return text_of("a", n).split("b")


def upper(n):
    return text_of("a", n).upper()


def found(n):
    return text_of("a", n).find("b")


def found_in_a_known_one(n):
    return "aab".find(text_of("a", n))


def stripped(n):
    return text_of("a", n).strip()


def padded(n):
    return text_of("a", n).rjust(9)


def repeated(n):
    return text_of("a", n) * 2


def in_base_two(n):
    return int(text_of("1", n), 2)


def in_a_form(n):
    return f"{text_of('a', n):>9}"


def longer_each_time(n):
    text = "xy"[n % 2]
    for _ in range(n):
        text = text.replace("x", "xx")
    return text


def of_a_float(n):
    return str(n * 0.5)


def of_numbers(n):
    return ",".join([n, n])


@pytest.mark.parametrize(
    "function, code",
    [*((one, "U008") for one in (
        split, upper, found, found_in_a_known_one, stripped, padded, repeated, in_base_two, in_a_form, of_a_float,
    )), (longer_each_time, "U018"), (of_numbers, "T001")],
)
def test_what_is_not_in_the_language_is_refused(function, code):
    with pytest.raises(CompileError) as caught:
        pellucid.compile(function)(3)
    assert caught.value.diagnostics[0].code == code


def test_an_int_of_more_than_64_bits_is_no_other_number():
    with pytest.raises(OverflowError):
        pellucid.compile(lambda n: int(text_of("9", n)))(25)


def test_chr_beyond_ascii_is_no_other_letter():
    with pytest.raises(ValueError, match="ASCII"):
        pellucid.compile(lambda n: chr(n))(200)


def test_texts_of_many_values_that_a_recursion_passes_on_are_of_the_run():
    def ways(board, left):
        if left == 0:
            return 1
        return sum(ways(board[:i] + "x" + board[i + 1 :], left - 1) for i, c in enumerate(board) if c == ".")

    assert pellucid.compile(lambda n: ways(".......", n))(3) == 210


def test_texts_of_several_lengths_have_no_place_in_one_array():
    with pytest.raises(CompileError, match="of many examples"):
        pellucid.vmap(lambda x: text_of("a", int(x)))(np.array([1, 2]))


def test_a_text_that_nobody_reads_leaves_no_branch_behind():
    def program(k):
        text = text_of("b", k)
        if k > 0:
            text = text + "c"
        return k

    assert pellucid.compile(program)(2) == 2 and pellucid.compile(program)(-2) == -2

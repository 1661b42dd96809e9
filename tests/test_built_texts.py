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
    return text, len(text), text[1:3], text[::-1], text * 2, "<" + text + ">", [c for c in text], bool(text)


def compared(n):
    text = "".join("ab"[i % 2] for i in range(n))
    return text == "abab", "aba" != text, text < "abb", text >= "ab", text in ("a", "ab"), max(text, "aa"), text == 3


def parts(n):
    text = "".join("abc"[i % 3] for i in range(n))
    asked = "xabcx".find(text), "abcab".startswith(text), text in "abcabc", text.upper(), text.endswith("c")
    return "ca" in text, "b" in text, "" in text, text.count("ab"), text.count(""), text.find("c"), asked


def places(n):
    s, none = "abcab" * n, "z" * n
    return (
        s.find("c", 3), s.find("c", 1, 4), s.find("", 2), s.find("", 100), s.find("ab", -4), s.find("ab", -4, -1),
        s.rfind("c"), s.rfind("ab", 0, -1), s.rfind(""), s.rfind("", 2, 4), s.count("ab", 3), s.count("", 3, 5),
        s.startswith("a", 3), s.startswith("", 100), s.startswith("b", 1, 1), s.endswith("ab", 3), s.endswith("", 3, 2),
        s.endswith("ca", None, 4), s.find("a", 5, -100), s.find("b", None, None), s.find(none), s.rfind("a" + none),
    )  # fmt: skip


def not_found_from_there(n):
    return ("abc" * n).index("a", 3 * n - 1), ("abc" * n).rindex("c", 0, 2)


def ends_of_the_ints(n):
    low, high = -(2**62) - n * 2**59, 2**62 + n
    return int(str(low)), int(str(high)), int("-8" + "0" * (n + 8), 16)


def numbers(n):
    return str(n), str(-n), int(str(n)), str(n) + "px", ",".join(map(str, range(n))), str(n)[::-1], str(n > 2), str("a")


def bits(n):
    found = [(n >> k) & 1 for k in range(n)]
    written = str(n)
    of_bits = int("".join(map(str, found)) or "0", 2)
    return of_bits, int("-" + written), int(" 1_0" + written + " "), int("0x" + written, 16)


def not_a_number(n):
    return int("12" + "x" * (n % 3))


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
        seen.add((str(i % 3), i % 2))
    return len(seen), ("1", 1) in seen, ("9", 0) in seen


def in_lists(n):
    words = []
    for i in range(n):
        words.append("abc"[i % 3] * i)
    return words, sorted(words), [w for w in words if len(w) > 1], words.count("b"), "cc" in words


class Named(NamedTuple):
    name: str
    size: int


def in_records(n):
    made = [Named("n" + str(i), i) for i in range(n)]
    return made, [one.name for one in made if one.name.endswith("1")]


def on_paths(n):
    text = "none"
    if n > 2:
        text = "".join("01"[i % 2] for i in range(n))
    best = None
    for i in range(n):
        if best is None or str(i) > best:
            best = str(i)
    return text, best


def last_letter(n):
    text = "z" * n
    return text[2]


def no_such_part(n):
    return str(n).index("7")


def raised(n):
    raise ValueError("bad " + str(n) + f": {'x' * n!r}")


def palindromes(n):
    return [i for i in range(n * 20) if str(i) == str(i)[::-1]], sum(int(c) for c in str(n**3))


def letters_of_codes(n):
    codes = [ord("a") + i * n % 26 for i in range(n)]
    return "".join(chr(c) for c in codes), [chr(c) for c in codes], chr(n - 1)


def replaced(n):
    t, code = "ab" * n + "xyz"[n % 3] + " -", "xyz"[n % 3]
    doubled = code
    for _ in range(n):
        doubled = doubled.replace("x", "xx")
    return (
        t.replace("a", "xx"), t.replace("ab", ""), t.replace("", "."), t.replace("a", "b", 1), t.replace("", "#", n),
        t.replace("b", t), t.replace("zzz", "q"), t.replace("", "q", 0), t.replace("a", "c", -1),
        code.replace("x", "xx"), "aaa".replace("aa", "b" * n), doubled,
    )  # fmt: skip


def stripped(n):
    t = "ab" * n + "xyz"[n % 3] + " -"
    return (
        t.strip(" -"), t.rstrip("- x"), t.lstrip("ab"), (t + "\t").strip(), ("  " + t).strip(),
        ("\u3000" + t + "\x1c").strip(), (" " * n).strip(), t.strip(""),
    )  # fmt: skip


def at_places(n):
    words, names = [""], ["a", "b", "c"]
    for i in range(n):
        words.append(words[i // 2] + "xy"[i % 2])
        names[i % 3] = names[(i + 1) % 3]
    return words, names, names[n // 3]


EVERYWHERE = [
    letters_of_codes, at_places, joined, with_words, grown, compared, parts, numbers, bits, not_a_number, words_counted,
    counted, in_a_set, in_lists, in_records, on_paths, last_letter, no_such_part, raised, palindromes, places,
    not_found_from_there, ends_of_the_ints, replaced, stripped,
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


@pytest.mark.parametrize("number", [0, 9, 10, 2**63 - 1, 2**63, 2**64 - 1])
def test_a_number_without_sign_is_written_out(number):
    assert pellucid.compile(lambda k: str(k))(np.uint64(number)) == str(number)


@pytest.mark.parametrize("number", [0, 5, -5, 255, -256, 2**63 - 1, -(2**63)])
def test_a_number_in_another_base_is_pythons(number):
    assert pellucid.compile(in_other_bases)(number) == in_other_bases(number)


def in_other_bases(number):
    return bin(number), oct(number), hex(number), bin(number).count("1"), hex(number)[2:], bin(-6), hex(255)


def test_a_number_in_another_base_is_an_int():
    for wrong in (lambda x: bin(x), lambda x: hex(2.0) + str(int(x))):
        with pytest.raises((CompileError, TypeError), match="integer"):
            pellucid.compile(wrong)(1.5)


def taken_into_lines(text, x):
    words = text.split()
    words.append("end")
    alias = words
    alias[0] = "first"
    lines = text.splitlines()
    lines.reverse()
    return words, lines, text.rsplit(None, 1), text.rpartition(" "), text.expandtabs(2), text.isprintable(), x


def test_the_lists_that_a_known_text_gives_are_lists():
    assert pellucid.compile(taken_into_lines)("a b\tc\nd e", 1.0) == taken_into_lines("a b\tc\nd e", 1.0)


def test_more_than_64_bits_is_refused():
    def next_digit(k, digit):
        return int(str(k) + digit)

    assert pellucid.compile(next_digit)(-922337203685477580, "8") == -(2**63)
    for k, digit in ((-922337203685477580, "9"), (922337203685477580, "8"), (-(2**62), "0")):
        with pytest.raises(OverflowError):
            pellucid.compile(next_digit)(k, digit)


@pytest.mark.parametrize("function", [not_a_number, last_letter, no_such_part, raised], ids=lambda f: f.__name__)
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
    return ("a" * n).split("b")


def of_a_float(n):
    return str(n * 0.5)


def of_numbers(n):
    return ",".join([n, n])


@pytest.mark.parametrize(
    "function, code",
    [(split, "U018"), (of_a_float, "U008"), (of_numbers, "T001")],
)
def test_what_is_not_in_the_language_is_refused(function, code):
    with pytest.raises(CompileError) as caught:
        pellucid.compile(function)(3)
    assert caught.value.diagnostics[0].code == code


def test_an_int_of_more_than_64_bits_is_no_other_number():
    with pytest.raises(OverflowError):
        pellucid.compile(lambda n: int("9" * n))(25)


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
        pellucid.vmap(lambda x: "a" * int(x))(np.array([1, 2]))


def test_a_text_that_nobody_reads_leaves_no_branch_behind():
    def program(k):
        text = str(k)
        if k > 0:
            text = text + "c"
        return k

    assert pellucid.compile(program)(2) == 2 and pellucid.compile(program)(-2) == -2

"""f-strings, `format`, `%` and the builtins that write an int, of what only the run knows, as CPython writes them."""

import itertools
import runpy

import numpy as np
import pytest

import pellucid
from tests.harness.stages import STAGES, Stages, assert_same, in_python

pytestmark = pytest.mark.drawn(5)

NUMBERS = (0, -7, 12345, -(2**63))


def f_strings(k, name):
    code = "xyz"[k % 3]
    return (
        f"{name}-{k}", f"{k:03d}:{k:5}|{k:<6}|{k:^7}|{k:*>8}|{k:+d}|{k: d}|{k:=+7d}|{k:<05}", f"{{{k}}}",
        f"{code!s:>4}|{code:^5}|", f"{k!r:>4}{k!s:4}|", f"{k > 3}|{k > 3!s:6}|",
        f"{code}{name:05}{k:{3}d}", f"{3.5:.2f} {name!r} {k}", f"{k:x} {k:#b} {k:08X}",
    )  # fmt: skip


def by_percent(k, name):
    spaced = "%6s|%.1f"
    return "%d of %s" % (k, name), "%5d|%-5d|%05d|%+d|% d|%i|%x|%%" % (k, k, k, k, k, k, k), "%s" % k, spaced % (k, 2.5)


def by_method(k, name):
    text = "{} of {}, {0}" if k > 10**9 else "{} of {}"
    return "{1}{0}{1}".format(k, name), "{:>4}|{name!s:4}|".format(k, name=k + 1), "{{{}}}".format(k), text


def by_builtins(k, name):
    return hex(k), bin(k), oct(k), repr(k), format(k), format(k, "04d"), format("a", ">3"), str(k).zfill(6)


def around(k, name):
    text, width = str(k), k % 9 + 4
    return (
        text.rjust(5), text.ljust(width) + "|", text.center(8, "*"), text.center(7), text.zfill(width),
        "ab".rjust(width, "."), name.center(width), "-3".zfill(width), "".zfill(width), "ab".ljust(width - 9),
        "+1".zfill(1),
    )  # fmt: skip


def clock(k, name):
    d = {}
    for s in range(k % 5 + 1):
        d[f"{s // 60:02d}:{s % 60:02d}"] = s
    return d, [f"row {i}" for i in range(3)], ", ".join(f"{i}={i * i}" for i in range(k % 4))


def in_messages(k, name):
    shown = ", ".join(f"{i}" for i in range(2))
    if k > 3:
        raise ValueError("k = " + str(k / 2) + f", {shown}" + f" {k / 3:.3f}")
    raise KeyError("%d and %.2f" % (k, k / 7), "{:.1f}".format(k / 3), repr(k / 2))


FUNCTIONS = [f_strings, by_percent, by_method, by_builtins, around, clock, in_messages]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_what_is_written_is_pythons(function):
    stages = Stages(function)
    for k in NUMBERS:
        assert_same(stages.run("llvm", k, "nm"), in_python(function, k, "nm"))


def test_what_is_written_is_pythons_at_every_stage():
    stages = Stages(clock)
    for stage in STAGES:
        assert_same(stages.run(stage, -42, "nm"), in_python(clock, -42, "nm"))


FORMS = ["".join(parts) for parts in itertools.product(
    ("", "<", "^", "_>", "0="), ("", "+", " "), ("", "#"), ("", "0"), ("", "1", "9"), ("", "d", "x", "b")
)]  # fmt: skip


def test_every_form_of_an_int_is_pythons(tmp_path):
    sampled = FORMS[:: 1 + len(FORMS) // 48]
    written = ", ".join(f"format(k, {form!r})" for form in sampled)
    path = tmp_path / "forms.py"
    path.write_text(f"def forms(k):\n    return {written}\n")
    forms = runpy.run_path(str(path))["forms"]
    compiled = pellucid.compile(forms)
    for k in (0, 29, -29):
        assert compiled(k) == forms(k)


def written(k):
    return f"{k:6d}|{k:x}|{k}", hex(k), "%d" % k, f"{k!r}", "%r" % k


def written_truth(b):
    return f"{b}|{b:5}|{b!r:12}", repr(b), str(b), "%d %s %r" % (b, b, b)


@pytest.mark.parametrize("number", [np.uint64(2**64 - 1), np.int8(-128), np.int64(-5)])
def test_numpys_ints_are_written(number):
    assert pellucid.compile(written)(number) == written(number)


@pytest.mark.parametrize("truth", [True, np.True_])
def test_truth_is_written(truth):
    assert pellucid.compile(written_truth)(truth) == written_truth(truth)
    if truth is True:
        assert pellucid.compile(lambda b: hex(b))(truth) == hex(truth)
    else:
        with pytest.raises(pellucid.CompileError, match="takes an integer"):
            pellucid.compile(lambda b: hex(b))(truth)


def a_float(k, x):
    return f"{x}"


def a_float_with_form(k, x):
    return f"{x:.3f}"


def percent_of_a_float(k, x):
    return "%.2f" % x


def an_array(k, x):
    return f"{np.ones(k)}"


def a_text_in_quotes(k, x):
    return f"{str(k)!r}"


def thousands(k, x):
    return f"{k:,}"


def a_float_form(k, x):
    return f"{k:.2f}"


def sign_of_a_text(k, x):
    return f"{str(k):+5}"


def too_few(k, x):
    return ("%d " * 2) % (k,)


def an_item(k, x):
    return "{0[0]}".format([k])


def a_kept_message(k, x):
    text = f"{x} is negative"
    if x < 0.0:
        raise ValueError(text)
    return x


REFUSED = [
    a_float, a_float_with_form, percent_of_a_float, an_array, a_text_in_quotes, thousands, a_float_form, sign_of_a_text,
    too_few, an_item, a_kept_message,
]  # fmt: skip


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_what_python_alone_can_write_is_refused(function):
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(3, 2.5)
    (found,) = caught.value.diagnostics
    assert found.code == "U008" and found.help and found.span.line > function.__code__.co_firstlineno


def test_a_form_of_the_run_is_refused():
    with pytest.raises(pellucid.StaticArgumentError, match="a format must be known"):
        pellucid.compile(lambda k, w: f"{k:{w}d}")(3, 4)

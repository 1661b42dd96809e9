"""Formats of what is known now are written as CPython does; of values known only at run time, in messages alone."""

import numpy as np
import pytest

import pellucid
from tests.harness.stages import STAGES, Stages, assert_same, in_python

pytestmark = pytest.mark.drawn(5)


def f_strings(k, name):
    code = "xyz"[k % 3]
    return f"{name}-{3:03d}", f"{{{name!r}}}", f"{code}{name:05}{7:{3}d}|{3.5:.2f}", f"{code!s}", f"{[1, 'a']}|{(2.5,)}"


def by_percent(k, name):
    spaced = "%6s|%.1f"
    return "%d of %s" % (3, name), "%5d|%-5d|%05d|%%" % (1, 2, 3), spaced % (name, 2.5), "%s" % name, "%s" % ([1, 2],)


def by_method(k, name):
    return "{1}{0}{1}".format(3, name), "{:>4}|{name!s:4}|".format(1, name=name), "{0[1]}{1!r}".format((1, "b"), name)


def by_builtins(k, name):
    return hex(255), bin(-6), oct(8), repr(name), format(3), format(3, "04d"), format("a", ">3"), str(12).zfill(6)


def labels(k, name):
    found = {"w0": 1.0, "w1": 2.0, "b0": 3.0, "b1": 4.0}
    total = sum(found[f"w{i}"] * k + found["b%d" % i] * found["w" + str(i)] for i in range(2))
    return total, [f"row {i}" for i in range(3)]


def labels_in_a_loop(k, name):
    found, total = {"w0": 1.0, "w1": 2.0, "w2": k * 3.0}, 0.0
    for i in range(3):
        total = total * k + found[f"w{i}"]
    return total


def in_messages(k, name):
    shown = ", ".join(f"{i}" for i in range(2))
    if k > 3:
        raise ValueError("k = " + str(k / 2) + f", {shown}" + f" {k / 3:.3f}", ("ab" * k).upper().rjust(k))
    raise KeyError("%d and %.2f" % (k, k / 7), "{:.1f}".format(k / 3), repr(k / 2), hex(k))


FUNCTIONS = [f_strings, by_percent, by_method, by_builtins, labels, labels_in_a_loop, in_messages]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_what_is_written_is_pythons(function):
    stages = Stages(function, static=("name",))
    for k in (0, -7, 12):
        assert_same(stages.run("llvm", k, "nm"), in_python(function, k, "nm"))


def test_what_is_written_is_pythons_at_every_stage():
    stages = Stages(labels_in_a_loop, static=("name",))
    for stage in STAGES:
        assert_same(stages.run(stage, -42, "nm"), in_python(labels_in_a_loop, -42, "nm"))


def test_a_message_shows_what_the_run_writes():
    for k in (5, 2):
        with pytest.raises((ValueError, KeyError)) as caught:
            pellucid.compile(in_messages)(k, "nm")
        assert str(caught.value) == str(in_python(in_messages, k, "nm").error)


def named_messages(k, name):
    """Each way of a message: made in a variable, then raised."""
    if k > 10:
        message = f"{name}: {k} is too large"
        raise ValueError(message)
    if k > 5:
        message = "%d is larger than %d" % (k, 5)
        raise KeyError(message, k)
    if k > 3:
        for step in range(k):
            if step == 2:
                text = "step " + f"{step}" + " of {}".format(k)
                assert step > k, text
    if k < -3:
        try:
            message = "{} is too small".format(k)
            raise ValueError(message)
        except ValueError:
            return k * 2
    return k


def a_message_read_twice(k, name):
    message = f"{k} is wrong"
    if k > 3:
        raise ValueError(message)
    return len(message)


@pytest.mark.parametrize("k", [12, 7, 4, 2, -5])
def test_messages_may_have_a_name_until_they_are_raised(k):
    for stage in STAGES:
        assert_same(Stages(named_messages, static=("name",)).run(stage, k, "nm"), in_python(named_messages, k, "nm"))
    if k > 3:
        with pytest.raises((ValueError, KeyError, AssertionError)) as caught:
            pellucid.compile(named_messages)(k, "nm")
        assert str(caught.value) == str(in_python(named_messages, k, "nm").error)


def test_a_message_that_is_read_elsewhere_keeps_its_name():
    with pytest.raises(pellucid.CompileError, match="U008"):
        pellucid.compile(a_message_read_twice)(1, "nm")


def an_int(k, x):
    return f"{k}"


def an_int_by_str(k, x):
    return "n" + str(k)


def an_int_by_percent(k, x):
    return "%d of 3" % k


def an_int_by_method(k, x):
    return "{:03d}".format(k)


def an_int_in_hex(k, x):
    return hex(k)


def in_a_row(k, x):
    return ",".join(map(str, range(k)))


def repeated(k, x):
    return "ab" * k


def a_truth(k, x):
    return str(x > 1.0)


def a_float(k, x):
    return f"{x}"


def a_float_with_form(k, x):
    return f"{x:.3f}"


def an_array(k, x):
    return f"{np.ones(k)}"


def a_text_in_quotes(k, x):
    return f"{'xyz'[k % 3]!r}"


def a_text_with_a_width(k, x):
    return f"{'xyz'[k % 3]:>4}"


def a_kept_message(k, x):
    text = f"{x} is negative"
    if x < 0.0:
        raise ValueError(text)
    return x


REFUSED = [
    an_int, an_int_by_str, an_int_by_percent, an_int_by_method, an_int_in_hex, in_a_row, repeated, a_truth, a_float,
    a_float_with_form, an_array, a_text_in_quotes, a_text_with_a_width, a_kept_message,
]  # fmt: skip


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_the_text_of_what_only_the_run_knows_is_refused(function):
    with pytest.raises(pellucid.UnsupportedError) as caught:
        pellucid.compile(function)(3, 2.5)
    (found,) = caught.value.diagnostics
    assert found.code == "U008" and found.span.line > function.__code__.co_firstlineno
    assert any("outside the compiled function" in help_ for help_ in found.help)


def test_a_form_of_the_run_is_refused():
    with pytest.raises(pellucid.UnsupportedError, match=r"static=\(\"w\",\)"):
        pellucid.compile(lambda k, w: f"{3:{w}d}")(3, 4)

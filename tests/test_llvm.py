"""Programs in the loops language, compiled, against CPython on the same text; and what machine code must never do."""

from __future__ import annotations

import gc
import re
import sys
import threading
import traceback

import numpy as np
import pytest

import pellucid
from pellucid.compiler.targets.llvm.llvm import EmitOptions, compile_program, lower
from pellucid.runtime import memory
from pellucid.runtime import targets as runtime_targets
from tests.harness import targets
from tests.harness.draws import seeds
from tests.harness.loops_programs import PROGRAMS
from tests.harness.loops_python import assert_same_outcome
from tests.harness.loops_text import read_loops


def compiled(text, **options):
    return compile_program(read_loops(text), EmitOptions(**options))


def live():
    """The bytes of all buffers that somebody holds, cycles of garbage left aside."""
    if memory.live_bytes():
        gc.collect()
    return memory.live_bytes()


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    text, argument_lists = PROGRAMS[name]
    before = live()
    native = compiled(text)
    for arguments in argument_lists:
        assert_same_outcome(native, text, arguments)
    assert live() == before, "memory is still held after every result is gone"


def test_there_are_enough_programs():
    assert len(PROGRAMS) >= 60 and sum(len(calls) for _, calls in PROGRAMS.values()) >= 150


# --- checks that ranges remove, and vector instructions -------------------------------------------------------------

PROVEN = {
    "same symbol": """
def f(x: "f64[n]", y: "f64[n]"):
    out = empty(dim(x, 0))
    for i in range(dim(x, 0)):
        out[i] = x[i] + y[i]
    return out
""",
    "neighbours": """
def f(x: "f64[n]"):
    out = empty(dim(x, 0))
    for i in range(1, dim(x, 0) - 1):
        out[i] = x[i - 1] - 2.0 * x[i] + x[i + 1]
    return out
""",
    "backwards": """
def f(x: "f64[n]"):
    s = cast(0.0, "f64")
    for i in range(dim(x, 0) - 1, -1, -1):
        s = s * 0.5 + x[i]
    return s
""",
    "triangle": """
def f(x: "f64[n, n]"):
    s = cast(0.0, "f64")
    for i in range(dim(x, 0)):
        for j in range(i + 1, dim(x, 0)):
            s = s + x[i, j] * x[j, i]
        for j in range(i):
            s = s + x[i, j]
    return s
""",
    "guard": """
def f(x: "f64[n]", y: "f64[m]"):
    if dim(x, 0) != dim(y, 0):
        raise ValueError(f"lengths {dim(x, 0)} and {dim(y, 0)}")
    s = cast(0.0, "f64")
    for i in range(dim(x, 0)):
        s = s + x[i] * y[i]
    return s
""",
    "clamped length": """
def f(x: "f64[n]"):
    out = empty(maximum(dim(x, 0) - 2, 0))
    for i in range(dim(out, 0)):
        out[i] = x[i] + x[i + 1] + x[i + 2]
    return out
""",
    "clamped loop": """
def f(x: "f64[n]"):
    out = empty(maximum(dim(x, 0) - 2, 0))
    for i in range(maximum(dim(x, 0) - 2, 0)):
        out[i] = x[i + 2] - x[i]
    return out
""",
    "carried buffers": """
def f(x: "f64[n]", k: "int"):
    u = empty(dim(x, 0))
    for i in range(dim(x, 0)):
        u[i] = x[i]
    for t in range(k):
        v = empty(dim(u, 0))
        for i in range(dim(u, 0)):
            v[i] = u[i] * 0.5 + x[i]
        u = v
    return u
""",
    "while counter": """
def f(x: "f64[n]"):
    s = cast(0.0, "f64")
    i = 0
    while i < dim(x, 0):
        s = s + x[i]
        i = i + 2
    return s
""",
    "static lengths": """
def f(x: "f64[3]", y: "f64[n, 3]"):
    s = cast(0.0, "f64")
    for i in range(dim(y, 0)):
        s = s + y[i, 0] * x[2] + y[i, 1] * x[-1] + y[i, -3] * x[1]
    return s
""",
    "last of a nonempty one": """
def f(x: "f64[n]"):
    if dim(x, 0) == 0:
        raise ValueError("empty")
    return x[0] + x[-1]
""",
    "views": """
def f(x: "any f64[n, m]"):
    s = cast(0.0, "f64")
    v = x[1:, :-1]
    for i in range(dim(v, 0)):
        for j in range(dim(v, 1)):
            s = s + v[i, j] + x[i + 1, j]
    return s
""",
    "halves": """
def f(x: "f64[n]"):
    s = cast(0.0, "f64")
    for i in range(dim(x, 0) // 2):
        s = s + x[2 * i] * x[2 * i + 1] + x[dim(x, 0) - 1 - i]
    return s
""",
    "clamped user bound": """
def f(x: "f64[n]", k: "int"):
    s = cast(0.0, "f64")
    for i in range(minimum(maximum(k, 0), dim(x, 0))):
        s = s + x[i]
    return s
""",
    "strided loop": """
def f(x: "f64[n]"):
    s = cast(0.0, "f64")
    for i in range(1, dim(x, 0), 3):
        s = s + x[i] - x[i - 1]
    return s
""",
    "remainder": """
def f(x: "f64[n]", k: "int"):
    if dim(x, 0) == 0:
        raise ValueError("empty")
    return x[k % dim(x, 0)]
""",
}  # fmt: skip


@pytest.mark.parametrize("name", PROVEN)
def test_ranges_prove(name):
    sites = compiled(PROVEN[name]).sites
    assert not [s for s in sites if s.exception == "IndexError"]
    assert not [s for s in sites if s.exception == "OverflowError" and "remainder" not in name]


KERNELS = {
    "axpy": PROVEN["same symbol"],
    "stencil": PROVEN["neighbours"],
    "rows": """
def f(x: "f64[n, m]", y: "f64[m]"):
    out = empty((dim(x, 0), dim(x, 1)))
    for i in prange(dim(x, 0)):
        for j in range(dim(x, 1)):
            out[i, j] = x[i, j] * y[j] + where(x[i, j] > 0.0, 1.0, 2.0)
    return out
""",
    "in place": """
def f(x: "f64[n]"):
    out = empty(dim(x, 0))
    for i in range(dim(x, 0)):
        out[i] = x[i]
    for i in range(dim(out, 0)):
        out[i] = sqrt(absolute(out[i])) + 1.0
    return out
""",
    "comparison": """
def f(x: "f64[n]", y: "f64[n]"):
    out = empty(dim(x, 0), "bool")
    for i in range(dim(x, 0)):
        out[i] = x[i] < y[i]
    return out
""",
}  # fmt: skip


@pytest.mark.parametrize("target", targets.ALL)
@pytest.mark.parametrize("name", KERNELS)
def test_inner_loops_are_vectorised(name, target, monkeypatch):
    assert targets.has_vectors(targets.optimised(KERNELS[name], targets.on(monkeypatch, target)), "", target)


@pytest.mark.parametrize("target", targets.ALL)
def test_a_sum_is_vectorised_only_when_asked(target, monkeypatch):
    targets.on(monkeypatch, target)
    text = """
def f(x: "f64[n]"):
    s = cast(0.0, "f64")
    for i in range(dim(x, 0)):
        s += x[i]
    return s
"""
    assert not re.search(r"fadd .*<\d x double>", compiled(text).llvm_text)
    fast = compiled(text, fastmath=True)
    assert targets.has_vectors(fast.llvm_text, "fadd", target)
    if runtime_targets.runs_here(target):
        assert fast([np.arange(1000.0)])[0] == 499500.0


def test_text_and_assembly():
    program = read_loops(KERNELS["axpy"])
    assert lower(program) == lower(program)
    assert "fast" not in lower(program) and "afn" in lower(program, fastmath=True)
    executable = compile_program(program)
    assert "pellucid_entry" in executable.llvm_text and "ret" in executable.asm


# --- arguments ------------------------------------------------------------------------------------------------------

SUMS = """
def f(x: "any f64[n, m]", y: "f64[m]"):
    out = empty(dim(x, 1))
    for j in range(dim(x, 1)):
        out[j] = y[j]
    for i in range(dim(x, 0)):
        for j in range(dim(x, 1)):
            out[j] = out[j] + x[i, j]
    return out
"""


def test_any_memory_layout_is_read():
    native, base = compiled(SUMS), np.arange(24.0).reshape(4, 6)
    unaligned = np.frombuffer(b"x" + base.tobytes(), np.float64, offset=1).reshape(4, 6)
    record = np.zeros((4, 6), [("a", "i1"), ("b", "f8")])
    record["b"] = base
    layouts = [base, np.asfortranarray(base), base[::-1], base[:, ::-1][:, ::1], base.astype(">f8"), unaligned,
               record["b"], np.repeat(base, 2, axis=1)[:, ::2]]  # fmt: skip
    for x in layouts:
        for y in (np.arange(6.0), np.arange(12.0)[::2], np.arange(6.0).astype(">f8"), np.broadcast_to(1.0, (6,))):
            np.testing.assert_array_equal(native([x, y])[0], y + x.sum(axis=0))
    readonly = base.copy()
    readonly.flags.writeable = False
    np.testing.assert_array_equal(native([readonly, np.zeros(6)])[0], base.sum(axis=0))


def product_and_sum(a, b):
    h = a @ b
    return h + b


@pytest.mark.parametrize("run", [lambda f: f, lambda f: f.debug("loops")], ids=["native", "loops"])
def test_the_message_says_for_which_operator_lengths_have_to_be_equal(run):
    """Of the axes of one argument it would not be plain."""
    f = run(pellucid.compile(product_and_sum))
    lengths = "`a` has length 2 along axis 0, but `a` has length 3 along axis 1"
    message = f"{lengths}: they have to be equal here, for `x + y`"
    with pytest.raises(ValueError, match=re.escape(message)):
        f(np.ones((2, 3)), np.ones((3, 4)))


def test_lengths_that_should_agree_are_compared_at_entry():
    message = r"`x` has length 6 along axis 1, but `y` has length 5 along axis 0: they have to be equal here"
    with pytest.raises(ValueError, match=message):
        compiled(SUMS)([np.zeros((4, 6)), np.zeros(5)])
    derived = compiled("""
def f(x: "f64[n]", y: "f64[n - 1]", z: "f64[2, n + 1]"):
    return dim(y, 0)
""")
    assert derived([np.zeros(3), np.zeros(2), np.zeros((2, 4))]) == [2]
    assert derived([np.zeros(0), np.zeros(0), np.zeros((2, 1))]) == [0]
    for wrong in ([3, 3, (2, 4)], [3, 2, (2, 3)], [3, 2, (3, 4)]):
        with pytest.raises(ValueError, match="has length"):
            derived([np.zeros(n) for n in wrong])
    opaque = compiled('def f(y: "f64[2*n + m]", z: "f64[2*n + m]"):\n    return dim(y, 0) + dim(z, 0)\n')
    assert opaque([np.zeros(2), np.zeros(2)]) == [4]
    with pytest.raises(ValueError, match="they have to be equal here"):
        opaque([np.zeros(2), np.zeros(3)])
    only_derived = compiled('def f(y: "f64[n - 1]", z: "f64[n]"):\n    return dim(y, 0) + dim(z, 0)\n')
    assert only_derived([np.zeros(2), np.zeros(3)]) == [5]


def test_wrong_arguments_are_refused():
    native = compiled(SUMS)
    for x in (np.zeros((4, 6), np.float32), np.zeros(6), np.zeros((1, 4, 6))):
        with pytest.raises(TypeError, match="compiled for"):
            native([x, np.zeros(6)])
    with pytest.raises(OverflowError):
        compiled('def f(k: "int"):\n    return k\n')([2**63])


def test_results_own_their_memory():
    native = compiled(SUMS)
    result = native([np.ones((2, 3)), np.zeros(3)])[0]
    result[0] = 7.0
    assert result.flags.writeable and result.base is not None and result[0] == 7.0
    held = live()
    view = result[1:]
    del result
    assert live() == held and view[0] == 2.0
    del view
    assert live() < held


def test_a_result_never_shares_memory_with_an_argument():
    native = compiled("""
def f(x: "f64[n]", y: "any f64[n, m]"):
    v = x[1:]
    w = transpose(y, (1, 0))
    return x, v, w
""")
    x, y = np.arange(4.0), np.arange(8.0).reshape(4, 2)
    same, tail, turned = native([x, y])
    assert not any(np.shares_memory(a, b) for a in (same, tail, turned) for b in (x, y))
    np.testing.assert_array_equal(same, x)
    np.testing.assert_array_equal(tail, x[1:])
    np.testing.assert_array_equal(turned, y.T)


# --- indices ---------------------------------------------------------------------------------------------------------


def random_index(rng, names):
    parts = [str(rng.choice(names)) for _ in range(rng.integers(1, 3))]
    text = " + ".join(f"{p}" if rng.random() < 0.6 else f"{rng.integers(-2, 3)} * {p}" for p in parts)
    return f"{text} + {rng.integers(-3, 4)}"


def random_bounds(rng, outer):
    choices = [*outer, "0", "1", "dim(x, 0)", "dim(x, 0) - 1", "dim(y, 1)", "k"]
    start, stop = (str(rng.choice(choices)) for _ in range(2))
    return f"range({start}, {stop}, {rng.choice([-3, -2, -1, 1, 1, 1, 2])})"


def random_program(rng):
    """Loops, guards and accesses, many of them out of bounds."""
    lines = [
        'def f(x: "f64[n]", y: "f64[m, n]", k: "int"):',
        "    s = cast(0.0, 'f64')",
        "    out = empty(dim(x, 0) + 2)",
        "    for i in range(dim(out, 0)):",
        "        out[i] = cast(0.0, 'f64')",
    ]
    for _ in range(rng.integers(1, 4)):
        names, indent = ["k"], "    "
        for depth in range(rng.integers(1, 3)):
            counter = "ij"[depth]
            lines.append(f"{indent}for {counter} in {random_bounds(rng, names)}:")
            names.append(counter)
            indent += "    "
        if rng.random() < 0.5:
            sign, bound = rng.choice(["<", ">=", "==", "!="]), rng.choice(["0", "dim(x, 0)", "k"])
            lines.append(f"{indent}if {random_index(rng, names)} {sign} {bound}:")
            indent += "    "
        lines.append(f"{indent}s = s + x[{random_index(rng, names)}]")
        if rng.random() < 0.5:
            lines.append(f"{indent}s = s + y[{random_index(rng, names)}, {random_index(rng, names)}]")
        if rng.random() < 0.5:
            lines.append(f"{indent}out[{random_index(rng, names)}] = s")
    return "\n".join([*lines, "    return s, out", ""])


@pytest.mark.parametrize("seed", seeds(0, 30))
def test_random_accesses_agree_with_cpython(seed):
    rng = np.random.default_rng(seed)
    text = random_program(rng)
    before, native = live(), compiled(text)
    for n, m in ((0, 0), (1, 1), (2, 3), (5, 4), (7, 1)):
        for k in (-3, 0, 2, 6):
            arguments = [rng.normal(size=n), rng.normal(size=(m, n)), k]
            assert_same_outcome(native, text, arguments)
    assert live() == before


def random_slice(rng):
    bounds = ["", "", "0", "1", "2", "-1", "-2", "k", "-k", "dim(x, 0)", "dim(x, 0) - 1"]
    lower, upper = (str(rng.choice(bounds)) for _ in range(2))
    return f"{lower}:{upper}" + str(rng.choice(["", "", ":-1", ":2", ":-2"]))


def random_view_program(rng):
    """Views of views, buffers carried by loops, counters of `while`, accesses through all of them."""
    lines = [
        'def f(x: "f64[n]", y: "any f64[m, n]", k: "int"):',
        "    s = cast(0.0, 'f64')",
        "    u = empty((dim(x, 0), 3))",
        "    for i in range(dim(x, 0)):",
        "        for j in range(3):",
        "            u[i, j] = x[i] + j",
    ]
    ranks = {"x": 1, "y": 2, "u": 2}
    for number in range(rng.integers(1, 5)):
        base, name = str(rng.choice(list(ranks))), f"v{number}"
        if ranks[base] == 2 and rng.random() < 0.3:
            lines.append(f"    {name} = transpose({base}, (1, 0))")
            ranks[name] = 2
            continue
        drop = ranks[base] == 2 and rng.random() < 0.4
        items = [random_slice(rng) for _ in range(ranks[base] - drop)]
        items[:0] = [str(rng.choice(["0", "-1", "k"]))] if drop else []
        lines.append(f"    {name} = {base}[{', '.join(items)}]")
        ranks[name] = ranks[base] - drop
    for _ in range(rng.integers(1, 4)):
        lines += random_walk(rng, ranks)
    names = [n for n in ranks if n not in "xy"]
    return "\n".join([*lines, f"    return s, {', '.join(names)}", ""])


def random_walk(rng, ranks):
    name = str(rng.choice(list(ranks)))
    place = f"{name}[{', '.join(random_index(rng, ['i', 'c', 'k']) for _ in range(ranks[name]))}]"
    lines = ["    c = 0"]
    if rng.random() < 0.5:
        lines += [f"    for i in range(dim({name}, 0)):"]
    else:
        bound = rng.choice([f"dim({name}, 0)", "dim(x, 0) - 1", "k"])
        lines += ["    i = 0", f"    while i < {bound} and c < 9:", f"        i = i + {rng.integers(1, 3)}"]
    lines += [f"        c = c + {rng.choice([0, 1, 1, 2, -1])}"]
    if rng.random() < 0.5:
        test = f"{random_index(rng, ['i', 'c'])} < dim({name}, 0) and c >= 0"
        lines += [f"        if {test}:", f"            s = s + {place}"]
    else:
        lines += [f"        s = s * 0.5 + {place}"]
    if name == "u":
        lines += [f"        {place} = s"]
    return lines


@pytest.mark.parametrize("seed", seeds(0, 30))
def test_random_views_agree_with_cpython(seed):
    rng = np.random.default_rng(seed)
    text = random_view_program(rng)
    before, native = live(), compiled(text)
    for n, m in ((0, 0), (1, 1), (2, 3), (5, 4), (7, 1)):
        for k in (-3, 0, 2, 6):
            arguments = [rng.normal(size=n), rng.normal(size=(n, m)).T, k]
            assert_same_outcome(native, text, arguments)
    assert live() == before


def test_random_slices_agree_with_numpy():
    text = """
def f(x: "f64[n]", a: "int", b: "int", c: "int"):
    whole = x[a:b:c]
    head = x[:b:c]
    tail = x[a::c]
    unit = x[a:b]
    turned = x[::c]
    return whole, head, tail, unit, turned
"""
    native, bounds = compiled(text), [-(2**63), -9, -6, -5, -1, 0, 1, 3, 5, 6, 9, 2**63 - 1]
    for n in (0, 1, 5):
        for a in bounds:
            for b in bounds:
                for c in (-(2**63), -7, -2, -1, 1, 2, 7, 2**63 - 1):
                    x = np.arange(float(n))
                    expected = x[a:b:c], x[:b:c], x[a::c], x[a:b], x[::c]
                    for got, wanted in zip(native([x, a, b, c]), expected):
                        np.testing.assert_array_equal(got, wanted)
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        native([np.zeros(3), 0, 1, 0])



def test_lengths_that_are_too_large():
    native = compiled('def f(k: "int", m: "int"):\n    a = empty((k, m))\n    return a\n')
    with pytest.raises(ValueError, match="negative dimensions are not allowed"):
        native([-1, 2**62])
    for k, m in ((2**62, 2), (2**40, 2**40), (2**50, 1), (2**30, 2**34)):
        with pytest.raises(MemoryError):
            native([k, m])
    assert native([0, 5])[0].shape == (0, 5)
    with pytest.raises(ValueError, match="too long"):
        compiled('def f(x: "any f64[n]"):\n    return dim(x, 0)\n')([np.broadcast_to(1.0, (2**59,))])


# --- recursion -------------------------------------------------------------------------------------------------------

ENDLESS = """
def f(n: "int", x: "f64[m]") -> "float":
    y = empty(4)
    y[0] = x[0] + 1.0
    r: "float" = 0.0
    if n > 0:
        r = f(n - 1, y)
    return r
"""


def test_recursion_without_end_is_an_error():
    native, before = compiled(ENDLESS), live()
    assert native([500, np.ones(3)]) == [0.0]
    with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
        native([10**9, np.ones(3)])
    assert live() == before


def test_recursion_stops_before_the_stack_ends():
    native, caught = compiled(ENDLESS), []

    def run():
        try:
            native([10**9, np.ones(3)])
        except RecursionError as error:
            caught.append(error)

    limit = sys.getrecursionlimit()
    old_size = threading.stack_size(256 * 1024)
    try:
        sys.setrecursionlimit(10**8)
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        run()
    finally:
        threading.stack_size(old_size)
        sys.setrecursionlimit(limit)
    assert len(caught) == 2


def test_threads_share_an_executable():
    native, errors = compiled(SUMS), []
    x, y = np.arange(600.0).reshape(20, 30), np.ones(30)
    expected = y + x.sum(axis=0)

    def run():
        for _ in range(200):
            if not np.array_equal(native([x, y])[0], expected):
                errors.append("wrong sum")

    threads = [threading.Thread(target=run) for _ in range(4)]
    before = live()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and live() == before


# --- errors ----------------------------------------------------------------------------------------------------------


def test_tracebacks_show_the_users_lines(tmp_path):
    file = tmp_path / "physics.py"
    file.write_text("""
def inner(x: "f64[n]", k: "int") -> "f64":
    return x[k] * 2.0

def outer(x: "f64[n]", k: "int"):
    a = inner(x, 0)
    b = inner(x, k)
    return a + b
""")
    native = compile_program(read_loops(file.read_text(), str(file)))
    with pytest.raises(IndexError) as caught:
        native([np.zeros(3), 9])
    frames = traceback.extract_tb(caught.value.__traceback__)
    lines = [(f.name, f.lineno, f.line) for f in frames if f.filename == str(file)]
    assert lines == [("outer", 7, "b = inner(x, k)"), ("inner", 3, "return x[k] * 2.0")]
    assert str(caught.value) == "index 9 is out of bounds for axis 0 with size 3"


def test_exceptions_of_the_user():
    class Divergence(ArithmeticError):
        pass

    program = read_loops('def f(x: "f64", n: "int"):\n    raise Divergence(f"at {x} after {n} steps")\n')
    with pytest.raises(Divergence, match="at 2.5 after 3 steps"):
        compile_program(program, EmitOptions(exceptions={"Divergence": Divergence}))([2.5, 3])


def test_message_values_keep_their_types():
    text = 'def f(x: "f32[n]", k: "int", b: "bool"):\n    raise ValueError(f"{x[0]} {k} {b} {{}}")\n'
    with pytest.raises(ValueError, match=r"^0\.5 -3 True \{\}$"):
        compiled(text)([np.array([0.5], np.float32), -3, True])


def test_deep_traces_are_cut():
    with pytest.raises(RecursionError) as caught:
        compiled(ENDLESS)([10**9, np.ones(3)])
    assert 10 < len(traceback.extract_tb(caught.value.__traceback__)) < 100


# --- the pool --------------------------------------------------------------------------------------------------------


def test_the_pool_reuses_blocks_and_gives_them_back():
    native = compiled('def f(n: "int"):\n    a = empty(n)\n    return a\n')
    first = native([100_000])[0].ctypes.data
    assert native([100_000])[0].ctypes.data == first
    assert first % 64 == 0
    assert memory.trim() > 0 and memory.trim() == 0
    sizes = [0, 1, 55, 56, 57, 63, 64, 65, 1000, 4095, 4096, 10**6]
    arrays = [native([n])[0] for n in sizes]
    for number, array in enumerate(arrays):
        array[:] = number
    assert all((array == number).all() for number, array in enumerate(arrays))

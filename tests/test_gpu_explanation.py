"""What `f.explain` says of a GPU: launches and what they move, parts of the host with their copies, and waits."""

import re

import numpy as np
import pytest

import pellucid
from pellucid.cli import main
from pellucid.compiler import driver
from pellucid.compiler.targets.cuda.kernels import kernels
from pellucid.gpu_explanation import HOST, KERNELS, WAITS, topics_on_gpu
from pellucid.runtime.lockstep import counting

from .harness.corpus import programs
from .harness.stages import Stages
from .test_gpu_calls import library, pytestmark, runs  # noqa: F401


def falling(x):
    y = np.empty(x.shape[0])
    y[0] = x[0]
    for i in range(1, x.shape[0]):
        y[i] = np.tanh(0.5 * y[i - 1]) + x[i]
    return y, x * 2.0


def until(x, w):
    error = 1.0
    while error > 1e-3:
        x = 0.5 * (x @ w)
        error = np.max(np.abs(x))
    return x


def below(function, topic, *types):
    """The lines below a topic of what is said for a GPU, lines of this file counted from that of `def`."""
    text = pellucid.compile(function, target="cuda").explain(*types)
    start = function.__code__.co_firstlineno
    text = re.sub(r"line (\d+)", lambda found: f"line {int(found[1]) - start}", text)
    lines = text.splitlines()
    if f"  {topic}" not in lines:
        return []
    rest = lines[lines.index(f"  {topic}") + 1 :]
    return [line[4:] for line in rest[: rest.index("")] if line] if "" in rest else [line[4:] for line in rest]


def test_kernels_and_what_stays_on_the_host():
    assert below(falling, "kernels on the GPU", "f64[n]") == [
        "`falling_1`, line 2: one thread", "  reads elements of `x`; writes elements of `y`",
        "`falling_3`, line 5: elements(n, 2)", "  reads `x` (8*n bytes); writes `t` (8*n bytes)",
    ]  # fmt: skip
    assert below(falling, "on the host", "f64[n]") == [
        "`falling_2`, line 3: its iterations need each other",
        "  copied to the host: `x` (8*n bytes)", "  copied to the host and back: `y` (8*n bytes)",
    ]  # fmt: skip
    assert below(falling, "waits for the GPU", "f64[n]") == ["line 3, for what `falling_2` is given on the host"]
    assert not below(falling, "line by line", "f64[n]")  # which is what a processor does


def test_loops_of_launches():
    types = "f32[n, m]", "f32[m, m]"
    assert below(until, "by cuBLAS, where it is installed", *types) == [
        "line 3, in each iteration of the loop at line 2: gemm(t, x_1, w)"
    ]
    assert below(until, "waits for the GPU", *types) == [
        "line 4, in each iteration of the loop at line 2, for the number in `error_cell`"
    ]
    told = below(until, "kernels on the GPU", *types)
    assert "`until_1`, line 3, in each iteration of the loop at line 2: elements(n*m, 4)" in told
    assert "  reads `t_flat` (4*n*m bytes); writes `t_2_flat` (4*n*m bytes)" in told
    assert "`until_2`, line 4, in each iteration of the loop at line 2: parts(n*m)" in told
    assert any("writes `error_parts` (4*ceil(n*m / 8192) bytes)" in line for line in told)


def by_libraries(a, b, stack):
    x = np.linalg.solve(a, b)
    f = np.fft.fft(x)
    return f, stack @ stack, np.linalg.eigvals(a)


def test_what_libraries_are_called_for():
    types = "f64[n, n]", "f64[n]", "f64[k, n, n]"
    topics = (
        "by cuSOLVER, cuBLAS or cuFFT, where they are installed", "by cuBLAS, where it is installed", "on the host",
    )  # fmt: skip
    called = {topic: "\n".join(below(by_libraries, topic, *types)) for topic in topics}
    solved, transformed = called["by cuSOLVER, cuBLAS or cuFFT, where they are installed"].splitlines()
    assert solved.startswith("line 1: gesv(") and transformed.startswith("line 2: ")
    assert called["by cuBLAS, where it is installed"].startswith("line 3: gemm_batched(")
    assert called["on the host"].startswith("line 3: geev")
    assert called["on the host"].endswith("for which CUDA has no routine here")


def poly(x):
    return x * 2.0 + 1.0


def total(x):
    return np.sum(x, axis=1)


@pytest.mark.parametrize("function, shapes", [(poly, [(70,)]), (poly, [(6, 50)]), (total, [(40, 60)])])
def test_bytes_are_those_that_the_kernels_want(function, shapes):
    """The lockstep machine counts what each access of a kernel asks for."""
    arguments = [np.random.default_rng(1).random(shape) for shape in shapes]
    symbols = dict(zip("nm", shapes[0]))
    told = "\n".join(below(function, "kernels on the GPU", *[f"f64[{', '.join('nm'[: len(s)])}]" for s in shapes]))

    def told_of(verb):
        parts = re.findall(rf"{verb} ([^;\n]*)", told)
        return sum(eval(size, dict(symbols)) for part in parts for size in re.findall(r"\(([^()]*) bytes\)", part))

    with counting() as counts:
        pellucid.compile(function).debug("kernels")(*arguments)
    wanted = {kind: sum(map(int, re.findall(rf"{kind} .*: (\d+) bytes wanted", counts.report())))
              for kind in ("loads", "stores")}  # fmt: skip
    assert (told_of("reads"), told_of("writes")) == (wanted["loads"], wanted["stores"]), (told, counts.report())


@pytest.mark.drawn(3)
@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
def test_all_that_a_driver_calls_is_told(program):
    stages, arguments = Stages(program.function), program.make_arguments(seed=4, size=4)
    try:
        found = kernels(driver.for_cuda(stages.program("loops", stages.flatten(arguments))[1]))
    except pellucid.CompileError:
        pytest.skip("it is an error")
    topics = topics_on_gpu(found.text)
    told = {topic: re.findall(r"^`(\w+)`", "\n".join(texts), re.MULTILINE) for topic, texts in topics.items()}
    assert set(told.get(KERNELS, ())) == set(found.kernels)
    assert set(told.get(HOST, ())) == {name for name, _ in found.on_host}
    for name, reason in found.on_host:
        assert any(text.startswith(f"`{name}`") and reason in text for text in topics[HOST])
    assert ("fetch(" in found.text or bool(found.on_host)) == bool(topics.get(WAITS))


def test_arrays_of_the_host(runs):  # noqa: F811
    runs("""
BIAS = np.ones(4)

@compile
def shifted(x, y, k):
    return k * x + y + BIAS

x, y = there(np.ones(4)), np.ones(4)
said = shifted.explain(x, y, 2.0)
assert "copied to the GPU by each call\\n    `y`, an array of the host" in said, said
assert "\\n    `BIAS`, an array of the host: `pellucid.device_put` copies it once" in said and "    `x`, an" not in said
assert "kernels on the GPU" not in shifted.explain(y, y, 2.0)
same(shifted(x, y, 2.0), np.full(4, 4.0))
assert "kernels on the GPU" in shifted.explain()  # as of the last call
with pellucid.default_device("cuda"):
    assert "kernels on the GPU" in shifted.explain(y, y, 2.0)
""")


def test_the_command_line(tmp_path, capsys):
    (tmp_path / "physics.py").write_text("def poly(x):\n    return x * 2.0 + 1.0\n")
    assert main(["explain", f"{tmp_path}/physics.py:poly", "--target", "cuda", "--args", "f64[n]"]) == 0
    assert "\n    `poly_1`, line 2: elements(n, 2)\n" in capsys.readouterr().out
    assert main(["explain", f"{tmp_path}/physics.py:poly", "--args", "f64[n]"]) == 0
    assert "line by line" in capsys.readouterr().out


def test_an_edited_file(tmp_path):
    path = tmp_path / "poly_kernels.py"
    path.write_text(pellucid.compile(poly).source("kernels", "f32[n]"))
    assert "reads `x` (4*n bytes); writes `result` (4*n bytes)" in pellucid.from_source(path, "kernels").explain()

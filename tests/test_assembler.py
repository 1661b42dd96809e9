"""Assembling and the store, with stand-ins for numba-cuda and ptxas; tests/test_cuda_assembly.py has the real ones."""

import os

import pytest

from pellucid.compiler.diagnostics import InternalError
from pellucid.compiler.targets.cuda import assemble as module
from pellucid.compiler.targets.cuda import versions
from pellucid.compiler.targets.cuda.assemble import assemble, parameters_in, shared_in
from pellucid.compiler.targets.cuda.listing import lint, opcodes
from pellucid.compiler.targets.cuda.machine import Machine
from pellucid.compiler.targets.cuda.through_numba import in_order_of_calls, reason_in
from pellucid.compiler.targets.cuda.toolkit import MissingTool, Toolkit
from pellucid.runtime.kernels import loading

from .cuda_kernels import text_of

PTX = """
.version 8.8
.visible .entry {name}(
	.param .u64 {name}_param_0,
	.param .align 8 .f32 {name}_param_1
)
{{
	.shared .align 8 .b8 parts[256];
	.shared .align 4 .b32 flag;
	add.rn.f32 	%f1, %f2, %f3;
	ret;
}}
"""  # noqa: W191, E101  as NVVM indents
PTXAS = """#!/bin/sh
for last; do :; done
printf cubin > "$last"
echo "$@" >> {log}
echo "ptxas info    : Function properties for k" >&2
echo "    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads" >&2
echo "ptxas info    : Used 30 registers, used 0 barriers, 260 bytes smem, 640 bytes cmem[0]" >&2
"""
REFUSING = """#!/bin/sh
echo "ptxas k.ptx, line 2; fatal   : {0}" >&2
exit 255
"""


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Which kernels numba was asked for."""
    asked = []

    def ptx_of(text, names, capability, fastmath):
        asked.extend(names)
        return {name: PTX.format(name=name) for name in names}

    monkeypatch.setattr(module, "ptx_of", ptx_of)
    monkeypatch.setattr(module, "has_driver", lambda: False)
    monkeypatch.setenv("PELLUCID_CACHE", "1")
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path / "cache"))
    use(monkeypatch, program(tmp_path, "ptxas", PTXAS.format(log=tmp_path / "log")))
    return asked


def program(folder, name, text):
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def use(monkeypatch, *ptxas):
    for user in (module, versions):
        monkeypatch.setattr(user, "toolkit", lambda: Toolkit(ptxas=ptxas))


def test_what_the_assembler_says_is_in_the_record(made, tmp_path):
    machine = assemble(text_of("poly"))["poly_1"]
    assert machine == Machine(
        "poly_1", "poly_1", (9, 0), (("array", "f32", 1, True), ("array", "f32", 1, True), ("scalar", "i64")),
        PTX.format(name="poly_1"), 260, b"cubin", 30, 12, 16,
    )  # fmt: skip
    log = (tmp_path / "log").read_text()
    assert "--gpu-name=sm_90 --fmad=false" in log
    assemble(text_of("poly"), (8, 0), fastmath=True)
    assert "--gpu-name=sm_80 --fmad=true" in (tmp_path / "log").read_text()


def test_only_kernels_that_are_asked_for_are_compiled(made):
    assert list(assemble(text_of("xent"), kernels=["xent_2"])) == made == ["xent_2"]
    assert list(assemble(text_of("xent"))) == ["xent_1", "xent_2", "xent_3"]
    assert sorted(made) == ["xent_1", "xent_2", "xent_3"]


# --- the store -----------------------------------------------------------------------------------------------------


def test_what_is_in_the_store_is_not_compiled_again(made):
    first = assemble(text_of("xent"))
    made.clear()
    assert assemble(text_of("xent")) == first and made == []


def test_a_damaged_entry_is_compiled_again(made, tmp_path):
    first = assemble(text_of("poly"))
    for damage in (lambda data: data[: len(data) // 2], lambda data: data[:-1] + b"?", lambda data: b""):
        made.clear()
        (entry,) = (tmp_path / "cache").glob("*.kernel")
        entry.write_bytes(damage(entry.read_bytes()))
        assert assemble(text_of("poly")) == first and made == ["poly_1"]


def test_without_a_store_everything_is_compiled(made, monkeypatch):
    monkeypatch.setenv("PELLUCID_CACHE", "0")
    assemble(text_of("poly"))
    assemble(text_of("poly"))
    assert made == ["poly_1", "poly_1"]


def changed_text(made, monkeypatch, tmp_path):
    assemble(text_of("kinds").replace("+ np.float32(h)", "- np.float32(h)"))


def changed_constant(made, monkeypatch, tmp_path):
    assemble(text_of("kinds").replace("WIDTH = 33", "WIDTH = 32"))


def changed_helper(made, monkeypatch, tmp_path):
    assemble(text_of("kinds").replace("return x + x", "return x * x"))


def changed_types(made, monkeypatch, tmp_path):
    assemble(text_of("kinds").replace("w: i8", "w: i16"))


def changed_capability(made, monkeypatch, tmp_path):
    assemble(text_of("kinds"), (8, 0))


def changed_arithmetic(made, monkeypatch, tmp_path):
    assemble(text_of("kinds"), fastmath=True)


def changed_device_functions(made, monkeypatch, tmp_path):
    files = (*(os.path.join(os.path.dirname(loading.__file__), name) for name in loading.FILES), tmp_path / "more.py")
    (tmp_path / "more.py").write_text("twice = None\n")
    monkeypatch.setattr(versions, "DEVICES", files)
    versions._translator.cache_clear()
    assemble(text_of("kinds"))
    versions._translator.cache_clear()


def changed_assembler(made, monkeypatch, tmp_path):
    use(monkeypatch, program(tmp_path, "ptxas-13", PTXAS.format(log=tmp_path / "log")))
    assemble(text_of("kinds"))


def changed_numba(made, monkeypatch, tmp_path):
    monkeypatch.setattr(versions, "_versions", lambda: "numba-cuda 1000")
    assemble(text_of("kinds"))


CHANGES = [changed_text, changed_constant, changed_helper, changed_types, changed_capability, changed_arithmetic,
           changed_device_functions, changed_assembler, changed_numba]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_a_kernel_depends_on_tells_it_from_others(change, made, monkeypatch, tmp_path):
    assemble(text_of("kinds"))
    change(made, monkeypatch, tmp_path)
    assert made == ["kinds", "kinds"]


def test_where_a_kernel_stands_and_what_lengths_are_called_makes_no_difference(made):
    first = assemble(text_of("jacobi"))
    moved = text_of("jacobi").replace("[n, m]", "[k, 2*k]").replace("# u: ", "# a note\n# u: ")
    assert assemble(moved) == first and made == ["jacobi_1", "jacobi_2"]


# --- tools that are missing or refuse ------------------------------------------------------------------------------


def test_without_an_assembler_and_a_driver_the_tool_is_named(made, monkeypatch):
    use(monkeypatch)
    with pytest.raises(MissingTool, match=r"ptxas, .* is not installed: `pip install 'pellucid\[cuda\]'`"):
        assemble(text_of("poly"))


def test_a_driver_can_do_with_ptx_alone(made, monkeypatch):
    use(monkeypatch)
    monkeypatch.setattr(module, "has_driver", lambda: True)
    machine = assemble(text_of("poly"))["poly_1"]
    assert machine.cubin is machine.registers is machine.spills is None and machine.shared_bytes == 260
    assert assemble(text_of("poly"))["poly_1"] == machine and made == ["poly_1"]


def test_ptx_that_is_too_new_for_one_assembler_is_given_to_the_next(made, monkeypatch, tmp_path):
    old = program(tmp_path, "old", REFUSING.format("Unsupported .version 9.0; current version is '8.4'"))
    use(monkeypatch, old, program(tmp_path, "new", PTXAS.format(log=tmp_path / "log")))
    assert assemble(text_of("poly"))["poly_1"].cubin == b"cubin"
    use(monkeypatch, old)
    with pytest.raises(InternalError, match=r"ptxas refuses the kernel `poly_1`: .* Unsupported .version 9.0"):
        assemble(text_of("poly"))
    monkeypatch.setattr(module, "has_driver", lambda: True)
    assert assemble(text_of("poly"))["poly_1"].cubin is None


def test_ptx_that_an_assembler_refuses_is_a_fault_of_ours(made, monkeypatch, tmp_path):
    use(monkeypatch, program(tmp_path, "ptxas", REFUSING.format("Parsing error near 'add'")))
    monkeypatch.setattr(module, "has_driver", lambda: True)
    with pytest.raises(InternalError, match="Parsing error near 'add'"):
        assemble(text_of("poly"))


# --- what is read in other programs' output ------------------------------------------------------------------------


def test_ptx_tells_parameters_and_shared_memory():
    assert parameters_in(PTX.format(name="k")) == ("u64", "f32") and shared_in(PTX.format(name="k")) == 260


def test_opcodes_of_a_listing():
    text = """
        /*0000*/                   MOV R1, c[0x0][0x28] ;
        /*0010*/              @!P0 EXIT ;
        /*0020*/              @UP1 UIADD3 UR4, UR4, 0x1, URZ ;
.L_x_1:
        /*10a20*/             @!PT DMUL.RN R2, R2, R4 ;
        /*fff0*/                   BRA `(.L_x_1);
"""
    assert opcodes(text) == ["MOV", "EXIT", "UIADD3", "DMUL.RN", "BRA"]


def machine_of(name, ptx, **numbers):
    return Machine(name, name, (9, 0), (("array", "f32", 1, True),), ptx, 0, **{"cubin": b"", **numbers})


def test_lint_finds_what_the_text_does_not_say():
    text = "# x: f32[n]\n@cuda.jit\ndef k(x):\n    x[0] = 0.1 * x[0]\n"
    wide = "\tcvt.f64.f32 \t%fd1, %f1;\n\t@%p1 mul.rn.f64 \t%fd2, %fd1, %fd3;\n\tld.param.f64 %fd3, [a];\n"
    (found,) = lint(machine_of("k", wide), text)
    assert "k (sm_90): " in found and "float64 instructions in a kernel of float32, the first is `cvt.f64.f32" in found
    assert lint(machine_of("k", wide), text.replace("0.1", "np.float64(0.1)")) == ()
    assert lint(machine_of("k", "\tadd.rn.f32 %f1, %f2, %f3;\n"), text) == ()
    (found,) = lint(machine_of("k", "call.uni (retval0), \n\tk_1, \n\t(\n\tparam0\n\t);\n"), text)
    assert "functions are called that are not inlined: k_1" in found
    assert lint(machine_of("k", "call.uni (retval0), \n\t__internal_trig_reduction_slowpathd, \n\t(\n"), text) == ()
    assert "8 bytes of registers are spilled" in lint(machine_of("k", "", spills=8), text)[0]
    assert "40 bytes of each thread are in local memory" in lint(machine_of("k", "", local_bytes=40), text)[0]
    assert lint(machine_of("k", wide, local_bytes=40), text.replace("0.1 * x[0]", "math.sin(x[0])")) == ()


NUMBA_SAYS = """Failed in cuda mode pipeline (step: nopython frontend)
No implementation of function Function(<built-in function add>) found for signature:

 >>> add(array(float32, 1d, C), Literal[str](a))

There are 18 candidate implementations:
      - Of which 16 did not match due to:
      Overload of function 'add': File: <numerous>: Line N/A.
        With argument(s): '(array(float32, 1d, C), unicode_type)':
       No match.

During: typing of intrinsic-call at k.py (4)

File "k.py", line 4:
def k(x):
    x[0] = x + "a"
    ^
"""


def test_the_reason_of_numba_is_one_line():
    assert reason_in(NUMBA_SAYS) == (
        "No implementation of function Function(<built-in function add>) found for signature: "
        ">>> add(array(float32, 1d, C), Literal[str](a))"
    )
    untyped = "Untyped global name 'elements': Cannot determine Numba type of <class 'function'>"
    assert reason_in(f'{untyped}\n\nFile "k.py", line 4') == untyped
    assert len(reason_in("x" * 1000)) == 300


def test_modules_come_once_and_after_what_calls_them():
    kernel, one, other, deep = (
        "".join(f'{word} void @"{name}"(i8* %x)\n' for word, names in parts for name in names)
        for parts in (
            [("declare", ["other", "one", "llvm.sqrt.f64"]), ("define", ["kernel"])],
            [("declare", ["deep"]), ("define", ["one"])],
            [("declare", ["deep"]), ("define linkonce_odr", ["other"])],
            [("define", ["deep"])],
        )
    )
    for given in ([kernel, one, deep, other, deep], [kernel, other, deep, one, deep], [kernel, deep, one, other]):
        assert in_order_of_calls(given) == [kernel, other, deep, one]

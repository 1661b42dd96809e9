"""LLVM without llvmlite's modules (`runtime/llvm.py`): declared as llvmlite declares it; what is wrong is said."""

import ctypes
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from pellucid.runtime import llvm, native, targets

MODULE = "define i64 @twice(i64 %x) {\n %y = add i64 %x, %x\n ret i64 %y\n}\n"


def kind_of(type_):
    """What matters of a parameter to a call."""
    if type_ in (None, ctypes.c_int, ctypes.c_bool, ctypes.c_size_t):
        return type_
    return "address"


@pytest.mark.parametrize("name", llvm.FUNCTIONS)
def test_functions_are_declared_as_llvmlite_declares_them(name):
    import llvmlite.binding  # noqa: F401  declares
    from llvmlite.binding import ffi

    theirs = getattr(ffi.lib, llvm.PREFIX + name)
    result, *parameters = llvm.FUNCTIONS[name]
    if theirs.restype is not ctypes.c_int or result is not llvm.VOID:  # theirs is `int` where nothing is said
        assert kind_of(theirs.restype) == kind_of(result)
    if theirs.argtypes is not None:
        wanted = [kind_of(p) for p in theirs.argtypes]
        assert [kind_of(p) for p in parameters][: len(wanted)] == wanted
        assert len(parameters) == len(wanted) or name == "buildPerModuleDefaultPipeline"


def test_modules_are_optimised_linked_and_translated():
    text = native.optimise(MODULE + "define i64 @four() {\n %y = call i64 @twice(i64 2)\n ret i64 %y\n}\n")
    assert "ret i64 4" in str(text)
    machine = llvm.target_machine(3, llvm.host())
    module = native.parse("declare i64 @twice(i64)\n", machine)
    module.link_in(llvm.parse(MODULE, beside=module))
    assert "define i64 @twice" in str(module)
    assert llvm.emit(machine, module)[:4] in (b"\x7fELF", b"\xcf\xfa\xed\xfe")
    assert b"twice" in llvm.emit(machine, module, as_object=False)


def test_what_is_wrong_is_said():
    machine = llvm.target_machine(0, llvm.host())
    with pytest.raises(RuntimeError, match="expected top-level entity"):
        llvm.parse("no module")
    with pytest.raises(RuntimeError, match="Instruction does not dominate all uses"):
        native.parse("define i64 @f() {\n %a = add i64 %b, 1\n %b = add i64 %a, 1\n ret i64 %b\n}\n", machine)
    module = llvm.parse(MODULE)
    with pytest.raises(RuntimeError, match="symbol multiply defined"):
        module.link_in(llvm.parse(MODULE, beside=module))


def test_the_processor_is_known():
    triple, name, features = llvm.host()
    assert "-" in triple and name and features.split(",") == sorted(features.split(","), key=lambda f: f[1:])
    assert targets.words(targets.PRESENT)[:2] == (triple, name) and targets.name_of_host() == name
    assert targets.words(targets.PRESENT)[2].startswith(features)


def test_several_threads_may_compile():
    with ThreadPoolExecutor(4) as pool:
        codes = list(pool.map(native.object_code, [MODULE] * 12))
    assert codes == codes[:1] * 12


STARTS = """
import importlib.util, sys, threading
from pellucid.runtime import llvm, native, targets
if {elsewhere}:
    llvm.find_spec = lambda name: None
threads = [threading.Thread(target=llvm.start) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(native.object_code({text!r})) > 100, "llvmlite.binding" in sys.modules)
"""


@pytest.mark.parametrize("elsewhere", [False, True])
def test_llvm_is_loaded_once_wherever_it_is(elsewhere):
    script = STARTS.format(elsewhere=elsewhere, text=MODULE)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", str(elsewhere)]

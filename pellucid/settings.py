"""The environment variables that Pellucid reads, told once: for `pellucid cache --help` and for the documents.

    rows("PELLUCID_CACHE")     ->     the lines of a help text
"""

from __future__ import annotations

from typing import NamedTuple


class Setting(NamedTuple):
    """A variable: the form of its value, what holds where it is not set, and what it does."""

    name: str
    value: str
    usual: str
    words: str


SETTINGS = (
    Setting(
        "PELLUCID_CACHE_DIR",
        "FOLDER",
        "pellucid in $XDG_CACHE_HOME or ~/.cache",
        "where compiled functions are kept; it must belong to you alone",
    ),
    Setting(
        "PELLUCID_CACHE_SIZE",
        "SIZE",
        "512MB",
        "how large the cache may become, such as 300MB or 2GB; what was used last stays",
    ),
    Setting("PELLUCID_CACHE", "0", "1", "keep nothing"),
    Setting(
        "PELLUCID_NUM_THREADS",
        "NUMBER",
        "the cores that the process may use, or its share of them",
        "threads of large parallel loops and of BLAS, 1 to 1024; `pellucid.threads` changes it later",
    ),
    Setting(
        "PELLUCID_POOL_BYTES",
        "NUMBER",
        "an eighth of the memory",
        "bytes of freed buffers that are kept for the next ones",
    ),
    Setting(
        "PELLUCID_TARGET",
        "PROCESSOR",
        "native",
        "the processor that code is made for, such as x86-64-v3 or neoverse-n1",
    ),
    Setting(
        "PELLUCID_CODEGEN",
        "quick",
        "machine code as good as LLVM can make it",
        "LLVM compiles in two thirds of the time, and what it makes takes longer to run, to the same result: for tests",
    ),
    Setting(
        "PELLUCID_LINE_TABLES",
        "1",
        "0",
        "gdb and perf see the lines of the loops stage, as `compile(line_tables=True)` asks for one function",
    ),
    Setting("PELLUCID_LOG", "compile", "nothing is said", "each compilation is told, and why, on standard error"),
    Setting("PELLUCID_TRACEBACK", "full", "frames of Pellucid are left out", "tracebacks have all frames"),
    Setting("PELLUCID_ASYNC", "0", "1", "every call ends before it returns, as in a block of `pellucid.synchronous()`"),
    Setting(
        "PELLUCID_CPU_DEVICES",
        "NUMBER",
        "1",
        "devices that the processor is, 1 to 64, which share its threads; `pellucid.devices()` has them",
    ),
    Setting("PELLUCID_LIBCUDA", "FILE", "libcuda.so.1", "the driver of CUDA, opened when its devices are asked for"),
    Setting(
        "PELLUCID_CUDA_LIBRARIES",
        "FOLDER",
        "wheels, or a toolkit",
        "where cuBLAS, cuSOLVER, cuFFT and NCCL are looked for, and nowhere else",
    ),
    Setting("PELLUCID_NATIVE_DISPATCH", "0", "1", "calls go through Python, with the same meaning"),
    Setting("PELLUCID_NATIVE", "0", "1", "one thread, slower calls, Ctrl-C after a call: as without a C compiler"),
    Setting("PELLUCID_VERIFY", "1", "0", "check the program after every step of the compiler; slow"),
)


def rows(start: str = "PELLUCID_") -> str:
    """The settings whose names start so, a line each."""
    chosen = [setting for setting in SETTINGS if setting.name.startswith(start)]
    forms = [f"{setting.name}={setting.value}" for setting in chosen]
    width = max(map(len, forms))
    told = [f"{setting.words} (default: {setting.usual})" for setting in chosen]
    return "".join(f"  {form:<{width}}  {words}\n" for form, words in zip(forms, told))

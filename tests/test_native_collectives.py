"""Collectives of the native part: a C program of threads makes thousands of them, plainly and under ThreadSanitizer."""

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NATIVE = HERE.parent / "runtime" / "native"
SOURCES = (HERE / "native" / "collectives.c", NATIVE / "collectives.c", NATIVE / "processes.c")
COMPILER = shutil.which("cc")


def built(folder, *options):
    """The program, or None where the compiler does not know these options."""
    program = folder / "collectives"
    command = [COMPILER, "-std=c11", "-pthread", *options, f"-I{NATIVE}", "-o", program, *SOURCES]
    done = subprocess.run(command, capture_output=True, text=True)
    return program if done.returncode == 0 else None


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_ten_thousand_collectives_in_random_order_of_arrival(tmp_path):
    program = built(tmp_path, "-O2", "-Wall", "-Wextra", "-Werror")
    done = subprocess.run([program, "10000"], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "all collectives are right\n"), done.stderr


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_collectives_under_thread_sanitizer(tmp_path):
    program = built(tmp_path, "-O1", "-g", "-fsanitize=thread")
    if program is None:
        pytest.skip("the compiler has no ThreadSanitizer")
    done = subprocess.run([program, "1000"], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "all collectives are right\n"), done.stderr

"""The native part, which is optional: without a C compiler the package is installed without it, and is slower."""

import os
import pathlib

import numpy
from setuptools import Extension, setup

# `make sanitize` asks for -fsanitize=address,undefined and the like, for the compiler and the linker.
SANITIZERS = os.environ.get("PELLUCID_SANITIZERS", "").split()
SOURCES = sorted(str(path) for path in pathlib.Path("runtime/native").glob("*.c"))

setup(
    ext_modules=[
        Extension(
            "pellucid.runtime._native",
            SOURCES,
            depends=sorted(str(path) for path in pathlib.Path("runtime/native").glob("*.h")),
            include_dirs=[numpy.get_include()],
            extra_compile_args=["-std=c11", "-O2", "-Wall", "-Wextra", "-fvisibility=hidden", "-pthread", *SANITIZERS],
            extra_link_args=["-pthread", *SANITIZERS],
            optional=True,
        )
    ]
)

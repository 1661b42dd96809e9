"""The first call of a process pays for what it uses: modules that only show programs stay out of it."""

import gc
import subprocess
import sys

import numpy as np
import pytest

import pellucid
from pellucid import starting
from tests.harness.stages import module_of

FIRST_CALL = """
import sys
sys.path[:0] = {path!r}
import pellucid
from {module} import f
f = pellucid.compile(f)
f(1.0)
print(*sys.modules)
"""
ONLY_TO_SHOW = "pdb pellucid.showing pellucid.compiler.transform.reverse pellucid.compiler.backend.line_tables".split()


def test_a_first_call_imports_nothing_that_only_shows_programs(tmp_path, monkeypatch):
    (tmp_path / "plain.py").write_text("def f(x):\n    return x * x + 1.0\n")
    monkeypatch.setenv("PELLUCID_CACHE", "0")
    monkeypatch.setenv("PELLUCID_VERIFY", "0")
    script = FIRST_CALL.format(path=[str(tmp_path)], module="plain")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "pellucid.compiler.pipeline" in loaded
    assert not {*ONLY_TO_SHOW} & {*loaded}


@pytest.mark.parametrize("before", [True, False])
def test_compiling_leaves_the_collector_as_it_was(before):
    f = module_of("import numpy as np\n\n\ndef f(x):\n    return np.sin(x) + 2.0\n")["f"]
    was = gc.isenabled()
    try:
        (gc.enable if before else gc.disable)()
        pellucid.compile(f)(np.ones(3))
        assert gc.isenabled() == before
        with pytest.raises(ZeroDivisionError), starting.no_collection():
            assert not gc.isenabled()
            raise ZeroDivisionError
        assert gc.isenabled() == before
    finally:
        (gc.enable if was else gc.disable)()

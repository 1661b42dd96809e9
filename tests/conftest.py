"""What every test shares: the verifier is on, Hypothesis is deterministic, `--update-cases` rewrites expectations.

LLVM optimises as it does for users, and then selects instructions and allocates registers as fast as it can: that part
is LLVM's alone, knows nothing of what we promise it, and takes two fifths of its time.  Tests of instructions, of lines
and the samples ask for `full_codegen`, which is what users get.

The cache on disk is on, in a folder that all workers share: two functions of the suite that got each other's code would
give wrong results.  The folder is kept from run to run (PELLUCID_TEST_CACHE says where; if it is empty, the run begins
with nothing), so that LLVM translates only what its text says that it has not translated yet.

Where Python is told to write no bytecode beside the sources, it is kept in a folder beside that of the code: else every
worker, and every process that a test starts, would compile the compiler for itself.
"""

import gc
import os
import shutil
import sys
import tempfile

import pytest
from hypothesis import HealthCheck, settings

from tests.harness import other_extension  # noqa: F401  before anything of Pellucid
from tests.harness.today import DAY, mark_those_of_other_days, set_day

os.environ["PELLUCID_VERIFY"] = "1"
os.environ["PELLUCID_CODEGEN"] = "quick"
IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ
KEPT = os.environ.get("PELLUCID_TEST_CACHE", os.path.expanduser(os.path.join("~", ".cache", "pellucid-tests")))
if not IS_WORKER:
    os.environ["PELLUCID_CACHE_DIR"] = KEPT or tempfile.mkdtemp(prefix="pellucid-cache-")
os.environ["PELLUCID_CACHE_SIZE"] = "4 GB"
os.environ.pop("PELLUCID_CACHE", None)
BYTECODE = os.environ["PELLUCID_CACHE_DIR"].rstrip(os.sep) + "-bytecode"
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None) or sys.pycache_prefix == BYTECODE:
    sys.dont_write_bytecode, sys.pycache_prefix = False, BYTECODE
    os.environ["PYTHONPYCACHEPREFIX"] = BYTECODE
set_day()

# A first example may compile a function, which is far slower than the rest: no deadline judges that fairly.
settings.register_profile(
    "default", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("long", settings.get_profile("default"), derandomize=False, max_examples=5000)
settings.load_profile("default")


def pytest_addoption(parser):
    parser.addoption(
        "--update-cases", action="store_true", help="rewrite the expected text of case files instead of comparing"
    )
    parser.addoption("--processor-times", metavar="FILE", help="add the processor time of each test to a file")


def pytest_configure(config):
    path = config.getoption("--processor-times")
    if path and (IS_WORKER or not config.getoption("numprocesses", None)):
        from tests.harness.processor_times import ProcessorTimes

        config.pluginmanager.register(ProcessorTimes(os.path.abspath(path)))


def pytest_report_header():
    return f"cases of drawn tests: {DAY}={os.environ[DAY]}"


@pytest.hookimpl(tryfirst=True)  # before those marked `long` are left out
def pytest_collection_modifyitems(config, items):
    if not any("::" in argument for argument in config.args):
        mark_those_of_other_days(items)


def pytest_collection_finish(session):
    """What collecting made lives as long as the suite: who counts buffers need not search through it each time.

    A compilation makes thousands of nodes, few of them in cycles, so that garbage is looked for less often.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def pytest_unconfigure(config):
    if not IS_WORKER and not KEPT:
        shutil.rmtree(os.environ["PELLUCID_CACHE_DIR"], ignore_errors=True)
        shutil.rmtree(BYTECODE, ignore_errors=True)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A test that fails after it ran a program at its stages names the first pass after which the answer differs."""
    report = (yield).get_result()
    stages = sys.modules.get("tests.harness.stages")
    if stages is None or call.when != "call":
        return
    if report.failed and not hasattr(report, "wasxfail"):
        from tests.harness.bisect import blamed

        report.sections.append(("the pass to blame", blamed()))
    stages.Stages.last = None


@pytest.fixture
def full_codegen(monkeypatch):
    """Machine code as users get it."""
    monkeypatch.delenv("PELLUCID_CODEGEN", raising=False)


@pytest.fixture(scope="session")
def update_cases(request):
    """Whether expectations are to be rewritten."""
    return request.config.getoption("--update-cases")

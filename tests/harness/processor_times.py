"""The processor time of each test, which others on the machine do not lengthen: `pytest --processor-times FILE`.

    12.712 tests/test_gradients.py::test_gradient[heat]         seconds, of the process and of those that it waited for
     4.592 collecting gw0                                       what a worker took until it knew all tests
    81.981 gw0                                                  and in all

A test that another one follows in the same process may be cheaper for it: what both need is loaded and made once.
"""

import os
import resource

import pytest

WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")


class ProcessorTimes:
    """Writes a line for each test as it ends; the lines of all workers go to one file."""

    def __init__(self, path):
        self.file = open(path, "a", encoding="utf-8")  # noqa: SIM115  it is open as long as the run lasts

    def note(self, seconds, what):
        self.file.write(f"{seconds:8.3f} {what}\n")
        self.file.flush()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        before = seconds_so_far()
        result = yield
        self.note(seconds_so_far() - before, item.nodeid)
        return result

    def pytest_collection_finish(self):
        self.note(seconds_so_far(), f"collecting {WORKER}")

    def pytest_unconfigure(self):
        self.note(seconds_so_far(), WORKER)
        self.file.close()


def seconds_so_far():
    """Processor time of this process and of the processes that it waited for."""
    used = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)

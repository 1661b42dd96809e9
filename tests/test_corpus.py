"""Every program of the corpus gives at every stage what CPython gives."""

import traceback

import pytest

import pellucid
from tests.harness.corpus import programs
from tests.harness.draws import some
from tests.harness.read_back import assert_reads_back
from tests.harness.stages import STAGES, Stages, assert_same, in_python

# The first size makes the code, the last reuses it; a length of 1 broadcasts and is compiled apart, to machine code for
# some programs: the loops say the same.
SIZES = (4, 1, 7)
TO_MACHINE_CODE = frozenset(map(str, some(programs(), 3)))


@pytest.mark.drawn(5)
@pytest.mark.parametrize("program", programs(), ids=str)
def test_every_stage_agrees_with_python(program):
    pellucid.compile(program.function)  # what decoration checks finds nothing wrong with it
    stages = Stages(program.function)
    faults = []
    for size in SIZES:
        args = program.make_arguments(seed=size, size=size)
        want = in_python(program.function, *args)
        assert want.error is None
        for stage in STAGES if size != 1 or str(program) in TO_MACHINE_CODE else STAGES[:-1]:
            try:
                assert_same(stages.run(stage, *args), want)
            except Exception:
                faults.append(f"--- {stage}, size {size}\n{traceback.format_exc(limit=-6)}")
    assert not faults, "\n".join(faults)
    for stage in ("typed", "loops"):
        assert_reads_back(stages.program(stage, stages.flatten(args))[1], stage)


def test_one_compile_serves_all_lengths():
    """Sizes that are not 1 have the same types, so nothing is compiled for the second of them."""
    for program in programs()[::20]:
        stages = Stages(program.function)
        keys = {stages.flatten(program.make_arguments(seed=size, size=size)).key for size in (4, 7)}
        assert len(keys) == 1, str(program)

"""Random typed programs: every pass keeps what they compute, and its promises."""

import pytest

from pellucid.compiler.languages import verifier
from pellucid.compiler.targets.python.printer import print_function
from pellucid.compiler.transform.coalesce import coalesce
from pellucid.compiler.transform.copies import with_copies
from pellucid.compiler.transform.prune import prune
from pellucid.compiler.transform.simplify import simplify

from .harness.cases import agree, snapshot, with_values
from .harness.draws import seeds
from .harness.random_typed import random_program
from .harness.typed_text import read_function

pytestmark = pytest.mark.drawn(5)


def quiet_prune(function):
    return prune(function, keep_errors=False)


@pytest.mark.parametrize("seed", seeds(0, 40))
def test_passes_keep_the_meaning(seed):
    function = read_function(random_program(seed, 18))
    assert verifier.verify(function, "single") == ()
    owned = with_copies(function)
    agree(with_values(function), owned, exact=False)
    for run, stage in ((simplify, "single"), (prune, "single"), (quiet_prune, "single"), (coalesce, "typed")):
        before = snapshot(owned)
        made = run(owned)
        assert snapshot(owned) == before
        assert verifier.verify(made, stage) == ()
        assert run(made) is made
        agree(owned, made, errors=run is not quiet_prune, exact=False)


@pytest.mark.parametrize("seed", range(60, 90))
def test_passes_settle(seed):
    function = with_copies(read_function(random_program(seed, 18)))
    made = function
    for _ in range(8):
        following = coalesce(prune(simplify(made)))
        if following is made:
            break
        made = following
    else:
        raise AssertionError("the passes do not settle")
    agree(function, made, exact=False)
    assert verifier.verify(made, "typed") == ()


@pytest.mark.parametrize("seed", range(90, 110))
def test_text_is_read_back(seed):
    function = read_function(random_program(seed, 18))
    text = print_function(function, folded=False, annotated=True)
    again = read_function(text)
    assert print_function(again, folded=False, annotated=True) == text
    agree(function, again)

"""The steps and their order: one list per way down.  The only file that knows the order.

    request + argument types  ->  TYPED_WAY  ->  [DERIVATIVE_WAY]*  ->  SETTLED_WAY  ->  LOOPS_WAY  ->  LLVM_WAY
"""

from __future__ import annotations

from dataclasses import replace

from .asked import specialise, views
from .backend.loop_rules.release import release, tidy_names
from .backend.loop_rules.webs import separate
from .backend.loop_rules.while_tests import hoist_tests
from .backend.loops import lower
from .backend.nests.carry import carry
from .backend.nests.collapse import collapse
from .backend.nests.contract import contract
from .backend.nests.fuse import fuse
from .backend.nests.if_convert import if_convert
from .backend.nests.independent import mark_independent
from .backend.nests.known import has_loops, known
from .backend.nests.own_names import hidden_counters, own_names, shared_names
from .backend.nests.reuse import reuse
from .backend.sums import take_sums
from .differentiate import choose_results, differentiable, reverse
from .steps import MADE, PROGRAM, Repeat, Step
from .transform.coalesce import coalesce
from .transform.copies import copies
from .transform.give_names import give_names
from .transform.inline import inline
from .transform.prune import prune
from .transform.reachable import reachable
from .transform.simplify import simplify_once

SOURCE, CORE, TYPED, REVERSE, LOOPS, LLVM, ASM = "source", "core", "typed", "reverse", "loops", "llvm", "asm"
STAGES = (SOURCE, CORE, TYPED, REVERSE, LOOPS, LLVM, ASM)
SINGLE = "single"  # typed, before `coalesce`

TIDY = (
    Step(simplify_once, takes=SINGLE, gives=SINGLE),
    Step(prune, takes=SINGLE, gives=SINGLE),
)
# a function defined inside another one, before its derivative is taken
INNER_WAY = (
    Step(give_names, takes=SINGLE, gives=SINGLE, of=PROGRAM, renames=True),
    Step(inline, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Step(reachable, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Repeat(TIDY),
)
TYPED_WAY = (
    Step(specialise, takes=CORE, gives=SINGLE, of=MADE),
    Step(give_names, takes=SINGLE, gives=SINGLE, of=PROGRAM, renames=True),
    Step(views, takes=SINGLE, gives=SINGLE, of=MADE),
    Step(inline, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Step(reachable, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Repeat(TIDY),
    Step(reachable, takes=SINGLE, gives=SINGLE, of=PROGRAM),
)
DERIVATIVE_WAY = (
    Step(differentiable, takes=SINGLE, gives=SINGLE, of=MADE),
    Step(reverse, takes=SINGLE, gives=SINGLE, of=MADE),
    Step(choose_results, takes=SINGLE, gives=SINGLE, of=MADE),
    Repeat(TIDY),
    Step(reachable, takes=SINGLE, gives=SINGLE, of=PROGRAM),
)
# the typed program as it is printed and lowered: value semantics made explicit, copies at merges folded away
TIDY_AGAIN = tuple(replace(step, takes=TYPED, gives=TYPED) for step in TIDY)  # behind `coalesce`
SETTLED_WAY = (
    Step(copies, takes=SINGLE, gives=SINGLE),
    Step(coalesce, takes=SINGLE, gives=TYPED, renames=True),
    Repeat(TIDY_AGAIN),
)
LOOPS_WAY = (
    Step(hoist_tests, takes=TYPED, gives=TYPED),
    Step(separate, takes=TYPED, gives=TYPED, renames=True),
    Step(lower, takes=TYPED, gives=LOOPS, of=PROGRAM),
    Step(own_names, takes=LOOPS, gives=LOOPS, when=has_loops, renames=True, keeps=(known, hidden_counters)),
    Step(fuse, takes=LOOPS, gives=LOOPS, when=has_loops, keeps=(known,)),
    Step(contract, takes=LOOPS, gives=LOOPS, when=has_loops, keeps=(known,)),
    Step(reuse, takes=LOOPS, gives=LOOPS, when=has_loops, keeps=(known,)),
    Step(carry, takes=LOOPS, gives=LOOPS, when=has_loops, keeps=(known,)),
    Step(shared_names, takes=LOOPS, gives=LOOPS, when=has_loops, renames=True, keeps=(known,)),
    Step(collapse, takes=LOOPS, gives=LOOPS, when=has_loops),
    Step(tidy_names, takes=LOOPS, gives=LOOPS, renames=True),
    Step(release, takes=LOOPS, gives=LOOPS, renames=True),
    Step(if_convert, takes=LOOPS, gives=LOOPS, when=has_loops),
    Step(mark_independent, takes=LOOPS, gives=LOOPS),
)
# a typed stage that a user edited
EDITED_WAY = (Repeat(TIDY_AGAIN), *LOOPS_WAY)
# behind the stage that is printed: what this target alone wants
LLVM_WAY = (
    Step(take_sums, takes=LOOPS, gives=LOOPS, of=PROGRAM),
)

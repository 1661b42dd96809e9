"""The steps and their order: one list per way down.  The only file that knows the order.

    request + argument types  ->  TYPED_WAY  ->  [DERIVATIVE_WAY]*  ->  SETTLED_WAY  ->  LOOPS_WAY  ->  LLVM_WAY
"""

from __future__ import annotations

from dataclasses import replace

from .frontend.asked import specialise, views
from .lower.loops import lower
from .lower.release import release
from .lower.webs import separate
from .lower.while_tests import hoist_tests
from .optimise.block_lanes import block_lanes
from .optimise.choose_in_blocks import choose_in_blocks
from .optimise.collapse import collapse
from .optimise.contract import contract
from .optimise.count_ahead import count_ahead
from .optimise.count_up import count_up, count_up_freely
from .optimise.dead_stores import drop_dead_stores
from .optimise.fuse import fuse
from .optimise.gather import gather
from .optimise.if_conversion import if_convert
from .optimise.in_place import store_in_place
from .optimise.independent import mark_independent
from .optimise.interchange import interchange
from .optimise.join_edges import join_edges
from .optimise.keep_for_threads import keep_for_threads
from .optimise.known import has_loops, known
from .optimise.last_stores import find_last_stores
from .optimise.loop_carried_buffers import carry
from .optimise.loop_versioning import version_loops
from .optimise.pack import pack
from .optimise.reuse import reuse
from .optimise.tidy_names import tidy_names
from .stages import CORE, LOOPS, TYPED
from .steps import MADE, PROGRAM, Repeat, Step
from .targets.cuda.mark_folds import mark_folds
from .targets.cuda.write_out import write_out
from .targets.llvm.sums import take_sums
from .transform.batch.examples import batch, batchable
from .transform.batch.settle_shared import settle_shared
from .transform.bound_axes import bound_axes
from .transform.coalesce import coalesce
from .transform.copies import copies
from .transform.forget_annotations import forget_annotations
from .transform.forget_rules import forget_rules
from .transform.forward.hoist import hoist
from .transform.forward.jacobian import along_directions, choose_jacobians, has_jacobian
from .transform.forward.pushforward import push_forward
from .transform.give_names import give_names
from .transform.in_arrays import take_products
from .transform.inline import inline, inline_shared
from .transform.on_device import on_device
from .transform.outline import outline
from .transform.prune import prune
from .transform.reachable import reachable
from .transform.reverse.gradient import choose_results, differentiable, reverse
from .transform.reverse.jacobian_by_rows import floating_results, jacobian_by_rows
from .transform.reverse.share import share
from .transform.reverse.split_mode import (
    differentiable_results,
    return_pullback,
    split_sweeps,
    take_pullback,
    trim_residuals,
)
from .transform.simplify import simplify_once
from .transform.write_through import write_through

SINGLE = "single"  # typed, before `coalesce`

TIDY = (
    Step(simplify_once, takes=SINGLE, gives=SINGLE),
    Step(prune, takes=SINGLE, gives=SINGLE),
)
# a function defined inside another one, before its derivative is taken
INNER_WAY = (
    Step(give_names, takes=SINGLE, gives=SINGLE, of=PROGRAM, renames=True),
    Step(write_through, takes=SINGLE, gives=SINGLE),
    Step(inline, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Step(reachable, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Step(outline, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Repeat(TIDY),
    Step(reachable, takes=SINGLE, gives=SINGLE, of=PROGRAM),
)
TYPED_WAY = (
    Step(specialise, takes=CORE, gives=SINGLE, of=MADE),
    Step(give_names, takes=SINGLE, gives=SINGLE, of=PROGRAM, renames=True),
    Step(write_through, takes=SINGLE, gives=SINGLE),
    Step(views, takes=SINGLE, gives=SINGLE, of=MADE),
    Step(inline, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Step(reachable, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Step(outline, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Repeat(TIDY),
    Step(reachable, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Step(take_products, takes=SINGLE, gives=SINGLE, of=MADE),
)
# after a derivative: the rules that it calls go into it
CLOSING = (
    Step(inline, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Repeat(TIDY),
    Step(reachable, takes=SINGLE, gives=SINGLE, of=PROGRAM),
)
DERIVATIVE_WAY = (
    Step(differentiable, takes=SINGLE, gives=SINGLE, of=MADE),
    Step(share, takes=SINGLE, gives=SINGLE, of=MADE),
    Step(reverse, takes=SINGLE, gives=SINGLE, of=MADE),
    Step(choose_results, takes=SINGLE, gives=SINGLE, of=MADE),
    *CLOSING,
)
SPLIT_MODE = (
    Step(differentiable_results, takes=SINGLE, gives=SINGLE, of=MADE),
    Step(share, takes=SINGLE, gives=SINGLE, of=MADE),
    Step(split_sweeps, takes=SINGLE, gives=SINGLE, of=MADE),
    Repeat(TIDY),
    Step(trim_residuals, takes=SINGLE, gives=SINGLE, of=MADE),
)
# after the choice of what is returned: what nothing calls any longer goes
REACHED = (
    Step(reachable, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Repeat(TIDY),
)
VJP_WAY = (
    *SPLIT_MODE,
    Step(return_pullback, takes=SINGLE, gives=SINGLE, of=MADE),
    *REACHED,
)
ROWS_WAY = (
    Step(floating_results, takes=SINGLE, gives=SINGLE, of=MADE),
    *SPLIT_MODE,
    Step(jacobian_by_rows, takes=SINGLE, gives=SINGLE, of=MADE),
    Step(inline, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Step(hoist, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    *REACHED,
)
PULLBACK_WAY = (
    *SPLIT_MODE,
    Step(take_pullback, takes=SINGLE, gives=SINGLE, of=MADE),
    *REACHED,
)
JACOBIAN_WAY = (
    Step(has_jacobian, takes=SINGLE, gives=SINGLE, of=MADE),
    Step(along_directions, takes=SINGLE, gives=SINGLE, of=MADE),
    Step(choose_jacobians, takes=SINGLE, gives=SINGLE, of=MADE),
    Step(inline, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Step(reachable, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Step(hoist, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Repeat(TIDY),
    Step(reachable, takes=SINGLE, gives=SINGLE, of=PROGRAM),
)
DEVICE_WAY = (
    Step(settle_shared, takes=SINGLE, gives=SINGLE, of=MADE),
    Step(on_device, takes=SINGLE, gives=SINGLE, of=MADE),
    *CLOSING,
)
BATCH_WAY = (
    Step(inline_shared, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Step(batchable, takes=SINGLE, gives=SINGLE, of=MADE),
    Step(settle_shared, takes=SINGLE, gives=SINGLE, of=MADE),
    Step(batch, takes=SINGLE, gives=SINGLE, of=MADE),
    Repeat(TIDY),
    Step(reachable, takes=SINGLE, gives=SINGLE, of=PROGRAM),
)
TANGENT_WAY = (
    Step(push_forward, takes=SINGLE, gives=SINGLE, of=MADE),
    *CLOSING,
)

# the typed program as it is printed and lowered: value semantics made explicit, copies at merges folded away
TIDY_AGAIN = tuple(replace(step, takes=TYPED, gives=TYPED) for step in TIDY)  # after `coalesce`
SETTLED_WAY = (
    Step(bound_axes, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Step(forget_annotations, takes=SINGLE, gives=SINGLE),
    Step(forget_rules, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Step(copies, takes=SINGLE, gives=SINGLE, of=PROGRAM),
    Step(coalesce, takes=SINGLE, gives=TYPED, renames=True),
    Repeat(TIDY_AGAIN),
)
LOOPS_WAY = (
    Step(hoist_tests, takes=TYPED, gives=TYPED),
    Step(separate, takes=TYPED, gives=TYPED, renames=True),
    Step(lower, takes=TYPED, gives=LOOPS, of=PROGRAM),
    Step(count_up, takes=LOOPS, gives=LOOPS, when=has_loops, keeps=(known,)),
    Step(drop_dead_stores, takes=LOOPS, gives=LOOPS, when=has_loops, keeps=(known,)),
    Step(gather, takes=LOOPS, gives=LOOPS, when=has_loops, keeps=(known,)),
    Step(fuse, takes=LOOPS, gives=LOOPS, when=has_loops, keeps=(known,)),
    Step(contract, takes=LOOPS, gives=LOOPS, when=has_loops, keeps=(known,)),
    Step(reuse, takes=LOOPS, gives=LOOPS, when=has_loops, keeps=(known,)),
    Step(carry, takes=LOOPS, gives=LOOPS, when=has_loops, keeps=(known,)),
    Step(store_in_place, takes=LOOPS, gives=LOOPS, keeps=(known,)),
    Step(collapse, takes=LOOPS, gives=LOOPS, when=has_loops, keeps=(known,)),
    Step(tidy_names, takes=LOOPS, gives=LOOPS, renames=True),
    Step(release, takes=LOOPS, gives=LOOPS, renames=True),
    Step(mark_independent, takes=LOOPS, gives=LOOPS),
)
# a typed stage that a user edited
EDITED_WAY = (Repeat(TIDY_AGAIN), *LOOPS_WAY)
# after the stage that is printed: what a target alone wants
CUDA_WAY = (
    Step(write_out, takes=LOOPS, gives=LOOPS),
    Step(count_up_freely, takes=LOOPS, gives=LOOPS, when=has_loops),
    Step(mark_independent, takes=LOOPS, gives=LOOPS),
    Step(count_ahead, takes=LOOPS, gives=LOOPS, when=has_loops),
    Step(find_last_stores, takes=LOOPS, gives=LOOPS, when=has_loops),
    Step(join_edges, takes=LOOPS, gives=LOOPS, when=has_loops),
    Step(interchange, takes=LOOPS, gives=LOOPS, when=has_loops),
    Step(mark_folds, takes=LOOPS, gives=LOOPS, when=has_loops),
)
LLVM_WAY = (
    Step(keep_for_threads, takes=LOOPS, gives=LOOPS),
    Step(pack, takes=LOOPS, gives=LOOPS, when=has_loops),
    Step(choose_in_blocks, takes=LOOPS, gives=LOOPS, when=has_loops),
    Step(if_convert, takes=LOOPS, gives=LOOPS, when=has_loops),
    Step(block_lanes, takes=LOOPS, gives=LOOPS, when=has_loops),
    Step(take_sums, takes=LOOPS, gives=LOOPS, of=PROGRAM),
    Step(version_loops, takes=LOOPS, gives=LOOPS, when=has_loops),
)

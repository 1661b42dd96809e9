"""What nodes carry besides the fields of their class: what one step tells later ones, and what is not printed.

    z = y.copy()                      a statement of the typed language
        .span, .inlined               where the user wrote it
        .shows = ("y",)               in NumPy it is a view of `y`: for the analysis of stores seen through others

Whatever is not printed is lost where a user reads a stage back.  What a statement carries in a language that is printed
is therefore where it stands, what the printer writes of it, and nothing else: `forget_annotations` takes away all that
no step asks for any more.  The verifier holds every function to this table.
"""

from __future__ import annotations

from .records import dataclass

SINGLE, TYPED, LOOPS, CORE = "single", "typed", "loops", "core"
EVERY = frozenset({SINGLE, TYPED, LOOPS})


@dataclass(frozen=True, slots=True)
class Annotation:
    """What an attribute says, and in which languages statements have it."""

    says: str
    languages: frozenset[str]


def _of(languages: frozenset[str] | set[str], **rows: str) -> dict[str, Annotation]:
    return {name: Annotation(says, frozenset(languages)) for name, says in rows.items()}


ANNOTATIONS = {
    **_of(
        EVERY,
        span="where the user wrote it",
        inlined="the places of the calls that it was inlined through, the outermost first",
        base="of a `raise` of a user's class, Python's own class that it comes from: printed as a class of that name",
        part="the part of a derivative that it belongs to: printed as a remark",
    ),
    **_of({LOOPS}, number="its number, by which the lines of the printed file are told to debuggers"),
    **_of(
        {SINGLE},
        shows="the names whose elements NumPy's function shows in its result, which is an array of its own here",
        locked="NumPy's function gives an array that cannot be written to",
        puts_back="a copy of an item of a list that NumPy changes itself",
        is_put_back="a store of what stood in the list before, or of a copy that was changed in its place",
        changes="of a call, the parameters that its last results are written back to",
        is_limit="a `raise` of what is beyond the compiler, which no `except` of the user's catches",
        segments="of a loop under `checkpoint`, in how many segments it is run again, 0 for as many as are best",
        budget="of a loop under `checkpoint`, the bytes that its states may take",
        around="of a collective, the axes around it, none of which is its own",
        hoists="a loop over directions, out of which `hoist` takes what is the same for all",
    ),
    **_of(
        {CORE},
        flag="the name of a flag that `desugar` sets",
        open_ends="of an `if`, which of its branches go on behind it",
        leaves_loop="the result of a `return` inside a loop, which later iterations leave alone",
        is_context="what was the context of a `with`",
        is_cell="a name that functions inside another function assign to",
        any_order="of what a comprehension goes over: its order does not matter",
        was_set="of the same: it was a set",
    ),
}  # fmt: skip


def unknown_annotations(attributes: dict[str, object], fields: tuple[str, ...], language: str) -> list[str]:
    """The attributes of a node that are no fields of it, and that nodes do not have in a language."""
    extra = (name for name in attributes if name not in fields)
    return [name for name in extra if name not in ANNOTATIONS or language not in ANNOTATIONS[name].languages]

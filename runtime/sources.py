"""LLVM modules as they are passed on to be translated, with what has to be known of them.

    Source("define i64 @f(...", late=(Late("exp_x4", "define ...", ...),))    ->    `native.object_code`
"""

from __future__ import annotations

from typing import NamedTuple


class Late(NamedTuple):
    """A function, or the declaration of one, that becomes part of a module once loops are vectorised, if it is called.

    `calls` are the functions that it calls itself.  One with `unless` is an alternative to another of its name, taken
    where none of those is called.  One with a head `where_shared` has that where it has many callers.
    """

    name: str
    head: str
    body: str = ""
    calls: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    where_shared: str = ""

    @property
    def text(self) -> str:
        return self.head + self.body


class Source(NamedTuple):
    """The text of a module.  `is_plain`: no function in it is optimised; `cost`: how long LLVM takes for it, compared
    with others.
    """

    text: str
    late: tuple[Late, ...] = ()
    is_plain: bool = False
    cost: float = 0.0

    def __str__(self) -> str:
        """All of it to be read; what may be linked in later as comments."""
        late = [f";later {one.name}\n;" + one.text.replace("\n", "\n;") + "\n" for one in self.late]
        return "\n".join([self.text, *late])

    def level(self, asked: int) -> int:
        """How much LLVM has to do, of what is asked for: text that is plain is translated as fast as can be."""
        return 0 if self.is_plain else asked

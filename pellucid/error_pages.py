"""`pellucid error`: the page of an error code, to be read in a terminal.

    pellucid error P014     ->     what it means, a program that fails, one that does not, and the reason

The pages are the files of `docs/errors`, which a wheel holds beside this module.
"""

from __future__ import annotations

import difflib
import re
import sys
from importlib import resources

from .compiler.diagnostics import CODES

INSIDE, IN_A_CHECKOUT = "errors", ("..", "docs", "errors")
# A fence opens or closes a listing, a link shows its words, and a heading stands without its marks.
LISTING = re.compile(r"^```[^\n]*\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
HEADING = re.compile(r"^#+ ", re.MULTILINE)


def main(code: str | None) -> int:
    """Print the page of a code, or the list of all codes; 2 where there is no such code."""
    if code is None:
        print("\n".join(f"{name}  {title}" for name, title in CODES.items()))
        return 0
    name = code.strip().upper()
    if name not in CODES:
        near = difflib.get_close_matches(name, CODES, 3)
        offer = f"; did you mean {' or '.join(near)}?" if near else "; `pellucid error` lists the codes"
        print(f"pellucid error: there is no code {code!r}{offer}", file=sys.stderr)
        return 2
    print(plain(markdown(name)), end="")
    return 0


def markdown(code: str) -> str:
    """The page of a code as it is written."""
    package = resources.files(__package__)
    folder = package.joinpath(INSIDE)
    if not folder.is_dir():
        folder = package.joinpath(*IN_A_CHECKOUT)
    return folder.joinpath(f"{code}.md").read_text(encoding="utf-8")


def plain(page: str) -> str:
    """The page without marks: listings are indented, headings and links are their words."""
    out, done = [], 0
    for listing in LISTING.finditer(page):
        out += [_words(page[done : listing.start()]), re.sub(r"^(?=.)", "    ", listing[1], flags=re.MULTILINE)]
        done = listing.end()
    return "".join([*out, _words(page[done:])])


def _words(text: str) -> str:
    return LINK.sub(r"\1", HEADING.sub("", text))

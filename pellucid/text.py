"""Texts to look at: a `str` that shows itself at the prompt and in notebooks.

    >>> f.source("loops", x)          the text, not its repr
    Out[1]: coloured in a notebook    unless NO_COLOR is set (https://no-color.org)
"""

from __future__ import annotations

import html
import io
import keyword
import os
import tokenize
from collections.abc import Iterator

STYLE = {"keyword": "#8250df", "comment": "#6e7781", "string": "#0a7d33", "number": "#b35900"}


class Text(str):
    """Text whose repr is itself; a `str` in all else."""

    __slots__ = ()

    def __repr__(self) -> str:
        return self.rstrip("\n")

    def _repr_html_(self) -> str:
        shown = html.escape(self) if os.environ.get("NO_COLOR") else coloured(self)
        return f"<pre>{shown}</pre>"


def coloured(text: str) -> str:
    """Python with its keywords, comments, strings and numbers in colour; any other text as it is."""
    lines = text.splitlines(True)
    try:
        marks = list(_marks(text))
    except (tokenize.TokenError, SyntaxError):
        return html.escape(text)
    made, line, column = [], 1, 0
    for kind, start, end in marks:
        made.append(html.escape(_between(lines, (line, column), start)))
        made.append(f'<span style="color:{STYLE[kind]}">{html.escape(_between(lines, start, end))}</span>')
        line, column = end
    made.append(html.escape(_between(lines, (line, column), (len(lines) + 1, 0))))
    return "".join(made)


def _marks(text: str) -> Iterator[tuple[str, tuple[int, int], tuple[int, int]]]:
    kinds = {tokenize.COMMENT: "comment", tokenize.STRING: "string", tokenize.NUMBER: "number"}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = "keyword" if token.type == tokenize.NAME and keyword.iskeyword(token.string) else kinds.get(token.type)
        if kind is not None:
            yield kind, token.start, token.end


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text from one place to another; lines count from 1."""
    (first, left), (last, right) = start, end
    if first == last:
        return lines[first - 1][left:right] if first <= len(lines) else ""
    inner = "".join(lines[first : last - 1])
    return lines[first - 1][left:] + inner + (lines[last - 1][:right] if last <= len(lines) else "")

"""Break lines that are too long, where Python allows it: inside brackets.

    y = a * (b + c) + d * (e + f)      ->      y = (a * (b + c)
                                                   + d * (e + f))

Of the positions where a line may end the one outside most brackets is taken, the last one that fits.  A value that is
in no brackets gets its own.
"""

from __future__ import annotations

import re

INDENT = 4
SIGNS = (" + ", " - ", " * ", " / ", " @ ", " // ", " % ", " and ", " or ", " if ", " else ", " == ", " < ", " > ")


def broken(line: str, width: int) -> list[str]:
    """The line as several, the following ones further in; as it is where it fits or cannot be broken."""
    if len(line) <= width:
        return [line]
    margin = len(line) - len(line.lstrip())
    deeper = 2 * INDENT if line.endswith(":") else INDENT
    return _split(bracketed(line), width, " " * (margin + deeper))


def _split(text: str, width: int, margin: str) -> list[str]:
    lines: list[str] = []
    opened = 0
    while len(text) > width:
        places = [(depth, place) for place, depth in _places(text, opened) if len(margin) < place <= width]
        late = [p for p in places if p[1] > width // 2] or places
        if not late:
            break
        depth, place = min(late, key=lambda p: (p[0], -p[1]))
        lines.append(text[:place].rstrip())
        text = margin + text[place:].lstrip()
        opened = depth
    return [*lines, text]


def bracketed(line: str) -> str:
    """The line with brackets around its value or test, unless that is in brackets as a whole."""
    match = re.match(r"(\s*(?:return|[^=\"'(]*?(?<![=!<>])=(?!=)) )(.*)()$", line)
    match = match or re.match(r"(\s*(?:if|elif|while) )(.*)(:)$", line)
    if match is None or _is_in_brackets(match[2]):
        return line
    return f"{match[1]}({match[2]}){match[3]}"


def _is_in_brackets(text: str) -> bool:
    """Whether one bracket, or the call it belongs to, reaches from the first sign to the end of the text."""
    return not any(depth == 0 for _, depth in _places(text, 0, everywhere=True))


def _places(text: str, opened: int, everywhere: bool = False) -> list[tuple[int, int]]:
    """(position, depth) of the points in brackets where a line may end; `everywhere` gives those outside as well."""
    found = []
    depth, quote = opened, ""
    for position, character in enumerate(text):
        if quote:
            quote = "" if character == quote and text[position - 1] != "\\" else quote
        elif character in "\"'":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == " " and (depth > 0 or everywhere):
            after_comma = position > 0 and text[position - 1] == ","
            if after_comma or any(text.startswith(sign, position) for sign in SIGNS):
                found.append((position, depth))
    return found

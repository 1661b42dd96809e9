"""What Python's strings do that the run builds, written in the language: a text is gone over character by character.

    "-".join(words)     ->     a list of the characters of all words
    int("-12")          ->     -12
"""

from ..compiler.ops.containers import digit_of


def characters_of(text):
    return [character for character in text]  # noqa: C416


def joined(separator, words):
    characters = []
    for k in range(len(words)):
        if k > 0:
            characters.extend(separator)
        characters.extend(words[k])
    return characters


def number_in(text):
    """The decimal digits of a number, with spaces around it, a sign, and underscores between them."""
    first, last = 0, len(text)
    while first < last and text[first] in " \t\n\r\x0b\x0c":
        first += 1
    while last > first and text[last - 1] in " \t\n\r\x0b\x0c":
        last -= 1
    is_negative = first < last and text[first] == "-"
    if first < last and text[first] in "+-":
        first += 1
    total = 0
    is_behind_digit = False
    for k in range(first, last):
        if text[k] == "_" and is_behind_digit:
            is_behind_digit = False
        else:
            digit = digit_of(text[k])
            if digit >= 10:
                raise ValueError(f"invalid literal for int() with base 10: {text!r}")
            total, is_too_large = with_digit(total, -digit if is_negative else digit)
            if is_too_large:
                raise OverflowError("an int of more than 64 bits")
            is_behind_digit = True
    if not is_behind_digit:
        raise ValueError(f"invalid literal for int() with base 10: {text!r}")
    return total


def with_digit(total, digit):
    """A number with another digit, of its own sign, after it; and whether that has more than 64 bits."""
    if digit < 0 or total < 0:
        return total * 10 + digit, total < (-9223372036854775807 - 1 - digit + 9) // 10
    return total * 10 + digit, total > (9223372036854775807 - digit) // 10


def stands_at(text, part, k):
    return k + len(part) <= len(text) and all(text[k + j] == part[j] for j in range(len(part)))


def place_of(text, part, start):
    """Where a part begins, from a place on; -1 where it does not."""
    for k in range(start, len(text) - len(part) + 1):
        if stands_at(text, part, k):
            return k
    return -1


def contains(text, part):
    return place_of(text, part, 0) >= 0


def count(text, part):
    """How often a part stands in a text, apart from each other."""
    found = 0
    step = len(part) if len(part) > 0 else 1
    at = place_of(text, part, 0)
    while at >= 0:
        found += 1
        at = place_of(text, part, at + step)
    return found



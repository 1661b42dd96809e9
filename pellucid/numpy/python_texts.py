"""What Python's texts do that the run builds, written in the language: a text is gone over letter by letter.

    "-".join(words)     ->     a list of the letters of all words
    str(-12)            ->     ["-", "1", "2"]
    int("1011", 2)      ->     11
"""

from ..compiler.ops.containers import digit_of


def letters_of(text):
    return [letter for letter in text]  # noqa: C416


def joined(separator, words):
    letters = []
    for k in range(len(words)):
        if k > 0:
            letters.extend(separator)
        letters.extend(words[k])
    return letters


def repeated(text, count):
    return [letter for _ in range(count) for letter in text]


def digits(number):
    found = []
    if number == 0:
        found.append("0")
    rest = number
    while rest != 0:
        digit = rest % 10 if rest > 0 else -(rest % -10)
        found.append("0123456789"[digit])
        rest = (rest - digit) // 10 if rest > 0 else -((-(rest + digit)) // 10)
    if number < 0:
        found.append("-")
    found.reverse()
    return found


def number_in(text, base):
    """The digits of a number, with spaces around it, a sign, and underscores between them."""
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
    if base in (2, 8, 16) and last - first > 2 and text[first] == "0":
        if text[first + 1] in ("bB" if base == 2 else "oO" if base == 8 else "xX"):
            first += 2
            is_behind_digit = text[first] == "_"
    for k in range(first, last):
        if text[k] == "_" and is_behind_digit:
            is_behind_digit = False
        else:
            digit = digit_of(text[k])
            if digit >= base:
                raise ValueError(f"invalid literal for int() with base {base}: {text!r}")
            if total > (9223372036854775807 - digit) // base:
                raise OverflowError("an int of more than 64 bits")
            total = total * base + digit
            is_behind_digit = True
    if not is_behind_digit:
        raise ValueError(f"invalid literal for int() with base {base}: {text!r}")
    return -total if is_negative else total


def place_of(text, part, start):
    """Where a part begins, from a place on; -1 where it does not."""
    for k in range(start, len(text) - len(part) + 1):
        if all(text[k + j] == part[j] for j in range(len(part))):
            return k
    return -1


def contains(text, part):
    return place_of(text, part, 0) >= 0


def find(text, part):
    return place_of(text, part, 0)


def index(text, part):
    at = place_of(text, part, 0)
    if at < 0:
        raise ValueError("substring not found")
    return at


def count(text, part):
    """How often a part stands in a text, apart from each other."""
    if len(part) == 0:
        return len(text) + 1
    found = 0
    at = place_of(text, part, 0)
    while at >= 0:
        found += 1
        at = place_of(text, part, at + len(part))
    return found


def startswith(text, part):
    return len(part) <= len(text) and all(text[k] == part[k] for k in range(len(part)))


def endswith(text, part):
    before = len(text) - len(part)
    return before >= 0 and all(text[before + k] == part[k] for k in range(len(part)))


def upper(text):
    return [letter.upper() for letter in text]


def lower(text):
    return [letter.lower() for letter in text]

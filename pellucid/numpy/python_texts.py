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


def digits(number, base):
    found = []
    if number == 0:
        found.append("0")
    rest = number
    while rest != 0:
        digit = rest % base if rest > 0 else -(rest % -base)
        found.append("0123456789abcdef"[digit])
        if rest > 0:
            rest = (rest - digit) // base
        else:
            rest = (rest + digit) // base
    if number < 0:
        found.append("-")
    found.reverse()
    return found


def digits_of_unsigned(number, base):
    """The digits of an np.uint64, whose last bit an int has not."""
    found = digits(int(number // base), base) if number >= base else []
    found.append("0123456789abcdef"[int(number % base)])
    return found


def signed(letters, plus, prefix):
    """The digits of a number with its sign, and what tells its base: "-0x1f"."""
    is_negative = letters[0] == "-"
    found = ["-"] if is_negative else list(plus)
    found.extend(prefix)
    found.extend(letters[1:] if is_negative else letters)
    return found


def padded(text, width, fill, left, behind=0):
    """A text with `left` letters more behind its first, and as many at its end as make its width."""
    found = []
    found.extend(text[:behind])
    for _ in range(left):
        found.extend(fill)
    found.extend(text[behind:])
    for _ in range(width - len(found)):
        found.extend(fill)
    return found


def missing(text, width):
    return width - len(text) if width > len(text) else 0


def aligned(text, width, fill, align):
    """A text with letters at its end (`<`), in front (`>`), or around it (`^`)."""
    left = missing(text, width)
    return padded(text, width, fill, 0 if align == "<" else left if align == ">" else left // 2)


def behind_sign(text, width, fill, prefix):
    """The digits of a number with letters between its sign and base, and its first digit."""
    return padded(text, width, fill, missing(text, width), (1 if text[0] in "+- " else 0) + len(prefix))


def one_letter(fill):
    if len(fill) != 1:
        raise TypeError("The fill character must be exactly one character long")
    return fill


def ljust(text, width, fill=" "):
    return padded(text, width, one_letter(fill), 0)


def rjust(text, width, fill=" "):
    return padded(text, width, one_letter(fill), missing(text, width))


def center(text, width, fill=" "):
    left = missing(text, width)
    return padded(text, width, one_letter(fill), left // 2 + (left & width & 1))


def zfill(text, width):
    return padded(text, width, "0", missing(text, width), 1 if len(text) > 0 and text[0] in "+-" else 0)


def replaced(text, old, new, count=-1):
    """A text with another one in place of each of its parts that are `old`; of an empty one, before each letter and
    at the end."""
    found = []
    left = count if count >= 0 else len(text) + 1
    k = 0
    while k < len(text):
        if left > 0 and stands_at(text, old, k):
            found.extend(new)
            left -= 1
            if len(old) > 0:
                k += len(old)
                continue
        found.append(text[k])
        k += 1
    if left > 0 and len(old) == 0:
        found.extend(new)
    return found


def stripped(text, letters, method):
    """A text without these letters at its ends, or at one of them."""
    first, last = 0, len(text)
    if method != "rstrip":
        while first < last and text[first] in letters:
            first += 1
    if method != "lstrip":
        while last > first and text[last - 1] in letters:
            last -= 1
    return text[first:last]


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
            total, is_too_large = with_digit(total, -digit if is_negative else digit, base)
            if is_too_large:
                raise OverflowError("an int of more than 64 bits")
            is_behind_digit = True
    if not is_behind_digit:
        raise ValueError(f"invalid literal for int() with base {base}: {text!r}")
    return total


def with_digit(total, digit, base):
    """A number with another digit, of its own sign, behind it; and whether that has more than 64 bits."""
    if digit < 0 or total < 0:
        return total * base + digit, total < (-9223372036854775807 - 1 - digit + base - 1) // base
    return total * base + digit, total > (9223372036854775807 - digit) // base


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


def within(place, length):
    """Where a slice begins or ends, in a text of this length."""
    if place < 0:
        place += length
        return place if place > 0 else 0
    return place


def found_at(text, part, start, stop, is_last):
    """Where a part stands first, or last, between two places; -1 where it does not."""
    first, end = within(start, len(text)), len(text)
    if stop is not None and within(stop, len(text)) < end:
        end = within(stop, len(text))
    at = -1
    k = end - len(part) if is_last else first
    while at < 0 and first <= k and k + len(part) <= end:
        if stands_at(text, part, k):
            at = k
        k += -1 if is_last else 1
    return at


def find(text, part, start=0, stop=None):
    return found_at(text, part, start, stop, False)


def rfind(text, part, start=0, stop=None):
    return found_at(text, part, start, stop, True)


def index(text, part, start=0, stop=None):
    at = found_at(text, part, start, stop, False)
    if at < 0:
        raise ValueError("substring not found")
    return at


def rindex(text, part, start=0, stop=None):
    at = found_at(text, part, start, stop, True)
    if at < 0:
        raise ValueError("substring not found")
    return at


def count(text, part, start=0, stop=None):
    """How often a part stands in a text, apart from each other."""
    found = 0
    step = len(part) if len(part) > 0 else 1
    at = found_at(text, part, start, stop, False)
    while at >= 0:
        found += 1
        at = found_at(text, part, at + step, stop, False)
    return found


def startswith(text, part, start=0, stop=None):
    return found_at(text, part, start, stop, False) == within(start, len(text)) if len(part) > 0 else (
        found_at(text, part, start, stop, False) >= 0
    )  # fmt: skip


def endswith(text, part, start=0, stop=None):
    end = len(text)
    if stop is not None and within(stop, len(text)) < end:
        end = within(stop, len(text))
    at = found_at(text, part, start, stop, True)
    return at >= 0 and at == end - len(part)


def upper(text):
    return [letter.upper() for letter in text]


def lower(text):
    return [letter.lower() for letter in text]

"""Many small checks as one test, which tells of each that fails.

    @every(FILES, shown)                        ->    one test: `compiler/types.py: 401 lines: it is two things`
    def test_files_stay_short(path): ...

    @every(CASES, by=lambda case: case.row.name)     one for each row, with all of its cases
    def test_spelling(case): ...

Pytest takes longer to start a test, and to tell of it, than such a check takes.
"""

import pytest


def every(items, named=str, by=None, is_long=lambda key: False):
    """A decorator: the check is called with each item, or with its parts if it is a tuple.

    `is_long` says of a group, by what it is called, whether its test is one of those that take long.
    """
    groups = {}
    for item in items:
        groups.setdefault(str(by(item)) if by is not None else "", []).append(item)
    assert groups, "a check of nothing"

    def around(check):
        def test(chosen):
            faults = [fault for item in chosen if (fault := fault_of(check, item, named)) is not None]
            if faults:
                raise AssertionError("\n".join(text for text, _ in faults)) from faults[0][1]

        def alone():
            test(groups[""])

        cases = [pytest.param(group, id=key, marks=[pytest.mark.long] * is_long(key)) for key, group in groups.items()]
        made = alone if by is None else pytest.mark.parametrize("chosen", cases)(test)
        made.__name__, made.__doc__, made.__module__ = check.__name__, check.__doc__, check.__module__
        return made

    return around


def fault_of(check, item, named):
    """What a check says of an item, and the exception; None where it finds nothing wrong."""
    try:
        check(*item) if type(item) is tuple else check(item)
    except Exception as error:
        return f"{named(item)}: {type(error).__name__}: {error}", error
    return None

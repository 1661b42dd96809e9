"""The words that the parts of native dispatch share, and how their LLVM text is put together.

    %count = field i64, ptr %state, STATE_COUNT    ->    %count.place = getelementptr i64, ptr %state, i64 0
                                                         %count = load i64, ptr %count.place

`state` is what a compiled function knows for its calls, an `entry` one signature of arguments, a `plan` how to call
one piece of machine code.  Each is an array of 64-bit words; the tables here number them, and their names stand for
the numbers in the text.  A table of keys is a block of its mask and its places, the records that are known are one of
their number and themselves, so that one store puts a new block in place of the former.  CONSTANTS are addresses of
this process, told to the loaded code once, so that the text is the same in every process.
"""

from __future__ import annotations

import re

from ..dtypes import DTYPES, REAL

# The most that one call may have before it is left to the general path.
PARAMETERS, KEYS, SLOTS, OBJECTS, KEPT, RESULTS, DEPTH = 64, 512, 2048, 256, 512, 256, 32
SLACK = 80  # words behind each of these limits: more than one leaf takes, so that room is asked for once per leaf
RANK = 32

LENGTH_LIMIT = 2**52  # as in the backend's `abi.py`, which this is compared with by a test
CONTEXT_SLOTS = 61
CONTEXT_BYTES = 8 * CONTEXT_SLOTS
STACK_LIMIT, DEPTH_LIMIT = 0, 1
LEAST_DEPTH = 10_000

STATE = "COUNT POSITIONAL EXTRA PARAMETERS TABLE LAST RECORDS".split()
PARAMETER = "NAME DEFAULT FLAGS".split()  # no name: not to be given by keyword
RECORD = "CLASS KIND FIELDS".split()
ENTRY = "HASH KEYS KEY_COUNT OBJECTS OBJECT_COUNT PLAN".split()  # the plan is where the current one is told
PLAN = """OWNER CODE HIDDEN HIDDEN_COUNT GIL_LIMIT FAIL
    LEAVES LEAF_COUNT RECIPE RECIPE_COUNT
    WORDS WORD_COUNT TABLES TABLE_COUNT""".split()
GUARD_WORD = "ADDRESS EXPECTED".split()
GROUP = 4  # words of guards that are compared at once
GUARD_TABLE = "DICT VERSION ITEMS ITEM_COUNT".split()
GUARD_ITEM = "NAME EXPECTED".split()
LEAF = "KIND SLOT OPERAND".split()

FLAG_STATIC, FLAG_EXTRA = 1, 2
RECORD_TUPLE, RECORD_ATTRIBUTES = 1, 2

# Words of a key: the low byte says what follows, the bytes above it how.
TOKENS = "FLOAT INT BOOL SCALAR ARRAY TUPLE LIST DICT RECORD OBJECT STATIC_INT STATIC_FLOAT".split()

# Kinds of result leaves.
LEAVES = "WEAK_FLOAT WEAK_INT WEAK_BOOL SCALAR ARRAY".split()
RECIPE = "LEAF STATIC TUPLE LIST DICT CALL".split()

CONSTANTS = """float_type int_type bool_type tuple_type list_type dict_type str_type ndarray_type array_type
    object_types object_type_count dtype_codes dtype_shifts true general find_floor
    values_offset version_offset numpy_new numpy_set_base numpy_scalar numpy_copy""".split()
CONSTANTS += [f"{name}_scalar_type" for name in REAL]


def _numbers() -> dict[str, int]:
    """Every name that stands for a number in the text."""
    found = {
        name: globals()[name]
        for name in """PARAMETERS KEYS SLOTS OBJECTS KEPT RESULTS DEPTH RANK LENGTH_LIMIT CONTEXT_SLOTS CONTEXT_BYTES
        STACK_LIMIT DEPTH_LIMIT LEAST_DEPTH GROUP FLAG_STATIC FLAG_EXTRA RECORD_TUPLE RECORD_ATTRIBUTES""".split()
    }
    found |= {f"{name}_ROOM": found[name] + SLACK for name in ("KEYS", "SLOTS", "OBJECTS", "KEPT")}
    tables = {"STATE": STATE, "PARAMETER": PARAMETER, "RECORD": RECORD, "ENTRY": ENTRY, "PLAN": PLAN, "LEAF": LEAF}
    tables |= {"GUARD_WORD": GUARD_WORD, "GUARD_TABLE": GUARD_TABLE, "GUARD_ITEM": GUARD_ITEM}
    tables |= {"GIVE": LEAVES, "RECIPE": RECIPE, "DTYPE": DTYPES}
    for prefix, names in tables.items():
        found |= {f"{prefix}_{name}": number for number, name in enumerate(names)}
    return found | {f"TOKEN_{name}": number for number, name in enumerate(TOKENS, 1)}


NUMBERS = _numbers()
_FIELD = re.compile(r"^  (%[\w.]+) = field (\w+), ptr (%[\w.]+), (\w+)$", re.MULTILINE)


def assemble(*texts: str) -> str:
    """One module from its parts: numbers for names, two instructions for every `field`."""
    text = "\n".join((_constants(), *texts))
    text = _FIELD.sub(r"  \1.place = getelementptr i64, ptr \3, i64 \4\n  \1 = load \2, ptr \1.place", text)
    return re.sub(r"\b[A-Z]{2}\w+\b", lambda word: str(NUMBERS.get(word[0], word[0])), text)


def _constants() -> str:
    """The addresses of this process as globals, and the function that sets them from an array."""
    lines = [f"@{name} = internal global ptr null" for name in CONSTANTS]
    lines.append("define void @pellucid_set_constants(ptr %given) {")
    for number, name in enumerate(CONSTANTS):
        lines.append(f"  %{name} = field ptr, ptr %given, {number}")
        lines.append(f"  store ptr %{name}, ptr @{name}")
    return "\n".join([*lines, "  ret void", "}"])

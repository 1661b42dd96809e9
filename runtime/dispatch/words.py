"""The words in which Python tells native dispatch what it needs: the fields of the structs of `native/dispatch.h`.

`STATE` is what a compiled function knows for its calls, an `ENTRY` one signature of arguments, a `PLAN` how to call one
piece of machine code.  Each is an array of 64-bit words.  A table of keys is a block of its mask and its places, the
records that are known are one of their number and themselves, so that one store puts a new block in place of the
former.
"""

from __future__ import annotations

# The most that one call may have before it is left to the general path.
PARAMETERS, SLOTS, RESULTS = 64, 2048, 256

STATE = "COUNT POSITIONAL EXTRA PARAMETERS TABLE LAST RECORDS".split()
ENTRY = "HASH KEYS KEY_COUNT OBJECTS OBJECT_COUNT PLAN".split()  # PLAN: the address of the current one's word
PLAN = """OWNER CODE HIDDEN HIDDEN_COUNT GIL_LIMIT FAIL
    LEAVES LEAF_COUNT RECIPE RECIPE_COUNT
    WORDS WORD_COUNT TABLES TABLE_COUNT VALUES VALUE_COUNT
    SLOT_COUNT QUEUE_LIMIT LENGTHS COPIED COPIED_COUNT PACE
    TARGETS TARGET_COUNT""".split()

FLAG_STATIC, FLAG_EXTRA = 1, 2
RECORD_TUPLE, RECORD_ATTRIBUTES, RECORD_PLACES = 1, 2, 3

# Kinds of result leaves.
LEAVES = "WEAK_FLOAT WEAK_INT WEAK_BOOL SCALAR ARRAY WEAK_COMPLEX".split()
RECIPE = "LEAF STATIC TUPLE LIST DICT CALL".split()

"""Native dispatch: whether what the machine code was made from is still so.

    plan   ->   true: fields and cells hold what they held, and the names in dicts stand for what they stood for

A dict whose version is the one seen last has not changed.  Another version is taken note of when all names that count
were looked up again, so that a program that changes other variables pays for that once per change.  Words are
compared in groups without branches between: as this text is hardly optimised, a turn of a loop costs more than four.
"""

from __future__ import annotations

from .words import GROUP


def _compare_words() -> str:
    """Whether a group of words is as expected, as `%same`."""
    lines = []
    for k in range(GROUP):
        lines += [
            f"  %pair{k} = getelementptr [2 x i64], ptr %group, i64 {k}",
            f"  %address{k} = field ptr, ptr %pair{k}, GUARD_WORD_ADDRESS",
            f"  %expected{k} = field i64, ptr %pair{k}, GUARD_WORD_EXPECTED",
            f"  %found{k} = load i64, ptr %address{k}",
            f"  %other{k} = xor i64 %found{k}, %expected{k}",
            f"  %any{k} = or i64 %other{k}, {f'%any{k - 1}' if k else '0'}",
        ]
    return "\n".join([*lines, f"  %same = icmp eq i64 %any{GROUP - 1}, 0", ""])


GUARDS = (
    """
declare ptr @PyDict_GetItemWithError(ptr, ptr)

define internal i1 @items_hold(ptr %table) noinline {
entry:
  %dict = field ptr, ptr %table, GUARD_TABLE_DICT
  %items = field ptr, ptr %table, GUARD_TABLE_ITEMS
  %count = field i64, ptr %table, GUARD_TABLE_ITEM_COUNT
  br label %head
head:
  %number = phi i64 [ 0, %entry ], [ %next, %more ]
  %done = icmp eq i64 %number, %count
  br i1 %done, label %yes, label %look
look:
  %item = getelementptr [2 x i64], ptr %items, i64 %number
  %name = field ptr, ptr %item, GUARD_ITEM_NAME
  %expected = field ptr, ptr %item, GUARD_ITEM_EXPECTED
  %found = call ptr @PyDict_GetItemWithError(ptr %dict, ptr %name)
  %none = icmp eq ptr %found, null
  br i1 %none, label %clear, label %compare
clear:
  call void @PyErr_Clear()
  br label %compare
compare:
  %same = icmp eq ptr %found, %expected
  br i1 %same, label %more, label %no
more:
  %next = add i64 %number, 1
  br label %head
yes:
  ret i1 true
no:
  ret i1 false
}

define internal i1 @table_holds(ptr %table) alwaysinline {
entry:
  %offset.word = load ptr, ptr @version_offset
  %offset = ptrtoint ptr %offset.word to i64
  %has_versions = icmp ne i64 %offset, 0
  br i1 %has_versions, label %version, label %without
version:
  %dict = field ptr, ptr %table, GUARD_TABLE_DICT
  %place = getelementptr i8, ptr %dict, i64 %offset
  %now = load i64, ptr %place
  %seen = field i64, ptr %table, GUARD_TABLE_VERSION
  %unchanged = icmp eq i64 %now, %seen
  br i1 %unchanged, label %yes, label %changed
changed:
  %still = call i1 @items_hold(ptr %table)
  br i1 %still, label %note, label %no
note:
  store i64 %now, ptr %seen.place
  br label %yes
without:
  %hold = call i1 @items_hold(ptr %table)
  ret i1 %hold
yes:
  ret i1 true
no:
  ret i1 false
}

define internal i1 @holds(ptr %plan) {
entry:
  %words = field ptr, ptr %plan, PLAN_WORDS
  %word_count = field i64, ptr %plan, PLAN_WORD_COUNT
  %tables = field ptr, ptr %plan, PLAN_TABLES
  %table_count = field i64, ptr %plan, PLAN_TABLE_COUNT
  br label %word_head
word_head:
  %number = phi i64 [ 0, %entry ], [ %next, %word_same ]
  %words_done = icmp eq i64 %number, %word_count
  br i1 %words_done, label %table_head, label %word
word:
  %group = getelementptr [2 x i64], ptr %words, i64 %number
""" + _compare_words() + """  br i1 %same, label %word_same, label %no
word_same:
  %next = add i64 %number, GROUP
  br label %word_head
table_head:
  %position = phi i64 [ 0, %word_head ], [ %after, %table_same ]
  %tables_done = icmp eq i64 %position, %table_count
  br i1 %tables_done, label %yes, label %table
table:
  %record = getelementptr [4 x i64], ptr %tables, i64 %position
  %fine = call i1 @table_holds(ptr %record)
  br i1 %fine, label %table_same, label %no
table_same:
  %after = add i64 %position, 1
  br label %table_head
yes:
  ret i1 true
no:
  ret i1 false
}

; The same for calls that go through Python.
define i64 @pellucid_holds(ptr %plan) {
  %fine = call i1 @holds(ptr %plan)
  %answer = zext i1 %fine to i64
  ret i64 %answer
}
"""
)

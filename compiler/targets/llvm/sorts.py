"""Rows in order by NumPy's sorts, called by address (`runtime/sorts.py`).

    sort(a, y)     ->    y = a; for each row: status = call i32 @pellucid_sort_float64(ptr %row, i64 n, ptr null)
    order(a, p)    ->    p[i] = 0, 1, ...; the same with @pellucid_argsort_float64(ptr %row, ptr %places, ...)
"""

from __future__ import annotations

from ...dtypes import NUMPY_DTYPE
from .abi import ITEM_BYTES, STORED
from .arrays import View, drop
from .frame import Emission
from .helpers import defined
from .library_operands import copied, copy_into
from .operands import SsaValue
from .text import OPTIMISED

ROWS = """entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %after ]
  %more = icmp slt i64 %i, %m
  br i1 %more, label %row, label %done
row:
  %start = mul i64 %i, %n
  %place = getelementptr {T}, ptr %data, i64 %start
{CALL}
  %good = icmp eq i32 %status, 0
  br i1 %good, label %after, label %failed
after:
  %next = add i64 %i, 1
  br label %head
failed:
  %bytes = mul i64 %n, {SIZE}
  ret i64 %bytes
done:
  ret i64 0"""
SORT = "  %status = call i32 @{name}(ptr %place, i64 %n, ptr null)"
ORDER = """  %order = getelementptr i64, ptr %places, i64 %start
  br label %count
count:
  %k = phi i64 [ 0, %row ], [ %next_k, %number ]
  %rest = icmp slt i64 %k, %n
  br i1 %rest, label %number, label %call
number:
  %numbered = getelementptr i64, ptr %order, i64 %k
  store i64 %k, ptr %numbered
  %next_k = add i64 %k, 1
  br label %count
call:
  %status = call i32 @{name}(ptr %place, ptr %order, i64 %n, ptr null)"""


def sort(frame: Emission, given: View, made: View) -> SsaValue:
    """Every row of `given` in order, in the contiguous matrix `made`; how many bytes could not be had, or 0."""
    copy_into(frame, given, made)
    return _call_rows(frame, "sort", made, [])


def order(frame: Emission, given: View, made: View) -> SsaValue:
    """The order of every row of `given`, in the contiguous matrix `made`; how many bytes could not be had, or 0."""
    rows = copied(frame, given)
    failed = _call_rows(frame, "argsort", rows, [made])
    drop(frame, rows.owner)
    return failed


def _call_rows(frame: Emission, which: str, rows: View, places: list[View]) -> SsaValue:
    module, type_ = frame.module, STORED[rows.dtype]
    called = f"pellucid_{which}_{NUMPY_DTYPE[rows.dtype].name}"
    taken = ", ".join(["ptr", *("ptr" for _ in places), "i64", "ptr"])
    module.declare(called, f"declare i32 @{called}({taken})")
    parameters = ["i64 %m", "i64 %n", "ptr %data", *("ptr %places" for _ in places)]
    call = (ORDER if places else SORT).format(name=called)
    body = ROWS.format(T=type_, SIZE=ITEM_BYTES[rows.dtype], CALL=call)
    name = defined(module, f"pellucid.{which}.{rows.dtype}", "i64", parameters, body, [called], OPTIMISED)
    return frame.code.call("i64", name, *rows.dims, rows.data, *(view.data for view in places))

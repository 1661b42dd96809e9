"""The memory pool in LLVM's words: blocks by size class, reference counts, growable lists.

    text()    ->    the module that `memory.py` loads and describes
"""

from __future__ import annotations

import sys

from .new_arrays_code import ARRAYS

HUGE, HUGE_PAGE = 2**22, 2**21
ADVISE_HUGE_PAGES = 14  # MADV_HUGEPAGE; Linux alone has it

POOL = """
@pellucid.live = internal global i64 0
@pellucid.cached = internal global i64 0
@pellucid.limit = internal global i64 536870912
@pellucid.lock = internal global i32 0
@pellucid.bins = internal global [256 x ptr] zeroinitializer

declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
declare i32 @sched_yield()
ADVISE_DECLARATION
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.umax.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal void @lock() alwaysinline {
entry:
  br label %try
try:
  %pair = cmpxchg ptr @pellucid.lock, i32 0, i32 1 acquire monotonic
  %taken = extractvalue {i32, i1} %pair, 1
  br i1 %taken, label %done, label %yield
yield:
  %yielded = call i32 @sched_yield()
  br label %try
done:
  ret void
}

define internal ptr @fresh(i64 %size) {
entry:
  %large = icmp uge i64 %size, HUGE_BYTES
  br i1 %large, label %pages, label %plain
pages:
  %block = call ptr @aligned_alloc(i64 HUGE_PAGE, i64 %size)
  ADVISE
  ret ptr %block
plain:
  %small = call ptr @aligned_alloc(i64 64, i64 %size)
  ret ptr %small
}

define void @pellucid_unlock() {
  store atomic i32 0, ptr @pellucid.lock release, align 4
  ret void
}

define internal void @unlock() alwaysinline {
  store atomic i32 0, ptr @pellucid.lock release, align 4
  ret void
}

define ptr @pellucid_allocate(i64 %bytes) {
entry:
  %with_header = add i64 %bytes, 64
  %wanted = call i64 @llvm.umax.i64(i64 %with_header, i64 512)
  %last = sub i64 %wanted, 1
  %zeros = call i64 @llvm.ctlz.i64(i64 %last, i1 true)
  %shift = sub i64 61, %zeros
  %top = lshr i64 %last, %shift
  %above = add i64 %top, 1
  %size = shl i64 %above, %shift
  %group = shl i64 %shift, 2
  %part = and i64 %top, 3
  %class = or i64 %group, %part
  %bin = getelementptr [256 x ptr], ptr @pellucid.bins, i64 0, i64 %class
  call void @lock()
  %first = load ptr, ptr %bin
  %empty = icmp eq ptr %first, null
  br i1 %empty, label %fresh, label %reuse
reuse:
  %next_place = getelementptr i64, ptr %first, i64 2
  %next = load ptr, ptr %next_place
  store ptr %next, ptr %bin
  %cached = load i64, ptr @pellucid.cached
  %less = sub i64 %cached, %size
  store i64 %less, ptr @pellucid.cached
  call void @unlock()
  br label %ready
fresh:
  call void @unlock()
  %made = call ptr @fresh(i64 %size)
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %again, label %ready
again:
  %trimmed = call i64 @pellucid_trim()
  %remade = call ptr @fresh(i64 %size)
  %failed_again = icmp eq ptr %remade, null
  br i1 %failed_again, label %none, label %ready
none:
  ret ptr null
ready:
  %owner = phi ptr [ %first, %reuse ], [ %made, %fresh ], [ %remade, %again ]
  store i64 1, ptr %owner
  %class_place = getelementptr i64, ptr %owner, i64 1
  store i64 %class, ptr %class_place
  %size_place = getelementptr i64, ptr %owner, i64 3
  store i64 %size, ptr %size_place
  %before = atomicrmw add ptr @pellucid.live, i64 %size monotonic
  ret ptr %owner
}

define void @pellucid_free(ptr %owner) {
entry:
  %class_place = getelementptr i64, ptr %owner, i64 1
  %class = load i64, ptr %class_place
  %size_place = getelementptr i64, ptr %owner, i64 3
  %size = load i64, ptr %size_place
  %before = atomicrmw sub ptr @pellucid.live, i64 %size monotonic
  call void @lock()
  %cached = load i64, ptr @pellucid.cached
  %more = add i64 %cached, %size
  %limit = load i64, ptr @pellucid.limit
  %keep = icmp ule i64 %more, %limit
  br i1 %keep, label %cache, label %release
cache:
  store i64 %more, ptr @pellucid.cached
  %bin = getelementptr [256 x ptr], ptr @pellucid.bins, i64 0, i64 %class
  %first = load ptr, ptr %bin
  %next_place = getelementptr i64, ptr %owner, i64 2
  store ptr %first, ptr %next_place
  store ptr %owner, ptr %bin
  call void @unlock()
  ret void
release:
  call void @unlock()
  call void @free(ptr %owner)
  ret void
}

define void @pellucid_release(ptr %owner) {
entry:
  %nothing = icmp eq ptr %owner, null
  br i1 %nothing, label %done, label %count
count:
  %old = load i64, ptr %owner
  %new = sub i64 %old, 1
  store i64 %new, ptr %owner
  %last = icmp eq i64 %new, 0
  br i1 %last, label %dead, label %done
dead:
  call void @pellucid_free(ptr %owner)
  br label %done
done:
  ret void
}

define i64 @pellucid_live() {
  %live = load i64, ptr @pellucid.live
  ret i64 %live
}

define i64 @pellucid_limit(i64 %bytes) {
entry:
  call void @lock()
  %old = load i64, ptr @pellucid.limit
  store i64 %bytes, ptr @pellucid.limit
  call void @unlock()
  ret i64 %old
}

define i64 @pellucid_trim() {
entry:
  br label %head
head:
  %class = phi i64 [ 0, %entry ], [ %class, %drop ], [ %next_class, %skip ]
  %total = phi i64 [ 0, %entry ], [ %more, %drop ], [ %total, %skip ]
  %done = icmp eq i64 %class, 256
  br i1 %done, label %exit, label %look
look:
  %bin = getelementptr [256 x ptr], ptr @pellucid.bins, i64 0, i64 %class
  call void @lock()
  %first = load ptr, ptr %bin
  %empty = icmp eq ptr %first, null
  br i1 %empty, label %skip, label %drop
skip:
  call void @unlock()
  %next_class = add i64 %class, 1
  br label %head
drop:
  %next_place = getelementptr i64, ptr %first, i64 2
  %next = load ptr, ptr %next_place
  store ptr %next, ptr %bin
  %size_place = getelementptr i64, ptr %first, i64 3
  %size = load i64, ptr %size_place
  %cached = load i64, ptr @pellucid.cached
  %less = sub i64 %cached, %size
  store i64 %less, ptr @pellucid.cached
  call void @unlock()
  call void @free(ptr %first)
  %more = add i64 %total, %size
  br label %head
exit:
  ret i64 %total
}
"""

LISTS = """
define ptr @pellucid_list_new(i64 %item_bytes, i64 %holds_owners) {
entry:
  %list = call ptr @pellucid_allocate(i64 64)
  %failed = icmp eq ptr %list, null
  br i1 %failed, label %none, label %fill
none:
  ret ptr null
fill:
  %body = getelementptr i8, ptr %list, i64 64
  %length = getelementptr i64, ptr %body, i64 1
  store i64 0, ptr %length
  %capacity = getelementptr i64, ptr %body, i64 2
  store i64 0, ptr %capacity
  %data = getelementptr i64, ptr %body, i64 3
  store ptr null, ptr %data
  %item = getelementptr i64, ptr %body, i64 4
  store i64 %item_bytes, ptr %item
  %owners = getelementptr i64, ptr %body, i64 5
  store i64 %holds_owners, ptr %owners
  ret ptr %list
}

define i1 @pellucid_list_grow(ptr %list) {
entry:
  %body = getelementptr i8, ptr %list, i64 64
  %length_place = getelementptr i64, ptr %body, i64 1
  %length = load i64, ptr %length_place
  %item_place = getelementptr i64, ptr %body, i64 4
  %item = load i64, ptr %item_place
  %data_place = getelementptr i64, ptr %body, i64 3
  %old = load ptr, ptr %data_place
  %twice = shl i64 %length, 1
  %wanted = call i64 @llvm.umax.i64(i64 %twice, i64 8)
  %bytes = mul i64 %wanted, %item
  %new = call ptr @pellucid_allocate(i64 %bytes)
  %failed = icmp eq ptr %new, null
  br i1 %failed, label %none, label %move
none:
  ret i1 false
move:
  %capacity_place = getelementptr i64, ptr %body, i64 2
  store i64 %wanted, ptr %capacity_place
  store ptr %new, ptr %data_place
  %had = icmp ne ptr %old, null
  br i1 %had, label %copy, label %done
copy:
  %used = mul i64 %length, %item
  %to = getelementptr i8, ptr %new, i64 64
  %from = getelementptr i8, ptr %old, i64 64
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %used, i1 false)
  call void @pellucid_free(ptr %old)
  br label %done
done:
  ret i1 true
}

define void @pellucid_list_release(ptr %list) {
entry:
  %nothing = icmp eq ptr %list, null
  br i1 %nothing, label %done, label %count
count:
  %old = load i64, ptr %list
  %new = sub i64 %old, 1
  store i64 %new, ptr %list
  %last = icmp eq i64 %new, 0
  br i1 %last, label %dead, label %done
dead:
  %body = getelementptr i8, ptr %list, i64 64
  %length_place = getelementptr i64, ptr %body, i64 1
  %length = load i64, ptr %length_place
  %data_place = getelementptr i64, ptr %body, i64 3
  %data = load ptr, ptr %data_place
  %item_place = getelementptr i64, ptr %body, i64 4
  %item = load i64, ptr %item_place
  %owners_place = getelementptr i64, ptr %body, i64 5
  %owners = load i64, ptr %owners_place
  %plain = icmp eq i64 %owners, 0
  br i1 %plain, label %drop, label %head
head:
  %i = phi i64 [ 0, %dead ], [ %next, %item_body ]
  %more = icmp ult i64 %i, %length
  br i1 %more, label %item_body, label %drop
item_body:
  %offset = mul i64 %i, %item
  %behind = add i64 %offset, 64
  %place = getelementptr i8, ptr %data, i64 %behind
  %owner = load ptr, ptr %place
  call void @pellucid_release(ptr %owner)
  %next = add i64 %i, 1
  br label %head
drop:
  %has_data = icmp ne ptr %data, null
  br i1 %has_data, label %drop_data, label %drop_list
drop_data:
  call void @pellucid_free(ptr %data)
  br label %drop_list
drop_list:
  call void @pellucid_free(ptr %list)
  br label %done
done:
  ret void
}
"""


def text() -> str:
    """The module for this system."""
    has_advice = sys.platform.startswith("linux")
    words = {
        "ADVISE_DECLARATION": "declare i32 @madvise(ptr, i64, i32)" if has_advice else "",
        "ADVISE": f"%advised = call i32 @madvise(ptr %block, i64 %size, i32 {ADVISE_HUGE_PAGES})" if has_advice else "",
        "HUGE_BYTES": str(HUGE),
        "HUGE_PAGE": str(HUGE_PAGE),
    }
    code = POOL + LISTS + ARRAYS
    for word, value in words.items():
        code = code.replace(word, value)
    return code

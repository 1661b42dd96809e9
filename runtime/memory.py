"""Memory of arrays and lists: a pool of aligned blocks, in native code, and its face towards Python.

    pellucid_allocate(bytes)   -> owner: 64 bytes of header, then the data, 64-byte aligned; null when there is none
    pellucid_free(owner)       -> back to the pool
    Buffer(owner)              -> frees it when Python lets go; numpy.asarray(buffer) copies nothing

A header holds: reference count, size class, next free block, block size.  Fresh pages cost more than the arithmetic
on them, so blocks are kept by size class (four classes per power of two), up to CACHE_LIMIT bytes in all.

A list is a block too: reference count, length, capacity, data owner, bytes per item, whether items begin with an owner.
"""

from __future__ import annotations

import ctypes
import os
import threading
from functools import lru_cache

import numpy as np

from . import native

CACHE_LIMIT = 2**29
HEADER_BYTES = 64

POOL = """
@pellucid.live = internal global i64 0
@pellucid.cached = internal global i64 0
@pellucid.lock = internal global i32 0
@pellucid.bins = internal global [256 x ptr] zeroinitializer

declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.umax.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal void @lock() {
entry:
  br label %try
try:
  %pair = cmpxchg ptr @pellucid.lock, i32 0, i32 1 acquire monotonic
  %taken = extractvalue {i32, i1} %pair, 1
  br i1 %taken, label %done, label %try
done:
  ret void
}

define void @pellucid_unlock() {
  store atomic i32 0, ptr @pellucid.lock release, align 4
  ret void
}

define internal void @unlock() {
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
  %made = call ptr @aligned_alloc(i64 64, i64 %size)
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %none, label %ready
none:
  ret ptr null
ready:
  %owner = phi ptr [ %first, %reuse ], [ %made, %fresh ]
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
  %keep = icmp ule i64 %more, CACHE_LIMIT
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

EXPORTED = (
    "pellucid_allocate", "pellucid_free", "pellucid_release", "pellucid_list_new", "pellucid_list_grow",
    "pellucid_list_release", "pellucid_live", "pellucid_trim", "pellucid_unlock",
)  # fmt: skip


class Pool:
    """The loaded pool.  Its functions hold the GIL: they are short, and reference counts need one thread at a time."""

    def __init__(self) -> None:
        text = (POOL + LISTS).replace("CACHE_LIMIT", str(CACHE_LIMIT))
        self.library = native.load(native.optimise(text, level=2))
        for name in EXPORTED:
            native.import_symbol(name, self.library.address(name))
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        self.allocate = self._function("pellucid_allocate", pointer, number)
        self.release = self._function("pellucid_release", None, pointer)
        self.list_new = self._function("pellucid_list_new", pointer, number, number)
        self.list_grow = self._function("pellucid_list_grow", ctypes.c_bool, pointer)
        self.list_release = self._function("pellucid_list_release", None, pointer)
        self.live = self._function("pellucid_live", number)
        self.trim = self._function("pellucid_trim", number)
        if hasattr(os, "register_at_fork"):  # another thread may hold the lock while this one forks
            os.register_at_fork(after_in_child=self._function("pellucid_unlock", None))

    def _function(self, name: str, result: object, *parameters: object):  # type: ignore[no-untyped-def]
        function = ctypes.PYFUNCTYPE(result, *parameters)(self.library.address(name))  # type: ignore[arg-type]
        function.library = self.library  # type: ignore[attr-defined]  # a buffer that outlives this module still has code to call
        return function


_POOL_LOCK = threading.Lock()


@lru_cache(maxsize=1)
def _make_pool() -> Pool:
    return Pool()


def pool() -> Pool:
    """The pool of this process, made at first use."""
    with _POOL_LOCK:
        return _make_pool()


def live_bytes() -> int:
    """Bytes of the blocks in use now, rounded up to size classes: 0 when nothing compiled holds memory."""
    return int(pool().live())


def trim() -> int:
    """Give the memory that the pool keeps for later back to the system; returns how many bytes that were."""
    return int(pool().trim())


class Buffer:
    """Memory that compiled code made, owned by Python from now on: released when nothing refers to it any more."""

    __slots__ = ("__array_interface__", "_owner", "_release")

    def __init__(
        self, owner: int, data: int, dtype: np.dtype, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> None:
        self._owner, self._release = owner, pool().release
        self.__array_interface__ = {
            "version": 3,
            "typestr": dtype.str,
            "data": (data, False),
            "shape": shape,
            "strides": tuple(s * dtype.itemsize for s in strides),
        }

    def __del__(self) -> None:
        owner, self._owner = self._owner, 0
        if owner:
            self._release(owner)

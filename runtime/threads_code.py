"""Parallel regions in LLVM's words: chunks, who runs them, which error counts.

    text()    ->    the module that `threads.py` loads and describes
"""

from __future__ import annotations

import platform

from .stream_code import STREAMS
from .workers_code import WORKERS

THRESHOLD = 60_000.0  # nanoseconds: to wake a sleeping worker takes 20 to 40 microseconds
CHUNKS_PER_THREAD = 4  # a thread that is held up leaves its share to the others
STREAM_BYTES = 2**26  # a result this large has left the caches before anybody reads it
BLOCK_BYTES = 2**13  # of a result on its way: lies in the first cache
PATIENCE = 5e5  # nanoseconds: so long may a thread work, by its estimate, before it looks whether a signal has come
GLANCES = 400  # pauses of 10 to 50 nanoseconds

# The gate holds OPEN and the number of workers inside: none enters a closed region, and its end waits for all inside.
REGIONS = """
@threads = internal global i64 1
@stream_bytes = internal global i64 STREAM_BYTES
@threshold = internal global double THRESHOLD
@process = internal global i32 0
@busy = internal global i32 0
@started = internal global i64 0
@regions = internal global i64 0
@gate = internal global i64 0
@generation = internal global i64 0
@asleep = internal global i64 0
@mutex = internal global [256 x i8] zeroinitializer, align 64
@wake = internal global [256 x i8] zeroinitializer, align 64
@done = internal global [256 x i8] zeroinitializer, align 64
@body = internal global ptr null
@captures = internal global ptr null
@context = internal global ptr null
@error = internal global ptr null
@slots = internal global i64 0
@captured = internal global i64 0
@streamed = internal global i64 -1
@item = internal global i64 0
@start = internal global i64 0
@stop = internal global i64 0
@size = internal global i64 0
@helpers = internal global i64 0
@next = internal global i64 0, align 64
@failed = internal global i64 0, align 64
@status = internal global i64 0
@lock = internal global i32 0

declare i32 @getpid()
declare i32 @sched_yield()
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(ptr)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.fptosi.sat.i64.f64(double)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
PAUSE_DECLARATION
FENCE_DECLARATION

@pellucid_signals = external global i32
declare i64 @pellucid_look(ptr)
declare void @pellucid_arm(ptr)
declare i32 @clock_gettime(i32, ptr)
declare i32 @pthread_cond_timedwait(ptr, ptr, ptr)
declare double @llvm.minnum.f64(double, double)

; Whether a signal ends the call: its context says so where it may.
define internal i1 @is_stopped(ptr %context) alwaysinline {
entry:
  %word = load atomic i32, ptr @pellucid_signals monotonic, align 4
  %heard = icmp ne i32 %word, 0
  br i1 %heard, label %look, label %no
look:
  %leave = call i64 @pellucid_look(ptr %context)
  %stopped = icmp ne i64 %leave, 0
  ret i1 %stopped
no:
  ret i1 false
}

; How many iterations may pass before somebody looks for signals: whole granules.
define internal i64 @patience(i64 %granule, double %cost) {
  %exact = fdiv double PATIENCE, %cost
  %limited = call double @llvm.minnum.f64(double %exact, double 1.0e15)
  %iterations = call i64 @llvm.fptosi.sat.i64.f64(double %limited)
  %granules = sdiv i64 %iterations, %granule
  %some = call i64 @llvm.smax.i64(i64 %granules, i64 1)
  %size = mul i64 %some, %granule
  ret i64 %size
}

; On this thread alone, with a look for signals now and then.
define internal i64 @run_alone(ptr %body, ptr %captures, ptr %context, i64 %start, i64 %stop, i64 %size,
                               i64 %captured, i64 %streamed, i64 %item) {
entry:
  br label %head
head:
  %first = phi i64 [ %start, %entry ], [ %end, %look ]
  %left = sub i64 %stop, %first
  %piece = call i64 @llvm.smin.i64(i64 %left, i64 %size)
  %end = add i64 %first, %piece
  %status = call i64 @run(ptr %body, ptr %captures, ptr %context, i64 %first, i64 %end,
                          i64 %captured, i64 %streamed, i64 %item)
  %good = icmp eq i64 %status, 0
  %more = icmp slt i64 %end, %stop
  %on = and i1 %good, %more
  br i1 %on, label %look, label %done
look:
  %stopped = call i1 @is_stopped(ptr %context)
  br i1 %stopped, label %interrupted, label %head
interrupted:
  ret i64 -1
done:
  ret i64 %status
}

define i64 @pellucid_parallel_for(ptr %body, ptr %captures, ptr %context, i64 %slots, i64 %start, i64 %stop,
                                  i64 %granule, double %cost, i64 %captured, i64 %result, i64 %item) {
entry:
  %count = sub i64 %stop, %start
  %result_bytes = mul i64 %count, %item
  %stream_bytes = load i64, ptr @stream_bytes
  %leaves = icmp sge i64 %result_bytes, %stream_bytes
  %streamed = select i1 %leaves, i64 %result, i64 -1
  %threads = load atomic i64, ptr @threads monotonic, align 8
  %several = icmp sgt i64 %threads, 1
  %threshold = load double, ptr @threshold
  %iterations = sitofp i64 %count to double
  %work = fmul double %iterations, %cost
  %large = fcmp oge double %work, %threshold
  %divisible = icmp sgt i64 %count, %granule
  %worth = and i1 %large, %divisible
  %wanted = and i1 %several, %worth
  br i1 %wanted, label %look, label %alone
look:
  %mine = call i1 @own_process()
  br i1 %mine, label %claim, label %alone
claim:
  %pair = cmpxchg ptr @busy, i32 0, i32 1 acquire monotonic
  %free = extractvalue {i32, i1} %pair, 1
  br i1 %free, label %region, label %alone
alone:
  %patience = call i64 @patience(i64 %granule, double %cost)
  %alone_status = call i64 @run_alone(ptr %body, ptr %captures, ptr %context, i64 %start, i64 %stop, i64 %patience,
                                      i64 %captured, i64 %streamed, i64 %item)
  ret i64 %alone_status
region:
  call void @pellucid_arm(ptr %context)
  %error = alloca i64, i64 %slots
  %until = alloca [2 x i64]
  %share = fdiv double %work, %threshold
  %shares = call i64 @llvm.fptosi.sat.i64.f64(double %share)
  %others = sub i64 %threads, 1
  %helpers = call i64 @llvm.smin.i64(i64 %others, i64 %shares)
  %team = add i64 %helpers, 1
  %pieces = mul i64 %team, CHUNKS_PER_THREAD
  %rest = add i64 %count, %pieces
  %rest_less = sub i64 %rest, 1
  %even = sdiv i64 %rest_less, %pieces
  %even_more = add i64 %even, %granule
  %even_less = sub i64 %even_more, 1
  %granules = sdiv i64 %even_less, %granule
  %fair = mul i64 %granules, %granule
  %longest = call i64 @patience(i64 %granule, double %cost)
  %size = call i64 @llvm.smin.i64(i64 %fair, i64 %longest)
  store ptr %body, ptr @body
  store ptr %captures, ptr @captures
  store ptr %context, ptr @context
  store ptr %error, ptr @error
  store i64 %slots, ptr @slots
  store i64 %captured, ptr @captured
  store i64 %streamed, ptr @streamed
  store i64 %item, ptr @item
  store i64 %start, ptr @start
  store i64 %stop, ptr @stop
  store i64 %size, ptr @size
  store i64 %helpers, ptr @helpers
  store i64 0, ptr @next
  store i64 9223372036854775807, ptr @failed
  store i64 0, ptr @status
  %old_regions = atomicrmw add ptr @regions, i64 1 monotonic
  call void @start_workers(i64 %helpers)
  store atomic i64 OPEN, ptr @gate release, align 8
  %old_generation = atomicrmw add ptr @generation, i64 1 seq_cst
  %asleep = load atomic i64, ptr @asleep seq_cst, align 8
  %sleepers = icmp sgt i64 %asleep, 0
  br i1 %sleepers, label %rouse, label %join
rouse:
  call void @wake_workers(i64 %helpers)
  br label %join
join:
  call void @work()
  %open_gate = atomicrmw and ptr @gate, i64 INSIDE acq_rel
  br label %glance
glance:
  %glances = phi i64 [ 0, %join ], [ %more_glances, %glance_again ]
  %gate = load atomic i64, ptr @gate acquire, align 8
  %empty = icmp eq i64 %gate, 0
  br i1 %empty, label %over, label %glance_more
glance_more:
  %more_glances = add i64 %glances, 1
  %patient = icmp ult i64 %glances, GLANCES
  br i1 %patient, label %glance_again, label %wait
glance_again:
  PAUSE
  br label %glance
wait:
  call void @soon(ptr %until)
  %locked = call i32 @pthread_mutex_lock(ptr @mutex)
  br label %wait_head
wait_head:
  %gate_now = load atomic i64, ptr @gate acquire, align 8
  %empty_now = icmp eq i64 %gate_now, 0
  br i1 %empty_now, label %wait_done, label %wait_more
wait_more:
  %waited = call i32 @pthread_cond_timedwait(ptr @done, ptr @mutex, ptr %until)
  %unlocked_first = call i32 @pthread_mutex_unlock(ptr @mutex)
  %told = call i1 @is_stopped(ptr %context)
  br label %wait
wait_done:
  %unlocked = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %over
over:
  %status = load i64, ptr @status
  %bad = icmp ne i64 %status, 0
  br i1 %bad, label %report, label %finish
report:
  %bytes = shl i64 %slots, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %context, ptr %error, i64 %bytes, i1 false)
  br label %finish
finish:
  store atomic i32 0, ptr @busy release, align 4
  ret i64 %status
}

; A time a little ahead, of the clock that waiting goes by.
define internal void @soon(ptr %until) {
  %asked = call i32 @clock_gettime(i32 0, ptr %until)
  %place = getelementptr i64, ptr %until, i64 1
  %nanoseconds = load i64, ptr %place
  %later = add i64 %nanoseconds, 10000000
  %next = icmp sge i64 %later, 1000000000
  %less = sub i64 %later, 1000000000
  %left = select i1 %next, i64 %less, i64 %later
  %seconds = load i64, ptr %until
  %carried = zext i1 %next to i64
  %sum = add i64 %seconds, %carried
  store i64 %sum, ptr %until
  store i64 %left, ptr %place
  ret void
}

define internal void @work() noinline {
entry:
  %body = load ptr, ptr @body
  %captures = load ptr, ptr @captures
  %slots = load i64, ptr @slots
  %start = load i64, ptr @start
  %stop = load i64, ptr @stop
  %size = load i64, ptr @size
  %captured = load i64, ptr @captured
  %streamed = load i64, ptr @streamed
  %item = load i64, ptr @item
  %given = load ptr, ptr @context
  %bytes = shl i64 %slots, 3
  %context = alloca i64, i64 %slots
  call void @llvm.memcpy.p0.p0.i64(ptr %context, ptr %given, i64 %bytes, i1 false)
  br label %take
take:
  %chunk = atomicrmw add ptr @next, i64 1 monotonic
  %before = mul i64 %chunk, %size
  %first = add i64 %start, %before
  %some = icmp slt i64 %first, %stop
  br i1 %some, label %check, label %done
check:
  %failed = load atomic i64, ptr @failed monotonic, align 8
  %late = icmp sgt i64 %chunk, %failed
  br i1 %late, label %done, label %look
look:
  %stopped = call i1 @is_stopped(ptr %context)
  br i1 %stopped, label %try, label %run
run:
  %end = add i64 %first, %size
  %last = call i64 @llvm.smin.i64(i64 %end, i64 %stop)
  %run_status = call i64 @run(ptr %body, ptr %captures, ptr %context, i64 %first, i64 %last,
                          i64 %captured, i64 %streamed, i64 %item)
  %good = icmp eq i64 %run_status, 0
  br i1 %good, label %take, label %try
try:
  %status = phi i64 [ -1, %look ], [ %run_status, %run ], [ %status, %yield ]
  %pair = cmpxchg ptr @lock, i32 0, i32 1 acquire monotonic
  %taken = extractvalue {i32, i1} %pair, 1
  br i1 %taken, label %compare, label %yield
yield:
  %yielded = call i32 @sched_yield()
  br label %try
compare:
  %least = load i64, ptr @failed
  %lower = icmp slt i64 %chunk, %least
  br i1 %lower, label %keep, label %unlock
keep:
  store atomic i64 %chunk, ptr @failed monotonic, align 8
  store i64 %status, ptr @status
  %error = load ptr, ptr @error
  call void @llvm.memcpy.p0.p0.i64(ptr %error, ptr %context, i64 %bytes, i1 false)
  br label %unlock
unlock:
  store atomic i32 0, ptr @lock release, align 4
  br label %done
done:
  ret void
}

define i64 @pellucid_get_threads() {
  %count = load atomic i64, ptr @threads monotonic, align 8
  ret i64 %count
}

define void @pellucid_set_threads(i64 %count) {
  store atomic i64 %count, ptr @threads monotonic, align 8
  ret void
}

define double @pellucid_set_threshold(double %nanoseconds) {
  %old = load double, ptr @threshold
  store double %nanoseconds, ptr @threshold
  ret double %old
}

define i64 @pellucid_set_stream_bytes(i64 %bytes) {
  %old = load i64, ptr @stream_bytes
  store i64 %bytes, ptr @stream_bytes
  ret i64 %old
}

define i64 @pellucid_regions() {
  %count = load atomic i64, ptr @regions monotonic, align 8
  ret i64 %count
}

define i64 @pellucid_workers() {
  %count = load i64, ptr @started
  ret i64 %count
}

!0 = !{i32 1}
"""

PAUSES = {
    "x86_64": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "AMD64": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "arm64": ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),
    "aarch64": ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),
}


def text() -> str:
    """The module for this processor."""
    declaration, pause = PAUSES.get(platform.machine(), ("", ""))
    fences = platform.machine() in ("x86_64", "AMD64")  # the only ones on which streamed stores may come late
    words = {
        "FENCE_DECLARATION": "declare void @llvm.x86.sse.sfence()" if fences else "",
        "FENCE": "call void @llvm.x86.sse.sfence()" if fences else "",
        "STREAM_BYTES": str(STREAM_BYTES), "BLOCK_BYTES": str(BLOCK_BYTES),
        "PAUSE_DECLARATION": declaration, "PAUSE": pause, "THRESHOLD": f"{THRESHOLD:.1f}", "OPEN": str(2**32),
        "PATIENCE": f"{PATIENCE:.1f}",
        "INSIDE": str(2**32 - 1), "CHUNKS_PER_THREAD": str(CHUNKS_PER_THREAD), "GLANCES": str(GLANCES),
    }  # fmt: skip
    code = REGIONS + WORKERS + STREAMS
    for word, value in words.items():
        code = code.replace(word, value)
    return code

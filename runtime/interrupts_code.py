"""Ctrl-C while machine code runs, in LLVM's words: who hears of it, who asks Python what to do, and how the call ends.

    text()    ->    the module that `interrupts.py` loads and describes

Compiled loops look at the word `pellucid_signals`, and call `pellucid_look` where it is not 0.  A call of the main
thread that may take long is guarded: it begins unarmed, so that its first looks lead there.  Once they show that the
call does take long, the handler of SIGINT becomes ours until it ends: it sets a bit of the word and goes on to the
handler that was there, Python's.  The next look of the main thread lets Python's function run; if that raises, another
bit asks every thread that works for the call to leave.  The exception waits until the call has ended.
"""

from __future__ import annotations

import re

SIGINT = 2
HEARD, LEAVE, UNARMED = 1, 2, 4  # bits of the word
FIRST_LOOKS = 8  # whoever makes them, they cost next to nothing: most loops of calls that are short have fewer turns
FIRST_TIME = 2  # looks of the main thread after those until the clock is read; then at twice as many, and so on
LONG_CALL = 100_000  # nanoseconds: to change a handler twice takes a hundredth of that
ACTION_BYTES = 256  # a `struct sigaction`, with room to spare; the handler stands at its start on every system we know

TEXT = """
@pellucid_signals = global i32 0, align 64
@main_thread = internal global i64 0
@before = internal global ptr null
@old = internal global [ACTION_BYTES x i8] zeroinitializer, align 16
@new = internal global [ACTION_BYTES x i8] zeroinitializer, align 16
@found = internal global [ACTION_BYTES x i8] zeroinitializer, align 16
@error = internal global [3 x ptr] zeroinitializer
@depth = internal global i64 0
@first_looks = internal global i64 0
@looks = internal global i64 0
@since = internal global i64 0
@installed = internal global i1 false

declare i64 @pthread_self()
declare i32 @clock_gettime(i32, ptr)
declare i32 @sigaction(i32, ptr, ptr)
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare i32 @PyErr_CheckSignals()
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_Restore(ptr, ptr, ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; In a child of another thread than the main one, no call is going on.
define void @pellucid_set_main_thread(i64 %thread) {
entry:
  %known = load i64, ptr @main_thread
  %same = icmp eq i64 %known, %thread
  br i1 %same, label %done, label %change
change:
  store i64 %thread, ptr @main_thread
  store i64 0, ptr @depth
  store i1 false, ptr @installed
  store atomic i32 0, ptr @pellucid_signals seq_cst, align 4
  br label %done
done:
  ret void
}

define internal i64 @now() {
  %time = alloca [2 x i64]
  %asked = call i32 @clock_gettime(i32 0, ptr %time)
  %seconds = load i64, ptr %time
  %place = getelementptr i64, ptr %time, i64 1
  %rest = load i64, ptr %place
  %whole = mul i64 %seconds, 1000000000
  %sum = add i64 %whole, %rest
  ret i64 %sum
}

; Whether a call that is not armed yet has taken long.
define internal i1 @takes_long() {
entry:
  %before = load i64, ptr @looks
  %looks = add i64 %before, 1
  store i64 %looks, ptr @looks
  %both = and i64 %before, %looks
  %is_power = icmp eq i64 %both, 0
  %enough = icmp uge i64 %looks, FIRST_TIME
  %reads = and i1 %is_power, %enough
  br i1 %reads, label %read, label %no
read:
  %now = call i64 @now()
  %is_first = icmp eq i64 %looks, FIRST_TIME
  br i1 %is_first, label %begin, label %compare
begin:
  store i64 %now, ptr @since
  br label %no
compare:
  %since = load i64, ptr @since
  %passed = sub i64 %now, %since
  %long = icmp ugt i64 %passed, LONG_CALL
  ret i1 %long
no:
  ret i1 false
}

; From now on signals are heard; one that came before may wait for Python.
define internal void @arm() {
  %installed = call i1 @install()
  store i1 %installed, ptr @installed
  store i64 FIRST_LOOKS, ptr @first_looks
  store atomic i32 HEARD, ptr @pellucid_signals seq_cst, align 4
  ret void
}

; Arm a call at once: the next look asks Python.
define void @pellucid_arm(ptr %context) {
entry:
  %word = load atomic i32, ptr @pellucid_signals seq_cst, align 4
  %bit = and i32 %word, UNARMED
  %is_unarmed = icmp ne i32 %bit, 0
  br i1 %is_unarmed, label %look, label %done
look:
  %guarded.place = getelementptr i64, ptr %context, i64 GUARDED
  %guarded = load i64, ptr %guarded.place
  %is_guarded = icmp ne i64 %guarded, 0
  %mine = call i1 @on_main_thread()
  %both = and i1 %is_guarded, %mine
  br i1 %both, label %change, label %done
change:
  call void @arm()
  br label %done
done:
  ret void
}

; Handlers of both forms: those that take the number alone do not look at the rest.
define internal void @on_signal(i32 %number, ptr %information, ptr %place) {
  %word = atomicrmw or ptr @pellucid_signals, i32 HEARD seq_cst
  %before = load ptr, ptr @before
  call void %before(i32 %number, ptr %information, ptr %place)
  ret void
}

define internal i1 @on_main_thread() {
  %self = call i64 @pthread_self()
  %main = load i64, ptr @main_thread
  %same = icmp eq i64 %self, %main
  ret i1 %same
}

; Whether machine code has to leave; called where the word is not 0.
define i64 @pellucid_look(ptr %context) {
entry:
  %first = load i64, ptr @first_looks
  %next = add i64 %first, 1
  store i64 %next, ptr @first_looks
  %early = icmp ult i64 %first, FIRST_LOOKS
  br i1 %early, label %no, label %who
who:
  %guarded.place = getelementptr i64, ptr %context, i64 GUARDED
  %guarded = load i64, ptr %guarded.place
  %is_guarded = icmp ne i64 %guarded, 0
  br i1 %is_guarded, label %read, label %no
read:
  %word = load atomic i32, ptr @pellucid_signals seq_cst, align 4
  %leave = and i32 %word, LEAVE
  %leaves = icmp ne i32 %leave, 0
  br i1 %leaves, label %yes, label %whose
whose:
  %mine = call i1 @on_main_thread()
  br i1 %mine, label %how, label %no
how:
  %bit = and i32 %word, UNARMED
  %is_unarmed = icmp ne i32 %bit, 0
  br i1 %is_unarmed, label %measure, label %ask
measure:
  %long = call i1 @takes_long()
  br i1 %long, label %change, label %no
change:
  call void @arm()
  br label %ask
ask:
  %heard = atomicrmw and ptr @pellucid_signals, i32 LEAVE seq_cst
  %state = call i32 @PyGILState_Ensure()
  %raised = call i32 @PyErr_CheckSignals()
  %is_raised = icmp ne i32 %raised, 0
  br i1 %is_raised, label %keep, label %release
keep:
  %value = getelementptr ptr, ptr @error, i64 1
  %traceback = getelementptr ptr, ptr @error, i64 2
  call void @PyErr_Fetch(ptr @error, ptr %value, ptr %traceback)
  %told = atomicrmw or ptr @pellucid_signals, i32 LEAVE seq_cst
  br label %release
release:
  call void @PyGILState_Release(i32 %state)
  br i1 %is_raised, label %yes, label %no
yes:
  ret i64 1
no:
  ret i64 0
}

; Raise the exception that waits, if there is one.  The caller holds the GIL.
define void @pellucid_raise_interrupt() {
entry:
  %type = load ptr, ptr @error
  %none = icmp eq ptr %type, null
  br i1 %none, label %done, label %restore
restore:
  %value.place = getelementptr ptr, ptr @error, i64 1
  %traceback.place = getelementptr ptr, ptr @error, i64 2
  %value = load ptr, ptr %value.place
  %traceback = load ptr, ptr %traceback.place
  store ptr null, ptr @error
  store ptr null, ptr %value.place
  store ptr null, ptr %traceback.place
  call void @PyErr_Restore(ptr %type, ptr %value, ptr %traceback)
  br label %done
done:
  ret void
}

; Ours in the place of a handler, if there is one: false where the signal is ignored or ends the process, and where ours
; is there already, as in a call that a handler makes.
define internal i1 @install() {
entry:
  %asked = call i32 @sigaction(i32 SIGINT, ptr null, ptr @old)
  %handler = load ptr, ptr @old
  %number = ptrtoint ptr %handler to i64
  %none = icmp ule i64 %number, 1
  %ours = icmp eq ptr %handler, @on_signal
  %leave_it = or i1 %none, %ours
  br i1 %leave_it, label %no, label %yes
yes:
  call void @llvm.memcpy.p0.p0.i64(ptr @new, ptr @old, i64 ACTION_BYTES, i1 false)
  store ptr @on_signal, ptr @new
  store ptr %handler, ptr @before
  %set = call i32 @sigaction(i32 SIGINT, ptr @new, ptr null)
  %good = icmp eq i32 %set, 0
  ret i1 %good
no:
  ret i1 false
}

; What was there before, unless somebody has put another handler in the place of ours meanwhile.
define internal void @restore() {
entry:
  %set = call i32 @sigaction(i32 SIGINT, ptr @old, ptr @found)
  %handler = load ptr, ptr @found
  %ours = icmp eq ptr %handler, @on_signal
  br i1 %ours, label %done, label %back
back:
  %again = call i32 @sigaction(i32 SIGINT, ptr @found, ptr null)
  br label %done
done:
  ret void
}

; The status of a call; -1 where it had an end of its own, but a handler has raised meanwhile.
define i64 @pellucid_guarded(ptr %code, ptr %slots) {
entry:
  %mine = call i1 @on_main_thread()
  br i1 %mine, label %guard, label %plain
plain:
  %plain_status = call i64 %code(ptr %slots)
  ret i64 %plain_status
guard:
  %guarded.place = getelementptr i64, ptr %slots, i64 GUARDED
  store i64 1, ptr %guarded.place
  %depth = load i64, ptr @depth
  %deeper = add i64 %depth, 1
  store i64 %deeper, ptr @depth
  %outer = icmp eq i64 %depth, 0
  br i1 %outer, label %begin, label %run
begin:
  store i64 0, ptr @first_looks
  store i64 0, ptr @looks
  store atomic i32 UNARMED, ptr @pellucid_signals monotonic, align 4
  br label %run
run:
  %status = call i64 %code(ptr %slots)
  store i64 %depth, ptr @depth
  br i1 %outer, label %end, label %look
end:
  %installed = load i1, ptr @installed
  br i1 %installed, label %put_back, label %look
put_back:
  store i1 false, ptr @installed
  call void @restore()
  br label %look
look:
  %word = load atomic i32, ptr @pellucid_signals monotonic, align 4
  store atomic i32 0, ptr @pellucid_signals monotonic, align 4
  %leave = and i32 %word, LEAVE
  %left = icmp ne i32 %leave, 0
  %good = icmp eq i64 %status, 0
  %late = and i1 %left, %good
  %answer = select i1 %late, i64 -1, i64 %status
  ret i64 %answer
}
"""


def text(guarded: int) -> str:
    """The module; `guarded` is the slot of the context that tells calls which may be stopped."""
    numbers = {
        "ACTION_BYTES": ACTION_BYTES, "SIGINT": SIGINT, "HEARD": HEARD, "LEAVE": LEAVE, "UNARMED": UNARMED,
        "GUARDED": guarded, "FIRST_LOOKS": FIRST_LOOKS, "FIRST_TIME": FIRST_TIME, "LONG_CALL": LONG_CALL,
    }  # fmt: skip
    return re.sub(r"\b[A-Z]{2}[A-Z_]+\b", lambda word: str(numbers.get(word[0], word[0])), TEXT)

"""Ctrl-C while machine code runs, in LLVM's words: who hears of it, who asks Python what to do, and how the call ends.

    text()    ->    the module that `interrupts.py` loads and describes

A call of the main thread that may take long is guarded: meanwhile the handler of SIGINT is ours, which sets a bit of
`pellucid_signals` and goes on to the handler that was there, Python's.  Compiled loops look at that word, and call
`pellucid_look` where it is not 0.  On the main thread it lets Python's handler run; if that raises, a second bit asks
every thread that works for the call to leave.  The exception waits until the call has ended.
"""

from __future__ import annotations

SIGINT = 2
HEARD, LEAVE = 1, 2  # bits of the word
ACTION_BYTES = 256  # a `struct sigaction`, with room to spare; the handler stands at its start on every system we know

TEXT = """
@pellucid_signals = global i32 0, align 64
@main_thread = internal global i64 0
@before = internal global ptr null
@old = internal global [ACTION_BYTES x i8] zeroinitializer, align 16
@new = internal global [ACTION_BYTES x i8] zeroinitializer, align 16
@found = internal global [ACTION_BYTES x i8] zeroinitializer, align 16
@error = internal global [3 x ptr] zeroinitializer

declare i64 @pthread_self()
declare i32 @sigaction(i32, ptr, ptr)
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare i32 @PyErr_CheckSignals()
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_Restore(ptr, ptr, ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @pellucid_set_main_thread(i64 %thread) {
  store i64 %thread, ptr @main_thread
  store atomic i32 0, ptr @pellucid_signals seq_cst, align 4
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
  br i1 %mine, label %ask, label %no
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
  %installed = call i1 @install()
  %status = call i64 %code(ptr %slots)
  br i1 %installed, label %put_back, label %look
put_back:
  call void @restore()
  br label %look
look:
  %word = atomicrmw and ptr @pellucid_signals, i32 0 seq_cst
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
    numbers = {"ACTION_BYTES": ACTION_BYTES, "SIGINT": SIGINT, "HEARD": HEARD, "LEAVE": LEAVE, "GUARDED": guarded}
    found = TEXT
    for name, number in numbers.items():
        found = found.replace(f" {name}", f" {number}").replace(f"[{name}", f"[{number}")
    return found

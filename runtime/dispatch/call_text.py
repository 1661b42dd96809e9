"""Native dispatch: one call of a compiled function, from the interpreter to machine code and back.

    f(x, b=2.0)   ->   bind to parameters, scan, find the plan for the key, ask its guards, run it, give the result

CPython calls `pellucid_call` by the vectorcall protocol.  Where anything is unusual (a key not met before, a value
not understood, a wrong argument, something outside that has changed) nothing has happened yet, and the general path in
Python is called instead.
`pellucid_describe` is the same reading of arguments without the call: it tells Python the key to store.

The GIL is released where the work may be long: a plan says for how many elements of arguments that is.  Where the
stack of a thread ends is looked up once per thread (thread states have numbers that are never used again).
"""

PREPARE = """
; the scan, bound arguments, key, objects, arrays kept, slots
%Work = type { %Scan, [PARAMETERS x ptr], [KEYS_ROOM x i64], [OBJECTS_ROOM x ptr], [KEPT_ROOM x ptr],
  [SLOTS_ROOM x i64] }

; more of the stack than a page: each is touched in turn, so that no guard is stepped over
attributes #0 = { "probe-stack"="inline-asm" }

@floors = internal global [64 x [2 x i64]] zeroinitializer

declare ptr @PyObject_CallNoArgs(ptr)
declare i64 @PyLong_AsLongLong(ptr)
declare void @PyErr_SetObject(ptr, ptr)
declare i64 @pellucid_guarded(ptr, ptr)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare ptr @PyThreadState_Get()
declare i64 @PyThreadState_GetID(ptr)
declare i32 @Py_GetRecursionLimit()
declare i64 @llvm.smax.i64(i64, i64)

define internal i1 @prepare(ptr %work, ptr %state, ptr %args, i64 %given, ptr %names) {
entry:
  %bound = getelementptr %Work, ptr %work, i64 0, i32 1
  %keys = getelementptr %Work, ptr %work, i64 0, i32 2
  %objects = getelementptr %Work, ptr %work, i64 0, i32 3
  %kept = getelementptr %Work, ptr %work, i64 0, i32 4
  %slots = getelementptr %Work, ptr %work, i64 0, i32 5
  %arguments = getelementptr i64, ptr %slots, i64 CONTEXT_SLOTS
  %keys_end = getelementptr i64, ptr %keys, i64 KEYS
  %objects_end = getelementptr ptr, ptr %objects, i64 OBJECTS
  %kept_end = getelementptr ptr, ptr %kept, i64 KEPT
  %slots_end = getelementptr i64, ptr %slots, i64 SLOTS
  %s0 = getelementptr %Scan, ptr %work, i64 0, i32 0
  store ptr %keys, ptr %s0
  %s1 = getelementptr %Scan, ptr %work, i64 0, i32 1
  store ptr %arguments, ptr %s1
  %s2 = getelementptr %Scan, ptr %work, i64 0, i32 2
  store ptr %objects, ptr %s2
  %s3 = getelementptr %Scan, ptr %work, i64 0, i32 3
  store ptr %kept, ptr %s3
  %s4 = getelementptr %Scan, ptr %work, i64 0, i32 4
  store ptr %keys_end, ptr %s4
  %s5 = getelementptr %Scan, ptr %work, i64 0, i32 5
  store ptr %slots_end, ptr %s5
  %s6 = getelementptr %Scan, ptr %work, i64 0, i32 6
  store ptr %objects_end, ptr %s6
  %s7 = getelementptr %Scan, ptr %work, i64 0, i32 7
  store ptr %kept_end, ptr %s7
  %s8 = getelementptr %Scan, ptr %work, i64 0, i32 8
  store i64 0, ptr %s8
  %s9 = getelementptr %Scan, ptr %work, i64 0, i32 9
  store ptr %state, ptr %s9
  %s10 = getelementptr %Scan, ptr %work, i64 0, i32 10
  store i64 0, ptr %s10
  %fits = call i1 @bind(ptr %state, ptr %args, i64 %given, ptr %names, ptr %bound)
  br i1 %fits, label %take, label %no
take:
  %fine = call i1 @scan_all(ptr %work, ptr %state, ptr %bound, ptr %args, i64 %given)
  ret i1 %fine
no:
  ret i1 false
}

define internal i64 @words_between(ptr %start, ptr %end) alwaysinline {
  %first = ptrtoint ptr %start to i64
  %last = ptrtoint ptr %end to i64
  %bytes = sub i64 %last, %first
  %words = ashr i64 %bytes, 3
  ret i64 %words
}

define internal void @release_all(ptr %objects, ptr %end) {
entry:
  br label %head
head:
  %place = phi ptr [ %objects, %entry ], [ %next, %body ]
  %done = icmp eq ptr %place, %end
  br i1 %done, label %exit, label %body
body:
  %object = load ptr, ptr %place
  call void @Py_DecRef(ptr %object)
  %next = getelementptr ptr, ptr %place, i64 1
  br label %head
exit:
  ret void
}

define internal void @release_kept(ptr %work) {
  %kept = getelementptr %Work, ptr %work, i64 0, i32 4
  %kept_end = field ptr, ptr %work, 3
  call void @release_all(ptr %kept, ptr %kept_end)
  ret void
}

define internal void @release_objects(ptr %work) {
  %objects = getelementptr %Work, ptr %work, i64 0, i32 3
  %object_end = field ptr, ptr %work, 2
  call void @release_all(ptr %objects, ptr %object_end)
  ret void
}

; The key of a call into two arrays: how many words, and how many objects times 2**32; -1 where there is none.
; The objects come with a reference each.
define i64 @pellucid_describe(ptr %state, ptr %args, i64 %given, ptr %names, ptr %keys_out, ptr %objects_out) #0 {
entry:
  %work = alloca %Work, align 64
  %fine = call i1 @prepare(ptr %work, ptr %state, ptr %args, i64 %given, ptr %names)
  call void @release_kept(ptr %work)
  br i1 %fine, label %copy, label %none
copy:
  %keys = getelementptr %Work, ptr %work, i64 0, i32 2
  %objects = getelementptr %Work, ptr %work, i64 0, i32 3
  %key_end = field ptr, ptr %work, 0
  %object_end = field ptr, ptr %work, 2
  %key_count = call i64 @words_between(ptr %keys, ptr %key_end)
  %object_count = call i64 @words_between(ptr %objects, ptr %object_end)
  %key_bytes = shl i64 %key_count, 3
  %object_bytes = shl i64 %object_count, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %keys_out, ptr %keys, i64 %key_bytes, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %objects_out, ptr %objects, i64 %object_bytes, i1 false)
  %high = shl i64 %object_count, 32
  %both = or i64 %high, %key_count
  ret i64 %both
none:
  call void @release_objects(ptr %work)
  ret i64 -1
}
"""

RUN = """
; Where the stack of this thread ends, for the context; false after an error.
define internal i1 @set_limits(ptr %slots) {
entry:
  %limit = call i32 @Py_GetRecursionLimit()
  %wide = sext i32 %limit to i64
  %depth = call i64 @llvm.smax.i64(i64 %wide, i64 LEAST_DEPTH)
  %depth.place = getelementptr i64, ptr %slots, i64 DEPTH_LIMIT
  store i64 %depth, ptr %depth.place
  %thread = call ptr @PyThreadState_Get()
  %number = call i64 @PyThreadState_GetID(ptr %thread)
  %index = and i64 %number, 63
  %known = getelementptr [64 x [2 x i64]], ptr @floors, i64 0, i64 %index
  %known_number = field i64, ptr %known, 0
  %known_floor = field i64, ptr %known, 1
  %tag = add i64 %number, 1
  %same = icmp eq i64 %known_number, %tag
  br i1 %same, label %set, label %ask
ask:
  %find = load ptr, ptr @find_floor
  %answer = call ptr @PyObject_CallNoArgs(ptr %find)
  %failed = icmp eq ptr %answer, null
  br i1 %failed, label %no, label %keep
keep:
  %new_floor = call i64 @PyLong_AsLongLong(ptr %answer)
  call void @Py_DecRef(ptr %answer)
  store i64 %tag, ptr %known_number.place
  store i64 %new_floor, ptr %known_floor.place
  br label %set
set:
  %floor = phi i64 [ %known_floor, %entry ], [ %new_floor, %keep ]
  %floor.place = getelementptr i64, ptr %slots, i64 STACK_LIMIT
  store i64 %floor, ptr %floor.place
  ret i1 true
no:
  ret i1 false
}

define internal i64 @execute(ptr %plan, ptr %slots, i64 %elements) {
entry:
  %code = field ptr, ptr %plan, PLAN_CODE
  %limit = field i64, ptr %plan, PLAN_GIL_LIMIT
  %long = icmp uge i64 %elements, %limit
  br i1 %long, label %without_lock, label %with_lock
with_lock:
  %quick_status = call i64 %code(ptr %slots)
  ret i64 %quick_status
without_lock:
  %thread = call ptr @PyEval_SaveThread()
  %status = call i64 @pellucid_guarded(ptr %code, ptr %slots)
  call void @PyEval_RestoreThread(ptr %thread)
  ret i64 %status
}

; Raise what an error site says, with the values and calls that the context holds.
define internal void @raise(ptr %plan, i64 %status, ptr %slots) {
entry:
  %arguments = alloca [2 x ptr]
  %site = sub i64 %status, 1
  %number = call ptr @PyLong_FromLongLong(i64 %site)
  %no_number = icmp eq ptr %number, null
  br i1 %no_number, label %done, label %second
second:
  %address = call ptr @PyLong_FromVoidPtr(ptr %slots)
  %no_address = icmp eq ptr %address, null
  br i1 %no_address, label %drop_number, label %make
make:
  %address.place = getelementptr ptr, ptr %arguments, i64 1
  store ptr %number, ptr %arguments
  store ptr %address, ptr %address.place
  %fail = field ptr, ptr %plan, PLAN_FAIL
  %error = call ptr @PyObject_Vectorcall(ptr %fail, ptr %arguments, i64 2, ptr null)
  call void @Py_DecRef(ptr %address)
  %failed = icmp eq ptr %error, null
  br i1 %failed, label %drop_number, label %set
set:
  %type = call ptr @type_of(ptr %error)
  call void @PyErr_SetObject(ptr %type, ptr %error)
  call void @Py_DecRef(ptr %error)
  br label %drop_number
drop_number:
  call void @Py_DecRef(ptr %number)
  br label %done
done:
  ret void
}

; A plan is kept for the call, and all that it refers to with it: another thread may put another in its place meanwhile.
define internal void @keep_plan(ptr %plan, ptr %work) alwaysinline {
  %owner = field ptr, ptr %plan, PLAN_OWNER
  call void @push_kept(ptr %work, ptr %owner)
  ret void
}

; Arrays from outside are arguments that the plan has.
define internal void @add_hidden(ptr %plan, ptr %work) alwaysinline {
entry:
  %count = field i64, ptr %plan, PLAN_HIDDEN_COUNT
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %add
add:
  %place = field ptr, ptr %work, 1
  %hidden = field ptr, ptr %plan, PLAN_HIDDEN
  %bytes = shl i64 %count, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %place, ptr %hidden, i64 %bytes, i1 false)
  br label %done
done:
  ret void
}

define internal ptr @run(ptr %plan, ptr %work) {
entry:
  %slots = getelementptr %Work, ptr %work, i64 0, i32 5
  %elements = field i64, ptr %work, 8
  call void @llvm.memset.p0.i64(ptr %slots, i8 0, i64 CONTEXT_BYTES, i1 false)
  call void @add_hidden(ptr %plan, ptr %work)
  %limited = call i1 @set_limits(ptr %slots)
  br i1 %limited, label %ready, label %none
ready:
  %status = call i64 @execute(ptr %plan, ptr %slots, i64 %elements)
  %failed = icmp ne i64 %status, 0
  br i1 %failed, label %error, label %good
error:
  call void @raise(ptr %plan, i64 %status, ptr %slots)
  br label %none
good:
  %made = call ptr @give(ptr %plan, ptr %slots)
  ret ptr %made
none:
  ret ptr null
}

; The general path: the same call of a Python function, with the compiled function before the arguments.
define internal ptr @call_general(ptr %self, ptr %args, i64 %given, ptr %names) noinline {
entry:
  %plain = icmp eq ptr %names, null
  br i1 %plain, label %pass, label %count
count:
  %keywords = call i64 @PyTuple_Size(ptr %names)
  br label %pass
pass:
  %more = phi i64 [ 0, %entry ], [ %keywords, %count ]
  %values = add i64 %given, %more
  %total = add i64 %values, 1
  %room = alloca ptr, i64 %total
  store ptr %self, ptr %room
  %rest = getelementptr ptr, ptr %room, i64 1
  %bytes = shl i64 %values, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %rest, ptr %args, i64 %bytes, i1 false)
  %general_function = load ptr, ptr @general
  %all = add i64 %given, 1
  %result = call ptr @PyObject_Vectorcall(ptr %general_function, ptr %room, i64 %all, ptr %names)
  ret ptr %result
}

define internal ptr @call_native(ptr %state, ptr %args, i64 %given, ptr %names, ptr %understood) noinline #0 {
entry:
  %work = alloca %Work, align 64
  %fine = call i1 @prepare(ptr %work, ptr %state, ptr %args, i64 %given, ptr %names)
  br i1 %fine, label %look, label %unknown
look:
  %keys = getelementptr %Work, ptr %work, i64 0, i32 2
  %objects = getelementptr %Work, ptr %work, i64 0, i32 3
  %key_end = field ptr, ptr %work, 0
  %object_end = field ptr, ptr %work, 2
  %key_count = call i64 @words_between(ptr %keys, ptr %key_end)
  %object_count = call i64 @words_between(ptr %objects, ptr %object_end)
  %plan = call ptr @plan_for(ptr %state, ptr %keys, i64 %key_count, ptr %objects, i64 %object_count)
  %new = icmp eq ptr %plan, null
  br i1 %new, label %unknown, label %ask
ask:
  call void @keep_plan(ptr %plan, ptr %work)
  %fresh = call i1 @holds(ptr %plan)
  br i1 %fresh, label %known, label %unknown
known:
  store i1 true, ptr %understood
  %result = call ptr @run(ptr %plan, ptr %work)
  call void @release_kept(ptr %work)
  call void @release_objects(ptr %work)
  ret ptr %result
unknown:
  call void @release_kept(ptr %work)
  call void @release_objects(ptr %work)
  store i1 false, ptr %understood
  ret ptr null
}

; The vectorcall of a compiled function: its state stands behind the address of this function in the object.
define ptr @pellucid_call(ptr %self, ptr %args, i64 %flags, ptr %names) {
entry:
  %understood = alloca i1
  %given = and i64 %flags, 9223372036854775807
  %state = field ptr, ptr %self, 3
  %result = call ptr @call_native(ptr %state, ptr %args, i64 %given, ptr %names, ptr %understood)
  %done = load i1, ptr %understood
  br i1 %done, label %exit, label %general
general:
  %other = call ptr @call_general(ptr %self, ptr %args, i64 %given, ptr %names)
  ret ptr %other
exit:
  ret ptr %result
}
"""

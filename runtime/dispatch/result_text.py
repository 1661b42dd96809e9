"""Native dispatch, second half: what machine code left in the slots, as Python objects.

    slots owner, data, 3, 1    ->    Array around a read-only ndarray, whose base gives the buffer back to the pool
    slot 3.5                   ->    float, or a NumPy scalar where the type is strong

A plan lists the leaves.  Memory of an argument is copied.
"""

RESULTS = """
declare ptr @PyFloat_FromDouble(double)
declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyLong_FromVoidPtr(ptr)
declare ptr @PyBool_FromLong(i64)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
declare ptr @PyList_New(i64)
declare i32 @PyList_SetItem(ptr, i64, ptr)
declare ptr @PyDict_New()
declare i32 @PyDict_SetItem(ptr, ptr, ptr)
declare ptr @PyCapsule_New(ptr, ptr, ptr)
declare ptr @PyCapsule_GetPointer(ptr, ptr)
declare ptr @PyType_GenericAlloc(ptr, i64)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare void @pellucid_release(ptr)

; The base of a result: it goes when the last view of the memory goes.
define internal void @let_go(ptr %capsule) {
  %owner = call ptr @PyCapsule_GetPointer(ptr %capsule, ptr null)
  call void @pellucid_release(ptr %owner)
  ret void
}

define internal ptr @strong_scalar(ptr %place, ptr %descr) {
  %make = load ptr, ptr @numpy_scalar
  %made = call ptr %make(ptr %place, ptr %descr, ptr null)
  ret ptr %made
}

define internal ptr @array_over(ptr %slots, i64 %rank, i64 %shift, ptr %descr) {
entry:
  %strides = alloca [RANK x i64]
  %data = field ptr, ptr %slots, 1
  %dims = getelementptr i64, ptr %slots, i64 2
  %steps = getelementptr i64, ptr %dims, i64 %rank
  br label %head
head:
  %axis = phi i64 [ 0, %entry ], [ %next, %body ]
  %done = icmp eq i64 %axis, %rank
  br i1 %done, label %make, label %body
body:
  %extent.place = getelementptr i64, ptr %dims, i64 %axis
  %extent = load i64, ptr %extent.place
  %step.place = getelementptr i64, ptr %steps, i64 %axis
  %step = load i64, ptr %step.place
  ; the step of an axis that takes none may be as wild as the slice it came from
  %moves = icmp sgt i64 %extent, 1
  %sane = select i1 %moves, i64 %step, i64 1
  %stride = shl i64 %sane, %shift
  %stride.place = getelementptr i64, ptr %strides, i64 %axis
  store i64 %stride, ptr %stride.place
  %next = add i64 %axis, 1
  br label %head
make:
  %new = load ptr, ptr @numpy_new
  %type = load ptr, ptr @ndarray_type
  %short_rank = trunc i64 %rank to i32
  call void @Py_IncRef(ptr %descr)
  %made = call ptr %new(ptr %type, ptr %descr, i32 %short_rank, ptr %dims, ptr %strides, ptr %data, i32 0, ptr null)
  ret ptr %made
}

; A copy in C order, read-only.
define internal ptr @read_only_copy(ptr %array) {
entry:
  %copy_function = load ptr, ptr @numpy_copy
  %copy = call ptr %copy_function(ptr %array, i32 0)
  call void @Py_DecRef(ptr %array)
  %failed = icmp eq ptr %copy, null
  br i1 %failed, label %none, label %protect
none:
  ret ptr null
protect:
  %flags.place = getelementptr i8, ptr %copy, i64 64
  %flags = load i32, ptr %flags.place
  %fewer = and i32 %flags, -1025
  store i32 %fewer, ptr %flags.place
  ret ptr %copy
}

; The array with the reference to its memory that the slots hold.
define internal ptr @owning(ptr %array, ptr %owner) {
entry:
  %capsule = call ptr @PyCapsule_New(ptr %owner, ptr null, ptr @let_go)
  %failed = icmp eq ptr %capsule, null
  br i1 %failed, label %give_back, label %attach
give_back:
  call void @pellucid_release(ptr %owner)
  br label %drop
attach:
  %set = load ptr, ptr @numpy_set_base
  %status = call i32 %set(ptr %array, ptr %capsule)
  %wrong = icmp ne i32 %status, 0
  br i1 %wrong, label %drop, label %fine
drop:
  call void @Py_DecRef(ptr %array)
  ret ptr null
fine:
  ret ptr %array
}

; An Array around an ndarray, whose reference it takes over.
define internal ptr @wrapped(ptr %array) {
entry:
  %type = load ptr, ptr @array_type
  %made = call ptr @PyType_GenericAlloc(ptr %type, i64 0)
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %none, label %fill
none:
  call void @Py_DecRef(ptr %array)
  ret ptr null
fill:
  %offset_address = load ptr, ptr @values_offset
  %offset = ptrtoint ptr %offset_address to i64
  %place = getelementptr i8, ptr %made, i64 %offset
  store ptr %array, ptr %place
  ret ptr %made
}

define internal ptr @array_result(ptr %slots, i64 %kind, ptr %descr) {
entry:
  %owner = load ptr, ptr %slots
  %rank_part = lshr i64 %kind, 8
  %rank = and i64 %rank_part, 255
  %shift = lshr i64 %kind, 16
  %array = call ptr @array_over(ptr %slots, i64 %rank, i64 %shift, ptr %descr)
  %failed = icmp eq ptr %array, null
  br i1 %failed, label %give_back, label %whose
give_back:
  call void @pellucid_release(ptr %owner)
  ret ptr null
whose:
  %borrowed = icmp eq ptr %owner, null
  br i1 %borrowed, label %copy, label %own
copy:
  %copied = call ptr @read_only_copy(ptr %array)
  br label %wrap
own:
  %owned = call ptr @owning(ptr %array, ptr %owner)
  br label %wrap
wrap:
  %held = phi ptr [ %copied, %copy ], [ %owned, %own ]
  %lost = icmp eq ptr %held, null
  br i1 %lost, label %none, label %give
none:
  ret ptr null
give:
  %made = call ptr @wrapped(ptr %held)
  ret ptr %made
}

define internal ptr @leaf(ptr %leaf, ptr %all_slots) {
entry:
  %kind = field i64, ptr %leaf, LEAF_KIND
  %position = field i64, ptr %leaf, LEAF_SLOT
  %operand = field ptr, ptr %leaf, LEAF_OPERAND
  %slots = getelementptr i64, ptr %all_slots, i64 %position
  %bits = load i64, ptr %slots
  %number = load double, ptr %slots
  %which = and i64 %kind, 255
  switch i64 %which, label %array [
    i64 GIVE_WEAK_FLOAT, label %weak_float
    i64 GIVE_WEAK_INT, label %weak_int
    i64 GIVE_WEAK_BOOL, label %weak_bool
    i64 GIVE_SCALAR, label %scalar
  ]
weak_float:
  %float = call ptr @PyFloat_FromDouble(double %number)
  ret ptr %float
weak_int:
  %int = call ptr @PyLong_FromLongLong(i64 %bits)
  ret ptr %int
weak_bool:
  %set = icmp ne i64 %bits, 0
  %wide_set = zext i1 %set to i64
  %bool = call ptr @PyBool_FromLong(i64 %wide_set)
  ret ptr %bool
scalar:
  %strong = call ptr @strong_scalar(ptr %slots, ptr %operand)
  ret ptr %strong
array:
  %array_made = call ptr @array_result(ptr %slots, i64 %kind, ptr %operand)
  ret ptr %array_made
}

; Give back the memory of a result that nobody will see, after an error in an earlier one.
define internal void @abandon(ptr %leaf, ptr %all_slots) {
entry:
  %kind = field i64, ptr %leaf, LEAF_KIND
  %which = and i64 %kind, 255
  %is_array = icmp eq i64 %which, GIVE_ARRAY
  br i1 %is_array, label %array, label %done
array:
  %position = field i64, ptr %leaf, LEAF_SLOT
  %slots = getelementptr i64, ptr %all_slots, i64 %position
  %memory = load ptr, ptr %slots
  call void @pellucid_release(ptr %memory)
  br label %done
done:
  ret void
}

define internal void @drop_all(ptr %objects, i64 %count) {
entry:
  br label %head
head:
  %position = phi i64 [ 0, %entry ], [ %next, %drop ]
  %done = icmp uge i64 %position, %count
  br i1 %done, label %exit, label %drop
drop:
  %place = getelementptr ptr, ptr %objects, i64 %position
  %object = load ptr, ptr %place
  call void @Py_DecRef(ptr %object)
  %next = add i64 %position, 1
  br label %head
exit:
  ret void
}

; All leaves as objects; null after an error, with nothing left to release.
define internal i1 @leaves(ptr %plan, ptr %slots, ptr %made) {
entry:
  %count = field i64, ptr %plan, PLAN_LEAF_COUNT
  %leaves = field ptr, ptr %plan, PLAN_LEAVES
  br label %head
head:
  %number = phi i64 [ 0, %entry ], [ %next, %good ]
  %done = icmp eq i64 %number, %count
  br i1 %done, label %yes, label %one
one:
  %offset = mul i64 %number, 3
  %leaf = getelementptr i64, ptr %leaves, i64 %offset
  %object = call ptr @leaf(ptr %leaf, ptr %slots)
  %next = add i64 %number, 1
  %failed = icmp eq ptr %object, null
  br i1 %failed, label %wrong, label %good
good:
  %place = getelementptr ptr, ptr %made, i64 %number
  store ptr %object, ptr %place
  br label %head
wrong:
  call void @drop_all(ptr %made, i64 %number)
  br label %rest
rest:
  %other = phi i64 [ %next, %wrong ], [ %next_other, %give_up ]
  %all = icmp eq i64 %other, %count
  br i1 %all, label %no, label %give_up
give_up:
  %other_offset = mul i64 %other, 3
  %other_leaf = getelementptr i64, ptr %leaves, i64 %other_offset
  call void @abandon(ptr %other_leaf, ptr %slots)
  %next_other = add i64 %other, 1
  br label %rest
yes:
  ret i1 true
no:
  ret i1 false
}
"""


"""Native dispatch: the record of a scan over arguments, and what it takes from a NumPy array.

    array(3, 1)   ->   key   ARRAY f64 2-d C "axis 1 is 1"      slots   data, 3, 1, -, -      kept   the array

Strides are written where the array is not C-contiguous.  What compiled code cannot read as it lies (a foreign byte
order, bad alignment, strides of half an element) is not understood, and the general path makes a copy.
"""

ARRAYS = """
; next key word, slot, object and array kept; where to stop; elements of all arrays, state of the function, depth
%Scan = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, ptr, i64 }

declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)
declare double @PyFloat_AsDouble(ptr)
declare i64 @PyTuple_Size(ptr)
declare ptr @PyTuple_GetItem(ptr, i64)
declare i64 @PyList_Size(ptr)
declare ptr @PyList_GetItem(ptr, i64)
declare i64 @PyDict_Size(ptr)
declare i32 @PyDict_Next(ptr, ptr, ptr, ptr)
declare ptr @PyObject_GetAttr(ptr, ptr)
declare void @PyErr_Clear()
declare i32 @PyUnicode_Compare(ptr, ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i64 @llvm.umin.i64(i64, i64)

define internal ptr @type_of(ptr %value) alwaysinline {
  %type = field ptr, ptr %value, 1
  ret ptr %type
}

define internal void @push(ptr %cursor, i64 %word) alwaysinline {
  %place = load ptr, ptr %cursor
  store i64 %word, ptr %place
  %next = getelementptr i64, ptr %place, i64 1
  store ptr %next, ptr %cursor
  ret void
}

define internal void @push_key(ptr %scan, i64 %word) alwaysinline {
  call void @push(ptr %scan, i64 %word)
  ret void
}

define internal void @push_slot(ptr %scan, i64 %word) alwaysinline {
  %cursor = getelementptr %Scan, ptr %scan, i64 0, i32 1
  call void @push(ptr %cursor, i64 %word)
  ret void
}

; Objects and arrays are held until the call is over: others may empty the containers that they came in.
define internal void @push_object(ptr %scan, ptr %object) alwaysinline {
  call void @Py_IncRef(ptr %object)
  %cursor = getelementptr %Scan, ptr %scan, i64 0, i32 2
  %word = ptrtoint ptr %object to i64
  call void @push(ptr %cursor, i64 %word)
  ret void
}

define internal void @push_kept(ptr %scan, ptr %object) alwaysinline {
  call void @Py_IncRef(ptr %object)
  %cursor = getelementptr %Scan, ptr %scan, i64 0, i32 3
  %word = ptrtoint ptr %object to i64
  call void @push(ptr %cursor, i64 %word)
  ret void
}

define internal i1 @has_room(ptr %scan) alwaysinline {
  %key = field ptr, ptr %scan, 0
  %slot = field ptr, ptr %scan, 1
  %object = field ptr, ptr %scan, 2
  %kept = field ptr, ptr %scan, 3
  %key_end = field ptr, ptr %scan, 4
  %slot_end = field ptr, ptr %scan, 5
  %object_end = field ptr, ptr %scan, 6
  %kept_end = field ptr, ptr %scan, 7
  %depth = field i64, ptr %scan, 10
  %key_fits = icmp ult ptr %key, %key_end
  %slot_fits = icmp ult ptr %slot, %slot_end
  %object_fits = icmp ult ptr %object, %object_end
  %kept_fits = icmp ult ptr %kept, %kept_end
  %not_deep = icmp ult i64 %depth, DEPTH
  %two = and i1 %key_fits, %slot_fits
  %three = and i1 %two, %object_fits
  %four = and i1 %three, %kept_fits
  %all = and i1 %four, %not_deep
  ret i1 %all
}

define internal void @deeper(ptr %scan, i64 %by) alwaysinline {
  %depth = field i64, ptr %scan, 10
  %new = add i64 %depth, %by
  store i64 %new, ptr %depth.place
  ret void
}

; A NumPy array of a dtype that we have, aligned, in native byte order, with strides of whole elements.
define internal i1 @scan_array(ptr %scan, ptr %array) {
entry:
  %data = field i64, ptr %array, 2
  %rank.place = getelementptr i8, ptr %array, i64 24
  %rank = load i32, ptr %rank.place
  %dims = field ptr, ptr %array, 4
  %strides = field ptr, ptr %array, 5
  %descr = field ptr, ptr %array, 7
  %flags.place = getelementptr i8, ptr %array, i64 64
  %flags = load i32, ptr %flags.place
  %order.place = getelementptr i8, ptr %descr, i64 26
  %order = load i8, ptr %order.place
  %number.place = getelementptr i8, ptr %descr, i64 28
  %number = load i32, ptr %number.place
  %plain = icmp ult i32 %number, 32
  %native = icmp ne i8 %order, 62
  %aligned_bit = and i32 %flags, 256
  %aligned = icmp ne i32 %aligned_bit, 0
  %flat = icmp ule i32 %rank, RANK
  %two = and i1 %plain, %native
  %three = and i1 %two, %aligned
  %usable = and i1 %three, %flat
  br i1 %usable, label %known, label %no
known:
  %codes = load ptr, ptr @dtype_codes
  %wide_number = zext i32 %number to i64
  %code.place = getelementptr i8, ptr %codes, i64 %wide_number
  %code = load i8, ptr %code.place
  %ours = icmp ne i8 %code, -1
  br i1 %ours, label %lengths, label %no
lengths:
  call void @push_kept(ptr %scan, ptr %array)
  call void @push_slot(ptr %scan, i64 %data)
  %count = zext i32 %rank to i64
  br label %length
length:
  %axis = phi i64 [ 0, %lengths ], [ %next_axis, %next_length ]
  %ones = phi i64 [ 0, %lengths ], [ %more_ones, %next_length ]
  %elements = phi i64 [ 1, %lengths ], [ %more_elements, %next_length ]
  %lengths_done = icmp eq i64 %axis, %count
  br i1 %lengths_done, label %layout, label %one_length
one_length:
  %extent.place = getelementptr i64, ptr %dims, i64 %axis
  %extent = load i64, ptr %extent.place
  %short = icmp ule i64 %extent, LENGTH_LIMIT
  br i1 %short, label %next_length, label %no
next_length:
  call void @push_slot(ptr %scan, i64 %extent)
  %is_one = icmp eq i64 %extent, 1
  %one = zext i1 %is_one to i64
  %bit = shl i64 %one, %axis
  %more_ones = or i64 %ones, %bit
  %more_elements = mul i64 %elements, %extent
  %next_axis = add i64 %axis, 1
  br label %length
layout:
  %contiguous = trunc i32 %flags to i1
  br i1 %contiguous, label %skip, label %steps
skip:
  %cursor = getelementptr %Scan, ptr %scan, i64 0, i32 1
  %slot = load ptr, ptr %cursor
  %behind = getelementptr i64, ptr %slot, i64 %count
  store ptr %behind, ptr %cursor
  br label %done
steps:
  %shifts = load ptr, ptr @dtype_shifts
  %shift.place = getelementptr i8, ptr %shifts, i64 %wide_number
  %shift_byte = load i8, ptr %shift.place
  %shift = zext i8 %shift_byte to i64
  br label %step
step:
  %step_axis = phi i64 [ 0, %steps ], [ %next_step_axis, %whole ]
  %steps_done = icmp eq i64 %step_axis, %count
  br i1 %steps_done, label %done, label %one_step
one_step:
  %stride.place = getelementptr i64, ptr %strides, i64 %step_axis
  %stride = load i64, ptr %stride.place
  %in_elements = ashr i64 %stride, %shift
  %again = shl i64 %in_elements, %shift
  %is_whole = icmp eq i64 %again, %stride
  br i1 %is_whole, label %whole, label %no
whole:
  call void @push_slot(ptr %scan, i64 %in_elements)
  %next_step_axis = add i64 %step_axis, 1
  br label %step
done:
  %seen = field i64, ptr %scan, 8
  %total = add i64 %seen, %elements
  store i64 %total, ptr %seen.place
  %layout_bit = zext i1 %contiguous to i64
  %wide_code = zext i8 %code to i64
  %ones_part = shl i64 %ones, 32
  %layout_part = shl i64 %layout_bit, 24
  %rank_part = shl i64 %count, 16
  %code_part = shl i64 %wide_code, 8
  %word1 = or i64 %ones_part, %layout_part
  %word2 = or i64 %word1, %rank_part
  %word3 = or i64 %word2, %code_part
  %word = or i64 %word3, TOKEN_ARRAY
  call void @push_key(ptr %scan, i64 %word)
  ret i1 true
no:
  ret i1 false
}
"""

"""Native dispatch: containers among the arguments.

    {"b": 1.0}   ->   key   DICT 1, FLOAT      slots   1.0      objects   "b"

Tuples, lists, dicts, NamedTuples and dataclasses are walked in the order of `from_python`.
"""

CONTAINERS = """
define internal i1 @scan_items(ptr %scan, ptr %items, i64 %count, ptr %get, i64 %token, i1 %static) {
entry:
  %counted = shl i64 %count, 8
  %word = or i64 %counted, %token
  call void @push_key(ptr %scan, i64 %word)
  call void @deeper(ptr %scan, i64 1)
  br label %head
head:
  %position = phi i64 [ 0, %entry ], [ %next, %good ]
  %done = icmp eq i64 %position, %count
  br i1 %done, label %yes, label %item
item:
  %value = call ptr %get(ptr %items, i64 %position)
  %gone = icmp eq ptr %value, null
  br i1 %gone, label %clear, label %scan_item
clear:
  call void @PyErr_Clear()
  ret i1 false
scan_item:
  %fine = call i1 @scan_value(ptr %scan, ptr %value, i1 %static)
  br i1 %fine, label %good, label %no
good:
  %next = add i64 %position, 1
  br label %head
yes:
  call void @deeper(ptr %scan, i64 -1)
  ret i1 true
no:
  ret i1 false
}

define internal i1 @scan_dict(ptr %scan, ptr %dict, i1 %static) {
entry:
  %position = alloca i64
  %key.place = alloca ptr
  %value.place = alloca ptr
  store i64 0, ptr %position
  %count = call i64 @PyDict_Size(ptr %dict)
  %counted = shl i64 %count, 8
  %word = or i64 %counted, TOKEN_DICT
  call void @push_key(ptr %scan, i64 %word)
  call void @deeper(ptr %scan, i64 1)
  br label %head
head:
  %found = call i32 @PyDict_Next(ptr %dict, ptr %position, ptr %key.place, ptr %value.place)
  %more = icmp ne i32 %found, 0
  br i1 %more, label %item, label %yes
item:
  %key = load ptr, ptr %key.place
  %value = load ptr, ptr %value.place
  call void @push_object(ptr %scan, ptr %key)
  %fine = call i1 @scan_value(ptr %scan, ptr %value, i1 %static)
  br i1 %fine, label %head, label %no
yes:
  call void @deeper(ptr %scan, i64 -1)
  ret i1 true
no:
  ret i1 false
}

; A NamedTuple or dataclass that the function has met: reading its fields runs no Python code.
define internal i1 @scan_record(ptr %scan, ptr %value, ptr %type, i1 %static) {
entry:
  %state = field ptr, ptr %scan, 9
  %block = field ptr, ptr %state, STATE_RECORDS
  %count = load i64, ptr %block
  %records = getelementptr i64, ptr %block, i64 1
  br label %search
search:
  %number = phi i64 [ 0, %entry ], [ %next_number, %other ]
  %none = icmp eq i64 %number, %count
  br i1 %none, label %no, label %compare
compare:
  %words = mul i64 %number, 3
  %record = getelementptr i64, ptr %records, i64 %words
  %class = field ptr, ptr %record, RECORD_CLASS
  %same = icmp eq ptr %class, %type
  br i1 %same, label %found, label %other
other:
  %next_number = add i64 %number, 1
  br label %search
found:
  %kind = field i64, ptr %record, RECORD_KIND
  %fields = field ptr, ptr %record, RECORD_FIELDS
  %field_count = call i64 @PyTuple_Size(ptr %fields)
  call void @push_object(ptr %scan, ptr %type)
  %is_tuple = icmp eq i64 %kind, RECORD_TUPLE
  br i1 %is_tuple, label %tuple, label %attributes
tuple:
  %size = call i64 @PyTuple_Size(ptr %value)
  %right = icmp eq i64 %size, %field_count
  br i1 %right, label %items, label %no
items:
  %items_fine = call i1 @scan_items(ptr %scan, ptr %value, i64 %size, ptr @PyTuple_GetItem,
    i64 TOKEN_RECORD, i1 %static)
  ret i1 %items_fine
attributes:
  call void @push_key(ptr %scan, i64 TOKEN_RECORD)
  call void @deeper(ptr %scan, i64 1)
  br label %head
head:
  %position = phi i64 [ 0, %attributes ], [ %next, %good ]
  %done = icmp eq i64 %position, %field_count
  br i1 %done, label %yes, label %attribute
attribute:
  %name = call ptr @PyTuple_GetItem(ptr %fields, i64 %position)
  %part = call ptr @PyObject_GetAttr(ptr %value, ptr %name)
  %missing = icmp eq ptr %part, null
  br i1 %missing, label %clear, label %scan_part
clear:
  call void @PyErr_Clear()
  ret i1 false
scan_part:
  %fine = call i1 @scan_value(ptr %scan, ptr %part, i1 %static)
  call void @Py_DecRef(ptr %part)
  br i1 %fine, label %good, label %no
good:
  %next = add i64 %position, 1
  br label %head
yes:
  call void @deeper(ptr %scan, i64 -1)
  ret i1 true
no:
  ret i1 false
}
"""

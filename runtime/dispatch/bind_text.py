"""Native dispatch: arguments to parameters, as `inspect.Signature.bind` does it.

    f(x, b=2.0)   ->   x, 2.0, default of c

Where Python would raise a TypeError the answer is false, and the general path raises it.
"""

BIND = """
; The parameter that a keyword names; -1 where there is none.
define internal i64 @parameter_named(ptr %state, ptr %name) {
entry:
  %count = field i64, ptr %state, STATE_COUNT
  %parameters = field ptr, ptr %state, STATE_PARAMETERS
  br label %identical
identical:
  %number = phi i64 [ 0, %entry ], [ %next, %differs ]
  %done = icmp eq i64 %number, %count
  br i1 %done, label %equal, label %compare
compare:
  %offset = mul i64 %number, 3
  %parameter = getelementptr i64, ptr %parameters, i64 %offset
  %known = field ptr, ptr %parameter, PARAMETER_NAME
  %same = icmp eq ptr %known, %name
  br i1 %same, label %found, label %differs
differs:
  %next = add i64 %number, 1
  br label %identical
equal:
  %other = phi i64 [ 0, %identical ], [ %next_other, %differs_too ]
  %all = icmp eq i64 %other, %count
  br i1 %all, label %none, label %is_named
is_named:
  %other_offset = mul i64 %other, 3
  %other_parameter = getelementptr i64, ptr %parameters, i64 %other_offset
  %other_known = field ptr, ptr %other_parameter, PARAMETER_NAME
  %nameless = icmp eq ptr %other_known, null
  br i1 %nameless, label %differs_too, label %compare_text
compare_text:
  %order = call i32 @PyUnicode_Compare(ptr %other_known, ptr %name)
  %alike = icmp eq i32 %order, 0
  br i1 %alike, label %found_equal, label %differs_too
differs_too:
  %next_other = add i64 %other, 1
  br label %equal
found:
  ret i64 %number
found_equal:
  ret i64 %other
none:
  ret i64 -1
}

define internal i1 @bind_keywords(ptr %state, ptr %given, ptr %names, ptr %bound) {
entry:
  %count = call i64 @PyTuple_Size(ptr %names)
  br label %head
head:
  %number = phi i64 [ 0, %entry ], [ %next, %set ]
  %done = icmp eq i64 %number, %count
  br i1 %done, label %yes, label %one
one:
  %name = call ptr @PyTuple_GetItem(ptr %names, i64 %number)
  %position = call i64 @parameter_named(ptr %state, ptr %name)
  %unknown = icmp slt i64 %position, 0
  br i1 %unknown, label %no, label %place
place:
  %bound.place = getelementptr ptr, ptr %bound, i64 %position
  %already = load ptr, ptr %bound.place
  %free = icmp eq ptr %already, null
  br i1 %free, label %set, label %no
set:
  %value.place = getelementptr ptr, ptr %given, i64 %number
  %value = load ptr, ptr %value.place
  store ptr %value, ptr %bound.place
  %next = add i64 %number, 1
  br label %head
yes:
  ret i1 true
no:
  ret i1 false
}

define internal i1 @bind_defaults(ptr %state, ptr %bound) {
entry:
  %count = field i64, ptr %state, STATE_COUNT
  %parameters = field ptr, ptr %state, STATE_PARAMETERS
  br label %head
head:
  %number = phi i64 [ 0, %entry ], [ %next, %good ]
  %done = icmp eq i64 %number, %count
  br i1 %done, label %yes, label %one
one:
  %next = add i64 %number, 1
  %place = getelementptr ptr, ptr %bound, i64 %number
  %value = load ptr, ptr %place
  %given = icmp ne ptr %value, null
  br i1 %given, label %good, label %absent
absent:
  %offset = mul i64 %number, 3
  %parameter = getelementptr i64, ptr %parameters, i64 %offset
  %default = field ptr, ptr %parameter, PARAMETER_DEFAULT
  store ptr %default, ptr %place
  %missing = icmp eq ptr %default, null
  br i1 %missing, label %no, label %good
good:
  br label %head
yes:
  ret i1 true
no:
  ret i1 false
}

; Arguments by parameter; false where Python would raise a TypeError.
define internal i1 @bind(ptr %state, ptr %args, i64 %given, ptr %names, ptr %bound) {
entry:
  %count = field i64, ptr %state, STATE_COUNT
  %positional = field i64, ptr %state, STATE_POSITIONAL
  %extra = field i64, ptr %state, STATE_EXTRA
  %too_many = icmp ugt i64 %given, %positional
  %strict = icmp eq i64 %extra, 0
  %refused = and i1 %too_many, %strict
  br i1 %refused, label %no, label %place
place:
  %placed = call i64 @llvm.umin.i64(i64 %given, i64 %positional)
  %bytes = shl i64 %placed, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %bound, ptr %args, i64 %bytes, i1 false)
  %plain = icmp eq ptr %names, null
  %all = icmp eq i64 %placed, %count
  %simple = and i1 %plain, %all
  br i1 %simple, label %yes, label %rest
rest:
  %left = sub i64 %count, %placed
  %left_bytes = shl i64 %left, 3
  %behind = getelementptr ptr, ptr %bound, i64 %placed
  call void @llvm.memset.p0.i64(ptr %behind, i8 0, i64 %left_bytes, i1 false)
  br i1 %plain, label %defaults, label %keywords
keywords:
  %values = getelementptr ptr, ptr %args, i64 %given
  %fine = call i1 @bind_keywords(ptr %state, ptr %values, ptr %names, ptr %bound)
  br i1 %fine, label %defaults, label %no
defaults:
  %whole = call i1 @bind_defaults(ptr %state, ptr %bound)
  ret i1 %whole
yes:
  ret i1 true
no:
  ret i1 false
}

define internal ptr @argument_at(ptr %args, i64 %position) {
  %place = getelementptr ptr, ptr %args, i64 %position
  %value = load ptr, ptr %place
  ret ptr %value
}

; What `*args` takes, as the tuple that it is.
define internal i1 @scan_extra(ptr %scan, ptr %state, ptr %args, i64 %given, i1 %static) {
entry:
  %positional = field i64, ptr %state, STATE_POSITIONAL
  %some = icmp ugt i64 %given, %positional
  %more = sub i64 %given, %positional
  %count = select i1 %some, i64 %more, i64 0
  %rest = getelementptr ptr, ptr %args, i64 %positional
  %fine = call i1 @scan_items(ptr %scan, ptr %rest, i64 %count, ptr @argument_at, i64 TOKEN_TUPLE, i1 %static)
  ret i1 %fine
}

define internal i1 @scan_all(ptr %scan, ptr %state, ptr %bound, ptr %args, i64 %given) {
entry:
  %count = field i64, ptr %state, STATE_COUNT
  %parameters = field ptr, ptr %state, STATE_PARAMETERS
  br label %head
head:
  %number = phi i64 [ 0, %entry ], [ %next, %good ]
  %done = icmp eq i64 %number, %count
  br i1 %done, label %yes, label %one
one:
  %next = add i64 %number, 1
  %offset = mul i64 %number, 3
  %parameter = getelementptr i64, ptr %parameters, i64 %offset
  %flags = field i64, ptr %parameter, PARAMETER_FLAGS
  %static_bit = and i64 %flags, FLAG_STATIC
  %static = icmp ne i64 %static_bit, 0
  %extra_bit = and i64 %flags, FLAG_EXTRA
  %is_extra = icmp ne i64 %extra_bit, 0
  br i1 %is_extra, label %extra, label %usual
extra:
  %extra_fine = call i1 @scan_extra(ptr %scan, ptr %state, ptr %args, i64 %given, i1 %static)
  br i1 %extra_fine, label %good, label %no
usual:
  %value.place = getelementptr ptr, ptr %bound, i64 %number
  %value = load ptr, ptr %value.place
  %fine = call i1 @scan_value(ptr %scan, ptr %value, i1 %static)
  br i1 %fine, label %good, label %no
good:
  br label %head
yes:
  ret i1 true
no:
  ret i1 false
}
"""


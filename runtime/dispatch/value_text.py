"""Native dispatch: one argument, by its type.

    f(array(3, 1), {"b": 1.0}, n=2)   ->   key   ARRAY f64 2-d C "axis 1 is 1", DICT 1, FLOAT, INT
                                           slots data, 3, 1, -, -, 1.0, 2       objects "b"

The key says what `pellucid/flatten.py` says of the arguments, never less; what is not understood here makes
`scan_value` answer false, and the call goes the general way.
"""

from ..dtypes import REAL

# The types of leaves and containers, the most frequent first, and the block that handles each.
_SCALARS = [f"{name}_scalar_type:scalar_{name}" for name in REAL]
_CASES = [
    *"float_type:float ndarray_type:ndarray array_type:array int_type:int bool_type:bool".split(), *_SCALARS[:2],
    *"tuple_type:tuple list_type:list dict_type:dict".split(), *_SCALARS[2:],
]  # fmt: skip
_ONLY_AT_RUN_TIME = ("ndarray", "array", *(case.split(":")[1] for case in _SCALARS))


def _chain() -> str:
    """Compare the type with one after another; static arguments have no arrays."""
    lines = []
    for number, case in enumerate(_CASES):
        constant, block = case.split(":")
        following = f"case{number + 1}" if number + 1 < len(_CASES) else "objects"
        lines += [
            f"case{number}:",
            f"  %type{number} = load ptr, ptr @{constant}",
            f"  %is{number} = icmp eq ptr %type, %type{number}",
            f"  br i1 %is{number}, label %{block}, label %{following}",
        ]
        if block in _ONLY_AT_RUN_TIME:
            lines += [f"{block}:", f"  br i1 %static, label %no, label %take_{block}"]
    return "\n".join(lines)


def _scalars() -> str:
    """A scalar of NumPy: its value as it stands in memory, whatever lies behind it, and the code of its dtype."""
    lines = [f"take_scalar_{name}:\n  br label %scalar" for name in REAL]
    codes = ", ".join(f"[ DTYPE_{name}, %take_scalar_{name} ]" for name in REAL)
    return "\n".join([*lines, "scalar:", f"  %code = phi i64 {codes}"])


VALUE = (
    """
define internal i1 @scan_value(ptr %scan, ptr %value, i1 %static) {
entry:
  %overflow = alloca i32
  %room = call i1 @has_room(ptr %scan)
  br i1 %room, label %look, label %no
look:
  %type = call ptr @type_of(ptr %value)
  br label %case0
"""
    + _chain()
    + """
objects:
  %types = load ptr, ptr @object_types
  %type_count_address = load ptr, ptr @object_type_count
  %type_count = ptrtoint ptr %type_count_address to i64
  br label %search
search:
  %number = phi i64 [ 0, %objects ], [ %next, %other ]
  %none = icmp eq i64 %number, %type_count
  br i1 %none, label %record, label %compare
compare:
  %candidate = getelementptr ptr, ptr %types, i64 %number
  %object_type = load ptr, ptr %candidate
  %same = icmp eq ptr %type, %object_type
  br i1 %same, label %object, label %other
other:
  %next = add i64 %number, 1
  br label %search
record:
  call void @Py_IncRef(ptr %value)
  %record_fine = call i1 @scan_record(ptr %scan, ptr %value, ptr %type, i1 %static)
  br label %container
object:
  call void @push_key(ptr %scan, i64 TOKEN_OBJECT)
  call void @push_object(ptr %scan, ptr %value)
  ret i1 true
float:
  %double = call double @PyFloat_AsDouble(ptr %value)
  %bits = bitcast double %double to i64
  br i1 %static, label %static_float, label %weak_float
static_float:
  call void @push_key(ptr %scan, i64 TOKEN_STATIC_FLOAT)
  call void @push_key(ptr %scan, i64 %bits)
  ret i1 true
weak_float:
  call void @push_key(ptr %scan, i64 TOKEN_FLOAT)
  call void @push_slot(ptr %scan, i64 %bits)
  ret i1 true
int:
  %integer = call i64 @PyLong_AsLongLongAndOverflow(ptr %value, ptr %overflow)
  %side = load i32, ptr %overflow
  %fits = icmp eq i32 %side, 0
  br i1 %fits, label %small, label %no
small:
  br i1 %static, label %static_int, label %weak_int
static_int:
  call void @push_key(ptr %scan, i64 TOKEN_STATIC_INT)
  call void @push_key(ptr %scan, i64 %integer)
  ret i1 true
weak_int:
  call void @push_key(ptr %scan, i64 TOKEN_INT)
  call void @push_slot(ptr %scan, i64 %integer)
  ret i1 true
bool:
  br i1 %static, label %object, label %weak_bool
weak_bool:
  %true_object = load ptr, ptr @true
  %is_true = icmp eq ptr %value, %true_object
  %truth = zext i1 %is_true to i64
  call void @push_key(ptr %scan, i64 TOKEN_BOOL)
  call void @push_slot(ptr %scan, i64 %truth)
  ret i1 true
take_ndarray:
  %array_fine = call i1 @scan_array(ptr %scan, ptr %value)
  ret i1 %array_fine
take_array:
  %offset_address = load ptr, ptr @values_offset
  %offset = ptrtoint ptr %offset_address to i64
  %held.place = getelementptr i8, ptr %value, i64 %offset
  %held = load ptr, ptr %held.place
  %empty = icmp eq ptr %held, null
  br i1 %empty, label %no, label %take_held
take_held:
  %held_fine = call i1 @scan_array(ptr %scan, ptr %held)
  ret i1 %held_fine
"""
    + _scalars()
    + """
  %scalar_bits = field i64, ptr %value, 2
  %coded = shl i64 %code, 8
  %scalar_word = or i64 %coded, TOKEN_SCALAR
  call void @push_key(ptr %scan, i64 %scalar_word)
  call void @push_slot(ptr %scan, i64 %scalar_bits)
  ret i1 true
tuple:
  call void @Py_IncRef(ptr %value)
  %tuple_size = call i64 @PyTuple_Size(ptr %value)
  %tuple_fine = call i1 @scan_items(ptr %scan, ptr %value, i64 %tuple_size, ptr @PyTuple_GetItem,
    i64 TOKEN_TUPLE, i1 %static)
  br label %container
container:
  %container_fine = phi i1 [ %tuple_fine, %tuple ], [ %list_fine, %list ],
    [ %dict_fine, %dict ], [ %record_fine, %record ]
  call void @Py_DecRef(ptr %value)
  ret i1 %container_fine
list:
  call void @Py_IncRef(ptr %value)
  %list_size = call i64 @PyList_Size(ptr %value)
  %list_fine = call i1 @scan_items(ptr %scan, ptr %value, i64 %list_size, ptr @PyList_GetItem,
    i64 TOKEN_LIST, i1 %static)
  br label %container
dict:
  call void @Py_IncRef(ptr %value)
  %dict_fine = call i1 @scan_dict(ptr %scan, ptr %value, i1 %static)
  br label %container
no:
  ret i1 false
}
"""
)

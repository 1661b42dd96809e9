"""Native dispatch: results put into containers, by a recipe for a stack of objects.

    LEAF 0, LEAF 1, TUPLE 2   ->   (object of leaf 0, object of leaf 1)
"""

RECIPES = """
; The last %count objects as a tuple or list, whose references move into it.
define internal ptr @sequence(ptr %objects, i64 %count, ptr %new, ptr %set) {
entry:
  %made = call ptr %new(i64 %count)
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %none, label %head
none:
  call void @drop_all(ptr %objects, i64 %count)
  ret ptr null
head:
  %position = phi i64 [ 0, %entry ], [ %next, %item ]
  %done = icmp eq i64 %position, %count
  br i1 %done, label %exit, label %item
item:
  %place = getelementptr ptr, ptr %objects, i64 %position
  %object = load ptr, ptr %place
  %status = call i32 %set(ptr %made, i64 %position, ptr %object)
  %next = add i64 %position, 1
  br label %head
exit:
  ret ptr %made
}

define internal ptr @dictionary(ptr %objects, ptr %keys, i64 %count) {
entry:
  %made = call ptr @PyDict_New()
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %clean, label %head
head:
  %position = phi i64 [ 0, %entry ], [ %next, %good ]
  %done = icmp eq i64 %position, %count
  br i1 %done, label %clean, label %item
item:
  %place = getelementptr ptr, ptr %objects, i64 %position
  %object = load ptr, ptr %place
  %key = call ptr @PyTuple_GetItem(ptr %keys, i64 %position)
  %status = call i32 @PyDict_SetItem(ptr %made, ptr %key, ptr %object)
  %wrong = icmp ne i32 %status, 0
  br i1 %wrong, label %bad, label %good
good:
  %next = add i64 %position, 1
  br label %head
bad:
  call void @Py_DecRef(ptr %made)
  br label %clean
clean:
  %result = phi ptr [ null, %entry ], [ %made, %head ], [ null, %bad ]
  call void @drop_all(ptr %objects, i64 %count)
  ret ptr %result
}

; A record from the tuple of its fields, on top of the stack.
define internal ptr @built(ptr %top, ptr %maker) {
  %made = call ptr @PyObject_Vectorcall(ptr %maker, ptr %top, i64 1, ptr null)
  call void @drop_all(ptr %top, i64 1)
  ret ptr %made
}

; Run the recipe on leaves whose references it takes over.
define internal ptr @assembled(ptr %plan, ptr %leaves) {
entry:
  %stack = alloca [RESULTS x ptr]
  %count = field i64, ptr %plan, PLAN_RECIPE_COUNT
  %recipe = field ptr, ptr %plan, PLAN_RECIPE
  br label %head
head:
  %number = phi i64 [ 0, %entry ], [ %next, %pushed ]
  %depth = phi i64 [ 0, %entry ], [ %higher, %pushed ]
  %done = icmp eq i64 %number, %count
  br i1 %done, label %exit, label %step
step:
  %offset = mul i64 %number, 3
  %words = getelementptr i64, ptr %recipe, i64 %offset
  %word = field i64, ptr %words, 0
  %taken = field i64, ptr %words, 1
  %operand = field ptr, ptr %words, 2
  %next = add i64 %number, 1
  %base = sub i64 %depth, %taken
  %top = getelementptr ptr, ptr %stack, i64 %base
  %higher = add i64 %base, 1
  switch i64 %word, label %call [
    i64 RECIPE_LEAF, label %leaf
    i64 RECIPE_STATIC, label %static
    i64 RECIPE_TUPLE, label %tuple
    i64 RECIPE_LIST, label %list
    i64 RECIPE_DICT, label %dict
  ]
leaf:
  %which = ptrtoint ptr %operand to i64
  %leaf.place = getelementptr ptr, ptr %leaves, i64 %which
  %leaf_object = load ptr, ptr %leaf.place
  call void @Py_IncRef(ptr %leaf_object)
  br label %push
static:
  call void @Py_IncRef(ptr %operand)
  br label %push
tuple:
  %tuple_made = call ptr @sequence(ptr %top, i64 %taken, ptr @PyTuple_New, ptr @PyTuple_SetItem)
  br label %push
list:
  %list_made = call ptr @sequence(ptr %top, i64 %taken, ptr @PyList_New, ptr @PyList_SetItem)
  br label %push
dict:
  %dict_made = call ptr @dictionary(ptr %top, ptr %operand, i64 %taken)
  br label %push
call:
  %record_made = call ptr @built(ptr %top, ptr %operand)
  br label %push
push:
  %object = phi ptr
    [ %leaf_object, %leaf ], [ %operand, %static ], [ %tuple_made, %tuple ],
    [ %list_made, %list ], [ %dict_made, %dict ], [ %record_made, %call ]
  %failed = icmp eq ptr %object, null
  br i1 %failed, label %wrong, label %pushed
pushed:
  store ptr %object, ptr %top
  br label %head
wrong:
  call void @drop_all(ptr %stack, i64 %base)
  br label %finish
exit:
  %result_made = load ptr, ptr %stack
  br label %finish
finish:
  %result = phi ptr [ null, %wrong ], [ %result_made, %exit ]
  %leaf_count = field i64, ptr %plan, PLAN_LEAF_COUNT
  call void @drop_all(ptr %leaves, i64 %leaf_count)
  ret ptr %result
}

define internal ptr @give(ptr %plan, ptr %slots) {
entry:
  %leaves = alloca [RESULTS x ptr]
  %fine = call i1 @leaves(ptr %plan, ptr %slots, ptr %leaves)
  br i1 %fine, label %how, label %none
none:
  ret ptr null
how:
  %steps = field i64, ptr %plan, PLAN_RECIPE_COUNT
  %single = icmp eq i64 %steps, 0
  br i1 %single, label %alone, label %build
alone:
  %only = load ptr, ptr %leaves
  ret ptr %only
build:
  %built = call ptr @assembled(ptr %plan, ptr %leaves)
  ret ptr %built
}
"""

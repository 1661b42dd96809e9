"""Native dispatch: from the key of a call to its plan.

    key words, objects   ->   plan: that of the last call, or the one that the table has, or none
"""

LOOK_UP = """
define i64 @pellucid_hash(ptr %words, i64 %count) {
entry:
  br label %head
head:
  %position = phi i64 [ 0, %entry ], [ %next, %body ]
  %hash = phi i64 [ %count, %entry ], [ %mixed, %body ]
  %done = icmp eq i64 %position, %count
  br i1 %done, label %exit, label %body
body:
  %place = getelementptr i64, ptr %words, i64 %position
  %word = load i64, ptr %place
  %joined = xor i64 %hash, %word
  %scaled = mul i64 %joined, -7046029254386353131
  %high = lshr i64 %scaled, 32
  %mixed = xor i64 %scaled, %high
  %next = add i64 %position, 1
  br label %head
exit:
  ret i64 %hash
}

; Objects of keys are the same one, or equal strings.
define internal i1 @same_object(ptr %left, ptr %right) {
entry:
  %identical = icmp eq ptr %left, %right
  br i1 %identical, label %yes, label %look
look:
  %text = load ptr, ptr @str_type
  %left_type = call ptr @type_of(ptr %left)
  %right_type = call ptr @type_of(ptr %right)
  %left_text = icmp eq ptr %left_type, %text
  %right_text = icmp eq ptr %right_type, %text
  %both = and i1 %left_text, %right_text
  br i1 %both, label %compare, label %no
compare:
  %order = call i32 @PyUnicode_Compare(ptr %left, ptr %right)
  %equal = icmp eq i32 %order, 0
  ret i1 %equal
yes:
  ret i1 true
no:
  ret i1 false
}

define internal i1 @matches(ptr %entry_record, ptr %keys, i64 %key_count, ptr %objects, i64 %object_count) {
entry:
  %known_keys = field ptr, ptr %entry_record, ENTRY_KEYS
  %known_key_count = field i64, ptr %entry_record, ENTRY_KEY_COUNT
  %known_objects = field ptr, ptr %entry_record, ENTRY_OBJECTS
  %known_object_count = field i64, ptr %entry_record, ENTRY_OBJECT_COUNT
  %as_many = icmp eq i64 %key_count, %known_key_count
  %as_many_too = icmp eq i64 %object_count, %known_object_count
  %alike = and i1 %as_many, %as_many_too
  br i1 %alike, label %words, label %no
words:
  %position = phi i64 [ 0, %entry ], [ %next, %word_same ]
  %done = icmp eq i64 %position, %key_count
  br i1 %done, label %objects_too, label %word
word:
  %known.place = getelementptr i64, ptr %known_keys, i64 %position
  %known = load i64, ptr %known.place
  %key.place = getelementptr i64, ptr %keys, i64 %position
  %key = load i64, ptr %key.place
  %same = icmp eq i64 %known, %key
  br i1 %same, label %word_same, label %no
word_same:
  %next = add i64 %position, 1
  br label %words
objects_too:
  %number = phi i64 [ 0, %words ], [ %next_number, %object_same ]
  %all = icmp eq i64 %number, %object_count
  br i1 %all, label %yes, label %object
object:
  %known_object.place = getelementptr ptr, ptr %known_objects, i64 %number
  %known_object = load ptr, ptr %known_object.place
  %object.place = getelementptr ptr, ptr %objects, i64 %number
  %object_given = load ptr, ptr %object.place
  %equal = call i1 @same_object(ptr %known_object, ptr %object_given)
  br i1 %equal, label %object_same, label %no
object_same:
  %next_number = add i64 %number, 1
  br label %objects_too
yes:
  ret i1 true
no:
  ret i1 false
}

; The plan for a key: that of the last call, or the one that the table has; null where it is new.
define internal ptr @plan_for(ptr %state, ptr %keys, i64 %key_count, ptr %objects, i64 %object_count) {
entry:
  %last = field ptr, ptr %state, STATE_LAST
  %same = call i1 @matches(ptr %last, ptr %keys, i64 %key_count, ptr %objects, i64 %object_count)
  br i1 %same, label %found, label %search
search:
  %table = field ptr, ptr %state, STATE_TABLE
  %mask = load i64, ptr %table
  %places = getelementptr i64, ptr %table, i64 1
  %hash = call i64 @pellucid_hash(ptr %keys, i64 %key_count)
  br label %probe
probe:
  %at = phi i64 [ %hash, %search ], [ %next, %other ]
  %index = and i64 %at, %mask
  %place = getelementptr ptr, ptr %places, i64 %index
  %candidate = load ptr, ptr %place
  %free = icmp eq ptr %candidate, null
  br i1 %free, label %none, label %compare
compare:
  %equal = call i1 @matches(ptr %candidate, ptr %keys, i64 %key_count, ptr %objects, i64 %object_count)
  %next = add i64 %at, 1
  br i1 %equal, label %remember, label %other
other:
  br label %probe
remember:
  store ptr %candidate, ptr %last.place
  br label %found
found:
  %entry_record = phi ptr [ %last, %entry ], [ %candidate, %remember ]
  %current = field ptr, ptr %entry_record, ENTRY_PLAN
  %plan = load ptr, ptr %current
  ret ptr %plan
none:
  ret ptr null
}
"""

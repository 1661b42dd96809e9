"""New arrays in LLVM's words: lengths are checked, then the pool gives a block.

    pellucid_new_matrix(context, 8, 3, -1)    ->    1, the code of "negative dimensions are not allowed"

What is wrong comes back in place of the owner, as a code that no block's address can be, and the context gets the value
that the message needs.
"""

# Lengths above 2^52 and blocks above 2^60 bytes are refused; codes 1 to 4 say what failed, the context has the value.
ARRAYS = """
declare {i64, i1} @llvm.umul.with.overflow.i64(i64, i64)

define ptr @pellucid_new_array(ptr %context, i64 %item_bytes, i64 %rank, ptr %lengths) {
entry:
  %value_place = getelementptr i64, ptr %context, i64 4
  br label %signs
signs:
  %k = phi i64 [ 0, %entry ], [ %next_k, %sign ]
  %more_signs = icmp ult i64 %k, %rank
  br i1 %more_signs, label %sign, label %sizes
sign:
  %sign_place = getelementptr i64, ptr %lengths, i64 %k
  %signed = load i64, ptr %sign_place
  %next_k = add i64 %k, 1
  %negative = icmp slt i64 %signed, 0
  br i1 %negative, label %fail, label %signs
sizes:
  %n = phi i64 [ 0, %signs ], [ %next_n, %size ]
  %more_sizes = icmp ult i64 %n, %rank
  br i1 %more_sizes, label %size, label %products
size:
  %size_place = getelementptr i64, ptr %lengths, i64 %n
  %length = load i64, ptr %size_place
  %next_n = add i64 %n, 1
  %long = icmp ugt i64 %length, 4503599627370496
  br i1 %long, label %too_long, label %sizes
too_long:
  store i64 %length, ptr %value_place
  br label %fail
products:
  %m = phi i64 [ 0, %sizes ], [ %next_m, %product ]
  %bytes = phi i64 [ %item_bytes, %sizes ], [ %more_bytes, %product ]
  %more_products = icmp ult i64 %m, %rank
  br i1 %more_products, label %product, label %take
product:
  %factor_place = getelementptr i64, ptr %lengths, i64 %m
  %factor = load i64, ptr %factor_place
  %next_m = add i64 %m, 1
  %pair = call {i64, i1} @llvm.umul.with.overflow.i64(i64 %bytes, i64 %factor)
  %more_bytes = extractvalue {i64, i1} %pair, 0
  %wrapped = extractvalue {i64, i1} %pair, 1
  %large = icmp ugt i64 %more_bytes, 1152921504606846976
  %too_large = or i1 %wrapped, %large
  br i1 %too_large, label %fail, label %products
take:
  %owner = call ptr @pellucid_allocate(i64 %bytes)
  %none = icmp eq ptr %owner, null
  br i1 %none, label %no_memory, label %done
no_memory:
  store i64 %bytes, ptr %value_place
  br label %fail
fail:
  %code = phi i64 [ 1, %sign ], [ 2, %too_long ], [ 3, %product ], [ 4, %no_memory ]
  %failed = inttoptr i64 %code to ptr
  ret ptr %failed
done:
  ret ptr %owner
}

define ptr @pellucid_new_vector(ptr %context, i64 %item_bytes, i64 %length) {
  %lengths = alloca i64
  store i64 %length, ptr %lengths
  %owner = call ptr @pellucid_new_array(ptr %context, i64 %item_bytes, i64 1, ptr %lengths)
  ret ptr %owner
}

define ptr @pellucid_new_matrix(ptr %context, i64 %item_bytes, i64 %rows, i64 %columns) {
  %lengths = alloca [2 x i64]
  store i64 %rows, ptr %lengths
  %second = getelementptr i64, ptr %lengths, i64 1
  store i64 %columns, ptr %second
  %owner = call ptr @pellucid_new_array(ptr %context, i64 %item_bytes, i64 2, ptr %lengths)
  ret ptr %owner
}
"""

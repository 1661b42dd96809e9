"""Bodies of loops whose result goes past the caches, in LLVM's words.

    for low, high in blocks of BLOCK_BYTES:
        body(captures with the result's address moved to a block in the cache, context, low, high)
        non-temporal copy of the block to its place

The place of the result must begin at a cache line; where it does not, the body runs as it is.
"""

STREAMS = """
define internal i64 @run(ptr %body, ptr %captures, ptr %context, i64 %first, i64 %last,
                         i64 %captured, i64 %streamed, i64 %item) {
entry:
  %streams = icmp sge i64 %streamed, 0
  br i1 %streams, label %align, label %plain
align:
  %place = getelementptr i64, ptr %captures, i64 %streamed
  %result = load ptr, ptr %place
  %skip = mul i64 %first, %item
  %begin = getelementptr i8, ptr %result, i64 %skip
  %number = ptrtoint ptr %begin to i64
  %odd = and i64 %number, 63
  %even = icmp eq i64 %odd, 0
  br i1 %even, label %blocks, label %plain
plain:
  %status = call i64 %body(ptr %captures, ptr %context, i64 %first, i64 %last)
  ret i64 %status
blocks:
  %streamed_status = call i64 @stream(ptr %body, ptr %captures, ptr %context, i64 %first, i64 %last,
                                      i64 %captured, i64 %streamed, i64 %item)
  ret i64 %streamed_status
}

define internal i64 @stream(ptr %body, ptr %captures, ptr %context, i64 %first, i64 %last,
                            i64 %captured, i64 %streamed, i64 %item) noinline {
entry:
  %block = alloca [BLOCK_BYTES x i8], align 64
  %own = alloca i64, i64 %captured
  %captured_bytes = shl i64 %captured, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr %captures, i64 %captured_bytes, i1 false)
  %own_place = getelementptr i64, ptr %own, i64 %streamed
  %result = load ptr, ptr %own_place
  %base = ptrtoint ptr %block to i64
  %per_block = udiv i64 BLOCK_BYTES, %item
  br label %head
head:
  %low = phi i64 [ %first, %entry ], [ %high, %copied ]
  %more = icmp slt i64 %low, %last
  br i1 %more, label %compute, label %done
compute:
  %next = add i64 %low, %per_block
  %high = call i64 @llvm.smin.i64(i64 %next, i64 %last)
  %offset = mul i64 %low, %item
  %shifted = sub i64 %base, %offset
  store i64 %shifted, ptr %own_place
  %status = call i64 %body(ptr %own, ptr %context, i64 %low, i64 %high)
  %good = icmp eq i64 %status, 0
  br i1 %good, label %copy, label %failed
copy:
  %count = sub i64 %high, %low
  %bytes = mul i64 %count, %item
  %vectors = and i64 %bytes, -64
  %target = getelementptr i8, ptr %result, i64 %offset
  br label %vector_head
vector_head:
  %at = phi i64 [ 0, %copy ], [ %at_next, %vector ]
  %another = icmp ult i64 %at, %vectors
  br i1 %another, label %vector, label %rest
vector:
  %from = getelementptr i8, ptr %block, i64 %at
  %to = getelementptr i8, ptr %target, i64 %at
  %from_2 = getelementptr i8, ptr %from, i64 32
  %to_2 = getelementptr i8, ptr %to, i64 32
  %data = load <4 x i64>, ptr %from, align 32
  %data_2 = load <4 x i64>, ptr %from_2, align 32
  store <4 x i64> %data, ptr %to, align 32, !nontemporal !0
  store <4 x i64> %data_2, ptr %to_2, align 32, !nontemporal !0
  %at_next = add i64 %at, 64
  br label %vector_head
rest:
  %left = sub i64 %bytes, %vectors
  %some_left = icmp ne i64 %left, 0
  br i1 %some_left, label %last_bytes, label %copied
last_bytes:
  %from_last = getelementptr i8, ptr %block, i64 %vectors
  %to_last = getelementptr i8, ptr %target, i64 %vectors
  call void @llvm.memcpy.p0.p0.i64(ptr %to_last, ptr %from_last, i64 %left, i1 false)
  br label %copied
copied:
  br label %head
failed:
  FENCE
  ret i64 %status
done:
  FENCE
  ret i64 0
}
"""

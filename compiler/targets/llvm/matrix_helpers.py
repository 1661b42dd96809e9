"""Functions in LLVM text that work on matrices of any strides: added to a module at first use.

    copy       all elements into another matrix
    triangle   zeros above the diagonal
    positions  a vector of positions, counted from zero, from those of a library
    clear      zeros in memory for ints
    multiply   c = a @ b, of integers, and where BLAS has nothing to do
"""

from __future__ import annotations

from ...dtypes import DTYPE, is_bool, is_complex, is_inexact
from .helpers import defined
from .operands import part_type, type_word
from .text import AS_IT_STANDS, OPTIMISED, Module

SMALL = "noinline nounwind optsize"  # the work is done elsewhere

# The ints of a library have 64 bits or 32, in memory that was zero before: where they have 32 the second int, counted
# from one and so above zero, stands in the upper half of the first 64.
POSITIONS = """entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %begin, label %done
begin:
  %second_place = getelementptr i32, ptr %from, i64 1
  %second = load i32, ptr %second_place
  %narrow = icmp ne i32 %second, 0
  %width = select i1 %narrow, i64 1, i64 2
  br label %one
one:
  %i = phi i64 [ 0, %begin ], [ %next, %one ]
  %from_position = mul i64 %i, %width
  %source = getelementptr i32, ptr %from, i64 %from_position
  %value = load i32, ptr %source
  %less = sub i32 %value, 1
  %long = sext i32 %less to i64
  %to_position = mul i64 %i, %step
  %target = getelementptr i64, ptr %to, i64 %to_position
  store i64 %long, ptr %target
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %one, label %done
done:
  ret void"""
EXCHANGE = """entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %next_row ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %row, label %done
row:
  %left = sub i64 %n, %i
  %last = sub i64 %left, 1
  %here = select i1 %back, i64 %last, i64 %i
  %pivot_at = mul i64 %here, %step
  %pivot_place = getelementptr i64, ptr %pivots, i64 %pivot_at
  %there = load i64, ptr %pivot_place
  %inside = icmp ult i64 %there, %n
  br i1 %inside, label %column_head, label %next_row
column_head:
  %j = phi i64 [ 0, %row ], [ %j_next, %column ]
  %more_columns = icmp slt i64 %j, %k
  br i1 %more_columns, label %column, label %next_row
column:
  %start = mul i64 %j, %n
  %first_at = add i64 %start, %here
  %second_at = add i64 %start, %there
  %first_place = getelementptr {T}, ptr %to, i64 %first_at
  %second_place = getelementptr {T}, ptr %to, i64 %second_at
  %first = load {T}, ptr %first_place
  %second = load {T}, ptr %second_place
  store {T} %second, ptr %first_place
  store {T} %first, ptr %second_place
  %j_next = add i64 %j, 1
  br label %column_head
next_row:
  %next = add i64 %i, 1
  br label %head
done:
  ret void"""
CLEAR = """entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %one ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %one, label %done
one:
  %target = getelementptr i64, ptr %to, i64 %i
  store i64 0, ptr %target
  %next = add i64 %i, 1
  br label %head
done:
  ret void"""
TRIANGLE = """entry:
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %behind, %row_done ]
  %behind = add i64 %i, 1
  %more_rows = icmp slt i64 %i, %m
  br i1 %more_rows, label %begin, label %done
begin:
  %to_row = mul i64 %i, %to0
  br label %element
element:
  %j = phi i64 [ %behind, %begin ], [ %next_j, %one ]
  %more = icmp slt i64 %j, %n
  br i1 %more, label %one, label %row_done
one:
  %to_column = mul i64 %j, %to1
  %position = add i64 %to_row, %to_column
  %target = getelementptr {T}, ptr %to, i64 %position
  store {T} {ZERO}, ptr %target
  %next_j = add i64 %j, 1
  br label %element
row_done:
  br label %row
done:
  ret void"""
COPY = """entry:
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %next_i, %row_done ]
  %more_rows = icmp slt i64 %i, %m
  br i1 %more_rows, label %begin, label %done
begin:
  %to_row = mul i64 %i, %to0
  %from_row = mul i64 %i, %from0
  br label %element
element:
  %j = phi i64 [ 0, %begin ], [ %next_j, %one ]
  %more = icmp slt i64 %j, %n
  br i1 %more, label %one, label %row_done
one:
  %from_column = mul i64 %j, %from1
  %from_position = add i64 %from_row, %from_column
  %source = getelementptr {T}, ptr %from, i64 %from_position
  %value = load {T}, ptr %source
  %to_column = mul i64 %j, %to1
  %to_position = add i64 %to_row, %to_column
  %target = getelementptr {T}, ptr %to, i64 %to_position
  store {T} %value, ptr %target
  %next_j = add i64 %j, 1
  br label %element
row_done:
  %next_i = add i64 %i, 1
  br label %row
done:
  ret void"""
# c[i, j] += a[i, k] * b[k, j] in the order i, k, j, so that the inner loop runs along rows.
MULTIPLY = """entry:
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %i_next, %row_end ]
  %more_rows = icmp slt i64 %i, %m
  br i1 %more_rows, label %clear, label %exit
clear:
  %c_row_at = mul i64 %i, %c0
  %c_row = getelementptr {T}, ptr %c, i64 %c_row_at
  br label %clear_head
clear_head:
  %z = phi i64 [ 0, %clear ], [ %z_next, %clear_body ]
  %more_zeros = icmp slt i64 %z, %n
  br i1 %more_zeros, label %clear_body, label %sum
clear_body:
  %z_at = mul i64 %z, %c1
  %z_place = getelementptr {T}, ptr %c_row, i64 %z_at
  store {T} {ZERO}, ptr %z_place
  %z_next = add nsw i64 %z, 1
  br label %clear_head
sum:
  %a_row_at = mul i64 %i, %a0
  %a_row = getelementptr {T}, ptr %a, i64 %a_row_at
  br label %sum_head
sum_head:
  %k = phi i64 [ 0, %sum ], [ %k_next, %sum_end ]
  %more_terms = icmp slt i64 %k, %kk
  br i1 %more_terms, label %term, label %row_end
term:
  %a_at = mul i64 %k, %a1
  %a_place = getelementptr {T}, ptr %a_row, i64 %a_at
  %factor = load {T}, ptr %a_place
  %b_row_at = mul i64 %k, %b0
  %b_row = getelementptr {T}, ptr %b, i64 %b_row_at
  br label %column_head
column_head:
  %j = phi i64 [ 0, %term ], [ %j_next, %column ]
  %more_columns = icmp slt i64 %j, %n
  br i1 %more_columns, label %column, label %sum_end
column:
  %b_at = mul i64 %j, %b1
  %b_place = getelementptr {T}, ptr %b_row, i64 %b_at
  %x = load {T}, ptr %b_place
  %c_at = mul i64 %j, %c1
  %c_place = getelementptr {T}, ptr %c_row, i64 %c_at
  %old = load {T}, ptr %c_place
{STEP}
  store {T} %new, ptr %c_place
  %j_next = add nsw i64 %j, 1
  br label %column_head
sum_end:
  %k_next = add nsw i64 %k, 1
  br label %sum_head
row_end:
  %i_next = add nsw i64 %i, 1
  br label %row
exit:
  ret void"""


STEP = """  %product = {MUL} {T} %factor, %x
  %new = {ADD} {T} %old, %product"""
COMPLEX_STEP = """  %f_re = extractvalue {T} %factor, 0
  %f_im = extractvalue {T} %factor, 1
  %x_re = extractvalue {T} %x, 0
  %x_im = extractvalue {T} %x, 1
  %old_re = extractvalue {T} %old, 0
  %old_im = extractvalue {T} %old, 1
  %ac = fmul {P} %f_re, %x_re
  %bd = fmul {P} %f_im, %x_im
  %ad = fmul {P} %f_re, %x_im
  %bc = fmul {P} %f_im, %x_re
  %product_re = fsub {P} %ac, %bd
  %product_im = fadd {P} %ad, %bc
  %new_re = fadd {P} %old_re, %product_re
  %new_im = fadd {P} %old_im, %product_im
  %half = insertvalue {T} poison, {P} %new_re, 0
  %new = insertvalue {T} %half, {P} %new_im, 1"""


def multiply(module: Module, dtype: str) -> str:
    """The name of the matrix product on elements of a dtype; on bools sums are `or`, products `and`."""
    stored, floating = DTYPE[dtype].storage, is_inexact(dtype)
    name = f"pellucid.multiply.{'bool' if is_bool(dtype) else type_word(stored)}"
    add, mul = ("fadd", "fmul") if floating else ("or", "and") if is_bool(dtype) else ("add", "mul")
    attributes = AS_IT_STANDS if floating else OPTIMISED  # floats have BLAS
    parameters = [*_ints("m", "n", "kk"), *_matrices("c", "a", "b")]
    step = (COMPLEX_STEP if is_complex(dtype) else STEP).format(T=stored, P=part_type(stored), ADD=add, MUL=mul)
    body = MULTIPLY.format(T=stored, STEP=step, ZERO="zeroinitializer")
    return defined(module, name, "void", parameters, body, attributes=attributes)


def copy(module: Module, stored: str) -> str:
    """The name of the copy of a matrix of a stored type, both of any strides."""
    parameters, body = [*_ints("m", "n"), *_matrices("to", "from")], COPY.format(T=stored)
    return defined(module, f"pellucid.copy.{type_word(stored)}", "void", parameters, body, attributes=SMALL)


def positions(module: Module) -> str:
    parameters = [*_ints("n"), "ptr %to", "i64 %step", "ptr %from"]
    return defined(module, "pellucid.positions", "void", parameters, POSITIONS, attributes=SMALL)


def exchange(module: Module, stored: str) -> str:
    """The name of what exchanges row i of n rows of k columns, one column after the other, with row pivots[i]: from the
    first row on, or back from the last."""
    parameters = [*_ints("n", "k"), "ptr %to", "ptr %pivots", "i64 %step", "i1 %back"]
    name = f"pellucid.exchange.{type_word(stored)}"
    return defined(module, name, "void", parameters, EXCHANGE.format(T=stored), attributes=SMALL)


def clear(module: Module) -> str:
    """The name of what makes so many ints of 64 bits zero."""
    return defined(module, "pellucid.clear", "void", [*_ints("n"), "ptr %to"], CLEAR, attributes=SMALL)


def triangle(module: Module, stored: str) -> str:
    """The name of what makes a matrix of floats zero above its diagonal."""
    parameters, body = [*_ints("m", "n"), *_matrices("to")], TRIANGLE.format(T=stored, ZERO="zeroinitializer")
    return defined(module, f"pellucid.triangle.{type_word(stored)}", "void", parameters, body, attributes=SMALL)


def _ints(*names: str) -> list[str]:
    return [f"i64 %{name}" for name in names]


def _matrices(*names: str) -> list[str]:
    """Of each the address and both steps."""
    return [part for name in names for part in (f"ptr %{name}", f"i64 %{name}0", f"i64 %{name}1")]

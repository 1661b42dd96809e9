"""Angles too large for a few products: the remainder of x by π or π/2 from as many digits of 1/π as x needs.

    far(x, shift, half)    ->    (r, its lost part, k),    |x| + half * π/2 = (k + 2 j) * p + r,    p = π / 2^shift

The mantissa times a window of 192 bits of 1/π gives the quotient modulo 2 in fixed point (Payne and Hanek); bits above
the window are whole turns, bits below too small to matter: no double comes closer to a multiple than 2^-62.
Compiled code calls `pellucid_far_f64` and `pellucid_far_f32` for the few numbers that need it; they are compiled once.
"""

from __future__ import annotations

from . import machine_code, routines

FRACTION_BITS = 1280
LEADING_ZEROS = 64

FAR = """@inverse_of_pi = internal constant [{count} x i64] [{words}]

define internal {{double, double, i64}} @far(double %x, i64 %shift, i64 %half) noinline {{
entry:
  %bits = bitcast double %x to i64
  %magnitude = and i64 %bits, 9223372036854775807
  %biased = lshr i64 %magnitude, 52
  %exponent = sub i64 %biased, 1075
  %shifted = add i64 %exponent, %shift
  %bounded = call i64 @llvm.smax.i64(i64 %shifted, i64 -60)
  %start = add i64 %bounded, 63
  %word = lshr i64 %start, 6
  %offset = and i64 %start, 63
{loads}
  %w0 = call i64 @llvm.fshl.i64(i64 %word0, i64 %word1, i64 %offset)
  %w1 = call i64 @llvm.fshl.i64(i64 %word1, i64 %word2, i64 %offset)
  %w2 = call i64 @llvm.fshl.i64(i64 %word2, i64 %word3, i64 %offset)
  %fraction = and i64 %magnitude, 4503599627370495
  %mantissa = or i64 %fraction, 4503599627370496
  %wide_mantissa = zext i64 %mantissa to i128
  %wide_w1 = zext i64 %w1 to i128
  %wide_w2 = zext i64 %w2 to i128
  %product0 = mul i64 %mantissa, %w0
  %product1 = mul i128 %wide_mantissa, %wide_w1
  %product2 = mul i128 %wide_mantissa, %wide_w2
  %wide_product0 = zext i64 %product0 to i128
  %turns0 = shl i128 %wide_product0, 64
  %turns1 = add i128 %turns0, %product1
  %carried = lshr i128 %product2, 64
  %turns = add i128 %turns1, %carried
  %wide_half = zext i64 %half to i128
  %quarter = shl i128 %wide_half, 126
  %angle = add i128 %turns, %quarter
  %rounded = add i128 %angle, 85070591730234615865843651857942052864
  %count = lshr i128 %rounded, 127
  %k = trunc i128 %count to i64
  %rest = shl i128 %angle, 1
  %below = icmp slt i128 %rest, 0
  %size = call i128 @llvm.abs.i128(i128 %rest, i1 false)
  %some = or i128 %size, 1
  %zeros = call i128 @llvm.ctlz.i128(i128 %some, i1 true)
  %normal = shl i128 %some, %zeros
  %low = trunc i128 %normal to i64
  %upper = lshr i128 %normal, 64
  %high = trunc i128 %upper to i64
  %first_bits = and i64 %high, -2048
  %first = uitofp i64 %first_bits to double
  %left = and i64 %high, 2047
  %left_up = shl i64 %left, 53
  %low_down = lshr i64 %low, 11
  %second_bits = or i64 %left_up, %low_down
  %second_whole = uitofp i64 %second_bits to double
  %second = fmul double %second_whole, 0x3CA0000000000000
  %narrow_zeros = trunc i128 %zeros to i64
  %lowering = add i64 %narrow_zeros, %shift
  %scale_exponent = sub i64 959, %lowering
  %scale_bits = shl i64 %scale_exponent, 52
  %size_scale = bitcast i64 %scale_bits to double
  %x_sign = lshr i64 %bits, 63
  %x_below = trunc i64 %x_sign to i1
  %odd = icmp eq i64 %half, 0
  %turned = and i1 %x_below, %odd
  %negative = xor i1 %below, %turned
  %opposite = fneg double %size_scale
  %scale = select i1 %negative, double %opposite, double %size_scale
  %main = fmul double %first, 0x400921FB54442D18
  %minus_main = fneg double %main
  %lost = call double @llvm.fma.f64(double %first, double 0x400921FB54442D18, double %minus_main)
  %more = call double @llvm.fma.f64(double %first, double 0x3CA1A62633145C07, double %lost)
  %all_lost = call double @llvm.fma.f64(double %second, double 0x400921FB54442D18, double %more)
  %sum = fadd double %main, %all_lost
  %taken = fsub double %sum, %main
  %left_over = fsub double %all_lost, %taken
  %not_a_number = fsub double %x, %x
  %scaled = fmul double %sum, %scale
  %r = fadd double %scaled, %not_a_number
  %r_low = fmul double %left_over, %scale
  %pair = insertvalue {{double, double, i64}} poison, double %r, 0
  %triple = insertvalue {{double, double, i64}} %pair, double %r_low, 1
  %answer = insertvalue {{double, double, i64}} %triple, i64 %k, 2
  ret {{double, double, i64}} %answer
}}
"""

DECLARATIONS = """
declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i128 @llvm.abs.i128(i128, i1)
declare i128 @llvm.ctlz.i128(i128, i1)
declare double @llvm.fma.f64(double, double, double)
"""
# The numbers that `x` points to, one after the other.
SEVERAL = """
define void @pellucid_far_{name}(ptr %x, ptr %rs, ptr %losses, ptr %ks, i64 %count, i64 %shift, i64 %half) nounwind {{
entry:
  br label %lane
lane:
  %i = phi i64 [ 0, %entry ], [ %next, %lane ]
  %x_place = getelementptr inbounds {number}, ptr %x, i64 %i
  %r_place = getelementptr inbounds {number}, ptr %rs, i64 %i
  %loss_place = getelementptr inbounds {number}, ptr %losses, i64 %i
  %k_place = getelementptr inbounds {integer}, ptr %ks, i64 %i
  %here = load {number}, ptr %x_place
  %wide = {widen} {number} %here to double
  %answer = call {{double, double, i64}} @far(double %wide, i64 %shift, i64 %half)
  %r_wide = extractvalue {{double, double, i64}} %answer, 0
  %loss_wide = extractvalue {{double, double, i64}} %answer, 1
  %k_wide = extractvalue {{double, double, i64}} %answer, 2
  %r = {narrow} double %r_wide to {number}
  %loss = {narrow} double %loss_wide to {number}
  %k = {cut} i64 %k_wide to {integer}
  store {number} %r, ptr %r_place
  store {number} %loss, ptr %loss_place
  store {integer} %k, ptr %k_place
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done
done:
  ret void
}}
"""


def inverse_of_pi(bits: int) -> int:
    """The first bits of 1/π after the point; π by Machin's formula in integers."""
    one = 1 << bits + 64

    def inverse_tangent(n: int) -> int:
        total, term, k = 0, one // n, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term, k = term // (n * n), k + 2
        return total

    pi = 4 * (4 * inverse_tangent(5) - inverse_tangent(239))
    return (one << bits) // pi


def text() -> str:
    """The functions in LLVM."""
    table = inverse_of_pi(FRACTION_BITS)
    count = (LEADING_ZEROS + FRACTION_BITS) // 64
    words = [table >> 64 * (count - 1 - k) & (2**64 - 1) for k in range(count)]
    loads = []
    for k in range(4):
        loads += [
            f"  %index{k} = add i64 %word, {k}",
            f"  %place{k} = getelementptr inbounds i64, ptr @inverse_of_pi, i64 %index{k}",
            f"  %word{k} = load i64, ptr %place{k}",
        ]
    listed = ", ".join(f"i64 {word}" for word in words)
    double = {"number": "double", "integer": "i64", "widen": "bitcast", "narrow": "bitcast", "cut": "bitcast"}
    single = {"number": "float", "integer": "i32", "widen": "fpext", "narrow": "fptrunc", "cut": "trunc"}
    far = FAR.format(count=count, words=listed, loads="\n".join(loads))
    return DECLARATIONS + far + SEVERAL.format(name="f64", **double) + SEVERAL.format(name="f32", **single)


def provide() -> machine_code.Library:
    """Make the functions known to the loader; they live as long as what this gives."""
    library = machine_code.library(text(), level=1)
    for name in ("pellucid_far_f64", "pellucid_far_f32"):
        routines.provide(name, library.address(name))
    return library

"""Functions in LLVM text that compiled code calls for what no instruction does: added to a module at first use.

    power      integer powers by squaring, wrapping like NumPy's or reporting overflow like a C conversion of Python's
    quotient   Python's division of ints, rounded once, where floats would round three times
    complex    powers of complex numbers
    zeta       Hurwitz's zeta function
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .operands import float_
from .text import INLINED, OPTIMISED, LlvmDefinition, Module

if TYPE_CHECKING:
    from fractions import Fraction

POWER = """entry:
  br label %head
head:
  %result = phi {T} [ 1, %entry ], [ %next_result, %body ]
  %square = phi {T} [ %base, %entry ], [ %next_square, %body ]
  %left = phi {T} [ %exponent, %entry ], [ %next_left, %body ]
  %done = icmp eq {T} %left, 0
  br i1 %done, label %exit, label %body
body:
  %odd = trunc {T} %left to i1
  %product = mul {T} %result, %square
  %next_result = select i1 %odd, {T} %product, {T} %result
  %next_square = mul {T} %square, %square
  %next_left = lshr {T} %left, 1
  br label %head
exit:
  ret {T} %result"""

# A square counts as overflow only where it is used: not after the last bit of the exponent.
CHECKED_POWER = """entry:
  br label %head
head:
  %result = phi i64 [ 1, %entry ], [ %next_result, %body ]
  %square = phi i64 [ %base, %entry ], [ %next_square, %body ]
  %left = phi i64 [ %exponent, %entry ], [ %next_left, %body ]
  %square_bad = phi i1 [ false, %entry ], [ %next_square_bad, %body ]
  %bad = phi i1 [ false, %entry ], [ %next_bad, %body ]
  %done = icmp eq i64 %left, 0
  br i1 %done, label %exit, label %body
body:
  %odd = trunc i64 %left to i1
  %p = call {i64, i1} @llvm.smul.with.overflow.i64(i64 %result, i64 %square)
  %product = extractvalue {i64, i1} %p, 0
  %product_bad = extractvalue {i64, i1} %p, 1
  %used_bad = or i1 %product_bad, %square_bad
  %new_bad = and i1 %odd, %used_bad
  %next_bad = or i1 %bad, %new_bad
  %next_result = select i1 %odd, i64 %product, i64 %result
  %s = call {i64, i1} @llvm.smul.with.overflow.i64(i64 %square, i64 %square)
  %next_square = extractvalue {i64, i1} %s, 0
  %overflow = extractvalue {i64, i1} %s, 1
  %next_square_bad = or i1 %square_bad, %overflow
  %next_left = lshr i64 %left, 1
  br label %head
exit:
  %pair = insertvalue {i64, i1} poison, i64 %result, 0
  %answer = insertvalue {i64, i1} %pair, i1 %bad, 1
  ret {i64, i1} %answer"""

# A whole exponent of at most 100 by squaring, in the order of NumPy and of Python; all others by the C library.
COMPLEX_POWER = """entry:
  %size = call double @llvm.fabs.f64(double %c)
  %few = fcmp ole double %size, 1.000000e+02
  %whole = call double @llvm.trunc.f64(double %c)
  %exact = fcmp oeq double %whole, %c
  %real = fcmp oeq double %d, 0.0
  %plain = and i1 %exact, %real
  %short = and i1 %plain, %few
  br i1 %short, label %start, label %general
general:
  %any = call {double, double} @cpow(double %a, double %b, double %c, double %d)
  ret {double, double} %any
start:
  %count = fptosi double %size to i64
  br label %head
head:
  %re = phi double [ 1.0, %start ], [ %next_re, %body ]
  %im = phi double [ 0.0, %start ], [ %next_im, %body ]
  %square_re = phi double [ %a, %start ], [ %next_square_re, %body ]
  %square_im = phi double [ %b, %start ], [ %next_square_im, %body ]
  %left = phi i64 [ %count, %start ], [ %next_left, %body ]
  %fresh = phi i1 [ %direct, %start ], [ %next_fresh, %body ]
  %done = icmp eq i64 %left, 0
  br i1 %done, label %exit, label %body
body:
  %odd = trunc i64 %left to i1
  %rr = fmul double %re, %square_re
  %ii = fmul double %im, %square_im
  %ri = fmul double %re, %square_im
  %ir = fmul double %im, %square_re
  %product_re = fsub double %rr, %ii
  %product_im = fadd double %ri, %ir
  %taken_re = select i1 %fresh, double %square_re, double %product_re
  %taken_im = select i1 %fresh, double %square_im, double %product_im
  %next_re = select i1 %odd, double %taken_re, double %re
  %next_im = select i1 %odd, double %taken_im, double %im
  %even = xor i1 %odd, true
  %next_fresh = and i1 %fresh, %even
  %rr2 = fmul double %square_re, %square_re
  %ii2 = fmul double %square_im, %square_im
  %ri2 = fmul double %square_re, %square_im
  %next_square_re = fsub double %rr2, %ii2
  %next_square_im = fadd double %ri2, %ri2
  %next_left = lshr i64 %left, 1
  br label %head
exit:
  %first = insertvalue {double, double} poison, double %re, 0
  %result = insertvalue {double, double} %first, double %im, 1
  %below = fcmp olt double %c, 0.0
  br i1 %below, label %invert, label %give
give:
  ret {double, double} %result
invert:
  %re_size = call double @llvm.fabs.f64(double %re)
  %im_size = call double @llvm.fabs.f64(double %im)
  %wide = fcmp oge double %re_size, %im_size
  %large = select i1 %wide, double %re, double %im
  %small = select i1 %wide, double %im, double %re
  %ratio = fdiv double %small, %large
  %more = fmul double %small, %ratio
  %divisor = fadd double %large, %more
  %upper_re = select i1 %wide, double 1.0, double %ratio
  %upper_im = select i1 %wide, double %ratio, double 1.0
  %inverse_re = fdiv double %upper_re, %divisor
  %inverse = fdiv double %upper_im, %divisor
  %inverse_im = fneg double %inverse
  %half = insertvalue {double, double} poison, double %inverse_re, 0
  %inverted = insertvalue {double, double} %half, double %inverse_im, 1
  ret {double, double} %inverted"""

# Both operands below 2**53 in size are exact as floats.  Otherwise 64 bits of the quotient of the magnitudes are found
# bit by bit, what remains is folded into the last bit, and the conversion to float rounds once, to even.
QUOTIENT = """entry:
  %abs_a = call i64 @llvm.abs.i64(i64 %a, i1 false)
  %abs_b = call i64 @llvm.abs.i64(i64 %b, i1 false)
  %both = or i64 %abs_a, %abs_b
  %small = icmp ult i64 %both, 9007199254740992
  br i1 %small, label %fast, label %slow
fast:
  %float_a = sitofp i64 %a to double
  %float_b = sitofp i64 %b to double
  %direct = fdiv double %float_a, %float_b
  ret double %direct
slow:
  %zero = icmp eq i64 %a, 0
  br i1 %zero, label %nothing, label %divide
nothing:
  ret double 0.0
divide:
  %whole = udiv i64 %abs_a, %abs_b
  %rest = urem i64 %abs_a, %abs_b
  br label %head
head:
  %quotient = phi i64 [ %whole, %divide ], [ %next_quotient, %body ]
  %remainder = phi i64 [ %rest, %divide ], [ %next_remainder, %body ]
  %scale = phi double [ 1.0, %divide ], [ %next_scale, %body ]
  %full = icmp slt i64 %quotient, 0
  %enough = icmp ugt i64 %quotient, 4611686018427387903
  %stop = or i1 %full, %enough
  br i1 %stop, label %round, label %body
body:
  %twice = shl i64 %remainder, 1
  %fits = icmp uge i64 %twice, %abs_b
  %less = sub i64 %twice, %abs_b
  %next_remainder = select i1 %fits, i64 %less, i64 %twice
  %shifted = shl i64 %quotient, 1
  %bit = zext i1 %fits to i64
  %next_quotient = or i64 %shifted, %bit
  %next_scale = fmul double %scale, 0.5
  br label %head
round:
  %inexact = icmp ne i64 %remainder, 0
  %sticky = zext i1 %inexact to i64
  %mantissa = or i64 %quotient, %sticky
  %size = uitofp i64 %mantissa to double
  %magnitude = fmul double %size, %scale
  %signs = xor i64 %a, %b
  %negative = icmp slt i64 %signs, 0
  %opposite = fneg double %magnitude
  %answer = select i1 %negative, double %opposite, double %magnitude
  ret double %answer"""

# The Euler-Maclaurin formula: terms are added until `a = x + k` is large or they no longer count, then the rest of the
# sum is a**(1 - s) / (s - 1) + a**-s / 2 + a series in the Bernoulli numbers.
ZETA_HEAD = """entry:
  %floor_x = call double @llvm.floor.f64(double %x)
  %floor_s = call double @llvm.floor.f64(double %s)
  %not_positive = fcmp ole double %x, 0.0
  %whole_x = fcmp oeq double %x, %floor_x
  %whole_s = fcmp oeq double %s, %floor_s
  %pole_x = and i1 %not_positive, %whole_x
  %pole_s = fcmp oeq double %s, 1.0
  %pole = or i1 %pole_x, %pole_s
  %fractional_s = xor i1 %whole_s, true
  %complex = and i1 %not_positive, %fractional_s
  %below_one = fcmp olt double %s, 1.0
  %endless = fcmp oeq double %s, 0x7FF0000000000000
  %above_one = fcmp ogt double %x, 1.0
  %undefined = and i1 %endless, %above_one
  %no_number = fcmp uno double %x, %s
  %bad_1 = or i1 %complex, %no_number
  %bad = or i1 %bad_1, %undefined
  %minus_s = fneg double %s
  %far = fadd double %s, 12.0
  br i1 %below_one, label %nan, label %check_pole
nan:
  ret double 0x7FF8000000000000
check_pole:
  br i1 %pole, label %infinite, label %check_rest
infinite:
  ret double 0x7FF0000000000000
check_rest:
  br i1 %bad, label %nan, label %head
head:
  %sum = phi double [ 0.0, %check_rest ], [ %next_sum, %more ]
  %a = phi double [ %x, %check_rest ], [ %next_a, %more ]
  %term = call double @llvm.pow.f64(double %a, double %minus_s)
  %large = fcmp oge double %a, %far
  br i1 %large, label %tail, label %add
add:
  %next_sum = fadd double %sum, %term
  %next_a = fadd double %a, 1.0
  %size = call double @llvm.fabs.f64(double %term)
  %total = call double @llvm.fabs.f64(double %next_sum)
  %small = fmul double %total, 0x3C30000000000000
  %negligible = fcmp ole double %size, %small
  %positive = fcmp ogt double %a, 0.0
  %enough = and i1 %negligible, %positive
  br i1 %enough, label %done, label %more
more:
  br label %head
done:
  ret double %next_sum
tail:
  %s_less = fsub double %s, 1.0
  %product = fmul double %term, %a
  %integral = fdiv double %product, %s_less
  %half = fmul double %term, 0.5
  %base_1 = fadd double %sum, %integral
  %base = fadd double %base_1, %half
  %square = fmul double %a, %a
  %t0 = fdiv double %term, %a
  %f0 = fmul double %t0, %s
"""


def _zeta_series(count: int = 10) -> str:
    """Bernoulli terms B(2j) / (2j)! * s (s + 1) ... (s + 2j - 2) * a ** (1 - s - 2j), added up."""
    lines = []
    sum_, factor = "%base", "%f0"
    for j, bernoulli in enumerate(bernoulli_numbers(count), start=1):
        coefficient = float_(float(bernoulli / math.factorial(2 * j))).text
        lines += [
            f"  %b{j} = fmul double {factor}, {coefficient}",
            f"  %sum{j} = fadd double {sum_}, %b{j}",
            f"  %u{j} = fadd double %s, {float_(2.0 * j - 1).text}",
            f"  %v{j} = fadd double %s, {float_(2.0 * j).text}",
            f"  %w{j} = fmul double %u{j}, %v{j}",
            f"  %x{j} = fmul double {factor}, %w{j}",
            f"  %f{j} = fdiv double %x{j}, %square",
        ]
        sum_, factor = f"%sum{j}", f"%f{j}"
    return "\n".join([*lines, f"  ret double {sum_}"])


def bernoulli_numbers(count: int) -> list[Fraction]:
    """B(2), B(4), ..., by the recurrence over binomial coefficients."""
    from fractions import Fraction  # brings decimals with it, and few programs need either

    numbers = [Fraction(1)]
    for m in range(1, 2 * count + 1):
        total = sum((math.comb(m + 1, k) * numbers[k] for k in range(m)), Fraction(0))
        numbers.append(-total / (m + 1))
    return numbers[2::2]


def zeta(module: Module) -> str:
    uses = []
    for name, parameters in (("floor", 1), ("fabs", 1), ("pow", 2)):
        full = f"llvm.{name}.f64"
        module.declare(full, f"declare double @{full}({', '.join(['double'] * parameters)})")
        uses.append(full)
    body = ZETA_HEAD + _zeta_series()
    return defined(module, "pellucid.zeta", "double", ("double %s", "double %x"), body, uses)


def power(module: Module, type_: str) -> str:
    """The name of `base ** exponent` for exponents that are not negative, wrapping."""
    parameters = f"{type_} %base", f"{type_} %exponent"
    return defined(module, f"pellucid.power.{type_}", type_, parameters, POWER.format(T=type_), attributes=INLINED)


def checked_power(module: Module) -> str:
    """The same for i64, with a flag that says whether it wrapped."""
    product = "llvm.smul.with.overflow.i64"
    module.declare(product, f"declare {{i64, i1}} @{product}(i64, i64)")
    parameters = "i64 %base", "i64 %exponent"
    return defined(module, "pellucid.checked_power", "{i64, i1}", parameters, CHECKED_POWER, [product])


def complex_power(module: Module) -> str:
    """(a + b i) ** (c + d i) on doubles, of a base that is not zero; a product begins with the base where it is
    `direct`, else with 1.
    """
    uses = []
    for name, declared in (
        ("llvm.fabs.f64", "declare double @llvm.fabs.f64(double)"),
        ("llvm.trunc.f64", "declare double @llvm.trunc.f64(double)"),
        ("cpow", f"declare {{double, double}} @cpow({', '.join(['double'] * 4)}) memory(none) nounwind willreturn"),
    ):
        module.declare(name, declared)
        uses.append(name)
    parameters = (*(f"double %{name}" for name in "abcd"), "i1 %direct")
    return defined(module, "pellucid.complex_power", "{double, double}", parameters, COMPLEX_POWER, uses)


def quotient(module: Module) -> str:
    module.declare("llvm.abs.i64", "declare i64 @llvm.abs.i64(i64, i1)")
    return defined(module, "pellucid.quotient", "double", ("i64 %a", "i64 %b"), QUOTIENT, ["llvm.abs.i64"])


def defined(
    module: Module, name: str, result: str, parameters: Sequence[str], body: str, uses: Sequence[str] = (),
    attributes: str = OPTIMISED,
) -> str:  # fmt: skip
    module.define(LlvmDefinition(name, result, tuple(parameters), (body,), tuple(uses), attributes))
    return name

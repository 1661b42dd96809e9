"""sin, cos and tan: the nearest multiple of π (or π/2) is taken off in three parts, a polynomial does the rest.

    sin(x)    ->    (-1)^n * (r + r³ p(r²)),    x = n π + r,    |r| <= π/2
    cos(x)    ->    (-1)^n * sin(r),            x = (n - 1/2) π + r

With fused multiplication each step of x - n * part rounds once, and where digits cancel it does not round at all.
Larger x go to `far`, lane by lane.  The polynomials have the least largest error relative to the function, their
coefficients rounded one after the other.
"""

from __future__ import annotations

from .lanes import (
    ROUNDER,
    Number,
    Truth,
    choose,
    corrected_quotient,
    fast_two_sum,
    fma,
    polynomial,
    two_product,
    two_sum,
)

PI = {
    "f64": (3.141592653589793, 1.2246467991473532e-16, -2.9947698097183397e-33),
    "f32": (3.1415927410125732, -8.742277657347586e-08, -3.4302490200117637e-15),
}
INVERSE_PI = 0.3183098861837907
# Up to here n is right to a small part of 1, and n times what the three parts leave of π is too small to matter.
NEAR = {"f64": 2.0**30, "f32": 2.0**17}
# (sin(r) - r) / r³ in r², up to π/2
SIN = {
    "f64": (
        -0.16666666666666666, 0.008333333333333201, -0.0001984126984120944, 2.7557319210911486e-06,
        -2.5052106834798055e-08, 1.6058937133335512e-10, -7.642910902867057e-13, 2.7202093801796447e-15,
    ),
    "f32": (-0.16666658222675323, 0.008333035744726658, -0.0001980749366339296, 2.601265805424191e-06),
}  # fmt: skip
# the same up to π/4, and (cos(r) - 1 + r²/2) / r⁴
SHORT_SIN = (
    -0.16666666666666627, 0.00833333333332107, -0.00019841269828699767, 2.7557313299060836e-06,
    -2.505069553557434e-08, 1.5893115776224963e-10,
)  # fmt: skip
SHORT_COS = (
    0.04166666666666658, -0.0013888888888871046, 2.480158728760802e-05, -2.7557313821589205e-07,
    2.087565228362853e-09, -1.1356021016513036e-11,
)  # fmt: skip


def _far(x: Number, shift: int, half: int) -> list[Number]:
    """Call `runtime/far_angles.py` for large x; the parity is the last bit of the third number."""
    lanes, name = x.lanes, f"pellucid_far_{x.dtype}"
    lanes.declarations[name] = (
        f"declare void @{name}(ptr, ptr, ptr, ptr, i64, i64, i64) cold nounwind willreturn memory(argmem: readwrite)"
    )
    places = [lanes.place(x.type) for _ in range(4)]
    lanes.effect(f"store {x}, ptr {places[0]}")
    pointers = ", ".join(f"ptr {place}" for place in places)
    lanes.effect(f"call void @{name}({pointers}, i64 {lanes.count}, i64 {shift}, i64 {half})")
    return [Number(lanes, x.dtype, lanes.emit(f"load {x.type}, ptr {place}")) for place in places[1:]]


def _too_far(x: Number) -> Truth:
    return abs(x) > NEAR[x.dtype]


def _sine_of_turned(x: Number, half: int) -> Number:
    """sin(x + half * π/2)"""
    rounder = ROUNDER[x.dtype]
    if half:
        count = fma(x, INVERSE_PI, 0.5) + rounder
        n = (count - rounder) - 0.5
    else:
        count = fma(x, INVERSE_PI, rounder)
        n = count - rounder
    r = x
    for part in PI[x.dtype]:
        r = fma(n, -part, r)

    r, parity = x.lanes.rarely(_too_far(x), (r, count), lambda: _far(x, 0, half)[::2])
    square = r * r
    first, *others = SIN[x.dtype]
    # near π/2 the correction is as large as the result: only its leading product may round in full
    correction = fma(square, first, (square * square) * polynomial(square, others))
    size = fma(correction, r, r)
    return (size.raw() ^ (parity.raw() << (63 if x.dtype == "f64" else 31))).number()


def sin(x: Number) -> Number:
    return choose(x.equals(0.0), x, _sine_of_turned(x, 0))


def cos(x: Number) -> Number:
    return _sine_of_turned(abs(x), 1)


def tan(x: Number) -> Number:
    """Sine over cosine of what is left beside a multiple of π/2, or minus the inverse, of a remainder in two parts."""
    high, middle, low = (part / 2 for part in PI["f64"])
    count = fma(x, 2 * INVERSE_PI, ROUNDER["f64"])
    n = count - ROUNDER["f64"]
    product, product_low = two_product(n, n.like(middle))
    r, lost = two_sum(fma(n, -high, x), -product)
    rest = fma(n, -low, lost - product_low)
    r, rest, parity = x.lanes.rarely(_too_far(x), (r, rest, count), lambda: _far(x, 1, 0))
    square = r * r
    half = square * 0.5
    rough = 1.0 - half
    cosine_rest = ((1.0 - rough) - half) + fma(square * square, polynomial(square, SHORT_COS), -(r * rest))
    cosine, cosine_low = fast_two_sum(rough, cosine_rest)
    sine, sine_low = fast_two_sum(r, fma(square * r, polynomial(square, SHORT_SIN), rest * rough))
    is_odd = ~(parity.raw() & 1).is_zero()
    upper, upper_low = choose(is_odd, -cosine, sine), choose(is_odd, -cosine_low, sine_low)
    lower, lower_low = choose(is_odd, sine, cosine), choose(is_odd, sine_low, cosine_low)
    return choose(x.equals(0.0), x, corrected_quotient(upper, lower, upper_low, lower_low))

"""`np.random.default_rng(seed)` inside a function: NumPy's generator as a value, with NumPy's numbers.

    rng = np.random.default_rng(7)      a Generator: the state of PCG64, stirred from the seed
    x = rng.normal(size=3)              the numbers, and the generator moved on by what it drew

The seed is an argument or written down, so the function is as pure as one that counts in a local variable.

Sources: M. O'Neill, PCG: a family of simple fast space-efficient statistically good algorithms for random number
generation (2014); D. Lemire, Fast random integer generation in an interval (2019); NumPy's `Generator`, whose order of
draws this keeps.
"""

from dataclasses import dataclass

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import operand, strong
from .generator_families import Families
from .pcg64 import HALF, begun, high_product, stepped
from .random_bits import count_of, lengths_of
from .ziggurats import (
    EXPONENTIAL_LIMITS,
    EXPONENTIAL_TAIL,
    EXPONENTIAL_WIDTHS,
    NORMAL_LIMITS,
    NORMAL_TAIL,
    NORMAL_TAIL_INVERSE,
    NORMAL_WIDTHS,
)


@dataclass
class Generator(Families):
    """The state of PCG64 and the half of a word that is left of the last one."""

    high: np.uint64
    low: np.uint64
    add_high: np.uint64
    add_low: np.uint64
    has_half: bool
    half: np.uint64

    # --- words

    def next_word(self):
        """64 random bits."""
        self.high, self.low = stepped(self.high, self.low, self.add_high, self.add_low)
        mixed, turn = self.high ^ self.low, self.high >> np.uint64(58)
        return mixed >> turn | mixed << (np.uint64(64) - turn & np.uint64(63))

    def next_half(self):
        """32 random bits, as uint64: each word serves twice."""
        if self.has_half:
            self.has_half = False
            return self.half
        word = self.next_word()
        self.has_half, self.half = True, word >> np.uint64(32)
        return word & HALF

    def next_float(self):
        """A float64 in [0, 1)."""
        return op.cast(self.next_word() >> np.uint64(11), dtype="f64") * 2.0**-53

    def next_normal(self):
        """A number of the normal distribution."""
        while True:
            word = self.next_word()
            layer = op.cast(word & np.uint64(255), dtype="i64")
            draw = op.cast(word >> np.uint64(9) & np.uint64(2**52 - 1), dtype="i64")
            x = draw * NORMAL_WIDTHS[layer]
            x = op.where(word & np.uint64(256) != np.uint64(0), -x, x)
            if draw < NORMAL_LIMITS[layer]:
                return x
            if layer == 0:
                return self.normal_tail(draw)
            if is_under(normal_density, NORMAL_WIDTHS, 2.0**52, layer, x, self.next_float()):
                return x

    def normal_tail(self, draw):
        while True:
            beyond = -NORMAL_TAIL_INVERSE * np.log1p(-self.next_float())
            height = -np.log1p(-self.next_float())
            if height + height > beyond * beyond:
                return -(NORMAL_TAIL + beyond) if draw >> 8 & 1 else NORMAL_TAIL + beyond

    def next_exponential(self):
        """A number of the exponential distribution."""
        while True:
            word = self.next_word()
            layer = op.cast(word >> np.uint64(3) & np.uint64(255), dtype="i64")
            draw = op.cast(word >> np.uint64(11), dtype="i64")
            x = draw * EXPONENTIAL_WIDTHS[layer]
            if draw < EXPONENTIAL_LIMITS[layer]:
                return x
            if layer == 0:
                return EXPONENTIAL_TAIL - np.log1p(-self.next_float())
            if is_under(exponential_density, EXPONENTIAL_WIDTHS, 2.0**53, layer, x, self.next_float()):
                return x

    def next_below(self, most):
        """An int of 0, ..., most, a uint64, each as likely as the others."""
        if most == np.uint64(0):
            return np.uint64(0)
        if most <= HALF:
            return self.next_half() if most == HALF else self.next_half_below(most)
        if most == np.uint64(2**64 - 1):
            return self.next_word()
        count = most + np.uint64(1)
        word = self.next_word()
        left = word * count
        if left < count:
            least = (np.uint64(2**64 - 1) - most) % count
            while left < least:
                word = self.next_word()
                left = word * count
        return high_product(word, count)

    def next_half_below(self, most):
        count = most + np.uint64(1)
        product = self.next_half() * count
        if product & HALF < count:
            least = (HALF - most) % count
            while product & HALF < least:
                product = self.next_half() * count
        return product >> np.uint64(32)

    def next_masked(self, most):
        """An int of 0, ..., most, a uint64: words are cut to as many bits as `most` has, and drawn again if above."""
        mask = most
        for shift in (1, 2, 4, 8, 16, 32):
            mask = mask | mask >> np.uint64(shift)
        if most <= HALF:
            value = self.next_half() & mask
            while value > most:
                value = self.next_half() & mask
            return value
        value = self.next_word() & mask
        while value > most:
            value = self.next_word() & mask
        return value

    # --- what users call

    def random(self, size=None, dtype=float):
        """Numbers that are spread evenly over [0, 1)."""
        require_double(dtype)
        if size is None:
            return self.next_float()
        shape = lengths_of(size)
        out = np.empty(count_of(shape))
        for i in range(len(out)):
            out[i] = self.next_float()
        return op.reshape(out, shape=shape)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Numbers that are spread evenly over [low, high)."""
        shape = size_for(size, low, high)
        if np.any(operand(high - low) < 0.0):
            raise ValueError("high - low < 0")
        drawn = self.random(shape)
        return low + (high - low) * drawn

    def standard_normal(self, size=None, dtype=float):
        """Numbers of the normal distribution with mean 0 and variance 1."""
        require_double(dtype)
        if size is None:
            return self.next_normal()
        shape = lengths_of(size)
        out = np.empty(count_of(shape))
        for i in range(len(out)):
            out[i] = self.next_normal()
        return op.reshape(out, shape=shape)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Numbers of the normal distribution."""
        shape = size_for(size, loc, scale)
        require_scale(scale)
        return loc + scale * self.standard_normal(shape)

    def standard_exponential(self, size=None, dtype=float, method="zig"):
        """Numbers of the exponential distribution with mean 1."""
        require_double(dtype)
        if method not in ("zig", "inv"):
            static.refuse("T001", "the method is 'zig' or 'inv'")
        if size is None:
            return self.next_exponential() if method == "zig" else -np.log1p(-self.next_float())
        shape = lengths_of(size)
        out = np.empty(count_of(shape))
        for i in range(len(out)):
            out[i] = self.next_exponential() if method == "zig" else -np.log1p(-self.next_float())
        return op.reshape(out, shape=shape)

    def exponential(self, scale=1.0, size=None):
        """Numbers of the exponential distribution."""
        shape = size_for(size, scale, scale)
        require_scale(scale)
        return scale * self.standard_exponential(shape)

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        """Ints of low, ..., high - 1, or of 0, ..., low - 1; with `endpoint` the last one counts."""
        word = static.dtype_name(dtype)
        if word not in ("i32", "i64", "u32", "u64"):
            static.refuse("U015", "integers of 32 or 64 bits are drawn here", "draw np.int64 and convert them")
        low, high = (0, low) if high is None else (low, high)
        if static.is_array(operand(low)) or static.is_array(operand(high)):
            static.refuse("T001", "bounds of `integers` are ints here", "draw in a loop, with the bounds of each")
        low, most = int(low), int(high) if endpoint else int(high) - 1
        if low < int(static.limits(word).min):
            raise ValueError("low is out of bounds")
        if word != "u64" and most > int(static.limits(word).max):
            raise ValueError("high is out of bounds")
        if low > most:
            raise ValueError("low > high" if endpoint else "low >= high")
        start = bits_of(low)
        span = bits_of(most) - start
        if size is None:
            return op.cast(start + self.next_below(span), dtype=word)
        shape = lengths_of(size)
        out = np.empty(count_of(shape), dtype)
        for i in range(len(out)):
            out[i] = op.cast(start + self.next_below(span), dtype=word)
        return op.reshape(out, shape=shape)

    def shuffle(self, x, axis=0):
        """Bring the items of an array that the function made into random order."""
        x = np.swapaxes(x, 0, axis)
        for i in range(len(x) - 1, 0, -1):
            j = int(self.next_masked(op.cast(i, dtype="u64")))
            if static.rank(x) == 1:
                x[i], x[j] = x[j], x[i]
            else:
                kept = x[i].copy()
                x[i] = x[j]
                x[j] = kept

    def permutation(self, x, axis=0):
        """The items of an array in random order, or the ints below `x`."""
        x = operand(x)
        if not static.is_array(x) or static.rank(x) == 0:
            x = np.arange(int(x))
        if static.rank(x) == 1:
            out = x.copy()
            self.shuffle(out)
            return out
        order = np.arange(x.shape[axis])
        self.shuffle(order)
        return np.take(x, order, axis)

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Items of an array that are drawn, or ints below `a`; `p` are the probabilities of each."""
        a = operand(a)
        is_count = not static.is_array(a) or static.rank(a) == 0
        items = int(a) if is_count else a.shape[axis]
        if items <= 0 and (size is None or count_of(lengths_of(size)) > 0):
            raise ValueError("a must be a positive integer unless no samples are taken")
        if p is not None:
            if not replace:
                static.refuse("U012", "`p=` goes with `replace=True` here", "draw all at once with `replace=True`")
            places = places_below(operand(p), items, self.random(size))
        elif replace:
            places = self.integers(0, items, size)
        else:
            places = self.some_of(items, size, shuffle)
        return places if is_count else np.take(a, places, axis)

    def some_of(self, items, size, shuffle):
        """Different ints below `items`, in random order where that is asked for."""
        shape = () if size is None else lengths_of(size)
        count = count_of(shape)
        if count > items:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if items > 10000 and count > items // (50 if shuffle else 20):
            order = np.arange(items)
            self.exchange(order, max(items - count, 1))
            places = order[items - count :].copy()
        else:
            places = self.floyd(items, count)
            if shuffle:
                self.exchange(places, 1)
        return places[0] if size is None else op.reshape(places, shape=shape)

    def exchange(self, order, first):
        """Bring items into random order, from the last one to that at `first`."""
        for i in range(len(order) - 1, first - 1, -1):
            j = int(self.next_below(op.cast(i, dtype="u64")))
            order[i], order[j] = order[j], order[i]

    def floyd(self, items, count):
        """Each number is one below those that may come by now, or the last of them where that was drawn before."""
        is_drawn, places = np.zeros(items, bool), np.empty(count, np.int64)
        for k in range(count):
            last = items - count + k
            place = int(self.next_below(op.cast(last, dtype="u64")))
            if is_drawn[place]:
                place = last
            is_drawn[place] = True
            places[k] = place
        return places


def bits_of(value):
    """An int as uint64, modulo 2**64."""
    return op.cast(strong(value), dtype="u64")


def normal_density(x):
    return np.exp(-0.5 * x * x)


def exponential_density(x):
    return np.exp(-x)


def is_under(density, widths, unit, layer, x, height):
    """Whether a place between two layers is under the density."""
    upper = 1.0 if layer == 1 else density(widths[layer - 1] * unit)
    lower = density(widths[layer] * unit)
    return (upper - lower) * height + lower < density(x)


def places_below(p, items, drawn):
    if static.rank(p) != 1 or len(p) != items:
        raise ValueError("a and p must have same size")
    if np.any(p < 0.0):
        raise ValueError("Probabilities are not non-negative")
    if abs(np.sum(p) - 1.0) > 1.4901161193847656e-08:
        raise ValueError("Probabilities do not sum to 1.")
    sums = np.cumsum(p)
    return np.searchsorted(sums / sums[-1], drawn, side="right")


def size_for(size, *parameters):
    """The shape that is drawn: that of the parameters where none is asked for."""
    given = [operand(p) for p in parameters]
    if size is None and (static.is_array(given[0]) or static.is_array(given[1])):
        return np.broadcast_shapes(np.shape(given[0]), np.shape(given[1]))
    return size


def require_scale(scale):
    if np.any(np.signbit(operand(scale))):
        raise ValueError("scale < 0")


def require_double(dtype):
    if static.dtype_name(dtype) != "f64":
        static.refuse("U015", "a generator draws float64 here", "draw float64 and convert: `.astype(np.float32)`")


# --- seeds ---------------------------------------------------------------------------------------------------------


def default_rng(seed=None):
    """A generator that is begun by a seed: an int that is not negative."""
    if seed is None or static.is_sequence(seed):
        static.refuse("P005", "a generator in a function needs an int as its seed", "pass the seed as an argument")
    seed = strong(operand(seed))
    if static.is_array(seed) and static.rank(seed) > 0 or static.kind(seed) != "int":
        static.refuse("T001", "a seed is an int")
    if seed < 0:
        raise ValueError("expected non-negative integer")
    wide = op.cast(seed, dtype="u64")
    high, low, add_high, add_low = begun(op.cast(wide, dtype="u32"), op.cast(wide >> np.uint64(32), dtype="u32"))
    return Generator(high, low, add_high, add_low, False, np.uint64(0))

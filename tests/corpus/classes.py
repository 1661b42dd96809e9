"""Methods, properties and operators of records; objects that are made inside; functions with some arguments given."""

import functools
import operator
from dataclasses import InitVar, asdict, astuple, dataclass, field, replace
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True)
class Lens:
    k1: float
    k2: float = 0.05

    def apply(self, u):
        return u * (1.0 + self.k1 * u**2 + self.k2 * u**4)


@dataclass(frozen=True)
class Camera:
    """A model as people write it: parameters, properties, methods that call each other."""

    lens: Lens
    focal: float
    shift: np.ndarray
    SCALE = 2.0

    @property
    def centre(self):
        return -self.shift / self.focal

    @functools.cached_property
    def grid(self):
        return np.cos(self.shift)

    @classmethod
    def ideal(cls, shift):
        return cls(Lens(0.0, k2=0.0), 1.0, shift)

    @staticmethod
    def centred(x):
        return x - np.mean(x)

    def project(self, points):
        return self.SCALE * self.lens.apply(points * self.focal) + self.shift

    def __call__(self, points):
        return self.project(self.centred(points)) * self.grid

    def __len__(self):
        return len(self.shift)

    def __getitem__(self, i):
        return self.shift[i] * self.focal

    def __iter__(self):
        return iter((self.focal, self.shift))

    def __contains__(self, value):
        return value == self.focal


class Dual(NamedTuple):
    """Numbers with a derivative."""

    value: float
    slope: float = 0.0

    def __add__(self, other):
        other = _lifted(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __radd__(self, other):
        return self + other

    def __mul__(self, other):
        other = _lifted(other)
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    __rmul__ = __mul__

    def __neg__(self):
        return Dual(-self.value, -self.slope)

    def __sub__(self, other):
        return self + -_lifted(other)


def _lifted(number):
    return number if isinstance(number, Dual) else Dual(number)


@dataclass(frozen=True)
class Interval:
    low: float
    high: float
    width: float = field(init=False)
    scale: InitVar[float] = 1.0

    def __post_init__(self, scale):
        object.__setattr__(self, "width", (self.high - self.low) * scale)

    def __lt__(self, other):
        return self.high < other.low

    def __and__(self, other):
        if not isinstance(other, Interval):
            return NotImplemented
        return Interval(max(self.low, other.low), min(self.high, other.high))


@dataclass(order=True)
class Entry:
    key: float
    name: str = field(compare=False, default="entry")
    seen: list = field(default_factory=list)


class Filter:
    """State that changes, in an object that nobody outside sees."""

    gain = 0.5

    def __init__(self, n, rate):
        self.w = np.zeros(n)
        self.rate = rate
        self.errors = []
        self.count = 0

    @property
    def doubled(self):
        return 2.0 * self.rate

    @doubled.setter
    def doubled(self, value):
        self.rate = 0.5 * value

    def predict(self, u):
        return self.gain * (self.w @ u)

    def step(self, u, d):
        error = d - self.predict(u)
        self.w = self.w + self.rate * error * u
        self.errors.append(error)
        self.count += 1
        return error


class Leaky(Filter):
    def __init__(self, n, rate, leak=1e-2):
        super().__init__(n, rate)
        self.leak = leak

    def step(self, u, d):
        error = super().step(u, d)
        self.w *= 1.0 - self.leak
        return error


def camera_as_argument(camera, x):
    """Methods and properties of a frozen dataclass."""
    return camera.project(x) + camera.centre


def camera_made_inside(x, a):
    """A class method makes it; it is called, indexed, iterated over and measured."""
    camera = replace(Camera.ideal(x), focal=a)
    focal, shift = camera
    total = camera(x) + camera[0] + len(camera) * focal + shift
    return total if a in camera else -total


def bound_methods(camera, x):
    """Methods as values."""
    project, steps = camera.project, {"in": camera.centred, "out": lambda v: v + 1.0}
    return steps["out"](project(steps["in"](x)))


def dual_numbers(a, b):
    """Operators of a NamedTuple, on either side of a number."""
    u, v = Dual(a, 1.0), Dual(b)
    return 2.0 * u * v + u * 3.0 - v * v + 1.0


def intervals(a, b):
    """`__post_init__`, an operator that may say NotImplemented, a comparison."""
    left, right = Interval(a, a + 2.0, 3.0), Interval(b, b + 1.0)
    both = left & right
    return (both.width, left.width) if both.width > 0.0 else (left.low, 1.0 if left < right else 2.0)


def entries(x):
    """A dataclass that is not frozen: compared by its fields, changed in a loop."""
    best = Entry(x[0])
    for v in x:
        other = Entry(v, name="other")
        if best < other:
            best.key = other.key
    best.seen.append(best.key)
    return best.key, best.seen


def filtered(points, x):
    """A class with a state, in a loop over data."""
    f = Filter(3, 0.1)
    for i in range(len(x)):
        f.step(points[i], x[i])
    f.doubled = f.doubled + 1.0
    return f.w, np.array(f.errors), f.count, f.rate


def filtered_with_leak(points, x):
    """A class derived from another, which calls the method of its base."""
    f = Leaky(3, 0.1)
    total = 0.0
    for point, d in zip(points, x):
        total += f.step(point, d) ** 2
    return f.w, total


def many_objects(x):
    """Objects in a list, changed one by one."""
    filters = [Filter(1, 0.1 * k) for k in (1, 2, 3)]
    for v in x:
        for f in filters:
            f.step(np.array([v]), 1.0)
    return np.array([f.w[0] for f in filters])


def parts(camera):
    """`asdict` and `astuple` go into records."""
    tree = asdict(camera)
    (k1, k2), focal, shift = astuple(camera)
    return tree["lens"]["k1"] * shift + k2 * focal + k1, tree["focal"]


def _axpy(k, x, y=0.0):
    return k * x + y


@functools.lru_cache(maxsize=None)
def _coefficient(n):
    return 1.0 if n < 2 else n * _coefficient(n - 1)


TRIPLED = functools.partial(_axpy, 3.0)


def partial_functions(x, a):
    """Functions with some of their arguments."""
    scaled = functools.partial(_axpy, a, y=1.0)
    return scaled(x) + TRIPLED(x, y=a) + functools.partial(scaled, x, y=2.0)()


def folded(x, y, z):
    """`reduce`, `operator`, a function that keeps its results."""
    total = functools.reduce(operator.add, (x, y, z))
    largest = functools.reduce(lambda u, v: np.maximum(u, v), [x, y, z], 0.0)
    first = operator.itemgetter(0)
    return total + operator.mul(largest, _coefficient(5)) + first((x, y)) + operator.attrgetter("T")(z)


def _camera(rng, n):
    return Camera(Lens(float(rng.uniform(0.0, 0.2))), float(rng.uniform(0.5, 1.5)), rng.standard_normal(n))


ARGUMENTS = {
    "camera_as_argument": lambda rng, n: (_camera(rng, n), rng.standard_normal(n)),
    "bound_methods": lambda rng, n: (_camera(rng, n), rng.standard_normal(n)),
    "parts": lambda rng, n: (_camera(rng, n),),
}
NO_GRADIENT = {"filtered": "a count beside the numbers"}

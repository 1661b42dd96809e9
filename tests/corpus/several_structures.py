"""Values of several structures: objects of several classes, tuples of several lengths, texts and numbers."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Circle(NamedTuple):
    radius: float
    centre: np.ndarray

    def area(self):
        return 3.0 * self.radius**2 + np.sum(self.centre)

    def grown(self, k):
        return Circle(self.radius * k, self.centre)


@dataclass(frozen=True)
class Square:
    side: float
    name: str = "square"

    def area(self):
        return self.side * self.side

    def grown(self, k):
        return Square(self.side + k)


@dataclass
class Count:
    steps: int = 0

    def add(self, v):
        self.steps += 1


@dataclass
class Total:
    value: float = 0.0
    largest: float = 0.0

    def add(self, v):
        self.value += v * v
        self.largest = max(self.largest, v)


def _shape(v, x):
    return Circle(v, x) if v > 0.5 else Square(v)


def method_of_either(x, a):
    """A method of one of two classes."""
    shape = _shape(x[0], x)
    return shape.area() * a


def grown_in_turn(x, a):
    """The class changes from turn to turn."""
    shape = Square(a)
    for v in x:
        shape = shape.grown(v) if shape.area() < 1.0 else _shape(v * shape.area(), x)
    return shape.area()


def best_of_all(x, a):
    """None at first, then of the one class or of the other."""
    best = None
    for v in x:
        shape = _shape(v, x)
        if best is None or shape.area() > best.area():
            best = shape
    return best.area() * a


def told_apart(x, a):
    """`isinstance` says which attributes there are."""
    shape = _shape(x[0], x)
    if isinstance(shape, Circle):
        return shape.radius * a + shape.centre[0]
    return shape.side - a


def matched(x, a):
    """Patterns of classes and of tuples."""
    total = 0.0
    for v in x:
        match _shape(v, x) if v > 0.0 else (v, a):
            case Circle(radius=r, centre=c):
                total += r * c[0]
            case Square(side=side):
                total += side
            case (first, second):
                total += first * second
    return total


def scene(x, a):
    """A list of objects of two classes, how many is known at run time."""
    shapes = []
    for v in x:
        shapes.append(_shape(v, x))
    total = 0.0
    for shape in shapes:
        total += shape.area()
    return total * len([s for s in shapes if isinstance(s, Square)])


def sorted_scene(x, a):
    """The same, ordered by what a method gives."""
    shapes = sorted([_shape(v, x) for v in x], key=lambda s: s.area())
    return shapes[0].area() * a, np.array([s.area() for s in shapes])


def fixed_scene(x, a):
    """A list of objects of two classes, with places that the run chooses."""
    shapes = [Circle(a, x), Square(x[0])]
    chosen = shapes[0] if x[0] > 0.0 else shapes[1]
    return sum(s.area() for s in shapes) + chosen.area()


def changed_in_place(x, a):
    """One of two objects is changed, and both are looked at."""
    count, total = Count(), Total()
    for v in x:
        sink = count if v > 0.0 else total
        sink.add(v * a)
    return count.steps * a + total.value + total.largest


def tuples_of_two_lengths(x, a):
    """Unlike tuples of two lengths."""
    found = (x[0], "up") if x[0] > 0.0 else (a, x, "down")
    return found[0] * len(found) + (a if found[-1] == "down" else 2.0)


def number_or_tuple(x, a):
    """A number, or a tuple."""
    found = x[0] if x[0] > 0.0 else (x[0], a)
    return found * a if not isinstance(found, tuple) else found[0] + found[1]


def either_function(x, a):
    """One of two functions of NumPy's."""
    wave = np.sin if a > 0.0 else np.tanh
    return wave(x) * a


def labelled(x, a):
    """Items that are numbers, texts or tuples."""
    items = []
    for v in x:
        items.append(v if v > 1.0 else "small" if v > 0.0 else (v, a))
    numbers = [item for item in items if not isinstance(item, str | tuple)]
    pairs = [item for item in items if isinstance(item, tuple)]
    return sum(numbers, 0.0), sum([first * second for first, second in pairs], 0.0)


def keys_of_two_kinds(i64, a):
    """Keys that are numbers or tuples."""
    found = {}
    for i in range(len(i64)):
        found[int(i64[i])] = a
        found[int(i64[i]), 1] = a * i
    return len(found) + sum(found.values()) * (a if (int(i64[0]), 1) in found else 1.0)


def _tree(x, k):
    if k == 0:
        return "leaf"
    return (x[k % len(x)], k) if k % 2 else Square(x[0])


def of_helper(x, a):
    """What a helper returns, compared."""
    first, second = _tree(x, 0 if a > 0.0 else 1), _tree(x, 1)
    total = a if first == second else x[0]
    total += a * a if second != (x[1 % len(x)], 1) else 1.0
    return total * (a if first in ("leaf", 3) else 2.0)


def _deep(shape, x, k):
    if k == 0:
        return shape
    return _deep(Circle(shape.area(), x) if isinstance(shape, Square) else Square(shape.radius), x, k - 1)


def recursive(x, a):
    """A recursive function that takes and gives objects of two classes."""
    return _deep(Square(a), x, 3 if x[0] > 0.0 else 2).area()

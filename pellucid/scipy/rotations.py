"""Rotations of space: `scipy.spatial.transform.Rotation Slerp`, held as quaternions (x, y, z, w) of length 1.

    r = Rotation.from_euler("zyx", [90, 45, 30], degrees=True);  r.apply(v)    ->    r.as_matrix() @ v
    p * q                                                                      ->    first q, then p

One rotation has a quaternion f64[4], several a matrix of rows.  Sources: J. Diebel, Representing Attitude (2006);
E. Bernardes and S. Viollet, Quaternion to Euler angles conversion (2022); N. Higham, Computing the polar decomposition
(1986).
"""

from dataclasses import dataclass
from math import pi

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.interpolation import searchsorted
from ..numpy.manipulation import as_array, expand_dims
from .special import in_doubles

AXES = {"x": 0, "y": 1, "z": 2}
STEPS_OF_NEWTON = 12  # each doubles the digits to which a matrix is orthogonal


def doubles(x):
    return as_array(in_doubles(as_array(x)))


def joined(parts):
    """Numbers, or vectors of them, along a last axis."""
    return np.stack(parts, -1)


def elements(rows, count):
    return [rows[..., k] for k in range(count)]


def column(x):
    """With a last axis of length 1."""
    return expand_dims(as_array(x), -1)


def product(p, q):
    """Hamilton's: first q, then p."""
    (a, b, c, d), (e, f, g, h) = elements(p, 4), elements(q, 4)
    return joined([
        d * e + h * a + b * g - c * f, d * f + h * b + c * e - a * g, d * g + h * c + a * f - b * e,
        d * h - a * e - b * f - c * g,
    ])  # fmt: skip


def lengths_along(rows):
    return op.sqrt(op.sum(rows * rows, axis=static.rank(rows) - 1, keepdims=True))


def degrees_of(x, degrees):
    return x * (180.0 / pi) if degrees else x


def radians_of(x, degrees):
    return x * (pi / 180.0) if degrees else x


@dataclass(frozen=True)
class Rotations:
    quat: object

    @property
    def single(self):
        return static.rank(self.quat) == 1

    def __len__(self):
        if static.rank(self.quat) == 1:
            raise TypeError("Single rotation has no len().")
        return self.quat.shape[0]

    def __getitem__(self, place):
        if static.rank(self.quat) == 1:
            raise TypeError("Single rotation is not subscriptable.")
        return Rotations(self.quat[place])

    def __mul__(self, other):
        return Rotations(normalised(product(self.quat, other.quat)))

    def __pow__(self, n):
        return maker.from_rotvec(n * self.as_rotvec())

    def inv(self):
        return Rotations(self.quat * np.array([-1.0, -1.0, -1.0, 1.0]))

    def magnitude(self):
        x, y, z, w = elements(self.quat, 4)
        return 2.0 * op.arctan2(length_of(x, y, z), op.absolute(w))

    def as_quat(self, canonical=False, *, scalar_first=False):
        """`canonical`: the one of q and -q whose first number that is not 0, from w on, is positive."""
        found = self.quat
        if canonical:
            x, y, z, w = elements(found, 4)
            first = op.where(w != 0.0, w, op.where(x != 0.0, x, op.where(y != 0.0, y, z)))
            found = found * column(op.where(first < 0.0, -1.0, 1.0))
        return joined([found[..., 3], *elements(found, 3)]) if scalar_first else found

    def as_matrix(self):
        x, y, z, w = elements(self.quat, 4)
        rows = [
            joined([x * x - y * y - z * z + w * w, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)]),
            joined([2.0 * (x * y + z * w), y * y - x * x - z * z + w * w, 2.0 * (y * z - x * w)]),
            joined([2.0 * (x * z - y * w), 2.0 * (y * z + x * w), z * z - x * x - y * y + w * w]),
        ]
        return np.stack(rows, -2)

    def as_rotvec(self, degrees=False):
        """The axis times the angle, which is at most pi."""
        x, y, z, w = elements(self.quat, 4)
        sign = op.where(w < 0.0, -1.0, 1.0)
        size, w = length_of(x, y, z), w * sign
        angle = 2.0 * op.arctan2(size, w)
        is_small = angle <= 1e-3
        apart = op.where(is_small, 1.0, angle)
        small_angle = op.where(is_small, angle, 0.0)
        series = 2.0 + small_angle**2 / 12.0 + 7.0 * small_angle**4 / 2880.0
        scale = sign * op.where(is_small, series, apart / op.sin(0.5 * apart))
        return degrees_of(joined([x * scale, y * scale, z * scale]), degrees)

    def as_mrp(self):
        x, y, z, w = elements(self.quat, 4)
        sign = op.where(w < 0.0, -1.0, 1.0)
        below = 1.0 + w * sign
        return joined([x * sign / below, y * sign / below, z * sign / below])

    def as_euler(self, seq, degrees=False):
        """Three angles; where two axes fall together the third angle is 0."""
        places, is_intrinsic = axes_of(seq)
        if len(places) != 3:
            raise ValueError(f"Expected 3 axes, got {seq}.")
        i, j, k = places[::-1] if is_intrinsic else places
        if i == j or j == k:
            raise ValueError("Expected consecutive axes to be different")
        is_symmetric = i == k
        k = 3 - i - j if is_symmetric else k
        sign = (i - j) * (j - k) * (k - i) / 2.0
        q = elements(self.quat, 4)
        if is_symmetric:
            a, b, c, d = q[3], q[i], q[j], q[k] * sign
        else:
            a, b, c, d = q[3] - q[j], q[i] + q[k] * sign, q[j] + q[3], q[k] * sign - q[i]
        middle = 2.0 * op.arctan2(op.hypot(c, d), op.hypot(a, b))
        at_zero, at_pi = middle <= 1e-7, op.absolute(middle - pi) <= 1e-7
        apart = op.logical_not(op.logical_or(at_zero, at_pi))
        half_sum = op.arctan2(op.where(at_pi, 0.0, b), op.where(at_pi, 1.0, a))
        half_difference = op.arctan2(op.where(at_zero, 0.0, d), op.where(at_zero, 1.0, c))
        turned = 2.0 * half_difference * (1.0 if is_intrinsic else -1.0)
        first = op.where(apart, half_sum - half_difference, op.where(at_zero, 2.0 * half_sum, turned))
        third = op.where(apart, half_sum + half_difference, 0.0)
        if not is_symmetric:
            third, middle = third * sign, middle - 0.5 * pi
        found = [wrapped(third), wrapped(middle), wrapped(first)]
        return degrees_of(joined(found if is_intrinsic else found[::-1]), degrees)

    def apply(self, vectors, inverse=False):
        """Of a vector f64[3], or of one for each row of f64[n, 3]."""
        v = doubles(vectors)
        matrix = self.inv().as_matrix() if inverse else self.as_matrix()
        if static.rank(v) == 1 and static.rank(matrix) == 2:
            return op.matmul(matrix, v)
        if static.rank(matrix) == 2:
            return op.matmul(v, np.swapaxes(matrix, 0, 1))
        parts = [op.sum(matrix[:, k, :] * v, axis=1, keepdims=False) for k in range(3)]
        return joined(parts)

    def mean(self):
        """The eigenvector of the greatest eigenvalue of the sum of q q^T."""
        if static.rank(self.quat) == 1:
            return self
        _, vectors = np.linalg.eigh(op.matmul(np.swapaxes(self.quat, 0, 1), self.quat))
        return Rotations(vectors[:, 3])


def length_of(x, y, z):
    """With the derivative 0 where it is 0."""
    square = x * x + y * y + z * z
    is_some = square > 0.0
    return op.where(is_some, op.sqrt(op.where(is_some, square, 1.0)), 0.0)


def wrapped(angle):
    return angle - op.where(angle > pi, 2.0 * pi, 0.0) + op.where(angle < -pi, 2.0 * pi, 0.0)


def normalised(quat):
    size = lengths_along(quat)
    if op.any(size == 0.0):
        raise ValueError("Found zero norm quaternions in `quat`.")
    return quat / size


def axes_of(seq):
    if not static.is_static(seq) or len(seq) < 1 or len(seq) > 3:
        raise ValueError(f"Expected axis specification to be a string of 1 to 3 known characters, got {seq}")
    is_intrinsic = seq == seq.upper()
    if not is_intrinsic and seq != seq.lower():
        raise ValueError(f"Expected axes from `seq` to be from ['x', 'y', 'z'] or ['X', 'Y', 'Z'], got {seq}")
    for letter in seq.lower():
        if letter not in AXES:
            raise ValueError(f"Expected axes from `seq` to be from ['x', 'y', 'z'] or ['X', 'Y', 'Z'], got {seq}")
    return tuple([AXES[letter] for letter in seq.lower()]), is_intrinsic


def about(axis, angle):
    half = 0.5 * angle
    zero = 0.0 * half
    return joined([op.sin(half) if k == axis else zero for k in range(3)] + [op.cos(half)])


@dataclass(frozen=True)
class RotationMaker:
    """SciPy's class: what makes rotations."""

    name = "Rotation"

    def identity(self, num=None):
        one = np.array([0.0, 0.0, 0.0, 1.0])
        return Rotations(one if num is None else op.zeros(shape=(num, 4), dtype="f64") + one)

    def from_quat(self, quat, *, scalar_first=False):
        q = doubles(quat)
        if q.shape[-1] != 4:
            raise ValueError("Expected `quat` to have shape (..., 4)")
        return Rotations(normalised(joined([q[..., 1], q[..., 2], q[..., 3], q[..., 0]]) if scalar_first else q))

    def from_rotvec(self, rotvec, degrees=False):
        v = radians_of(doubles(rotvec), degrees)
        if v.shape[-1] != 3:
            raise ValueError("Expected `rot_vec` to have shape (..., 3)")
        x, y, z = elements(v, 3)
        square = x * x + y * y + z * z
        is_small = square <= 1e-6
        near, angle = op.where(is_small, square, 0.0), op.sqrt(op.where(is_small, 1.0, square))
        series = 0.5 - near / 48.0 + near * near / 3840.0
        scale = op.where(is_small, series, op.sin(0.5 * angle) / angle)
        w = op.where(is_small, 1.0 - near / 8.0 + near * near / 384.0, op.cos(0.5 * angle))
        return Rotations(joined([x * scale, y * scale, z * scale, w]))

    def from_mrp(self, mrp):
        x, y, z = elements(doubles(mrp), 3)
        square = x * x + y * y + z * z
        below = 1.0 + square
        return Rotations(joined([2.0 * x / below, 2.0 * y / below, 2.0 * z / below, (1.0 - square) / below]))

    def from_euler(self, seq, angles, degrees=False):
        """`seq`: lower case about fixed axes, upper case about those that turn along."""
        places, is_intrinsic = axes_of(seq)
        for place in range(1, len(places)):
            if places[place] == places[place - 1]:
                raise ValueError("Expected consecutive axes to be different")
        angles = radians_of(doubles(angles), degrees)
        rank = static.rank(angles)
        if (len(places) > 1 or rank > 0) and (rank == 0 or angles.shape[-1] != len(places)):
            raise ValueError(
                "Expected last dimension of `angles` to match number of sequence axes specified, got "
                f"{1 if rank == 0 else angles.shape[-1]}."
            )
        parts = [angles] if rank == 0 else elements(angles, len(places))
        found = about(places[0], parts[0])
        for axis, angle in zip(places[1:], parts[1:]):
            turn = about(axis, angle)
            found = product(found, turn) if is_intrinsic else product(turn, found)
        return Rotations(found)

    def from_matrix(self, matrix, *, assume_valid=False):
        """Of a matrix that is not orthogonal the nearest one that is."""
        m = doubles(matrix)
        if m.shape[-1] != 3 or m.shape[-2] != 3:
            raise ValueError("Expected `matrix` to have shape (..., 3, 3)")
        rows = [[m[..., i, j] for j in range(3)] for i in range(3)]
        if op.any(determinant(rows) <= 0.0):
            raise ValueError("Non-positive determinant (left-handed or null coordinate frame) in rotation matrix")
        if not assume_valid:
            for _ in tuple(range(STEPS_OF_NEWTON)):
                size, other = determinant(rows), cofactors(rows)
                rows = [[0.5 * (a + b / size) for a, b in zip(one, two)] for one, two in zip(rows, other)]
        return Rotations(of_rows(rows))


def cofactors(rows):
    return [cross(rows[1], rows[2]), cross(rows[2], rows[0]), cross(rows[0], rows[1])]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def determinant(rows):
    other = cross(rows[1], rows[2])
    return rows[0][0] * other[0] + rows[0][1] * other[1] + rows[0][2] * other[2]


def of_rows(rows):
    """By the greatest of the diagonal and the trace, so that nothing cancels."""
    (a, b, c), (d, e, f), (g, h, i) = rows
    trace = a + e + i
    by_w = joined([h - f, c - g, d - b, 1.0 + trace])
    by_x = joined([1.0 - trace + 2.0 * a, d + b, g + c, h - f])
    by_y = joined([b + d, 1.0 - trace + 2.0 * e, h + f, c - g])
    by_z = joined([c + g, f + h, 1.0 - trace + 2.0 * i, d - b])
    is_x = column(op.logical_and(a >= e, op.logical_and(a >= i, a >= trace)))
    is_y = column(op.logical_and(e >= i, e >= trace))
    is_z = column(i >= trace)
    return normalised(op.where(is_x, by_x, op.where(is_y, by_y, op.where(is_z, by_z, by_w))))


maker = RotationMaker()
Rotation = maker


@dataclass
class Slerps:
    """Between rotations at times the turn goes on evenly."""

    times: object
    rotations: Rotations
    turns: object

    def __call__(self, times):
        at = doubles(times)
        if op.any(at < self.times[0]) or op.any(at > self.times[-1]):
            raise ValueError(f"Interpolation times must be within the range [{self.times[0]}, {self.times[-1]}].")
        i = op.minimum(op.maximum(searchsorted(self.times, at, "right") - 1, 0), self.times.shape[0] - 2)
        share = (at - self.times[i]) / (self.times[i + 1] - self.times[i])
        return self.rotations[i] * maker.from_rotvec(column(share) * self.turns[i])


def Slerp(times, rotations):
    times = doubles(times)
    if times.shape[0] < 2:
        raise ValueError("`rotations` must be a sequence of at least 2 rotations.")
    if op.any(times[1:] <= times[:-1]):
        raise ValueError("Times must be in strictly increasing order.")
    return Slerps(times, rotations, (rotations[:-1].inv() * rotations[1:]).as_rotvec())

"""Four objectives of ADBench
==========================

The functions by which tools of differentiation are compared: a Gaussian mixture with a Wishart prior, bundle
adjustment, tracking a hand, and an LSTM over letters. Each is written as NumPy users write it, with loops and stores,
and its gradient is checked against central differences along a direction.

Definitions: F. Srajer, Z. Kukelova and A. Fitzgibbon, A benchmark of selected algorithmic differentiation tools on
some problems in computer vision and machine learning, Optimization Methods and Software 33 (2018).

``python samples/adbench.py [--picture FILE]``
"""

import math
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pellucid import compile, grad

# --- Gaussian mixture ----------------------------------------------------------------------------------------------


def log_sum_exp(x):
    largest = np.max(x)
    return largest + np.log(np.sum(np.exp(x - largest)))


def log_gamma_distribution(a, p):
    total = 0.25 * p * (p - 1) * math.log(math.pi)
    for j in range(1, p + 1):
        total += math.lgamma(a + 0.5 * (1 - j))
    return total


def log_wishart_prior(p, gamma, m, sums, diagonals, factors):
    """Of the inverse covariances, by their Cholesky factors; up to a constant for each component."""
    n = p + m + 1
    components = sums.shape[0]
    constant = n * p * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gamma_distribution(0.5 * n, p)
    frobenius = np.sum(diagonals**2) + np.sum(factors[:, p:] ** 2)
    return 0.5 * gamma * gamma * frobenius - m * np.sum(sums) - components * constant


def gmm(alphas, means, factors, x, gamma, m):
    """The log likelihood of points under a mixture of Gaussians.

    alphas   [K] logarithms of the weights, up to a constant
    means    [K, d]
    factors  [K, d (d + 1) / 2] of each inverse covariance: logarithms of the diagonal of its factor, then the columns
             below the diagonal
    x        [n, d] points
    """
    n, d = x.shape
    components = alphas.shape[0]
    diagonals = np.exp(factors[:, :d])
    sums = np.sum(factors[:, :d], axis=1)
    terms = np.empty((n, components))
    for k in range(components):
        factor = np.diag(diagonals[k])
        place = d
        for column in range(d - 1):
            below = d - column - 1
            factor[column + 1 :, column] = factors[k, place : place + below]
            place += below
        whitened = (x - means[k]) @ factor.T
        terms[:, k] = alphas[k] + sums[k] - 0.5 * np.sum(whitened**2, axis=1)
    largest = np.max(terms, axis=1)
    inner = np.sum(largest + np.log(np.sum(np.exp(terms - largest[:, None]), axis=1)))
    constant = -n * d * 0.5 * math.log(2.0 * math.pi)
    prior = log_wishart_prior(d, gamma, m, sums, diagonals, factors)
    return constant + inner - n * log_sum_exp(alphas) + prior


# --- bundle adjustment ---------------------------------------------------------------------------------------------


def rotated(rotation, x):
    """A point turned about an axis by the angle that is the length of the axis (Rodrigues)."""
    square = rotation @ rotation
    if square == 0.0:
        return x + np.cross(rotation, x)
    angle = math.sqrt(square)
    axis = rotation / angle
    cosine, sine = math.cos(angle), math.sin(angle)
    return x * cosine + np.cross(axis, x) * sine + axis * ((axis @ x) * (1.0 - cosine))


def projected(camera, x):
    """A point in the picture of a camera: rotation 3, center 3, focal length, principal point 2, distortion 2."""
    seen = rotated(camera[:3], x - camera[3:6])
    flat = seen[:2] / seen[2]
    square = flat @ flat
    distorted = flat * (1.0 + camera[9] * square + camera[10] * square * square)
    return distorted * camera[6] + camera[7:9]


def bundle(cameras, points, weights, observations, features):
    """The sum of squares of bundle adjustment: errors of reprojection, and of the weights of observations.

    cameras  [c, 11]   points  [p, 3]   weights  [n]   observations  [n, 2] of camera and point   features  [n, 2]
    """
    total = 0.0
    for i in range(weights.shape[0]):
        camera, point = observations[i, 0], observations[i, 1]
        error = weights[i] * (projected(cameras[camera], points[point]) - features[i])
        total += error @ error + (1.0 - weights[i] ** 2) ** 2
    return total


# --- hand tracking -------------------------------------------------------------------------------------------------


class Hand(NamedTuple):
    """A skinned model: bones with their parents, how each moves the vertices, and where those are at rest."""

    parents: np.ndarray  # [bones] -1 for the first
    relatives: np.ndarray  # [bones, 4, 4] to the parent
    inverses: np.ndarray  # [bones, 4, 4] of the absolute transforms at rest
    rest: np.ndarray  # [4, vertices], homogeneous
    weights: np.ndarray  # [bones, vertices]


def poses(theta, bones):
    """Three numbers for each bone and the hand: its rotation, scale and place, then the angles of five fingers."""
    found = np.zeros((bones + 3, 3))
    found[0] = theta[:3]
    found[1] = 1.0
    found[2] = theta[3:6]
    for finger in range(5):
        given, row = 6 + 4 * finger, 5 + 4 * finger
        found[row, 0] = theta[given]
        found[row, 1] = theta[given + 1]
        found[row + 1, 0] = theta[given + 2]
        found[row + 2, 0] = theta[given + 3]
    return found


def from_euler(angles):
    """The rotation about x, then y, then z."""
    (cx, cy, cz), (sx, sy, sz) = np.cos(angles), np.sin(angles)
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]])
    about_y = np.array([[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]])
    about_z = np.array([[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]])
    return about_z @ about_y @ about_x


def from_axis(axis):
    """The rotation about an axis by the angle that is its length."""
    angle = np.sqrt(np.sum(axis**2))
    if angle < 1e-4:
        return np.eye(3)
    x, y, z = axis / angle
    s, c = np.sin(angle), np.cos(angle)
    return np.array(
        [
            [x * x + (1.0 - x * x) * c, x * y * (1.0 - c) - z * s, x * z * (1.0 - c) + y * s],
            [x * y * (1.0 - c) + z * s, y * y + (1.0 - y * y) * c, y * z * (1.0 - c) - x * s],
            [x * z * (1.0 - c) - y * s, z * y * (1.0 - c) + x * s, z * z + (1.0 - z * z) * c],
        ]
    )


def vertices(theta, hand):
    """[vertices, 3] positions of a hand in a pose."""
    bones = hand.parents.shape[0]
    pose = poses(theta, bones)
    absolutes = np.zeros((bones, 4, 4))
    positions = np.zeros((3, hand.rest.shape[1]))
    for bone in range(bones):
        turn = np.zeros((4, 4))
        turn[:3, :3] = from_euler(pose[3 + bone])
        turn[3, 3] = 1.0
        relative = hand.relatives[bone] @ turn
        parent = hand.parents[bone]
        absolutes[bone] = relative if parent < 0 else absolutes[parent] @ relative
        moved = absolutes[bone] @ hand.inverses[bone]
        positions += (moved[:3] @ hand.rest) * hand.weights[bone]
    turned = from_axis(pose[0]) * pose[1]
    return (turned @ positions).T + pose[2]


def hand_tracking(theta, hand, correspondences, measured):
    """The sum of squared distances between measured points and the vertices that correspond to them."""
    return np.sum((measured - vertices(theta, hand)[correspondences]) ** 2)


# --- LSTM ----------------------------------------------------------------------------------------------------------


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm_step(weight, bias, hidden, cell, x):
    """One layer, whose gates each take an input and the hidden state element by element."""
    forget = sigmoid(x * weight[0] + bias[0])
    enter = sigmoid(hidden * weight[1] + bias[1])
    leave = sigmoid(x * weight[2] + bias[2])
    change = np.tanh(hidden * weight[3] + bias[3])
    cell = cell * forget + enter * change
    return leave * np.tanh(cell), cell


def lstm(main, extra, state, sequence):
    """The mean negative log likelihood of a text under an LSTM.

    main  [layers, 2, 4, c] weights and biases   extra  [3, c]   state  [layers, 2, c]   sequence  [letters, c] one-hot
    """
    layers = main.shape[0]
    state = state.copy()
    total, letters = 0.0, sequence.shape[0] - 1
    for t in range(letters):
        x = sequence[t] * extra[0]
        for layer in range(layers):
            x, state[layer, 1] = lstm_step(main[layer, 0], main[layer, 1], state[layer, 0], state[layer, 1], x)
            state[layer, 0] = x
        predicted = x * extra[1] + extra[2]
        normal = predicted - np.log(np.sum(np.exp(predicted)) + 2.0)
        total += sequence[t + 1] @ normal
    return -total / (letters * sequence.shape[1])


# --- data of the published sizes, drawn ----------------------------------------------------------------------------


def gmm_arguments(rng, d=10, components=25, n=10_000):
    factors = rng.standard_normal((components, d * (d + 1) // 2)) * 0.3
    return (rng.standard_normal(components), rng.random((components, d)), factors, rng.standard_normal((n, d)), 1.0, 0)


def bundle_arguments(rng, cameras=49, points=7776, n=31_843):
    given = np.tile([0.1, 0.1, 0.1, 0.0, 0.0, -5.0, 800.0, 400.0, 300.0, 0.01, 0.001], (cameras, 1))
    given = given * (1.0 + 0.05 * rng.standard_normal(given.shape))
    observations = np.stack([rng.integers(0, cameras, n), rng.integers(0, points, n)], axis=1)
    features = rng.uniform(200.0, 600.0, (n, 2))
    return given, rng.standard_normal((points, 3)), rng.random(n), observations, features


def hand_arguments(rng, vertices=544, measured=1000):
    parents = np.array([-1, 0, *(0 if bone % 4 == 2 else bone - 1 for bone in range(2, 22))])
    bones = len(parents)
    relatives = np.tile(np.eye(4), (bones, 1, 1))
    relatives[:, :3, 3] = 0.1 * rng.standard_normal((bones, 3))
    absolutes = np.zeros_like(relatives)
    for bone, parent in enumerate(parents):
        absolutes[bone] = relatives[bone] if parent < 0 else absolutes[parent] @ relatives[bone]
    weights = rng.random((bones, vertices))
    rest = np.concatenate([rng.standard_normal((3, vertices)), np.ones((1, vertices))])
    hand = Hand(parents, relatives, np.linalg.inv(absolutes), rest, weights / weights.sum(axis=0))
    theta = 0.3 * rng.standard_normal(26)
    return theta, hand, rng.integers(0, vertices, measured), rng.standard_normal((measured, 3))


def lstm_arguments(rng, layers=2, c=1024, letters=14):
    sequence = np.eye(c)[rng.integers(0, c, letters + 1)]
    return rng.standard_normal((layers, 2, 4, c)), rng.standard_normal((3, c)), np.zeros((layers, 2, c)), sequence


OBJECTIVES: dict[str, tuple[Callable, Callable, tuple[int, ...]]] = {
    "Gaussian mixture": (gmm, gmm_arguments, (0, 1, 2)),
    "bundle adjustment": (bundle, bundle_arguments, (0, 1, 2)),
    "hand tracking": (hand_tracking, hand_arguments, (0,)),
    "LSTM": (lstm, lstm_arguments, (0, 1)),
}


def along(function, arguments, argnums, direction, size):
    """The central difference of a function along a direction of some of its arguments."""
    moved = [list(arguments), list(arguments)]
    for k, d in zip(argnums, direction, strict=True):
        moved[0][k], moved[1][k] = arguments[k] - size * d, arguments[k] + size * d
    return (function(*moved[1]) - function(*moved[0])) / (2.0 * size)


def main():
    rng = np.random.default_rng(2018)
    print("objective                parameters    derivative along a direction    by central differences")
    for name, (function, make_arguments, argnums) in OBJECTIVES.items():
        arguments = make_arguments(rng)
        gradient = grad(function, argnums)(*arguments)
        direction = [rng.standard_normal(np.shape(arguments[k])) for k in argnums]
        slope = sum(float(np.vdot(g, d)) for g, d in zip(gradient, direction, strict=True))
        difference = along(compile(function), arguments, argnums, direction, 1e-6)
        count = sum(arguments[k].size for k in argnums)
        print(f"{name:<22} {count:>12} {slope:>31.9e} {difference:>25.9e}")


def picture():
    """How far central differences of each objective are off, by their step, and the slopes of the hand."""
    from matplotlib import pyplot

    rng = np.random.default_rng(2018)
    steps = 10.0 ** np.arange(-10.0, -1.0, 0.5)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(7.6, 3.4), layout="constrained")
    for name, (function, make_arguments, argnums) in OBJECTIVES.items():
        arguments, fast = make_arguments(rng), compile(function)
        gradient = grad(function, argnums)(*arguments)
        direction = [np.asarray(g) / np.linalg.norm(g) for g in gradient]
        slope = sum(float(np.vdot(g, d)) for g, d in zip(gradient, direction, strict=True))
        off = [abs(along(fast, arguments, argnums, direction, step) / slope - 1.0) for step in steps]
        left.loglog(steps, np.maximum(off, 1e-16), label=name)
        if name == "hand tracking":
            right.bar(range(26), gradient[0])
    left.set(xlabel="step of the difference", ylabel="relative difference from the slope")
    left.legend(fontsize="small")
    right.set(xlabel="parameter of the hand", ylabel="slope")
    return figure


if __name__ == "__main__":
    if sys.argv[1:2] == ["--picture"]:
        picture().savefig(sys.argv[2], dpi=120)
    else:
        main()

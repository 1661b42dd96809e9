"""The objectives of `samples/adbench.py` as workloads, and in JAX's own words: batched functions instead of loops."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "samples"))

import adbench  # the samples are no package


def gmm_in_jax(jax: Any) -> Callable[..., Any]:
    jnp = jax.numpy

    def gmm(alphas: Any, means: Any, factors: Any, x: Any, gamma: float, m: int) -> Any:
        n, d = x.shape
        columns, rows = np.triu_indices(d, 1)
        diagonals, sums = jnp.exp(factors[:, :d]), jnp.sum(factors[:, :d], axis=1)

        def term(alpha: Any, mean: Any, factor: Any, diagonal: Any, sum_: Any) -> Any:
            lower = jnp.diag(diagonal).at[rows, columns].set(factor[d:])
            return alpha + sum_ - 0.5 * jnp.sum(((x - mean) @ lower.T) ** 2, axis=1)

        terms = jax.vmap(term)(alphas, means, factors, diagonals, sums)
        inner = jnp.sum(jax.nn.logsumexp(terms, axis=0))
        total = d + m + 1
        log_gamma = 0.25 * d * (d - 1) * math.log(math.pi)
        log_gamma += sum(math.lgamma(0.5 * total + 0.5 * (1 - j)) for j in range(1, d + 1))
        constant = total * d * (math.log(1.0) - 0.5 * math.log(2.0)) - log_gamma
        frobenius = jnp.sum(diagonals**2) + jnp.sum(factors[:, d:] ** 2)
        prior = 0.5 * gamma * gamma * frobenius - m * jnp.sum(sums) - alphas.shape[0] * constant
        return -n * d * 0.5 * math.log(2.0 * math.pi) + inner - n * jax.nn.logsumexp(alphas) + prior

    return lambda alphas, means, factors, x, gamma, m: gmm(alphas, means, factors, x, gamma, 0)


def reprojection_in_jax(jax: Any) -> Callable[..., Any]:
    """How far a point is from where a camera saw it, weighted."""
    jnp = jax.numpy

    def error(camera: Any, point: Any, weight: Any, feature: Any) -> Any:
        rotation, x = camera[:3], point - camera[3:6]
        angle = jnp.sqrt(rotation @ rotation)
        axis, cosine, sine = rotation / angle, jnp.cos(angle), jnp.sin(angle)
        seen = x * cosine + jnp.cross(axis, x) * sine + axis * ((axis @ x) * (1.0 - cosine))
        flat = seen[:2] / seen[2]
        square = flat @ flat
        pixel = flat * (1.0 + camera[9] * square + camera[10] * square * square) * camera[6] + camera[7:9]
        return weight * (pixel - feature)

    return error


def bundle_in_jax(jax: Any) -> Callable[..., Any]:
    jnp, reprojection = jax.numpy, reprojection_in_jax(jax)

    def error(camera: Any, point: Any, weight: Any, feature: Any) -> Any:
        missed = reprojection(camera, point, weight, feature)
        return missed @ missed + (1.0 - weight**2) ** 2

    def bundle(cameras: Any, points: Any, weights: Any, observations: Any, features: Any) -> Any:
        seen = cameras[observations[:, 0]], points[observations[:, 1]]
        return jnp.sum(jax.vmap(error)(*seen, weights, features))

    return bundle


def hand_in_jax(jax: Any) -> Callable[..., Any]:
    jnp = jax.numpy

    def poses(theta: Any, bones: int) -> Any:
        fingers = theta[6:].reshape(5, 4)
        none = jnp.zeros((5,))
        first = jnp.stack([fingers[:, 0], fingers[:, 1], none], axis=1)
        others = [jnp.stack([fingers[:, k], none, none], axis=1) for k in (2, 3)]
        rows = jnp.stack([first, *others, jnp.zeros((5, 3))], axis=1).reshape(20, 3)
        found = jnp.zeros((bones + 3, 3)).at[5:25].set(rows)
        return found.at[0].set(theta[:3]).at[1].set(1.0).at[2].set(theta[3:6])

    def from_euler(angles: Any) -> Any:
        (cx, cy, cz), (sx, sy, sz) = jnp.cos(angles), jnp.sin(angles)
        about_x = jnp.array([[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]])
        about_y = jnp.array([[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]])
        return jnp.array([[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]]) @ about_y @ about_x

    def from_axis(axis: Any) -> Any:
        angle = jnp.sqrt(jnp.sum(axis**2))
        unit = axis / angle
        x, y, z = unit
        cross = jnp.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        outer = jnp.outer(unit, unit)
        return outer + jnp.cos(angle) * (jnp.eye(3) - outer) + jnp.sin(angle) * cross

    def hand_tracking(theta: Any, hand: Any, correspondences: Any, measured: Any) -> Any:
        bones = hand.parents.shape[0]
        pose = poses(theta, bones)
        turns = jnp.zeros((bones, 4, 4)).at[:, :3, :3].set(jax.vmap(from_euler)(pose[3:])).at[:, 3, 3].set(1.0)
        relatives = hand.relatives @ turns

        def place(bone: Any, absolutes: Any) -> Any:
            parent = hand.parents[bone]
            found = jnp.where(parent < 0, relatives[bone], absolutes[parent] @ relatives[bone])
            return absolutes.at[bone].set(found)

        moved = jax.lax.fori_loop(0, bones, place, jnp.zeros((bones, 4, 4))) @ hand.inverses
        positions = jnp.einsum("bij,jv,bv->iv", moved[:, :3], hand.rest, hand.weights)
        found = (from_axis(pose[0]) * pose[1] @ positions).T + pose[2]
        return jnp.sum((measured - found[correspondences]) ** 2)

    return hand_tracking


def lstm_in_jax(jax: Any) -> Callable[..., Any]:
    jnp = jax.numpy

    def cell_of(weight: Any, bias: Any, hidden: Any, cell: Any, x: Any) -> Any:
        forget, leave = jax.nn.sigmoid(x * weight[0] + bias[0]), jax.nn.sigmoid(x * weight[2] + bias[2])
        enter, change = jax.nn.sigmoid(hidden * weight[1] + bias[1]), jnp.tanh(hidden * weight[3] + bias[3])
        cell = cell * forget + enter * change
        return leave * jnp.tanh(cell), cell

    def lstm(main: Any, extra: Any, state: Any, sequence: Any) -> Any:
        def letter(state: Any, pair: Any) -> Any:
            x, rows = pair[0] * extra[0], []
            for layer in range(main.shape[0]):
                x, cell = cell_of(main[layer, 0], main[layer, 1], state[layer, 0], state[layer, 1], x)
                rows.append(jnp.stack([x, cell]))
            predicted = x * extra[1] + extra[2]
            return jnp.stack(rows), pair[1] @ (predicted - jnp.log(jnp.sum(jnp.exp(predicted)) + 2.0))

        _, terms = jax.lax.scan(letter, state, (sequence[:-1], sequence[1:]))
        return -jnp.sum(terms) / ((sequence.shape[0] - 1) * sequence.shape[1])

    return lstm


JAX_VERSIONS = {"gmm": gmm_in_jax, "bundle": bundle_in_jax, "hand": hand_in_jax, "lstm": lstm_in_jax}

ROWS = (
    ("Gaussian mixture, d = 10, K = 25, n = 10 000", "gmm", adbench.gmm, adbench.gmm_arguments, 0.35),
    ("LSTM, 2 layers, c = 1024", "lstm", adbench.lstm, adbench.lstm_arguments, 0.3),
    ("hand tracking, 26 parameters", "hand", adbench.hand_tracking, adbench.hand_arguments, 0.3),
    ("bundle adjustment, 31 843 observations", "bundle", adbench.bundle, adbench.bundle_arguments, 0.3),
)

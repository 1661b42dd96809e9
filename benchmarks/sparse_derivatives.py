"""Sparse Jacobians and Hessians as workloads; JAX has dense ones, or the blocks of each residual."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import objectives


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def a_point(rng):
    return (rng.standard_normal(1000),)


def bundle_residuals(cameras, points, weights, observations, features):
    """The residuals of bundle adjustment: errors of reprojection [n, 2], and of the weights of observations [n]."""
    n = weights.shape[0]
    errors, priors = np.empty((n, 2)), np.empty(n)
    for i in range(n):
        camera, point = observations[i, 0], observations[i, 1]
        errors[i] = weights[i] * (objectives.adbench.projected(cameras[camera], points[point]) - features[i])
        priors[i] = 1.0 - weights[i] ** 2
    return errors, priors


def bundle_blocks_in_jax(jax: Any) -> Callable[..., Any]:
    """For each observation the derivatives of its residuals by its camera, its point and its weight."""
    error = objectives.reprojection_in_jax(jax)

    def blocks(cameras: Any, points: Any, weights: Any, observations: Any, features: Any) -> Any:
        seen = cameras[observations[:, 0]], points[observations[:, 1]]
        errors = jax.vmap(jax.jacrev(error, argnums=(0, 1, 2)))(*seen, weights, features)
        return errors, jax.vmap(jax.grad(lambda weight: 1.0 - weight**2))(weights)

    return blocks


JAX_VERSIONS = {"bundle_blocks": bundle_blocks_in_jax}

"""The no-U-turn sampler, recursive as published, on a correlated Gaussian with a funnel.

Hoffman & Gelman, *The No-U-Turn Sampler*, JMLR 15 (2014), algorithm 3.
"""
import numpy as np


def log_density(theta, precision):
    return -0.5 * theta @ precision @ theta - 0.1 * np.sum(theta**4)


def gradient(theta, precision):
    return -precision @ theta - 0.4 * theta**3


def leapfrog(theta, r, epsilon, precision):
    r = r + 0.5 * epsilon * gradient(theta, precision)
    theta = theta + epsilon * r
    r = r + 0.5 * epsilon * gradient(theta, precision)
    return theta, r


def build_tree(theta, r, log_u, v, j, epsilon, precision, rng):
    if j == 0:
        theta_new, r_new = leapfrog(theta, r, v * epsilon, precision)
        joint = log_density(theta_new, precision) - 0.5 * r_new @ r_new
        n_new = int(log_u <= joint)
        s_new = int(log_u < joint + 1000)
        return theta_new, r_new, theta_new, r_new, theta_new, n_new, s_new
    th_minus, r_minus, th_plus, r_plus, th_new, n_new, s_new = build_tree(
        theta, r, log_u, v, j - 1, epsilon, precision, rng)
    if s_new == 1:
        if v == -1:
            th_minus, r_minus, _, _, th_2, n_2, s_2 = build_tree(
                th_minus, r_minus, log_u, v, j - 1, epsilon, precision, rng)
        else:
            _, _, th_plus, r_plus, th_2, n_2, s_2 = build_tree(
                th_plus, r_plus, log_u, v, j - 1, epsilon, precision, rng)
        if rng.random() < n_2 / max(n_new + n_2, 1):
            th_new = th_2
        dth = th_plus - th_minus
        s_new = s_2 * int(dth @ r_minus >= 0) * int(dth @ r_plus >= 0)
        n_new += n_2
    return th_minus, r_minus, th_plus, r_plus, th_new, n_new, s_new


def nuts(theta0, precision, epsilon, n_samples, seed):
    rng = np.random.default_rng(seed)
    samples = np.empty((n_samples, len(theta0)))
    theta = theta0
    for m in range(n_samples):
        r0 = rng.normal(size=len(theta0))
        joint = log_density(theta, precision) - 0.5 * r0 @ r0
        log_u = joint - rng.exponential()
        th_minus = th_plus = theta
        r_minus = r_plus = r0
        j, n, s = 0, 1, 1
        while s == 1 and j < 8:
            v = 1 if rng.random() < 0.5 else -1
            if v == -1:
                th_minus, r_minus, _, _, th_new, n_new, s_new = build_tree(
                    th_minus, r_minus, log_u, v, j, epsilon, precision, rng)
            else:
                _, _, th_plus, r_plus, th_new, n_new, s_new = build_tree(
                    th_plus, r_plus, log_u, v, j, epsilon, precision, rng)
            if s_new == 1 and rng.random() < n_new / n:
                theta = th_new
            n += n_new
            dth = th_plus - th_minus
            s = s_new * int(dth @ r_minus >= 0) * int(dth @ r_plus >= 0)
            j += 1
        samples[m] = theta
    return samples.mean(axis=0), samples


ENTRY = "nuts"


def make_arguments(rng, n):
    A = rng.normal(size=(2, 2))
    return np.array([0.3, -0.4]), A @ A.T + np.eye(2), 0.2, 2 * n, 11


GRADIENT = ()
ERRORS = []

"""The NIST reference problems of nonlinear regression
===================================================

They are fitted with Jacobians that Pellucid derives. Each problem of the Statistical Reference Datasets comes with two
starting points and with parameters certified to eleven digits. A model is written once, for one observation; its
derivative gives one row of the Jacobian, and a compiled loop over the observations gives all of it. Models, data and
certified values: https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml (public domain).

``python samples/nist.py [--picture FILE]``
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pellucid import compile, value_and_grad

DATA = Path(__file__).resolve().parent / "data"
AGREEMENT_WANTED = 6.0


class Problem(NamedTuple):
    """One file of the collection: two starts and the certified parameters, each (k,); observations x, y, each (n,)."""

    name: str
    starts: tuple
    certified: np.ndarray
    x: np.ndarray
    y: np.ndarray


class Fit(NamedTuple):
    """Where a fit ended: parameters (k,), the residual sum of squares, and the Jacobians it took."""

    parameters: np.ndarray
    residual_sum: float
    evaluations: int


# The models, each for one observation x and parameters b: f64[k].


def rise(b, x):
    return b[0] * (1.0 - np.exp(-b[1] * x))


def power(b, x):
    return b[0] * x ** b[1]


def chwirut(b, x):
    return np.exp(-b[0] * x) / (b[1] + b[2] * x)


def two_peaks(b, x):
    decay = b[0] * np.exp(-b[1] * x)
    first = b[2] * np.exp(-((x - b[3]) ** 2) / b[4] ** 2)
    second = b[5] * np.exp(-((x - b[6]) ** 2) / b[7] ** 2)
    return decay + first + second


def three_decays(b, x):
    total = 0.0
    for i in range(0, 6, 2):
        total += b[i] * np.exp(-b[i + 1] * x)
    return total


def mgh09(b, x):
    return b[0] * (x**2 + x * b[1]) / (x**2 + x * b[2] + b[3])


def mgh10(b, x):
    return b[0] * np.exp(b[1] / (x + b[2]))


def mgh17(b, x):
    return b[0] + b[1] * np.exp(-x * b[3]) + b[2] * np.exp(-x * b[4])


def cubic_ratio(b, x):
    return (b[0] + b[1] * x + b[2] * x**2 + b[3] * x**3) / (1.0 + b[4] * x + b[5] * x**2 + b[6] * x**3)


def quadratic_ratio(b, x):
    return (b[0] + b[1] * x + b[2] * x**2) / (1.0 + b[3] * x + b[4] * x**2)


def cycles(b, x):
    turn = 2.0 * np.pi * x
    year = b[1] * np.cos(turn / 12.0) + b[2] * np.sin(turn / 12.0)
    slow = b[4] * np.cos(turn / b[3]) + b[5] * np.sin(turn / b[3])
    fast = b[7] * np.cos(turn / b[6]) + b[8] * np.sin(turn / b[6])
    return b[0] + year + slow + fast


def sigmoid_growth(b, x):
    return b[0] / (1.0 + np.exp(b[1] - b[2] * x)) ** (1.0 / b[3])


def gaussian_peak(b, x):
    return b[0] / b[1] * np.exp(-0.5 * ((x - b[2]) / b[1]) ** 2)


def bennett5(b, x):
    return b[0] * (b[1] + x) ** (-1.0 / b[2])


def roszman1(b, x):
    return b[0] - b[1] * x - np.arctan(b[2] / (x - b[3])) / np.pi


MODELS = {
    "Misra1a": rise,
    "DanWood": power,
    "Chwirut2": chwirut,
    "Gauss1": two_peaks,
    "Lanczos1": three_decays,
    "Lanczos3": three_decays,
    "MGH09": mgh09,
    "MGH10": mgh10,
    "MGH17": mgh17,
    "Thurber": cubic_ratio,
    "Hahn1": cubic_ratio,
    "Kirby2": quadratic_ratio,
    "ENSO": cycles,
    "Rat43": sigmoid_growth,
    "Eckerle4": gaussian_peak,
    "BoxBOD": rise,
    "Bennett5": bennett5,
    "Roszman1": roszman1,
}


def linearised(model):
    """The compiled function (b, x, y) -> residuals (n,) and their Jacobian (n, k) for `model`."""

    @compile
    def residuals_and_jacobian(b, x, y):
        n = x.shape[0]
        residuals = np.empty(n)
        jacobian = np.empty((n, b.shape[0]))
        for i in range(n):
            value, row = value_and_grad(model)(b, x[i])
            residuals[i] = value - y[i]
            jacobian[i] = row
        return residuals, jacobian

    return lambda b, x, y: tuple(np.asarray(part) for part in residuals_and_jacobian(b, x, y))


def read_problem(name):
    """Read samples/data/NAME.dat."""
    text = (DATA / f"{name}.dat").read_text(encoding="ascii")
    parameters = re.findall(r"^\s*b\d+\s*=\s*(\S+)\s+(\S+)\s+(\S+)\s+\S+\s*$", text, re.MULTILINE)
    table = np.array(parameters, dtype=np.float64)
    observations = text[text.rindex("Data:") :].splitlines()[1:]
    y, x = np.array([line.split() for line in observations if line.strip()], dtype=np.float64).T
    return Problem(name, (table[:, 0], table[:, 1]), table[:, 2], x.copy(), y.copy())


def full_step(jacobian, residuals, scale):
    """The step of Gauss and Newton: the least squares solution of J step = -r, columns scaled to comparable size."""
    return np.linalg.lstsq(jacobian / scale, -residuals, rcond=1e-15)[0] / scale


def step_within(jacobian, residuals, scale, radius):
    """The step that minimises |J step + r| among those with |scale * step| <= radius.

    With J / scale = U S V^T and c = -U^T r, the damped minimiser is V (S c / (S^2 + damping)).  Its length falls as the
    damping grows; the damping at which it is the radius, to a tenth, is found by bisection of the logarithm.
    """
    step = full_step(jacobian, residuals, scale)
    if np.linalg.norm(scale * step) <= radius:
        return step
    left, stretch, right = np.linalg.svd(jacobian / scale, full_matrices=False)
    target = stretch * -(residuals @ left)
    high = np.linalg.norm(target) / radius
    low = 1e-40 * high
    scaled = target / (stretch**2 + high)
    for _ in range(100):
        damping = np.sqrt(low * high)
        scaled = target / (stretch**2 + damping)
        length = np.linalg.norm(scaled)
        if abs(length - radius) <= 0.1 * radius:
            break
        if length > radius:
            low = damping
        else:
            high = damping
    return right.T @ scaled / scale


def levenberg_marquardt(linear, start, x, y, most=5000):
    """Least squares by Levenberg and Marquardt, as a trust region whose axes are scaled by the columns of the Jacobian.

    After J. J. More, "The Levenberg-Marquardt algorithm: implementation and theory" (1978).  Raises RuntimeError when
    `most` Jacobians were not enough.
    """
    b = start.copy()
    residuals, jacobian = linear(b, x, y)
    cost = residuals @ residuals
    scale = np.linalg.norm(jacobian, axis=0)
    radius = np.linalg.norm(scale * b)
    for evaluation in range(2, most):
        step = step_within(jacobian, residuals, scale, radius)
        if np.all(np.abs(step) <= 1e-9 * np.abs(b)):
            return polished(linear, b, x, y, evaluation)
        trial = b + step
        trial_residuals, trial_jacobian = linear(trial, x, y)
        trial_cost = trial_residuals @ trial_residuals
        promised = cost - np.sum((jacobian @ step + residuals) ** 2)
        finite = np.isfinite(trial_cost) and np.all(np.isfinite(trial_jacobian))
        gain = (cost - trial_cost) / promised if finite and promised > 0.0 else -1.0
        length = np.linalg.norm(scale * step)
        if gain < 0.25:
            radius = 0.5 * length
        elif gain > 0.75:
            radius = max(radius, 2.0 * length)
        if gain > 1e-4:
            b, residuals, jacobian, cost = trial, trial_residuals, trial_jacobian, trial_cost
            scale = np.maximum(scale, np.linalg.norm(jacobian, axis=0))
    raise RuntimeError(f"no convergence after {most} evaluations")


def polished(linear, b, x, y, evaluation):
    """Full steps from near the minimum, where the sum of squares is too flat to judge them, while they shrink."""
    last: float | np.floating = np.inf
    while True:
        residuals, jacobian = linear(b, x, y)
        scale = np.linalg.norm(jacobian, axis=0)
        step = full_step(jacobian, residuals, scale)
        length = np.linalg.norm(scale * step)
        if not length < 0.9 * last:
            return Fit(b, residuals @ residuals, evaluation)
        b, last, evaluation = b + step, length, evaluation + 1


def agreeing_digits(found, certified):
    """The digits in which every parameter agrees with its certified value, at most the 11 that are certified."""
    error = np.max(np.abs(found - certified) / np.abs(certified))
    return 11.0 if error == 0.0 else min(11.0, -np.log10(error))


def report(problem, number, fit):
    """Print the parameters of one fit beside the certified ones."""
    digits = agreeing_digits(fit.parameters, problem.certified)
    print(f"{problem.name} from start {number}: {digits:.1f} digits agree, {fit.evaluations} evaluations")
    for k, (found, certified) in enumerate(zip(fit.parameters, problem.certified)):
        print(f"    b{k + 1}  {found: .10e}   certified {certified: .10e}")
    return digits


def main():
    results = []
    with np.errstate(all="ignore"):
        for name, model in MODELS.items():
            problem = read_problem(name)
            linear = linearised(model)
            for number, start in enumerate(problem.starts, start=1):
                fit = levenberg_marquardt(linear, start, problem.x, problem.y)
                results.append(report(problem, number, fit))
    enough = sum(digits >= AGREEMENT_WANTED for digits in results)
    print(f"{enough} of {len(results)} fits agree in at least {AGREEMENT_WANTED:.0f} digits; worst {min(results):.1f}")


def picture(names=("Gauss1", "MGH17", "ENSO", "Thurber", "Eckerle4", "Rat43")):
    """The observations of some problems, and the fits from the first start."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 3, figsize=(9.0, 5.2), layout="constrained")
    with np.errstate(all="ignore"):
        for place, name in zip(axes.flat, names):
            problem, model = read_problem(name), MODELS[name]
            fit = levenberg_marquardt(linearised(model), problem.starts[0], problem.x, problem.y)
            curve = np.linspace(np.min(problem.x), np.max(problem.x), 300)
            place.plot(problem.x, problem.y, ".", markersize=4, color="gray")
            place.plot(curve, [model(fit.parameters, x) for x in curve])
            place.set(title=name, xticks=[], yticks=[])
    return figure


if __name__ == "__main__":
    main()
    if sys.argv[1:2] == ["--picture"]:
        picture().savefig(sys.argv[2], dpi=120)

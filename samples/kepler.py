"""A while loop: Newton's iteration for Kepler's equation
======================================================

The equation is E - e sin(E) = M. The loop runs until it has converged, so its trip count depends on the data; the
derivative runs it again backwards from a tape. The implicit function theorem gives the answer to compare with:
dE/dM = 1 / (1 - e cos(E)).

``python samples/kepler.py [--picture FILE]``
"""

import math
import sys

from pellucid import compile, value_and_grad


@compile
def kepler(mean_anomaly, eccentricity):
    e = mean_anomaly
    delta = 1.0
    while abs(delta) > 1e-13:
        delta = (e - eccentricity * math.sin(e) - mean_anomaly) / (1.0 - eccentricity * math.cos(e))
        e = e - delta
    return e


def main():
    slopes = value_and_grad(kepler, argnums=(0, 1))
    print("   M      e      E             dE/dM         dE/de         error of both")
    for mean_anomaly in (0.3, 1.2, 2.5):
        for eccentricity in (0.1, 0.6):
            anomaly, (by_mean, by_eccentricity) = slopes(mean_anomaly, eccentricity)
            exact = 1.0 / (1.0 - eccentricity * math.cos(anomaly))
            error = max(abs(by_mean - exact), abs(by_eccentricity - exact * math.sin(anomaly)))
            print(
                f"{mean_anomaly:5.2f}  {eccentricity:5.2f}  {anomaly:12.9f}  {by_mean:12.9f}  {by_eccentricity:12.9f}"
                f"  {error:.1e}"
            )
    print("\nThe derivative, as Pellucid wrote it:\n")
    print(slopes.source("reverse", 1.2, 0.6))


def picture():
    """The anomaly and its slope by the mean anomaly, for three eccentricities."""
    import numpy as np
    from matplotlib import pyplot

    slopes = value_and_grad(kepler)
    means = np.linspace(0.01, 2.0 * math.pi - 0.01, 200)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(7.6, 3.4), layout="constrained")
    for eccentricity in (0.1, 0.5, 0.8):
        values, by_mean = zip(*(slopes(float(mean), eccentricity) for mean in means))
        left.plot(means, values, label=f"e = {eccentricity}")
        right.plot(means, by_mean)
    left.set(xlabel="M", ylabel="E")
    right.set(xlabel="M", ylabel="dE/dM")
    left.legend()
    return figure


if __name__ == "__main__":
    main()
    if sys.argv[1:2] == ["--picture"]:
        picture().savefig(sys.argv[2], dpi=120)

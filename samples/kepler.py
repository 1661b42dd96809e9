"""Differentiate a `while` loop: Newton's iteration for Kepler's equation, E - e sin(E) = M.

The loop runs until it has converged, so its trip count depends on the data; the derivative runs it again backwards
from a tape.  The implicit function theorem gives the answer to compare with: dE/dM = 1 / (1 - e cos(E)).
"""

import math

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


if __name__ == "__main__":
    main()

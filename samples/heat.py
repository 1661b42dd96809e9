"""Heat on a plate, updated in place
=================================

A simulation that updates an array in place is differentiated as it stands. The update is linear in the temperatures, so
their derivative saves nothing at all; with respect to the conductivity one array is saved, indexed by the time step.

``python samples/heat.py [--picture FILE]``
"""

import sys

import numpy as np

from pellucid import compile, grad


@compile
def heat(u, steps, alpha):
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + alpha * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        )
    return np.sum(u**2)


def main():
    plate = np.zeros((33, 33))
    plate[12:20, 12:20] = 1.0
    steps, alpha = 100, 0.2

    by_plate = np.asarray(grad(heat)(plate, steps, alpha))
    by_alpha = float(grad(heat, argnums=2)(plate, steps, alpha))
    width = 1e-5
    difference = (heat(plate, steps, alpha + width) - heat(plate, steps, alpha - width)) / (2.0 * width)
    print(f"energy after {steps} steps: {heat(plate, steps, alpha):.6f}")
    print(f"slope by conductivity:  {by_alpha:.9f}   by central difference {difference:.9f}")
    # The energy is a quadratic form of the plate: half of plate times slope gives it back.
    print(f"half of plate . slope:  {0.5 * np.sum(plate * by_plate):.6f}")

    print("\nThe derivative with respect to the plate, as Pellucid wrote it:\n")
    print(grad(heat).source("reverse", plate, steps, alpha))


def picture():
    """The plate at the start, and by how much each point of it counts for the energy at the end."""
    from matplotlib import pyplot

    plate = np.zeros((33, 33))
    plate[12:20, 12:20] = 1.0
    slope = grad(heat)(plate, 100, 0.2)
    figure, axes = pyplot.subplots(1, 2, figsize=(7.6, 3.4), layout="constrained")
    for place, values, title in zip(axes, (plate, slope), ("temperature at the start", "slope of the energy")):
        figure.colorbar(place.imshow(values, cmap="inferno"), ax=place)
        place.set(title=title, xticks=[], yticks=[])
    return figure


if __name__ == "__main__":
    main()
    if sys.argv[1:2] == ["--picture"]:
        picture().savefig(sys.argv[2], dpi=120)

"""A recurrence that fills an array
================================

The array is filled element by element, and is itself the record: every element is written once, so the backward sweep
reads what the forward sweep wrote and no tape is needed.

``python samples/cascade.py [--picture FILE]``
"""

import math
import sys

import numpy as np

from pellucid import compile, grad, value_and_grad


@compile
def cascade(x, k):
    n = x.shape[0]
    y = np.zeros(n)
    y[0] = x[0]
    for i in range(1, n):
        y[i] = math.tanh(k * y[i - 1]) + x[i]
    return y[n - 1]


def main():
    slopes = value_and_grad(cascade, argnums=(0, 1))
    x = np.linspace(-1.0, 1.0, 8)
    last, (x_bar, k_bar) = slopes(x, 0.9)
    print(f"the last element is {float(last):.9f}; its slope by k is {float(k_bar):.9f}, and by each input")
    print(np.round(np.asarray(x_bar), 6))

    width = 1e-6
    difference = (cascade(x, 0.9 + width) - cascade(x, 0.9 - width)) / (2.0 * width)
    print(f"by central difference the slope by k is {float(difference):.9f}")

    print("\nThe derivative, as Pellucid wrote it:\n")
    print(slopes.source("reverse", x, 0.9))
    print("A million elements take the same code: no length is compiled in.")
    long_last, (long_bar, _) = slopes(np.full(1_000_000, 0.01), 0.9)
    print(f"last element {float(long_last):.9f}, slopes by the last inputs {np.round(np.asarray(long_bar)[-3:], 6)}")


def picture():
    """How far back the last element remembers: its slopes by each input, for three strengths of the coupling."""
    from matplotlib import pyplot

    x = 0.1 * np.sin(np.linspace(0.0, 9.0, 60))
    figure, axes = pyplot.subplots(figsize=(6.4, 3.4), layout="constrained")
    for k in (0.7, 0.9, 1.0):
        axes.semilogy(grad(cascade)(x, k), label=f"k = {k}")
    axes.set(xlabel="index of the input", ylabel="slope of the last element")
    axes.legend()
    return figure


if __name__ == "__main__":
    main()
    if sys.argv[1:2] == ["--picture"]:
        picture().savefig(sys.argv[2], dpi=120)

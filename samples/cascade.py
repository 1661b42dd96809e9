"""Differentiate a recurrence that fills an array element by element: the array itself is the record.

Every element is written once, so the backward sweep reads what the forward sweep wrote and no tape is needed.
"""

import math

import numpy as np

from pellucid import compile, value_and_grad


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


if __name__ == "__main__":
    main()

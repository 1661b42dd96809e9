"""What becomes of an array expression
===================================

It is typed, fused into one loop nest over memory, and made machine code. In NumPy this activation function makes five
temporary arrays; in the loops stage there are none.

``python samples/selu.py [--picture FILE]``
"""

import sys

import numpy as np

from pellucid import compile, grad


@compile
def selu(x, alpha, lam):
    return lam * np.where(x > 0, x, alpha * np.exp(x) - alpha)


def main():
    x = np.random.default_rng(5).normal(size=(300, 200)).astype(np.float32)
    alpha, lam = 1.6732632, 1.0507010

    for stage in ("typed", "loops"):
        print(f"# --- the {stage} stage ---\n")
        print(selu.source(stage, x, alpha, lam))
    assembly = selu.source("asm", x, alpha, lam)
    print(f"# --- the asm stage has {len(assembly.splitlines())} lines ---\n")

    activated = np.asarray(selu(x, alpha, lam))
    expected = lam * np.where(x > 0, x, alpha * np.exp(x) - alpha)
    difference = np.max(np.abs(activated - expected))
    print(f"{activated.dtype} {activated.shape}, largest difference from NumPy {difference:.1e}")
    print(f"the printed loops run in plain Python too: {np.asarray(selu.debug('loops')(x[:2, :3], alpha, lam))}")


def picture():
    """The function and its slope."""
    from matplotlib import pyplot

    x = np.linspace(-4.0, 3.0, 400)
    slope = grad(lambda v: np.sum(selu(v, 1.6732632, 1.0507010)))
    figure, axes = pyplot.subplots(figsize=(5.2, 3.4), layout="constrained")
    axes.plot(x, selu(x, 1.6732632, 1.0507010), label="selu")
    axes.plot(x, slope(x), label="its slope")
    axes.legend()
    return figure


if __name__ == "__main__":
    main()
    if sys.argv[1:2] == ["--picture"]:
        picture().savefig(sys.argv[2], dpi=120)

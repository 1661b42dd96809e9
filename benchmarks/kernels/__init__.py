"""Well-known kernels in plain in-place NumPy, written from their definitions; `kernel_gradients.py` measures them."""

from . import learning, products, solvers, stencils
from .kernel import Kernel, objective

KERNELS = [*products.KERNELS, *solvers.KERNELS, *stencils.KERNELS, *learning.KERNELS]

__all__ = ["KERNELS", "Kernel", "objective"]

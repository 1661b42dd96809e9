"""Quantiles of families that have no formula for them: by halving intervals, as exactly as distribution functions are.

    skewnorm.ppf(q, a)    ->    z with below(z, a) = q;  its derivatives are those of that equation
"""

from dataclasses import dataclass

import numpy as np

from ..compiler.ops import primitives as op
from .distributions import Continuous, is_open
from .implicit import roots_of


@dataclass(frozen=True)
class Solved(Continuous):
    """What has `below`, `above` and no `quantile`."""

    def quantile(self, q, *shape):
        return self.solved(self.below, 1.0, q, shape)

    def upper_quantile(self, q, *shape):
        return self.solved(self.above, -1.0, q, shape)

    def solved(self, function, sense, q, shape):
        """Where the function, which grows for the sense 1 and falls for -1, is q."""

        def one(q, *shape):
            low, high = self.ends(*shape)
            middle = self.within(*shape) * 1.0
            if is_open(low):
                step = 1.0
                while sense * (function(middle - step, *shape) - q) > 0.0 and step < 1e300:
                    step = step * 2.0
                low = middle - step
            if is_open(high):
                step = 1.0
                while sense * (function(middle + step, *shape) - q) < 0.0 and step < 1e300:
                    step = step * 2.0
                high = middle + step
            middle = 0.5 * (low + high)
            while low < middle and middle < high:
                if sense * (function(middle, *shape) - q) < 0.0:
                    low = middle
                else:
                    high = middle
                middle = 0.5 * (low + high)
            return middle

        found = op.stop_gradient(np.vectorize(one)(q, *shape))
        return roots_of(lambda z: function(z, *shape) - q, found)

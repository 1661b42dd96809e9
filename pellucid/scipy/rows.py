"""What a function of vectors gives for all rows of arrays, as tests of `scipy.stats` take an `axis`.

    along_rows(test, 0, x, y)    ->    test(x[:, j], y[:, j]) for each j, a vector of statistics and one of p-values
"""

from ..compiler.ops import static
from ..numpy.manipulation import as_array, moveaxis, ravel
from ..numpy.stacks import over_stacks
from .special import of_floats


def along_rows(test, axis, *samples):
    """(statistic, p-value), numbers or arrays of the shape without the axis; `None`: of all elements."""
    rows = []
    for sample in samples:
        x = of_floats(as_array(sample))
        rows.append(ravel(x) if axis is None else moveaxis(x, static.axis_of(axis, static.rank(x)), -1))
    word = static.of_functions(static.common(*rows))
    return over_stacks(test, [(word, ()), (word, ())], *[(row, 1) for row in rows])

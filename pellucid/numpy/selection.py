"""Selection: neighbours of the sorted order, and parts on both sides of one, without sorting all of it.

    two_in_order(x, k)    ->    [sort(x)[k], sort(x)[k + 1]]    of which the second one is the last element at the end
    parted(x, k)          ->    what is less than sort(x)[k], what is equal, what is greater

One pass over the elements: bounds from a sorted sample hold the neighbours between them, and only what lies there is
sorted.  Where the sample does not tell, everything is.

Source: R. Floyd, R. Rivest, Expected time bounds for selection (1975).
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..custom import custom_jvp
from .manipulation import as_array, total
from .reductions import count_nonzero
from .sorting import argsort, order_of, require_no_fields, sort

FEW = 2000  # elements that are sorted outright
MARGIN = 3.0  # standard deviations of the rank of an element of the sample


def found_in_order(values, k):
    n = values.shape[0]
    if n <= FEW:
        return from_sorted(sort(values), k)
    step = int(n ** (1.0 / 3.0))
    sample = sort(values[::step])
    near, most = k // step, sample.shape[0] - 1
    margin = int(MARGIN * most**0.5) + 1
    low, high = sample[max(near - margin, 0)], sample[min(near + margin, most)]
    below = count_nonzero(values < low) if near > margin else 0
    inside = op.empty(shape=(n,), dtype=static.element(values))
    count = 0
    is_first, is_last = near <= margin, near + margin >= most
    for i in range(n):
        if (is_first or values[i] >= low) and (is_last or values[i] <= high):
            inside[count] = values[i]
            count += 1
    if below <= k and k + 1 < below + count:
        return from_sorted(sort(inside[:count]), k - below)
    return from_sorted(sort(values), k)


def from_sorted(ordered, k):
    """The element at a place and the one after it."""
    found = op.empty(shape=(2,), dtype=static.element(ordered))
    if ordered.shape[0] > 0:
        found[0] = ordered[k]
        found[1] = ordered[min(k + 1, ordered.shape[0] - 1)]
    return found


two_in_order = custom_jvp(found_in_order, nondiff_argnums=(1,))


@two_in_order.defjvp
def slopes_in_order(k, primals, tangents):
    (values,), (values_dot,) = primals, tangents
    order = order_of(values)
    return found_in_order(values, k), from_sorted(values_dot[order], k)


def parted(values, k):
    """Sorted parts where an element is nan: it is greater than none."""
    pivot = two_in_order(op.stop_gradient(values), k)[0]
    if pivot != pivot:
        return sort(values)
    found = op.empty(shape=values.shape, dtype=static.element(values))
    count = 0
    for i in range(values.shape[0]):
        if values[i] < pivot:
            found[count] = values[i]
            count += 1
    for i in range(values.shape[0]):
        if values[i] == pivot:
            found[count] = values[i]
            count += 1
    for i in range(values.shape[0]):
        if not values[i] <= pivot:
            found[count] = values[i]
            count += 1
    return found


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """The parts on both sides of an element of a vector; of anything else all sorted, which no partition excludes."""
    a = as_array(a)
    require_places(a, kth, axis)
    if static.rank(a) == 1 and static.rank(kth) == 0 and static.kind(a) in ("float", "int"):
        require_no_fields(order)
        return parted(a, kth if kth >= 0 else kth + a.shape[0])
    return sort(a, axis, None, order)


def partition_method(a, kth, axis=-1, kind="introselect", order=None):
    """`x.partition(k)`, which changes `x`."""
    a[...] = partition(a, kth, axis, kind, order)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    a = as_array(a)
    require_places(a, kth, axis)
    return argsort(a, axis, None, order)


def require_places(a, kth, axis):
    length = total(a.shape) if axis is None else a.shape[static.axis_of(axis, static.rank(a))]
    for k in kth if static.is_sequence(kth) else (kth,):
        if static.rank(k) != 0:
            static.refuse("T001", "the places of np.partition are ints, one or a tuple of them")
        if k >= length or k < -length:
            raise ValueError(f"kth(={k + length if k < 0 else k}) out of bounds ({length})")

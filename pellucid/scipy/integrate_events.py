"""Events of an initial value problem: where functions of time and state pass through zero.

    hit(t, y) = y[0],  hit.terminal = True     ->     the time in the step with y[0] = 0, at which the solution ends
"""

from .implicit import root_of
from .integrate_dense import between
from .optimize_roots import RTOL, shrunk


def limits_of(event):
    """After how many times an event ends the solution, None for never, and in which direction it counts."""
    terminal = getattr(event, "terminal", None)
    direction = getattr(event, "direction", 0.0)
    if terminal is None or terminal == 0:
        return None, direction
    if int(terminal) != terminal or terminal < 0:
        raise ValueError("The `terminal` attribute of each event must be a boolean or positive integer.")
    return int(terminal), direction


def happened(before, after, direction):
    """Whether a function passed through zero in this direction; any, if that is 0."""
    up, down = before <= 0.0 and after >= 0.0, before >= 0.0 and after <= 0.0
    return up if direction > 0 else down if direction < 0 else up or down


def times_of(events, limits, counts, active, step, t_new, direction):
    """The times of the events that are active, whether the solution ends with one of them, and the time of that."""
    method, t, h, y, polynomial = step
    is_last, t_stop = False, t_new
    roots = []
    for k, event in enumerate(events):
        root = t_new
        if active[k]:
            at = lambda when, event=event: event(when, between(method, t, h, y, polynomial, when)) * 1.0  # noqa: E731
            root = root_of(at, shrunk(at, t, t_new, RTOL, RTOL, 100, "brentq")[0])
            counts[k] += 1
            if limits[k][0] is not None:
                ends = counts[k] >= limits[k][0] and (not is_last or direction * (root - t_stop) < 0.0)
                t_stop = root if ends else t_stop
                is_last = is_last or ends
        roots.append(root)
    return roots, is_last, t_stop

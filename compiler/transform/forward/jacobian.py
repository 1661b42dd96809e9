"""The steps from a program to that of its Jacobians: ask whether they exist, write it, and choose what it returns.

    f(x) -> {"a": y}     ->     {"a": jacobian of y by x}, which has the axes of y and then those of x

The results are put together as JAX does it: the structure of the result, at each of its leaves that of the arguments.
"""

from __future__ import annotations

from dataclasses import replace

from ... import types
from ...frontend.specialise.derivatives.rules import expand
from ...frontend.specialise.specialised import Specialised
from ...frontend.specialise.values import (
    NONE,
    Column,
    Leaf,
    ListOut,
    Out,
    Rows,
    Sequence,
    Value,
    leaves,
    map_leaves,
    parts,
)
from ..derivatives import (
    Wanted,
    check_argnums,
    check_differentiable,
    check_holomorphic,
    chosen,
    chosen_parts,
    fault,
    floats_of,
    keep_results,
    require_real_results,
    slopes_of,
    split,
    with_value,
)


def has_jacobian(made: Specialised, wanted: Wanted) -> Specialised:
    """Raise a GradientError where the Jacobian asked for does not exist."""
    check_argnums(made, wanted)
    check_holomorphic(made, wanted)
    for name, value in chosen_parts(made, wanted):
        check_differentiable(made, wanted.where, name, value)
        _require_real(made, wanted, name, value)
    if wanted.transform.holomorphic:
        require_real_results(made, wanted, [made.program.main.results[k] for k in _outputs(made, wanted)])
    for value in (*chosen(made, wanted), made.result):
        if _has_list(value):
            fault(wanted.where, "G004", "a list of many items, or one that grows, has no Jacobian here",
                  ("make an array of it: `np.array(...)`",))  # fmt: skip
    return made


def _require_real(made: Specialised, wanted: Wanted, name: str, value: Value) -> None:
    """Forwards, a complex argument has a direction for each of its parts, of which a Jacobian gives one number."""
    types_ = [made.program.main.types[leaf.name] for leaf in leaves(value) if isinstance(leaf, Leaf)]
    found = None if wanted.transform.holomorphic else next(filter(types.of_complex, types_), None)
    if found is not None:
        fault(wanted.where, "G001", f"a Jacobian is by real numbers, and `{name}` is {found}",
              ("for the derivative of an analytic function use holomorphic=True",
               "take the parts as two arguments"))  # fmt: skip


def _has_list(value: Value) -> bool:
    return isinstance(value, Column | Rows | ListOut) or any(_has_list(part) for _, part in parts(value))


def along_directions(made: Specialised, wanted: Wanted) -> Specialised:
    """All results of the program, then the Jacobians of its floats by the leaves of the arguments that were chosen."""
    from .directions import jacobians

    wrt, outputs = floats_of(made, chosen(made, wanted)), _outputs(made, wanted)
    return replace(made, program=jacobians(made.program, wrt, outputs, expand))


def choose_jacobians(made: Specialised, wanted: Wanted) -> Specialised:
    """Return what was asked for, in the order in which the structure of the result mentions it."""
    values, many = chosen(made, wanted), isinstance(wanted.transform.argnums, tuple)
    value, auxiliary = split(made, wanted)
    outputs, count = _outputs(made, wanted), len(floats_of(made, values))
    first = len(made.program.main.results) - len(outputs) * count

    def block(part: Value, _: tuple) -> Value:
        if not isinstance(part, Out) or part.index not in outputs:
            return NONE
        found = slopes_of(made, values, first + outputs.index(part.index) * count)
        return Sequence(found) if many else found[0]

    jacobian = map_leaves(value, block)
    program, result = keep_results(made.program, with_value(wanted, value, auxiliary, jacobian))
    return replace(made, program=program, result=result)


def _outputs(made: Specialised, wanted: Wanted) -> list[int]:
    """The positions of the floats among the results that have a Jacobian."""
    value, _ = split(made, wanted)
    results = made.program.main.results if made.program.main.results else ()
    found = (leaf.index for leaf in leaves(value) if isinstance(leaf, Out))
    return list(dict.fromkeys(k for k in found if types.is_floating(results[k])))

"""Results of the program of one device that may be made where they belong: in a buffer for what all devices make.

    result = np.empty(n)   ...   return result        ->    owner = call ptr @pellucid_new_result(..., 0)
                                                            data = call ptr @pellucid_data(owner)

That holds for an array that is made by one statement, which runs once, and that is one of the results.  The routine
(`runtime/native/wholes.c`) makes an ordinary array where there is no such buffer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import gast

from ... import syntax
from ...program import Function
from .abi import ITEM_BYTES
from .arrays import ALLOCATION_ERRORS, CONTEXT, LAST_CODE, View, lengths_in_memory
from .frame import Emission
from .operands import SsaValue, int_


def numbers_of_results(function: Function) -> dict[str, int]:
    """The arrays that are made by one statement of the body itself and returned once, and which results they are."""
    changed = Counter(n for s in syntax.walk(function.body) for n in syntax.names_changed(s))
    last = function.body[-1]
    if not isinstance(last, gast.Return) or not isinstance(last.value, gast.Tuple):
        return {}
    returned = [atom.id if isinstance(atom, gast.Name) else "" for atom in last.value.elts]
    made = {s.targets[0].id for s in function.body if _makes_array(s)}
    return {n: k for k, n in enumerate(returned) if n in made and changed[n] == 1 and returned.count(n) == 1}


def _makes_array(statement: gast.stmt) -> bool:
    if not isinstance(statement, gast.Assign) or not isinstance(statement.targets[0], gast.Name):
        return False
    return bool(syntax.operator_of(statement.value) == "empty")


def allocate_result(frame: Emission, dtype: str, dims: Sequence[SsaValue], number: int) -> View:
    """A new C array with undefined elements, which is the result of this number."""
    code, module = frame.code, frame.module
    module.declare("pellucid_new_result", "declare noalias ptr @pellucid_new_result(ptr, i64, i64, ptr, i64)")
    module.declare("pellucid_data", "declare noalias ptr @pellucid_data(ptr)")
    lengths = lengths_in_memory(frame, dims)
    owner = code.call(
        "ptr", "pellucid_new_result", CONTEXT, int_(ITEM_BYTES[dtype]), int_(len(dims)), lengths, int_(number)
    )
    frame.fail_by_code(code.compare("ult", owner, LAST_CODE), owner, ALLOCATION_ERRORS)
    return View(dtype, owner, code.call("ptr", "pellucid_data", owner), tuple(dims), None)

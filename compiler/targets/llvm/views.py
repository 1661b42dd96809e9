"""Views in native code: slices after Python's rules, transposes, reshapes.  A view shares the buffer of its base.

    v = a[1:, None, ::-1]             ->    data + offset; lengths (n - 1, 1, m); strides (s0, 0, -s1)
    v = transpose(a, axes=(1, 0))     ->    lengths and strides in another order
    v = reshape(a, shape=(n, m))      ->    other lengths over the same elements in C order
"""

from __future__ import annotations

import gast

from ...analysis.integers.view_lengths import keeps_c_order, transposed_axes
from ...diagnostics import InternalError
from .abi import LENGTH_LIMIT, STORED
from .arrays import View, checked_index, read, strides_of
from .expressions import lower_int
from .frame import Emission
from .operands import SsaValue, int_


def index_view(frame: Emission, node: gast.Subscript) -> View:
    """`a[items]` with slices, new axes and ints; trailing axes that are not named stay whole."""
    code, base = frame.code, read(frame, node.value.id)
    steps = strides_of(frame, base)
    items = list(node.slice.elts) if isinstance(node.slice, gast.Tuple) else [node.slice]
    offset = int_(0)
    dims: list[SsaValue] = []
    strides: list[SsaValue] = []
    axis = 0
    for item in items:
        match item:
            case gast.Constant(value=None):
                dims.append(int_(1))
                strides.append(int_(0))
                continue
            case gast.Slice():
                start, length, step = slice_parts(frame, item, base.dims[axis])
                dims.append(length)
                strides.append(steps[axis] if step.text == "1" else code.binary("mul", steps[axis], step))
                # an empty axis has no first element: its start may lie outside
                start = start if start.text == "0" else code.select(code.compare("eq", length, int_(0)), int_(0), start)
            case _:
                start = checked_index(frame, lower_int(frame, item), base.dims[axis], axis, None)
        if start.text != "0":
            offset = code.binary("add", offset, code.binary("mul", start, steps[axis]))
        axis += 1
    dims += base.dims[axis:]
    strides += steps[axis:]
    data = base.data if offset.text == "0" else code.offset(STORED[base.dtype], base.data, offset)
    in_order = base.strides is None and keeps_c_order(items)
    return View(base.dtype, base.owner, data, tuple(dims), None if in_order else tuple(strides))


def slice_parts(frame: Emission, item: gast.Slice, length: SsaValue) -> tuple[SsaValue, SsaValue, SsaValue]:
    """Start, count and step of a slice, as `slice.indices` gives them."""
    code = frame.code
    step = int_(1) if item.step is None else lower_int(frame, item.step)
    if step.text == "0":
        frame.fail("ValueError", "slice step cannot be zero", (), ())
        return int_(0), length, int_(1)
    if not step.text.lstrip("-").isdigit():
        frame.fail_if(code.compare("eq", step, int_(0)), "ValueError", "slice step cannot be zero")
    if item.lower is None and item.upper is None and step.text == "1":
        return int_(0), length, step
    backward = code.compare("slt", step, int_(0))
    before_first = code.select(backward, int_(-1), int_(0))
    last_start = code.select(backward, code.binary("sub", length, int_(1)), length)
    start = code.select(backward, last_start, int_(0))
    stop = code.select(backward, int_(-1), length)
    if item.lower is not None:
        start = _clamped(frame, lower_int(frame, item.lower), length, before_first, last_start)
    if item.upper is not None:
        stop = _clamped(frame, lower_int(frame, item.upper), length, before_first, last_start)
    return start, _count(frame, start, stop, step, backward), step


def _clamped(frame: Emission, bound: SsaValue, length: SsaValue, low: SsaValue, high: SsaValue) -> SsaValue:
    """A bound counted from the end where negative, then held in range."""
    code = frame.code
    negative = code.compare("slt", bound, int_(0))
    from_end = code.binary("add", bound, length)
    raised = code.select(code.compare("slt", from_end, int_(0)), low, from_end)
    lowered = code.select(code.compare("sgt", bound, high), high, bound)
    return code.select(negative, raised, lowered)


def _count(frame: Emission, start: SsaValue, stop: SsaValue, step: SsaValue, backward: SsaValue) -> SsaValue:
    """How many steps lead from start towards stop; the arithmetic is unsigned, as a step may be the least int."""
    code = frame.code
    way = code.select(backward, code.binary("sub", start, stop), code.binary("sub", stop, start))
    some = code.compare("sgt", way, int_(0))
    if step.text in ("1", "-1"):
        return code.select(some, way, int_(0))
    size = code.select(backward, code.binary("sub", int_(0), step), step)
    whole = code.binary("udiv", code.binary("sub", way, int_(1)), size)
    return code.select(some, code.binary("add", whole, int_(1)), int_(0))


def transposed(frame: Emission, node: gast.Call) -> View:
    base = read(frame, node.args[0].id)
    steps = strides_of(frame, base)
    axes = transposed_axes(node)
    strides = None if axes == sorted(axes) and base.strides is None else tuple(steps[a] for a in axes)
    return View(base.dtype, base.owner, base.data, tuple(base.dims[a] for a in axes), strides)


def reshaped(frame: Emission, node: gast.Call) -> View:
    """The same elements under other lengths; the count of elements must agree."""
    code, base = frame.code, read(frame, node.args[0].id)
    if base.strides is not None:
        raise InternalError("llvm", gast.dump(node), "reshape of an array that is not contiguous")
    shape = next(k.value for k in node.keywords if k.arg == "shape")
    dims = [lower_int(frame, e) for e in (shape.elts if isinstance(shape, gast.Tuple) else [shape])]
    for dim in dims:
        frame.fail_if(code.compare("slt", dim, int_(0)), "ValueError", "negative dimensions are not allowed")
        frame.fail_if(code.compare("sgt", dim, int_(LENGTH_LIMIT)), "MemoryError", "a length of {} is too large", dim)
    had = element_count(frame, base.dims)
    wanted = int_(1)
    for dim in dims:
        wanted, wrapped = code.overflowing("umul", wanted, dim)
        _fail_reshape(frame, wrapped, had)
    _fail_reshape(frame, code.compare("ne", wanted, had), had)
    return View(base.dtype, base.owner, base.data, tuple(dims), None)


def _fail_reshape(frame: Emission, condition: SsaValue, had: SsaValue) -> None:
    frame.fail_if(condition, "ValueError", "cannot reshape array of size {} into the shape asked for", had)


def element_count(frame: Emission, dims: tuple[SsaValue, ...]) -> SsaValue:
    total = int_(1)
    for dim in dims:
        total = frame.code.binary("mul", total, dim)
    return total

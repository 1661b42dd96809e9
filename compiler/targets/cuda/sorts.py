"""What a driver has for a stable sort of keys (`runtime/kernels/sorting.py`).

    for shift in digits_of(largest):
        f_2[sort_parts(n)](keys, shift, counts)
        f_3[1, 1024](counts)
        f_4[sort_parts(n)](keys, order, shift, counts, new_keys, new_order)
        keys, new_keys = new_keys, keys
        order, new_order = new_order, order
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...records import dataclass
from .trees import expression, python
from .writing import like

if TYPE_CHECKING:
    from .driving import DriverWriter


@dataclass(frozen=True, slots=True, eq=False)
class Sorted:
    """The names of arrays: keys, what comes with them, room for the next pass, counts, and the runs of keys."""

    keys: str
    order: str
    new_keys: str
    new_order: str
    counts: str
    firsts: str
    ends: str

    @staticmethod
    def named(driver: DriverWriter) -> Sorted:
        wanted = ("keys", "order", "new_keys", "new_order", "counts", "firsts", "ends")
        names = [driver.names.fresh(name) for name in wanted]
        for name in names:
            driver.extra[name] = f"i64[{name}_length]"
        return Sorted(*names)

    def allocated(self, count: gast.expr) -> list[gast.stmt]:
        """The keys and what comes with them."""
        return [
            made
            for name in (self.keys, self.order)
            for made in python("{a} = cuda.device_array({n}, np.int64)", a=name, n=count)
        ]


def sorted_by(
    driver: DriverWriter, by: Sorted, count: gast.expr, largest: gast.expr, loop: gast.stmt
) -> list[gast.stmt]:
    """Keys of 0 to `largest` in their order, and what comes with them."""
    driver.need("sort_parts")
    parts = expression("sort_parts({n})", n=count)
    made = [
        s
        for name in (by.new_keys, by.new_order)
        for s in python("{a} = cuda.device_array({n}, np.int64)", a=name, n=count)
    ]
    made += python("{c} = cuda.device_array(256 * {p}[0], np.int64)", c=by.counts, p=parts)
    shift = driver.names.fresh("shift")
    driver.extra[shift] = "int"
    body = _calling(driver, "count_digits", (by.keys, shift, by.counts), parts, loop)
    body += _calling(driver, "sum_counts", (by.counts,), expression("1, 1024"), loop)
    moved = (by.keys, by.order, shift, by.counts, by.new_keys, by.new_order)
    body += _calling(driver, "place_by_digits", moved, parts, loop)
    body += python("{a}, {b} = {b}, {a}", a=by.keys, b=by.new_keys)
    body += python("{a}, {b} = {b}, {a}", a=by.order, b=by.new_order)
    passes = expression("{digits_of}({n})", digits_of=driver.need("digits_of"), n=largest)
    return [*made, gast.For(syntax.target(shift), passes, body, [], None)]


def marked_runs(
    driver: DriverWriter, by: Sorted, count: gast.expr, places: gast.expr, loop: gast.stmt
) -> list[gast.stmt]:
    """Where the run of each key begins and ends in the sorted keys; both are 0 where there is none."""
    made = [
        s
        for name in (by.firsts, by.ends)
        for s in python("{a} = cuda.device_array({n}, np.int64)", a=name, n=places)
    ]
    i = driver.local("i")
    writer = driver.writer({i})
    writer.parameters |= dict.fromkeys((by.firsts, by.ends))
    cleared = python("{f}[{i}] = 0\n{e}[{i}] = 0", f=by.firsts, e=by.ends, i=i)
    body = python("{i} = cuda.grid(1)", i=i)
    body.append(gast.If(expression("{i} < {f}.shape[0]", i=i, f=by.firsts), cleared, []))
    elements = driver.need("elements")
    made += driver.launched(writer, body, expression("{e}({n})", e=elements, n=places), loop)
    shape = expression("{e}({n})", e=elements, n=count)
    return made + _calling(driver, "mark_runs", (by.keys, by.firsts, by.ends), shape, loop)


def _calling(
    driver: DriverWriter, helper: str, arguments: tuple[str, ...], shape: gast.expr, loop: gast.stmt
) -> list[gast.stmt]:
    """The launch of a kernel that calls a function of the device."""
    writer = driver.writer(set())
    writer.parameters |= dict.fromkeys(arguments)
    call = gast.Call(syntax.name(driver.need(helper)), [syntax.name(name) for name in arguments], [])
    return list(driver.launched(writer, [like(gast.Expr(call), loop)], shape, loop))

"""Which devices have each part of an array, in a box of characters.

    ┌───────┬───────┐
    │ cpu:0 │ cpu:1 │
    ├───────┼───────┤
    │ cpu:2 │ cpu:3 │
    └───────┴───────┘
"""

from __future__ import annotations

import html
import sys
from dataclasses import dataclass
from typing import Any

from .shardings import Index, Sharding


@dataclass(frozen=True)
class Picture:
    """The words for every part, by row and column."""

    cells: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        width = max(len(cell) for row in self.cells for cell in row) + 2
        columns = len(self.cells[0])

        def rule(left: str, middle: str, right: str) -> str:
            return left + middle.join(["─" * width] * columns) + right

        rows = ["│" + "│".join(cell.center(width) for cell in row) + "│" for row in self.cells]
        inner = f"\n{rule('├', '┼', '┤')}\n".join(rows)
        return f"{rule('┌', '┬', '┐')}\n{inner}\n{rule('└', '┴', '┘')}"

    def _repr_html_(self) -> str:
        cell = '<td style="border: 1px solid; padding: 1em; text-align: center">'
        rows = "".join(f"<tr>{''.join(f'{cell}{html.escape(c)}</td>' for c in row)}</tr>" for row in self.cells)
        return f"<table>{rows}</table>"

    def show(self) -> None:
        """Print it; a notebook shows the table."""
        notebook: Any = sys.modules.get("IPython")
        if notebook is not None and type(notebook.get_ipython()).__name__ == "ZMQInteractiveShell":
            notebook.display.display(self)
        else:
            print(self)


def picture_of(shape: tuple[int, ...], sharding: Sharding) -> Picture:
    """The devices that have each part of an array.  Raises ValueError where it has not one or two dimensions."""
    if len(shape) not in (1, 2):
        raise ValueError(f"an array of one or two dimensions is shown, not of {len(shape)}")
    parts: dict[tuple[int, ...], list[str]] = {}
    for device, index in sharding.devices_indices_map(shape).items():
        parts.setdefault(_first(index), []).append(str(device))
    if len(shape) == 1:
        parts = {(0, *place): told for place, told in parts.items()}
    rows, columns = (sorted({place[axis] for place in parts}) for axis in (0, 1))
    return Picture(tuple(tuple(_told(parts[row, column]) for column in columns) for row in rows))


def _first(index: Index) -> tuple[int, ...]:
    """Where a part begins."""
    return tuple(part.start or 0 for part in index)


def _told(names: list[str]) -> str:
    """Devices of one kind by their numbers: `cpu:0,1`."""
    kinds = {name.partition(":")[0] for name in names}
    if len(kinds) > 1:
        return ",".join(names)
    return f"{kinds.pop()}:{','.join(name.partition(':')[2] for name in names)}"

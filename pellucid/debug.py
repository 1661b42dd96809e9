"""Looking at where things are, under the names of `jax.debug`."""

from __future__ import annotations

from typing import Any

from .runtime.sharding.picture import Picture, picture_of


def visualize_array_sharding(array: Any) -> None:
    """Print which devices have each part of an array of one or two dimensions, in a box of characters.

    In a notebook it is shown as a table.  Raises ValueError for an array of more dimensions.
    """
    visualize_sharding(array.shape, array.sharding)


def visualize_sharding(shape: tuple[int, ...], sharding: Any) -> None:
    """The same for an array of this shape that is cut so."""
    shown: Picture = picture_of(tuple(shape), sharding)
    shown.show()

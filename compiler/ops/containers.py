"""What the library's dicts, sets and deques ask of the specialiser, which alone knows what their items are like.

    make_room(self, key, value)     ->     nothing, once the lists of `self` can hold a key and a value like these

The containers are classes written in the language (`pellucid/numpy/python_dicts.py` and its neighbours); the functions
here have no meaning in CPython, where nothing calls them.
"""

from __future__ import annotations

from typing import Any


def make_room(container: Any, *item: Any) -> None:
    """The lists of a container can hold such an item from here on, as they could from where it was made."""
    raise NotImplementedError


def append_anything(items: Any) -> None:
    """One more item in a list that grows, which is overwritten before it is read."""
    raise NotImplementedError


def hash_of(key: Any, names: Any = None) -> int:
    """A number from 0 to 2**62 - 1 that is the same for equal keys, of which `names` are others."""
    raise NotImplementedError


def put_all(target: Any, other: Any) -> None:
    """The items of a dict, or pairs of a key and a value, are put into a dict."""
    raise NotImplementedError


def seen(container: Any, kind: str) -> Any:
    """The view of a dict that shows its `keys`, `values` or `items`; the `deque` is what one holds, in order."""
    raise NotImplementedError


def digit_of(letter: str) -> int:
    """The value of a character as a digit; 36 for one that is none."""
    raise NotImplementedError


def is_dict(value: Any) -> bool:
    """Whether a value has keys and values."""
    raise NotImplementedError


def dict_of_class(cls: Any, **items: Any) -> Any:
    """A new instance of a class of dicts with these items, whatever its `__init__` takes."""
    made = cls.__new__(cls)
    made.update(items)
    return made

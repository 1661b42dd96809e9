"""Sparse Jacobians and Hessians: `jacobian(f, sparse=True)`, `hessian(f, sparse=True)`.

1. which results depend on which arguments      the function with ones for slopes, of marked blocks of arguments
2. columns that no row has two of, as one       colouring
3. the derivative along each colour             compiled forward mode, of f or of its gradient
4. each element from where it is alone, or      an array of scipy.sparse
   left when those before it are subtracted
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import tree
from .compiler.request import Tangent, Transformation
from .faults import gradient_fault
from .function import Function
from .own_frames import told_to_users
from .runtime.guards import Guards
from .sparsity import Compressed, compressed, find_pattern, sparse
from .starting import compiler
from .transformations import compile, transformed

MOST_PATTERNS = 8  # that one derivative keeps
LARGEST_SUM = 2.0**40
INSIDE = "sparse derivatives are arrays of scipy.sparse, which compiled functions do not have: take them outside"


class SparseDerivative:
    """The function that gives a sparse Jacobian or Hessian, as `jacobian(f, sparse=True)` makes it."""

    refusal_inside = INSIDE

    def __init__(
        self, function: Any, argnums: Any, before: Iterable[Transformation], is_symmetric: bool, given: Any
    ) -> None:
        sparse()
        if given is None or np.ndim(given) not in (0, 2) or np.ndim(given) == 0 and not _is_asked(given):
            raise ValueError(f"sparse is True, False, or a matrix that says which elements there are, not {given!r}")
        self._below = functools.reduce(transformed, before, _function_of(function))
        self._slope = transformed(self._below, Tangent(with_value=False))
        self._reach = transformed(self._below, Tangent(with_value=False, is_dependence=True))
        self._argnums, self._is_symmetric = argnums, is_symmetric
        self._given = None if given is True else compressed(sparse().csr_array(given, dtype=bool), is_symmetric)
        self._facts: dict[Any, tuple[bool, Guards]] = {}
        self._patterns: dict[Any, Compressed] = {}
        self._checked: set[Any] = set()
        functools.update_wrapper(self, self._below)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        call = _Call(self._below, self._argnums, args, kwargs)
        plan = self._plan(call) if self._given is None else self._given
        if plan.pattern.shape[1] != call.count:
            raise ValueError(f"the pattern has {plan.pattern.shape[1]} columns, and there are {call.count} arguments")
        along = [call.along(self._slope, tangents) for tangents in self._directions(plan, call)]
        rows = call.rows(self._slope)
        if plan.pattern.shape[0] != rows:
            raise ValueError(f"the pattern has {plan.pattern.shape[0]} rows, and there are {rows} results")
        values = np.stack(along) if along else np.zeros((0, rows))
        if self._given is not None:
            self._check(plan, call, values)
        return call.in_blocks(plan.blocks(values, call.row_sizes, call.sizes))

    def _check(self, plan: Compressed, call: _Call, values: np.ndarray) -> None:
        """Raise a ValueError where a pattern that was given lacks an element that counts: another one has it in it.

        The matrix times a drawn vector is the derivative along that; once for arguments of the same types and lengths.
        """
        key = call.flat.key, call.shapes
        if key in self._checked:
            return
        drawn = np.random.default_rng(call.count).uniform(1.0, 2.0, call.count)
        found = call.derivative(self._slope, drawn).astype(float)
        told, size = plan.times(values, drawn)
        precision = np.sqrt(max(np.finfo(values.dtype).eps, *(np.finfo(np.asarray(x).dtype).eps for x in call.leaves)))
        is_other = np.abs(found - told) > precision * (size + np.abs(found))  # nan tells nothing
        if np.any(is_other):
            row = int(np.argmax(is_other))
            raise ValueError(f"the pattern lacks an element in row {row}: what is there depends on more arguments")
        self._checked.add(key)

    @told_to_users
    def pattern(self, *args: Any, **kwargs: Any) -> Any:
        """Where elements may be other than zero: a boolean array of scipy.sparse, of all results by all arguments."""
        call = _Call(self._below, self._argnums, args, kwargs)
        return (self._plan(call) if self._given is None else self._given).pattern.copy()

    @told_to_users
    def explain(self, *args: Any, **kwargs: Any) -> str:
        """How many directions the elements come from at these arguments, and by which colouring."""
        call = _Call(self._below, self._argnums, args, kwargs)
        plan = self._plan(call) if self._given is None else self._given
        rows, columns = plan.pattern.shape
        return f"{plan.pattern.nnz} elements of {rows} x {columns} from {plan.count} directions, by {plan.colouring}"

    @told_to_users
    def source(self, stage: str, *args: Any, **kwargs: Any) -> str:
        """The program at a stage that gives the derivative along one direction, for these arguments."""
        call = _Call(self._below, self._argnums, args, kwargs)
        return str(self._slope.source(stage, call.primals, call.tangents(np.zeros(call.count)), **call.static))

    def _plan(self, call: _Call) -> Compressed:
        """The pattern at these arguments and its directions, found where it is not known."""
        way = self._way(call) if self._follows(call) else b""
        key = None if way is None else (call.key(), way)
        if key is not None and key in self._patterns:
            return self._patterns[key]
        pattern = find_pattern(
            lambda mask: call.derivative(self._reach, mask) != 0.0, call.sizes, call.rows(self._slope)
        )
        plan = compressed(pattern + pattern.T if self._is_symmetric else pattern, self._is_symmetric)
        if key is not None:
            while len(self._patterns) >= MOST_PATTERNS:
                del self._patterns[next(iter(self._patterns))]
            self._patterns[key] = plan
        return plan

    def _directions(self, plan: Compressed, call: _Call) -> list[tuple[Any, ...]]:
        """The tangents of all directions, made once for arguments of the same types and lengths."""
        key = call.flat.key, call.shapes
        if key not in plan.tangents:
            plan.tangents.clear()
            masks = [np.where(plan.colour == k, 1.0, 0.0) for k in range(plan.count)]
            plan.tangents[key] = [call.tangents(mask) for mask in masks]
        return plan.tangents[key]

    def _way(self, call: _Call) -> bytes | None:
        """What tells the way that the program takes: for each result the sum of drawn numbers over all ways that lead
        to it.  None where sums are so large, or floats so narrow, that a way more might be lost in rounding."""
        drawn = np.random.default_rng(call.count).uniform(1.0, 2.0, call.count)
        found = call.derivative(self._reach, drawn)
        is_wide = all(np.asarray(leaf).dtype.itemsize >= 8 for leaf in call.leaves) and found.dtype.itemsize >= 8
        return found.tobytes() if is_wide and np.all(found < LARGEST_SUM) else None

    def _follows(self, call: _Call) -> bool:
        """Whether the pattern follows the values of what is differentiated by."""
        held = self._facts.get(call.flat.key)
        if held is None or not held[1].hold():
            self._patterns.clear()
            held = compiler().follows_values(self._below.__pellucid__, call.flat.arguments, call.names)
            self._facts[call.flat.key] = held
        return held[0]


def _function_of(function: Any) -> Function[..., Any]:
    if inspect.isfunction(function):
        function = compile(function)
    if not isinstance(function, Function):
        raise TypeError("sparse=True takes a function, not a method or a partial: write `lambda x: f(x, ...)`")
    return function


class _Call:
    """The arguments of one call, and the numbers in them that are differentiated by, as columns."""

    def __init__(self, function: Function[..., Any], argnums: Any, args: tuple, kwargs: dict[str, Any]) -> None:
        request = function.__pellucid__
        bound = inspect.signature(request.python).bind(*args, **kwargs)
        bound.apply_defaults()
        self.flat = function._flatten(args, kwargs)
        self.static = {name: value for name, value in bound.arguments.items() if name in request.static}
        own = [name for name in bound.arguments if name not in self.static]
        by_name = [n for n in own if bound.signature.parameters[n].kind is inspect.Parameter.KEYWORD_ONLY]
        if by_name:
            raise TypeError(f"sparse=True does not take functions with parameters by name alone: {', '.join(by_name)}")
        self.primals = tuple(bound.arguments[name] for name in own)
        self.is_many = isinstance(argnums, tuple | list)
        chosen = [_place(one, list(bound.arguments)) for one in (argnums if self.is_many else (argnums,))]
        self.names = [list(bound.arguments)[place] for place in chosen]
        self.places = [own.index(name) for name in self.names]
        taken = [tree.flatten(self.primals[place]) for place in self.places]
        self.structures = [structure for _, structure in taken]
        self.leaves = [leaf for leaves, _ in taken for leaf in leaves]
        self._require_floats(function, taken)
        self.sizes = [int(np.size(leaf)) for leaf in self.leaves]
        self.shapes = tuple(np.shape(leaf) for leaf in self.leaves)
        self.count = sum(self.sizes)
        self.results: Any = None
        self.row_sizes: list[int] = []
        self.is_run = False

    def _require_floats(self, function: Function[..., Any], taken: list[tuple[list[Any], Any]]) -> None:
        for name, (leaves, _) in zip(self.names, taken, strict=True):
            others = [np.asarray(leaf).dtype for leaf in leaves if np.asarray(leaf).dtype.kind != "f"]
            if others:
                message = f"argument `{name}` is made of {others[0]}: only floats have a derivative"
                help_ = ("pass floats", "or choose other arguments with argnums=")
                raise gradient_fault(function.__pellucid__.python, "G001", message, help_)

    def key(self) -> Any:
        """What tells calls of one pattern: the lengths, and the values of all that is not differentiated by."""
        others = (leaf for k, p in enumerate(self.primals) if k not in self.places for leaf in tree.leaves(p))
        values = tuple(np.asarray(leaf).tobytes() if _is_numbers(leaf) else leaf for leaf in others)
        return self.flat.key, self.shapes, values, tuple(self.static.values())

    def tangents(self, mask: np.ndarray) -> tuple[Any, ...]:
        """Tangents of which the columns have the values of the mask."""
        tangents: list[Any] = [None] * len(self.primals)
        pieces = iter(np.split(mask, np.cumsum(self.sizes)[:-1]))
        leaves = iter([_like(leaf, next(pieces)) for leaf in self.leaves])
        for place, structure in zip(self.places, self.structures, strict=True):
            count = len(tree.leaves(self.primals[place]))
            tangents[place] = tree.unflatten(structure, [next(leaves) for _ in range(count)])
        return tuple(tangents)

    def derivative(self, function: Any, mask: np.ndarray) -> np.ndarray:
        return self.along(function, self.tangents(mask))

    def along(self, function: Any, tangents: tuple[Any, ...]) -> np.ndarray:
        """What a function of primals and tangents gives along a direction, in one vector."""
        self.is_run = True
        self.results = function(self.primals, tangents, **self.static)
        found = [np.asarray(leaf).ravel() for leaf in tree.leaves(self.results)]
        self.row_sizes = [len(part) for part in found]
        return np.concatenate(found) if len(found) > 1 else found[0] if found else np.zeros(0)

    def rows(self, slope: Any) -> int:
        if not self.is_run:
            self.derivative(slope, np.zeros(self.count))
        return sum(self.row_sizes)

    def in_blocks(self, blocks: list[list[Any]]) -> Any:
        """The blocks, line by line, in the structure of the results, and in those of the arguments."""
        lines = iter(blocks)
        return tree.map(lambda _: self._by_arguments(next(lines)), self.results)

    def _by_arguments(self, line: list[Any]) -> Any:
        found, blocks = [], iter(line)
        for place, structure in zip(self.places, self.structures, strict=True):
            count = len(tree.leaves(self.primals[place]))
            found.append(tree.unflatten(structure, [next(blocks) for _ in range(count)]))
        return tuple(found) if self.is_many else found[0]


def _is_asked(given: Any) -> bool:
    """Whether `sparse` is True, or a matrix of scipy.sparse, which NumPy takes for one object."""
    return given is True or bool(sparse().issparse(given))


def _place(argument: int | str, names: list[str]) -> int:
    if isinstance(argument, str) and argument not in names:
        raise ValueError(f"argnums names `{argument}`, and the parameters are {', '.join(names)}")
    place = names.index(argument) if isinstance(argument, str) else argument
    if not -len(names) <= place < len(names):
        raise ValueError(f"argnums={argument}, and there are {len(names)} parameters")
    return place % len(names)


def _is_numbers(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray | np.generic) or hasattr(leaf, "__array__")


def _like(leaf: Any, piece: np.ndarray) -> Any:
    """A tangent of the kind of its primal."""
    if not _is_numbers(leaf):
        return type(leaf)(piece[0])
    return piece.reshape(np.shape(leaf)).astype(np.asarray(leaf).dtype)[()]


def sparse_derivative(
    function: Callable[..., Any], argnums: Any, before: Iterable[Transformation], is_symmetric: bool, given: Any
) -> Any:
    """What `jacobian` and `hessian` give with `sparse`: True, or the pattern that is known."""
    return SparseDerivative(function, argnums, before, is_symmetric, given)


def refuse_options(**options: Any) -> None:
    """Raise a ValueError for options that do not go with `sparse`."""
    for name, value in options.items():
        if value:
            raise ValueError(f"{name}={value!r} does not go together with sparse")


def dense_inside(asks: Callable[..., Any]) -> Callable[..., Any]:
    """What a function asks for inside a compiled one, where there are no sparse arrays."""

    def asked(*args: Any, sparse: Any = False, **options: Any) -> Any:
        if sparse is not False:
            raise ValueError(INSIDE)
        return asks(*args, **options)

    return asked

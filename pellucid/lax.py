"""Control flow, array functions, collectives and derivatives in the spellings of `jax.lax`.

    lax.fori_loop(0, n, lambda i, v: v * x[i], 1.0)     is     v = 1.0
                                                               for i in range(0, n): v = v * x[i]

    lax.psum(x, "batch")                                   is, inside `vmap(f, axis_name="batch")`, the sum of all x

    lax.add(x, y), lax.dynamic_slice(x, (i,), (3,))        are np.add(x, y) and three elements of x from i on

Control flow is differentiated as the plain statements that it means are, `while_loop` too.  Array functions have JAX's
arguments and values; NumPy's promotion and broadcasting hold where JAX refuses operands that are not alike.
"""

from __future__ import annotations

import importlib
from typing import Any, TypeVar

from .numpy.control_flow import associative_scan, cond, fori_loop, scan, select, switch, while_loop
from .numpy.control_flow import map_items as map
from .numpy.implicit import custom_linear_solve, custom_root

Value = TypeVar("Value")

# Functions of NumPy and SciPy that `jax.lax` has, under its names.
_NUMPY = {
    **dict.fromkeys("""
        abs add bitwise_and bitwise_not bitwise_or bitwise_xor cbrt ceil conj cos cosh equal exp exp2 expm1 floor
        imag log log1p nextafter not_equal real sign sin sinh sqrt square tan tanh
    """.split()),
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
    "atanh": "arctanh", "eq": "equal", "ge": "greater_equal", "gt": "greater", "is_finite": "isfinite",
    "le": "less_equal", "lt": "less", "max": "maximum", "min": "minimum", "mul": "multiply", "ne": "not_equal",
    "neg": "negative", "pow": "power", "rem": "fmod", "shift_left": "left_shift",
    "shift_right_arithmetic": "right_shift", "sub": "subtract", "dot": "dot",
}  # fmt: skip
_SPECIAL = {
    "digamma": "digamma", "erf": "erf", "erfc": "erfc", "lgamma": "gammaln", "logistic": "expit", "zeta": "zeta",
}  # fmt: skip
_ARRAYS = frozenset("""
    argmax argmin broadcast broadcast_in_dim broadcasted_iota clamp collapse concatenate convert_element_type
    cumlogsumexp cummax cummin cumprod cumsum div dynamic_index_in_dim dynamic_slice dynamic_slice_in_dim
    dynamic_update_index_in_dim dynamic_update_slice dynamic_update_slice_in_dim expand_dims full full_like
    index_in_dim integer_pow iota pad reciprocal reduce_and reduce_max reduce_min reduce_or reduce_prod reduce_sum
    reshape rev rsqrt segment_sum select_n slice slice_in_dim sort sort_key_val split squeeze top_k transpose
""".split())  # fmt: skip
_PLACES = frozenset(["with_sharding_constraint"])
_PRODUCTS = frozenset("batch_matmul conv conv_general_dilated dot_general".split())
_COLLECTIVES = frozenset("""
    all_gather all_to_all axis_index axis_size pcast pmax pmean pmin ppermute pshuffle psum psum_scatter pswapaxes
    pvary
""".split())  # fmt: skip

__all__ = [
    "associative_scan", "cond", "custom_linear_solve", "custom_root", "fori_loop", "map", "scan", "select",
    "stop_gradient", "switch", "while_loop",
    *sorted({*_NUMPY, *_SPECIAL, *_ARRAYS, *_PLACES, *_PRODUCTS, *_COLLECTIVES}),
]  # fmt: skip


def stop_gradient(x: Value) -> Value:
    """The value itself, through which no derivative passes.

    x   a number, an array, or a container of them
    """
    return x


def __getattr__(name: str) -> Any:
    """An array function or a collective, when it is asked for: `import pellucid` goes without what they need."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = _found(name)
    return found


def _found(name: str) -> Any:
    if name in _NUMPY:
        return getattr(importlib.import_module("numpy"), _NUMPY[name] or name)
    if name in _SPECIAL:
        return getattr(importlib.import_module("scipy.special"), _SPECIAL[name])
    if name in _PLACES:
        return importlib.import_module(".mapped_calls", __package__).with_sharding_constraint
    if name in _COLLECTIVES:
        return getattr(importlib.import_module(".numpy.collectives", __package__), name)
    module = importlib.import_module(f".numpy.{'lax_products' if name in _PRODUCTS else 'lax_arrays'}", __package__)
    return getattr(module, "static_slice" if name == "slice" else name)


def __dir__() -> list[str]:
    return sorted(__all__)

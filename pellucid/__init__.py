"""Pellucid: a compiler for pure numeric Python you can see through.

    from pellucid import compile, grad

    @compile
    def loss(w, x, y):
        return np.mean((x @ w - y) ** 2)

    loss(w, x, y)                               machine code
    grad(loss)(w, x, y)                         its derivative, compiled too
    grad(loss).source("reverse", w, x, y)       the derivative, to read
"""

import importlib
from typing import TYPE_CHECKING, Any

from . import debug, distributed, lax, profiler, sharding, tree
from . import kernels as kernels  # the operators of Array, which are compiled functions themselves
from .announcing import PerformanceWarning
from .compiler.diagnostics import (
    AxisNameError,
    BatchError,
    CompileError,
    DeviceError,
    Diagnostic,
    GradientError,
    InternalError,
    PellucidError,
    PurityError,
    ShapeMismatchError,
    StageError,
    StaticArgumentError,
    TypeMismatchError,
    UnsupportedError,
)
from .custom import checkpoint, custom_jvp, custom_vjp
from .distributed import make_array_from_process_local_data
from .environment import env
from .eval_shape import eval_shape
from .forward_mode import hessian, hvp, jacfwd, jet, jvp, value_and_jacfwd
from .from_parts import make_array_from_callback, make_array_from_single_device_arrays
from .function import Function
from .gradient_check import check_grads
from .jacobians import jacobian, jacrev, value_and_jacobian
from .lax import custom_linear_solve, custom_root, stop_gradient
from .linear import linear_transpose, linearize
from .placing import device_get, device_put
from .pullback import Pullback, vjp
from .runtime.array import Array
from .runtime.asynchronous import synchronous
from .runtime.devices import Device, default_device, device_count, devices, local_device_count, local_devices
from .runtime.processes import process_count, process_index
from .runtime.sharding import NamedSharding, make_mesh
from .runtime.sharding import PartitionSpec as P
from .runtime.sharding.meshes import set_mesh
from .runtime.threads import thread_count, threads
from .shapes import ShapeDtypeStruct
from .stage_function import from_source
from .starting import begin as _begin
from .transformations import compile, grad, value_and_grad, vmap
from .waiting import block_until_ready

if TYPE_CHECKING:
    from . import nn, optim
    from .mapped_calls import pmap, shard_map
    from .simulation import simulate

jit, remat = compile, checkpoint  # as JAX calls them

__version__ = "0.1.0"

__all__ = [
    "Array",
    "AxisNameError",
    "BatchError",
    "CompileError",
    "Device",
    "DeviceError",
    "Diagnostic",
    "Function",
    "GradientError",
    "InternalError",
    "NamedSharding",
    "P",
    "PellucidError",
    "PerformanceWarning",
    "Pullback",
    "PurityError",
    "ShapeDtypeStruct",
    "ShapeMismatchError",
    "StageError",
    "StaticArgumentError",
    "TypeMismatchError",
    "UnsupportedError",
    "block_until_ready",
    "check_grads",
    "checkpoint",
    "compile",
    "custom_jvp",
    "custom_linear_solve",
    "custom_root",
    "custom_vjp",
    "debug",
    "default_device",
    "device_count",
    "device_get",
    "device_put",
    "devices",
    "distributed",
    "env",
    "eval_shape",
    "from_source",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jet",
    "jit",
    "jvp",
    "lax",
    "linear_transpose",
    "linearize",
    "local_device_count",
    "local_devices",
    "make_array_from_callback",
    "make_array_from_process_local_data",
    "make_array_from_single_device_arrays",
    "make_mesh",
    "nn",
    "optim",
    "pmap",
    "process_count",
    "process_index",
    "profiler",
    "remat",
    "set_mesh",
    "shard_map",
    "sharding",
    "simulate",
    "stop_gradient",
    "synchronous",
    "thread_count",
    "threads",
    "tree",
    "value_and_grad",
    "value_and_jacfwd",
    "value_and_jacobian",
    "vjp",
    "vmap",
]

for _error in [_value for _value in list(globals().values()) if isinstance(_value, type)]:
    if issubclass(_error, PellucidError | PerformanceWarning):
        _error.__module__ = __name__  # as users see it, and import it

_begin()


def __getattr__(name: str) -> Any:
    """What not every program needs, when it is asked for: a module, or a function that needs the compiler."""
    if name in ("nn", "optim"):
        return importlib.import_module(f".{name}", __name__)
    module = {"pmap": ".mapped_calls", "shard_map": ".mapped_calls", "simulate": ".simulation"}.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(module, __name__), name)
    return found


def __dir__() -> list[str]:
    """What users call; the modules inside are reached by their names."""
    return sorted([*__all__, "__version__"])

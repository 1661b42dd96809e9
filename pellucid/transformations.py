"""`compile`, `grad` and `value_and_grad`: from a Python function to a `Function`.

    @compile                          drift(position, velocity)      machine code
    def drift(position, velocity):    grad(loss)(weights, data)      its derivative
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar, overload

from .compiler.argnums import Argnums
from .compiler.diagnostics import UnsupportedError
from .compiler.request import BackwardHalf, Batch, Gradient, NamedAxes, Request, Transformation
from .custom import Ruled
from .function import Function
from .library_names import library_name
from .methods import BoundFunction, PartialFunction, is_bound, method_of
from .own_frames import told_to_users
from .runtime.devices import Device
from .runtime.frozen import together
from .runtime.namespace import of_numpy
from .runtime.parts import compiled_inside

Given = ParamSpec("Given")
Result = TypeVar("Result")
Names = str | tuple[str, ...] | list[str]
Target = str | Device | None


@overload
def compile(
    function: Callable[Given, Result], *, static: Names = (), mutates: Names = (), donate: Names = (),
    freeze: Names | bool = (), fastmath: bool = False, parallel: bool = True, rewrite: bool = True,
    line_tables: bool | None = None, target: Target = None,
    static_argnums: int | Sequence[int] | None = None, static_argnames: Names | None = None,
    in_shardings: Any = None, out_shardings: Any = None,
) -> Function[Given, Result]: ...
@overload
def compile(
    function: None = None, *, static: Names = (), mutates: Names = (), donate: Names = (),
    freeze: Names | bool = (), fastmath: bool = False, parallel: bool = True, rewrite: bool = True,
    line_tables: bool | None = None, target: Target = None,
    static_argnums: int | Sequence[int] | None = None, static_argnames: Names | None = None,
    in_shardings: Any = None, out_shardings: Any = None,
) -> Callable[[Callable[Given, Result]], Function[Given, Result]]: ...
@told_to_users
def compile(
    function: Callable[..., Any] | None = None,
    *,
    static: Names = (),
    mutates: Names = (),
    donate: Names = (),
    freeze: Names | bool = (),
    fastmath: bool = False,
    parallel: bool = True,
    rewrite: bool = True,
    line_tables: bool | None = None,
    target: Target = None,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: Names | None = None,
    in_shardings: Any = None,
    out_shardings: Any = None,
) -> Any:
    """Compile a pure numeric Python function; use as `@compile`, `@compile(...)` or `compile(f, ...)`.

    function     a function or method of your own, a `functools.partial` of one, one that is compiled already and gets
                 further options, or one of NumPy, SciPy or `math` that is in the language; its axis, dtype and the
                 like are static
    static       parameters whose values are part of the compiled code (an axis, a shape, a string)
    mutates      array parameters that the function updates in place; they are written back when it returns, and are as
                 they were where it raises
    donate       parameters whose Arrays are given away: a result of the same shape and dtype is stored into the memory
                 of one where that is possible, and the Array is empty after the call: each later use of it raises
                 RuntimeError.  They are as they were where the call raises.  It counts for calls from Python alone
    freeze       variables outside the function, and outside those that it calls, whose values are kept as they are
                 when they are first needed: arrays, lists, dicts, ... and what they hold.  A name means every variable
                 and attribute of that name; True means whatever can change
    fastmath     allow reassociation and other value-changing floating-point rewrites
    parallel     allow the use of several threads
    rewrite      allow loops to be replaced by what they compute: loops that multiply matrices by a call of BLAS, which
                 adds in another order; elements that each turn in a loop of their own by blocks that turn together
    line_tables  let gdb and perf show the lines of the printed loops stage, which is written to a file for that; None:
                 as the environment variable PELLUCID_LINE_TABLES says (0 or 1)
    target       "cuda": calls run on a GPU, wherever their arguments are; arrays of the host are copied there, and
                 results stay there.  "cuda:1" says on which; None: calls run where their arguments are
    static_argnums   parameters that are `static` too, by number, as `jax.jit` takes them
    static_argnames  the same by name
    in_shardings     where arguments are put before a call: a sharding for all, or a tuple with an entry for each; None:
                 they stay.  An argument that was put elsewhere is refused
    out_shardings    where results are put: a sharding for all, or a container of them built like the result

    Gives a `Function` with the name, signature and docstring of the original, and `source` and `explain` to look
    inside.  Nothing is compiled before the first call.

    Raises CompileError, with all faults of the function at once, where it is impure or outside the language; ValueError
    where `static`, `mutates` or `donate` names no parameter, and for a target that there is none of; TypeError for
    what is no Python function.  A call raises DeviceError where its target is not there.
    """
    options: dict[str, Any] = {
        "static": names(static),
        "mutates": names(mutates),
        "donate": names(donate),
        "freeze": freeze if freeze is True else names(freeze or ()),
        "fastmath": fastmath,
        "parallel": parallel,
        "rewrite": rewrite,
        **({} if line_tables is None else {"line_tables": line_tables}),
        **({} if target is None else {"target": target_named(target)}),
    }
    if function is not None and not (in_shardings is None and out_shardings is None):
        from .placed_calls import placed

        plain = compile(function, **options, static_argnums=static_argnums, static_argnames=static_argnames)
        return placed(plain, in_shardings, out_shardings)
    if function is None:
        numbered: dict[str, Any] = {"static_argnums": static_argnums, "static_argnames": static_argnames,
                                    "in_shardings": in_shardings, "out_shardings": out_shardings}  # fmt: skip
        return told_to_users(lambda f: compile(f, **options, **numbered))
    options["static"] = (*options["static"], *names(static_argnames or ()), *numbered_names(function, static_argnums))
    if _is_read(function):
        raise TypeError(f"{function.__name__} was read from a file and is compiled already")
    if isinstance(function, Function | Ruled):
        usual = {"parallel": True, "rewrite": True, "fastmath": False, "line_tables": None}
        given = {option: value for option, value in options.items() if value != usual.get(option, ())}
        return Function(replace(function.__pellucid__, **given))
    function = method_of(of_numpy(function))
    if is_bound(function):
        bound: Any = function
        return BoundFunction(compile(bound.__func__, **options), bound.__self__)
    if isinstance(function, functools.partial) and type(function).__module__ == "functools":
        return PartialFunction(compile(function.func, **options), *function.args, **function.keywords)
    library = library_name(function) if callable(function) else None
    if library is not None and not library.startswith("pellucid"):
        return Function(_of_library(function, library, options))
    if hasattr(function, "refusal_inside"):
        raise TypeError(function.refusal_inside)
    if not inspect.isfunction(function):
        raise TypeError(f"compile takes a Python function, not {type(function).__name__}")
    return Function(Request(function, **options))


compile.__pellucid_known__ = compiled_inside  # type: ignore[attr-defined]


def _of_library(function: Callable[..., Any], library: str, options: dict[str, Any]) -> Request:
    """What a call of it is, as a function of the user's."""
    from .of_library import not_supported, own_function  # looks at the table of all names

    found = own_function(function)
    if found is None:
        public = ".".join(part for part in library.split(".") if not part.startswith("_"))
        raise UnsupportedError(not_supported(public))
    made, how = found
    return Request(made, **{**options, "static": tuple(dict.fromkeys((*options["static"], *how)))})


def numbered_names(function: Any, places: int | Sequence[int] | None) -> tuple[str, ...]:
    """The parameters that have these numbers, which count from the end if negative."""
    if places is None:
        return ()
    parameters = list(inspect.signature(function).parameters)
    wanted = (places,) if isinstance(places, int) else tuple(places)
    for place in wanted:
        if not -len(parameters) <= place < len(parameters):
            raise ValueError(f"static_argnums={place} names no parameter: there are {len(parameters)}")
    return tuple(parameters[place] for place in wanted)


def target_named(target: Any) -> str:
    """The target of these words, or of a device.  Raises ValueError where there is none."""
    found = str(target)
    if not re.fullmatch(r"cuda(:\d+)?", found):
        raise ValueError(
            f"there is no target {found!r}: a function is compiled for 'cuda', or one device of it such as 'cuda:1'; "
            "without a target its calls run where their arguments are"
        )
    return found


def names(given: Names) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


@told_to_users
def grad(
    function: Callable[Given, Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
    allow_int: bool = False, freeze: Names | bool = (),
) -> Function[Given, Any]:  # fmt: skip
    """The gradient of a scalar function by reverse mode, as a compiled `Function`.

    function     a plain or a compiled function whose result is one float
    argnums      the argument to differentiate by, or a tuple of them, by number or by name (only by name where it is
                 passed by name only); each may be a nested container of floats and float arrays, and its gradient
                 has the same structure, shapes and dtypes
    has_aux      the function returns (value, auxiliary) and the result is (gradient, auxiliary)
    holomorphic  the function is analytic, its argument and result complex: the gradient is its derivative.  Without it
                 the result is real, and by a complex argument x + i y the gradient is d/dx - i d/dy, as in JAX
    allow_int    arguments that are no floats are allowed, and their gradient is None, as that of such parts always is
    freeze       as for `compile`

    The result takes the arguments of `function` and gives one gradient, or a tuple of them where `argnums` is a tuple.
    It can be differentiated again, and may be called inside compiled functions.

    Raises GradientError at the first call where the derivative cannot be given correctly: an argument that is not a
    float (G001), a result that is not a float scalar (G002), an operator or a construct without derivative (G003,
    G004).

    Source: reverse mode by source transformation; A. Griewank and A. Walther, Evaluating Derivatives (2008), chapter 6.
    """
    asked = Gradient(numbers(argnums), has_aux, holomorphic, allow_int, with_value=False)
    return transformed(keeping(function, freeze), asked)


@told_to_users
def value_and_grad(
    function: Callable[Given, Result], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
    allow_int: bool = False, freeze: Names | bool = (),
) -> Function[Given, tuple[Result, Any]]:  # fmt: skip
    """The value and the gradient: (value, gradient), or ((value, auxiliary), gradient) with `has_aux`.

    function     a plain or a compiled function whose result is one float
    argnums      as for `grad`
    has_aux      as for `grad`
    holomorphic  as for `grad`
    allow_int    as for `grad`
    freeze       as for `compile`

    The value is computed once for both.  Raises what `grad` raises.
    """
    asked = Gradient(numbers(argnums), has_aux, holomorphic, allow_int, with_value=True)
    return transformed(keeping(function, freeze), asked)


@told_to_users
def vmap(
    function: Callable[Given, Any], in_axes: Any = 0, out_axes: Any = 0, axis_name: str | None = None,
    axis_size: int | None = None, spmd_axis_name: str | tuple[str, ...] | None = None, freeze: Names | bool = (),
) -> Function[Given, Any]:  # fmt: skip
    """The function of many examples at once: the loop over them, taken apart, as a compiled `Function`.

    function   a plain or a compiled function of one example
    in_axes    where the examples are in the arguments: an axis, counted from the end if negative; None for what all
               examples share; a tuple says it for one argument after the other, and an entry may be a container of axes
               built like the argument.  Keywords and defaults after a tuple are mapped over axis 0
    out_axes   where they are in the results, in the same way; None only for what does not depend on the example
    axis_name  the name of the axis, for collectives in the function: `pellucid.lax.psum(x, axis_name)` and others
    axis_size  how many examples there are; needed where no argument is mapped
    spmd_axis_name  as in JAX, where it says to which devices the examples go; it changes nothing
    freeze     as for `compile`

    Gives what `np.stack([function(x[0]), function(x[1]), ...])` would, result by result.  Raises BatchError, which is a
    ValueError, where the axes or the numbers of examples do not fit (B001), where the examples return arrays of
    different lengths (B002), or what has no form for many examples (B003), and AxisNameError, which is a NameError too,
    for a collective over another axis (B004); what the function raises is that of the
    first example in order.

    Source: loop distribution; R. Allen and K. Kennedy, Optimizing Compilers for Modern Architectures (2001), chapter 2.
    """
    return transformed(keeping(function, freeze), mapping(in_axes, out_axes, axis_name, axis_size))


def keeping(function: Any, freeze: Names | bool) -> Any:
    """The function, compiled with these variables frozen where some are named."""
    if not freeze:
        return function
    kept = getattr(getattr(function, "__pellucid__", None), "freeze", ())
    return compile(function, freeze=together(kept, True if isinstance(freeze, bool) else names(freeze)))


def mapping(
    in_axes: Any = 0, out_axes: Any = 0, axis_name: str | None = None, axis_size: int | None = None,
    spmd_axis_name: str | tuple[str, ...] | None = None,
) -> Batch:  # fmt: skip
    """The request, with axes as plain data; there is one device, so that `spmd_axis_name` says nothing."""
    return Batch(plain_axes(in_axes), plain_axes(out_axes), axis_name, axis_size)


def over_devices(
    function: Any, in_axes: Any, out_axes: Any, axis_name: str, axis_size: int, is_typed: bool = False
) -> Any:
    """`vmap` whose examples are the devices along an axis of a mesh, as messages say.

    is_typed  derivatives inside take what all devices share for one value
    """
    return transformed(function, _mapping_devices(in_axes, out_axes, axis_name, axis_size, is_typed))


def _mapping_devices(in_axes: Any, out_axes: Any, axis_name: str, axis_size: int, is_typed: bool = False) -> Batch:
    asked = mapping(in_axes, out_axes, axis_name, axis_size)
    return dataclasses.replace(asked, is_of_devices=True, is_typed=is_typed)


def plain_axes(axes: Any) -> Any:
    """Axes in containers as tuples, of names and axes where the container has names."""
    if dataclasses.is_dataclass(axes) and not isinstance(axes, type):
        axes = {field.name: getattr(axes, field.name) for field in dataclasses.fields(axes)}
    if isinstance(axes, dict):
        return NamedAxes(tuple((name, plain_axes(part)) for name, part in axes.items()))
    return tuple(map(plain_axes, axes)) if isinstance(axes, tuple | list) else axes


def transformed(function: Any, transform: Transformation) -> Any:
    """What a transformation makes of a plain, a compiled or a bound function."""
    function = method_of(of_numpy(function))
    if is_bound(function):
        return BoundFunction(transformed(function.__func__, transform.behind(1)), function.__self__)
    if isinstance(function, functools.partial):
        behind = transform.behind(len(function.args), tuple(function.keywords))
        return functools.partial(transformed(function.func, behind), *function.args, **function.keywords)
    if function is None:
        raise TypeError("a transformation takes a function, not None")
    if _is_read(function):
        return transformed(function.as_written(), transform)
    compiled: Any = function if isinstance(function, Function | BackwardHalf) else compile(function)
    request = compiled.__pellucid__
    transform = transform.beside(request.static).placed(list(request.signature().parameters))
    return Function(replace(request, transforms=(*request.transforms, transform), donate=()))


def _is_read(function: Any) -> bool:
    """Whether a function is what `from_source` gives."""
    return getattr(getattr(function, "__wrapped__", None), "__pellucid_text__", None) is not None


def numbers(argnums: Any) -> Any:
    found = tuple(argnums) if isinstance(argnums, list) else argnums
    if any(isinstance(one, bool) for one in (found if isinstance(found, tuple) else (found,))):
        raise TypeError(f"argnums are ints or names of parameters, not {argnums!r}")
    return found


def transformed_inside(function: Any, transform: Transformation) -> Any:
    """The same, asked for inside a compiled function, which says what is frozen when it calls the derivative."""
    return transformed(compile(function, freeze=True) if inspect.isfunction(function) else function, transform)


def known_inside(function: Any, asks: Callable[..., Any], called: tuple[str, ...] = ()) -> None:
    """Say what a function asks for inside a compiled one, where transformations are taken when it is compiled.

    asks    gives the transformation, or several that follow one another, for the options of `function`
    called  the parameters of `function` that the new function is called with at once, where they are given
    """
    # a compiled function says itself what it freezes, also for the derivatives that are taken in it
    function.__pellucid_transform__ = lambda *args, freeze=(), **options: asks(*args, **options)
    function.__pellucid_inside__ = transformed_inside
    function.__pellucid_called__ = called


known_inside(grad, functools.partial(Gradient, with_value=False))
known_inside(value_and_grad, functools.partial(Gradient, with_value=True))
known_inside(vmap, mapping)
known_inside(over_devices, _mapping_devices)

"""`pellucid` on the command line: check, emit, run, debug, explain, error, cache, env.

    pellucid emit kepler.py:kepler --grad 0,1 --stage reverse --args "float, float"

Exit status: 0 done, 1 the program has faults (on standard error, rendered), 2 the command was not understood.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from . import __version__, arguments, cache_command, environment, error_pages
from .compiler.diagnostics import CompileError, PellucidError
from .compiler.records import dataclass
from .compiler.stages import CORE, EDITABLE, KERNELS, LOOPS, MACHINE, RUNNABLE, STAGES, TYPED
from .function import Function
from .runtime.nature import article
from .settings import rows
from .transformations import compile, grad

BELOW = (LOOPS, KERNELS, *MACHINE)
DEFAULT_STAGE = (
    "default: typed; with --grad reverse; transformed of what jvp, jacfwd or vmap gives; with --target kernels"
)
EXAMPLES = """examples:
  pellucid check physics.py
  pellucid emit logistic.py:loss --stage loops --args "f64[m], f64, f64[n, m], f64[n]"
  pellucid emit logistic.py:loss --stage reverse --grad 0,1 --args "f64[m], f64, f64[n, m], f64[n]"
  pellucid emit net.py:loss --stage typed --args "[Layer(f64[n, m], f64[m]), Layer(f64[m, k], f64[k])], f64[b, n]"
  pellucid run logistic_typed.py --values "np.ones(2), 0.5, np.ones((3, 2)), np.zeros(3)"
  pellucid emit heat.py:heat --target cuda --args "f64[n, m], int, float"
  pellucid debug kepler.py:kepler --stage reverse --grad 0 --values "1.2, 0.6"
  pellucid explain heat.py:heat --args "f64[n, m], int, float"
"""
TYPES = """types of arguments, separated by commas:
  f64[n, m]  f32[3]  i64[n]  i32[2*n]  bool[n]  f64[]    arrays; a symbol used twice means equal lengths
  any f64[n]                                             an array whose elements need not lie side by side
  f64  f32  f16  i64 ... i8  u64 ... u8  bool_           NumPy scalars
  float  int  bool                                       Python numbers
  (f64, f64[n])  [f64[n]]  {"w": f64[n]}  Layer(f64[n])  containers; NamedTuples and dataclasses by name
"""
RUN = """The types of the arguments stand in the comment above the first function; change them there, too.
  pellucid emit logistic.py:loss --stage typed --args "f64[m], f64, f64[n, m], f64[n]" -o loss_typed.py
  pellucid run loss_typed.py --values "np.ones(2), np.float64(0.5), np.ones((3, 2)), np.zeros(3)"
  pellucid run loss_typed.py --show loops
"""
CACHE = f"""The cache keeps compiled functions, so that other processes start without compiling them again:
{rows("PELLUCID_CACHE")}"""


class UsageError(Exception):
    """The command cannot be carried out as written; the message is for the user."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    options = parser().parse_args(arguments)
    try:
        return options.run(options)
    except UsageError as wrong:
        return complain(options, wrong)
    except BrokenPipeError:
        sys.stderr.close()  # what reads our output has seen enough, and Python's own complaint helps nobody
        return 0
    except Exception as error:
        if isinstance(error, CompileError):
            print(str(error).lstrip("\n"), file=sys.stderr)
            return 1
        if isinstance(error, PellucidError):
            complain(options, error)
            return 1
        raise


def complain(options: argparse.Namespace, error: object) -> int:
    print(f"pellucid {options.command}: {error}", file=sys.stderr)
    return 2


# --- what can be written -------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser(
        "pellucid", description="Check, read and debug what Pellucid makes of Python functions.", epilog=EXAMPLES,
        formatter_class=raw,
    )  # fmt: skip
    top.add_argument("--version", action="version", version=f"pellucid {__version__}")
    names = "{check,emit,run,debug,explain,error,cache,env}"
    commands = top.add_subparsers(dest="command", required=True, metavar=names)

    check = commands.add_parser("check", help="report the faults of functions that are compiled, without running them")
    what = "a file, a folder with all files below it, FILE.py:NAME for one function, or - for standard input"
    check.add_argument("files", nargs="+", metavar="FILE", help=what)
    check.add_argument("--all", action="store_true", help="check every function, whether it is compiled or not")
    check.add_argument("--fix", action="store_true", help="rewrite what there is one way to write")
    declare = "write `mutates=` and `freeze=` into the decorators, as the messages propose"
    check.add_argument("--declare", action="store_true", help=declare)
    forms = check.add_mutually_exclusive_group()
    forms.add_argument("--json", dest="form", action="store_const", const="json", help="for editors and scripts")
    forms.add_argument("--sarif", dest="form", action="store_const", const="sarif", help="SARIF 2.1.0, for code hosts")
    check.set_defaults(run=run_check)

    emit = commands.add_parser("emit", help="print a function at a stage", epilog=TYPES, formatter_class=raw)
    add_function(emit)
    emit.add_argument("--stage", choices=STAGES, help=DEFAULT_STAGE)
    emit.add_argument("-o", "--output", metavar="FILE", help="write to a file instead")
    emit.set_defaults(run=run_emit)

    run = commands.add_parser(
        "run", help="compile and run a file that emit wrote, edited or not", epilog=RUN, formatter_class=raw
    )
    run.add_argument("file", metavar="STAGE_FILE.py", help="the text of a stage")
    run.add_argument("--stage", choices=EDITABLE, help="default: as the file looks")
    run.add_argument("--values", metavar="TEXT", help="arguments as Python expressions; made up if left out")
    run.add_argument("--size", metavar="TEXT", help="lengths of made-up arrays: 6, or n=4, m=3")
    run.add_argument("--show", choices=BELOW, help="print the rest of the way down and run nothing")
    run.set_defaults(run=run_run)

    debug = commands.add_parser("debug", help="run a stage in CPython under pdb", epilog=TYPES, formatter_class=raw)
    add_function(debug)
    debug.add_argument("--stage", choices=RUNNABLE, help=DEFAULT_STAGE)
    debug.add_argument("--values", metavar="TEXT", help="arguments as Python expressions instead of types")
    debug.add_argument("--size", metavar="TEXT", help="lengths of made-up arrays: 6, or n=4, m=3")
    debug.set_defaults(run=run_debug)

    explain = commands.add_parser("explain", help="say what was decided and why", epilog=TYPES, formatter_class=raw)
    add_function(explain)
    explain.set_defaults(run=run_explain)

    error = commands.add_parser("error", help="print the page of an error code")
    error.add_argument("code", nargs="?", metavar="CODE", help="such as P014; all codes are listed if left out")
    error.set_defaults(run=run_error)

    cache = commands.add_parser("cache", help="list or clear the code on disk", epilog=CACHE, formatter_class=raw)
    cache.add_argument("action", nargs="?", choices=("list", "path", "clear"), default="list", help="default: list")
    cache.set_defaults(run=run_cache)

    env = commands.add_parser("env", help="print what Pellucid works with here, and what is recommended")
    env.set_defaults(run=run_env)
    return top


def add_function(command: argparse.ArgumentParser) -> None:
    """What emit, debug and explain have in common."""
    command.add_argument("function", metavar="FILE.py:NAME", help="a plain or a compiled function")
    command.add_argument("--args", metavar="TYPES", help="types of the arguments, such as 'f64[n, m], f64[m]'")
    command.add_argument("--static", metavar="TEXT", help="arguments that are known, such as \"n=3, axis='x'\"")
    command.add_argument("--grad", metavar="NUMBERS", help="differentiate by these arguments: 0, or 0,1")
    command.add_argument("--target", choices=("cuda",), help="what the function is compiled for; no GPU is needed")


# --- commands ------------------------------------------------------------------------------------------------------


def run_check(options: argparse.Namespace) -> int:
    from . import check_command

    return check_command.main(options.files, options.form or "text", options.all, options.fix, declare=options.declare)


def run_emit(options: argparse.Namespace) -> int:
    target = load(options.function)
    function = chosen(target, options)
    stage = options.stage or default_stage(function)
    if stage in ("source", "core") and options.args is None:
        text = function.source(stage)
    else:
        bound = bind(target, function, read_types(target, options), options)
        text = function.source(stage, *bound.args, **bound.kwargs)
    text = text if text.endswith("\n") else text + "\n"
    if options.output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return 0
    try:
        Path(options.output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {options.output}: {error.strerror or error}") from None
    return 0


def run_run(options: argparse.Namespace) -> int:
    from .editing import made_up, stage_of
    from .stage_function import from_source

    try:
        function = from_source(options.file, options.stage or stage_of(options.file))
    except OSError as error:
        raise UsageError(f"cannot read {options.file}: {error.strerror or error}") from None
    if options.show is not None:
        print(function.source(options.show).rstrip("\n"))
        return 0
    if options.values is not None:
        given = list(evaluate(f"({options.values},)", {}, "--values"))
    else:
        try:
            given = made_up(function, options.size)
        except arguments.ArgumentError as wrong:
            raise UsageError(f"--size: {wrong}") from None
        for name, value in zip(inspect.signature(function).parameters, given):
            print(f"{name} = {value!r}")
    try:
        result = function(*given)
    except PellucidError:
        raise
    except Exception as error:
        print("".join(traceback.format_exception_only(error)).rstrip("\n"), file=sys.stderr)
        return 1
    print(repr(result))
    return 0


def run_explain(options: argparse.Namespace) -> int:
    target = load(options.function)
    function = chosen(target, options)
    bound = bind(target, function, read_types(target, options), options)
    print(function.explain(*bound.args, **bound.kwargs).rstrip("\n"))
    return 0


def run_error(options: argparse.Namespace) -> int:
    return error_pages.main(options.code)


def run_cache(options: argparse.Namespace) -> int:
    return cache_command.main(options.action)


def run_env(options: argparse.Namespace) -> int:
    print(environment.env())
    return 0


def run_debug(options: argparse.Namespace) -> int:
    from .debugger import under_pdb

    target = load(options.function)
    function = chosen(target, options)
    if options.values is not None:
        given = list(evaluate(f"({options.values},)", target.namespace, "--values"))
    else:
        types = read_types(target, options)
        try:
            given = arguments.values_of(types, arguments.read_lengths(options.size))
        except arguments.ArgumentError as wrong:
            raise UsageError(f"--size: {wrong}") from None
    bound = bind(target, function, given, options)
    stages = (TYPED, default_stage(function), LOOPS) if function.__pellucid__.transforms else (CORE, TYPED, LOOPS)

    def make(stage: str, call: Callable[..., Any]) -> Callable[[], Any]:
        return functools.partial(function.debug(stage, call=call), *bound.args, **bound.kwargs)

    return under_pdb(make, options.stage or default_stage(function), stages)


def default_stage(function: Function) -> str:
    transforms = function.__pellucid__.transforms
    if function.__pellucid__.target:
        return KERNELS
    return transforms[-1].stage if transforms else TYPED


# --- finding the function and its arguments ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Target:
    """The object that FILE.py:NAME stands for, and the names that its file defines."""

    name: str
    value: Any
    namespace: dict[str, Any]


def load(text: str) -> Target:
    """Import FILE and find NAME, which may have dots."""
    file, colon, name = text.rpartition(":")
    if not colon or not name or not file:
        raise UsageError(f"{text!r} names no function; write FILE.py:NAME")
    namespace = import_file(Path(file))
    first, *rest = name.split(".")
    if first not in namespace:
        raise UsageError(f"{file} has no {first!r}{offer(namespace)}")
    value = namespace[first]
    for position, part in enumerate(rest, 1):
        if not hasattr(value, part):
            raise UsageError(f"{'.'.join(name.split('.')[:position])} in {file} has no {part!r}")
        value = getattr(value, part)
    return Target(name, value, namespace)


def offer(namespace: dict[str, Any]) -> str:
    """The functions that a file defines itself, for those who mistyped one."""
    here = {name: v for name, v in namespace.items() if getattr(v, "__module__", None) == namespace["__name__"]}
    found = [name for name, value in here.items() if callable(value) and not isinstance(value, type)]
    return f"; its functions are {', '.join(found)}" if found else ""


def import_file(path: Path) -> dict[str, Any]:
    """Run a file as a module and return what it defines; modules beside it can be imported."""
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    path = path.resolve()
    name = path.stem if path.stem not in sys.modules else f"{path.stem}_file"
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path.name} is not a Python file")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        if isinstance(error, PellucidError):
            raise
        raise UsageError(f"{path.name} cannot be imported: {where(error, path)}") from None
    return vars(module)


def where(error: BaseException, path: Path) -> str:
    """What went wrong and at which line of the file."""
    if isinstance(error, SyntaxError):
        return f"{error.msg} ({Path(error.filename or path).name}, line {error.lineno})"
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"{type(error).__name__}: {error} ({path.name}, line {line})"


def chosen(target: Target, options: argparse.Namespace) -> Function:
    """The compiled function that the options describe."""
    function, static = target.value, tuple(static_values(target, options))
    if not isinstance(function, Function) and not inspect.isfunction(function):
        raise UsageError(f"{target.name} is no function but {article(type(function).__name__)}")
    unknown = [name for name in static if name not in inspect.signature(function).parameters]
    if unknown:
        raise UsageError(f"{unknown[0]!r} is no parameter of {target.name}{inspect.signature(function)}")
    if not isinstance(function, Function):
        function = compile(function, static=static)
    elif static:
        request = function.__pellucid__
        function = Function(replace(request, static=tuple(dict.fromkeys((*request.static, *static)))))
    if options.grad is not None:
        function = grad(function, argnums=read_numbers(options.grad))
    return function if options.target is None else compile(function, target=options.target)


def read_numbers(text: str) -> int | tuple[int, ...]:
    """`0` is one argument, `0,1` are two."""
    try:
        numbers = tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        numbers = ()
    if not numbers:
        raise UsageError(f"--grad takes the numbers of arguments, such as 0 or 0,1, and not {text!r}")
    return numbers if "," in text else numbers[0]


def read_types(target: Target, options: argparse.Namespace) -> list[Any]:
    try:
        return arguments.read_arguments(options.args or "", target.namespace)
    except arguments.ArgumentError as wrong:
        raise UsageError(str(wrong)) from None


def static_values(target: Target, options: argparse.Namespace) -> dict[str, Any]:
    return evaluate(f"dict({options.static or ''})", target.namespace, "--static")


def bind(target: Target, function: Function, given: Sequence[Any], options: argparse.Namespace) -> Any:
    try:
        return arguments.bind(function.__pellucid__.python, list(given), static_values(target, options))
    except arguments.ArgumentError as wrong:
        raise UsageError(str(wrong)) from None


def evaluate(text: str, namespace: dict[str, Any], option: str) -> Any:
    """Python of the user's own, with the names of the file and `np`."""
    try:
        return eval(text, {"np": np, **namespace})
    except Exception as error:
        raise UsageError(f"{option} cannot be evaluated: {type(error).__name__}: {error}") from None

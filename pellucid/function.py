"""What `compile`, `grad` and `value_and_grad` give: a `Function`."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from dataclasses import replace
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

import numpy as np

from . import cut_calls, entries, guests, pickling, recording, retelling
from .announcing import Announcer, Compilation
from .checked_options import check_options
from .compiler.frontend.specialise.derivatives.cotangents import cotangents_of, with_function
from .compiler.frontend.specialise.values import Static, Value
from .compiler.request import Request, Vjp, suffixes
from .compiler.stages import CORE, KERNELS, LLVM, PTX, READABLE, RUNNABLE, SASS, SOURCE, STAGES, TYPED, named
from .compiler.targets.llvm.abi import EmitOptions
from .donating import Donation
from .entries import Compiled
from .flatten import Flattened, flatten, rebuild
from .methods import BoundFunction
from .native_calls import NativeCalls, with_own_containers
from .own_frames import leave_out, told_to_users
from .placing import device_of_call, on_device
from .runtime.devices import by_number, is_on_gpu
from .runtime.dispatch import support
from .runtime.dispatch.support import base_class
from .runtime.guards import Findings, Guards
from .seen import Seen, is_needed
from .starting import compiler
from .text import Text

Given = ParamSpec("Given")
Result = TypeVar("Result", covariant=True)

if TYPE_CHECKING:
    class _Base(Generic[Given, Result]):
        """The parameters and the result of the Python function, which only type checkers ask for."""

else:
    _Base = {(Given, Result): base_class()}

MOST_WORLDS = 32  # pieces of code kept for one combination of types after what they saw outside has changed


class Function(_Base[Given, Result]):
    """A compiled function.  Call it like the Python function it wraps; look inside with `source` and `explain`.

    Each combination of argument types (dtypes, numbers of dimensions, contiguity, lengths of 1, static values) is
    compiled once; other lengths reuse the code.

    Arguments are numbers, arrays, strings, None, functions, and tuples, lists, dicts, NamedTuples and dataclasses of
    those.  The result has the value, the dtype and the shape that the Python function gives; arrays come back as
    `Array`.  A call raises what the Python function (`__wrapped__`) would raise, with its line in the traceback, and
    CompileError at the first call with types that do not fit.
    """

    def __init__(self, request: Request, judge: bool = True) -> None:
        self.__pellucid__ = request
        functools.update_wrapper(self, request.python)
        self.__name__ = request.python.__name__ + suffixes(request.transforms)
        self.__qualname__ = request.python.__qualname__ + suffixes(request.transforms)
        self._compiled: dict[Any, Compiled] = {}  # for the world as it was at the last call
        self._others: dict[Any, list[Compiled]] = {}  # for worlds before that
        self._on_gpu: dict[Any, Any] = {}  # its kernels, for each kind of device that they were made for
        self._known_on_gpu: Any = None  # those of calls that need not be taken apart again
        self._announcer = Announcer(self.__qualname__, not (self.__module__ or "").startswith("pellucid."))
        self._latest: Flattened | None = None  # the types of the last compilation
        self._learning = threading.Lock()
        self._native: list[tuple[Seen, NativeCalls]] = []  # machine code may still look into those before the last
        self._seen = Seen.of(request)
        self._places: dict[Any, Any] = {}  # where results of arguments are that are on many devices
        self._is_judged = False  # then it is when it is first called
        if judge or request.donate:
            check_options(request, self._seen.signature)
        if judge:
            self._check_purity()

    def _check_purity(self) -> None:
        """Raise the faults of the function, if any; the compiler is asked only once on this machine."""
        key = entries.key_of_check(self.__pellucid__)
        found = entries.verdict(key)
        if found is None:
            found = compiler().check(self.__pellucid__)
            entries.save_verdict(key, found)
        self._is_judged = found

    __class_getitem__: Any = classmethod(GenericAlias)  # `Function[[float], float]` in annotations

    def __call__(self, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        try:
            if recording.LISTENING:
                heard: Result = recording.called(self.__qualname__, self.__pellucid__, self._call, args, kwargs)
                return heard
            found: Result = self._call(args, kwargs)
            return found
        except BaseException as error:
            leave_out(error)
            raise

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not (donated := self.__pellucid__.donate):
            return self._carry_out(args, kwargs)
        with Donation(self._bind(args, kwargs).arguments, donated) as donation:
            return self._carry_out(args, kwargs, donation)

    def _carry_out(self, args: tuple[Any, ...], kwargs: dict[str, Any], donation: Donation | None = None) -> Any:
        seen = self._seen
        if not seen.is_current(self.__pellucid__.python):
            seen = self._seen = Seen.of(self.__pellucid__)
            self._known_on_gpu = None
        if self._known_on_gpu is not None and not kwargs and (known := self._known_on_gpu.call(args)):
            return known[0]
        if cut := cut_calls.sharded_in(args, kwargs):
            return cut_calls.called(self, args, kwargs, cut)
        device = device_of_call(self.__pellucid__, lambda: self._bind(args, kwargs, seen).arguments.values())
        flat = guests.flattened(self, args, kwargs, seen)
        if flat is None:
            return guests.called(self, args, kwargs)
        if device >= 0 and is_on_gpu(device):
            from . import on_gpu

            return on_gpu.called(self, None if kwargs else args, flat, by_number(device))
        compiled, findings, is_new = self._code_for(flat)
        if donation is None and not is_new and support.reason() is None and type(self) is Function:
            self._learn(seen, args, kwargs, flat, compiled, findings)
        targets = self._targets(compiled.mutated, flat)
        owned = () if donation is None else donation.take(flat.leaves, compiled)
        try:
            results = compiled.executable([*flat.leaves, *compiled.hidden.leaves(findings)], owned)
        except Exception as error:
            if not retelling.has_gap(error):
                raise
            raise retelling.retold(error, self.__pellucid__, args, kwargs) from error.__cause__
        return on_device(self._finish(compiled.result, targets, results), device)

    def _code_for(self, flat: Flattened) -> tuple[Compiled, Findings, bool]:
        """The code for these types, what it sees outside now, and whether it was made for this call."""
        compiled = self._compiled.get(flat.key)
        if compiled is not None:
            findings = compiled.guards.hold()
            if findings is not None:
                return compiled, findings, False
            found = self._found_again(flat, compiled)
            if found is not None:
                return *found, False
        if compiled is not None or not self._is_judged:  # there is something that was not there when it was judged
            self._check_purity()
        compiled = self._compiled[flat.key] = self._compile(flat, compiled)
        return compiled, compiled.guards.findings, True

    def _found_again(self, flat: Flattened, outdated: Compiled) -> tuple[Compiled, Findings] | None:
        """Code from before, if the world is again as it was then."""
        others = self._others.setdefault(flat.key, [])
        answers = ((other, other.guards.hold()) for other in others)
        found, findings = next((answer for answer in answers if answer[1] is not None), (None, None))
        others[:] = [outdated, *(other for other in others if other is not found)][:MOST_WORLDS]
        if found is None or findings is None:
            return None
        self._compiled[flat.key] = found
        return found, findings

    def _learn(
        self, seen: Seen, args: tuple, kwargs: dict[str, Any], flat: Flattened, compiled: Compiled, findings: Findings
    ) -> None:
        """Let machine code make calls like this one from now on.  It is not the first, so it may pay."""
        if compiled.executable.leaves_gaps and compiled.mutated:
            return  # an error would need the arguments again, as they were
        if not self._learning.acquire(blocking=False):
            return  # another thread is at it, and a later call like this one will learn
        try:
            if recording.LISTENING:
                return  # who listens is to hear of the next call like this one, too
            if not self._native or self._native[-1][0] is not seen:
                self._begin_natively(seen)
            plan = self._native[-1][1].plan(flat, compiled, findings)
            if plan is not None:
                args, kwargs = with_own_containers((args, kwargs))
                if self._seen is seen and self._flatten(args, kwargs, seen=seen).key == flat.key:  # none changed them
                    self._native[-1][1].learn(self, args, kwargs, flat, plan)
        finally:
            self._learning.release()

    def _begin_natively(self, seen: Seen) -> None:
        """Native dispatch of the function as it is now, which knows no call yet."""
        parameters = list(seen.signature.parameters.values())
        self._native.append((seen, NativeCalls(Function, parameters, self.__pellucid__.static)))

    def _call_through_python(self) -> None:
        """Native dispatch forgets all calls: the next ones go through Python, which may let it learn them again."""
        with self._learning:
            if self._native and self._native[-1][1].knows_calls:
                self._begin_natively(self._seen)
                self._native[-1][1].forget(self)

    def __reduce__(self) -> Any:
        """A pickle holds the name, or what the function is made of where its name does not lead to it."""
        return pickling.reduced(self, Function)

    def __copy__(self) -> Function:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Function:
        return self

    def __repr__(self) -> str:
        return f"<compiled {self.__qualname__}{self._seen.signature}>"

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else BoundFunction(self, instance)

    # --- looking inside ---

    @told_to_users
    def source(self, stage: str, *args: Any, **kwargs: Any) -> str:
        """The program at a stage, for arguments of these types: a `str` that shows itself at the prompt.

        stage         source, core, typed, transformed, reverse, loops, llvm, asm, or for a GPU kernels, ptx, sass;
                      source and core need no arguments
        args, kwargs  values, or types written as text: "f64[n, m]", "float", "i32[3]", or `ShapeDtypeStruct`s; none
                      at all mean the types of the call that was last compiled for

        `transformed` is the program after all transformations, what `grad`, `jvp` or `vmap` make of the function;
        `reverse` is another name of it, for a derivative that goes backwards.  Up to loops, and at kernels, the text is
        a Python file that runs in CPython.  Raises ValueError for an unknown stage, CompileError where it cannot.
        """
        if stage not in STAGES:
            raise ValueError(f"there is no stage {stage!r}; the stages are {', '.join(STAGES)}")
        from . import showing

        request = self.__pellucid__
        if stage in (SOURCE, CORE):
            return Text(showing.untyped_text(request, stage))
        flat = self._asked(args, kwargs)
        if stage in (*READABLE, KERNELS):
            return Text(showing.text(request, stage, flat.arguments))
        if stage in (PTX, SASS):
            return Text(showing.machine_text(request, stage, flat.arguments))
        executable = self._readable(flat).executable
        return Text(executable.llvm_text if stage == LLVM else executable.asm)

    def debug(self, stage: str, call: Callable[..., Any] | None = None) -> Callable[..., Any]:
        """The program at a stage as a Python function run by CPython from a real file, for pdb and editors.

        stage  core, typed, transformed, reverse, loops or kernels
        call   what runs it, as `call(function, *arguments)`: with `pdb.runcall` it stops at its first line

        An error carries a note with the user's own line.  Raises ValueError for a stage that is not Python.
        """
        if stage not in RUNNABLE:
            raise ValueError(f"{stage!r} does not run in CPython; {named(RUNNABLE)} do")
        from . import showing

        stepping, request = showing.stepping, self.__pellucid__

        def core(*args: Any, **kwargs: Any) -> Any:
            bound = self._bind(args, kwargs)
            bound.apply_defaults()
            function = stepping.load_core(request.python)
            return stepping.run(function, list(bound.arguments.values()), call)

        def run(*args: Any, **kwargs: Any) -> Any:
            flat = self._flatten(args, kwargs)
            made, program, function = showing.loaded(request, stage, flat.arguments, call)
            targets = self._targets(showing.mutated(made), flat)
            guards = Guards(made.guards)
            hidden = showing.hidden_leaves(request, made, guards).leaves(guards.findings)
            given = [np.array(v) if isinstance(v, np.ndarray) else v for v in (*flat.leaves, *hidden)]
            results = function(*given)
            if results is None and program.main.results:  # `call` is a debugger that was left
                raise showing.BdbQuit
            return self._finish(made.result, targets, showing.results_of(program, results))

        def undifferentiated(*args: Any, **kwargs: Any) -> Any:
            bound = self._bind(args, kwargs)
            bound.apply_defaults()
            plain: Function = Function(replace(request, transforms=kept), judge=False)
            own = plain._seen.signature.bind_partial()
            own.arguments.update(showing.arguments_within(request, bound.arguments, len(kept)))
            return plain.debug(stage, call)(*own.args, **own.kwargs)

        made = core if stage == CORE else run
        kept = showing.driver.undifferentiated(request) if stage == TYPED else ()
        if request.transforms != kept and stage in (CORE, TYPED):  # these stages are those of the function itself
            made = undifferentiated
        return functools.wraps(request.python)(told_to_users(made))

    @told_to_users
    def explain(self, *args: Any, **kwargs: Any) -> str:
        """What was decided for these argument types and why: types unified, loops fused, values saved, what is
        checked, and how long each step of compiling took if the function was compiled for them by this process.  For a
        GPU, where the arguments or the target are of one: kernels and what they move, what stays on the host, waits.

        args, kwargs  values or types written as text, or nothing, as for `source`
        """
        from . import showing

        return Text(showing.explained(self, args, kwargs))

    # --- compiling ---

    def _bind(self, args: tuple, kwargs: dict[str, Any], seen: Seen | None = None) -> inspect.BoundArguments:
        try:
            return (seen or self._seen).signature.bind(*args, **kwargs)
        except TypeError as wrong:
            raise TypeError(f"{self.__pellucid__.python.__name__}() {wrong}") from None

    def _flatten(self, args: tuple, kwargs: dict[str, Any], texts: bool = False, seen: Seen | None = None) -> Flattened:
        """The arguments taken apart, by what was `seen`; with `texts` those given may be types written as text."""
        request = self.__pellucid__
        bound = self._bind(args, kwargs, seen)
        given = frozenset(bound.arguments) if texts else frozenset()
        bound.apply_defaults()
        return flatten(bound.arguments, request.static, request.python, given)

    def _asked(self, args: tuple, kwargs: dict[str, Any]) -> Flattened:
        """The types that a listing is asked for: those of the last compilation where nothing is said of them."""
        if args or kwargs or not any(map(is_needed, self._seen.signature.parameters.values())):
            return self._flatten(args, kwargs, texts=True)
        if self._latest is None:
            name = self.__pellucid__.python.__name__
            raise TypeError(
                f"{name}() has not been called yet: say which arguments it is asked for, "
                f"values or types written as text, such as 'f64[n]' for each of {name}{self._seen.signature}"
            )
        return self._latest

    def _compile(self, flat: Flattened, outdated: Compiled | None = None) -> Compiled:
        """The code for these types, from the cache on disk if it has it; `outdated` is what there was for them."""
        self._latest = Flattened(flat.arguments, [], flat.key)
        guards = None if outdated is None else outdated.guards
        with (
            recording.Compiling(self.__qualname__, self.__pellucid__) as heard,
            self._announcer.compiling(flat.arguments, guards) as telling,
        ):
            found = self._fetched(flat, telling)
            heard.was_cached = telling.was_cached
            return found

    def _fetched(self, flat: Flattened, telling: Compilation) -> Compiled:
        request, options = self.__pellucid__, self._options()
        # line tables point into a file that is written when the function is compiled
        key = None if options.line_tables else entries.key_of(request, flat.arguments)
        found = entries.load(key, request, options) if key is not None else None
        if found is None:
            telling.begins()
            found = compiler().compiled(request, flat.arguments, options)
            if key is not None:
                entries.save(key, found, entries.title_of(self, flat.arguments))
        self._complete(found, flat)
        return found

    def _complete(self, found: Compiled, flat: Flattened) -> None:
        """Put the function of a pullback into the result, where there is one; it is for the world as it is now."""
        request = self.__pellucid__
        transform = request.transforms[-1] if request.transforms else None
        if isinstance(transform, Vjp):
            cotangents = cotangents_of(found.result, found.executable.results)
            half = transform.half(request, flat.arguments, cotangents, found.guards)
            found.result = with_function(found.result, Static(half))

    def _readable(self, flat: Flattened) -> Compiled:
        """The code for these types together with the LLVM it was made from, which the cache on disk does not keep."""
        found = self._compiled.get(flat.key)
        if found is None or not found.executable.sources or not found.guards.hold():
            found = compiler().compiled(self.__pellucid__, flat.arguments, self._options())
            self._complete(found, flat)
            self._compiled[flat.key] = found
        return found

    def _options(self) -> EmitOptions:
        request = self.__pellucid__
        of_device = request.is_of_device
        return EmitOptions(request.fastmath, False, request.parallel, request.line_tables, is_of_device=of_device)

    def _targets(self, mutated: tuple[tuple[str, int], ...], flat: Flattened) -> list[np.ndarray]:
        """The arrays that `mutates=` writes to.  Raises ValueError where that would not mean what Python means."""
        targets = [flat.leaves[place] for _, place in mutated]
        for (name, place), target in zip(mutated, targets, strict=True):
            if not target.flags.writeable:
                raise ValueError(f"`{name}` is declared with mutates= and cannot be written to; pass np.array({name})")
            for position, other in enumerate(flat.leaves):
                if not isinstance(other, np.ndarray) or position == place:
                    continue
                if np.may_share_memory(target, other):
                    raise ValueError(f"`{name}` is declared with mutates= and shares memory with another argument")
        return targets

    def _finish(self, result: Value, targets: list[np.ndarray], results: list[Any]) -> Any:
        """Put result leaves back into containers, and into the arrays that are changed in place."""
        count = len(results) - len(targets)
        for target, new in zip(targets, results[count:], strict=True):
            target[...] = new
        return rebuild(result, results[:count])

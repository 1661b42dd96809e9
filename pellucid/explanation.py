"""What `f.explain` says: the decisions of all steps, by function and topic.

    kepler_grad(mean_anomaly: float, eccentricity: float) -> float

      saved
        `e` on a tape, one value for each iteration of the loop at line 9
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from .by_line import by_line, in_users_names
from .compiler.optimise.footprint import footprint
from .compiler.program import Decision, Function, Program
from .library_names import library_name
from .runtime.guards import ABSENT, Guard
from .stopwatch import shown

MARGIN = "  "


def explanation(
    *programs: Program, guards: Iterable[Guard] = (), versions: Program | None = None,
    took: Mapping[str, float] = MappingProxyType({}), on_gpu: Mapping[str, list[str]] = MappingProxyType({}),
) -> str:  # fmt: skip
    """The decisions in these stages of one program, earlier stages first; what two of them say is said once.

    guards    what it read from outside, and what has to be found again by every call
    versions  the last stage as the target takes it, which decides of blocks and of versions without checks
    took      the seconds of the steps of compiling, where they are known
    on_gpu    the topics of its kernels stage, where calls run on a GPU: what a processor makes of it is left out
    """
    return "\n".join(line.rstrip() for line in _lines(programs, told(guards), versions, took, on_gpu)) + "\n"


def told(guards: Iterable[Guard]) -> list[str]:
    """The guards in words, but for what every function has: code, names that are free, members of libraries."""
    own = [g for g in guards if g.name not in ("__code__", "__mro__") and g.found is not ABSENT]
    shown = [g for g in own if not (g.kind == "field" and g.found is None)]
    return sorted(str(guard) for guard in shown if library_name(guard.found) is None)


def _lines(
    programs: tuple[Program, ...], outside: list[str], versions: Program | None, took: Mapping[str, float],
    on_gpu: Mapping[str, list[str]],
) -> Iterator[str]:  # fmt: skip
    names = list(dict.fromkeys(name for program in programs for name in program.functions))
    for position, name in enumerate(names):
        stages = [program.functions[name] for program in programs if name in program.functions]
        if position:
            yield ""
        yield heading(stages[0])
        topics = by_topic(stages, None if versions is None else versions.functions.get(name), is_on_cpu=not on_gpu)
        if name == programs[0].entry:
            topics |= on_gpu
        if outside and name == programs[0].entry:
            topics["outside, asked by every call"] = outside
        if took and name == programs[0].entry:
            topics["compiling"] = shown(took)
        if not topics:
            yield ""
            yield f"{MARGIN}nothing had to be decided"
        yield from lines_of(topics)


def lines_of(topics: Mapping[str, list[str]]) -> Iterator[str]:
    """Topics with their texts, each below an empty line."""
    for topic, texts in topics.items():
        yield ""
        yield f"{MARGIN}{topic}"
        for text in texts:
            first, *rest = text.splitlines() or [""]
            yield f"{MARGIN * 2}{first}"
            yield from (f"{MARGIN * 3}{line}" for line in rest)


def by_topic(stages: list[Function], versions: Function | None, is_on_cpu: bool) -> dict[str, list[str]]:
    """Topics in the order in which they first came up, each with its texts."""
    found: dict[str, list[str]] = {}
    told = [decision for function in stages for decision in decisions_of(function)]
    told += [] if versions is None else versions.decisions
    for decision in dict.fromkeys(told):
        text = in_users_names(decision.text, stages[0])
        if text not in found.setdefault(decision.topic, []):
            found[decision.topic].append(text)
    loops = [function for function in stages if is_on_cpu and function.stage == "loops"]
    lines = [text for function in loops for text in by_line(function, versions)]
    return {**found, **({"line by line": lines} if lines else {})}


def decisions_of(function: Function) -> tuple[Decision, ...]:
    """What the steps noted, and what follows from the loops, which no call has to wait for."""
    return (*function.decisions, *(footprint(function) if function.stage == "loops" else ()))


def heading(function: Function) -> str:
    """The signature with types."""
    given = ", ".join(f"{name}: {function.types[name]}" for name in function.parameters)
    results = ", ".join(map(str, function.results)) or "None"
    return f"{function.name}({given}) -> {results}"

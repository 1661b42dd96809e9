"""What `f.explain` says: the decisions of all steps, by function and topic.

    kepler_grad(mean_anomaly: float, eccentricity: float) -> float

      saved
        `e` on a tape, one value for each turn of the loop at line 9
"""

from __future__ import annotations

from collections.abc import Iterator

from .compiler.backend.nests.footprint import footprint
from .compiler.program import Function, Program

MARGIN = "  "


def explanation(*programs: Program) -> str:
    """The decisions in these stages of one program, earlier stages first; what two of them say is said once."""
    return "\n".join(line.rstrip() for line in _lines(programs)) + "\n"


def _lines(programs: tuple[Program, ...]) -> Iterator[str]:
    names = list(dict.fromkeys(name for program in programs for name in program.functions))
    for position, name in enumerate(names):
        stages = [program.functions[name] for program in programs if name in program.functions]
        if position:
            yield ""
        yield heading(stages[0])
        topics = by_topic(stages)
        if not topics:
            yield ""
            yield f"{MARGIN}nothing had to be decided"
        for topic, texts in topics.items():
            yield ""
            yield f"{MARGIN}{topic}"
            for text in texts:
                first, *rest = text.splitlines() or [""]
                yield f"{MARGIN * 2}{first}"
                yield from (f"{MARGIN * 3}{line}" for line in rest)


def by_topic(stages: list[Function]) -> dict[str, list[str]]:
    """Topics in the order in which they first came up, each with its texts."""
    found: dict[str, list[str]] = {}
    told = [decision for function in stages for decision in decisions_of(function)]
    for topic, text in dict.fromkeys(told):
        found.setdefault(topic, []).append(text)
    return found


def decisions_of(function: Function) -> tuple[tuple[str, str], ...]:
    """What the steps noted, and what follows from the loops, which no call has to wait for."""
    return (*function.decisions, *(footprint(function) if function.stage == "loops" else ()))


def heading(function: Function) -> str:
    """The signature with types."""
    given = ", ".join(f"{name}: {function.types[name]}" for name in function.parameters)
    results = ", ".join(map(str, function.results)) or "None"
    return f"{function.name}({given}) -> {results}"

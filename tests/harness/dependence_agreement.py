"""The dependences that the analysis tells of random nests, against those that running them shows."""

from pellucid.compiler.analysis.integers.nest_scope import NestScope
from pellucid.compiler.analysis.memory.accesses import accesses
from pellucid.compiler.analysis.memory.dependences import Dependences

from .loops_text import read_loops
from .random_accesses import Nest, carried_at
from .typed_text import read_function

KINDS = {
    "loops": {}, "affine": {"affine": True}, "slices": {"affine": True, "sliced": True},
    "views": {"affine": True, "views": True},
}  # fmt: skip


def counted(seed, kind, runs=6):
    """(how often the analysis rules out what was never seen, how much was never seen) of one program.

    Raises AssertionError where a dependence was seen that the analysis does not tell, with its distance.
    """
    nest = Nest(seed, **KINDS[kind])
    read = read_function if nest.sliced else lambda text: read_loops(text).main
    function = read(nest.source())
    dependences = Dependences(function, nest.bases)
    found = list(accesses(function.body, NestScope(), dependences.integers))
    assert [(a.array, a.is_store) for a in found] == list(zip(nest.arrays, nest.stores)), nest.source()
    numbers = {id(access): number for number, access in enumerate(found)}
    told = {}
    for one in dependences.of(found):
        told.setdefault((numbers[id(one.source)], numbers[id(one.sink)]), []).append(one)
    seen = nest.observed(runs)
    for pair, distances in seen.items():
        for distance in distances:
            assert any(contains(one, distance) for one in told.get(pair, ())), message(seed, kind, pair, distance, nest)
            assert all(one.kind == kind_of(nest, pair) for one in told[pair])
    return precision(nest, seen, told)


def precision(nest, seen, told):
    refused = never = 0
    for pair in nest.pairs():
        levels = {carried_at(distance) for distance in seen.get(pair, ())}
        claimed = {level_of(one.distance) for one in told.get(pair, ())}
        unseen = set(nest.levels(*pair)) - levels
        never += len(unseen)
        refused += len(unseen - claimed)
    return refused, never


def contains(one, distance):
    return len(distance) == len(one.distance) and all(
        (low is None or low <= turns) and (high is None or turns <= high)
        for turns, (low, high) in zip(distance, one.distance)
    )


def level_of(distance):
    return next((depth for depth, turns in enumerate(distance) if turns != (0, 0)), len(distance))


def kind_of(nest, pair):
    source, sink = (nest.stores[number] for number in pair)
    return "output" if source and sink else "flow" if source else "anti"


def message(seed, kind, pair, distance, nest):
    return f"{kind} {seed}: access {pair[0]} and {pair[1]} meet over {distance}\n{nest.source()}"

"""Records are dataclasses (`compiler/records.py`): whatever is asked of the one, the other answers the same."""

import copy
import dataclasses
import pickle
from dataclasses import field

import pytest

from pellucid.compiler.records import dataclass

pytestmark = pytest.mark.drawn(5)

MAKERS = {"ours": dataclass, "Python's": dataclasses.dataclass}


def points(maker, **options):
    @maker(slots=True, **options)
    class Point:
        """A point."""

        x: float
        names: list = field(default_factory=list, repr=False)
        weight: float = 1.0
        note: str = field(default="", compare=False)
        seen: set = field(default_factory=set, init=False)

        def __post_init__(self):
            self.seen.add(self.x)

        @property
        def double(self):
            return 2 * self.x

    return Point


def answers(cls):
    """What one class says to all questions, as text."""
    a, b = cls(1.0, weight=2.0), cls(1.0, [], 2.0, "note")
    yield repr(a), str(b), a.double, cls.__doc__, cls.__name__, cls.__match_args__, cls.__slots__
    yield a == b, a == cls(2.0), a != b, a == (1.0, [], 2.0), a.__eq__(3) is NotImplemented
    yield copy.copy(a), copy.deepcopy(b), dataclasses.replace(a, x=5.0) if not a.seen - {1.0} else None
    yield dataclasses.is_dataclass(cls), dataclasses.asdict(a), dataclasses.astuple(b)
    yield [(f.name, f.repr, f.compare, f.init, f.default, f.type) for f in dataclasses.fields(cls)]
    yield hasattr(a, "__dict__"), cls(1.0).names is cls(1.0).names
    for call in (
        lambda: hash(a), lambda: setattr(a, "x", 3.0), lambda: delattr(a, "weight"),
        lambda: cls(), lambda: cls(1, 2, 3, 4, 5), lambda: cls(1, other=2),
    ):  # fmt: skip
        try:
            yield repr(call())
        except Exception as error:
            yield type(error).__name__, str(error).partition("__init__")[2]
    match b:
        case cls(x, _, weight=weight):
            yield x, weight


@pytest.mark.parametrize("options", [{"frozen": True}, {"frozen": True, "eq": False}, {}, {"eq": False}], ids=str)
def test_records_answer_as_dataclasses_do(options):
    ours, theirs = (list(map(repr, answers(points(maker, **options)))) for maker in MAKERS.values())
    if not options.get("eq", True):  # hashes and addresses are of the moment
        ours, theirs = ours[1:6], theirs[1:6]
    assert ours == theirs


@dataclass(frozen=True, slots=True)
class Pair:
    left: int
    right: tuple = ()


def test_equal_records_are_one_key():
    assert len({Pair(1, (2,)), Pair(1, (2,)), Pair(1), Pair(2, (2,))}) == 3
    assert pickle.loads(pickle.dumps(Pair(3, (4,)))) == Pair(3, (4,))
    assert Pair(1) != (1, ()) and repr(Pair(1)) == "Pair(left=1, right=())"


def test_inherited_and_ordered_ones_are_left_to_python():
    @dataclass(frozen=True, slots=True)
    class Triple(Pair):
        last: int = 0

    @dataclass(frozen=True, slots=True, order=True)
    class Ordered:
        x: int

    assert Triple(1, (), 2) == Triple(1, (), 2) and Ordered(1) < Ordered(2)
    assert [f.name for f in dataclasses.fields(Triple)] == ["left", "right", "last"]


class Named(Pair):
    """A kind of pair: a class of its own, with the same fields."""

    __slots__ = ()


def test_a_class_below_without_fields_of_its_own_is_a_record():
    named = Named(1, (2,))
    assert named != Pair(1, (2,)) and named == Named(1, (2,)) and hash(named) == hash(Named(1, (2,)))
    assert [f.name for f in dataclasses.fields(Named)] == ["left", "right"]
    assert type(dataclasses.replace(named, left=3)) is Named and repr(named) == "Named(left=1, right=(2,))"
    assert pickle.loads(pickle.dumps(named)) == copy.copy(named) == named

"""What is known of statements of the loops stage: the same answers as from reading them again, and each found once."""

from pellucid.compiler import driver, syntax
from pellucid.compiler.optimise.known import KnownNests

from .harness.typed_text import read_program

MIXED = """
def f(x: "f64[n, m]", k: "int"):
    e = exp(x - max(x, axis=1, keepdims=True))
    s = 0.0
    for i in range(k):
        if s > 1.0:
            e = e * 0.5
        else:
            s = s + sum(e)
    return e / sum(e, axis=1, keepdims=True), s
"""


def statements():
    return list(syntax.walk(driver.lowered(read_program(MIXED)).main.body))


def test_counts_reads_and_binds_are_those_of_the_text():
    known = KnownNests()
    for statement in statements():
        said = known.mentions(statement)
        bound = [n for s in syntax.walk([statement]) for n in syntax.names_bound(s)]
        read = syntax.names_read(statement)
        assert said.binds == set(bound)
        assert said.reads == set(read)
        assert sum(said.counts.values()) == len(bound) + len(read)


def test_exposed_is_what_may_be_read_from_before():
    inner = [syntax.assign("t", syntax.call("add", "s", "i")), syntax.assign("s", syntax.call("add", "t", "c"))]
    either = syntax.if_(syntax.name("c"), [syntax.assign("u", syntax.name("s"))], [])
    sides = [syntax.assign("v", syntax.constant(1))], [syntax.assign("v", syntax.name("s"))]
    both = syntax.if_(syntax.name("c"), *sides)
    use = syntax.assign("w", syntax.call("add", "u", "v"))
    nest = syntax.for_range("i", 0, "n", 1, [*inner, either, both, use])
    said = KnownNests().mentions(nest)
    assert said.exposed == {"n", "s", "c", "u"}
    assert said.surely == set()  # the loop may have no turns
    assert KnownNests().mentions(both).surely == {"v"}


def test_elements_are_not_those_whose_length_alone_is_asked_for():
    bound = syntax.call("dim", "x", axis=0)
    nest = syntax.for_range("i", 0, bound, 1, [syntax.store("y", ["i"], syntax.index("z", "i"))])
    known = KnownNests()
    assert {"y", "z"} <= known.elements(nest)
    assert "x" not in known.elements(nest)
    assert "x" in known.mentions(nest).counts


def test_what_does_not_mention_a_name_stays_the_same_tree():
    first, second = syntax.assign("a", syntax.name("x")), syntax.assign("b", syntax.name("y"))
    nest = syntax.for_range("i", 0, "n", 1, [first, second])
    known = KnownNests()
    assert known.renamed(nest, {"z": "w"}) is nest
    made = known.renamed(nest, {"y": "w", "i": "j"})
    assert made.body[0] is first
    assert known.mentions(made).counts == {"n": 1, "a": 1, "x": 1, "b": 1, "w": 1, "j": 1}
    assert known.mentions(nest).counts == {"n": 1, "a": 1, "x": 1, "b": 1, "y": 1, "i": 1}


def test_second_question_about_a_statement_is_answered_from_memory(monkeypatch):
    known, body = KnownNests(), statements()
    before = [(known.mentions(s), known.elements(s)) for s in body]
    monkeypatch.setattr(syntax, "names_read", None)
    assert all(known.mentions(s) is m and known.elements(s) is e for s, (m, e) in zip(body, before, strict=True))

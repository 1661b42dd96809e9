"""Names in capitals that their module binds once and nowhere changes are constants: arrays are read at each call,
containers of numbers are compared by value, so that neither is ever stale."""

import importlib
import sys
import textwrap

import numpy as np
import pytest

import pellucid
from pellucid import PurityError, compile, grad, jacfwd, vmap
from tests.test_dispatch import frames, native_only

X = np.array([1.0, 2.0, 3.0])


@pytest.fixture
def load(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    names = []

    def loaded(text, name=None):
        name = name or f"constants_{len(names)}_{abs(hash(str(tmp_path))) % 10**8}"
        (tmp_path / f"{name}.py").write_text("import numpy as np\n" + textwrap.dedent(text))
        names.append(name)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield loaded
    for name in names:
        sys.modules.pop(name, None)


HELD = {
    "an array": ("KERNEL = np.array([1.0, 2.0, 1.0])", "x * KERNEL"),
    "ints": ("KERNEL: np.ndarray = np.array([1, 2, 1], np.uint8)", "x * KERNEL"),
    "a view": ("KERNEL = np.arange(6.0)[::2]", "x @ KERNEL"),
    "a list": ("LINKS = [(0, 1), (1, 2)]", "sum(x[i] * x[j] for i, j in LINKS)"),
    "a long list": ("LONG = [float(k) for k in range(100)]", "x * np.sum(np.array(LONG))"),
    "a dict": ("TABLE = {'a': 1.5, 'b': {'c': [2.0, 3]}}", "x * TABLE['a'] + TABLE['b']['c'][1]"),
    "a matrix of lists": ("ROWS = [[1.0, 2.0, 3.0], [0.0, 1.0, 0.5]]", "np.array(ROWS) @ x"),
}
CHANGES = {
    "an array": "KERNEL[1] = 7.0", "ints": "KERNEL[1] = 7", "a view": "KERNEL[1] = 7.0",
    "a list": "LINKS.append((2, 2))", "a long list": "LONG[3] = -1.0",
    "a dict": "TABLE['b']['c'][1] = 3.0", "a matrix of lists": "ROWS[1][2] = 9.0",
}  # fmt: skip


@pytest.mark.parametrize("kind", HELD)
def test_a_constant_is_read_and_never_stale(load, kind):
    setting, expression = HELD[kind]
    module = load(f"{setting}\ndef f(x):\n    return {expression}\n")
    function = compile(module.f)
    for _ in range(3):
        np.testing.assert_array_equal(np.asarray(function(X)), np.asarray(module.f(X)))
    exec(CHANGES[kind], vars(module))
    for _ in range(3):
        np.testing.assert_array_equal(np.asarray(function(X)), np.asarray(module.f(X)))
    mapped = vmap(module.f)(np.stack([X, X]))
    np.testing.assert_allclose(np.asarray(mapped), np.stack([np.asarray(module.f(X))] * 2))
    found, step = np.asarray(jacfwd(module.f)(X)), 1e-6
    for k in range(3):
        ahead, behind = (np.asarray(module.f(X + side * np.eye(3)[k])) for side in (step, -step))
        np.testing.assert_allclose(found[..., k], (ahead - behind) / (2 * step), rtol=1e-6, atol=1e-6)


def test_another_array_of_the_type_needs_no_new_code(load):
    module = load("KERNEL = np.array([1.0, 2.0, 1.0])\ndef f(x):\n    return x * KERNEL\n")
    function = compile(module.f)
    function(X)
    count = len(function._compiled)
    module.KERNEL = np.array([5.0, 5.0, 5.0, 5.0])
    np.testing.assert_array_equal(np.asarray(function(np.ones(4))), np.full(4, 5.0))
    module.KERNEL = np.array([1, 2, 3])
    np.testing.assert_array_equal(np.asarray(function(X)), X * module.KERNEL)
    assert len(function._compiled) == count


def test_constants_of_other_modules(load):
    load("WEIGHTS = np.array([2.0, 3.0, 4.0])\nCHANGED = [1.0]\nCHANGED[0] = 2.0\n", "held_elsewhere")
    module = load(
        "import held_elsewhere\nfrom held_elsewhere import WEIGHTS\n"
        "from held_elsewhere import WEIGHTS as OTHERS, CHANGED\n"
        "def f(x):\n    return x * WEIGHTS + held_elsewhere.WEIGHTS * OTHERS\n"
        "def g(x):\n    return x * CHANGED[0]\n"
        "def h(x):\n    return x * held_elsewhere.CHANGED[0]\n"
    )
    np.testing.assert_array_equal(np.asarray(compile(module.f)(X)), module.f(X))
    for function in (module.g, module.h):
        with pytest.raises(PurityError, match="P007"):
            compile(function)


REFUSED = {
    "bound twice": "TABLE = [1.0]\nTABLE = [2.0]",
    "bound under a condition": "if np.pi > 3:\n    TABLE = [1.0]",
    "bound in a loop": "for TABLE in ([1.0], [2.0]):\n    pass",
    "an element is stored": "TABLE = [1.0]\nTABLE[0] = 2.0",
    "it grows": "TABLE = [1.0]\ndef grow():\n    TABLE.append(2.0)",
    "a function binds it": "TABLE = [1.0]\ndef bind():\n    global TABLE\n    TABLE = [2.0]",
    "it is updated": "TABLE = np.ones(1)\nTABLE += 1.0",
    "a function of NumPy's writes into it": "TABLE = np.ones(1)\nnp.copyto(TABLE, 2.0)",
    "out": "TABLE = np.ones(1)\nnp.add(1.0, 2.0, out=TABLE)",
    "an item goes": "TABLE = [1.0, 2.0]\ndel TABLE[1]",
    "in small letters": "table = TABLE = [1.0]\ntable = [1.0]",
    "one letter": "T = TABLE = [1.0]",
    "it holds a function": "TABLE = [1.0, np.sin]",
    "it holds an array": "TABLE = [np.ones(2)]",
    "it holds itself": "TABLE = [1.0]\nTABLE.append(TABLE)",
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_may_be_changed_is_refused(load, kind):
    name = {"in small letters": "table", "one letter": "T"}.get(kind, "TABLE")
    module = load(f"{REFUSED[kind]}\ndef f(x):\n    return x * {name}[0]\n")
    with pytest.raises(PurityError, match="P007"):
        compile(module.f)


def test_the_way_out_is_said(load):
    module = load("table = [1.0, 2.0]\ndef f(x):\n    return x * table[0]\n")
    with pytest.raises(PurityError, match="write its name in capitals"):
        compile(module.f)


def test_the_check_of_a_file_knows_them(tmp_path):
    from pellucid.check import check_file

    file = tmp_path / "program.py"
    file.write_text(
        "import numpy as np\nfrom pellucid import compile\nKERNEL = np.array([1.0])\ntable = [1.0]\n"
        "@compile\ndef f(x):\n    return x * KERNEL\n@compile\ndef g(x):\n    return x * table[0]\n"
    )
    assert [d.code for d in check_file(str(file))] == ["P007"]


def test_a_local_variable_in_capitals_is_no_constant():
    TABLE = [1.0]
    with pytest.raises(PurityError, match="P007"):
        compile(lambda x: x * TABLE[0])


def test_a_gradient_goes_through_and_not_by_it(load):
    module = load("KERNEL = np.array([1.0, 2.0, 1.0])\ndef f(x):\n    return np.sum(x * x * KERNEL)\n")
    np.testing.assert_array_equal(np.asarray(grad(module.f)(X)), 2.0 * X * module.KERNEL)
    assert "KERNEL" in compile(module.f).source("typed", "f64[n]")


def test_it_cannot_be_written_to(load):
    module = load("KERNEL = np.array([1.0, 2.0, 1.0])\ndef f(x):\n    k = KERNEL\n    k[0] = x\n    return k\n")
    with pytest.raises(pellucid.CompileError):
        compile(module.f)(1.0)
    assert module.KERNEL[0] == 1.0


VALUES = {
    "a list": ("[(0, 1), (1, 2)]", "[(0, 1), (1, 1)]"),
    "a float for an int": ("[1, 2]", "[1, 2.0]"),
    "a bool for an int": ("[1, 2]", "[True, 2]"),
    "minus zero": ("[0.0, 2.0]", "[-0.0, 2.0]"),
    "another length": ("[1.0, 2.0]", "[1.0, 2.0, 3.0]"),
    "a dict": ("{'a': 1.5, 'b': {'c': [2.0, 3]}}", "{'a': 1.5, 'b': {'c': [2.0, 4]}}"),
    "the order of a dict": ("{'a': 1.0, 'b': 2.0}", "{'b': 2.0, 'a': 1.0}"),
    "another key": ("{'a': 1.0}", "{'b': 1.0}"),
    "complex": ("[1j, 2.0]", "[2j, 2.0]"),
    "scalars of NumPy": ("[np.float32(1.0), np.int8(3)]", "[np.float32(1.0), np.int8(4)]"),
    "None and texts": ("[None, 'left', 1.0]", "[None, 'right', 1.0]"),
    "large ints": ("[2**40, 2**41]", "[2**40, 2**42]"),
    "nan": ("[float('nan'), 1.0]", "[float('nan'), 2.0]"),
}


@native_only
@pytest.mark.parametrize("kind", VALUES)
def test_native_calls_compare_containers_by_value(load, kind):
    """Equal containers keep calls native, also other objects; whatever differs is seen by the next call."""
    first, second = VALUES[kind]
    module = load(f"TABLE = {first}\ndef f(x):\n    return x * len(TABLE)\n")
    f = compile(module.f)
    for _ in range(3):
        f(2.0)
    assert frames(f, 2.0) == [] and f(2.0) == module.f(2.0)
    exec(f"TABLE = {first}", vars(module))
    assert frames(f, 2.0) == []
    exec(f"TABLE = {second}", vars(module))
    assert frames(f, 2.0)[0] == "Function.__call__" and f(2.0) == module.f(2.0)
    f(2.0)
    assert frames(f, 2.0) == []
    exec(f"TABLE = {first}", vars(module))
    assert frames(f, 2.0)[0] == "Function.__call__"


@native_only
def test_native_calls_see_a_change_inside(load):
    module = load("TABLE = {'a': [1.0, (2.0, [3.0])]}\ndef f(x):\n    return x * TABLE['a'][1][1][0]\n")
    f = compile(module.f)
    for value in (3.0, 4.0, 5.0):
        module.TABLE["a"][1][1][0] = value
        for _ in range(2):
            assert f(2.0) == 2.0 * value
        assert frames(f, 2.0) == []
    module.TABLE["a"][1][1][0] = "text"
    with pytest.raises(Exception):
        f(2.0)
    module.TABLE["a"][1] = module.TABLE["a"]  # it holds itself now
    with pytest.raises(Exception):
        f(2.0)
    del module.TABLE
    with pytest.raises(Exception):
        f(2.0)


def test_equal_members_of_a_set_have_types(load):
    module = load("CODES = {1, 2}\ndef f(x):\n    return x * max(CODES)\n")
    f = compile(module.f)
    assert [type(f(2)) for _ in range(3)] == [int] * 3
    module.CODES = {1, 2.0}
    assert [type(f(2)) for _ in range(3)] == [type(module.f(2))] * 3 == [float] * 3

"""The shape of the code: who may import whom, how long files are, what a pass says of itself, where state may live."""

import ast
import functools
import graphlib
import os
import pathlib
import re
import subprocess
import sys

import gast
import pytest

from pellucid.compiler import pipeline
from pellucid.compiler.builder import parse_template
from pellucid.compiler.ops import OPERATORS, array_samples  # noqa: F401  the second fills SAMPLES
from pellucid.compiler.ops.samples import SAMPLES
from pellucid.compiler.stages import STAGES
from pellucid.compiler.steps import steps_of
from pellucid.compiler.syntax import names_read
from pellucid.compiler.targets.llvm import llvm  # noqa: F401  it fills the table of emitters
from pellucid.compiler.targets.llvm.emitters import EMITTERS

from .harness.every import every

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGES = {"compiler": "pellucid.compiler", "runtime": "pellucid.runtime", "pellucid": "pellucid"}
FILES = sorted(path for folder in PACKAGES for path in (ROOT / folder).rglob("*.py"))


def shown(path):
    return path.relative_to(ROOT).as_posix()


@functools.cache
def text_of(path):
    return path.read_text(encoding="utf-8")


@functools.cache
def tree_of(path):
    return ast.parse(text_of(path))


@functools.cache
def nodes_of(path):
    return list(ast.walk(tree_of(path)))


each_file = every(FILES, shown)

# --- imports -------------------------------------------------------------------------------------------------------

BASE = "diagnostics dtypes messages names parsing types vocabulary program syntax records"
LANGUAGE = f"{BASE} builder meanings ops"

# What each part of the compiler may import; a part is a module of `compiler/`, a folder in it, or one deeper.
MAY_IMPORT = {
    "": "diagnostics",
    "records": "",
    "diagnostics": "records",
    "messages": "",
    "tuning": "",
    "annotations": "records",
    "stages": "",
    "names": "",
    "parsing": "runtime",
    "types": "dtypes records",
    "dtypes": "records",
    "request": "argnums records runtime stages",
    "argnums": "",
    "vocabulary": "dtypes records",
    "program": "diagnostics types records",
    "own_faults": "diagnostics program",
    "syntax": "diagnostics messages",
    "renaming": "diagnostics program syntax",
    "meanings": "dtypes records types",
    "builder": f"{BASE} meanings ops",
    "ops": f"{BASE} builder",
    "analysis": f"{LANGUAGE} runtime",
    "transform": f"{LANGUAGE} analysis annotations frontend.specialise renaming request tuning",
    "targets": "",
    "targets.python": f"{LANGUAGE} analysis renaming transform",
    "languages": f"{LANGUAGE} analysis annotations lower targets.python",
    "frontend": f"{LANGUAGE} frontend.source frontend.purity frontend.specialise request runtime",
    "frontend.source": f"{LANGUAGE} runtime",
    "frontend.purity": f"{LANGUAGE} analysis frontend.source runtime",
    "frontend.specialise": f"{LANGUAGE} analysis frontend.source own_faults runtime",
    "lower": f"{LANGUAGE} analysis renaming tuning",
    "optimise": f"{LANGUAGE} analysis lower renaming tuning",
    "targets.cuda": f"{LANGUAGE} analysis languages optimise renaming runtime targets.python transform",
    "targets.llvm": f"{LANGUAGE} analysis lower optimise renaming targets.python runtime tuning",
    "steps": "program languages own_faults records",
    "pipeline": "frontend stages steps transform lower optimise targets.cuda targets.llvm",
    "edited": f"{BASE} analysis optimise languages pipeline stages steps",
    "driver": "diagnostics frontend frontend.source frontend.specialise pipeline program records request stages steps"
    " transform",
}
# The library is written in the language: all it may know of the compiler is how to name operators that NumPy has not.
OUTSIDE = {
    "runtime": set(),
    "pellucid.numpy": {"compiler.ops", "runtime", "pellucid"},  # of the last two, what takes functions of the user's
}
# Single imports against the rule, with the reason.
EXCEPTIONS: dict[tuple[str, str], str] = {}


def imported(path, at_top=False):
    """The modules of this project that a file imports, as dotted names; `at_top` leaves out those inside functions."""
    parts = shown(path).removesuffix(".py").split("/")
    own = PACKAGES[parts[0]].split(".") + parts[1:]
    package = own[:-1]
    for node in tree_of(path).body if at_top else nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "pellucid")
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*start, *([node.module] if node.module else [])])
            if module.split(".")[0] == "pellucid":
                yield from (f"{module}.{alias.name}" for alias in node.names)


DEEP = ("frontend", "targets")  # their folders are parts of their own


def part_of(module):
    """`compiler.ops` for anything in `pellucid.compiler.ops`; `runtime`; `pellucid.numpy`; `pellucid` for the rest."""
    match module.split("."):
        case ["pellucid", "compiler", outer, name, *_] if outer in DEEP and (ROOT / "compiler" / outer / name).is_dir():
            return f"compiler.{outer}.{name}"
        case ["pellucid", "compiler", name, *_] if (ROOT / "compiler" / name).is_dir():
            return f"compiler.{name}"
        case ["pellucid", "compiler", name, *_] if (ROOT / "compiler" / f"{name}.py").exists():
            return f"compiler.{name}"
        case ["pellucid", "compiler", *_]:
            return "compiler."
        case ["pellucid", "runtime", *_]:
            return "runtime"
        case ["pellucid", "numpy" | "scipy", *_]:
            return "pellucid.numpy"
    return "pellucid"


def own_part(path):
    parts = shown(path).removesuffix(".py").removesuffix("/__init__").split("/")
    return part_of(".".join([PACKAGES[parts[0]], *parts[1:]]))


def test_the_rules_cover_the_compiler():
    parts = {own_part(path) for path in FILES}
    assert {part.removeprefix("compiler.") for part in parts if part.startswith("compiler.")} == set(MAY_IMPORT)


@each_file
def test_imports_point_downward(path):
    own = own_part(path)
    if own == "pellucid":
        return
    if own in OUTSIDE:
        allowed = OUTSIDE[own]
    else:
        names = MAY_IMPORT[own.removeprefix("compiler.")].split()
        allowed = {name if name == "runtime" else f"compiler.{name}" for name in names}
    wrong = {part_of(module) for module in imported(path)} - allowed - {own}
    excused = {f"compiler.{part}" for file, part in EXCEPTIONS if file == shown(path)}
    assert excused <= wrong, f"an exception is no longer needed: {sorted(excused - wrong)}"
    assert not wrong - excused, f"imports {sorted(wrong - excused)}"


# The steps of `transform/` that take a function with its containers; the passes beside them know leaves alone.
OF_CONTAINERS = {
    "common_results", "derivatives", "in_arrays", "batch/axes", "batch/examples", "batch/followed_values",
    "batch/settle_shared", "forward/jacobian", "forward/pushforward", "forward/series", "on_device",
    "reverse/gradient", "reverse/jacobian_by_rows", "reverse/share", "reverse/split_mode",
}  # fmt: skip


def test_passes_know_no_containers():
    folder = ROOT / "compiler/transform"
    found = {path for path in folder.rglob("*.py") if "compiler.frontend.specialise" in map(part_of, imported(path))}
    assert {path.relative_to(folder).with_suffix("").as_posix() for path in found} == OF_CONTAINERS


def test_users_import_only_the_front_door():
    """Inside the package nothing imports `pellucid` itself, whose names are for users."""
    for path in FILES:
        in_library = shown(path).startswith(("pellucid/numpy/", "pellucid/scipy/"))
        if in_library or shown(path) in ("pellucid/cli.py", "pellucid/__main__.py"):
            continue
        for module in imported(path):
            assert module.count(".") > 1 or module.startswith("pellucid.") and own_part(path) == "pellucid", (
                f"{shown(path)} imports {module}"
            )


def test_no_files_import_one_another_in_a_circle():
    """But for the files of the specialiser's interpreter, whose `__init__.py` says why."""
    names = {}
    for path in FILES:
        module = ".".join([PACKAGES[shown(path).split("/")[0]], *shown(path).removesuffix(".py").split("/")[1:]])
        names[module.removesuffix(".__init__")] = path
    graph = {}
    for module, path in names.items():
        top = {m for m in imported(path, at_top=True)}
        found = {m if m in names else m.rpartition(".")[0] for m in top}
        graph.setdefault(one_interpreter(module), set()).update(one_interpreter(m) for m in found if m in names)
    for module, found in graph.items():
        found.discard(module)
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def one_interpreter(module):
    return "the interpreter" if module.startswith("pellucid.compiler.frontend.specialise.") else module


# The files that may ask whether a value is of a kind; everywhere else an operation of `protocol.py` is the way.
OF_KIND = {
    "Sequence": ("sequences", "tuples", "list_positions"), "Mapping_": ("dicts", "dict_methods", "attribute_dicts"),
    "Record": ("records", "classes", "making", "pools"), "Static": ("known_values", "known_numbers"),
    "Leaf": ("numeric", "growing_lists"), "Rows": ("rows",), "Column": ("rows",), "Table": ("tables", "growing_lists"),
    "String": ("strings", "string_numbers"), "Iteration": ("iterations",), "DictView": ("iterations",),
    "Range": ("ranges",), "Slice": ("slices",), "Iterator": ("iterators",), "GeneratorCall": ("generators",),
    "Optional": ("optional",),
    "OneOf": ("one_of", "structures"), "Handle": ("handles", "pools"), "Closure": ("callables", "local_functions"),
    "Derived": ("callables",), "Bound": ("callables",), "Partial": ("callables",), "Super": ("classes",),
    "Ref": ("heap",),
    **dict.fromkeys(("Typed", "Out", "ListOut", "Lent", "Joined", "Caught", "Undefined", "Dropped", "Conflict"), ()),
    **dict.fromkeys(("Zip", "Map", "Enumerate", "Reversed", "Rest", "DequeItems"), ("iterations",)),
    **dict.fromkeys(("Keys", "Values", "Items"), ("iterations",)),
}  # fmt: skip
ELSEWHERE = 856


def kinds_tested(node):
    """The kinds that a test or pattern asks for."""
    if isinstance(node, ast.MatchClass):
        named = [node.cls]
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
        named = ast.walk(node.args[1])
    elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Call):
        named = node.comparators
    else:
        return set()
    return {name.id for name in named if isinstance(name, ast.Name)} & OF_KIND.keys()


def test_kinds_of_values_are_asked_for_in_their_own_files():
    found = 0
    for path in FILES:
        if "/frontend/specialise/" in str(path):
            for node in nodes_of(path):
                found += sum(path.stem not in OF_KIND[kind] for kind in kinds_tested(node))
    assert found <= ELSEWHERE


# Imports inside functions: what each buys is measured in docs/decisions.md, or it closes a circle of two files.
INSIDE_FUNCTIONS = {
    "compiler/targets/llvm/helpers.py": {"fractions"},
    "compiler/targets/llvm/llvm.py": {"line_tables"},
    # which need not be installed
    "compiler/targets/cuda/through_numba.py": {
        "numba", "numba.core.errors", "numba.cuda", "numba.cuda.cudadrv", "numba.cuda.np", "numba_cuda",
    },
    # which are made of what is in merge and merging
    "compiler/frontend/specialise/joins/merge.py": {"kinds", "objects"},
    "compiler/frontend/specialise/joins/merging.py": {"kinds"},
    "compiler/frontend/specialise/objects/object_changes.py": {"items_read"},  # which changes lists
    "compiler/frontend/source/resolve.py": {"resolve_static"},  # which finds what resolve describes
    # which are loaded when a derivative is asked for
    "compiler/transform/forward/jacobian.py": {"directions"},
    "compiler/transform/forward/pushforward.py": {"clone_procedures", "forward"},
    "compiler/transform/reverse/gradient.py": {"reverse", "split_shared"},
    "compiler/transform/reverse/split_mode.py": {"forward_and_pullback", "split_shared"},
    "compiler/transform/reverse/sweep.py": {"calls"},  # which sweeps over other functions
    "compiler/vocabulary.py": {"difflib"},
    "pellucid/cli.py": {"check_command", "debugger", "editing", "stage_function"},
    "pellucid/stage_function.py": {"edited_kernels", "editing"},
    "pellucid/flatten.py": {"pullback"},  # which is a function that takes arguments apart
    "pellucid/cut_calls.py": {"compiler.analysis.cut_axes", "eval_shape", "showing", "transformations"},
    "pellucid/environment.py": {"difflib", "importlib.metadata"},
    "pellucid/block_calls.py": {"cloudpickle"},  # which comes with dask
    "pellucid/blocks.py": {"showing"},
    "pellucid/checkpoints.py": {"zarr"},  # which need not be installed
    "pellucid/eval_shape.py": {"showing"},
    "pellucid/function.py": {"on_gpu", "showing"},
    "pellucid/launching.py": {"on_gpus"},
    "pellucid/guests.py": {"blocks", "labels"},  # which ask the compiler
    "pellucid/mapped_blocks.py": {"showing"},
    "pellucid/mapped_calls.py": {"simulation"},
    "pellucid/on_devices.py": {"showing"},
    "pellucid/on_gpu.py": {"compiler.ops.routines", "compiling_kernels", "support"},
    "pellucid/profiler.py": {"gzip", "json", "line_times"},
    "pellucid/sparsity.py": {"scipy.sparse"},  # which need not be installed
    "pellucid/starting.py": {"compiling"},
    "pellucid/support.py": {"runtime.kernels.names"},  # a machine that few printed stages run on
    "pellucid/transformations.py": {"of_library", "placed_calls"},  # the table of all names; classes of functions
    "runtime/devices/cuda/libraries.py": {"cuda.pathfinder"},  # which need not be installed
    "runtime/llvm.py": {"llvmlite.binding"},
    "runtime/machine_code.py": {"shared_object"},
    "runtime/mpi.py": {"mpi4py"},  # which need not be installed
    "runtime/targets.py": {"target_questions"},
}


@each_file
def test_imports_stand_at_the_top(path):
    found = set()
    for function in nodes_of(path):
        for node in ast.walk(function) if isinstance(function, ast.FunctionDef) else ():
            if isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                found.update(alias.name for alias in node.names)
    assert found == INSIDE_FUNCTIONS.get(shown(path), set())


FIRST = """
import os, sys
if sys.dont_write_bytecode:  # then there may be none, and each process would compile for itself
    sys.dont_write_bytecode, sys.pycache_prefix = False, {folder!r}
import pellucid
assert "pellucid.compiler.frontend.specialise.interpreter.evaluate" not in sys.modules
wrong = []
for name in {names!r}:
    child = os.fork()
    if child == 0:
        try:
            __import__(name)
        except ImportError as error:
            print(error, file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        wrong.append(name)
print(wrong)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_any_module_of_the_interpreter_may_be_imported_first(tmp_path):
    """Its files alone import each other, and where one enters must not matter."""
    names = [".".join(["pellucid", *p.relative_to(ROOT).with_suffix("").parts]) for p in FILES]
    names = [name.removesuffix(".__init__") for name in names]
    names = [name for name in names if one_interpreter(name) != name]
    assert names
    script = FIRST.format(folder=str(tmp_path / "bytecode"), names=names)
    (tmp_path / "cache").mkdir(mode=0o700)
    (tmp_path / "cache" / "entry").write_text("")  # something is cached: the compiler does not come with the package
    environment = {**os.environ, "PELLUCID_CACHE": "1", "PELLUCID_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n", done.stderr


# --- rows ----------------------------------------------------------------------------------------------------------

# What a list of row names may be kept for outside of the table, with the reason.
LISTS = {
    "compiler/targets/llvm/vector_math/library.py": "the index of a library, by the names of its functions",
}


def words_listed(node):
    """The words that a display, a table or the alternatives of a pattern list."""
    match node:
        case ast.Set(elts=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [p.value for p in parts if isinstance(p, ast.Constant)]
        case ast.Dict(keys=parts):
            return [p.value for p in parts if isinstance(p, ast.Constant)]
        case ast.MatchOr(patterns=patterns):
            return [p.value.value for p in patterns if isinstance(getattr(p, "value", None), ast.Constant)]
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as text), attr="split")):
            return text.split()
    return []


@each_file
def test_what_an_operator_is_stands_in_its_row(path):
    """No list of operators stands outside of `ops/`: what it says of them is a column."""
    if not shown(path).startswith("compiler/") or shown(path).startswith("compiler/ops/"):
        return
    found = [set(words_listed(node)) & OPERATORS.keys() for node in nodes_of(path)]
    lists = [sorted(names) for names in found if len(names) > 1]
    assert bool(lists) == (shown(path) in LISTS), lists or "nothing is listed here any more"


# --- size and words ------------------------------------------------------------------------------------------------

LONGEST = 400
LONGER = {
}


@each_file
def test_one_thread_parses_at_a_time(path):
    """CPython before 3.13 counts the depth of trees for all threads together: `runtime/parsing.py`."""
    parses = {
        ast.unparse(node.func)
        for node in nodes_of(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "parse"
    }
    assert path == ROOT / "runtime/parsing.py" or not parses & {"ast.parse", "gast.parse"}


@each_file
def test_files_stay_short(path):
    count = len(text_of(path).splitlines())
    if shown(path) in LONGER:
        assert count > LONGEST, "is short again: take it off the list"
    else:
        assert count <= LONGEST, f"{count} lines: it is two things"


@each_file
def test_every_module_says_what_it_is(path):
    text = ast.get_docstring(tree_of(path)) or ""
    assert text.split("\n")[0].strip(), "no docstring"
    for word in ("TODO", "FIXME", "XXX"):
        assert word not in text_of(path)


WAYS = {name: way for name, way in vars(pipeline).items() if name.endswith("_WAY")}
EVERY_STEP = {step.name: step for way in WAYS.values() for step in steps_of(way)}


@pytest.mark.parametrize("step", EVERY_STEP.values(), ids=list(EVERY_STEP))
def test_a_pass_shows_what_it_does(step):
    text = sys.modules[step.run.__module__].__doc__
    assert "->" in text, "the docstring of a pass shows before -> after"


@pytest.mark.parametrize("name", WAYS)
def test_every_step_takes_what_the_one_before_it_gives(name):
    way = steps_of(WAYS[name])
    assert all(step.takes in STAGES or step.takes == pipeline.SINGLE for step in way)
    for before, after in zip(way, way[1:]):
        assert after.takes == before.gives, (before.name, after.name)


def test_the_ways_meet():
    first, last = ({name: steps_of(way)[end] for name, way in WAYS.items()} for end in (0, -1))
    assert last["TYPED_WAY"].gives == first["DERIVATIVE_WAY"].takes == last["DERIVATIVE_WAY"].gives
    assert last["TYPED_WAY"].gives == first["SETTLED_WAY"].takes
    assert last["SETTLED_WAY"].gives == first["LOOPS_WAY"].takes


def test_the_order_is_data():
    """`pipeline.py` has imports and tables, and nothing that is run."""
    kinds = (ast.Import, ast.ImportFrom, ast.Assign, ast.Expr)
    assert all(isinstance(node, kinds) for node in tree_of(ROOT / "compiler/pipeline.py").body)


# --- operators -----------------------------------------------------------------------------------------------------


@every(OPERATORS.values(), lambda row: row.name)
def test_operator_row_is_complete(row):
    assert row.samples in SAMPLES, f"no sample set {row.samples!r}"
    assert callable(row.meaning) and callable(row.type_rule)
    words = {operand.lstrip("*") for operand in row.operands} | set(row.static)
    for spelling in filter(None, (row.spelling, row.scalar_spelling)):
        # `{dtype!r}` and `{x, ...}` are fine too: what counts is that nothing is spelled that is not there
        used = {re.split(r"\W", field)[0] for field in re.findall(r"{([^{}]*)}", spelling)}
        assert used - {""} <= words, f"the spelling mentions {sorted(used - words)}"
    if row.kind == "elementwise":
        assert row.name in EMITTERS, f"no emitter {row.name!r}"
        for partial in filter(lambda p: isinstance(p, str), row.partials):
            read = set(names_read(parse_template(partial.removeprefix("vjp:").strip())))
            assert read <= words | {"out", "out_bar"}, f"a partial reads {sorted(read - words)}"
    elif row.vjp and not any(operand.startswith("*") for operand in row.operands):
        assert len(row.vjp) == len(row.operands)


# --- state ---------------------------------------------------------------------------------------------------------

# Every table that grows after import: registries filled while modules load, and caches.
GROWING = {
    "compiler/frontend/specialise/exceptions/failing_cases.py": {"RULES"},
    "compiler/targets/llvm/here.py": {"EMITTERS"},
    "compiler/targets/llvm/complex_emitters.py": {"OF_COMPLEX"},
    "compiler/frontend/specialise/interpreter/apply.py": {"_CORES", "_LOCALS"},
    "compiler/frontend/decoration.py": {"_PURE"},
    "compiler/frontend/source/read.py": {"_FILES", "_TREES"},
    "compiler/frontend/source/typed_in.py": {"_NAMES"},
    "compiler/ops/primitives.py": {"PRIMITIVES"},
    "compiler/ops/schema.py": {"OPERATORS", "BY_PYTHON_NAME"},
    "compiler/steps.py": {"observers"},
    "compiler/types.py": {"_SUMS", "BACKWARD"},
    "pellucid/line_times.py": {"_TABLE"},
    "pellucid/profiler.py": {"_LATEST"},
    "pellucid/recording.py": {"LISTENING"},
    "runtime/devices/cuda/together.py": {"_IDLE"},
    "runtime/machine_code.py": {"_LOADED", "_MAKING"},
    "runtime/mpi.py": {"_STARTED"},
    "runtime/processes.py": {"_JOINED"},
    "compiler/ops/routines.py": {"ROUTINES"},
    "runtime/portable.py": {"ADDRESSES", "_MADE"},
    "runtime/routines.py": {"PROVIDED"},
    "runtime/store.py": {"_WRITTEN"},
}
CHANGING = frozenset("append extend insert pop popitem remove clear update setdefault add discard sort reverse".split())
# Functions that may say `global`: the one place where the compiled operators of `Array` are plugged in.
GLOBAL = {"runtime/operators.py": {"_find"}, "runtime/namespace.py": {"_namespace", "_array"}}


def module_names(tree):
    """The names that a module binds to displays and calls, which could be changed."""
    for node in tree.body:
        annotated = [node.target] if isinstance(node, ast.AnnAssign) else []
        targets = node.targets if isinstance(node, ast.Assign) else annotated
        yield from (t.id for t in targets if isinstance(t, ast.Name))


def changed_in(function, names):
    """The module's names that a function changes in place."""
    own = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {a.arg for a in ast.walk(function) if isinstance(a, ast.arg)}
    for node in ast.walk(function):
        match node:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                found = name
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in CHANGING:
                found = name
            case _:
                continue
        if found in names and found not in own:
            yield found


@each_file
def test_state_is_in_named_tables(path):
    tree = tree_of(path)
    names = set(module_names(tree))
    functions = [node for node in nodes_of(path) if isinstance(node, ast.FunctionDef)]
    changed = {name for function in functions for name in changed_in(function, names)}
    assert changed <= GROWING.get(shown(path), set()), f"functions change {sorted(changed)}"
    declared = {name for node in nodes_of(path) if isinstance(node, ast.Global) for name in node.names}
    assert declared <= GLOBAL.get(shown(path), set()), f"`global {', '.join(sorted(declared))}`"


def test_growing_tables_exist():
    for file, names in GROWING.items():
        assert names <= set(module_names(tree_of(ROOT / file))), file


def test_the_stub_of_gast_knows_every_node_and_field():
    stub = {c.name: c for c in tree_of(ROOT / "typings" / "gast.pyi").body if isinstance(c, ast.ClassDef)}
    nodes = {n: c for n, c in vars(gast).items() if isinstance(c, type) and issubclass(c, ast.AST)}
    del nodes["type_ignore"]  # the fields of its only kind
    assert nodes.keys() <= stub.keys()
    for name, node in nodes.items():
        fields = {s.target.id for s in stub[name].body if isinstance(s, ast.AnnAssign)}
        assert set(node._fields) <= fields | {"_fields", "_attributes"}, name

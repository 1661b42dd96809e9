"""The words that purity needs to know: which builtins, methods and modules are in the language, and ways out.

Tables and three questions on them.  Which functions of NumPy and `math` are supported is not said here but asked of the
operator table, through a `Vocabulary`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable

import numpy as np

from .dtypes import TABLE
from .records import dataclass


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BUILTINS = words(
    "abs all any bool complex dict enumerate filter float int isinstance iter len list map max min next range reversed"
    " round set slice sorted sum tuple zip"
)
# Functions of Python's libraries that the specialiser knows: `frontend/specialise/library/functions.py`.
PYTHON_NAMES = words(
    "builtins.bin builtins.format builtins.hex builtins.oct builtins.repr"
    " builtins.callable builtins.chr builtins.dict.fromkeys builtins.divmod builtins.frozenset builtins.getattr"
    " builtins.hasattr builtins.object builtins.object.__init__ builtins.object.__setattr__ builtins.ord"
    " builtins.pow builtins.NotImplemented builtins.str builtins.super builtins.type dataclasses.asdict"
    " dataclasses.astuple dataclasses.replace functools.partial functools.reduce collections.deque collections.Counter"
    " collections.defaultdict heapq.heappush heapq.heappop heapq.heapify heapq.heappushpop heapq.heapreplace"
    " heapq.nsmallest heapq.nlargest itertools.accumulate itertools.chain itertools.chain.from_iterable"
    " itertools.combinations itertools.count itertools.islice itertools.pairwise itertools.permutations"
    " itertools.product itertools.repeat itertools.starmap"
) | frozenset(
    f"operator.{name}"
    for name in words(
        "abs add and_ attrgetter contains eq floordiv ge getitem gt invert is_ is_not itemgetter le lshift"
        " lt matmul methodcaller mod mul ne neg not_ or_ pos pow rshift sub truediv truth xor"
    )
)
IO_BUILTINS = words("print open input breakpoint help")
INSPECTING_BUILTINS = words(
    "eval exec compile globals locals vars dir setattr getattr delattr hasattr id hash super memoryview __import__"
)

ARRAY_METHODS = words(
    "all any argmax argmin astype clip copy cumprod cumsum dot flatten max mean min prod ravel reshape round squeeze"
    " std sum swapaxes transpose var item conj conjugate argpartition argsort choose compress fill nonzero partition"
    " put searchsorted sort view"
)
CONTAINER_METHODS = words(
    "append pop get items keys values copy extend index count insert remove reverse clear sort update setdefault"
    " _replace _asdict add discard popitem union intersection difference symmetric_difference isdisjoint issubset"
    " issuperset intersection_update difference_update symmetric_difference_update append appendleft popleft"
    " extendleft rotate most_common subtract total elements"
)
TEXT_METHODS = words(
    "format join lower upper title capitalize swapcase casefold startswith endswith strip lstrip rstrip split replace"
    " removeprefix removesuffix find rfind rindex zfill ljust rjust center isdigit isalpha isalnum isupper islower"
    " isspace isnumeric isdecimal isidentifier istitle isascii isprintable splitlines rsplit rpartition"
    " expandtabs"
)
METHODS = ARRAY_METHODS | CONTAINER_METHODS | TEXT_METHODS

# Every method of an array: a name outside this table may be a field or method of a user's record.
NUMPY_METHODS = frozenset(name for name in dir(np.ndarray) if not name.startswith("_"))
STANDARD_METHODS = NUMPY_METHODS.union(*(vars(type_) for type_ in (list, dict, set, tuple, str, int, float, complex)))

# Methods that change the object they are called on; those of `METHODS` are fine on what the function made itself.
CHANGING_METHODS = words(
    "append extend insert remove pop clear sort reverse update setdefault popitem add discard fill resize put"
    " itemset partition setflags setfield intersection_update difference_update symmetric_difference_update"
    " __setitem__ __delitem__ __iadd__"
)
# Those that arrays do not have: what they change is a list or dict, which the specialiser follows by identity.
CONTAINER_CHANGES = words(
    "append extend insert remove pop clear reverse update setdefault popitem add discard intersection_update"
    " difference_update symmetric_difference_update appendleft popleft extendleft rotate subtract"
)
IO_METHODS = words("tofile dump write writelines read readline readlines close flush")

_SCALARS = {row.numpy.type for row in TABLE}
DTYPES = frozenset(name for name, value in vars(np).items() if isinstance(value, type) and value in _SCALARS)
OTHER_DTYPES = words(
    "float128 longdouble clongdouble complex256 object_ str_ bytes_ datetime64"
    " timedelta64 void"
)
# NumPy's objects that are indexed instead of called: `frontend/specialise/kinds/slices.py`.
INDEX_EXPRESSIONS = ("s_", "index_exp", "r_", "c_", "mgrid", "ogrid")
KINDS_OF_DTYPES = words("number integer signedinteger unsignedinteger inexact floating complexfloating")
CONSTANTS = frozenset(
    [f"numpy.{name}" for name in ("pi", "e", "inf", "nan", "newaxis", "euler_gamma")]
    + [f"math.{name}" for name in ("pi", "e", "tau", "inf", "nan")]
    + [f"cmath.{name}" for name in ("pi", "e", "tau", "inf", "nan", "infj", "nanj")]
    + [f"numpy.{name}" for name in INDEX_EXPRESSIONS]
    + ["numpy.linalg.LinAlgError"]
    + [f"numpy.{name}" for name in KINDS_OF_DTYPES]
)

# Modules whose members are judged by their dotted name alone, never looked into.
LIBRARIES = frozenset({"numpy", "scipy", "pellucid"}) | frozenset(sys.stdlib_module_names)
RANDOM_MODULES = words("numpy.random random secrets uuid scipy.stats.qmc")
AMBIENT_MODULES = words(
    "time datetime os sys platform socket subprocess threading multiprocessing signal gc asyncio getpass locale"
)
IO_MODULES = words(
    "io pathlib shutil pickle csv logging warnings tempfile sqlite3 urllib http json.load json.dump sys.stdout"
    " sys.stderr sys.stdin numpy.save numpy.savez numpy.savez_compressed numpy.savetxt numpy.load numpy.loadtxt"
    " numpy.genfromtxt numpy.fromfile numpy.memmap numpy.printoptions numpy.set_printoptions"
)
INSPECTING_MODULES = words("inspect importlib ctypes types")

PLAIN_ATTRIBUTES = words("shape ndim size dtype itemsize nbytes strides")
# Functions of NumPy that write into their first argument.
CHANGING_FUNCTIONS = words(
    "numpy.copyto numpy.put numpy.place numpy.putmask numpy.fill_diagonal numpy.put_along_axis numpy.random.shuffle"
    " random.shuffle"
)
# Functions of NumPy whose result is an array even for scalar arguments: an index made of it copies.
INDEX_MAKERS = words(
    "arange argsort array zeros ones full empty where nonzero flatnonzero argwhere linspace lexsort zeros_like"
    " ones_like full_like empty_like concatenate stack cumsum unique tril_indices triu_indices searchsorted eye"
)
# Functions of NumPy whose result is a tuple of new arrays, for some arguments at least.
TUPLE_MAKERS = words(
    "nonzero meshgrid ix_ unique histogram gradient indices tril_indices triu_indices tril_indices_from"
    " triu_indices_from diag_indices diag_indices_from unravel_index intersect1d lstsq polyfit"
)
MASK_MAKERS = words(
    "isnan isinf isfinite logical_and logical_or logical_not logical_xor greater less greater_equal less_equal equal"
    " not_equal isclose isin"
)

OUTSIDE = "compute it outside and pass the result as an argument"
INSTEAD_OF_LIBRARY = f"write it with supported functions, or {OUTSIDE}"
AS_A_FUNCTION = f"write it as a plain function, or {OUTSIDE}"
WAYS_OUT = {
    "numpy.frompyfunc": "write the loop",
    "itertools.cycle": "read the items by their place: `items[k % len(items)]`",
    "itertools.tee": "make a list of the items, and go over it twice",
    **dict.fromkeys(
        words(
            "itertools.combinations_with_replacement itertools.compress itertools.dropwhile itertools.filterfalse"
            " itertools.groupby itertools.takewhile itertools.zip_longest"
        ),
        "write the loop",
    ),
    **dict.fromkeys(
        words(
            "scipy.optimize.differential_evolution scipy.optimize.basinhopping scipy.optimize.dual_annealing"
            " scipy.optimize.shgo scipy.optimize.direct scipy.optimize.brute"
        ),
        "call it outside with the compiled function, or start `scipy.optimize.minimize` at several points in a loop",
    ),
    "scipy.optimize.milp": "call it outside; `scipy.optimize.linprog` is supported, without integers",
    "scipy.integrate.ode": "call `scipy.integrate.solve_ivp`",
    "numpy.matrix": "use a two-dimensional array and `@`",
    "numpy.bmat": "use `np.block`",
    "numpy.lib.stride_tricks.as_strided": "use `np.lib.stride_tricks.sliding_window_view`, or index arrays",
    "numpy.polynomial.Polynomial": "use `np.polynomial.polynomial.polyval` and `polyfit` with the coefficients",
    "numpy.polynomial.Chebyshev": "use `np.polynomial.chebyshev.chebval` and `chebfit` with the coefficients",
    "scipy.special.legendre": "use `scipy.special.eval_legendre(n, x)`",
    "scipy.sparse.lil_matrix": "collect rows, columns and values, and make `scipy.sparse.coo_matrix` of them",
    "scipy.sparse.dok_matrix": "collect rows, columns and values, and make `scipy.sparse.coo_matrix` of them",
    "scipy.sparse.linalg.eigsh": "use `np.linalg.eigh(A.toarray())`",
    "numpy.asmatrix": "use a two-dimensional array and `@`",
}


def instead_of(dotted: str) -> str:
    """The way out for a function of a library that is not supported."""
    return WAYS_OUT.get(dotted) or WAYS_OUT.get(dotted.rpartition(".")[0], INSTEAD_OF_LIBRARY)


METHOD_WAYS_OUT = {
    "resize": "make an array of the final size with `np.zeros` and fill it",
    **dict.fromkeys(words("rotate extendleft"), "move the items in a loop: `q.append(q.popleft())`, `q.appendleft(v)`"),
    **dict.fromkeys(words("subtract total elements"), "go over `counts.items()`"),
}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the operator table supports, as dotted names: a question, and the list to draw suggestions from."""

    is_supported: Callable[[str], bool]
    names: Collection[str] = ()

    def suggestion(self, dotted: str) -> str | None:
        """The supported name of the same library that looks most like this one."""
        library, _, tail = dotted.rpartition(".")
        same = {n.rpartition(".")[2]: n for n in sorted(self.names) if n.rpartition(".")[0] == library}
        near = closest(tail, same)
        if near is not None:
            return same[near]
        elsewhere = [n for n in sorted(self.names) if n.rpartition(".")[2] == tail]
        return next((n for n in elsewhere if n.split(".")[0] == library.split(".")[0]), None)


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The word that looks most like this one, if any looks like a slip of it."""
    import difflib  # only messages need it

    known = sorted(candidates)
    letters = sorted(word)
    swapped = [candidate for candidate in known if sorted(candidate) == letters]  # `tahn` is `tanh`, not `tan`
    found = swapped or difflib.get_close_matches(word, known, n=1, cutoff=0.75)
    return found[0] if found else None


def belongs(dotted: str, modules: Iterable[str]) -> bool:
    """Whether a dotted name is one of these, or lies below one of them."""
    return any(dotted == module or dotted.startswith(module + ".") for module in modules)

"""NumPy's answers where they are awkward: complex nans, edges of bins, matrices with nan; what refusals say."""

import itertools

import numpy as np
import pytest

import pellucid

from .harness.answers import agree, function_of, outcome

pytestmark = pytest.mark.drawn(5)

NAN, INF = np.nan, np.inf
NANS = [complex(NAN, 1), complex(2, NAN), complex(NAN, NAN), complex(NAN, -1), complex(INF, NAN), 2 + 1j, 0j, 1 + 2j]
SETS = ["np.unique(x)", "np.union1d(x, y)", "np.setdiff1d(x, y)", "np.intersect1d(x, y)", "np.setxor1d(x, y)",
        "np.unique(x, return_counts=True)", "np.unique(x, equal_nan=False)"]  # fmt: skip


def parts(found):
    """The real and imaginary parts: which of several nans is shown counts."""
    if isinstance(found, tuple):
        return [part for one in found for part in parts(one)]
    return [np.asarray(found).real, np.asarray(found).imag]


@pytest.mark.parametrize("text", SETS)
def test_the_nan_that_is_shown_is_numpys(text):
    python = function_of(text, "x, y")
    compiled = pellucid.compile(python)
    rng = np.random.default_rng(5)
    for sizes in itertools.product((2, 4, 7), (3, 5)):
        given = tuple(rng.choice(NANS, size) for size in sizes)
        for found, wanted in zip(parts(compiled(*given)), parts(python(*given)), strict=True):
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.int64])
@pytest.mark.parametrize("bins", ["3", "2, range=[[0, 2], [1, 3]]", "[[0.0, 1.0, 4.0], 3]"])
def test_edges_have_the_dtype_of_all_coordinates(dtype, bins):
    x, y = np.array([1, 3, 2, 5, 1]).astype(dtype), np.array([2.5, 1, 7, 2, 3]).astype(dtype)
    for text in (f"np.histogram2d(x, y, {bins})", f"np.histogramdd((x, y.astype(float)), {bins})"):
        python = function_of(text, "x, y")
        assert agree(outcome(pellucid.compile(python), (x, y)), python(x, y))


def matrices():
    whole = np.array([[3.0, 0.5, -0.25], [0.5, 2.0, 1.0], [-0.25, 1.0, 4.0]])
    for value, place in itertools.product((NAN, INF), ((0, 1), (1, 0), (2, 2), 1)):
        changed = whole.copy()
        changed[place] = value
        yield changed
    yield from (np.full((2, 2), NAN), np.zeros((0, 0)), np.zeros((2, 2)), np.full((2, 2), 1e-320), whole)


SINGULAR_VALUES = """
np.linalg.svd(x, full_matrices=False); np.linalg.svdvals(x); np.linalg.pinv(x); np.linalg.cond(x); np.linalg.cond(x, 1)
np.linalg.cond(x, -2); np.linalg.matrix_rank(x); np.linalg.lstsq(x, x[0] * x[0])
""".replace("\n", ";").split(";")
OTHERS = """
np.linalg.eigh(x); np.linalg.eigvalsh(x); np.linalg.qr(x); np.linalg.solve(x, x); np.linalg.inv(x); np.linalg.det(x)
np.linalg.slogdet(x); np.linalg.cholesky(x); np.linalg.norm(x, 1); np.linalg.norm(x, np.inf); np.linalg.norm(x)
np.linalg.matrix_power(x, 3); np.linalg.matrix_power(x, 6); np.linalg.cond(x, np.inf)
""".replace("\n", ";").split(";")


def assert_is_numpys(text, given):
    python = function_of(text, "x")
    compiled = pellucid.compile(python)
    for matrix in given:
        found, wanted = outcome(compiled, (matrix,)), outcome(python, (matrix,))
        assert agree(found, wanted), (matrix, found, wanted)


@pytest.mark.parametrize("text", [t.strip() for t in OTHERS if t.strip()])
def test_matrices_that_are_not_finite_or_empty(text):
    """LAPACK is let run into them as NumPy lets it."""
    assert_is_numpys(text, [matrix for one in matrices() for matrix in (one, one + 0j)])


@pytest.mark.parametrize("text", [t.strip() for t in SINGULAR_VALUES if t.strip()])
def test_singular_values_of_matrices_with_nan(text):
    """From infinities LAPACK's routine may not come back, in NumPy as here."""
    plain = [matrix for matrix in matrices() if not np.isinf(matrix).any()]
    # the quotient of two subnormal numbers has the digits that those have left
    assert_is_numpys(text, [m for m in plain if "lstsq" not in text or not np.any(abs(m) == 1e-320)])


@pytest.mark.parametrize("dtype", [np.complex64, np.float32, np.float16, np.int8])
def test_integrals_of_polynomials_have_numpys_dtype(dtype):
    for text in ("np.polyint(x, 2)", "np.polyint(x)", "np.polyint(x, 0)"):
        assert_is_numpys(text, [np.ones(3, dtype)])


def test_bits_along_an_axis():
    assert_is_numpys("np.unpackbits(x, axis=1)", [np.array([[1, 2], [3, 255]], np.uint8)])


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.uint64, np.int64, np.bool_, np.float32])
def test_places_and_choices_by_ints_of_every_size(dtype):
    for text in ("np.choose(x, [x, 7])", "np.choose(x, [1, 2])", "np.ravel_multi_index((x, x), (4, 4))"):
        assert_is_numpys(text, [np.array([0, 1, 1]).astype(dtype)])


def test_frequencies_of_a_negative_number():
    assert_is_numpys("np.fft.fftfreq(len(x) - 3)", [np.ones(0), np.ones(8)])


REFUSED = {
    "np.fft.fft(x[0, 0])": "np.fft.fft takes arrays of at least one dimension",
    "np.unstack(x)": "how many arrays np.unstack gives is the length of an axis, which is only known at run time",
    "np.take(x, [0], mode='other')": "np.take knows no mode 'other', but 'raise', 'clip' and 'wrap'",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refusals_name_what_was_written(text):
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function_of(text, "x"))(np.ones((2, 2)))
    (fault,) = caught.value.diagnostics
    assert fault.message.startswith(REFUSED[text])


POINTS = ["[0.0, 1.0, 2.0]", "[-np.inf, 1.0, 2.0]", "[0.0, 1.0, np.inf]", "[-np.inf, 0.0, np.inf]"]
HEIGHTS = ["[0.0, 5.0, 7.0]", "[-np.inf, 1.0, 2.0]", "[1.0, 2.0, np.inf]", "[3.0, np.inf, np.inf]"]
CORNERS = """
np.interp(x, %s, %s)
np.digitize(x, [np.nan, 1.0, 2.0]); np.digitize(x, [2.0, np.nan]); np.digitize(x, [np.nan, 2.0, 1.0])
np.digitize(x, [1.0, 1.0, 1.0]); np.digitize(x, [np.nan, np.nan]); np.digitize(x, [3.0, 1.0, 1.0])
np.arange(0.0, 1.0, x[3]); np.arange(0.0, -2.0, -1.0); np.arange(0.0, x[3], 1.0)
x[None].item(2); x[None].item(-1); x[None].item(9); x[None].item((0, 1)); np.round(x > 1, 1)
np.linalg.outer(x[None], x); np.corrcoef(x[:3]); np.corrcoef(x[None])
np.spacing(x.astype(np.float16)); np.spacing(-x.astype(np.float16)); np.i0(x[:1].astype(np.float32) * 1e38)
np.nansum(x * 1j); x[:4].reshape(-2, 2); x[:4].reshape(2, -7); np.unravel_index(x[:2] > 1, (2, 3))
np.take(x[:0], np.array([], int), mode="clip"); np.take(x[:0], np.array([1]), mode="wrap"); np.gradient(x > 1)
np.pad(x[:2], (2, 5), "linear_ramp", end_values=(3, 9)); np.geomspace(x[0], 2.0, 3)
""".replace("\n", ";").split(";")
FINITE_AND_NOT = np.array([0.5, 2.5, -1.0, INF, NAN, -INF])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", [t.strip() for t in CORNERS if t.strip()])
def test_functions_at_their_corners(text):
    texts = [text % pair for pair in itertools.product(POINTS, HEIGHTS)] if "%s" in text else [text]
    for one in texts:
        python = function_of(one, "x")
        found, wanted = (outcome(f, (FINITE_AND_NOT,)) for f in (pellucid.compile(python), python))
        assert agree(found, wanted), (one, found, wanted)


KEYWORDS = {
    "np.std(x, out=x)": "P014", "np.mean(x, of=1)": "T004", "np.add(x, 1, casting='safe')": "U012",
    "np.add(x, 1, of=1)": "T004", "np.array(x, like=x)": "U012", "np.clip(x, 0, 1, dtype=float)": "U012",
    "x.astype(int, of=1)": "T004", "np.arange(3, device='cpu')": "U012", "math.sin(x[0], of=1)": "T004",
}  # fmt: skip


@pytest.mark.parametrize("text", KEYWORDS)
def test_a_keyword_is_numpys_or_nobodys(text):
    with pytest.raises(pellucid.CompileError, match=KEYWORDS[text]):
        pellucid.compile(function_of(text, "x"))(FINITE_AND_NOT)


def test_ends_of_a_geometric_sequence_are_real():
    with pytest.raises(pellucid.CompileError, match="U017"):
        pellucid.compile(function_of("np.geomspace(x, y, 3)", "x, y"))(1j, 1000j)

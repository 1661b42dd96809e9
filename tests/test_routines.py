"""Every routine of a library, generated from its row: compiled calls against what the row means in CPython."""

import re

import numpy as np
import pytest

from pellucid.compiler.dtypes import DTYPE_OF_NUMPY, NUMPY_DTYPE
from pellucid.compiler.languages.verifier import verify
from pellucid.compiler.ops.forms import ROUTINES
from pellucid.compiler.ops.routine_samples import ROUTINE_SAMPLES
from pellucid.compiler.targets.llvm.llvm import compile_program
from pellucid.runtime import memory, routines
from tests.harness.loops_text import read_loops

TOLERANCE = {np.dtype(np.float32): 2e-4, np.dtype(np.float64): 1e-11}
TOLERANCE[np.dtype(np.complex128)] = TOLERANCE[np.dtype(np.float64)]
WORDS = {"float": ["f32", "f64"], "complex": ["c128"], "int": ["i32", "u8"]}
SHAPED = {"r2c": "n // 2 + 1", "c2r": "2 * n - 1"}  # lengths that only the result has
# NumPy computes singles as doubles, where vectors may come out otherwise: then what they make up is compared.
MADE_OF = {"syevd": lambda w, v: [w, v * w @ v.T], "gesdd": lambda u, s, vt: [s, u * s @ vt],
           "gesdd_full": lambda u, s, vt: [s, u[:, : len(s)] * s @ vt[: len(s)]]}  # fmt: skip
LAYOUTS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "reversed": lambda a: np.ascontiguousarray(a[::-1])[::-1] if a.ndim else a,
    "apart": lambda a: np.repeat(a, 2, axis=-1)[..., ::2] if a.ndim else a,
}
OTHER = {"UPLO": "U"}
ROWS = [
    (row, static) for row in ROUTINES.values() if row.samples  # without: several devices meet in `test_on_devices.py`
    for key, value in (tuple(row.static.items()) or ((None, None),))
    for static in ([{}] if key is None else [{key: value}, {key: OTHER.get(key, not value)}])
]  # fmt: skip
each_row = pytest.mark.parametrize(("row", "static"), ROWS, ids=lambda part: getattr(part, "name", str(part)))


def program(row, word, ranks, layout, static):
    """A function of all operands that calls the routine; every axis has a length of its own."""
    types = [f"{layout}{o.dtype(word)}[{', '.join(f'{o.name}{k}' for k in range(r))}]" for o, r in ranks]
    parameters = ", ".join(f'{o.name}: "{t}"' for (o, _), t in zip(ranks, types))
    call = f"{row.name}({', '.join([o.name for o, _ in ranks] + [f'{k}={v!r}' for k, v in static.items()])})"
    lines = [f"    result = {call}", "    return result"] if row.gives_number else [f"    {call}", "    return 0"]
    return "\n".join([f"def f({parameters}):", *lines])


def buffers(row, operands):
    """Room for the results: their lengths are those of what is read, or computed."""
    lengths = {}
    for operand, array in zip(row.read, operands):
        lengths = {**dict(zip(operand.lengths, array.shape)), **lengths}
    given = row.computed | ({"k": SHAPED[row.name]} if row.is_shaped else {})
    lengths |= {name: eval(rule, {"min": min}, lengths) for name, rule in given.items()}
    for operand in row.results:
        shape = tuple(lengths[name] for name in operand.lengths if name in lengths)
        yield np.full(shape, 77, NUMPY_DTYPE[operand.dtype(DTYPE_OF_NUMPY[operands[-1].dtype])])


def in_dtype(sample, word):
    """A sample; of real numbers as complex ones with a part that is skew, so that what was symmetric is Hermitian;
    positions stay."""
    if sample.dtype.kind == "i":
        return sample
    if word in WORDS["complex"] and sample.dtype.kind == "f":
        rows, columns = np.indices(sample.shape)[[0, -1]] if sample.ndim else (0, 0)
        sample = sample + 0.3j * np.sign(rows - columns) * (sample != 0.0)
    if word in WORDS["int"]:
        sample = np.nan_to_num(sample * 10.0, posinf=9.0, neginf=-9.0).astype(np.int64)
    return sample.astype(NUMPY_DTYPE[word])


def compiled(text):
    native = compile_program(read_loops(text))
    return lambda *operands: native(list(operands))[0]


def outcome(call):
    try:
        return call()
    except Exception as error:
        return type(error), str(error)


def check(row, static, operands, layout, native):
    placed = [LAYOUTS[layout](a) for a in operands]
    before = [a.copy() for a in placed]
    made = [] if row.gives_number else [LAYOUTS[layout](b) for b in buffers(row, operands)]
    found = outcome(lambda: native(*made, *placed))
    shape = {"shape": made[0].shape} if row.is_shaped else {}
    wanted = outcome(lambda: row.meaning(*operands, **{**row.static, **static, **shape}))
    for was, now in zip(before, placed):
        np.testing.assert_array_equal(was, now)
    if isinstance(wanted, tuple) and isinstance(wanted[0], type):
        assert found == wanted
        return
    assert not (isinstance(found, tuple) and isinstance(found[0], type)), (found, [a.shape for a in operands])
    results = [found] if row.gives_number else made
    tolerance = TOLERANCE.get(operands[0].dtype, 0.0)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    assert [np.shape(r) for r in results] == [np.shape(w) for w in wanted]
    if row.name in MADE_OF and operands[0].dtype == np.float32:
        results, wanted = MADE_OF[row.name](*results), MADE_OF[row.name](*wanted)
    for result, want in zip(results, wanted, strict=True):
        np.testing.assert_allclose(result, want, rtol=tolerance, atol=tolerance)


@pytest.mark.drawn(5)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("row", "static", "word"), [(*r, w) for r in ROWS for k in r[0].kinds for w in WORDS[k]],
                         ids=lambda part: getattr(part, "name", str(part)))
def test_routines_are_what_their_rows_say(row, static, word, layout):
    kinds = {}
    held = memory.live_bytes()
    for sample in ROUTINE_SAMPLES[row.samples]:
        operands = [in_dtype(a, word) for a in sample]
        lacking = any(a.ndim < len(r.lengths) for r, a in zip(row.read, operands))
        ranks = [(o, len(o.lengths) - (lacking and o.may_lack_axis)) for o in row.given]
        key = tuple(rank for _, rank in ranks)
        if key not in kinds:
            text = program(row, word, ranks, "" if layout == "rows" else "any ", static)
            kinds[key] = compiled(text)
        check(row, static, operands, layout, kinds[key])
    assert memory.live_bytes() == held


@each_row
def test_results_that_do_not_fit_are_refused(row, static):
    if row.gives_number:
        return
    word = WORDS[row.kinds[0]][-1]
    operands = ROUTINE_SAMPLES[row.samples][-1 if row.name == "getrf" else len(ROUTINE_SAMPLES[row.samples]) // 3]
    ranks = [(o, a.ndim) for o, a in zip(row.given, [*buffers(row, operands), *operands])]
    native = compiled(program(row, word, ranks, "", static))
    with pytest.raises(ValueError, match="does not fit its array"):
        native(*(np.zeros([n + 1 for n in b.shape], b.dtype) for b in buffers(row, operands)), *operands)


@each_row
def test_wrong_ranks_and_dtypes_are_found_by_the_verifier(row, static):
    ranks, word = [(o, len(o.lengths)) for o in row.given], WORDS[row.kinds[0]][-1]
    for number in range(len(ranks)):
        wrong = [(o, rank + 2 * (k == number)) for k, (o, rank) in enumerate(ranks)]
        assert verified(program(row, word, wrong, "", static)) == "axes"
    assert verified(program(row, word, ranks, "", static)) == ""
    text = program(row, word, ranks, "", static)
    if sum(not operand.kind for operand, _ in ranks) == 1 and (row.keeps_dtype or len(ranks) == 1):
        return  # nothing that its dtype could differ from
    assert verified(re.sub(r'"[cf]\d+\[', '"i32[', text, count=1)) == "is of"


def verified(text):
    found = " ".join(verify(read_loops(text).main, "loops"))
    return next((word for word in ("axes", "is of") if word in found), found)


def test_code_of_ours_that_is_called_by_name_stays_in_memory():
    """Machine code holds addresses of it, so that it may never go, whatever else is loaded after it."""
    addresses = {name: routines.address_of(name) for name in ("pellucid_far_f64", "pellucid_look", "pellucid_far_f32")}
    kept = routines._kept.cache_info()
    assert kept.maxsize is None and kept.currsize >= 1
    assert {name: routines.address_of(name) for name in addresses} == addresses

"""Programs as practitioners write them (`tests/corpus/as_written/`): right, or refused with a way out."""

import ast
import copy
import dataclasses
import importlib.util
import pathlib
import re
import sys
import warnings

import numpy as np
import pytest

import pellucid
from tests.harness.stages import Stages

FOLDER = pathlib.Path(__file__).parent / "corpus" / "as_written"
FILES = sorted(FOLDER.glob("*.py"))

# Those that compile.  A program that begins to compile belongs here, and one that stops is a fault.
COMPILE = frozenset("""
    adaptive_filters bank_queue binomial_american biquad_cascade camera_projection circuit_mna colour_science
    connected_components
    convnet_loops ekf_tracking elastic_net_cd em_gaussian_mixture enzyme_kinetics fir_equalizer fwi_acoustic
    garch_likelihood glicko_ratings gp_regression harris_corners heat_adi heston_greeks hmm
    hodgkin_huxley huckel_ppp hungarian hypocenter_location implied_vol_surface inventory_policy
    ising_metropolis isotonic_pava kalman_mle kepler_ephemeris kernel_density knapsack_bnb lotka_volterra_fit
    lsm_american lucas_kanade max_flow mcmc_hierarchical md_lennard_jones mpc_tank onset_detection
    peak_integration pid_thermal portfolio_frontier power_flow rainfall_runoff ransac_homography
    life_table lqr_riccati pharmacokinetics recursive_fft robot_arm schrodinger_wavepacket seir_age shallow_water
    simplex_tableau soft_dtw solar_position survival_cox
    titration_curve traffic_idm truss_fem tsp_heuristics viterbi_decoder wright_fisher yield_curve_bootstrap
""".split()
)

# Compiles as well, to what NumPy gives, in ten seconds or (job_shop) a minute: longer than a test may take.
AT_LENGTH = frozenset("""
    bpe_huffman job_shop kinetics_stiff kmedoids_silhouette lempel_ziv lsystem_turtle orf_finder order_book
    percolation_unionfind reed_solomon
""".split())

# Not known to compile: in `sudoku` a set of 27 known tuples is written out at each of three calls, and takes minutes,
# as LLVM does with `transit_network`.
TOO_LONG = frozenset(["sudoku", "transit_network"])

# Two seconds or more for each combination of types.  Here they are compiled for one, whose values and errors are looked
# at; for all others, like those AT_LENGTH, by `python -m tests.fuzz.as_written`.
ONE_COMBINATION = frozenset("""
    bank_queue binomial_american connected_components convnet_loops ekf_tracking fwi_acoustic garch_likelihood heat_adi
    hungarian
    hypocenter_location ising_metropolis isotonic_pava kernel_density lotka_volterra_fit lqr_riccati lucas_kanade
    max_flow peak_integration portfolio_frontier power_flow rainfall_runoff ransac_homography robot_arm seir_age
    viterbi_decoder yield_curve_bootstrap
""".split())
SIZES = {"yield_curve_bootstrap": (1,)}  # compiles longer for lists that are longer


def load(path):
    name = f"tests.corpus.as_written.{path.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def leaves(tree):
    if isinstance(tree, dict):
        return [leaf for key in tree for leaf in leaves(tree[key])]
    if dataclasses.is_dataclass(tree):
        return [leaf for field in dataclasses.fields(tree) for leaf in leaves(getattr(tree, field.name))]
    return [leaf for part in tree for leaf in leaves(part)] if isinstance(tree, tuple | list) else [tree]


def assert_same(got, want):
    got, want = leaves(got), leaves(want)
    assert len(got) == len(want)
    for one, other in zip(got, want):
        if isinstance(other, str) or other is None:
            assert one == other
            continue
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-7, atol=1e-9)


def arguments(module, n):
    return module.make_arguments(np.random.default_rng([5, n]), n)


@pytest.mark.parametrize("path", [p for p in FILES if p.stem in COMPILE], ids=lambda p: p.stem)
def test_a_program_that_compiles_gives_what_numpy_gives(path):
    hold(path, SIZES.get(path.stem, (3, 6)), everything=path.stem not in ONE_COMBINATION)


def hold(path, sizes=(3, 6), everything=True):
    """Values and errors are CPython's: of all calls, or of those that the code for the last size serves."""
    module = load(path)
    function = getattr(module, module.ENTRY)
    compiled, stages = pellucid.compile(function), Stages(function)
    served = stages.flatten(arguments(module, sizes[-1])).key
    for n in sizes:
        if everything or stages.flatten(arguments(module, n)).key == served:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want = function(*copy.deepcopy(arguments(module, n)))
            assert_same(compiled(*arguments(module, n)), want)
    for make, exception in module.ERRORS:
        if everything or stages.flatten(make(np.random.default_rng(7), 6)).key == served:
            with pytest.raises(exception):
                compiled(*make(np.random.default_rng(7), 6))


REFUSED = [path for path in FILES if path.stem not in COMPILE | AT_LENGTH | TOO_LONG]


@pytest.mark.parametrize("path", REFUSED, ids=lambda p: p.stem)
def test_a_program_that_does_not_compile_is_told_why(path):
    module = load(path)
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(getattr(module, module.ENTRY))(*arguments(module, 6))
    fault = caught.value.diagnostics[0]
    assert fault.span.file == str(path)
    assert fault.message


# What stops first at values from outside, and compiles with the line that the message proposes.  So do
# terrain_astar and tic_tac_toe, which take longer than a test may.
FROZEN = (
    "bootstrap_bca", "glm_irls", "image_filters", "particle_system", "ray_tracer", "sequence_alignment",
    "thin_film", "vincenty_geodesic",
)  # fmt: skip


@pytest.mark.parametrize("name", FROZEN)
def test_the_line_that_the_message_proposes_is_enough(name):
    module = load(FOLDER / f"{name}.py")
    function = getattr(module, module.ENTRY)
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(*arguments(module, 3))
    assert caught.value.diagnostics[0].code == "P007"
    (line,) = set(re.findall(r"@compile\(freeze=(.*)\)", str(caught.value)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = function(*copy.deepcopy(arguments(module, 3)))
    assert_same(pellucid.compile(function, freeze=ast.literal_eval(line))(*arguments(module, 3)), want)

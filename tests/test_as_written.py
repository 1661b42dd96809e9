"""Programs as practitioners write them (`tests/corpus/as_written/`): right, or refused with a way out."""

import ast
import copy
import dataclasses
import importlib.util
import inspect
import pathlib
import re
import sys
import warnings

import numpy as np
import pytest

import pellucid

FOLDER = pathlib.Path(__file__).parent / "corpus" / "as_written"
FILES = sorted(FOLDER.glob("*.py"))
pytestmark = pytest.mark.rotated(2)

# Those that compile.  A program that begins to compile belongs here, and one that stops is a fault.
COMPILE = frozenset("""
    biquad_cascade elastic_net_cd glicko_ratings gp_regression heston_greeks hmm hodgkin_huxley
    implied_vol_surface inventory_policy kalman_mle kepler_ephemeris knapsack_bnb life_table mcmc_hierarchical
    md_lennard_jones mpc_tank pid_thermal recursive_fft schrodinger_wavepacket soft_dtw solar_position
    traffic_idm truss_fem tsp_heuristics wright_fisher
    fast_ica fdtd_2d graphene_bands hp_folding lattice_boltzmann longstaff_schwartz nbody richardson_lucy
    spectral_vorticity tomography tsne
""".split())

# They compile as well, in two seconds to (job_shop) a minute: `make test-long` runs them.
AT_LENGTH = frozenset("""
    account_ledger adaptive_filters auction_bids bank_queue barnes_hut binomial_american boids bpe_huffman
    camera_projection charged_particles circuit_mna close_encounters colour_science connected_components
    convnet_loops dense_layers ekf_tracking em_gaussian_mixture enzyme_kinetics epidemic_agents fir_equalizer
    fwi_acoustic garch_likelihood genetic_algorithm harris_corners heat_adi huckel_ppp hungarian hypocenter_location
    image_filters ising_metropolis isotonic_pava job_shop kernel_density kinetics_stiff kmedoids_silhouette
    lempel_ziv linked_cells lotka_volterra_fit lqr_riccati lsm_american lsystem_turtle lucas_kanade max_flow
    onset_detection order_book orf_finder particle_system peak_integration percolation_unionfind pharmacokinetics
    portfolio_frontier power_flow rainfall_runoff ransac_homography ray_tracer repair_events robot_arm seir_age
    sequence_alignment shallow_water simplex_tableau spring_network survival_cox thin_film titration_curve
    yield_curve_bootstrap cdo_copula
    baum_welch beam_vibration bundle_adjustment cox_efron felsenstein fem_poisson gmm_scipy gp_hyperfit ilqr_pendulum
    inverse_kinematics kalman_em mpc_box nuts particle_filter seir_fit weibull_aft
""".split())
# Whose gradient, in seconds or at length, is that of differences; of the rest nobody has looked whether it is smooth.
SLOPES = frozenset("""
    fdtd_2d graphene_bands longstaff_schwartz richardson_lucy
""".split())
SLOPES_AT_LENGTH = frozenset("""
    baum_welch beam_vibration cox_efron fast_ica fem_poisson gmm_scipy gp_hyperfit hp_folding kalman_em
    lattice_boltzmann mpc_box nbody particle_filter spectral_vorticity tomography tsne weibull_aft
""".split())

# Not known to compile: in `sudoku` a set of 27 known tuples is written out at each of three calls, and takes minutes,
# as LLVM does with `transit_network`.  The others go over lists that are constants of their modules.
TOO_LONG = frozenset(
    ["sudoku", "transit_network", "poker_hands", "terrain_astar", "tic_tac_toe", "ngram_perplexity"]
)


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


def assert_same(got, want, rtol=1e-7):
    got, want = leaves(got), leaves(want)
    assert len(got) == len(want)
    for one, other in zip(got, want):
        if isinstance(other, str) or other is None:
            assert one == other
            continue
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=rtol, atol=1e-2 * rtol)


def arguments(module, n):
    return module.make_arguments(np.random.default_rng([5, n]), n)


@pytest.mark.drawn(5)
@pytest.mark.parametrize("path", [p for p in FILES if p.stem in COMPILE], ids=lambda p: p.stem)
def test_a_program_that_compiles_gives_what_numpy_gives(path):
    hold(path)


@pytest.mark.long
@pytest.mark.parametrize("path", [p for p in FILES if p.stem in AT_LENGTH], ids=lambda p: p.stem)
def test_a_program_that_compiles_at_length_gives_what_numpy_gives(path):
    hold(path)


def hold(path):
    """Values and errors are CPython's."""
    module = load(path)
    function = getattr(module, module.ENTRY)
    compiled = pellucid.compile(function)
    for n in (3, 6):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = function(*copy.deepcopy(arguments(module, n)))
        assert_same(compiled(*arguments(module, n)), want, getattr(module, "TOLERANCE", 1e-7))
    for make, exception in module.ERRORS:
        with pytest.raises(exception):
            compiled(*make(np.random.default_rng(7), 6))


@pytest.mark.drawn(2)
@pytest.mark.parametrize("path", [p for p in FILES if p.stem in SLOPES], ids=lambda p: p.stem)
def test_gradients_are_slopes(path):
    follow(path)


@pytest.mark.long
@pytest.mark.parametrize("path", [p for p in FILES if p.stem in SLOPES_AT_LENGTH], ids=lambda p: p.stem)
def test_gradients_at_length_are_slopes(path):
    follow(path)


def follow(path):
    """The gradient of the first result by every argument that the program names, beside differences in CPython."""
    module = load(path)
    function = getattr(module, module.ENTRY)

    def first(*given):
        return np.sum(function(*given)[0])

    given = arguments(module, 3)
    places = [list(inspect.signature(function).parameters).index(name) for name in module.GRADIENT]
    slopes = pellucid.grad(first, argnums=tuple(places))(*given)
    rng = np.random.default_rng(1)
    for place, slope in zip(places, slopes):
        way = rng.normal(size=np.shape(given[place]))

        def along(h, place=place, way=way):
            moved = list(copy.deepcopy(given))
            moved[place] = moved[place] + h * way
            return float(first(*moved))

        found = float(np.sum(np.asarray(slope) * way))
        differences = [
            (8.0 * (along(h) - along(-h)) - along(2.0 * h) + along(-2.0 * h)) / (12.0 * h) for h in (1e-4, 1e-6)
        ]
        closest = min(differences, key=lambda value: abs(value - found))
        assert abs(closest - found) <= 1e-5 * max(1.0, abs(found)), (path.stem, place, found, differences)


REFUSED = [path for path in FILES if path.stem not in COMPILE | AT_LENGTH | TOO_LONG]


@pytest.mark.drawn(5)
@pytest.mark.parametrize("path", REFUSED, ids=lambda p: p.stem)
def test_a_program_that_does_not_compile_is_told_why(path):
    module = load(path)
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(getattr(module, module.ENTRY))(*arguments(module, 6))
    fault = caught.value.diagnostics[0]
    assert fault.span.file == str(path)
    assert fault.message


# What stops first at values from outside, and compiles with the line that the message proposes.
FROZEN = ("bootstrap_bca", "glm_irls", "vincenty_geodesic")


@pytest.mark.drawn(5)
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

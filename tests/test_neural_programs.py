"""Models as practitioners write them (`tests/corpus/neural/`): values of NumPy, derivatives of differences."""

import importlib.util
import pathlib
import warnings

import numpy as np
import pytest

from pellucid import compile, grad, jvp, tree

FOLDER = pathlib.Path(__file__).parent / "corpus" / "neural"
FILES = sorted(FOLDER.glob("*.py"))
LONG = frozenset("char_rnn ddpm transformer vit word2vec".split())


def load(path):
    spec = importlib.util.spec_from_file_location(f"tests.corpus.neural.{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def moved(model, along, step):
    """The model a step along a direction; what is no array of floats stays."""
    return tree.map(lambda p, d: p + step * d if is_parameter(p) else p, model, along)


def is_parameter(leaf):
    return isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f"


def slope(module, model, along, *rest):
    """By differences of four values, of fourth order."""
    step = 1e-3
    values = [module.loss(moved(model, along, k * step), *rest) for k in (-2, -1, 1, 2)]
    return (values[0] - 8.0 * values[1] + 8.0 * values[2] - values[3]) / (12.0 * step)


def hold(path):
    module = load(path)
    model, *rest = module.make_arguments(np.random.default_rng(3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = module.loss(model, *rest)
    np.testing.assert_allclose(float(compile(module.loss)(model, *rest)), expected, rtol=1e-10)
    rng = np.random.default_rng(4)
    along = tree.map(lambda p: 0.1 * rng.normal(size=p.shape) if is_parameter(p) else p, model)
    wanted = slope(module, model, along, *rest)
    slopes = grad(module.loss)(model, *rest)
    pairs = zip(tree.leaves(tree.map(lambda p, s: s, model, slopes)), tree.leaves(along))
    found = sum(np.sum(np.asarray(s) * d) for s, d in pairs if is_parameter(d))
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8)
    still = [tree.map(lambda p: np.zeros_like(p) if is_parameter(p) else None, one) for one in rest]
    tangents = (tree.map(lambda d: d if is_parameter(d) else None, along), *still)
    np.testing.assert_allclose(float(jvp(module.loss, (model, *rest), tangents)[1]), wanted, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("path", [p for p in FILES if p.stem not in LONG], ids=lambda p: p.stem)
def test_a_model_as_written_has_its_values_and_gradients(path):
    hold(path)


@pytest.mark.long
@pytest.mark.parametrize("path", [p for p in FILES if p.stem in LONG], ids=lambda p: p.stem)
def test_a_long_model_as_written_has_its_values_and_gradients(path):
    hold(path)

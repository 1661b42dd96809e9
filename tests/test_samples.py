"""Every sample runs, and the promises the two large ones make are kept."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("full_codegen")
SAMPLES = Path(__file__).resolve().parents[1] / "samples"
LARGE = {"autoencoder", "cartpole", "convnet", "digits", "gpt", "neural_ode", "nist"}
SMALL = sorted(path.stem for path in SAMPLES.glob("*.py") if path.stem not in LARGE)


def run_sample(name, folder, *options):
    """What the sample prints; it runs with `folder` as its working directory."""
    done = subprocess.run(
        [sys.executable, str(SAMPLES / f"{name}.py"), *options],
        cwd=folder,
        env=os.environ | {"MPLCONFIGDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, f"{name} gave {done.returncode}\n{done.stdout}\n{done.stderr}"
    complaints = [line for line in done.stderr.splitlines() if not line.endswith("takes more than 2 seconds")]
    assert complaints == []
    return done.stdout


@pytest.mark.parametrize("name", SMALL)
def test_sample_runs(name, tmp_path):
    assert run_sample(name, tmp_path).strip()


def test_kepler_agrees_with_the_implicit_function_theorem(tmp_path):
    rows = re.findall(r"^ *\d\.\d\d .* (\S+)$", run_sample("kepler", tmp_path), re.MULTILINE)
    assert len(rows) == 6
    assert all(float(error) < 1e-12 for error in rows)


def test_entmax_agrees_with_its_sorting_form_and_with_differences(tmp_path):
    output = run_sample("entmax", tmp_path)
    rows = re.findall(r"^ +\d\.\d .* of 8 +(\S+)$", output, re.MULTILINE)
    assert len(rows) == 3 and all(float(error) < 1e-8 for error in rows)
    errors = re.search(r"values within (\S+), gradients within (\S+)$", output, re.MULTILINE).groups()
    assert all(float(error) < 1e-12 for error in errors)


@pytest.mark.long
def test_digits_are_recognised(tmp_path):
    output = run_sample("digits", tmp_path, "--out", str(tmp_path / "plots"))
    found = dict(re.findall(r"^(.+): test accuracy (\d\.\d+)$", output, re.MULTILINE))
    assert float(found["logistic regression"]) >= 0.93
    assert float(found["two-layer network"]) >= 0.96
    assert len(re.findall(r"epoch +\d+ of \d+", output)) >= 10
    assert "def softmax_loss" in output and "# backward" in output
    plot = (tmp_path / "plots" / "digits_loss.png").read_bytes()
    assert plot.startswith(b"\x89PNG") and len(plot) > 5000


@pytest.mark.long
def test_a_convolutional_network_learns_digits(tmp_path):
    output = run_sample("convnet", tmp_path, "--epochs", "4", "--out", str(tmp_path))
    found = [float(accuracy) for accuracy in re.findall(r"test accuracy (\d\.\d+)", output)]
    assert len(found) == 4 and found[-1] >= 0.9
    assert (tmp_path / "convnet.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.long
def test_a_transformer_learns_characters(tmp_path):
    output = run_sample("gpt", tmp_path, "--steps", "60", "--out", str(tmp_path))
    losses = [float(loss) for loss in re.findall(r"loss (\d\.\d+)", output)]
    assert len(losses) == 10 and losses[-1] < min(losses[0] - 0.5, 2.6)
    assert "The lamp " in output and (tmp_path / "gpt.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.long
@pytest.mark.parametrize("name, option, count", [("neural_ode", "--steps", 200), ("autoencoder", "--epochs", 20)])
def test_a_loss_falls(name, option, count, tmp_path):
    output = run_sample(name, tmp_path, option, str(count), "--out", str(tmp_path))
    losses = [float(loss) for loss in re.findall(r"loss (\d+\.\d+)", output)]
    assert len(losses) == 10 and losses[-1] < 0.95 * losses[0]
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.long
def test_a_policy_learns_to_balance_a_pole(tmp_path):
    output = run_sample("cartpole", tmp_path, "--out", str(tmp_path))
    lengths = [float(length) for length in re.findall(r"(\d+\.\d) steps an episode", output)]
    assert len(lengths) == 10 and lengths[0] < 100.0 and max(lengths) > 180.0
    assert int(re.search(r"stands for (\d+) of 500", output)[1]) >= 300
    assert (tmp_path / "cartpole.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.long
def test_nist_problems_agree_with_the_certified_parameters(tmp_path):
    output = run_sample("nist", tmp_path)
    fits = re.findall(r"^(\w+) from start ([12]): (\S+) digits agree", output, re.MULTILINE)
    problems = {name for name, _, _ in fits}
    assert len(problems) >= 10 and len(fits) == 2 * len(problems)
    hard = {"MGH09", "MGH10", "MGH17", "Thurber", "Eckerle4", "BoxBOD", "Bennett5", "Rat43", "Lanczos1", "ENSO"}
    assert hard <= problems
    assert [fit for fit in fits if float(fit[2]) < 6.0] == []


PICTURES = """
import importlib.util, pathlib, sys
import matplotlib
matplotlib.use("Agg")
for path in map(pathlib.Path, sys.argv[1:]):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.picture().savefig(path.stem + ".png")
"""


@pytest.mark.long
def test_small_samples_draw_their_pictures(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PICTURES, *(str(SAMPLES / f"{name}.py") for name in SMALL)],
        cwd=tmp_path,
        env=os.environ | {"MPLCONFIGDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for name in SMALL:
        picture = (tmp_path / f"{name}.png").read_bytes()
        assert picture.startswith(b"\x89PNG") and len(picture) > 5000


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_a_sample_has_a_title_for_the_gallery_and_says_how_it_is_run(path):
    title, line, empty, *rest = ast.get_docstring(ast.parse(path.read_text("utf-8"))).splitlines()
    assert line == "=" * len(title) and not empty
    assert any(text.startswith(f"``python samples/{path.name}") for text in rest)

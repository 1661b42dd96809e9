"""The package list is the tree, the wheel holds all of it and works elsewhere, and bare names are refused."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PYPROJECT["tool"]["setuptools"]
FOLDERS = {name: ROOT / folder for name, folder in SETUPTOOLS["package-dir"].items()}
DATA = {name for name, folder in FOLDERS.items() if not (folder / "__init__.py").exists()}  # folders without modules


def packages_in_tree():
    """Every folder with an `__init__.py` under the three roots, as the package it is installed as."""
    found = {}
    for name, folder in FOLDERS.items():
        for init in folder.rglob("__init__.py"):
            found[".".join((name, *init.parent.relative_to(folder).parts))] = init.parent
    return found


def files_of_packages():
    """Every file a wheel has to hold, as its path there."""
    files = set()
    for name, folder in packages_in_tree().items():
        files |= {f"{name.replace('.', '/')}/{path.name}" for path in folder.glob("*.py")}
    for name, patterns in SETUPTOOLS["package-data"].items():
        for pattern in patterns:
            assert list(FOLDERS[name].glob(pattern)), f"nothing is {pattern} in {FOLDERS[name]}"
            files |= {f"{name.replace('.', '/')}/{path.name}" for path in FOLDERS[name].glob(pattern)}
    return files


def run(*command, cwd, **environment):
    """The finished process; fails the test with its whole output when it fails."""
    clean = {name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "PELLUCID"))}
    done = subprocess.run(
        command, cwd=cwd, env=clean | environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, f"{command} gave {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def test_package_list_is_the_tree():
    assert sorted(SETUPTOOLS["packages"]) == sorted([*packages_in_tree(), *DATA])
    assert DATA == {"pellucid.errors"}


def test_every_folder_of_modules_is_a_package():
    packages = set(packages_in_tree().values())
    for folder in FOLDERS.values():
        assert {module.parent for module in folder.rglob("*.py")} <= packages


def test_version_is_said_once():
    assert "version" not in PYPROJECT["project"]
    assert PYPROJECT["project"]["dynamic"] == ["version"]
    text = (ROOT / "pellucid" / "__init__.py").read_text(encoding="utf-8")
    assert re.search(r'^__version__ = "\d+\.\d+\.\d+[\w.]*"$', text, re.MULTILINE)


def test_every_requirement_is_pinned():
    pins = {}
    for line in (ROOT / "requirements" / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, version = line.partition("==")
            assert version, f"{line!r} is not a pin"
            pins[name] = version
    project = PYPROJECT["project"]
    extras = project["optional-dependencies"]
    pinned = (extras[name] for name in ("demo", "test", "docs", "cuda", "cuda-check"))
    for requirement in (*project["dependencies"], *(one for extra in pinned for one in extra)):
        name = re.match(r"[\w-]+", requirement)[0]
        assert name == "pellucid" or name in pins, requirement


@pytest.mark.parametrize("name", ["compiler", "runtime"])
def test_bare_import_is_refused(name):
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import {name}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert f"ImportError: this package is `pellucid.{name}` and was imported as `{name}`" in done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return built(tmp_path_factory)


def built(tmp_path_factory, **environment):
    """A wheel built from a copy of the tree, so that no earlier build is mixed in and the tree stays as it is."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "setup.py", "README.md"):
        shutil.copy(ROOT / name, source)
    for folder in FOLDERS.values():
        folder = folder.relative_to(ROOT)
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    out = tmp_path_factory.mktemp("wheel")
    # Pip as a module of this interpreter: the wheel is built with what is installed, and the network is not asked.
    run(
        *(sys.executable, "-m", "pip", "wheel", str(source), "--wheel-dir", str(out)),
        *("--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"),
        cwd=out,
        **environment,
    )
    (path,) = out.glob("*.whl")
    return path


def files_in(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def test_wheel_holds_every_file(wheel):
    extension = f"pellucid/runtime/_native{sysconfig.get_config_var('EXT_SUFFIX')}"
    assert files_in(wheel) == files_of_packages() | {extension}


def test_without_a_compiler_the_wheel_holds_all_but_the_extension(tmp_path_factory):
    assert files_in(built(tmp_path_factory, CC="false")) == files_of_packages()


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The interpreter of an empty environment in which only the wheel is installed.

    A .pth file lends it the other packages of this environment, because tests do not ask the network; .pth files in a
    lent folder are not read, so an editable install of this tree stays out.
    """
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    (site,) = folder.glob("lib/python*/site-packages")
    run(
        *(sys.executable, "-m", "pip", "--python", str(python), "install", str(wheel)),
        *("--no-deps", "--no-index", "--disable-pip-version-check"),
        cwd=folder,
    )
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return python


def test_installed_wheel_is_what_is_imported(installed, tmp_path):
    program = "import pellucid, pellucid.compiler, pellucid.runtime as r; print(pellucid.__file__); print(r.__file__)"
    done = run(str(installed), "-c", program, cwd=tmp_path)
    for line in done.stdout.splitlines():
        assert Path(line).is_relative_to(installed.parents[1])


def test_installed_wheel_runs_a_sample(installed, tmp_path):
    sample = shutil.copy(ROOT / "samples" / "kepler.py", tmp_path)
    done = run(str(installed), sample, cwd=tmp_path, XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert "backward" in done.stdout


def test_installed_command_starts(installed, tmp_path):
    done = run(str(installed.parent / "pellucid"), "--help", cwd=tmp_path)
    assert "check" in done.stdout and "emit" in done.stdout and "debug" in done.stdout


def test_installed_command_prints_every_page(installed, tmp_path):
    program = "from pellucid import error_pages as e; [e.main(c) and exit(c) for c in e.CODES]; print(e.__file__)"
    done = run(str(installed), "-c", program, cwd=tmp_path)
    assert Path(done.stdout.splitlines()[-1]).is_relative_to(installed.parents[1])
    for page in FOLDERS["pellucid.errors"].glob("[A-Z][0-9]*.md"):
        assert page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ") in done.stdout.splitlines()

"""NVIDIA's tools are found where pip, a toolkit of the system, conda and the PATH have them."""

import os

import pytest

from pellucid.compiler.targets.cuda import toolkit as module
from pellucid.compiler.targets.cuda.toolkit import MissingTool, Toolkit, find


def make(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    return str(folder)


def test_the_wheels_of_cuda_12_and_13_are_found_newest_first(tmp_path):
    wheels = make(
        tmp_path / "nvidia",
        *("cuda_nvcc/bin/ptxas", "cuda_nvcc/nvvm/lib64/libnvvm.so", "cu13/bin/nvdisasm", "cu13/bin/ptxas"),
        *("cu14/lib/libnvvm.so.4", "cublas/lib/libcublas.so", "__init__.py"),
    )
    found = find([wheels], [], None)
    assert found.ptxas == (f"{wheels}/cu13/bin/ptxas", f"{wheels}/cuda_nvcc/bin/ptxas")
    assert found.nvdisasm == (f"{wheels}/cu13/bin/nvdisasm",)
    assert found.libnvvm == (f"{wheels}/cu14/lib/libnvvm.so.4", f"{wheels}/cuda_nvcc/nvvm/lib64/libnvvm.so")
    assert found.home is None and find([wheels], [], None).versions().count("libnvvm") == 1


def test_a_toolkit_of_the_system_comes_after_the_wheels_and_the_path_last(tmp_path):
    wheels = make(tmp_path / "nvidia", "cuda_nvcc/bin/ptxas")
    home = make(tmp_path / "cuda [13]", "bin/ptxas", "bin/nvdisasm", "nvvm/lib64/libnvvm.so.4")
    last = make(tmp_path / "bin", "ptxas", "nvdisasm")
    found = find([wheels], [home], last)
    assert found.ptxas == (f"{wheels}/cuda_nvcc/bin/ptxas", f"{home}/bin/ptxas", f"{last}/ptxas")
    assert found.nvdisasm == (f"{home}/bin/nvdisasm", f"{last}/nvdisasm") and found.home == home
    assert found.disassembler() == f"{home}/bin/nvdisasm"


def test_one_file_under_two_names_counts_once(tmp_path):
    home = make(tmp_path / "cuda-13.0", "bin/ptxas", "nvvm/lib64/libnvvm.so.4.0.0")
    os.symlink("libnvvm.so.4.0.0", f"{home}/nvvm/lib64/libnvvm.so")
    os.symlink(home, tmp_path / "cuda")
    found = find([], [str(tmp_path / "cuda"), home], f"{home}/bin")
    assert len(found.ptxas) == len(found.libnvvm) == 1 and found.home == str(tmp_path / "cuda")


def test_what_cannot_be_run_is_no_tool(tmp_path):
    home = make(tmp_path, "bin/ptxas")
    os.chmod(f"{home}/bin/ptxas", 0o644)
    assert find([], [home], None) == Toolkit() and Toolkit().home is None


def test_the_environment_says_where(tmp_path, monkeypatch):
    home = make(tmp_path, "bin/nvdisasm")
    for name in ("CUDA_PATH", "CONDA_PREFIX", "PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    monkeypatch.setattr(module, "SYSTEM", str(tmp_path / "none"))
    module._found.cache_clear()
    monkeypatch.setenv("CUDA_HOME", home)
    assert module.toolkit().nvdisasm == (f"{home}/bin/nvdisasm",)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "elsewhere"))
    with pytest.raises(MissingTool, match=r"nvdisasm, .* is not installed: `pip install 'pellucid\[cuda-check\]'`"):
        module.toolkit().disassembler()
    module._found.cache_clear()


def test_another_version_of_a_tool_is_told_apart(tmp_path):
    home = make(tmp_path, "bin/ptxas", "nvvm/lib64/libnvvm.so")
    first = find([], [home], None).versions()
    assert find([], [home], None).versions() == first
    (tmp_path / "bin" / "ptxas").write_text("#!/bin/sh\n# of another version\n")
    assert find([], [home], None).versions() != first


def test_every_tool_says_how_to_get_it():
    for tool, (purpose, command) in module.NEEDED_FOR.items():
        assert str(MissingTool(tool)) == f"{tool}, which {purpose}, is not installed: `{command}`"

"""`pellucid env`: it says what is so, and what would be better."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

import pellucid
from pellucid.cli import main
from pellucid.environment import cache, native, processor, settings, version_of, versions
from pellucid.runtime import native_part
from pellucid.settings import SETTINGS


def test_the_command_prints_what_the_function_gives(capsys, monkeypatch):
    monkeypatch.setenv("PELLUCID_CACHE", "0")  # other processes add to it meanwhile
    assert main(["env"]) == 0
    assert capsys.readouterr().out.rstrip("\n") == pellucid.env().rstrip("\n")


def test_it_shows_itself_at_the_prompt(monkeypatch):
    monkeypatch.setenv("PELLUCID_CACHE", "0")
    assert repr(pellucid.env()) == pellucid.env().rstrip("\n")
    titles = re.findall(r"^(\w.*)$", pellucid.env(), re.MULTILINE)
    assert titles == ["Versions", "Processor", "Native part", "Cache", "Settings", "Recommended"]


def test_the_versions_are_those_of_the_modules():
    found = dict(versions().lines)
    assert found["pellucid"] == pellucid.__version__ and found["numpy"] == np.__version__
    assert found["Python"].startswith(sys.version.split()[0])
    assert version_of("no-such-package-here") is None


def test_the_threads_are_those_in_force(monkeypatch):
    monkeypatch.delenv("PELLUCID_TARGET", raising=False)
    if native_part.extension() is None:
        pytest.skip("there is one thread")
    with pellucid.threads(1000):
        section = processor()
        assert dict(section.lines)["threads"] == "1000"
        assert any("no more threads" in text for text in section.advice)


def test_a_target_that_does_not_exist_is_told_instead_of_raised(monkeypatch):
    monkeypatch.setenv("PELLUCID_TARGET", "pentium-of-tomorrow")
    section = processor()
    assert "pentium-of-tomorrow" in " ".join(section.advice)
    assert "unknown" in dict(section.lines)["code is for"]


def test_settings_that_are_set_are_told():
    section = settings({"PELLUCID_VERIFY": "1", "HOME": "/home/me"})
    ((given, words),) = section.lines
    assert given == "PELLUCID_VERIFY=1" and words == next(s.words for s in SETTINGS if s.name == "PELLUCID_VERIFY")
    assert "slow" in section.advice[0]
    assert settings({"HOME": "/home/me"}).advice == ()


def test_a_setting_that_nothing_reads_is_told():
    section = settings({"PELLUCID_NUM_THREAD": "3"})
    assert section.lines == (("PELLUCID_NUM_THREAD=3", "nothing reads it"),)
    assert section.advice == ("unset PELLUCID_NUM_THREAD, which is no setting; did you mean PELLUCID_NUM_THREADS?",)
    assert settings({"PELLUCID_DAY": "3"}).advice == ("unset PELLUCID_DAY, which is no setting",)


def test_the_cache_is_told(monkeypatch, tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("PELLUCID_CACHE", "1")
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(folder))
    monkeypatch.setenv("PELLUCID_CACHE_SIZE", "3MB")
    assert dict(cache().lines) == {"folder": str(folder), "size": "0 B of 3.0 MB", "files": "0"}
    folder.chmod(0o777)
    assert "not used" in dict(cache().lines) and cache().advice
    monkeypatch.setenv("PELLUCID_CACHE", "0")
    assert cache().lines[0][0] == "off" and cache().advice


def test_without_the_native_part_it_says_what_is_lost():
    environment = {**os.environ, "PELLUCID_NATIVE": "0"}
    command = [sys.executable, "-m", "pellucid", "env"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "absent  PELLUCID_NATIVE=0" in done.stdout
    assert "one thread" in done.stdout and "-  unset PELLUCID_NATIVE\n" in done.stdout


def test_with_the_native_part_nothing_is_lost():
    if native_part.extension() is None:
        pytest.skip("it is not there")
    assert native().advice == () and native().lines[0][0] == "present"

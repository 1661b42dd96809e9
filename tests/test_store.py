"""The store on disk (`runtime/store.py`): whole entries or none, from their owner or not at all, of bounded size."""

import errno
import os
import random
import signal
import stat
import subprocess
import sys
import time

import pytest

from pellucid.runtime import store as module
from pellucid.runtime.store import DEFAULT_LIMIT, Store, digest, read_size, store

NAME = digest(b"name").hex() + ".code"
OTHER = digest(b"other").hex() + ".code"


@pytest.fixture
def place(tmp_path):
    return Store(str(tmp_path / "cache" / "pellucid"))


def test_an_entry_comes_back(place):
    assert place.read(NAME) is None and place.entries() == []
    assert place.write(NAME, b"first") and place.read(NAME) == b"first"
    assert place.write(NAME, b"") and place.read(NAME) == b""
    assert [one.name for one in place.entries()] == [NAME]
    place.remove(NAME)
    assert place.read(NAME) is None and place.entries() == []


def test_everything_is_private(place):
    before = os.umask(0)
    try:
        place.write(NAME, b"data")
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(place.path).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(os.path.join(place.path, NAME)).st_mode) == 0o600


# --- what is not trusted -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("position", [0, 5, 16, 17, 30, 40, 41, 60, -1])
def test_a_changed_byte_is_noticed(place, position):
    place.write(NAME, bytes(range(100)))
    file = os.path.join(place.path, NAME)
    with open(file, "r+b") as stream:
        content = bytearray(stream.read())
        content[position] ^= 1
        stream.seek(0)
        stream.write(content)
    assert place.read(NAME) is None
    assert place.write(NAME, b"new") and place.read(NAME) == b"new"


def test_a_short_or_long_file_is_noticed(place):
    place.write(NAME, b"content")
    file = os.path.join(place.path, NAME)
    whole = open(file, "rb").read()
    for length in range(len(whole)):
        with open(file, "wb") as stream:
            stream.write(whole[:length])
        assert place.read(NAME) is None
    with open(file, "wb") as stream:
        stream.write(whole + b"\0")
    assert place.read(NAME) is None


def test_an_entry_under_another_name_is_noticed(place):
    place.write(NAME, b"content")
    os.rename(os.path.join(place.path, NAME), os.path.join(place.path, OTHER))
    assert place.read(OTHER) is None


def test_links_and_folders_are_no_entries(place, tmp_path):
    place.write(NAME, b"content")
    os.rename(os.path.join(place.path, NAME), tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", os.path.join(place.path, NAME))
    os.mkdir(os.path.join(place.path, OTHER))
    os.mkfifo(os.path.join(place.path, OTHER.replace("code", "function")))
    assert place.read(NAME) is None and place.read(OTHER) is None
    assert place.read(OTHER.replace("code", "function")) is None


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o702])
def test_a_folder_that_others_write_to_is_refused(place, mode):
    place.write(NAME, b"content")
    os.chmod(place.path, mode)
    assert place.read(NAME) is None and not place.write(OTHER, b"x") and place.entries() == []
    assert "written to by others" in place.trouble()
    os.chmod(place.path, 0o755)
    assert place.read(NAME) == b"content" and place.trouble() is None


def test_a_file_that_others_write_to_is_refused(place):
    place.write(NAME, b"content")
    os.chmod(os.path.join(place.path, NAME), 0o620)
    assert place.read(NAME) is None


def test_what_belongs_to_another_user_is_refused(place, monkeypatch):
    place.write(NAME, b"content")
    monkeypatch.setattr(module.os, "geteuid", lambda: os.stat(place.path).st_uid + 1)
    assert place.read(NAME) is None and not place.write(OTHER, b"x")
    assert place.trouble() == "the folder belongs to another user"


# --- disks that are full, read-only or gone ------------------------------------------------------------------------


def test_no_folder_can_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    place = Store(str(tmp_path / "file" / "pellucid"))
    assert not place.write(NAME, b"x") and place.read(NAME) is None and place.trouble()
    assert place.clear() == 0 and place.entries() == []


def test_the_folder_is_a_file(tmp_path):
    (tmp_path / "pellucid").write_text("")
    place = Store(str(tmp_path / "pellucid"))
    assert not place.write(NAME, b"x") and place.read(NAME) is None and place.trouble()


@pytest.mark.parametrize("step", ["replace", "open"])
def test_a_full_disk_leaves_nothing_behind(place, monkeypatch, step):
    place.write(NAME, b"old")

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        if step == "replace":
            patch.setattr(module.os, "replace", full)
        else:
            patch.setitem(module.__dict__, "open", full)
        assert not place.write(NAME, b"new")
    assert os.listdir(place.path) == [NAME] and place.read(NAME) == b"old"


def test_the_folder_may_vanish(place):
    place.write(NAME, b"x")
    os.unlink(os.path.join(place.path, NAME))
    os.rmdir(place.path)
    assert place.read(NAME) is None
    assert place.write(NAME, b"y") and place.read(NAME) == b"y"


# --- size ----------------------------------------------------------------------------------------------------------


def names(count):
    return [digest(str(k).encode()).hex() + ".code" for k in range(count)]


def test_what_was_used_last_stays(tmp_path, monkeypatch):
    place = Store(str(tmp_path / "pellucid"), limit=10_000)
    monkeypatch.setitem(module._WRITTEN, place.path, -(10**9))  # nothing goes before it is asked
    listed = names(20)
    now = time.time()
    for age, name in enumerate(listed):
        place.write(name, bytes(1000))
        os.utime(os.path.join(place.path, name), (now - 10_000 * age, now - 10_000 * age))
    used = listed[15]
    assert place.read(used) is not None  # which makes it young
    place.tidy()
    left = {one.name for one in place.entries()}
    assert used in left and set(listed[:7]) <= left and not set(listed[10:]) - {used} & left
    assert sum(one.size for one in place.entries()) <= place.limit


def test_writing_keeps_the_size_bounded(tmp_path):
    place = Store(str(tmp_path / "pellucid"), limit=500_000)
    for name in names(300):
        place.write(name, bytes(5000))
        assert sum(one.size for one in place.entries()) <= place.limit * (1 + 1 / module.UNSEEN) + 5100


def test_files_are_listed_once_for_many_writes(tmp_path, monkeypatch):
    """However many there are: to list them takes longer than to write one."""
    listed = []
    monkeypatch.setattr(module, "_tidy", lambda *given: listed.append(given))
    place = Store(str(tmp_path / "pellucid"), limit=1_000_000)
    for name in names(300):
        place.write(name, bytes(500))
    assert len(listed) == 1 + 300 * 500 // (place.limit // module.UNSEEN)


def test_only_our_own_files_are_touched(place):
    place.write(NAME, bytes(1000))
    for name in ("thesis.tex", "0123.code", NAME + "x", NAME.replace("code", "txt"), "x" + NAME[1:]):
        with open(os.path.join(place.path, name), "wb") as stream:
            stream.write(bytes(10_000_000))
    before = set(os.listdir(place.path)) - {NAME}
    Store(place.path, limit=100).tidy()
    assert set(os.listdir(place.path)) == before
    place.write(NAME, b"x")
    assert place.clear() == 1 and set(os.listdir(place.path)) == before


def test_leftovers_of_killed_writers_go(place):
    place.write(NAME, b"content")
    fresh, stale = (os.path.join(place.path, f"{NAME}.1.{k}.tmp") for k in (1, 2))
    for path in (fresh, stale):
        open(path, "wb").write(b"half")
    old = time.time() - 2 * module.ABANDONED
    os.utime(stale, (old, old))
    assert [one.name for one in place.entries()] == [NAME]
    place.tidy()
    assert os.path.exists(fresh) and not os.path.exists(stale) and place.read(NAME) == b"content"
    assert place.clear() == 1 and os.listdir(place.path) == []


def test_sizes_in_words():
    assert read_size("300 MB") == 300 * 2**20 and read_size("2g") == 2**31 and read_size("1000") == 1000
    assert read_size("1.5kb") == 1536 and read_size("0") == 0
    for wrong in (None, "", "many", "12 parsecs", "1e400gb", "-5"):
        assert read_size(wrong) == DEFAULT_LIMIT


def test_the_environment_decides(monkeypatch, tmp_path):
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path / "x"))
    monkeypatch.setenv("PELLUCID_CACHE_SIZE", "1 kB")
    assert store() == Store(str(tmp_path / "x"), 1024)
    monkeypatch.delenv("PELLUCID_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert store().path == str(tmp_path / "pellucid")
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert store().path == str(tmp_path / "home" / ".cache" / "pellucid")
    monkeypatch.setenv("PELLUCID_CACHE", "0")
    assert store() is None


# --- many processes ------------------------------------------------------------------------------------------------

WRITER = """
import sys
from pellucid.runtime.store import Store, digest
place, letter = Store(sys.argv[1]), sys.argv[2].encode()
names = [digest(str(k).encode()).hex() + ".code" for k in range(3)]
print("ready", flush=True)
while True:
    for name in names:
        place.write(name, letter * 300_000)
"""


def writer(place, letter):
    command = [sys.executable, "-c", WRITER, place.path, letter]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


def test_killed_writers_leave_whole_entries(place):
    rng = random.Random(1)
    for attempt in range(4):
        processes = [writer(place, letter) for letter in "ab"]
        deadline = time.time() + rng.uniform(0.05, 0.2)
        seen = 0
        while time.time() < deadline or (not seen and time.time() < deadline + 20):
            for name in names(3):
                data = place.read(name)
                assert data is None or data in (b"a" * 300_000, b"b" * 300_000)
                seen += data is not None
        for process in processes:
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()
        assert all(place.read(name) in (b"a" * 300_000, b"b" * 300_000, None) for name in names(3))
        assert place.write(NAME, b"mine") and place.read(NAME) == b"mine"

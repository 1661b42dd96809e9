"""The cache on disk: named entries in one folder that belongs to the user alone.

    store.write("3f9c...code", data)    ->    ~/.cache/pellucid/3f9c...code, whole or not at all
    store.read("3f9c...code")           ->    the data, or None where it is missing, damaged or not ours

What is read is executed, so an entry counts only if the folder and the file belong to this user, nobody else may write
to them, and the checksum over name and content holds.  Nothing here raises for what the disk does: without a cache the
program is compiled.  The environment decides: PELLUCID_CACHE_DIR where, PELLUCID_CACHE_SIZE how large (`300 MB`), and
PELLUCID_CACHE=0 switches it off.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

try:
    from _blake2 import blake2b  # `hashlib` would load OpenSSL for it
except ImportError:
    from hashlib import blake2b

MAGIC = b"pellucid cache 1\n"
DIGEST_BYTES = 24
DEFAULT_LIMIT = 512 * 2**20
UNITS = {"": 1, "b": 1, "k": 2**10, "kb": 2**10, "m": 2**20, "mb": 2**20, "g": 2**30, "gb": 2**30}
KINDS = ("code", "function", "checked", "kernel")  # a name is a digest and one of these
TEMPORARY = ".tmp"
ABANDONED = 600.0  # seconds after which a temporary file is abandoned: writing one takes milliseconds
TOUCH_AFTER = 3600.0  # the time of last use is kept to the hour, so that most reads write nothing
UNSEEN = 16  # of how many parts of the limit one is written before the files are listed again, which takes long
_WRITTEN: dict[str, int] = {}  # the bytes since then, by folder


def digest(*parts: bytes) -> bytes:
    """A checksum of the parts and of where each ends."""
    made = blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        made.update(len(part).to_bytes(8, "little"))
        made.update(part)
    return made.digest()


class StoredObject(NamedTuple):
    """A file of the store: its name, its size in bytes, when it was used last (seconds since 1970)."""

    name: str
    size: int
    used: float

    @property
    def is_temporary(self) -> bool:
        return self.name.endswith(TEMPORARY)


class Store(NamedTuple):
    """A folder of entries, and how many bytes they may take in all."""

    path: str
    limit: int = DEFAULT_LIMIT

    def read(self, name: str) -> bytes | None:
        """The content of an entry; None where there is none that can be trusted."""
        try:
            with self._folder() as folder:
                return _read(folder, name)
        except OSError:
            return None

    def write(self, name: str, data: bytes) -> bool:
        """Add an entry or replace it, for all processes at once; whether that was possible."""
        try:
            with self._folder(create=True) as folder:
                _write(folder, name, data)
                if self._is_due(len(data)):
                    _tidy(folder, self.limit)
                return True
        except OSError:
            return False

    def _is_due(self, count: int) -> bool:
        """Whether it is time to tidy, after so many bytes more; the first write of a process tidies in any case."""
        written = _WRITTEN.get(self.path, self.limit) + count
        is_due = written > self.limit // UNSEEN
        _WRITTEN[self.path] = 0 if is_due else written
        return is_due

    def remove(self, name: str) -> None:
        with contextlib.suppress(OSError), self._folder() as folder:
            os.unlink(name, dir_fd=folder)

    def entries(self) -> list[StoredObject]:
        """All entries, those used last first."""
        try:
            with self._folder() as folder:
                found = [one for one in _files(folder) if not one.is_temporary]
        except OSError:
            return []
        return sorted(found, key=lambda one: (-one.used, one.name))

    def is_empty(self) -> bool:
        """Whether nothing is kept here, as far as one can see."""
        try:
            with os.scandir(self.path) as listed:
                return next(listed, None) is None
        except OSError:
            return True

    def tidy(self) -> None:
        """Remove what was left behind by processes that were killed, and the oldest entries beyond the limit."""
        with contextlib.suppress(OSError), self._folder() as folder:
            _tidy(folder, self.limit)

    def clear(self) -> int:
        """Remove everything; returns how many entries there were."""
        count = 0
        with contextlib.suppress(OSError), self._folder() as folder:
            for one in list(_files(folder)):
                with contextlib.suppress(OSError):
                    os.unlink(one.name, dir_fd=folder)
                    count += not one.is_temporary
        return count

    def trouble(self) -> str | None:
        """Why nothing can be kept here, in words; None where all is well."""
        try:
            with self._folder(create=True) as folder:
                if not os.access(".", os.W_OK, dir_fd=folder):
                    return "it cannot be written to"
        except OSError as error:
            return error.strerror or str(error)
        return None

    @contextlib.contextmanager
    def _folder(self, create: bool = False) -> Iterator[int]:
        """The folder as a file descriptor, so that it stays the one that was checked.  Raises OSError."""
        if create:
            with contextlib.suppress(FileExistsError):
                os.makedirs(os.path.dirname(self.path), exist_ok=True)
                os.mkdir(self.path, 0o700)
        folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _require_ours(os.fstat(folder), "the folder")
            yield folder
        finally:
            os.close(folder)


def _require_ours(found: os.stat_result, what: str) -> None:
    if found.st_uid != os.geteuid():
        raise PermissionError(0, f"{what} belongs to another user")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(0, f"{what} can be written to by others")


def _read(folder: int, name: str) -> bytes | None:
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    with open(file, "rb", buffering=0) as stream:
        found = os.fstat(file)
        _require_ours(found, "the file")
        if not stat.S_ISREG(found.st_mode):
            return None
        text = stream.read()
        if time.time() - found.st_mtime > TOUCH_AFTER:
            with contextlib.suppress(OSError):
                os.utime(file)
    start = len(MAGIC) + DIGEST_BYTES
    data = text[start:]
    if text[: len(MAGIC)] != MAGIC or text[len(MAGIC) : start] != digest(name.encode(), data):
        return None
    return data


def _write(folder: int, name: str, data: bytes) -> None:
    """Write to a file beside and move it there: a reader sees the old content or the new one, also after a kill."""
    temporary = f"{name}.{os.getpid()}.{time.monotonic_ns()}{TEMPORARY}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(temporary, flags, 0o600, dir_fd=folder)
    try:
        with open(file, "wb") as stream:
            stream.write(MAGIC + digest(name.encode(), data))
            stream.write(data)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _files(folder: int) -> Iterator[StoredObject]:
    """The files of the store; what else lies in the folder is none of our business, and is never removed."""
    with os.scandir(folder) as listed:
        for item in listed:
            stem, _, rest = item.name.partition(".")
            if len(stem) != 2 * DIGEST_BYTES or stem.strip("0123456789abcdef") or rest.split(".")[0] not in KINDS:
                continue
            with contextlib.suppress(FileNotFoundError):  # another process may be tidying too
                found = item.stat(follow_symlinks=False)
                if stat.S_ISREG(found.st_mode):
                    yield StoredObject(item.name, found.st_size, found.st_mtime)


def _tidy(folder: int, limit: int) -> None:
    files = list(_files(folder))
    now = time.time()
    drop = [one for one in files if one.is_temporary and now - one.used > ABANDONED]
    kept = sorted((one for one in files if not one.is_temporary), key=lambda one: one.used)
    excess = sum(one.size for one in kept) - limit
    if excess > 0:
        excess += limit // 10  # some room, so that not every write has to look for more
        for one in kept:
            if excess <= 0:
                break
            drop.append(one)
            excess -= one.size
    for one in drop:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(one.name, dir_fd=folder)


# --- the store of this process -------------------------------------------------------------------------------------


def store() -> Store | None:
    """The store that the environment asks for; None where the cache is off."""
    settings = os.environ.get
    if settings("PELLUCID_CACHE", "1") == "0" or not hasattr(os, "geteuid"):
        return None
    return _made(
        settings("PELLUCID_CACHE_DIR"), settings("XDG_CACHE_HOME"), settings("HOME"), settings("PELLUCID_CACHE_SIZE")
    )


@lru_cache(maxsize=8)
def _made(asked: str | None, caches: str | None, home: str | None, size: str | None) -> Store | None:
    if asked:
        path = os.path.abspath(os.path.expanduser(asked))
    elif caches and os.path.isabs(caches):
        path = os.path.join(caches, "pellucid")
    else:
        path = os.path.expanduser(os.path.join("~", ".cache", "pellucid"))
    return Store(path, read_size(size)) if os.path.isabs(path) else None


def read_size(text: str | None) -> int:
    """`300 MB`, `2g` or plain bytes; the default for what cannot be read as a size."""
    number = (text or "").strip().lower()
    unit = number.lstrip("0123456789.")
    try:
        return int(float(number.removesuffix(unit) if unit else number) * UNITS[unit.strip()])
    except (KeyError, ValueError, OverflowError):
        return DEFAULT_LIMIT

"""`pellucid env`: what Pellucid found on this machine, what it is told to do, and what would make it better.

    env()    ->    versions, processor, threads, native part, cache, settings, recommendations, as a text

What cannot be found out because a setting is wrong is told in its place: this is the page that is read then.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping

from .cache_command import as_size, counted
from .compiler.records import dataclass
from .runtime import native_part, targets
from .runtime.cores import available_cores
from .runtime.store import store
from .runtime.threads import thread_count
from .settings import SETTINGS
from .text import Text

PACKAGES = ("pellucid", "numpy", "llvmlite", "scipy", "gast", "astunparse", "numba")
COMPARED = "numba"  # with which the benchmarks compare
VECTORS = ("sse4_2", "avx", "f16c", "avx2", "fma", "avx512f", "avx512dq", "avx512vl", "asimd", "neon", "sve")
LOST = (
    "large loops run on one thread",
    "calls go through Python: microseconds each instead of a fraction of one",
    "freed buffers are not kept for the next arrays",
    "Ctrl-C waits until a call has ended",
)
NATIVE_ADVICE = "install a C compiler and Pellucid again (`pip install --force-reinstall pellucid`)"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, lines of a name and what is said of it, and what is recommended because of them."""

    title: str
    lines: tuple[tuple[str, str], ...]
    advice: tuple[str, ...] = ()


def env() -> str:
    """What Pellucid works with here: a `str` that shows itself at the prompt, and what `pellucid env` prints.

    Versions, the processor and its vectors, cores and threads, whether the native part is there and what is lost
    without it, the cache, the environment variables that are set, and what is recommended.
    """
    found = [versions(), processor(), native(), cache(), settings(os.environ)]
    advice = [text for section in found for text in section.advice]
    last = Section("Recommended", tuple(("-", text) for text in advice) or (("nothing", "all is as it should be"),))
    return Text("\n".join(line for section in (*found, last) for line in (*_printed(section), "")))


def _printed(section: Section) -> Iterator[str]:
    yield section.title
    width = max(len(name) for name, _ in section.lines)
    for name, words in section.lines:
        yield f"  {name:<{width}}  {words}".rstrip()


# --- the sections --------------------------------------------------------------------------------------------------


def versions() -> Section:
    system = os.uname() if hasattr(os, "uname") else None
    where = f", {system.sysname} {system.machine}" if system else ""
    python = f"{sys.version.split()[0]} ({sys.implementation.name}{where})"
    rows = [("Python", python)]
    rows += [(name, version_of(name) or _absent(name)) for name in PACKAGES]
    return Section("Versions", tuple(rows))


def _absent(name: str) -> str:
    return "not installed (only benchmarks ask for it)" if name == COMPARED else "not installed"


def version_of(package: str) -> str | None:
    """The version of a package, without importing it; None where it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def processor() -> Section:
    target, wrong_target = _asked_of(lambda: targets.words(targets.asked())[1])
    threads, wrong_threads = _asked_of(lambda: str(thread_count()))
    rows = [("name", targets.name_of_host())]
    rows += [("features", " ".join(name for name in VECTORS if name in targets.features(targets.PRESENT)) or "none")]
    rows += [("code is for", target)]
    advice = [text for text in (wrong_target, wrong_threads) if text]
    if not wrong_target:
        width = targets.vector_bytes(targets.asked())
        rows += [("vectors", f"{width} bytes: {width // 8} float64 at a time" if width else "none")]
        if not targets.runs_here(targets.asked()):
            advice.append(f"unset {targets.SETTING}: code for {target} does not run on this processor")
    cores = available_cores()
    rows += [("cores", f"{cores} that this process may use"), ("threads", threads)]
    if not wrong_threads and int(threads) > cores:
        advice.append(f"ask for no more threads than cores: {threads} threads share {counted(cores, 'core')}")
    return Section("Processor", tuple(rows), tuple(advice))


def _asked_of(question: Callable[[], str]) -> tuple[str, str]:
    """The answer and nothing, or that a setting is wrong and why."""
    try:
        return question(), ""
    except ValueError as wrong:
        return "unknown: a setting is wrong, see below", f"correct a setting: {wrong}"


def native() -> Section:
    extension = native_part.extension()
    if extension is not None:
        return Section("Native part", (("present", str(extension.__file__)),))
    reason = native_part.why_not()
    switched_off = os.environ.get(native_part.SETTING) == "0"
    advice = f"unset {native_part.SETTING}" if switched_off else NATIVE_ADVICE
    return Section("Native part", (("absent", reason), *(("lost", words) for words in LOST)), (advice,))


def cache() -> Section:
    """Where compiled functions are kept, and how full that is."""
    place = store()
    if place is None:
        advice = "unset PELLUCID_CACHE, so that later processes need not compile again"
        return Section("Cache", (("off", "each process compiles for itself"),), (advice,))
    if trouble := place.trouble():
        told = (("folder", place.path), ("not used", trouble))
        return Section("Cache", told, (f"make a folder that belongs to you alone of {place.path}",))
    entries = place.entries()
    size = sum(one.size for one in entries)
    rows = (("folder", place.path), ("size", f"{as_size(size)} of {as_size(place.limit)}"),
            ("files", str(len(entries))))  # fmt: skip
    return Section("Cache", rows)


PREFIX = "PELLUCID_"
SLOW = {
    "PELLUCID_VERIFY": ("1", "every step of the compiler is verified, which is slow"),
    "PELLUCID_CODEGEN": ("quick", "machine code is made quickly and takes longer to run"),
    "PELLUCID_NATIVE_DISPATCH": ("0", "calls go through Python"),
}


def settings(given: Mapping[str, str]) -> Section:
    """The variables that are set; one that nothing reads is told, since it was meant to do something."""
    known = {setting.name: setting for setting in SETTINGS}
    rows, advice = [], []
    for name in sorted(name for name in given if name.startswith(PREFIX)):
        if name not in known:
            meant = _meant(name, known)
            rows.append((f"{name}={given[name]}", "nothing reads it"))
            advice.append(f"unset {name}, which is no setting{meant}")
            continue
        rows.append((f"{name}={given[name]}", known[name].words))
        value, why = SLOW.get(name, (None, ""))
        if given[name] == value:
            advice.append(f"unset {name} where speed counts: {why}")
    return Section("Settings", tuple(rows) or (("none", "see docs/environment.md"),), tuple(advice))


def _meant(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name.removeprefix(PREFIX), [other.removeprefix(PREFIX) for other in known], 1)
    return f"; did you mean {PREFIX}{near[0]}?" if near else ""

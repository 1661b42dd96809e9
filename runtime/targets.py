"""Which processor machine code is made for: the one that runs this program, or the one that PELLUCID_TARGET names.

    PELLUCID_TARGET=x86-64-v3     ->    x86_64-unknown-linux-gnu, x86-64-v3: vectors of 32 bytes, runs here or not
    PELLUCID_TARGET=neoverse-n1   ->    aarch64-unknown-linux-gnu, neoverse-n1: vectors of 16 bytes
    PELLUCID_TARGET=aarch64       ->    any processor of that architecture; `aarch64-linux` and triples mean it too

A target is the string of the setting; the empty one is the present processor.  What a named processor offers is asked
of LLVM: it makes a function part of another only if the other may use every instruction that the first may use.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

from . import llvm
from .llvm import Words

SETTING, PRESENT = "PELLUCID_TARGET", ""
ANY = {"x86_64": "x86-64", "aarch64": "generic"}  # by architecture, its common subset
SYNONYMS = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}
# Instructions of systems and libraries, which LLVM does not write by default.
OF_SYSTEMS = frozenset(
    """cldemote clflushopt clwb clzero enqcmd fsgsbase fxsr hreset invpcid kl lwp movdir64b movrs mwaitx pconfig pku
    prefetchi ptwrite raoint rdpid rdpru rdrnd rdseed rtm serialize sgx shstk tsxldtrk uintr usermsr waitpkg wbnoinvd
    widekl xsave xsavec xsaveopt xsaves""".split()
)


def asked() -> str:
    """The target of what is compiled from now on."""
    given = os.environ.get(SETTING, "").strip()
    return PRESENT if given == "native" else given


def running() -> str:
    """The target of what this process itself needs: the one that is asked for if it runs here."""
    target = asked()
    return target if runs_here(target) else PRESENT


def words(target: str) -> Words:
    """The triple, the name and the features that LLVM is given.  Raises ValueError for what it does not know."""
    triple, name, given = _own_words(target)
    if "avx512f" not in features(target):
        return triple, name, given
    return triple, name, f"{given},{'-' if has_full_width(target) else '+'}prefer-256-bit"


def _own_words(target: str) -> Words:
    return _host() if target == PRESENT else _named(target)


@lru_cache(maxsize=16)
def _named(target: str) -> Words:
    own, system = _architecture(_host()), _host()[0].partition("-")[2]
    first, _, rest = target.partition("-")
    first = SYNONYMS.get(first, first)
    if first in ANY and re.fullmatch(r"[\w.-]*", rest):
        if rest and "-" not in rest:
            rest = f"unknown-{rest}-gnu" if rest == "linux" else f"unknown-{rest}"
        return _told(f"{first}-{rest or system}", ANY[first])
    if re.fullmatch(r"[\w.-]+", target) and target != "help":
        from . import target_questions

        for architecture in dict.fromkeys((own, *ANY)):
            found = _told(f"{architecture}-{system}", target)
            if target_questions.knows(found):
                return found
    raise ValueError(
        f"{SETTING} is a processor that LLVM knows (x86-64-v3, znver4, neoverse-n1), an architecture (x86_64, aarch64) "
        f"or `native`, not {target!r}"
    )


def _told(triple: str, name: str) -> Words:
    return triple, name, "+64bit" if triple.startswith("x86_64") else ""


def _architecture(given: Words) -> str:
    first = given[0].partition("-")[0]
    return SYNONYMS.get(first, first)


# --- the present processor -----------------------------------------------------------------------------------------


def _host() -> Words:
    return llvm.host()


def name_of_host() -> str:
    """The present processor, as LLVM calls it."""
    return _host()[1]


@lru_cache(maxsize=1)
def processor() -> bytes:
    """The name and the features of the processor."""
    try:
        with open("/proc/cpuinfo", "rb", buffering=0) as stream:
            first = stream.read(16384).partition(b"\n\n")[0]
    except OSError:
        first = b""
    wanted = (b"vendor_id", b"cpu family", b"model", b"stepping", b"flags", b"Features", b"CPU ")
    lines = [line for line in first.splitlines() if line.startswith(wanted)]
    if lines:
        return os.uname().machine.encode() + b"\n" + b"\n".join(lines)
    return " ".join(_host()).encode()


# --- what it offers ------------------------------------------------------------------------------------------------


def identity(target: str) -> bytes:
    """What tells machine code for this target from all other."""
    return processor() if target == PRESENT else "\n".join(words(target)).encode()


def runs_here(target: str) -> bool:
    """Whether the present processor has all instructions of the target."""
    return target == PRESENT or _offers(target)[0]


def features(target: str) -> frozenset[str]:
    """Names of what the target offers, as the system or LLVM calls it."""
    if target != PRESENT:
        return _offers(target)[1]
    return frozenset(processor().decode().replace(",", " ").replace("+", " ").split())


def vector_bytes(target: str) -> int:
    """The vectors that loops are made of; 0 where products and sums cannot be fused, and the C library does better."""
    offered = features(target)
    if offered & {"asimd", "neon"}:
        return 16
    if not {"fma", "avx2"} <= offered:
        return 0
    return 64 if {"avx512f", "avx512dq", "avx512vl"} <= offered and has_full_width(target) else 32


def has_full_width(target: str) -> bool:
    """Whether vectors of 64 bytes gain: on AMD's processors they do, and what is meant for any of both makers may too.

    Intel's stay at 32, as LLVM prefers: the early ones slow down, and others have not been measured.
    """
    return _own_words(target)[1].startswith(("znver", "x86-64-v4"))


@lru_cache(maxsize=16)
def _offers(target: str) -> tuple[bool, frozenset[str]]:
    """Whether it runs here, and which of the instructions that LLVM may choose from it has."""
    from . import target_questions

    asked_for, host = _named(target), _host()
    same = _architecture(asked_for) == _architecture(host)
    if _architecture(asked_for) != "x86_64":
        return same and target_questions.may_call(host, [asked_for[1:]])[0], frozenset({"neon"})
    known = host[2].split(",") if same else ["-avx2", "-fma", "-avx512f", "-avx512dq", "-avx512vl"]
    each = target_questions.may_call(asked_for, [("", f"+{feature[1:]}") for feature in known])
    found = {feature for feature, offered in zip(known, each, strict=True) if offered}
    missing = {feature[1:] for feature in found if feature.startswith("-")}
    return same and missing <= OF_SYSTEMS, frozenset(feature[1:] for feature in found)

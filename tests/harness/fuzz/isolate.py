"""Check programs in a process of their own: what crashes or never ends is a failure like any other.

    for seed, case, findings in checked(make, seeds, ...): ...

A child is forked for a batch of programs and says when it begins and ends one.  One that dies, or is silent for too
long, is ended, its program is the failure, and the next child goes on after it.
"""

import contextlib
import itertools
import os
import pickle
import resource
import select
import signal
import struct
import time
import traceback
from collections.abc import Callable, Iterable

from .case import Case
from .check import Finding, check

HANGS_AFTER = 20  # seconds of processor time for one program
SILENT_AFTER = 180.0  # seconds of any time: two threads that wait for each other need no processor
BATCH = 20
MEMORY = 6 * 2**30  # bytes of address space: a list that doubles ends in a MemoryError, not with the machine


def checked(make: Callable[[int], Case], seeds: Iterable[int], plan: Callable[[int], dict], until=float("inf")):
    """Yield (seed, case, findings) for every seed; `plan` says at which stages, and whether with a gradient."""
    waiting = iter(seeds)  # a run by the clock has a range with no end in sight
    while time.monotonic() < until and (batch := list(itertools.islice(waiting, BATCH))):
        while batch:
            for seed, case, findings in run_batch(make, batch, plan):
                batch = batch[batch.index(seed) + 1 :]
                yield seed, case, findings


def run_batch(make, batch, plan):
    """Yield what a child finds; its end before its time is the last finding."""

    def work(send):
        for seed in batch:
            send(("writes", seed, None, None))
            case = make(seed)
            send(("checks", seed, case, None))
            allow(HANGS_AFTER)
            send(("done", seed, case, check(case, **plan(seed))))

    case = None
    for what, seed, *rest in child(work):
        if what == "done":
            yield seed, rest[0], rest[1]
            if seed == batch[-1]:
                return
        elif what in ("writes", "checks"):
            last, case = seed, rest[0]
        else:
            # without a case it was the generator that did not end: no program, so nothing to hold against anything
            yield last, case, [Finding("failure", seed, "native") if case else Finding("passed", f"generator {seed}")]
            return


def allow(seconds):
    """Let this process use that much more of the processor; then it is ended."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def child(work, limit=SILENT_AFTER):
    """Run `work(send)` in a fork and yield what it sends; ("ended", how) if it dies or is silent too long."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        _serve(work, reader, writer)
    os.close(writer)
    ended = "died"
    try:
        while True:
            message = _receive(reader, limit)
            if message is None:
                break
            if message == "silent":
                ended = "hangs"
                break
            if message[0] == "finished":
                return
            yield message
            if message[0] == "ended":
                return
        with contextlib.suppress(ProcessLookupError):
            if ended == "hangs":
                os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        pid = 0
        if ended == "died" and os.WIFSIGNALED(status):
            ended = f"dies of {signal.Signals(os.WTERMSIG(status)).name}"
            ended = "hangs" if os.WTERMSIG(status) == signal.SIGXCPU else ended
        yield "ended", ended
    finally:
        os.close(reader)
        if pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _serve(work, reader, writer):
    """The child's whole life."""
    os.close(reader)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    memory = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    status = 1
    try:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        work(lambda message: _send(writer, message))
        _send(writer, ("finished",))
        status = 0
    except BaseException as wrong:  # a fault of this harness, or no memory
        frame = traceback.extract_tb(wrong.__traceback__)[-1]
        _send(writer, ("ended", f"{type(wrong).__name__} in {frame.filename.rpartition('/')[2]}:{frame.name}"))
    finally:
        os._exit(status)


def _send(writer, message):
    data = pickle.dumps(message)
    data = struct.pack("Q", len(data)) + data
    while data:
        data = data[os.write(writer, data) :]


def _receive(reader, limit):
    head = _read(reader, 8, limit)
    if not isinstance(head, bytes):
        return head
    body = _read(reader, struct.unpack("Q", head)[0], limit)
    return pickle.loads(body) if isinstance(body, bytes) else body


def _read(reader, count, limit):
    """That many bytes; None at the end of the file, "silent" when nothing comes."""
    data = b""
    while len(data) < count:
        if not select.select([reader], [], [], limit)[0]:
            return "silent"
        part = os.read(reader, count - len(data))
        if not part:
            return None
        data += part
    return data


def findings_of(case: Case, plan: dict) -> list[Finding]:
    """`check` in a child."""

    def work(send):
        allow(HANGS_AFTER)
        send(("found", check(case, **plan)))

    for what, *rest in child(work):
        return rest[0] if what == "found" else [Finding("failure", rest[0], "native")]
    return []

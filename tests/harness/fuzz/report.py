"""Counts of what generated programs came to, and the failures, shrunk, one file each.

3000 programs of numpy: 18211 calls agreed, refused R003 71, T002 212, limit 12, unstable 98, failed 41
   17  value                     value_1.py value_2.py
    9  KeyError in frontend/...  KeyError_in_frontend_1.py
"""

import collections
import dataclasses
import pathlib
import re
import sys
import time

from .case import Case
from .check import Finding, first_wrong_stage
from .isolate import child, findings_of
from .shrink import names_plain, shrink

SHRUNK_OF_A_KIND = 12  # programs of one kind of failure that are shrunk; the rest are counted


@dataclasses.dataclass
class Report:
    """What one generator has shown so far."""

    generator: str
    folder: pathlib.Path | None = None
    shrink_seconds: float = 120.0
    programs: int = 0
    kinds: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    refusals: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    failures: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(list))
    seconds: float = 0.0

    def add(self, seed: int, case: Case, findings: list[Finding], plan: dict):
        """Count one program, and shrink it if it fails in a way not seen often."""
        self.programs += 1
        for finding in findings:
            self.kinds[finding.kind] += 1
            if finding.kind in ("refused", "limit", "passed"):
                self.refusals[f"{finding.kind} {finding.what}"] += 1
        failure = next((f for f in findings if f.kind == "failure"), None)
        if failure is not None and case is not None:
            self.keep(seed, case, failure, plan)

    def keep(self, seed, case, failure, plan):
        known = self.failures[failure.what]
        known.append(Failure(seed, case, failure))
        if self.folder is None or sum(f.is_small for f in known) >= SHRUNK_OF_A_KIND:
            return
        started = time.monotonic()
        small = known[-1].smaller(plan, self.shrink_seconds)
        self.seconds += time.monotonic() - started
        if any(f.is_small and names_plain(f.case) == names_plain(small.case) for f in known):
            return
        known[-1] = small
        print(f"{self.generator} seed {seed}: {failure.what}", file=sys.stderr, flush=True)
        small.write(self.folder, self.generator, sum(f.is_small for f in known))

    def summary(self) -> str:
        failed = sum(map(len, self.failures.values()))
        counts = ", ".join(f"{kind} {count}" for kind, count in sorted(self.kinds.items()))
        lines = [f"{self.generator}: {self.programs} programs, {failed} failed; calls: {counts}"]
        lines += [f"    {count:7} {what}" for what, count in self.refusals.most_common(25)]
        for what, found in sorted(self.failures.items(), key=lambda item: -len(item[1])):
            lines.append(f"  FAILURE {len(found):5} x {what}   seeds {', '.join(str(f.seed) for f in found[:6])}")
        return "\n".join(lines)


@dataclasses.dataclass(frozen=True)
class Failure:
    """One failing program."""

    seed: int
    case: Case
    finding: Finding
    is_small: bool = False
    culprit: str = ""

    def smaller(self, plan, seconds) -> "Failure":
        """The program shrunk, with the first stage that shows the failure."""
        what, stage = self.finding.what, self.finding.stage
        narrowed = {"stages": (stage,) if stage != "gradient" else (), "gradient": stage == "gradient"}

        def fails(case):
            return any(f.kind == "failure" and f.what == what for f in findings_of(case, narrowed))

        limit = seconds if "hangs" not in what else 4 * seconds
        case = shrink(self.case, fails, limit) if fails(self.case) else self.case
        finding = next((f for f in findings_of(case, narrowed) if f.kind == "failure" and f.what == what), self.finding)
        culprit = "gradient" if stage == "gradient" else culprit_of(case, what)
        return Failure(self.seed, case, finding, True, culprit)

    def text(self) -> str:
        seen = f"{self.finding.what}\nseed {self.seed}, first wrong stage: {self.culprit or '?'}\n{self.finding.detail}"
        return self.case.script(seen[:4000])

    def write(self, folder, generator, number):
        folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^A-Za-z0-9]+", "_", self.finding.what)[:70].strip("_")
        (folder / f"{generator}_{name}_{number}.py").write_text(self.text(), encoding="utf-8")


def culprit_of(case, what):
    if "dies" in what or "hangs" in what:
        return "native"
    for message in child(lambda send: send(("stage", first_wrong_stage(case, what))), 60.0):
        return message[1]
    return "?"

"""Generated programs for as long as asked: `make fuzz MINUTES=10 GENERATORS="numpy corpus" SEED=1`.

    python -m tests.fuzz.run --generator numpy --generator containers --minutes 10 --jobs 2
    python -m tests.fuzz.run --generator corpus --count 300 --seed 1 --no-shrink
    python -m tests.fuzz.run --generator numpy --seed 4711 --count 1 --print

Prints counts for each generator, and writes every kind of failure, shrunk, into a folder.  Ends with 1 if one failed.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

# Programs are new each time, so the cache on disk would only fill; every pass is verified, as in the tests.
os.environ["PELLUCID_CACHE_DIR"] = tempfile.mkdtemp(prefix="pellucid-cache-")
os.environ["PELLUCID_CACHE"] = "0"
os.environ["PELLUCID_VERIFY"] = "1"

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def main(arguments=None):
    options = parsed(arguments)
    if options.jobs > 1:
        return in_parallel(options)
    import numpy as np

    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    from tests.harness.fuzz.generators import GENERATORS

    failed = False
    for generator in options.generator or list(GENERATORS):
        failed |= run(generator, options)
    return int(failed)


def parsed(arguments):
    parser = argparse.ArgumentParser(prog="tests.fuzz.run", description=__doc__.splitlines()[0])
    names = "numpy, containers, corpus, outside, instances or scientific; all if not given"
    parser.add_argument("--generator", action="append", help=names)
    parser.add_argument("--minutes", type=float, help="how long, for each generator")
    parser.add_argument("--count", type=int, help="how many programs of each generator (300 without --minutes)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes; they take turns with the seeds")
    parser.add_argument("--step", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--no-shrink", action="store_true", help="only count, and name the seeds that fail")
    parser.add_argument("--short", action="store_true", help="fewer compilations for each program, as in the suite")
    parser.add_argument("--every-stage", action="store_true", help="run every program at every stage")
    parser.add_argument("--print", action="store_true", help="print every program with what it came to")
    return parser.parse_args(arguments)


def run(generator, options) -> bool:
    """One generator; whether a program failed."""
    from tests.harness.fuzz.generators import GENERATORS, in_short, plan_of
    from tests.harness.fuzz.isolate import checked
    from tests.harness.fuzz.report import Report

    warm_up()
    until = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    count = options.count or (10**9 if options.minutes else 300)
    report = Report(generator, None if options.no_shrink else options.folder)
    make = in_short(generator) if options.short else GENERATORS[generator]
    plan = plan_of(generator, 1 if options.every_stage else 15 if options.short else 6)
    seeds = range(options.seed, options.seed + count * options.step, options.step)
    try:
        for seed, case, findings in checked(make, seeds, plan, until):
            if options.print:
                show(seed, case, findings)
            report.add(seed, case, findings, plan(seed))
    finally:  # what has run counts, also where Ctrl-C ends it
        print(report.summary(), flush=True)
    return bool(report.failures)


def show(seed, case, findings):
    print(f"===== {seed}\n{case.source if case else '(not written)'}")
    for finding in findings:
        call = case.calls[finding.call] if case and case.calls else ""
        print(f"{finding.stage} call {finding.call}: {finding.kind} {finding.what}\n{finding.detail} {call}")


def warm_up():
    """Compile something, so that every child finds the compiler imported and its runtime ready."""
    from tests.harness.fuzz.case import Call, Case
    from tests.harness.fuzz.check import check

    check(Case("import numpy as np\ndef program(x):\n    return np.sum(np.tanh(x))\n", (Call("(np.ones(3),)"),)))


def in_parallel(options) -> int:
    """The same in several processes, which take the seeds in turn."""
    command = [sys.executable, "-m", "tests.fuzz.run", *sys.argv[1:], "--jobs", "1", "--step", str(options.jobs)]
    count = ["--count", str(-(-options.count // options.jobs))] if options.count else []
    jobs = [
        subprocess.Popen(
            [*command, *count, "--seed", str(options.seed + number), "--folder", str(options.folder / str(number))],
            cwd=ROOT,
        )
        for number in range(options.jobs)
    ]
    return max([job.wait() for job in jobs])


if __name__ == "__main__":
    sys.exit(main())

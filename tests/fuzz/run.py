"""Generated programs for as long as asked: `make fuzz MINUTES=10 GENERATORS="numpy corpus"`.

    python -m tests.fuzz.run --generator numpy --generator containers --minutes 10 --jobs 2
    python -m tests.fuzz.run --generator corpus --count 300 --seed 1 --no-shrink
    python -m tests.fuzz.run --generator numpy --seed 4711 --count 1 --print

Prints counts for each generator, and writes every kind of failure, shrunk, into a folder.  Ends with 1 if one failed.
Where no seed is given, the programs are those of today: the first seed is made of the date.  Seeds that failed stand in
the file `failing_seeds` of the folder, and are drawn first until they pass.
"""

import argparse
import datetime
import itertools
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

NAMED = "numpy, containers, corpus, outside, instances, meetings or scientific; all if not given"
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
    parser.add_argument("--generator", action="append", help=NAMED)
    parser.add_argument("--minutes", type=float, help="how long, for each generator")
    parser.add_argument("--count", type=int, help="how many programs of each generator (300 without --minutes)")
    parser.add_argument("--seed", type=int, default=seed_of_today(), help="the first one; of today if not given")
    parser.add_argument("--jobs", type=int, default=1, help="processes; they take turns with the seeds")
    parser.add_argument("--step", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--no-shrink", action="store_true", help="only count, and name the seeds that fail")
    parser.add_argument("--short", action="store_true", help="fewer compilations for each program, as in the suite")
    parser.add_argument("--every-stage", action="store_true", help="run every program at every stage")
    parser.add_argument("--kernels", action="store_true", help="run every program as kernels, in lockstep, alone")
    parser.add_argument("--print", action="store_true", help="print every program with what it came to")
    return parser.parse_args(arguments)


def run(generator, options) -> bool:
    """One generator; whether a program failed."""
    from tests.harness.fuzz.generators import GENERATORS, in_kernels, in_short, plan_of
    from tests.harness.fuzz.isolate import checked
    from tests.harness.fuzz.report import Report

    warm_up()
    until = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    count = options.count or (10**9 if options.minutes else 300)
    report = Report(generator, None if options.no_shrink else options.folder)
    kept = failing_seeds(options.folder)
    make = in_short(generator) if options.short else GENERATORS[generator]
    plan = plan_of(generator, 1 if options.every_stage else 15 if options.short else 6)
    if options.kernels:
        plan = in_kernels
    drawn = range(options.seed, options.seed + count * options.step, options.step)
    seeds = itertools.chain(kept.get(generator, ()), drawn)
    try:
        for seed, case, findings in checked(make, seeds, plan, until):
            if options.print:
                show(seed, case, findings)
            report.add(seed, case, findings, plan(seed))
    finally:  # what has run counts, also where Ctrl-C ends it
        print(report.summary(), flush=True)
        failed = sorted({one.seed for found in report.failures.values() for one in found})
        keep_failing({**kept, generator: failed}, options.folder)
    return bool(report.failures)


def seed_of_today() -> int:
    """The first of a hundred thousand seeds that belong to this day."""
    return int(f"{datetime.date.today():%Y%m%d}") * 100_000


def failing_seeds(folder) -> dict[str, list[int]]:
    """By generator, the seeds that failed when they were drawn last."""
    file = folder / "failing_seeds"
    lines = [line.split() for line in file.read_text().splitlines()] if file.exists() else []
    return {generator: list(map(int, seeds)) for generator, *seeds in lines}


def keep_failing(seeds, folder):
    folder.mkdir(parents=True, exist_ok=True)
    lines = [" ".join([generator, *map(str, failed)]) for generator, failed in seeds.items() if failed]
    (folder / "failing_seeds").write_text("\n".join(lines))


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

"""Measure Pellucid beside its peers: NumPy always, Numba and JAX where they can be imported.

    python benchmarks/run.py [--only WORD] [--rounds 30] [--json] [--markdown docs/benchmarks.md]

One table: for each workload our median and the peers', the ratio, the distance to the limit of the machine, and the bar
that the project holds itself to.  Results are compared before they are timed.  Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from going_on import going_on_rows
from measure import Row, measure
from report import as_json, markdown, text_table
from starts import start_rows
from workloads import WORKLOADS


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure Pellucid beside NumPy, Numba and JAX.")
    parser.add_argument("--only", default="", metavar="WORD", help="workloads whose name contains this")
    parser.add_argument("--rounds", type=int, default=30, help="samples of every contender (default 30)")
    parser.add_argument("--no-starts", action="store_true", help="leave out what needs processes of its own")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table as a page of the docs, too")
    options = parser.parse_args()
    rows: list[Row] = []
    for workload in WORKLOADS:
        if options.only.lower() in workload.name.lower():
            print(f"{workload.name} ...", file=sys.stderr, flush=True)
            rows.append(measure(workload, options.rounds))
    rows += going_on_rows(min(options.rounds, 15), options.only)
    if not options.no_starts:
        print("starting ...", file=sys.stderr, flush=True)
        rows += start_rows(min(options.rounds, 9), options.only)
    print(json.dumps(as_json(rows), indent=1) if options.json else text_table(rows), flush=True)
    if options.markdown is not None:
        options.markdown.write_text(markdown(rows))


if __name__ == "__main__":
    main()

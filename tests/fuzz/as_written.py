"""The programs of `tests/corpus/as_written/` for every combination of types that they name, at length.

    .venv/bin/python -m tests.fuzz.as_written                      all of them: some minutes
    .venv/bin/python -m tests.fuzz.as_written heat_adi hungarian

The suite compiles those that take long for one combination, and those that take half a minute not at all.
"""

import argparse
import traceback

from tests.test_as_written import AT_LENGTH, COMPILE, FOLDER, hold


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=sorted(COMPILE | AT_LENGTH), metavar="NAME")
    failed = []
    for name in (names := parser.parse_args().names):
        try:
            hold(FOLDER / f"{name}.py")
        except Exception:
            failed.append(name)
            print(f"--- {name}\n{traceback.format_exc()}", flush=True)
    print(f"{len(names)} programs, {len(failed)} failed", *failed)
    raise SystemExit(bool(failed))


if __name__ == "__main__":
    main()

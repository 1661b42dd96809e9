"""What compiled code needs while it runs: arrays, memory, errors.  Imports nothing from the compiler."""

if __name__ != "pellucid.runtime":
    raise ImportError(
        f"this package is `pellucid.runtime` and was imported as `{__name__}`, which would make a second copy of "
        "every table; import it through `pellucid`"
    )

"""The compiler, in the order a function travels: frontend, analysis, transform, lower, optimise, targets."""

if __name__ != "pellucid.compiler":
    raise ImportError(
        f"this package is `pellucid.compiler` and was imported as `{__name__}`, which would make a second copy of "
        "every table; import it through `pellucid`"
    )

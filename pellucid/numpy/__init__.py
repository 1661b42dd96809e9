"""Library functions of `numpy` that are written in the language itself."""

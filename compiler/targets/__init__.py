"""Where a program goes: Python that is read, LLVM that runs."""

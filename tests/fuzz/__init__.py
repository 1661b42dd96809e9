"""Programs that look for faults for as long as they are asked to; another build of the native part may be asked for."""

from tests.harness import other_extension  # noqa: F401  before anything of Pellucid is imported

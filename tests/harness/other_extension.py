"""Another build of the native part in place of the usual one, if PELLUCID_TEST_EXTENSION names it: `make sanitize`."""

import importlib.util
import os
import sys


def load(path):
    spec = importlib.util.spec_from_file_location("pellucid.runtime._native", path)
    sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[spec.name])


if os.environ.get("PELLUCID_TEST_EXTENSION"):
    load(os.environ["PELLUCID_TEST_EXTENSION"])

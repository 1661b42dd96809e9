"""Run the functions of some modules, and print what each raised: a JSON object, empty texts for what went well."""

import importlib
import json
import sys
import traceback


def outcome(function):
    """The traceback of an error; empty where there is none."""
    try:
        function()
    except BaseException:
        return traceback.format_exc()
    return ""


modules = {name: importlib.import_module(f"tests.many_devices.{name}") for name in sys.argv[1:]}
found = {
    f"{name}::{key}": outcome(value)
    for name, module in modules.items()
    for key, value in list(vars(module).items())
    if key.startswith("test_")
}
print("\n" + json.dumps(found))

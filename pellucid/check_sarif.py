"""Faults in SARIF 2.1.0, the form in which editors and code hosts take the findings of tools.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import os
from typing import Any

from .compiler.diagnostics import CODES
from .error_pages import markdown, plain

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(faults: list[dict[str, Any]]) -> dict[str, Any]:
    """One run of the tool, from faults as `--json` prints them."""
    codes = sorted({fault["code"] for fault in faults})
    rules = [_rule(code) for code in codes]
    driver = {"name": "pellucid", "rules": rules}
    results = [_result(fault, codes.index(fault["code"])) for fault in faults]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    """A code with its page, which viewers show beside the fault."""
    page = markdown(code)
    return {"id": code, "shortDescription": {"text": CODES[code]}, "help": {"text": plain(page), "markdown": page}}


def _result(fault: dict[str, Any], rule: int) -> dict[str, Any]:
    region = {
        "startLine": fault["line"],
        "startColumn": fault["column"],
        "endLine": fault["end_line"],
        "endColumn": fault["end_column"],
    }
    place = {"artifactLocation": {"uri": fault["file"].replace(os.sep, "/")}, "region": region}
    text = "\n".join([fault["message"], *(f"help: {text}" for text in fault["help"])])
    return {
        "ruleId": fault["code"],
        "ruleIndex": rule,
        "level": "error",
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }

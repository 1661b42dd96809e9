"""Texts of kernels stages as the compiler prints them, for the tests of the assembler."""

from pathlib import Path

FOLDER = Path(__file__).parent / "texts"
TEXTS = {path.stem: path for path in sorted(FOLDER.glob("*.py"))}


def text_of(name: str) -> str:
    return TEXTS[name].read_text(encoding="utf-8")

"""What a stage prints can be read back: the text that is printed of what was read is the same again.

The comments that name the user's lines are left out: the lines of what was read are those of the printed file.
"""

from pellucid.compiler.languages import verifier
from pellucid.compiler.languages.loops import read_loops
from pellucid.compiler.languages.typed import read_typed
from pellucid.compiler.targets.python.printer import print_program

READERS = {"typed": read_typed, "loops": read_loops}


def assert_reads_back(program, stage):
    """Read the text of a program, hold what was read to its language, and print it again."""
    text = print_program(program)
    again = READERS[stage](text, f"{program.entry}_{stage}.py")
    for function in again.functions.values():
        assert verifier.verify(function, stage) == ()
    assert without_lines(print_program(again)) == without_lines(text)


def without_lines(text):
    """The text without the comments inside functions, and without empty lines."""
    return "\n".join(line for line in text.splitlines() if line.strip() and not line.startswith((" ", "\t")) or (
        line.strip() and not line.strip().startswith("#")
    ))  # fmt: skip

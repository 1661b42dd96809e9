"""What `make docs` does to the documents and the docstrings before Sphinx reads them.

    ## For users                                 the lists of index.md are the navigation: a hidden table of contents
    - [install.md](install.md): ...        ->    for each heading

    axis   the axis to go along            ->    :param axis: the axis to go along
        x = f(y)                           ->    a listing, as everything indented in a docstring is

So the documents read well as files, docstrings read well in `help`, and nothing is written twice.
"""

import re
import tempfile
from pathlib import Path

BY_FILE = re.compile(r"\[[\w-]+\.md\]\(([^)]+)\)")  # where a clone has a file, the site has a title
LISTED = re.compile(r"\]\((\w[\w/-]*)\.(?:md|rst)\)")
SAMPLES, GALLERY = "](../samples)", "](gallery/index.rst)"  # a folder of a clone is a page of the site
PARAMETER = re.compile(r"^(\w+(?:, \w+)*)  +(\S.*)$")


def connect(app):
    app.connect("source-read", add_contents)
    app.connect("autodoc-process-docstring", to_fields)


# --- navigation ----------------------------------------------------------------------------------------------------


def add_contents(app, name, source):
    """Name links by titles, and make the lists of the index and the tables of the error pages tables of contents."""
    source[0] = BY_FILE.sub(r"[](\1)", source[0].replace(SAMPLES, GALLERY))
    if name == "index":
        for section in re.split(r"^## ", source[0], flags=re.MULTILINE)[1:]:
            heading, _, body = section.partition("\n")
            source[0] += contents(heading, LISTED.findall(body))
    elif name == "errors/README":
        source[0] += contents("Error codes", LISTED.findall(source[0]))


def contents(caption, pages):
    if not pages:
        return ""
    return "\n".join(["\n\n```{toctree}", ":hidden:", f":caption: {caption}", "", *dict.fromkeys(pages), "```", ""])


# --- docstrings ----------------------------------------------------------------------------------------------------


def to_fields(app, what, name, obj, options, lines):
    """The docstring as reStructuredText: `name  words` is a parameter, what is indented otherwise is a listing."""
    out = []
    for paragraph in paragraphs(lines):
        if all(line.startswith("    ") for line in paragraph):
            out += ["::", "", *paragraph]
        elif PARAMETER.match(paragraph[0]):
            out += fields(paragraph)
        else:
            out += paragraph
        out.append("")
    lines[:] = out


def paragraphs(lines):
    """Runs of lines without an empty one; an indented run that follows an indented one belongs to it."""
    text = "\n".join(lines).strip("\n")
    found = [part.split("\n") for part in re.split(r"\n\s*\n", text)] if text else []
    joined = []
    for part in found:
        if joined and part[0].startswith("    ") and joined[-1][-1].startswith("    "):
            joined[-1] += ["", *part]
        else:
            joined.append(part)
    return joined


def fields(paragraph):
    """A table of parameters as a field list; a line that starts further in goes on with the one above."""
    out, also = [], []
    for line in paragraph:
        found = PARAMETER.match(line)
        if not found:
            out.append(f"    {line.strip()}")
            continue
        first, *others = found[1].split(", ")
        out.append(f":param {first}: {found[2]}")
        also += [f":param {name}: as `{first}`" for name in others]
    return out + also


# --- samples -------------------------------------------------------------------------------------------------------


def arguments_of_sample(gallery_conf, script_vars):
    """What a sample runs with: it draws a picture where it can, and its files go where nobody keeps them."""
    script_vars["example_globals"]["__file__"] = script_vars["src_file"]  # samples find their data by it
    name = Path(script_vars["src_file"]).stem
    folder = Path(tempfile.mkdtemp(prefix="pellucid-docs-"))
    return ["--out", str(folder)] if name == "digits" else ["--picture", str(folder / f"{name}.png")]

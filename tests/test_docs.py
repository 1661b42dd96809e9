"""The documents say what is so: their examples are run, and what they show is what comes out."""

import inspect
import os
import re
import sys
import tempfile
import types
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CODES
from pellucid.settings import SETTINGS

from .harness import documents

DOCS = documents.ROOT / "docs"
DOCUMENTS = [documents.ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
# An `async` function cannot be called, a file that is not Python cannot be run, and `compile` itself raises ValueError
# for an option that names nothing: these are for `pellucid check`, and tests/test_diagnostics.py has them checked.
NOT_LIVE = {"U003", "U020", "P017"}
NEEDED = {"dask-and-ray": "dask.array"}  # what the examples of a document import


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_a_document_is_true(path, update_cases):
    if path.stem in NEEDED:
        pytest.importorskip(NEEDED[path.stem])
    documents.check(path, update_cases)


PAGES = [*DOCUMENTS, *sorted((DOCS / "errors").glob("*.md"))]
LISTING = re.compile(r"^```.*?^```|<!--.*?-->", re.DOTALL | re.MULTILINE)


def headings(path):
    """The ends of the addresses of a page's headings, as GitHub and MyST make them."""
    titles = re.findall(r"^#+ (.*)$", LISTING.sub("", path.read_text("utf-8")), re.MULTILINE)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower() for title in titles]
    return [re.sub(r"[^\w -]", "", title).replace(" ", "-") for title in plain]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)\s]+)\)", LISTING.sub("", path.read_text("utf-8"))):
        file, _, place = target.partition("#")
        assert target.startswith("https://") or (path.parent / file).exists(), target
        assert not place or place in headings(path.parent / file if file else path), target


def test_a_link_to_nowhere_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A `page`, here\n\n[a](page.md#a-page-here) `[b](not.md)`\n\n```\n[c](not.md)\n```\n")
    page.write_text(page.read_text().replace("`[b](not.md)`", ""))
    test_links_lead_somewhere(page)
    for wrong in ("not.md", "page.md#not"):
        page.write_text(f"# A page\n\n[a]({wrong})\n")
        with pytest.raises(AssertionError, match=wrong):
            test_links_lead_somewhere(page)


def test_the_index_has_every_document():
    """The lists of the index are the navigation of the site, too."""
    index = (DOCS / "index.md").read_text("utf-8")
    lists = index.partition("\n## ")[2]
    assert {f"{name}.md" for name in re.findall(r"\]\(([\w-]+)\.md\)", lists)} == {
        path.name for path in DOCS.glob("*.md") if path.name != "index.md"
    }
    assert "](errors/README.md)" in lists and "](../samples)" in lists


# --- the reference -------------------------------------------------------------------------------------------------


def test_the_reference_has_every_public_name_and_each_is_explained():
    text = (DOCS / "api.md").read_text("utf-8")
    for name in pellucid.__all__:
        assert re.search(rf"^\.\. auto\w+:: pellucid\.{name}(\(\))?$", text, re.MULTILINE), name
        assert inspect.getdoc(getattr(pellucid, name)), name


@pytest.mark.parametrize(
    "function", [pellucid.compile, pellucid.grad, pellucid.value_and_grad, pellucid.from_source, pellucid.threads]
)
def test_a_docstring_explains_every_parameter(function):
    told = re.findall(r"^(\w+)  +\S", inspect.getdoc(function), re.MULTILINE)
    assert told == list(inspect.signature(function).parameters)


def test_the_environment_variables_are_those_that_are_read():
    """Each in the table, and each of the table somewhere in the package as a whole text."""
    found = set()
    for folder in ("pellucid", "compiler", "runtime"):
        for path in (documents.ROOT / folder).rglob("*.py"):
            if path.name != "settings.py":
                found |= set(re.findall(r'"(PELLUCID_[A-Z_]+[A-Z])"', path.read_text("utf-8")))
    assert found == {setting.name for setting in SETTINGS}


# --- the pages of the error codes ----------------------------------------------------------------------------------


def run_example(code, kind):
    """Run an example of a page from a file of its own, as its reader would."""
    text = (DOCS / "errors" / f"{code}.md").read_text("utf-8")
    (example,) = re.findall(rf"```python {kind}\n(.*?)```", text, re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{code.lower()}_{kind}.py"
        path.write_text(example, encoding="utf-8")
        module = types.ModuleType(path.stem)
        exec(compile(example, str(path), "exec"), vars(module))


@pytest.mark.parametrize("code", [code for code in CODES if code not in NOT_LIVE])
def test_the_failing_example_of_a_page_fails(code):
    present = dict(sys.modules)
    with mock.patch.dict(os.environ), pytest.raises(pellucid.CompileError) as caught:
        run_example(code, "fail")
    for name in [name for name, module in sys.modules.items() if module is None and present.get(name, ...) is not None]:
        del sys.modules[name]  # what an example takes for missing
        sys.modules.update({name: present[name]} if name in present else {})
    assert {fault.code for fault in caught.value.diagnostics} == {code}
    assert f"error[{code}]" in str(caught.value) and f"= more: pellucid error {code}" in str(caught.value)


@pytest.mark.parametrize("code", CODES)
def test_the_corrected_example_of_a_page_runs(code):
    run_example(code, "ok")


# --- what the README promises --------------------------------------------------------------------------------------


def test_the_readme_shows_the_derivative_of_the_sample():
    """Between its markers there is a listing, and its function gives the slopes that central differences give."""
    text = (documents.ROOT / "README.md").read_text("utf-8")
    (shown,) = re.findall(r"<!-- generated: reverse stage of logistic_loss -->(.*?)<!-- end -->", text, re.DOTALL)
    (listing,) = re.findall(r"```python\n(.*?)```", shown, re.DOTALL)
    assert "(/" not in listing, "a path that depends on the machine"
    space = {}
    exec(listing, space)
    rng = np.random.default_rng(0)
    w, b, features, labels = rng.normal(size=3), 0.3, rng.normal(size=(5, 3)), np.array([0.0, 1.0, 1.0, 0.0, 1.0])

    def loss(w, b):
        z = features @ w + b
        return np.mean(np.logaddexp(0.0, z) - labels * z) + 0.01 * np.sum(w**2)

    slopes = space["logistic_loss_grad"](w, b, features, labels)
    steps = 1e-6 * np.eye(3)
    np.testing.assert_allclose(slopes[0], [(loss(w + s, b) - loss(w - s, b)) / 2e-6 for s in steps], rtol=1e-6)
    np.testing.assert_allclose(slopes[1], (loss(w, b + 1e-6) - loss(w, b - 1e-6)) / 2e-6, rtol=1e-6)


def test_the_options_of_compile_are_those_of_the_readme():
    text = (documents.ROOT / "README.md").read_text("utf-8")
    (shown,) = re.findall(r"`compile\(f, (.*?)\)`,", text)
    parameters = list(inspect.signature(pellucid.compile).parameters.values())[1:]
    assert re.findall(r"(\w+)=", shown) == [parameter.name for parameter in parameters]


# --- the harness itself --------------------------------------------------------------------------------------------

STALE = """# A document

```python
answer = 6 * 7
print(answer)
```

<!-- output -->
```
41
```

<!-- output: answer + 1 -->
```
43
```

<!-- output of this machine: "anything" -->
```
else
```

<!-- output as Markdown: f"# {answer}\\n\\n```python\\nnot run\\n```" -->
old
<!-- end -->
"""


def test_a_stale_document_is_found_and_rewritten(tmp_path):
    path = tmp_path / "stale.md"
    path.write_text(STALE, encoding="utf-8")
    with pytest.raises(documents.StaleDocument, match="41"):
        documents.check(path)
    assert path.read_text("utf-8") == STALE
    documents.check(path, update=True)
    assert "```\n42\n```" in path.read_text("utf-8")
    assert "# 42\n\n```python\nnot run\n```\n<!-- end -->\n" in path.read_text("utf-8")
    documents.check(path)


def test_a_fault_of_the_document_is_no_output(tmp_path):
    path = tmp_path / "wrong.md"
    path.write_text(STALE.replace("answer + 1", "answer.there"), encoding="utf-8")
    with pytest.raises(AttributeError, match="there"):
        documents.check(path, update=True)


def test_what_depends_on_the_machine_is_not_compared(tmp_path):
    path = tmp_path / "here.md"
    made = "# 42\n\n```python\nnot run\n```"
    path.write_text(STALE.replace("41", "42").replace("old", made), encoding="utf-8")
    documents.check(path)


def test_changes_to_the_package_need_the_lines_they_name(tmp_path):
    path = tmp_path / "change.md"
    path.write_text("```diff change=compiler/pipeline.py\n-there is no such line\n+nor this\n```\n", encoding="utf-8")
    with pytest.raises(documents.StaleDocument, match="no such line"):
        documents.check(path)


def test_a_diff_gives_both_sides():
    assert documents.sides(" a\n-b\n+c\n") == ("a\nb\n", "a\nc\n")
    assert documents.sides("-a = {...\n+a = {1, ...\n") == ("a = {", "a = {1, ")

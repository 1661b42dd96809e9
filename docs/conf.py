"""How `make docs` builds the site: the documents as they stand, the docstrings, and the samples as they run.

What is done to them on the way is in `site_hooks.py`.
"""

import os
import sys
import tempfile
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
os.environ.setdefault("PELLUCID_CACHE_DIR", tempfile.mkdtemp(prefix="pellucid-docs-"))  # the samples compile here anew
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")

import site_hooks  # noqa: E402

import pellucid  # noqa: E402

project = "Pellucid"
version = release = pellucid.__version__
html_show_copyright = False

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_gallery.gen_gallery"]
root_doc = "index"
exclude_patterns = ["gallery/**/*.py", "gallery/**/*.ipynb", "gallery/**/*.md5"]
default_role = "code"  # docstrings write `names` as Markdown does
highlight_language = "text"
smartquotes_action = "De"  # words in quotation marks are mostly texts of Python
toc_object_entries = False

myst_heading_anchors = 3
myst_links_external_new_tab = False
autodoc_typehints = "none"  # the words of the docstrings say which arrays; signatures are short then
autodoc_member_order = "bysource"

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "samples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "capture_repr": (),  # what is printed is the output, and not the value of a last line
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "within_subsection_order": "ExampleTitleSortKey",
    "write_computation_times": False,
    "remove_config_comments": True,
    "run_stale_examples": False,
    "abort_on_example_error": True,
    "reset_argv": "site_hooks.arguments_of_sample",
}

html_theme = "alabaster"
html_title = f"Pellucid {release}"
html_static_path = ["static"]
templates_path = ["templates"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "description": "A compiler for pure numeric Python you can see through",
    "fixed_sidebar": True,
    "page_width": "1240px",
    "body_max_width": "none",
    "sidebar_width": "225px",
    "show_powered_by": False,
    "show_relbars": True,
}
html_sidebars = {"**": ["about.html", "searchfield.html", "contents.html"]}


def setup(app):
    site_hooks.connect(app)

"""The documentation site: `make docs` builds it into build/docs, without a network.

Pages in this folder are Markdown (MyST) and read well without the site; those in `reference/` are written by
`tools/pages` when the build starts, from docstrings, the commands, ARCHITECTURE.md and benchmarks/RESULTS.md.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import mercer  # noqa: E402

project = "mercer"
author = "the mercer contributors"
copyright = author
version = release = mercer.__version__
language = "en"

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_parser",
    "tools.pages.written",
    "tools.pages.docstring_markup",
    "tools.pages.code_links",
    "tools.pages.mathml",
]
exclude_patterns = ["_build"]
default_role = "py:obj"  # `SVC` in a docstring is a link where there is such a name, code elsewhere

autodoc_typehints = "none"  # the docstrings have the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "mercer"
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "mercer"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {name: [] for name in ("index", "start", "how-it-works", "search", "genindex")} | {
    "**": ["section-pages"]
}

"""How Sphinx makes the book from the sources that `python -m book` assembles."""

from typing import Any

project = "Deep ε-greedy, checked"
author = "The deep-epsilon-greedy authors"
project_copyright = "The deep-epsilon-greedy authors, MIT licence"
language = "en"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_proof",
    "sphinxcontrib.bibtex",
    "book.lite.link",
]

# The notebooks are shown as they are committed: a test of the study has run each of them.
nb_execution_mode = "off"
nb_merge_streams = True
nb_render_markdown_format = "myst"  # what cells put out has tables, which plain CommonMark lacks
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # the default is fetched from a public host
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
exclude_patterns = ["downloads"]  # offered as files

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True  # as written, not as computed
autodoc_default_options = {"no-value": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

bibtex_bibfiles = ["references.bib"]
bibtex_reference_style = "author_year"
copybutton_exclude = ".linenos, .gp, .go"
numfig = True
numfig_format = {"figure": "Picture %s."}  # "Fig." is the paper's
proof_minimal_theme = True

html_theme = "furo"
html_title = project
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_js_files = ["book.js"]
html_favicon = "_static/favicon.svg"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
mathjax_path = "mathjax/tex-chtml.js"  # copied from npm: no page asks a host for anything


def plain_bars(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """In a docstring a bar is an absolute value or "given", and never a substitution."""
    lines[:] = [line.replace("|", "\\|") for line in lines]


def as_heard(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Mend two roles for those who hear a page: headings have levels, and a list has items.

    The captions of the contents are headings. Docutils gives an entry of the bibliography the role
    `doc-biblioentry`, which ARIA has since given up for `listitem`: a list may hold no other.
    """
    tree, heading = str(context.get("furo_navigation_tree", "")), 'role="heading"'
    context["furo_navigation_tree"] = tree.replace(heading, f'{heading} aria-level="2"')
    entry, item = 'role="doc-biblioentry"', 'role="listitem"'
    context["body"] = str(context.get("body", "")).replace(entry, item)


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("html-page-context", as_heard, priority=900)  # after the theme
    app.connect("autodoc-process-docstring", plain_bars)

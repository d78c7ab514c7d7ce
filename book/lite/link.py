"""A Sphinx extension: pages say what of them runs in the browser, if its site lies beside them."""

from html import escape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

ASSIGNMENTS_PAGE = "course/README"
SAYS = (
    "with nothing installed. The first start takes a minute. What you change stays in your browser "
    "until you clear its data; <em>File → Download</em> saves it as a notebook."
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("html-page-context", _add_link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _add_link(app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _: Any) -> None:
    """Put the link under the title of a chapter, or of the page about the assignments."""
    site = Path(app.outdir) / "lite"
    names = [f"{pagename.rpartition('/')[2]}.ipynb"] if pagename.startswith("notebooks/") else []
    if pagename == ASSIGNMENTS_PAGE:
        names = [f"assignments/{p.name}" for p in sorted(site.glob("files/assignments/*.ipynb"))]
    up = "../" * pagename.count("/")
    links = [
        f'<a href="{up}lite/notebooks/index.html?path={escape(name)}">{_words(name)}</a>'
        for name in names
        if (site / "files" / name).is_file()
    ]
    if links and app.builder.format == "html" and "body" in context:
        line = f'<p class="run-here">{", ".join(links)} in your browser, {SAYS}</p>'
        context["body"] = context["body"].replace("</h1>", f"</h1>\n{line}", 1)


def _words(name: str) -> str:
    """What a link to a notebook says."""
    folder, _, stem = name.removesuffix(".ipynb").rpartition("/")
    return f"Do the assignment <code>{stem}</code>" if folder else "Run this chapter here"

"""The manual as a site: the Markdown of the folder above, as it stands there for GitHub too.

``make docs`` builds it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGES = {f"docs/{page.name}" for page in HERE.parent.glob("*.md")}
REPOSITORY = os.environ.get("REPOSITORY_URL", "https://github.com/ragate/ragate")
# A release's manual links to that release's files.
REVISION = os.environ.get("REVISION", "main")

# By page, the words of users that lead there.
WORDS = {
    page: [word.strip() for word in words.split(",")]
    for page, _, words in (
        line.partition(":") for line in (HERE / "words.txt").read_text("utf-8").splitlines()
    )
}

project = "ragate"
project_copyright = "The ragate maintainers"
release = REVISION
extensions = ["myst_parser", "sphinx_copybutton"]
templates_path = ["templates"]
# Records of decisions are for contributors: they are read in the repository.
exclude_patterns = ["decisions", "site"]
nitpicky = True
myst_heading_anchors = 6

html_theme = "furo"
html_title = "ragate"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_sidebars = {
    "**": [
        *(f"sidebar/{part}.html" for part in ("brand", "search", "scroll-start")),
        *(f"sidebar/{part}.html" for part in ("navigation", "scroll-end", "versions")),
    ]
}
html_search_scorer = str(HERE / "scorer.js")
html_show_sphinx = False
html_copy_source = False

linkcheck_anchors = False  # GitHub makes its own by a script

_SECTION = re.compile(r"^## (.+)\n((?:(?!## ).*\n)*)", re.MULTILINE)
_ITEM = re.compile(r"^- .*$", re.MULTILINE)
_NO_NAME = re.compile(r"<th([^>]*)><p></p></th>")
_PAGE = re.compile(r"\[([^\]]+)\]\(([\w-]+)\.md\)")
_MOVED = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={to}">
<link rel="canonical" href="{to}">
<title>This page has moved</title>
<main><h1>This page has moved</h1><p>It is part of <a href="{to}">{to}</a>.</p></main>
</html>
"""


class RepositoryLinks(SphinxTransform):
    """A link to what is no page of the site leads to the repository, of the same release."""

    default_priority = 5

    def apply(self, **_: Any) -> None:
        for node in [*self.document.findall(addnodes.pending_xref)]:
            path = Path(os.path.normpath(Path("docs", node["reftarget"])))
            self._relink(node, path if node["refdomain"] is None else path.with_suffix(".md"))
        for node in [*self.document.findall(addnodes.download_reference)]:
            self._relink(node, Path(os.path.normpath(Path("docs", node["reftarget"]))))

    def _relink(self, node: nodes.Element, path: Path) -> None:
        if str(path) in PAGES or not (ROOT / path).exists():
            return  # a miss is told by Sphinx
        kind = "tree" if (ROOT / path).is_dir() else "blob"
        anchor = f"#{node['reftargetid']}" if node.get("reftargetid") else ""
        address = f"{REPOSITORY}/{kind}/{REVISION}/{path.as_posix()}{anchor}"
        node.replace_self(nodes.reference("", "", *node.children, refuri=address, internal=False))


class UsersWords(SphinxTransform):
    """What people search for leads to a page that says it otherwise: entries of its index."""

    default_priority = 400  # before Sphinx collects them

    def apply(self, **_: Any) -> None:
        words = WORDS.get(self.env.current_document.docname, ())
        entries = [("single", word, "", "main", None) for word in words]
        self.document.insert(0, addnodes.index(entries=entries))


def contents(index: str) -> Iterator[str]:
    """Yield a table of contents for the sidebar: each section of the index, in its own words.

    A page of several sections belongs to the first one that has it in a list, not in a table.
    """
    items = {name for item in _ITEM.findall(index) for _, name in _PAGE.findall(item)}
    seen: set[str] = set()
    for title, text in _SECTION.findall(index):
        rows = []
        for line in text.splitlines():
            for words, name in _PAGE.findall(line):
                if name not in seen and (line.startswith("- ") or name not in items):
                    seen.add(name)
                    rows.append(f"{words[0].upper()}{words[1:]} <{name}>")
        if rows:
            yield "\n".join(["```{toctree}", ":hidden:", f":caption: {title}", "", *rows, "```"])


def _add_contents(_app: Sphinx, name: str, source: list[str]) -> None:
    if name == "index":
        source[0] = "\n\n".join([source[0], *contents(source[0])])


def _empty_heads(_app: Sphinx, _name: str, _kind: str, context: dict[str, Any], *_: Any) -> None:
    context["body"] = _NO_NAME.sub(r"<td\1></td>", context.get("body", ""))


def _write_redirects(app: Sphinx, failed: Exception | None) -> None:
    """Leave a page at every old address: each line of the list is `new: old old ...`."""
    if failed or app.builder.format != "html":
        return
    for line in (HERE / "redirects.txt").read_text("utf-8").splitlines():
        new, _, names = line.partition(": ")
        for old in names.split():
            if f"docs/{old}.md" not in PAGES:
                Path(app.outdir, f"{old}.html").write_text(_MOVED.format(to=f"{new}.html"), "utf-8")


def setup(app: Sphinx) -> None:
    """Register what is ours."""
    for language in ("csv", "mermaid"):
        app.add_lexer(language, TextLexer)
    app.add_transform(RepositoryLinks)
    app.add_transform(UsersWords)
    app.connect("source-read", _add_contents)
    app.connect("html-page-context", _empty_heads)
    app.connect("build-finished", _write_redirects)

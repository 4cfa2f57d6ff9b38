"""The pictures of the README and the manual: comment, console, HTML page and history, of real runs.

The run is of our own gate with ``top_k = 1``, the history is that of this repository. Each picture
is light and dark in one file, as whoever looks at it wants it. A browser lays them out.

python -m tests.page_picture [gate]
"""

from __future__ import annotations

import re
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from cmarkgfm import github_flavored_markdown_to_html

from tests.browser.comments import (
    DESKTOP,
    PARSER,
    ROOT,
    STYLE,
    change,
    check,
    opened,
    record_own_gate,
)
from tests.e2e.command import ragate
from tests.unit.scores.ways_not_to_run import broken
from tests.unit.scores.written_by_tools import WRITERS, evaluated

if TYPE_CHECKING:
    from playwright.sync_api import Browser

IMAGES = ROOT / "docs/images"
WIDE = 1240
CONSOLE = 720
# What a picture has no room for.
_MORE = (
    "script, template, meta, #static, form, .skip, footer, [hidden], .row:nth-child(n+8), "
    "section[aria-labelledby=heat], section[aria-labelledby=rest], "
    "section tbody tr:nth-child(n+6), figure:first-child, figure:nth-child(n+5), "
    "details.fold:nth-of-type(n+2), #reviewing, .review"
)
_TAKEN = """
(more) => {
  document.querySelectorAll(more).forEach((node) => node.remove());
  const body = document.createElement("div");
  body.className = `picture ${document.body.className}`;
  body.append(...document.body.childNodes);
  document.body.append(body);
  return [new XMLSerializer().serializeToString(body), Math.ceil(body.scrollHeight)];
}
"""
_TERMINAL = """
:root { color-scheme: light dark; }
body { background: light-dark(#f6f8fa, #0d1117); color: light-dark(#1f2328, #f0f6fc); }
pre { margin: 0; padding: 16px; font: 14px/1.4 "DejaVu Sans Mono", ui-monospace, monospace; }
"""


def comment_html(comment: str) -> str:
    """Return the page of a comment above its fold, as GitHub shows it."""
    seen = re.sub(r"<details>.*?</details>|<!--.*?-->", "", comment, flags=re.DOTALL)
    html = github_flavored_markdown_to_html(seen, options=PARSER)
    return f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>{html}"


def console_html(text: str, command: str = "ragate check") -> str:
    """Return a terminal in which a command was typed."""
    typed = escape(f"$ {command}\n{text.strip()}", quote=False)
    return f"<!doctype html><meta charset=utf-8><style>{_TERMINAL}</style><pre>{typed}</pre>"


def picture(browser: Browser, html: str, width: int) -> str:
    """Return the SVG of a page: the upper part of each of its lists."""
    page = browser.new_page(viewport={"width": width, "height": 600})
    page.set_content(_steady(html))
    body, high = page.evaluate(_TAKEN, _MORE)
    style = page.evaluate("document.querySelector('style').textContent")
    page.close()
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {high}">'
        f"<style>{escape(re.sub(r'(?m)^body {', '.picture {', style), quote=False)}</style>"
        f'<foreignObject width="{width}" height="{high}">{body}</foreignObject></svg>\n'
    )
    ElementTree.fromstring(text)
    return text


def _steady(html: str) -> str:
    """Return a page that is laid out alike, however wide its picture is shown."""
    # Its policy knows its own style alone.
    html = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html)
    html = re.sub(r"@media \(max-width.*?\n\}\n", "", html, flags=re.DOTALL)
    html = re.sub(r"clamp\([^,]+, [^,]+, ([^)]+)\)", r"\1", html)
    html = re.sub(r"min\(72vh, [^)]+\)", "406px", html)
    return html.replace("overflow-y: auto", "overflow-y: hidden")


def gate_html(folder: Path) -> str:
    """Return a terminal with the verdict on two files of deepeval: a third of the answers broke."""
    name, write = WRITERS["deepeval 4"]
    before = evaluated()
    (folder / "main").mkdir()
    (folder / "main" / name).write_bytes(write(before))
    (folder / name).write_bytes(write(broken(before)))
    typed = ["gate", f"main/{name}", name]
    return console_html(ragate(folder, *typed).stdout, f"ragate {' '.join(typed)}")


def _draw() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # as root, the server runs as another account
        record_own_gate(folder)
        change(folder, "top_k", 1)
        history = ragate(ROOT, "history", "--format", "html", "--runs", "0")
        pages = {
            "comment": (comment_html(check(folder, "markdown")), DESKTOP),
            "console": (console_html(check(folder, "console")), CONSOLE),
            "page": (check(folder, "html"), WIDE),
            "history": (history.stdout, WIDE),
        }
    pages["gate"] = (_of_gate(), CONSOLE)
    _write(pages)


def _of_gate() -> str:
    with tempfile.TemporaryDirectory() as name:
        return gate_html(Path(name))


def _write(pages: dict[str, tuple[str, int]]) -> None:
    with opened() as browser:
        for kind, (html, width) in pages.items():
            (IMAGES / f"{kind}.svg").write_text(picture(browser, html, width), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["gate"]:
        _write({"gate": (_of_gate(), CONSOLE)})
    else:
        _draw()

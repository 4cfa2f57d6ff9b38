"""The pictures in the README: a comment, light and dark, and the upper half of the HTML page.

The comment is of a real run of our own gate with ``top_k = 1``, the page of a made-up report. A
browser says how high the comment is.

python -m tests.page_picture
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from cmarkgfm import github_flavored_markdown_to_html

from ragate.renderers.html.page import render
from tests.browser.comments import DESKTOP, PARSER, STYLE, height, own_gate
from tests.browser.reports import red

IMAGES = Path(__file__).parents[1] / "docs/images"
PICTURE = IMAGES / "page.svg"
WIDTH, HEIGHT = 1240, 1125
FIGURES = 2
_PART = re.compile(
    r"<header>.*?</header>|<section aria-labelledby=\"(?:metrics|charts)\">.*?</section>", re.DOTALL
)
_FIGURE = re.compile(r"<figure>.*?</figure>", re.DOTALL)
# The answers of that report are about this.
_WORSE = re.compile(
    r'<details id="s\d+" class="sample worse">\n'
    r'<summary>([^\n]*?)<span class="asked">Is VAT [^<]*</span></summary>'
    r'\n<div class="body">(.*?)<h4>Retrieved',
    re.DOTALL,
)
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def picture() -> str:
    """Return the SVG: head, metrics, pictures and one question of the page in its own style.

    The question stands beside the pictures, in place of the further ones: a picture has no room for
    the list below them.
    """
    page = render(red())
    style = _STYLE.search(page)
    assert style is not None
    parts = "".join(match.group() for match in _PART.finditer(page))
    figures = _FIGURE.findall(parts)
    question = _WORSE.search(page)
    assert question is not None
    pane = f'<div id="detail"><h3>{question[1]}</h3>{question[2]}</div>'
    parts = parts.replace("".join(figures[FIGURES:]), pane)
    parts = parts.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
    # What the page gives its body.
    frame = (
        f".page {{ background: var(--page); color: var(--ink); height: {HEIGHT}px; "
        "padding: 0 24px; "
        'font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }'
    )
    return _svg(parts, style.group(1) + frame, "page red", WIDTH, HEIGHT)


def comment_picture(comment: str, high: int, *, dark: bool) -> str:
    """Return the SVG of a comment above its fold, as GitHub shows it.

    Args:
        high: Its height in a browser, in pixels.
    """
    html = github_flavored_markdown_to_html(above_the_fold(comment), options=PARSER)
    html = html.replace("<br>", "<br/>").replace("&nbsp;", "&#160;")
    style = re.sub(r"light-dark\(([^,]+), ([^)]+)\)", r"\2" if dark else r"\1", STYLE)
    style = style.replace("body {", f".comment {{ box-sizing: border-box; height: {high}px;")
    return _svg(html, style, "comment", DESKTOP, high)


def above_the_fold(comment: str) -> str:
    """Return a comment without what has to be unfolded, and without the line that marks it."""
    return re.sub(r"<details>.*?</details>|<!--.*?-->", "", comment, flags=re.DOTALL)


def _svg(body: str, style: str, kind: str, width: int, high: int) -> str:
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {high}">'
        f"<style>{style}</style>"
        f'<foreignObject width="{width}" height="{high}">'
        f'<div xmlns="http://www.w3.org/1999/xhtml" class="{kind}">{body}</div>'
        "</foreignObject></svg>\n"
    )
    ElementTree.fromstring(text)
    return text


def _draw() -> None:
    IMAGES.mkdir(exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # as root, the server runs as another account
        comment = own_gate(Path(folder))["top_k 1"]
    high = height(above_the_fold(comment))
    for scheme in ("light", "dark"):
        text = comment_picture(comment, high, dark=scheme == "dark")
        (IMAGES / f"comment-{scheme}.svg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _draw()

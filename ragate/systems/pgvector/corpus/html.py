"""HTML to Markdown-like text: headings stay headings, so that pages split where they should."""

import re
from html.parser import HTMLParser

_SKIPPED = frozenset({"script", "style", "template", "noscript", "svg", "nav", "head"})
_BLOCK_NAMES = """
p div section article main header footer aside ul ol dl dt dd table tr blockquote pre figure
figcaption hr br form details summary
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_SPACES = re.compile(r"[ \t\r\f\v]+")
_LINES = re.compile(r" ?\n[ \n]*\n ?| ?\n ?")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.parts: list[str] = []
        self._skipping = ""
        self._in_title = False
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag == "title":
            self._in_title = not self.title
        if self._skipping:
            self._depth += tag == self._skipping
        elif tag in _SKIPPED:
            self._skipping, self._depth = tag, 1
        else:
            self.parts.append(_opening(tag))

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if self._skipping:
            self._depth -= tag == self._skipping
            # A page that never closes its head must not lose its body.
            if self._depth <= 0 or (self._skipping == "head" and tag == "body"):
                self._skipping = ""
        elif tag in _BLOCKS or re.fullmatch(r"h[1-6]", tag):
            self.parts.append("\n\n")
        elif tag in {"td", "th"}:
            self.parts.append(" ")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._skipping:
            self.parts.append(data)


def _opening(tag: str) -> str:
    if re.fullmatch(r"h[1-6]", tag):
        return f"\n\n{'#' * int(tag[1])} "
    if tag == "li":
        return "\n- "
    return "\n\n" if tag in _BLOCKS else ""


def to_markdown(html: str) -> tuple[str, str]:
    """Return (title, text) of a page: scripts, styles, navigation and tags are gone.

    Headings become Markdown headings and list items lines with a dash.
    """
    reader = _Reader()
    # The parser knows no optional tags: a body ends the head, closed or not.
    reader.feed(re.sub(r"(?i)<body[\s>]", lambda match: f"</head>{match.group()}", html, count=1))
    reader.close()
    text = _SPACES.sub(" ", "".join(reader.parts))
    text = _LINES.sub(lambda match: "\n\n" if match.group().count("\n") > 1 else "\n", text)
    return " ".join(reader.title.split()), text.strip()

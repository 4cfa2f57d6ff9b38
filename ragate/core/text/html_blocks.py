"""Blocks of HTML in an answer, as those of Markdown."""

import re

_BLOCK_TAG = re.compile(
    r"<(?P<end>/)?(?P<name>p|div|ul|ol|li|table|thead|tbody|tr|t[dh]|h[1-6]|section|article|dl|d[td]"
    r"|details|summary|blockquote)\b[^<>]*>",
    re.IGNORECASE,
)


def with_blocks(text: str) -> str:
    """Return a text with its blocks of HTML as those of Markdown."""
    cells, headed = 0, False

    def mark(match: re.Match[str]) -> str:
        nonlocal cells, headed
        name, ends = match["name"].lower(), bool(match["end"])
        if name == "tr":
            rule = f"\n|{'---|' * cells}" if headed else ""
            cells, headed = 0, False
            return rule if ends else "\n|"
        if name in {"td", "th"}:
            cells, headed = cells + ends, headed or name == "th"
            return " |" if ends else " "
        if name == "li":
            return "\n" if ends else "\n- "
        return "\n\n# " if not ends and name[0] in "hs" and name != "section" else "\n\n"

    return _BLOCK_TAG.sub(mark, text)

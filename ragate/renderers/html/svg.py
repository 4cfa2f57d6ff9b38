"""A drawn chart as a part of the page: known elements and attributes alone, ids of its own."""

import re
from xml.etree import ElementTree as Tree

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_ELEMENTS = frozenset({"svg", "g", "path", "rect", "line", "text", "tspan", "a", "circle"})
_ATTRIBUTES = frozenset(
    {
        *("d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "width", "height"),
        *("viewBox", "transform", "fill", "stroke", "stroke-width", "stroke-dasharray"),
        *("stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "opacity", "fill-opacity"),
        *("stroke-opacity", "font-size", "font-weight", "font-style", "text-anchor"),
        *("dominant-baseline", "dx", "dy"),
    }
)
_COLOUR = re.compile(
    r"none|transparent|currentColor|#[0-9a-fA-F]{3,8}|[a-z]{3,20}|var\(--[a-z-]+\)"
)
_LINK = re.compile(r"#s[0-9]{1,6}")


def as_part(svg: str, *, label: str) -> str:
    """Return a chart's SVG with nothing in it but shapes, texts and links to samples of this page.

    Whatever is not known is left out, so that no id, style, address or event of a chart reaches the
    page. A link keeps its name as a title, which a pointer shows.

    Args:
        label: What the picture shows, for whoever does not see it.

    Raises:
        ValueError: it is no XML, as with a control character in a text.
    """
    try:
        root = Tree.fromstring(svg)  # noqa: S314  our own renderer's; it has no DOCTYPE
    except Tree.ParseError as error:  # a SyntaxError
        raise ValueError(f"the chart is no XML: {error}") from None
    cleaned = _clean(root)
    if cleaned is None:
        return ""
    cleaned.attrib.pop("width", None)
    cleaned.attrib.pop("height", None)
    cleaned.set("role", "img")
    cleaned.set("aria-label", label)
    return Tree.tostring(cleaned, encoding="unicode")


def _clean(node: Tree.Element) -> Tree.Element | None:
    tag = node.tag.removeprefix(_SVG) if isinstance(node.tag, str) else ""
    if tag not in _ELEMENTS:
        return None
    cleaned = Tree.Element(
        tag, {key: value for key, value in node.attrib.items() if _fits(key, value)}
    )
    cleaned.text = node.text if tag in {"text", "tspan"} else None
    if tag == "a":
        _keep_link(node, cleaned)
    for child in node:
        kept = _clean(child)
        if kept is not None and not _is_empty(kept):
            cleaned.append(kept)
    return cleaned


def _fits(key: str, value: str) -> bool:
    if key in {"fill", "stroke"}:
        return _COLOUR.fullmatch(value) is not None
    return key in _ATTRIBUTES


def _is_empty(node: Tree.Element) -> bool:
    """Whether a group holds nothing, or a shape has no size: frames without a stroke."""
    return node.tag == "g" and len(node) == 0


def _keep_link(node: Tree.Element, cleaned: Tree.Element) -> None:
    address = node.get(_HREF) or node.get("href") or ""
    if _LINK.fullmatch(address):
        cleaned.set("href", address)
        cleaned.set("tabindex", "-1")
    named = next((each.get("aria-label") for each in node.iter() if each.get("aria-label")), None)
    if named:
        title = Tree.SubElement(cleaned, "title")
        title.text = named

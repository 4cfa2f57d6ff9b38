"""What a sample expects of an answer besides references: keywords, and what it may rest on."""

from collections.abc import Callable, Mapping
from typing import Any

from ragate.core.arrangement import DISTRACTORS, MOST, ORDERS, USUAL
from ragate.core.text.segmentation import units
from ragate.dataset._values import filled
from ragate.support.settings import nearest

_POLICY_KEYS = ("form", "allowed", "forbidden")
_FORMS = {"quote_only": "quote_only", "summarise": "summarise", "summarize": "summarise"}
_SPELT_APART = ";"


def _keywords(value: Any) -> tuple[tuple[str, ...], ...]:
    """Return each keyword with its spellings; a text is a list with semicolons."""
    if isinstance(value, str):
        value = [part for part in value.split(_SPELT_APART) if part.strip()]
    keywords = tuple(_spellings(item) for item in (value if isinstance(value, list) else [value]))
    if len(set(keywords)) != len(keywords):
        raise ValueError("a keyword stands twice")
    return keywords


def _spellings(item: Any) -> tuple[str, ...]:
    spellings = tuple(filled(one).strip() for one in (item if isinstance(item, list) else [item]))
    if not spellings:
        raise ValueError("a keyword without a spelling")
    for one in spellings:
        if not units(one):
            raise ValueError(f"the keyword {one!r} has no word to look for")
    return spellings


def _policy(value: Any) -> dict[str, Any]:
    """Return the fields of a `SourcePolicy`; a text is its form."""
    if not isinstance(value, Mapping):
        return {"form": _form(value)}
    if unknown := sorted(set(map(str, value)) - set(_POLICY_KEYS)):
        raise ValueError(f"unknown key {unknown[0]!r}{nearest(unknown[0], _POLICY_KEYS)}")
    fields: dict[str, Any] = {}
    if value.get("form") is not None:
        fields["form"] = _form(value["form"])
    for name in ("allowed", "forbidden"):
        if value.get(name) is not None:
            given = value[name] if isinstance(value[name], list) else [value[name]]
            fields[name] = tuple(dict.fromkeys(filled(item).strip() for item in given))
    return fields


def _form(value: Any) -> str:
    form = _FORMS.get(value) if isinstance(value, str) else None
    if form is None:
        raise ValueError(
            "must be quote_only or summarise, or an object with form, allowed, forbidden"
        )
    return form


def _arrange(value: Any) -> str:
    """Return what is done to the passages; ``distractors`` alone puts in three."""
    if value == "":
        return ""
    text = value.strip() if isinstance(value, str) else ""
    name, _, count = text.partition(":")
    if name not in ORDERS and name != DISTRACTORS:
        known = (*ORDERS, DISTRACTORS)
        raise ValueError(f"must be reversed, shuffled or distractors:N{nearest(name, known)}")
    if name in ORDERS and count:
        raise ValueError(f"{name} takes no number")
    if name == DISTRACTORS and ":" in text and not (count.isdecimal() and 1 <= int(count) <= MOST):
        raise ValueError(f"distractors:N takes a number from 1 to {MOST}")
    return text if name in ORDERS else f"{DISTRACTORS}:{int(count or USUAL)}"


EXPECTATIONS: dict[str, Callable[[Any], Any]] = {
    "answer_keywords": _keywords,
    "source_policy": _policy,
    "arrange": _arrange,
}

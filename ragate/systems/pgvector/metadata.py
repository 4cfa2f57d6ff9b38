"""What is known of a document besides its text, and which documents a question may find."""

import datetime
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ragate.errors import ConfigError
from ragate.models import Sample
from ragate.settings import nearest
from ragate.systems.pgvector.corpus import Document
from ragate.systems.pgvector.settings import Settings
from ragate.version import MANUAL

FRONT = re.compile(r"\A---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_ALLOWED = "doc_id IN (SELECT doc_id FROM {documents} WHERE {both})"
MAX_FRONT = 64 * 1024
Fields = dict[str, list[str]]


@dataclass(frozen=True)
class Conditions:
    """What a document must have to be found.

    Attributes:
        wanted: (field, values): one of the values must be among the document's; all pairs hold.
        missing: A document without the field is found.
    """

    wanted: tuple[tuple[str, tuple[str, ...]], ...] = ()
    missing: bool = False

    def __bool__(self) -> bool:
        return bool(self.wanted)

    def clause(self) -> tuple[str, dict[str, Any]]:
        """Return a condition on ``doc_id`` with its parameters; no value stands in the SQL."""
        parts: list[str] = []
        values: dict[str, Any] = {}
        for number, (field, allowed) in enumerate(self.wanted):
            values |= {f"field_{number}": field, f"values_{number}": list(allowed)}
            name = f"%(field_{number})s::text"
            absent = f" OR NOT metadata ? {name}" if self.missing else ""
            parts.append(f"((metadata -> {name}) ?| %(values_{number})s::text[]{absent})")
        if not parts:
            return "true", {}
        return _ALLOWED.replace("{both}", " AND ".join(parts)), values


def conditions(settings: Settings, sample: Sample) -> Conditions:
    """Return what documents must have for this sample; a field that it lacks filters nothing."""
    pairs = [(field, _texts(value)) for field, value in settings.filters.items()]
    for field in settings.filter_by:
        value = sample.metadata.get(field)
        if value is not None:
            pairs.append((field, _texts(value)))
    return Conditions(
        tuple((field, tuple(values)) for field, values in pairs),
        missing=settings.filter_missing == "include",
    )


def check_fields(known: Collection[str], settings: Settings) -> None:
    """Refuse a filter on a field that no document has: it would find nothing, or everything.

    Raises:
        ConfigError: names the field, and the nearest that is known.
    """
    for key, names in (("filters", settings.filters), ("filter_by", settings.filter_by)):
        for name in names:
            if name not in known:
                hint = nearest(name, known) or "; no document has any metadata"
                raise ConfigError(
                    f"[system] {key}: no document has the field {name!r}{hint}",
                    remedy=f"{MANUAL}/retrieval.md says where metadata comes from",
                )


def fields_of(document: Document, settings: Settings) -> Fields:
    """Return a document's metadata: each field a list of texts.

    The folders on its path that `path_fields` name come first, then its own: the front matter of
    a Markdown page, or ``metadata`` of a BEIR row, which win.

    Raises:
        ConfigError: its front matter cannot be read.
    """
    if not settings.filtered:
        return {}
    folders = document.doc_id.split("/")[:-1] if settings.path_fields else []
    values_by_name: dict[str, Any] = dict(zip(settings.path_fields, folders, strict=False))
    values_by_name |= document.metadata
    if document.kind == "markdown":
        values_by_name |= _front_matter(document)
    fields = {str(name): _texts(value) for name, value in values_by_name.items()}
    return {name: values for name, values in fields.items() if values and _storable(name)}


def _front_matter(document: Document) -> Mapping[str, Any]:
    front = FRONT.match(document.text)
    if front is None or not front.group(1):
        return {}
    import yaml

    where = f"[system] corpus: the front matter of {document.doc_id!r}"
    if len(front.group(1)) > MAX_FRONT:
        raise ConfigError(f"{where} is longer than {MAX_FRONT} characters")
    try:
        # Only scalars and lists of them are taken, so an alias cannot grow.
        value = yaml.safe_load(front.group(1))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ConfigError(
            f"{where} is no YAML: {reason}", remedy="filters read it: mend it, or remove them"
        ) from error
    return value if isinstance(value, dict) else {}


def _texts(value: Any) -> list[str]:
    """Return the texts of a scalar or a list of them; anything else has none."""
    if isinstance(value, list | tuple):
        return [text for item in value if not isinstance(item, list) for text in _texts(item)]
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if isinstance(value, float) and value.is_integer():
        return [str(int(value))]
    if isinstance(value, str | int | float | datetime.date):
        return [str(value)] if _storable(str(value)) else []
    return []


def _storable(text: str) -> bool:
    """Return whether Postgres can hold the text: no NUL, no half of a character."""
    return "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)

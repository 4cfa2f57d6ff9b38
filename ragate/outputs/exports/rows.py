"""Fields of a record that hold texts: one of several names, blank cells, lists in a cell."""

from collections.abc import Mapping, Sequence
from typing import Any

from ragate.errors import DatasetError
from ragate.outputs.exports.exchange import Passage
from ragate.support.records import parsed_cell
from ragate.support.settings import shown


def first_of(row: Mapping[str, Any], names: Sequence[str]) -> tuple[str, Any]:
    """Return the first of `names` that the record has, with its value; None where it has none."""
    name = next((name for name in names if name in row), names[0])
    return name, row.get(name)


def text_of(where: str, row: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """Return the text under the first of `names`, None where there is none or it is null.

    Raises:
        DatasetError: it is no text.
    """
    name, value = first_of(row, names)
    if value is None or isinstance(value, str):
        return value
    raise DatasetError(f"{where}: {name} = {shown(value)}: must be text")


def needed_text(where: str, row: Mapping[str, Any], names: Sequence[str], *, tool: str) -> str:
    """Return the question of a record.

    Raises:
        DatasetError: there is none, or it is a conversation.
    """
    name, value = first_of(row, names)
    if isinstance(value, list):
        raise DatasetError(
            f"{where}: {name} is a conversation of several turns",
            remedy="leave conversations out: a recorded output answers one question",
        )
    text = text_of(where, row, names)
    if not text or not text.strip():
        fields = ", ".join(map(str, row))[:200] or "nothing"
        raise DatasetError(
            f"{where}: there is no {names[0]}; it has {fields}",
            remedy=f"is this file of {tool}?",
        )
    return text


def texts_of(where: str, name: str, value: Any, *, separator: str = "") -> tuple[str, ...]:
    """Return the texts of a list, of a list in a cell, or of one text; none where it is null.

    Raises:
        DatasetError: an item is no text.
    """
    value = parsed_cell(value)
    if isinstance(value, str):
        value = value.split(separator) if separator else [value]
    items = value if isinstance(value, list) else [] if value is None else [value]
    for item in items:
        if not isinstance(item, str):
            raise DatasetError(f"{where}: {name}: {shown(item)}: must be text")
    return tuple(item for item in items if item.strip())


def passages_of(
    where: str, row: Mapping[str, Any], names: Sequence[str], *, ids: str = "", separator: str = ""
) -> tuple[Passage, ...] | None:
    """Return the passages of a record, with their document ids where it has them.

    None where the record names neither.

    Raises:
        DatasetError: there is another number of ids than of passages.
    """
    name, value = first_of(row, names)
    texts = texts_of(where, name, value, separator=separator)
    numbers = parsed_cell(row.get(ids))
    doc_ids = [str(item) for item in numbers] if isinstance(numbers, list) else []
    if value is None and not doc_ids:
        return None
    if doc_ids and texts and len(doc_ids) != len(texts):
        raise DatasetError(f"{where}: {len(texts)} {name}, and {len(doc_ids)} {ids}")
    if not texts:
        return tuple(Passage(doc_id=doc_id) for doc_id in doc_ids)
    doc_ids = doc_ids or [""] * len(texts)
    return tuple(
        Passage(text=text, doc_id=doc_id) for text, doc_id in zip(texts, doc_ids, strict=True)
    )

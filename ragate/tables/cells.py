"""What a cell holds: a list as it was written, a text, a number, or nothing."""

import ast
import io
import math
import re
import tokenize
from collections import deque
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from ragate.errors import RagateError
from ragate.files.strict_json import canonical, loads

_OPENING = ("[", "{", "('", '("', "array(")
_NAMES = {"None": None, "True": True, "False": False, "nan": None, "NaN": None, "null": None}
_NAMES |= {"true": True, "false": False}
_TEXT_KEYS = frozenset({"text", "texts", "value"})  # of an object that is one right answer
_DOCUMENT = re.compile(r"[^\s;,]*[a-zA-Z_][./#:]\w[^\s;,]*")
_HALF = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")  # escaped, where a list could not be read
# What pandas and spreadsheets write where a table has no value.
NOTHING = frozenset({"nan", "<na>", "nat", "n/a", "#n/a", "#value!", "#ref!", "-", "–", "—"})


def is_nothing(value: Any) -> bool:
    """Return whether a value says that there is none: null, a blank, NaN, or a word for it."""
    if isinstance(value, str):
        return not value.strip() or value.strip().lower() in NOTHING
    return value is None or (isinstance(value, float) and math.isnan(value))


def is_blank(value: Any) -> bool:
    """Return whether a value is null, or a text without a letter."""
    return value is None or (isinstance(value, str) and not value.strip())


def text_of(value: Any) -> str:
    """Return a text, or a number as text: 12 and 12.0, which tables make of it, are one.

    Raises:
        ValueError: it is something else, or holds what cannot be written.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("must be text; put it in quotes")  # noqa: TRY004 (one error for a row)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("must be text, and is no number either")
        value = int(value) if value.is_integer() else value
    text = str(value)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{text[error.start]!r} is half of a character") from error
    if "\0" in text:
        raise ValueError("holds a NUL character")
    return text


def any_text(value: Any) -> str:
    """Return a text as it is, anything else as JSON with its names in order, "" for null."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return canonical(value)
    except (TypeError, ValueError):
        return str(value)


def texts_of(value: Any, *, separator: str = "") -> tuple[str, ...]:
    """Return the texts of a list, of a list in a cell as it was written, or of one text.

    Args:
        separator: Divides the texts of a cell that holds no list.

    Raises:
        ValueError: an item is no text, or the list cannot be told apart.
    """
    value = parsed_cell(value)
    if isinstance(value, Mapping):
        named = (each for key, each in value.items() if str(key).lower() in _TEXT_KEYS)
        value = next(named, value)
    if isinstance(value, str):
        if value.lstrip()[:1] == "[" and (half := _HALF.search(value)):
            raise ValueError(f"{half[0]!r} is half of a character")
        _refuse_cut_list(value)
        value = value.split(separator) if separator else [value]
    items = value if isinstance(value, list | tuple) else [value]
    return tuple(text_of(item) for item in items if not is_blank(item))


def looks_like_document(name: str) -> bool:
    """Return whether a text is the name of a file, or an address."""
    return _DOCUMENT.fullmatch(name.strip()) is not None


def documents_of(cell: str) -> list[str]:
    """Return the document ids in a cell, divided by semicolons, by lines, or by commas.

    By commas only where every part looks like a file or an address: an id may hold one.
    """
    listed = cell.split(",")
    if not all(map(looks_like_document, listed)):
        listed = re.split(r"[;\n]", cell)
    return [name.strip() for name in listed if name.strip()]


def reads_like_prose(text: str) -> bool:
    """Return whether a text is a sentence, and hardly the id of a document."""
    return len(text.split()) >= 3 and text.rstrip().endswith((".", "!", "?"))


def _refuse_cut_list(cell: str) -> None:
    """Refuse a cell that begins as a list of texts and cannot be read as one."""
    if cell.lstrip().startswith(("['", '["', "[array(")):
        raise ValueError("begins as a list and is none: it was cut, or a quote is missing")


def parsed_cell(cell: Any) -> Any:
    """Return the list or object that a cell holds as text, else the cell itself.

    Tables hold nested values as text: as JSON, as Python writes them, or as numpy does, without
    commas and with ``array(…)`` around them.
    """
    if not isinstance(cell, str) or not cell.lstrip().startswith(_OPENING):
        return cell
    try:
        return loads(cell, where="", error=RagateError)
    except RagateError:
        pass
    try:
        value = _written(deque(_words(cell.strip())))
        # Python knows more than JSON does: infinities, and halves of characters.
        text = canonical(value) if isinstance(value, list | dict) else ""
        return loads(text.encode(), where="", error=RagateError) if text else cell
    except (ValueError, TypeError, SyntaxError, IndexError, RecursionError, RagateError):
        return cell
    except tokenize.TokenError:
        return cell


def _words(text: str) -> Iterator[str]:
    layout = (tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.INDENT, tokenize.DEDENT)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in layout:
            yield token.string


def _written(words: deque[str]) -> Any:
    """Return the one value that some words spell.

    Raises:
        ValueError: they spell none, or more than one.
    """
    value = _value(words)
    if words:
        raise ValueError("more than one value")
    return value


def _value(words: deque[str]) -> Any:
    word = words.popleft()
    if word in {"[", "("}:
        return _items(words, "]" if word == "[" else ")")
    if word == "{":
        return _fields(words)
    if word == "array":
        return _array(words)
    if word in _NAMES:
        return _NAMES[word]
    if word == "-":
        return -_literal(words.popleft())
    return _literal(word)


@lru_cache(512)  # the names of fields stand in each row
def _literal(word: str) -> Any:
    return ast.literal_eval(word)


def _items(words: deque[str], closing: str) -> list[Any]:
    """Return items with or without commas between them: two texts side by side are two."""
    items = []
    while words[0] != closing:
        items.append(_value(words))
        if words[0] == ",":
            words.popleft()
    words.popleft()
    return items


def _fields(words: deque[str]) -> dict[Any, Any]:
    fields = {}
    while words[0] != "}":
        name = _value(words)
        if words.popleft() != ":":
            raise ValueError("no object")
        fields[name] = _value(words)
        if words[0] == ",":
            words.popleft()
    words.popleft()
    return fields


def _array(words: deque[str]) -> Any:
    """Return the list in ``array(…)``; the type that may stand behind it says nothing."""
    if words.popleft() != "(":
        raise ValueError("no array")
    items = _value(words)
    while words.popleft() != ")":
        pass
    return items

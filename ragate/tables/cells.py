"""What a cell holds: a list as it was written, a text, a number, or nothing."""

import ast
import io
import math
import re
import tokenize
from collections.abc import Mapping
from typing import Any

from ragate.errors import DatasetError, RagateError
from ragate.files.strict_json import canonical, loads

_OPENING = ("[", "{", "('", '("', "array(")
_NAMES = {"nan": None, "NaN": None, "null": None, "true": True, "false": False}
_VALUES = frozenset({tokenize.STRING, tokenize.NUMBER, tokenize.NAME})
_LAYOUT = frozenset(
    {tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.INDENT, tokenize.DEDENT}
)
_UNREADABLE = (
    *(ValueError, TypeError, SyntaxError, RecursionError, MemoryError),
    *(tokenize.TokenError, RagateError),
)
_LONGEST = 256 * 1024  # characters of a list that is no JSON: its grammar takes 500 times as much
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


def is_no_value(value: Any) -> bool:
    """Return whether a value that is no answer says that there is none: "None" does so too."""
    is_none = isinstance(value, str) and value.strip().lower() in {"none", "null"}
    return is_none or is_nothing(value)


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
    if len(cell) > _LONGEST:
        return cell
    try:
        (value,) = _value(ast.parse(f"[{_with_commas(cell.strip())}]", mode="eval").body)
        value = [value] if isinstance(value, str) else value  # in parentheses of its own
        # Python knows more than JSON does: infinities, and halves of characters.
        text = canonical(value) if isinstance(value, list | dict) else ""
        return loads(text.encode(), where="", error=RagateError) if text else cell
    except _UNREADABLE:
        return cell


def nested_cell(cell: Any, *, where: str) -> Any:
    """Return the list or object that a cell holds as text, any other cell as it is.

    Raises:
        DatasetError: it begins as one and is none; says where it ends.
    """
    value = parsed_cell(cell)
    if isinstance(value, str) and value.lstrip()[:1] in {"[", "{"}:
        loads(value, where=where, error=DatasetError)
    return value


def _with_commas(text: str) -> str:
    """Return a list as Python writes it: numpy has no commas, and two texts side by side are two.

    Raises:
        SyntaxError, tokenize.TokenError: it holds what is no word.
    """
    words: list[str] = []
    was_value = was_name = False
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in _LAYOUT:
            continue
        begins = token.type in _VALUES or token.string in {"[", "{", "-"}
        if was_value and (begins or (token.string == "(" and not was_name)):
            words.append(",")
        words.append(token.string)
        was_name = token.type == tokenize.NAME
        was_value = token.type in _VALUES or token.string in {"]", "}", ")"}
    return " ".join(words)


def _value(node: ast.expr) -> Any:
    """Return what Python's words for a plain value mean; a tuple or an array is a list.

    Raises:
        ValueError: it is no plain value.
    """
    match node:
        case ast.Constant(value):
            return value
        case ast.List(items) | ast.Tuple(items):
            return list(map(_value, items))
        case ast.Dict(keys, values) if None not in keys:
            return dict(zip(map(_value, filter(None, keys)), map(_value, values), strict=True))
        case ast.Call(ast.Name("array"), [items, *_]):
            return _value(items)
        case ast.Name(name) if name in _NAMES:
            return _NAMES[name]
        case ast.UnaryOp(ast.USub(), number):
            return -_value(number)
    raise ValueError("no plain value")

"""What is most likely wrong where a ragate.toml is no TOML, said by the line that it is about."""

import re
import tomllib

from ragate.support.settings import shown

_POSITION = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")
_NAME_WITH_AT = re.compile(r"^\s*\[\s*policy\.metrics\.(?P<name>[A-Za-z_]+@\d+)\s*\]")
_KEY_WITH_AT = re.compile(r"^\s*(?P<name>[A-Za-z_]+@\d+)\b")
_COLON = re.compile(r"^\s*(?P<key>[A-Za-z_]+)\s*:")
_CAPITAL = re.compile(r"=\s*(?P<word>True|False)\b")
_BARE = re.compile(r"=\s*(?P<word>[A-Za-z_./][^\s,#\"'\[\]{}]*)\s*(#.*)?$")
_BACKSLASH = re.compile(r"\"[^\"]*\\[^\"]*\"")
_CURLED = frozenset("\u201c\u201d\u201e\u2018\u2019")
_CONFLICT = re.compile(r"^(<{7}|={7}|>{7})")


def toml_mistake(text: str, error: tomllib.TOMLDecodeError) -> tuple[str, str, str]:
    """Return the place as ``line:column``, what is wrong there, and what to write instead.

    Args:
        text: What was read; "" where nothing of it may be repeated.
        error: Why it is no TOML; its words name the place.

    Returns:
        Place and remedy are "" where they are not known.
    """
    message = str(error)
    position = _POSITION.search(message)
    reason = _POSITION.sub("", message)
    if position is None or position["line"] is None:
        return "", reason if position is None else f"{reason}, at the end of the file", ""
    number = int(position["line"])
    place, lines = f"{number}:{position['column']}", text.splitlines()
    if not text:
        return place, reason, ""
    line = lines[number - 1] if number <= len(lines) else ""
    return place, f"{reason} in {shown(line.strip())}", _remedy(line, reason)


def _remedy(line: str, reason: str) -> str:
    if named := _NAME_WITH_AT.match(line):
        return f'a name with @ stands in quotes: [policy.metrics."{named["name"]}"]'
    if named := _KEY_WITH_AT.match(line):
        return f'a name with @ stands in quotes: "{named["name"]}"'
    if _CONFLICT.match(line):
        return "a merge left its marks here: keep one of the two sides"
    if _CURLED & {*line}:
        return "these are quotes for print: TOML wants straight ones"
    if reason.startswith(("Cannot overwrite", "Cannot declare")):
        return "it stands there twice: keep one"
    if word := _of_a_value(line):
        return word
    if line.count('"') % 2 and "'" not in line:
        return "a quote is missing on this line"
    if _BACKSLASH.search(line):
        return "a backslash in double quotes begins an escape: write / or use single quotes"
    return ""


def _of_a_value(line: str) -> str:
    """Return what is wrong with how a line gives its value, "" where nothing of it is known."""
    if capital := _CAPITAL.search(line):
        return f"TOML writes {capital['word'].lower()}, in lower case"
    if colon := _COLON.match(line):
        return f"TOML has an equals sign: {colon['key']} = …"
    if bare := _BARE.search(line):
        return f'a text stands in quotes: "{bare["word"]}"'
    return ""

"""On which line of a ragate.toml a table or a key stands."""

import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache

_HUGE = 2000  # a longer line is no table's, and would take its time to read
_TABLE = re.compile(r"\[((?:policy|system)[^\[\]\s]*)\]")
_NAMED = re.compile(rf"{_TABLE.pattern}|`(\w+)`")
_WORD = re.compile(r"[\w@-]+")
Keys = tuple[str, ...]


def key_lines(text: str) -> Iterator[tuple[int, Keys, bool]]:
    """Yield line, keys from the top, and whether it begins an item of a list of tables."""
    table: Keys = ()
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped.startswith("["):
            found = _path(stripped)
            if found:
                table = found
                yield number, table, stripped.startswith("[[")
        elif "=" in stripped and not stripped.startswith("#"):
            found = _path(f"{stripped.partition('=')[0]}= 0")
            if found:
                yield number, (*table, *found), False


def _path(line: str) -> Keys:
    """Return the keys that one line of TOML opens; none where it is no whole line of it."""
    try:
        value = tomllib.loads(line) if len(line) < _HUGE else {}
    except ValueError:
        return ()
    keys: list[str] = []
    while isinstance(value, dict | list) and value:
        if isinstance(value, list):
            value = value[0]
            continue
        key, value = next(iter(value.items()))
        keys.append(key)
    return tuple(keys)


def mistake_line(text: str, message: str) -> int | None:
    """Return the line of the key that a message about a table names first, else of the table."""
    if (named := _TABLE.search(message)) is None:
        return None
    lines, table = _first_lines(text), _keys_of(named[1])
    keys = [(*table, word) for word in _WORD.findall(message[named.end() :])]
    return next((lines[each] for each in (*keys, table) if each in lines), None)


def with_place(text: str, name: str, sentence: str) -> str:
    """Return a sentence with ``(ragate.toml:79)`` behind what it says to change, where it is known.

    Args:
        text: The configuration, and `name` its file's.
    """
    for named in _NAMED.finditer(sentence):
        lines, keys, key = _first_lines(text), _keys_of(named[1] or ""), named[2]
        line = next((at for each, at in lines.items() if _is_setting(each, key)), lines.get(keys))
        if line is not None:
            return f"{sentence[: named.end()]} ({name}:{line}){sentence[named.end() :]}"
    return sentence


@lru_cache(maxsize=2)
def _first_lines(text: str) -> dict[Keys, int]:
    lines: dict[Keys, int] = {}
    for line, keys, _ in key_lines(text):
        lines.setdefault(keys, line)
    return lines


def _keys_of(table: str) -> Keys:
    return _path(f"[{table}]") or tuple(key.strip("\"'") for key in table.split("."))


def _is_setting(keys: Keys, key: str | None) -> bool:
    return key is not None and keys[0] == "system" and keys[-1] == key

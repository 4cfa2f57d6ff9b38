"""Whether a text ends, or was cut off: by a limit of tokens, a stop sign, a broken stream."""

import json
import re

from ragate.core.text.citations import with_markers
from ragate.core.text.discourse import SOURCE_WORDS, asserts, names_sources
from ragate.core.text.languages import FUNCTION_WORDS, function_words_of
from ragate.core.text.markdown import is_labelled
from ragate.core.text.segmentation import units, words
from ragate.core.text.sentences import code_and_prose, split_sentences
from ragate.core.text.unicode_forms import visible
from ragate.core.text.words import without_markers

_SIGNS = tuple(".!?‽؟۔।॥።။。！？｡")
_OPEN = (*",;:，；：、،([{（「『", "...", "…", "–", "—", " -")
# What may stand behind the sign of a sentence: closing quotes, brackets and emphasis, emoji.
_CLOSING = " \t\"'”’»)]}*_~`」』）】\ufe0f" + "".join(
    map(chr, [*range(0x2190, 0x2C00), *range(0x1F000, 0x1FB00)])
)
_CITED = re.compile(r"\[[^\[\]]*\](?:\([^()\s]*\))?[*_`. ]*$")
_PICTURE = re.compile("[\u2190-\u2bff\U0001f000-\U0001fb00][\ufe0f\u20e3\U0001f3fb-\U0001f3ff]*$")
_TAGS = re.compile(r"(?:\s*</[a-zA-Z][a-zA-Z0-9]*\s*>)+$")
_ADDRESS = re.compile(r"\W?(?:https?://|www\.)")
_FENCE = re.compile(r"[ \t]{0,20}(?:```|~~~)", re.MULTILINE)
_HEADING = re.compile(r"[ \t]*#{1,6}(?:[ \t]|$)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]")
_UNSIGNED = re.compile("[\u0e00-\u0eff\u1780-\u17ff]")  # in Thai, Lao and Khmer a blank ends one
_CLOSED = re.compile(r"</(p|div|ul|ol|dl|table|section|article|details|blockquote)>$")
# A short footnote.
_SOURCE = re.compile(r"[ \t]{0,3}\[\^[^\[\]\n]{1,40}\]:[ \t]*+(?>(?:\S++[ \t]*+){0,8})$")
_FEW = 1  # words of grammar in what is a value and no sentence
_SHORT = 6  # words, and characters of scripts without blanks, that answer without being a sentence
_READ = 400  # characters of the last line


def cut_off(text: str) -> str:
    """Return why a text looks cut off, "" where it ends as a sentence, item, table or fence does.

    So do a few words by themselves, a citation, an address, and an item of a list whose items have
    no full stops. A text that is cut behind a whole sentence looks whole.
    """
    shown = visible(with_markers(text)).strip()
    if (tag := _CLOSED.search(shown)) and shown.count(f"<{tag[1]}") == shown.count(tag[0]):
        return ""
    shown = _TAGS.sub("", shown)
    if shown.startswith(("{", "[{", '["')):
        return _open_object(shown)
    shown = _without_sources(shown)
    why = _cut(shown)
    # What a courtesy stands behind, such as "Best regards", has ended.
    sentences = split_sentences(shown[-_READ:]) if why else []
    if len(sentences) > 1 and not asserts(sentences[-1]):
        return _cut(shown[: shown.rindex(sentences[-1].split()[0])].rstrip())
    return why


def _without_sources(shown: str) -> str:
    """Return a text without the list of sources that it ends with."""
    lines = shown.split("\n")
    while lines and (not lines[-1].strip() or _is_source(lines[-1])):
        lines.pop()
    if len(lines) == shown.count("\n") + 1:
        return shown
    while lines and SOURCE_WORDS.issuperset(words(lines[-1])):  # blank, a rule or "Sources:"
        lines.pop()
    return "\n".join(lines).strip() or shown


def _is_source(line: str) -> bool:
    return bool(_SOURCE.match(line)) or names_sources(without_markers(line))


def _open_object(text: str) -> str:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return "an object of JSON is open"
    return ""


def _cut(shown: str) -> str:
    parts = [(is_code, part) for is_code, part in code_and_prose(shown) if part.strip()]
    if not parts or parts[-1][0]:
        return ""
    prose = parts[-1][1].rstrip()
    if _FENCE.search(prose):
        return "a block of code is open"
    *before, line = prose.split("\n")
    if before and line.count("|") and before[-1].count("|"):
        return "a row of the table is open" if line.count("|") < before[-1].count("|") else ""
    last = line[-_READ:].rstrip()
    if _HEADING.match(line):
        return "it ends with a heading"
    if _PICTURE.search(last):
        return ""
    end = last.rstrip(_CLOSING)
    if last.endswith(_OPEN) or end.endswith(_OPEN):
        return f"it ends with {last[-1]!r}"
    if not end or end.endswith(_SIGNS) or _CITED.search(last):
        return ""
    if _ADDRESS.match(end.split()[-1]):
        return ""
    return _without_sign(end, line, before, shown)


def _without_sign(end: str, line: str, before: list[str], shown: str) -> str:
    """Return why a text without a sign of its end looks cut off, "" where it does not."""
    if _UNSIGNED.match(end[-1]):
        return ""
    word = (units(end) or [""])[-1]
    others = [other.rstrip(_CLOSING) for other in before if _ITEM.match(other)]
    listed = bool(_ITEM.match(line)) and others and not any(o.endswith(_SIGNS) for o in others)
    said = units(shown)
    is_figure = len(said) <= 2 * _SHORT and _is_plain(said) and any(map(str.isdigit, shown))
    brief = shown == line and (len(said) <= _SHORT or is_figure)
    if (listed or brief or _is_value(line, before)) and word not in function_words_of(shown):
        return ""
    return f"it ends with {word!r}"


def _is_value(line: str, before: list[str]) -> bool:
    """Tell a line that is a value: "Price: 5 euros", a definition, a short one below another."""
    if line.startswith(":"):
        return True  # a definition
    last = before[-1] if before else ""
    both_short = 0 < len(units(last)) <= _SHORT >= len(units(line))
    if both_short and not last.rstrip(_CLOSING).endswith((*_SIGNS, *_OPEN)):
        return True  # short lines below each other
    if not is_labelled(line):
        return False
    value = units(re.split(r"[:：–—→]", line, maxsplit=1)[1])
    return is_labelled(last) or _is_plain(value)


def _is_plain(said: list[str]) -> bool:
    """Tell words of a value, which has hardly one of grammar."""
    return sum(word in FUNCTION_WORDS for word in said) <= _FEW

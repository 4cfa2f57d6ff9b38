"""Unicode's normal forms in linear time, and texts without what nobody sees."""

import unicodedata
from typing import Literal

import regex

# As in Unicode's stream-safe format: no script needs more on one letter. The last two are no marks
# themselves and become such.
_RUN_OF_MARKS = regex.compile(r"([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]++")
# Joiners, signs of direction, variation selectors, fillers, tags.
INVISIBLE = r"\p{Default_Ignorable_Code_Point}"
_INVISIBLE = regex.compile(f"{INVISIBLE}++")


def visible(text: str) -> str:
    """Return a text without the characters that show nothing: they would part words and numbers."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def normalised(form: Literal["NFC", "NFKC"], text: str) -> str:
    """Return a text in a normal form; of marks in a row, those behind the thirtieth are left out.

    Putting marks in order takes the square of their number: a minute for 250,000 of them.

    Source:
        Unicode Standard Annex 15, section 13.
    """
    if text.isascii():
        return text
    return unicodedata.normalize(form, _RUN_OF_MARKS.sub(r"\1", text))

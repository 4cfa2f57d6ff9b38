"""What a baseline puts into git history that looks like a person's."""

import re
from collections.abc import Iterable

from ragate.cli.finding import Finding, ok, plural, warning

CHECK = "personal data"
_EMAIL = re.compile(
    r"[\w.+-]{1,64}@(?!example\.(?:com|org|net)\b)(?:[A-Za-z0-9-]{1,63}\.){1,8}"
    r"(?!(?:example|test|invalid)\b)[A-Za-z]{2,24}\b"
)
# Dates and IP addresses are written in the same way, and are no phone numbers.
_PHONE = re.compile(
    r"(?<![\w.+-])(?!\d{4}-\d{2}-\d{2})(?!\d{1,3}(?:\.\d{1,3}){3}(?![.\d]))"
    r"(?:\+\d[\d ()./-]{7,22}\d|\(?\d{2,5}\)?(?:[ ./-]{1,2}\(?\d{2,5}\)?){2,5})(?![\w-])"
)
_PHONE_DIGITS = range(9, 16)


def personal_data(texts: Iterable[str], *, store: str) -> list[Finding]:
    """Count the texts of the baseline that look as if they held an address or a phone number.

    Nothing of them is shown: a log is no better place for it than the history of git.
    """
    if store == "hashes":
        return [ok(CHECK, 'store = "hashes": the baseline keeps no texts')]
    distinct = set(texts)
    emails = sum(_EMAIL.search(text) is not None for text in distinct)
    phones = sum(any(map(_is_phone, _PHONE.finditer(text))) for text in distinct)
    if not emails and not phones:
        return [ok(CHECK, f"none seen in {plural(len(distinct), 'stored text')} of the baseline")]
    return [
        warning(
            CHECK,
            f"of {plural(len(distinct), 'stored text')} in the baseline {emails} look as if they "
            f"held an e-mail address and {phones} a phone number; git keeps them for good",
            'look at them; where they are personal, set [policy] store = "hashes", record the '
            "baseline anew, and remove the old file from the history",
        )
    ]


def _is_phone(match: re.Match[str]) -> bool:
    return sum(char.isdigit() for char in match[0]) in _PHONE_DIGITS

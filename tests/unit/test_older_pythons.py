"""What Python 3.11 before 3.11.5 gets wrong, which is the Python of Debian 12 and of the image."""

from __future__ import annotations

import re

from tests.unit.rooms import PACKAGE

# "a possessive quantifier behind a group": there it may give back what the group had matched.
POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{[^()|]*?\})\+")


def test_no_pattern_of_re_has_a_possessive_quantifier_behind_a_group():
    found = [
        f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if POSSESSIVE_GROUP.search(line) and "regex.compile(" not in line
    ]

    assert not found, f"write (?>(?:…)*) for (?:…)*+, in: {found}"

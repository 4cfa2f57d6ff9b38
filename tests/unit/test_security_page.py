"""Every threat of the list names tests, and each of them exists."""

from __future__ import annotations

import re
from pathlib import Path

from tests.unit.whole import of_the_whole

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/decisions/threats.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (T\d+) \|.*\| ([^|]+) \|$", re.MULTILINE)


def known_tests() -> set[str]:
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    return {
        name for text in texts for name in re.findall(r"^ *(?:async )?def (test_\w+)", text, re.M)
    }


@of_the_whole
def test_every_threat_has_a_row_with_tests_that_exist():
    rows = dict(ROW.findall(PAGE))
    numbers = [int(threat[1:]) for threat in rows]
    assert numbers == sorted(numbers)
    assert set(range(1, 31)) <= set(numbers)
    known = known_tests()
    for threat, cell in rows.items():
        named = re.findall(r"`(test_\w+)`", cell)
        assert named, threat
        assert set(named) <= known, (threat, set(named) - known)


@of_the_whole
def test_every_test_that_the_page_names_exists():
    assert set(re.findall(r"`(test_\w+)`", PAGE)) <= known_tests()

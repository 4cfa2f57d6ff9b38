"""docs/architecture.md, docs/finding-your-way.md and the index of decisions say what is there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.unit.rooms import BLOCK, PACKAGE, PAGE, ROOT, WAYS, picture, uses
from tests.unit.whole import of_the_whole

DECISIONS = ROOT / "docs/decisions"


@of_the_whole
def test_the_picture_is_drawn_from_the_imports() -> None:
    drawn = BLOCK.search(PAGE.read_text(encoding="utf-8"))

    assert drawn
    assert drawn[0] == picture(), "python -m tests.unit.rooms --write"


@of_the_whole
def test_no_two_rooms_import_each_other_not_even_over_others() -> None:
    left = {room: set(used) for room, used in uses().items()}
    while ends := {room for room, used in left.items() if not used & left.keys()}:
        left = {room: used for room, used in left.items() if room not in ends}

    assert left == {}, sorted(left)


@of_the_whole
def test_every_path_that_the_pages_name_is_there() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in (PAGE, WAYS))
    paths = re.findall(r"`((?:ragate|tests)/[\w/.-]+)`", text)

    assert len(paths) > 30
    assert [path for path in paths if not (ROOT / path).exists()] == []
    modules = {path.name for top in (PACKAGE, ROOT / "tests") for path in top.rglob("*.py")}
    assert set(re.findall(r"`(?:\w+/)*(\w+\.py)`", text)) <= modules


def test_what_is_written_of_the_house_stands_on_one_page() -> None:
    text = BLOCK.sub("", PAGE.read_text(encoding="utf-8"))

    assert len([line for line in text.splitlines() if line]) <= 45


@of_the_whole
def test_every_room_is_described() -> None:
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    described = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    rooms = {path.stem for path in PACKAGE.iterdir() if not path.stem.startswith("_")}

    assert described == rooms - {"py"}


def test_every_decision_is_in_the_index_under_its_title() -> None:
    rows = dict(
        re.findall(
            r"^\| \[\d{4}\]\((\d{4}[\w.-]+)\) \| (.+?) \| \d{4}-\d\d-\d\d \| ",
            (DECISIONS / "README.md").read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    )
    titles = {path.name: _title(path) for path in sorted(DECISIONS.glob("[0-9]*.md"))}

    assert rows == titles


def _title(path: Path) -> str:
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    return re.sub(r"^# (\d{4}[:.]? )?", "", first)

"""Files of other tools, and what is read in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragate.tables.reading import read_export
from ragate.tables.traced import Exchange

FILES = Path(__file__).parents[3] / "fixtures" / "recorded_outputs"
REFUNDS, SHIPPING = "How long do refunds take?", "Who pays for shipping?"
ANSWERS = {REFUNDS: "Ten days at most.", SHIPPING: "We do, inside the country."}
PAGES = {REFUNDS: ["refunds.md", "warranty.txt"], SHIPPING: ["shipping.md"]}
TEXTS = {
    "refunds.md": "Refunds arrive within ten days of the request.",
    "warranty.txt": "Every lamp has a warranty of three years.",
    "shipping.md": "We pay for shipping inside the country.",
}


def exported(preset: str, file: str | Path) -> dict[str, Exchange]:
    """Return the exchanges of a file by question."""
    return {exchange.query: exchange for exchange in read_export(preset, FILES / file)}


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def holds_the_shop(found: dict[str, Exchange], *, ids: bool) -> None:
    """Assert that both questions came with their answers and passages."""
    assert {query: exchange.answer for query, exchange in found.items()} == ANSWERS
    for query, exchange in found.items():
        assert exchange.passages is not None
        assert [passage.text for passage in exchange.passages] == [
            TEXTS[page] for page in PAGES[query]
        ]
        named = [passage.doc_id for passage in exchange.passages]
        assert named == (PAGES[query] if ids else [""] * len(named))

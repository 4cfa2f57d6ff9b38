"""Files of other tools, and what is made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragate.contrib.golden.importing import Import, import_golden
from ragate.dataset import read_dataset
from ragate.models import Sample

FILES = Path(__file__).parents[3] / "fixtures" / "golden_sets"


SHOP = {
    "refunds.md": "# Refunds\n\nRefunds arrive within ten\ndays of the **request**.\n",
    "shipping.md": "# Shipping\n\nWe pay for shipping inside the country.\n",
    "warranty.txt": "Every lamp has a warranty of three years.",
}


REFUNDS, SHIPPING, OSLO = (
    "How long do refunds take?",
    "Who pays for shipping?",
    "Is there a shop in Oslo?",
)


def bring(
    folder: Path, kind: str, file: str | Path, texts: dict[str, str] | None = SHOP, **more: Any
) -> tuple[Import, dict[str, Sample]]:
    output = folder / "golden.jsonl"
    found = import_golden(kind, FILES / file, output, texts=texts, **more)
    return found, {sample.query: sample for sample in read_dataset(output)}

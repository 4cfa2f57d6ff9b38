"""How often answers and contexts of public collections are taken for texts that speak to a judge.

    python -m benchmarks.addressed_texts [--output FILE]

None of them does, so every one that is found is a false alarm. The wordings of the canaries are
counted beside them; the patterns were written with these in sight.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.shares import print_lines, wilson
from ragate.core.judging.addressed import addressed
from ragate.judges import wordings

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = {
    "azure_rag_ab, answers and contexts": "azure_rag_ab/answers.jsonl",
    "openqa_eval, answers": "openqa_eval/answers_nq301.jsonl",
    "clapnq_dev, answers and contexts": "clapnq_dev/qa.jsonl",
    "clapnq_dev, passages": "clapnq_dev/corpus.jsonl",
    "cranfield, abstracts": "cranfield/corpus.jsonl",
}
SHORTEST = 20  # characters: shorter strings are ids and labels


def texts(value: Any) -> Iterator[str]:
    """Yield the texts of a row, wherever they stand."""
    if isinstance(value, str) and len(value) >= SHORTEST:
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts(item)


def lines() -> Iterator[str]:
    """Yield one line for each collection, and one for the canaries."""
    yield f"{'texts of':<40}{'texts':>8}{'found':>8}{'at most (95 %)':>18}"
    total = alarms = 0
    for name, path in SETS.items():
        rows = (DATA / path).read_text(encoding="utf-8").splitlines()
        all_texts = [text for row in rows for text in texts(json.loads(row))]
        found = [kind for text in all_texts if (kind := addressed(text))]
        total, alarms = total + len(all_texts), alarms + len(found)
        most = wilson(len(found), len(all_texts))[1]
        yield f"{name:<40}{len(all_texts):>8}{len(found):>8}{most:>18.3%}"
        yield from (f"    {kind}: {found.count(kind)}" for kind in sorted(set(found)))
    yield f"{'all':<40}{total:>8}{alarms:>8}{wilson(alarms, total)[1]:>18.3%}"
    known = [bool(addressed(f"Some text.{wording.text}")) for wording in wordings()]
    yield f"\n{'wordings of the canaries':<40}{len(known):>8}{sum(known):>8}"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if not DATA.is_dir():
        print(f"the collections are not there: {DATA}", file=sys.stderr)
        return 2
    print_lines(lines(), options.output)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

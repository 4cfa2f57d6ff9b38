"""Answers every question of data/questions.csv and writes results/answers.jsonl."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

HERE = Path(__file__).parent
PAGES: dict[str, str] = json.loads((HERE / "data/pages.json").read_text())


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower()))


def answer(question: str) -> dict[str, object]:
    ranked = sorted(PAGES, key=lambda name: (-len(words(question) & words(PAGES[name])), name))[:3]
    first = [line for line in PAGES[ranked[0]].splitlines() if line and not line.startswith("#")]
    passages = [{"file": name, "body": PAGES[name]} for name in ranked]
    return {"prompt": question, "completion": first[0], "retrieved": passages}


def main() -> None:
    with (HERE / "data/questions.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    (HERE / "results").mkdir(exist_ok=True)
    lines = [json.dumps(answer(row["question"])) for row in rows]
    (HERE / "results/answers.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

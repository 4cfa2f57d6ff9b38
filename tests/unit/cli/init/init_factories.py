"""Folders and plans for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

from ragate.cli.init.config_text import Choice


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def pages(*names: str) -> dict[str, str]:
    return {name: f"# About {name}\n\nText.\n\n## Limits of {name}\n\nMore.\n" for name in names}


def beir(folder: str) -> dict[str, str]:
    return {
        f"{folder}/corpus.jsonl": '{"_id": "d1", "title": "T", "text": "Word."}\n',
        f"{folder}/queries.jsonl": '{"_id": "q1", "text": "Word?"}\n',
        f"{folder}/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    }


PGVECTOR = Choice("pgvector", "docs")


REPLAY = Choice("replay", "outputs/*.jsonl")

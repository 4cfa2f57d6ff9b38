"""Tables that pandas, numpy and Hugging Face's datasets wrote: all of them hold the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.contrib.golden.importing import import_golden
from ragate.dataset import read_dataset

FILES = Path(__file__).parents[3] / "fixtures" / "tables"
REFUNDS, SHIPPING = "How long do refunds take?", "Who pays for shipping?"


def files() -> list[str]:
    return sorted(path.name for path in FILES.iterdir() if path.is_file() and path.suffix != ".md")


@pytest.mark.parametrize("name", files())
def test_a_table_holds_what_was_written_into_it(name: str, tmp_path: Path) -> None:
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")

    import_golden("", FILES / name, tmp_path / "golden.jsonl", texts=None)

    samples = {sample.query: sample for sample in read_dataset(tmp_path / "golden.jsonl")}
    assert {query: tuple(each.relevant) for query, each in samples.items()} == {
        REFUNDS: ("refunds.md", "banks.md"),
        SHIPPING: ("shipping.md",),
    }
    assert [samples[query].references for query in (REFUNDS, SHIPPING)] == [
        ("Ten days at most.",),
        (),
    ]


def test_passages_are_as_many_as_were_written(tmp_path: Path) -> None:
    for name in files():
        corpus = {"other.md": "Nothing of it."}
        if name.endswith(".parquet"):
            pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
        import_golden("", FILES / name, tmp_path / f"{name}.jsonl", texts=corpus)
        first, second = read_dataset(tmp_path / f"{name}.jsonl")

        kept = [json.loads(str(each.metadata["reference_contexts"])) for each in (first, second)]
        assert [len(texts) for texts in kept] == [2, 1], name
        assert kept[0][1] == "It's the customer's bank that is slow.", name

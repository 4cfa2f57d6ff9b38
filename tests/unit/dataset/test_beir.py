from __future__ import annotations

from pathlib import Path

import pytest

from ragate.dataset import read_dataset
from ragate.errors import DatasetError

DATA = Path(__file__).parents[3] / "../shared/data"
QUERIES = (
    '{"_id": "1", "text": "one", "metadata": {"url": ["a", "b"], "year": 1962}}\n'
    '{"_id": 2, "text": "two", "title": "", "references": ["2"], "tags": ["even"]}\n'
    '{"_id": "3", "text": "three", "metadata": {"answerable": false}}\n'
)
HEADER = "query-id\tcorpus-id\tscore\n"


def folder(path: Path, **qrels: str) -> Path:
    (path / "qrels").mkdir()
    (path / "queries.jsonl").write_text(QUERIES)
    for name, text in qrels.items():
        (path / "qrels" / f"{name}.tsv").write_text(text)
    return path


def error_of(path: Path) -> str:
    with pytest.raises(DatasetError) as caught:
        read_dataset(path)
    return str(caught.value)


def test_queries_get_the_grades_of_the_qrels(tmp_path: Path) -> None:
    one, two, three = read_dataset(
        folder(tmp_path, test=HEADER + "1\td1\t2\r\n1\td2\t0\n2\td9\t1\n")
    )

    assert (one.id, one.query, one.relevant) == ("1", "one", {"d1": 2, "d2": 0})
    assert one.metadata == {"url": '["a", "b"]', "year": 1962}
    assert (two.id, two.relevant, two.references, two.tags) == ("2", {"d9": 1}, ("2",), ("even",))
    assert (three.relevant, three.answerable) == ({}, False)


def test_a_qrels_file_may_be_named_and_may_lack_its_header(tmp_path: Path) -> None:
    root = folder(tmp_path, test="1\td1\t1\n2\td1\t1\n", graded="1\td1\t3\n2\td1\t1\n")

    assert read_dataset(root)[0].relevant == {"d1": 1}
    assert read_dataset(root / "qrels" / "graded.tsv")[0].relevant == {"d1": 3}


def test_queries_of_another_split_are_left_out_and_unjudged_ones_stay(tmp_path: Path) -> None:
    root = folder(tmp_path, test="1\td1\t1\n", train="2\td1\t1\n")

    assert [sample.id for sample in read_dataset(root)] == ["1", "3"]


def test_the_only_qrels_file_needs_no_name(tmp_path: Path) -> None:
    assert read_dataset(folder(tmp_path, dev="1\td1\t1\n"))[0].relevant == {"d1": 1}


@pytest.mark.parametrize(
    ("qrels", "says"),
    [
        ({}, "no qrels/*.tsv"),
        ({"dev": "1\td\t1\n", "train": "2\td\t1\n"}, "which of dev.tsv, train.tsv"),
        ({"test": "1\td1\n"}, "test.tsv:1"),
        ({"test": HEADER + "1 d1 1\n"}, "test.tsv:2"),
        ({"test": "1\td1\t1.5\n"}, "test.tsv:1"),
        ({"test": "1\td1\t1\n1\td1\t2\n"}, "test.tsv:2: 1 and d1 have another grade"),
        ({"test": "11\td1\t1\n"}, "query '11' is not in queries.jsonl; did you mean '1'"),
        ({"test": "1\td1\t5000\n"}, "5000"),
    ],
)
def test_wrong_judgements_are_named(tmp_path: Path, qrels: dict[str, str], says: str) -> None:
    assert says in error_of(folder(tmp_path, **qrels))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"text": "x"}', "_id"),
        ("[1]", "_id"),
        ('{"_id": "1", "text": "x", "relevant": ["d"]}', "qrels"),
        ('{"_id": "9", "text": "x", "title": "y"}', "unknown field 'title'"),
        ('{"_id": "1", "text": "x"}', "id '1' stands already"),
    ],
)
def test_wrong_queries_are_named(tmp_path: Path, line: str, says: str) -> None:
    root = folder(tmp_path, test="1\td1\t1\n")
    (root / "queries.jsonl").write_text(QUERIES + line + "\n")

    message = error_of(root)

    assert "queries.jsonl:4" in message
    assert says in message


def test_a_folder_without_queries_is_named(tmp_path: Path) -> None:
    root = folder(tmp_path, test="1\td1\t1\n")
    (root / "queries.jsonl").unlink()

    assert "queries.jsonl" in error_of(root)


def test_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    root = folder(tmp_path, test="1\td1\t1\n")
    (root / "queries.jsonl").unlink()
    (root / "queries.jsonl").symlink_to("/proc/self/environ")

    assert "outside" in error_of(root)


@pytest.mark.skipif(not DATA.is_dir(), reason="no folder shared/data beside the checkout")
def test_real_collections_are_read_whole() -> None:
    cranfield = read_dataset(DATA / "cranfield")
    clapnq = read_dataset(DATA / "clapnq_dev")

    assert len(cranfield) == 225
    assert sum(len(sample.relevant) for sample in cranfield) == 1837
    assert len(clapnq) == 303
    assert sum(not sample.expected for sample in clapnq) == 153
    assert all(sample.answerable == bool(sample.expected) for sample in clapnq)


def test_judgements_and_topics_of_trec_are_a_golden_set(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "topics.tsv").write_text("101\tHow long do refunds take?\n102\tWho pays?\n")
    (tmp_path / "qrels/robust.qrels").write_text("101 0 refunds.md 2\n101 0 old.md 0\n")

    first, second = read_dataset(tmp_path)

    assert (first.id, first.relevant) == ("101", {"refunds.md": 2, "old.md": 0})
    assert (second.query, second.relevant) == ("Who pays?", {})

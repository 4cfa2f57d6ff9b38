"""Tables of kinds that people have: each view reads them right, or says what is wrong with them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragate.contrib.golden.importing import import_golden
from ragate.dataset import read_dataset
from ragate.errors import DatasetError
from ragate.outputs.mapping import RecordMapping
from ragate.outputs.recordings import read_recorded
from ragate.scores.score_table import read_table


def lines(*rows: Mapping[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def scores(path: Path) -> Any:
    table = read_table(path)
    return list(table.keys), {name: list(column) for name, column in table.columns.items()}


def outputs(path: Path) -> Any:
    read = [output for _, _, output in read_recorded(path, RecordMapping())]
    return [(each.question, each.answer, [chunk.text for chunk in each.chunks]) for each in read]


def golden(path: Path) -> Any:
    return [
        (each.query, list(each.relevant), list(each.references), each.answerable, list(each.tags))
        for each in read_dataset(path)
    ]


def imported(path: Path) -> Any:
    output = path.with_name("golden.jsonl")
    import_golden("", path, output, texts=None)
    return [(each.query, list(each.references)) for each in read_dataset(output)]


def imported_answerable(path: Path) -> Any:
    imported(path)
    return [(each.query, each.answerable) for each in read_dataset(path.with_name("golden.jsonl"))]


METRICS = {"f": [0.5, 0.7], "r": [1.0, 0.0]}
READ: dict[str, tuple[Callable[[Path], Any], str, Any]] = {
    "scores, a row for each metric": (
        scores,
        "id,metric,score\na,f,0.5\na,r,1\nb,f,0.7\nb,r,0\n",
        (["a", "b"], METRICS),
    ),
    "scores, an object for each metric": (
        scores,
        lines(
            {"id": "a", "scores": [{"name": "f", "score": 0.5}, {"name": "r", "score": 1}]},
            {"id": "b", "scores": [{"name": "f", "score": 0.7}, {"name": "r", "score": 0}]},
        ),
        (["a", "b"], METRICS),
    ),
    "scores in percent": (scores, "id,f\na,50%\nb,70 %\n", (["a", "b"], {"f": [0.5, 0.7]})),
    "words for right and wrong": (
        scores,
        "id,f,r\na,correct,✅\nb,incorrect,❌\n",
        (["a", "b"], {"f": [1.0, 0.0], "r": [1.0, 0.0]}),
    ),
    "ids of which a table made floats": (
        scores,
        "id,f\n1.0,0.5\n2.0,0.7\n",
        (["1", "2"], {"f": [0.5, 0.7]}),
    ),
    "a row that sums the others up": (
        scores,
        "id,f\na,0.5\nb,0.7\nAverage,0.6\n",
        (["a", "b"], {"f": [0.5, 0.7]}),
    ),
    "numbers that are no scores": (
        scores,
        "id,f,year,question_num,doc_id\na,0.5,2021,3,12\nb,0.7,2022,4,13\n",
        (["a", "b"], {"f": [0.5, 0.7]}),
    ),
    "outputs in capitals": (
        outputs,
        'Question,Answer,Contexts\nA?,x,"[""t""]"\n',
        [("A?", "x", ["t"])],
    ),
    "documents with commas between them": (
        golden,
        'question,relevant\nA?,"a.md, b.md"\nB?,"Rules, part 2"\n',
        [("A?", ["a.md", "b.md"], [], True, []), ("B?", ["Rules, part 2"], [], True, [])],
    ),
    "tags with semicolons between them": (
        golden,
        "question,reference,tags\nA?,x,a;b\n",
        [("A?", [], ["x"], True, ["a", "b"])],
    ),
    "flags as pandas and people write them": (
        golden,
        "question,reference,answerable\nA?,x,1.0\nB?,,N\n",
        [("A?", [], ["x"], True, []), ("B?", [], [], False, [])],
    ),
    "a header with a mark that nobody sees": (
        imported,
        "question,\u200btruth\nA?,x\n",
        [("A?", ["x"])],
    ),
    "several right answers under answer": (
        imported,
        lines({"question": "A?", "answer": ["x", "y"]}),
        [("A?", ["x", "y"])],
    ),
    "right answers within an object": (
        imported,
        lines({"id": "1", "question": "A?", "answers": {"text": ["x"], "answer_start": [5]}}),
        [("A?", ["x"])],
    ),
    "a question that should be refused": (
        imported_answerable,
        lines({"query_text": "A?", "should_refuse": True, "expected_answer": None}),
        [("A?", False)],
    ),
    "a dash for no right answer": (
        imported,
        "question,truth\nA?,-\nB?,x\n",
        [("A?", []), ("B?", ["x"])],
    ),
}


@pytest.mark.parametrize("name", READ)
def test_it_is_read_right(name: str, tmp_path: Path) -> None:
    read, content, expected = READ[name]
    path = tmp_path / ("t.jsonl" if content.startswith("{") else "t.csv")
    path.write_text(content)

    assert read(path) == expected


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 12\n"
EVERY = (scores, outputs, golden, imported)
REFUSED: dict[str, tuple[Sequence[Callable[[Path], Any]], str, str]] = {
    "rows that are counted": (
        [golden],
        "question,relevant\nA?,0\nB?,1\nC?,2\n",
        "counts the rows",
    ),
    "an answer that is none": ([outputs], "question,answer\nA?,NaN\nB?,y\n", "`answer` is empty"),
    "what was retrieved under another name": (
        [outputs],
        "question,answer,retrieved_docs\nA?,x,a.md;b.md\n",
        "`retrieved_docs`",
    ),
    "passages of which some are chosen": (
        [imported],
        lines({"query": "A?", "answers": ["x"], "passages": [{"is_selected": 0, "t": "a"}]}),
        "no list of texts",
    ),
    "two kinds of answers": (
        [imported],
        lines({"question": "A?", "truth": "x", "answer": ["y"]}),
        "must be text",
    ),
    "a page that asks for a login": ([golden, imported, outputs], "<html>login</html>", "HTML"),
    "a pointer of Git LFS": ([golden, imported, scores, outputs], POINTER, "Git LFS"),
    "nothing but a header": (EVERY, "id,question,answer,f1\n", "no "),
    "UTF-16 without a mark": (EVERY, "id,question\n".encode("utf-16-le").decode("latin-1"), "NUL"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    views, content, reason = REFUSED[name]
    path = tmp_path / ("t.jsonl" if content.startswith("{") else "t.csv")
    path.write_text(content)

    for read in views:
        with pytest.raises(DatasetError, match=reason) as caught:
            read(path)
        assert str(path) in caught.value.message


def test_documents_with_grades_are_meant_though_their_ids_count_the_rows(tmp_path: Path) -> None:
    rows = [{"query": f"Question {number}?", "relevant": {str(number): 1}} for number in (1, 2, 3)]
    path = tmp_path / "golden.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))

    assert [documents for _, documents, *_ in golden(path)] == [["1"], ["2"], ["3"]]

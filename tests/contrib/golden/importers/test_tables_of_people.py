"""Tables as people and tools write them: read right, or refused with the place and a reason."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ragate.contrib.golden.importing import import_golden
from ragate.dataset import read_dataset
from ragate.errors import DatasetError
from ragate.models import Sample

TWO = {"A?": (("x",), ()), "B?": (("y",), ())}
LABELLED = {"A?": ((), ("a.md",)), "B?": ((), ("b.md", "c.md"))}
ROWS = [{"question": "A?", "ground_truth": "x"}, {"question": "B?", "ground_truth": "y"}]


def read(folder: Path, name: str, content: Any, **more: Any) -> dict[str, Sample]:
    """Return the samples of a file that was imported without a word of what it is."""
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, newline="")
    import_golden("", path, folder / "golden.jsonl", texts=None, **more)
    return {sample.query: sample for sample in read_dataset(folder / "golden.jsonl")}


def right(samples: dict[str, Sample]) -> dict[str, tuple[Sequence[str], Sequence[str]]]:
    return {query: (each.references, tuple(each.relevant)) for query, each in samples.items()}


CSV = "question,ground_truth\nA?,x\nB?,y\n"
READ: dict[str, tuple[str, Any, Any]] = {
    "commas": ("t.csv", CSV, TWO),
    "semicolons": ("t.csv", CSV.replace(",", ";"), TWO),
    "tabs under .csv": ("t.csv", CSV.replace(",", "\t"), TWO),
    "tabs under .tsv": ("t.tsv", CSV.replace(",", "\t"), TWO),
    "bars": ("t.csv", CSV.replace(",", "|"), TWO),
    "a line that names the separator": ("t.csv", "sep=;\r\n" + CSV.replace(",", ";"), TWO),
    "a mark at the beginning": ("t.csv", b"\xef\xbb\xbf" + CSV.encode(), TWO),
    "UTF-16": ("t.csv", CSV.encode("utf-16"), TWO),
    "UTF-16 with tabs": ("t.txt", CSV.replace(",", "\t").encode("utf-16"), TWO),
    "CRLF": ("t.csv", CSV.replace("\n", "\r\n"), TWO),
    "CR": ("t.csv", CSV.replace("\n", "\r"), TWO),
    "empty lines": ("t.csv", "\n\n" + CSV.replace("\n", "\n\n"), TWO),
    "a semicolon in a quoted header": (
        "t.csv",
        '"question","note; more; and more","truth"\nA?,,x\nB?,,y\n',
        TWO,
    ),
    "quotes and line ends in a cell": (
        "t.csv",
        'question,truth\n"A\nor ""B""?","x, y;\nz"\n',
        {'A\nor "B"?': (("x, y;\nz",), ())},
    ),
    "a line separator in a cell": (
        "t.csv",
        "question,truth\nA\u2028B?,x\n",
        {"A\u2028B?": (("x",), ())},
    ),
    "a line separator in JSON Lines": (
        "t.jsonl",
        '{"question": "A\u2028B?", "truth": "x"}\n',
        {"A\u2028B?": (("x",), ())},
    ),
    "an unnamed index": ("t.csv", ",question,truth\n0,A?,x\n1,B?,y\n", TWO),
    "an index named by pandas": ("t.csv", "Unnamed: 0,question,truth\n0,A?,x\n1,B?,y\n", TWO),
    "two indexes": (
        "t.csv",
        "Unnamed: 0.1,Unnamed: 0,question,truth\n0,0,A?,x\n1,1,B?,y\n",
        TWO,
    ),
    "a reference that is no number": (
        "t.csv",
        "question,truth\nA?,x\nB?,NaN\n",
        {"A?": (("x",), ()), "B?": ((), ())},
    ),
    "a reference that is not available": (
        "t.csv",
        "question,truth\nA?,x\nB?,N/A\n",
        {"A?": (("x",), ()), "B?": ((), ())},
    ),
    "references as Python writes a list": (
        "t.csv",
        "question,references\nA?,\"['it''s', 'so']\"\n".replace("''", "\u2019"),
        {"A?": (("it\u2019s", "so"), ())},
    ),
    "references as numpy writes a list": (
        "t.csv",
        "question,references\nA?,\"['Kept for 30'\n 'days of grace']\"\n",
        {"A?": (("Kept for 30", "days of grace"), ())},
    ),
    "references as an array": (
        "t.csv",
        "question,references\nA?,\"array(['x', 'y'], dtype=object)\"\n",
        {"A?": (("x", "y"), ())},
    ),
    "references as JSON": (
        "t.csv",
        'question,references\nA?,"[""x"", ""y""]"\n',
        {"A?": (("x", "y"), ())},
    ),
    "documents with semicolons": ("t.csv", "q,source\nA?,a.md\nB?,b.md; c.md\n", LABELLED),
    "documents as a list in a cell": (
        "t.csv",
        "q,relevant_docs\nA?,['a.md']\nB?,\"['b.md' 'c.md']\"\n",
        LABELLED,
    ),
    "documents as a list in JSON Lines": (
        "t.jsonl",
        '{"q": "A?", "docs": "[\'a.md\']"}\n{"q": "B?", "docs": ["b.md", "c.md"]}\n',
        LABELLED,
    ),
    "expected holds documents": ("t.csv", "q,expected\nA?,a.md\nB?,b.md;c.md\n", LABELLED),
    "expected holds answers": ("t.csv", "q,expected\nA?,x\nB?,y\n", TWO),
    "rows": ("t.json", ROWS, TWO),
    "JSON Lines under .json": ("t.json", "\n".join(map(json.dumps, ROWS)), TWO),
    "columns as lists": ("t.json", {"question": ["A?", "B?"], "truth": ["x", "y"]}, TWO),
    "columns as lists, in the plural": (
        "t.json",
        {"questions": ["A?", "B?"], "ground_truths": ["x", "y"]},
        TWO,
    ),
    "columns by the rows' numbers": (
        "t.json",
        {"question": {"0": "A?", "1": "B?"}, "truth": {"0": "x", "1": "y"}},
        TWO,
    ),
    "rows by their numbers": ("t.json", {"0": ROWS[0], "1": ROWS[1]}, TWO),
    "split": (
        "t.json",
        {"columns": ["question", "truth"], "index": [0, 1], "data": [["A?", "x"], ["B?", "y"]]},
        TWO,
    ),
    "below data": ("t.json", {"name": "set", "data": ROWS}, TWO),
    "below a name of its own": ("t.json", {"scale": {"3": "best"}, "my cases": ROWS}, TWO),
    "YAML": ("t.yaml", "- {question: A?, truth: x}\n- {question: B?, truth: y}\n", TWO),
    "capitals": ("t.csv", "Question,Ground Truth\nA?,x\nB?,y\n", TWO),
    "inner capitals": ("t.csv", "userQuery,referenceAnswer\nA?,x\nB?,y\n", TWO),
    "dashes": ("t.csv", "user-question,expected-response\nA?,x\nB?,y\n", TWO),
    "proposals by id": (
        "t.json",
        [{"input": "A?", "expectedProposalIds": ["a.md"]}],
        {"A?": ((), ("a.md",))},
    ),
    "numbers as documents": (
        "t.json",
        [{"q": "A?", "doc_id": 12}, {"q": "B?", "doc_id": 12}],
        {"A?": ((), ("12",)), "B?": ((), ("12",))},
    ),
    "a number as the right answer": (
        "t.json",
        [{"q": "A?", "truth": 0}, {"q": "B?", "truth": 1.5}],
        {"A?": (("0",), ()), "B?": (("1.5",), ())},
    ),
    "OpenAI evals": (
        "t.jsonl",
        {"input": [{"role": "user", "content": "A?"}], "ideal": ["x", "z"]},
        {"A?": (("x", "z"), ())},
    ),
    "a data set of MLflow": (
        "t.json",
        [{"inputs": {"question": "A?"}, "expectations": {"expected_response": "x"}}],
        {"A?": (("x",), ())},
    ),
    "examples of LangSmith": (
        "t.jsonl",
        '{"inputs": {"question": "A?"}, "outputs": {"answer": "x"}}\n',
        {"A?": (("x",), ())},
    ),
    "cases of an evaluation pack": (
        "t.json",
        [
            {
                "id": "c1",
                "input": {"query": "A?", "ticker": "T"},
                "expected": {"relevant_docs": ["a.md"], "answer": "x", "behavior": "answer"},
                "metadata": {"tags": ["t"]},
            }
        ],
        {"A?": (("x",), ("a.md",))},
    ),
    "tests of promptfoo in a table": ("t.csv", "q,__expected\nA?,x\nB?,equals: y\n", TWO),
    "tests of promptfoo": (
        "t.yaml",
        "prompts: [p]\ntests:\n- vars: {q: A?, truth: x}\n- vars: {q: B?, truth: y}\n",
        TWO,
    ),
}


@pytest.mark.parametrize("name", READ)
def test_a_table_is_read_as_it_is_meant(name: str, tmp_path: Path) -> None:
    file, content, expected = READ[name]

    assert right(read(tmp_path, file, content)) == expected


REFUSED: dict[str, tuple[str, Any, str]] = {
    "a header twice": ("t.csv", "question,a,a\nA?,x,y\n", r":2: column 'a' stands twice"),
    "a row too short": ("t.csv", "q,truth,team\nA?,x\n", r":2: 2 cells, and the header has 3"),
    "an open quote": ("t.csv", 'q,truth\nA?,"x\n', "not CSV"),
    "Windows-1252": ("t.csv", b"q,truth\nA?,caf\xe9\n", "line 2: byte 0xe9 is not UTF-8"),
    "UTF-16 without its mark": ("t.csv", "q,truth\nA?,x\n".encode("utf-16-le"), "NUL characters"),
    "a list that was cut": ("t.csv", "q,references\nA?,\"['x', 'y\"\n", "begins as a list"),
    "a list that numpy shortened": (
        "t.csv",
        "q,references\nA?,\"['x' 'y' ... 'z']\"\n",
        "begins as a list",
    ),
    "labels that count the rows": (
        "t.csv",
        "q,doc_id\nA?,1\nB?,2\nC?,3\n",
        r":2: doc_id has another number in each of 3 rows",
    ),
    "labels that were whole numbers": ("t.csv", "q,doc_id\nA?,7.0\nB?,7.0\n", "made floats of"),
    "ids that count the rows": (
        "t.csv",
        "id,q,truth\n0,A?,x\n1,B?,y\n",
        r":2: the ids are the numbers of the rows",
    ),
    "no label at all": ("t.csv", "q,remark\nA?,fine\n", r"neither here .* there are also remark"),
    "a question with two answers": (
        "t.csv",
        "q,truth\nA?,x\nB?,y\nA?,z\n",
        r":4: asks the question of .*:2 again",
    ),
    "no question": ("t.csv", "topic,truth\nA,x\n", "no field holds the question"),
    "a blank question": ("t.csv", 'q,truth\n" ",x\n', ":2: no field holds the question"),
    "a question that is false": ("t.json", [{"q": False, "truth": "x"}], "q = False: must be text"),
    "a document that reads like an answer": (
        "t.csv",
        "q,source\nA?,It is kept for ten days.\n",
        "reads like an answer",
    ),
    "a flag that is none": ("t.csv", "q,truth,answerable\nA?,x,maybe\n", "must be true or false"),
    "NaN in JSON": ("t.json", '[{"q": "A?", "truth": NaN}]', "NaN"),
    "a list of texts": ("t.json", ["A?", "B?"], "record 1: 'A\\?': must be an object"),
    "JSON that ends too early": (
        "t.jsonl",
        '{"q": "A?", "truth": "x"}\n{"q": "B?"',
        ":2: not JSON",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_meant_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    file, content, told = REFUSED[name]

    with pytest.raises(DatasetError, match=told) as raised:
        read(tmp_path, file, content)

    assert str(tmp_path / file) in str(raised.value)
    assert not (tmp_path / "golden.jsonl").exists()


def test_a_column_that_was_named_is_meant(tmp_path: Path) -> None:
    table = "Frage,Nr,Antwort\nA?,1,x\nB?,2,y\n"
    columns = {"query": "Frage", "references": "Antwort", "relevant": "Nr"}

    samples = read(tmp_path, "t.csv", table, columns=columns)

    assert right(samples) == {"A?": (("x",), ("1",)), "B?": (("y",), ("2",))}


def test_what_a_wrong_guess_holds_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"input": "A?", "actual_output": "x", "expected_output": "y"}\n')

    with pytest.raises(DatasetError) as raised:
        import_golden("ragas", path, tmp_path / "golden.jsonl", texts=None)

    assert "it looks like a file of deepeval" in raised.value.remedy


def test_a_word_for_no_value_is_noted_and_a_passage_of_that_word_stays(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({"q": "A?", "truth": "N/A", "reference_contexts": ["N/A", "x"]}))

    found = import_golden("", path, tmp_path / "golden.jsonl", texts={"a.md": "other"})

    assert "left out: truth = 'N/A', which says that there is none" in found.notes
    assert found.unplaced.contexts == 2


def test_two_fields_of_one_name_are_both_kept(tmp_path: Path) -> None:
    row = {"inputs": {"question": "A?", "team": "a"}, "outputs": {"answer": "x", "team": "b"}}

    [sample] = read(tmp_path, "t.jsonl", json.dumps(row | {"metadata": {"run": "7"}})).values()

    assert sample.metadata == {"team": "a", "outputs.team": "b", "run": "7"}

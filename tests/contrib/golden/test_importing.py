"""What an import writes, whatever it was read from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.contrib.golden.importing import import_golden
from ragate.dataset import read_dataset
from ragate.errors import DatasetError
from tests.contrib.golden.importers.imports import FILES, bring


def test_any_format_of_our_own_becomes_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "golden.csv"
    path.write_text("id,question,expected,answerable\na,A?,x.md;y.md,\nb,B?,,no\n")

    bring(tmp_path, "golden", path, None)

    lines = (tmp_path / "golden.jsonl").read_text().splitlines()
    assert json.loads(lines[0]) == {"id": "a", "query": "A?", "relevant": ["x.md", "y.md"]}
    assert json.loads(lines[1]) == {"id": "b", "query": "B?", "answerable": False}


def test_a_beir_folder_keeps_its_grades(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "queries.jsonl").write_text('{"_id": "1", "text": "A?", "metadata": {"k": [1]}}\n')
    (tmp_path / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\n1\tx\t2\n1\ty\t0\n")

    _, samples = bring(tmp_path, "beir", tmp_path, None)

    assert samples["A?"].relevant == {"x": 2, "y": 0}
    assert samples["A?"].metadata == {"k": "[1]"}


def test_an_import_can_be_all_drafts(tmp_path: Path) -> None:
    import_golden(
        "ragas", FILES / "ragas_testset.json", tmp_path / "d.jsonl", texts=None, draft=True
    )

    with pytest.raises(DatasetError, match="every sample is a draft"):
        read_dataset(tmp_path / "d.jsonl")


def test_a_question_that_stands_twice_is_one_or_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twice.jsonl"
    path.write_text('{"user_input": "A?", "reference": "B"}\n' * 2)

    found, samples = bring(tmp_path, "ragas", path, None)

    assert len(samples) == 1
    assert any("stands there twice" in note for note in found.notes)
    path.write_text(path.read_text() + '{"user_input": "A?", "reference": "C"}\n')
    with pytest.raises(DatasetError, match=r"twice.jsonl:3: asks the question of .*twice.jsonl:1"):
        bring(tmp_path, "ragas", path, None)


@pytest.mark.parametrize(
    ("kind", "name", "content", "said"),
    [
        ("ragas", "a.jsonl", '{"user_input": "A?"}\n{"input": "B?"}\n', ":2: there is no user_in"),
        ("ragas", "a.jsonl", '{"user_input": 3}\n[]', ":2: []: must be an object"),
        ("ragas", "a.jsonl", '{"user_input": {}}', ":1: user_input = {}: must be text"),
        ("ragas", "a.xlsx", "", "no reader for '.xlsx'"),
        ("ragas", "a.json", "{", "not JSON"),
        ("deepeval", "a.csv", "input,context\nA?,b,c\n", ":2: 3 cells, and the header has 2"),
        ("deepeval", "a.csv", 'input,context\n"A?', "not CSV"),
        ("deepeval", "a.csv", "input,additional_metadata\nA?,{\n", "additional_metadata: not JSON"),
        ("llamaindex", "a.json", "[]", "no question with an answer"),
        ("llamaindex", "a.json", '{"examples": [{"query": " "}]}', "record 1: there is no query"),
        (
            "llamaindex",
            "a.json",
            '{"queries": {"q": "A?"}, "corpus": {}, "relevant_docs": {"q": ["n"]}}',
            "query q: 'n' is not in corpus",
        ),
        ("promptfoo", "a.yaml", "tests: file://../tests.csv", "in the folder of the configuration"),
        ("promptfoo", "a.yaml", "tests: file://tests.py", "in the folder of the configuration"),
        ("promptfoo", "a.yaml", "tests: [{vars: 3}]", "vars: 3: must be an object"),
        ("promptfoo", "a.yaml", "a: &x 1\nb: *x", ":2: aliases"),
        ("promptfoo", "a.yaml", "tests: [file://other.yaml]", "no sample could be imported"),
    ],
)
def test_what_cannot_be_read_is_named_and_nothing_is_written(
    tmp_path: Path, kind: str, name: str, content: str, said: str
) -> None:
    path = tmp_path / name
    path.write_text(content)

    with pytest.raises(DatasetError) as error:
        bring(tmp_path, kind, path)

    assert said in error.value.message
    assert str(path) in error.value.message
    assert not (tmp_path / "golden.jsonl").exists()


def test_scores_in_what_is_imported_are_named_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = Path(__file__).parents[2] / "fixtures/scores/promptfoo/promptfoo.json"
    output = str(tmp_path / "golden.jsonl")

    assert run(["dataset", "import", "promptfoo", str(source), "--output", output]) == 0
    assert capsys.readouterr().err.count("only its samples are") == 1

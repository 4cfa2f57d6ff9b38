"""Golden sets of other tools: files that the tools themselves wrote, and what is wrong in some."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.dataset.importing import KINDS as OFFERED
from ragate.dataset import read_dataset
from ragate.errors import DatasetError, UsageError
from ragate.models import Sample
from ragate.pipeline.golden.importing import KINDS, Import, import_golden

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


def test_the_command_offers_what_the_pipeline_knows() -> None:
    assert OFFERED == KINDS


@pytest.mark.parametrize("ending", ["jsonl", "csv", "json"])
def test_a_test_set_of_ragas_is_placed_by_its_passages(tmp_path: Path, ending: str) -> None:
    found, samples = bring(tmp_path, "ragas", f"ragas_testset.{ending}")

    assert samples[REFUNDS].relevant == {"refunds.md": 1}
    assert samples[REFUNDS].references == ("Ten days at most.",)
    assert samples[REFUNDS].metadata["persona_name"] == "Shopper"
    both = samples["Who pays for shipping, and how long is the warranty?"]
    assert both.expected == {"shipping.md", "warranty.txt"}
    assert both.evidence["warranty.txt"].quote == SHOP["warranty.txt"]
    assert samples[OSLO].relevant == {}
    assert json.loads(str(samples[OSLO].metadata["reference_contexts"])) == [
        "A text that no page holds."
    ]
    assert (found.samples, found.labelled, found.unplaced.contexts) == (3, 2, 1)


def test_ids_of_ragas_are_taken_and_recorded_outputs_are_not(tmp_path: Path) -> None:
    found, samples = bring(tmp_path, "ragas", "ragas_evaluation.jsonl")

    assert samples[REFUNDS].relevant == {"refunds.md": 1}
    assert samples[REFUNDS].metadata == {}
    assert "left out: response, a recorded output (docs/replay.md)" in found.notes
    assert "left out: retrieved_contexts, a recorded output (docs/replay.md)" in found.notes


def test_the_format_of_ragas_before_0_2_is_read(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    row = {"question": REFUNDS, "contexts": [SHOP["refunds.md"]], "ground_truth": "Ten days."}
    path.write_text(json.dumps(row))

    _, samples = bring(tmp_path, "ragas", path)

    assert samples[REFUNDS].expected == {"refunds.md"}
    assert samples[REFUNDS].references == ("Ten days.",)


@pytest.mark.parametrize("ending", ["jsonl", "csv", "json"])
def test_goldens_of_deepeval_are_placed_by_file_and_passage(tmp_path: Path, ending: str) -> None:
    found, samples = bring(tmp_path, "deepeval", f"deepeval_goldens.{ending}")

    assert samples[REFUNDS].expected == {"refunds.md"}
    assert samples[REFUNDS].metadata["comments"] == "checked"
    assert samples[REFUNDS].metadata["synthetic_input_quality"] == 0.9
    assert samples[SHIPPING].expected == {"shipping.md", "warranty.txt"}
    assert samples[SHIPPING].metadata == {"team": "sales"}
    assert samples[OSLO].references == ()
    assert "left out: actual_output, a recorded output (docs/replay.md)" in found.notes


def test_a_file_name_labels_nothing_where_the_corpus_is_not_known(tmp_path: Path) -> None:
    found, samples = bring(tmp_path, "deepeval", "deepeval_goldens.json", None)

    assert samples[REFUNDS].relevant == {}
    assert samples[REFUNDS].metadata["source_file"] == "shop/refunds.md"
    assert (found.labelled, found.unplaced.contexts, found.unplaced.sources) == (0, 3, 1)


def test_a_labelled_data_set_of_llamaindex_is_read(tmp_path: Path) -> None:
    _, samples = bring(tmp_path, "llamaindex", "llamaindex_rag_dataset.json")

    assert samples[REFUNDS].expected == {"refunds.md"}
    assert samples["How long is the warranty?"].metadata["query_by"] == "ai some-model"


def test_pairs_of_llamaindex_keep_their_nodes_or_are_placed_by_text(tmp_path: Path) -> None:
    _, nodes = bring(tmp_path, "llamaindex", "llamaindex_embedding_qa.json", None)
    _, placed = bring(tmp_path, "llamaindex", "llamaindex_embedding_qa.json")

    assert nodes[REFUNDS].id == "q-1"
    assert nodes[REFUNDS].relevant == {"node-1": 1}
    assert placed[REFUNDS].relevant == {"refunds.md": 1}
    assert placed[SHIPPING].evidence["shipping.md"].quote.startswith("We pay")


def test_tests_of_promptfoo_become_samples(tmp_path: Path) -> None:
    found, samples = bring(tmp_path, "promptfoo", "promptfoo.yaml")

    assert samples[REFUNDS].references == ("Ten days at most.",)
    assert samples[REFUNDS].expected == {"refunds.md"}
    assert samples[REFUNDS].metadata["team"] == "sales"
    assert samples[REFUNDS].metadata["language"] == "en"
    assert json.loads(str(samples[REFUNDS].metadata["assert.1"])) == {
        "type": "icontains",
        "value": "days",
    }
    assert samples[SHIPPING].references == ("The shop.", "The shop pays.")
    assert samples[OSLO].answerable is False
    assert "left out: a question that stands in a file of its own" in found.notes
    assert "left out: the assertions of defaultTest" in found.notes


def test_a_result_file_of_promptfoo_holds_its_tests(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"results": {}, "config": {"tests": [{"vars": {"q": "A?"}}]}}))

    assert set(bring(tmp_path, "promptfoo", path)[1]) == {"A?"}


def test_the_variable_of_the_question_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "tests.yaml"
    path.write_text("- vars: {topic: lamps, ask: [A?, B?]}\n")

    with pytest.raises(DatasetError, match=r"which variable is the question\? It has topic, ask"):
        bring(tmp_path, "promptfoo", path)
    _, samples = bring(tmp_path, "promptfoo", path, query_name="ask")

    assert list(samples) == ["A?", "B?"]
    with pytest.raises(UsageError):
        bring(tmp_path, "ragas", path, query_name="ask")


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


def test_a_question_that_stands_twice_gets_an_id_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "twice.jsonl"
    path.write_text('{"user_input": "A?"}\n{"user_input": "A?"}\n')
    import_golden("ragas", path, tmp_path / "o.jsonl", texts=None)

    first, second = read_dataset(tmp_path / "o.jsonl")

    assert second.id == f"{first.id}-2"


@pytest.mark.parametrize(
    ("kind", "name", "content", "said"),
    [
        ("ragas", "a.jsonl", '{"user_input": "A?"}\n{"input": "B?"}\n', ":2: there is no user_in"),
        ("ragas", "a.jsonl", '{"user_input": 3}\n[]', ":2: []: must be an object"),
        ("ragas", "a.jsonl", '{"user_input": {}}', ":1: user_input = {}: must be text"),
        ("ragas", "a.xlsx", "", "no reader for '.xlsx'"),
        ("ragas", "a.json", "{", "not JSON"),
        ("deepeval", "a.json", '{"input": "A?"}', "must hold a list of objects"),
        ("deepeval", "a.csv", "input,context\nA?,b,c\n", ":2: has another number of cells"),
        ("deepeval", "a.csv", 'input,context\n"A?', "not CSV"),
        ("deepeval", "a.csv", "input,additional_metadata\nA?,{\n", "additional_metadata: not JSON"),
        ("llamaindex", "a.json", "[]", "neither a LabelledRagDataset"),
        ("llamaindex", "a.json", '{"examples": [{"query": " "}]}', "example 1: there is no query"),
        (
            "llamaindex",
            "a.json",
            '{"queries": {"q": "A?"}, "corpus": {}, "relevant_docs": {"q": ["n"]}}',
            "query q: 'n' is not in corpus",
        ),
        ("promptfoo", "a.yaml", "tests: file://tests.yaml", "there is no list of tests"),
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


@pytest.mark.parametrize("name", ["ragas_multi.jsonl", "deepeval_conversations.json"])
def test_a_file_of_conversations_says_why_nothing_came(tmp_path: Path, name: str) -> None:
    with pytest.raises(DatasetError, match="no sample could be imported: left out: a conv"):
        bring(tmp_path, name.partition("_")[0], name)

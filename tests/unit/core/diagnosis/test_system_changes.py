"""What changed in the system decides before words and ranks do, and is named first."""

from __future__ import annotations

import pytest

from ragate.core.diagnosis.diagnose import diagnose
from ragate.core.diagnosis.sample_diff import SampleDiff
from ragate.core.diagnosis.system_changes import Stage, SystemChanges, system_changes
from ragate.models import Cause, CauseKind, Reads, Record, RunManifest, SystemInfo
from tests.unit.core.diagnosis.diagnosis_factory import METRICS, SAMPLE, record, with_texts

WRONG = "The limit is 250 requests, says Marlow."
BOTH = frozenset({Reads.RETRIEVAL, Reads.ANSWER})
SETTINGS = {
    "chunk_size": "512",
    "top_k": "10",
    "bm25.stemmer": '"english"',
    "answer.use": '"extractive"',
    "answer.sentences": "3",
}


def manifest(
    settings: dict[str, str] | None = None,
    *,
    corpus: str = "docs 1",
    use: str = "pgvector",
    digest: str | None = None,
    repeats: frozenset[Reads] = BOTH,
    **parts: str,
) -> RunManifest:
    """Return a manifest of the built-in system; ``settings=None`` is an older recording."""
    held = {"corpus": corpus, "settings": digest or str(settings), **parts}
    system = SystemInfo(use=use, parts=held, settings=settings or {}, deterministic=repeats)
    return RunManifest(system=system)


def changed(
    settings: dict[str, str] | None = None, *, repeats: frozenset[Reads] = BOTH, **parts: str
) -> SystemChanges:
    """Return the changes from the usual system to one with other settings or parts."""
    before = manifest(SETTINGS, repeats=repeats, prompt="p1")
    after = {"prompt": "p1", **parts}
    return system_changes(
        before, manifest({**SETTINGS, **(settings or {})}, repeats=repeats, **after)
    )


def cause(before: list[Record], after: list[Record], changes: SystemChanges) -> Cause:
    return diagnose(SampleDiff(SAMPLE, before, after, METRICS, changes=changes))


def test_a_setting_is_named_with_its_old_and_new_value():
    assert changed({"chunk_size": "32"}).words == "chunk_size 512 -> 32"


def test_many_settings_are_counted_beyond_the_first():
    many = {"chunk_size": "32", "top_k": "5", "bm25.stemmer": '"none"', "answer.sentences": "1"}

    assert changed(many).words.endswith('bm25.stemmer "english" -> "none" and 1 more')


@pytest.mark.parametrize(
    ("changes", "stages"),
    [
        (changed({"chunk_size": "32"}), {Stage.CONTEXTS}),
        (changed({"bm25.stemmer": '"none"'}), {Stage.CONTEXTS}),
        (changed({"answer.sentences": "1"}), {Stage.ANSWER}),
        (changed(prompt="p2"), {Stage.ANSWER}),
        (changed(corpus="docs 2"), {Stage.CORPUS}),
        (changed(corpus="docs 2", prompt="p2"), {Stage.CORPUS, Stage.ANSWER}),
        (changed(files="other code"), {Stage.OTHER}),
        (changed(), set()),
    ],
)
def test_what_differs_has_the_stage_that_it_changes_first(
    changes: SystemChanges, stages: set[Stage]
):
    assert changes.stages == stages
    assert changes.comparable


def test_settings_of_an_older_recording_are_not_guessed():
    changes = system_changes(manifest(None, digest="old"), manifest(SETTINGS, digest="new"))

    assert changes.stages == {Stage.OTHER}
    assert changes.words == "settings"


def test_equal_settings_of_an_older_recording_are_no_difference():
    changes = system_changes(manifest(None, digest="one"), manifest(SETTINGS, digest="one"))

    assert not changes.differences


def test_two_kinds_of_system_are_one_difference_and_not_compared():
    changes = system_changes(manifest(SETTINGS), manifest(SETTINGS, use="http"))

    assert changes.words == "use pgvector -> http"
    assert not changes.comparable


def test_a_long_value_is_cut_and_stays_on_one_line():
    words = changed({"answer.refusal": '"' + "no\n" * 50 + '"'}).words

    assert len(words) < 80
    assert "\n" not in words


# --- what that means for one sample ----------------------------------------------------------


def recut() -> tuple[list[Record], list[Record]]:
    """Chunks cut otherwise, and an answer that says what no chunk holds."""
    before = [record(mrr=1.0, idf_f1=1.0, light=True)]
    after = record(("limits.md", "third.md"), "The limit is", mrr=1.0, idf_f1=0.0)
    return before, [with_texts(after, "The limit is 600", "Nothing")]


def test_a_smaller_chunk_size_is_not_blamed_on_generation():
    before, after = recut()

    found = cause(before, after, changed({"chunk_size": "32"}))

    assert found.kind is CauseKind.RETRIEVAL
    assert found.evidence.endswith("; changed: chunk_size 512 -> 32")
    assert found.edited == ()  # the documents are the same: they are cut otherwise


def test_chunks_that_were_cut_otherwise_blame_nobody_where_nothing_is_known():
    before, after = recut()

    assert diagnose(SampleDiff(SAMPLE, before, after, METRICS)).kind is CauseKind.UNKNOWN


def test_an_edited_document_with_its_old_id_is_data():
    before = [record(("limits.md", "other.md"), mrr=1.0, idf_f1=1.0, light=True)]
    after = record(("old.md", "limits.md"), WRONG, mrr=0.5, idf_f1=0.0)

    found = cause(before, [with_texts(after, "By Marlow: 250.", "New.")], changed(corpus="docs 2"))

    assert found.kind is CauseKind.DATA
    assert found.edited == ("limits.md",)
    assert found.evidence.endswith("; changed: the corpus")
    assert found.evidence.startswith("expected limits.md rank 1 -> 2")
    assert "with other text: limits.md" in found.evidence


def test_fewer_chunks_are_retrieval_although_the_expected_one_stands_where_it_stood():
    before = [record(("limits.md", "other.md"), mrr=1.0, idf_f1=1.0, light=True)]
    after = [record(("limits.md",), "The limit is 600", mrr=1.0, idf_f1=0.5)]

    found = cause(before, after, changed({"top_k": "1"}))

    assert found.kind is CauseKind.RETRIEVAL
    assert found.evidence.endswith("; changed: top_k 10 -> 1")


def test_another_answer_setting_is_generation_and_named_first():
    before, after = [record(idf_f1=1.0, light=True)], [record(answer="The limit is", idf_f1=0.5)]

    found = cause(before, after, changed({"answer.sentences": "1"}))

    assert found.kind is CauseKind.GENERATION
    assert found.evidence.endswith("; changed: answer.sentences 3 -> 1")
    assert found.evidence.startswith("same 2 chunks, ")


def test_sentences_quoted_by_other_word_weights_are_no_generation():
    before, after = [record(idf_f1=1.0, light=True)], [record(answer=WRONG, idf_f1=0.5)]

    assert cause(before, after, changed({"bm25.stemmer": '"none"'})).kind is CauseKind.RETRIEVAL
    assert cause(before, after, changed(corpus="docs 2")).kind is CauseKind.DATA


def test_a_model_that_answers_otherwise_from_the_same_contexts_varies_by_itself():
    before, after = [record(idf_f1=1.0, light=True)], [record(answer=WRONG, idf_f1=0.5)]
    chat = {**SETTINGS, "answer.use": '"chat"'}
    changes = system_changes(manifest(chat), manifest({**chat, "chunk_size": "32"}))

    found = cause(before, after, changes)

    assert found.kind is CauseKind.UNKNOWN
    assert "nothing that writes it changed" in found.evidence


def test_documents_and_settings_that_changed_at_once_blame_neither():
    before = [record(mrr=1.0, idf_f1=1.0, light=True)]
    after = [record(("old.md",), WRONG, mrr=0.0, idf_f1=0.0)]

    found = cause(before, after, changed({"top_k": "1"}, corpus="docs 2"))

    assert found.kind is CauseKind.UNKNOWN
    assert "changed at once" in found.evidence


def test_a_rank_that_fell_is_retrieval_although_the_answers_vary():
    before = [
        record(answer=f"It is 600, {run}.", run=run, mrr=1.0, idf_f1=run / 2, light=True)
        for run in range(3)
    ]
    after = [record(("third.md", "limits.md"), "It is so.", mrr=0.5, idf_f1=0.0)]

    found = cause(before, after, changed({"top_k": "5"}, repeats=frozenset({Reads.RETRIEVAL})))

    assert found.kind is CauseKind.RETRIEVAL


def test_settings_that_an_old_baseline_does_not_hold_keep_documents_from_the_blame():
    before = [record(mrr=1.0, idf_f1=1.0, light=True)]
    after = [record(("old.md",), WRONG, mrr=0.0, idf_f1=0.0)]
    old, new = manifest(None, digest="old"), manifest(SETTINGS, digest="new", corpus="docs 2")

    assert cause(before, after, system_changes(old, new)).kind is CauseKind.UNKNOWN


def test_a_noisy_baseline_leaves_the_decision_to_the_texts():
    before = [
        record(answer=f"It is 600, {run}.", run=run, idf_f1=run / 2, light=True) for run in range(3)
    ]
    after = [record(("limits.md", "third.md"), "It is so.", idf_f1=0.4)]

    found = cause(before, after, changed({"top_k": "5"}, repeats=frozenset()))

    assert found.kind is CauseKind.UNKNOWN


def test_settings_that_an_old_baseline_does_not_hold_blame_nothing_from_the_same_contexts():
    before, after = [record(idf_f1=1.0, light=True)], [record(answer=WRONG, idf_f1=0.5)]
    changes = system_changes(manifest(None, digest="old"), manifest(SETTINGS, digest="new"))

    assert cause(before, after, changes).kind is CauseKind.UNKNOWN

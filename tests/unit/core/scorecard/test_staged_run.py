from __future__ import annotations

from ragate.core.decision.scorecard import (
    one_sided,
    staged,
    staged_runs,
    unmeasured_note,
    weight_note,
)
from ragate.models import Needs, Reads, ScoreState, not_applicable
from tests.factories import record_factory, run_factory, sample_factory
from tests.unit.core.scorecard.card_factories import INFOS, card, stage

CARD = card(stage("recall@5", required=True), stage("faithfulness"))


def run_of(*rows, sample=None, **manifest):
    sample = sample or sample_factory()
    records = [record_factory(sample, run=n, scores=row) for n, row in enumerate(rows)]
    infos = {name: INFOS[name] for row in rows for name in row}
    return run_factory(records, metrics=infos, **manifest)


def test_every_record_gets_an_overall_score_and_pass_or_fail():
    run = staged(run_of({"recall@5": 1.0, "faithfulness": 0.5}), CARD)

    (record,) = run.records
    assert record.scores["overall_score"].value == 0.75
    assert record.scores["pass_rate"].value == 1.0


def test_both_sides_are_at_their_worst_by_one_rule_whether_measured_or_not():
    asked = staged(run_of({"recall@5": 0.0, "faithfulness": 1.0}), CARD)
    spared = staged(run_of({"recall@5": 0.0, "faithfulness": None}), CARD)

    assert asked.records[0].scores == spared.records[0].scores
    assert asked.records[0].scores["faithfulness"].value == 0.0


def test_what_is_stored_stays_as_it_was_measured():
    run = run_of({"recall@5": 0.0, "faithfulness": 1.0})

    staged(run, CARD)

    assert run.records[0].scores["faithfulness"].value == 1.0
    assert "pass_rate" not in run.manifest.metrics


def test_a_run_without_one_of_the_stages_has_no_scorecard():
    run = run_of({"recall@5": 1.0})

    assert staged(run, CARD) is run
    assert staged(run, None) is run


def test_the_made_metrics_need_and_read_what_their_stages_do():
    infos = INFOS | {
        "recall@5": INFOS["recall@5"].amended(reads=Reads.RETRIEVAL),
        "faithfulness": INFOS["faithfulness"].amended(needs=Needs.JUDGE),
    }
    run = staged(run_of({"recall@5": 1.0, "faithfulness": 1.0}).amended(
        manifest=run_of().manifest.amended(metrics=infos)), CARD)  # fmt: skip

    info = run.manifest.metrics["pass_rate"]
    assert (info.needs, info.reads) == (Needs.JUDGE, Reads.ANSWER)
    assert staged(run, card(stage("recall@5"))).manifest.metrics["pass_rate"].reads == (
        Reads.RETRIEVAL
    )


def test_another_version_of_a_stage_makes_another_scorecard():
    run = run_of({"recall@5": 1.0, "faithfulness": 1.0})
    newer = INFOS | {"faithfulness": INFOS["faithfulness"].amended(version=2)}
    other = run.amended(manifest=run.manifest.amended(metrics=newer))

    fingerprints = {staged(each, CARD).manifest.metrics["pass_rate"].fingerprint
                    for each in (run, other)}  # fmt: skip
    assert len(fingerprints) == 2


def test_weights_and_marks_are_no_part_of_the_identity():
    run = run_of({"recall@5": 1.0, "faithfulness": 1.0})
    other = card(stage("recall@5", 0.1), stage("faithfulness", 0.9, pass_at=0.9))

    assert staged(run, CARD).manifest == staged(run, other).manifest


def test_silence_on_one_side_is_not_measured_there():
    silent = not_applicable("faithfulness", "no quotes")
    before = run_of({"recall@5": 1.0, "faithfulness": 0.2})
    after = run_of({"recall@5": 1.0, "faithfulness": silent})

    assert one_sided([before, after], CARD) == {"q001": {"faithfulness"}}
    _, viewed = staged_runs(CARD, before, after)
    assert viewed.records[0].scores["pass_rate"].state is ScoreState.UNSCORED
    assert "value on the other side" in viewed.records[0].scores["pass_rate"].reason


def test_silence_on_both_sides_is_no_doubt():
    silent = not_applicable("faithfulness", "unanswerable")
    run = run_of({"recall@5": 1.0, "faithfulness": silent})

    assert one_sided([run, run], CARD) == {}


def test_records_are_read_by_row_slice_and_in_turn():
    run = staged(run_of(*[{"recall@5": n / 4, "faithfulness": 1.0} for n in range(5)]), CARD)

    passed = [record.scores["pass_rate"].value for record in run.records]
    assert passed == [0.0, 0.0, 1.0, 1.0, 1.0]
    assert len(run.records) == 5
    assert [r.scores["pass_rate"].value for r in run.records[1:3]] == [0.0, 1.0]


def test_both_sides_are_seen_by_the_stages_that_a_candidate_did_not_leave_out():
    before = run_of({"recall@5": 1.0, "faithfulness": 0.0})
    after = run_of({"recall@5": 1.0}, left_out=("faithfulness",))

    viewed = staged_runs(CARD, before, after)

    assert [run.records[0].scores["pass_rate"].value for run in viewed if run] == [1.0, 1.0]


def test_stages_that_a_run_left_out_are_named():
    assert unmeasured_note(CARD, ()) == []
    assert unmeasured_note(CARD, ("faithfulness", "token_f1")) == [
        "pass_rate and overall_score are those of 1 of 2 stages; not measured: faithfulness"
    ]
    assert unmeasured_note(CARD, ("faithfulness", "pass_rate")) == [
        "the scorecard was left out; not measured: faithfulness"
    ]


def test_weights_that_do_not_sum_to_one_are_said():
    assert weight_note(None) == ()
    assert weight_note(CARD) == ()
    assert weight_note(card(stage("recall@5"), weights=1.2)) == (
        "weights of the scorecard sum to 1.2: each counts by its share",
    )


def test_a_metric_with_a_table_of_its_own_keeps_what_was_measured_in_its_own_row():
    held = card(stage("recall@5", required=True), stage("faithfulness", own_row=True))

    run = staged(run_of({"recall@5": 0.0, "faithfulness": 1.0}), held)

    values = {name: score.value for name, score in run.records[0].scores.items()}
    assert values == {
        "recall@5": 0.0, "faithfulness": 1.0, "overall_score": 0.0, "pass_rate": 0.0,
    }  # fmt: skip


def test_what_is_doubtful_is_open_in_the_scorecard_and_not_in_a_row_of_its_own():
    held = card(stage("faithfulness", own_row=True))
    before = run_of({"faithfulness": 0.2})
    after = run_of({"faithfulness": not_applicable("faithfulness", "no quotes")})

    _, viewed = staged_runs(held, before, after)

    assert viewed.records[0].scores["faithfulness"].state is ScoreState.NOT_APPLICABLE
    assert viewed.records[0].scores["pass_rate"].state is ScoreState.UNSCORED

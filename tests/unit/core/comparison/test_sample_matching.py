"""Samples are matched by id and content: removed, edited, and too few of them."""

from __future__ import annotations

from ragate.core.comparison.compare import Comparison, compare
from ragate.core.comparison.sample_matching import as_named_today, renamed_ids
from ragate.core.hashing import content_hash
from ragate.models import Filters, MetricVerdict, Rule, Sample
from tests.unit.core.decision_factories import judge, row_of, run_of, samples_of


def pair_of(before: int, now: list[Sample], **options: object) -> Comparison:
    then = samples_of(before)
    baseline = run_of({"faithfulness": [[1.0]] * before}, then, words="before")
    candidate = run_of(
        {"faithfulness": [[1.0]] * len(now)},
        now,
        **options,  # type: ignore[arg-type]
    )
    return compare(baseline, candidate, now)


RULE = Rule(metric="faithfulness")


def test_a_removed_sample_is_named_with_its_baseline_mean():
    comparison = pair_of(10, samples_of(9))

    assert [row.sample_id for row in comparison.data.removed] == ["q0009"]
    assert comparison.data.removed[0].means == {"faithfulness": 1.0}
    assert comparison.data.matched == 9


def test_an_edited_sample_is_both_removed_and_added():
    now = [*samples_of(9), Sample(id="q0009", query="another question")]
    comparison = pair_of(10, now)

    assert comparison.data.edited == ("q0009",)
    assert comparison.data.added == ("q0009",)
    assert [row.sample_id for row in comparison.data.removed] == ["q0009"]


def test_a_renamed_sample_is_compared_by_its_content():
    then = samples_of(10)
    now = [*then[:9], then[9].amended(id="billing-9")]
    before = run_of({"faithfulness": [[1.0]] * 10}, then, words="before")
    after = run_of({"faithfulness": [[1.0]] * 9 + [[0.0]]}, now)

    comparison = compare(before, after, now)

    assert comparison.data.renamed == {"q0009": "billing-9"}
    assert (comparison.data.added, comparison.data.removed) == ((), ())
    row = comparison.ids.index("billing-9")
    assert comparison.columns["faithfulness"].baseline.values[row].tolist() == [1.0]
    assert comparison.columns["faithfulness"].candidate.values[row].tolist() == [0.0]


def test_twins_belong_together_in_pairs_and_where_one_is_gone_nobody_knows_which():
    twins = [Sample(id=name, query="the same") for name in ("a", "b")]
    before = {sample.id: content_hash(sample) for sample in twins}
    content = before["a"]

    assert renamed_ids(before, {"c": content, "d": content}) == {"a": "c", "b": "d"}
    assert renamed_ids(before, {"c": content}) == {}
    assert renamed_ids(before, {"a": content, "c": content}) == {"b": "c"}


def test_tags_are_no_content():
    now = [Sample(id=s.id, query=s.query, tags=("new",)) for s in samples_of(10)]

    assert pair_of(10, now).data.matched == 10


def test_fewer_than_80_percent_matched_is_not_comparable():
    seven = judge(pair_of(10, samples_of(7)), Rule(metric="faithfulness"))
    eight = judge(pair_of(10, samples_of(8)), Rule(metric="faithfulness"))

    assert row_of(seven, "faithfulness").verdict is MetricVerdict.NOT_COMPARABLE
    assert seven.exit_code == 3
    assert "only 7 of the baseline's 10 samples are still the same" in seven.reasons
    assert "ragate baseline update" in seven.remedies
    assert row_of(eight, "faithfulness").verdict is not MetricVerdict.NOT_COMPARABLE


def test_a_filtered_run_removes_nothing_and_says_partial():
    comparison = pair_of(10, samples_of(3), filters=Filters(limit=3))
    decision = judge(comparison, Rule(metric="faithfulness"))

    assert comparison.data.removed == ()
    assert comparison.data.selected == 3
    assert (
        "only a part of the golden set was run: nothing is known of the rest" in decision.warnings
    )


def test_a_cluster_is_a_metadata_value_or_a_tag_with_its_prefix():
    samples = [
        Sample(id="a", query="a", metadata={"doc": "x"}),
        Sample(id="b", query="b", metadata={"doc": "x"}),
        Sample(id="c", query="c", tags=("other", "doc:y")),
        Sample(id="d", query="d"),
    ]
    scores = {"faithfulness": [[1.0]] * 4}
    found = compare(run_of(scores, samples), run_of(scores, samples), samples, cluster="doc")

    assert found.clusters is not None
    assert len(set(found.clusters.tolist())) == 3
    assert found.clusters[0] == found.clusters[1]


def test_added_samples_count_where_samples_are_counted():
    samples = samples_of(12)
    before = run_of({"faithfulness": [[1.0]] * 9}, samples[:9])
    after = run_of(
        {"faithfulness": [[1.0]] * 8 + [[None], ["n/a"], [None], [1.0]]}, samples, words="after"
    )
    row = row_of(judge(compare(before, after, samples), RULE, max_unscored=0.9), "faithfulness")

    assert (row.not_applicable, row.unscored_candidate) == (1, 2)


def test_an_empty_baseline_matches_nothing_and_that_is_not_enough():
    samples = samples_of(3)
    run = run_of({"faithfulness": [[1.0]] * 3}, samples)
    empty = run.amended(records=())

    assert not compare(empty, run, samples).enough


def test_a_removed_sample_is_named_with_the_mean_of_its_runs():
    samples = samples_of(6)
    scores = {"faithfulness": [[1.0, 0.5, 0.0, 0.5]] * 6}
    pair = compare(
        run_of(scores, samples, words="before"),
        run_of({"faithfulness": [[1.0]] * 5}, samples[1:], words="after"),
        samples[1:],
    )

    (gone,) = pair.data.removed
    assert (gone.sample_id, gone.means) == ("q0000", {"faithfulness": 0.5})


def test_what_a_filter_leaves_out_has_no_other_name_in_the_run():
    kept, twin = samples_of(1)[0], samples_of(1)[0].amended(id="twin")
    baseline = run_of({"faithfulness": [[1.0]]}, [kept], words="before")
    whole = run_of({"faithfulness": [[1.0]]}, [twin])
    filtered = whole.amended(manifest=whole.manifest.amended(filters=Filters(ids=("twin",))))

    assert [one.sample_id for one in as_named_today(baseline, whole).records] == ["twin"]
    assert [one.sample_id for one in as_named_today(baseline, filtered).records] == [kept.id]

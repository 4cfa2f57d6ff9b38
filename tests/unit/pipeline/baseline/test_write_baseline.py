"""What a run's figures are."""

from ragate.baseline.means import MeansReader
from ragate.models import unscored
from ragate.pipeline.baseline.write_baseline import run_means
from tests.factories import record_factory, run_factory, sample_factory
from tests.unit.pipeline.history.history_factories import content


def test_a_sample_that_was_asked_again_counts_once():
    run = run_factory(
        [
            record_factory(scores={"mrr": 0.0}),
            record_factory(scores={"mrr": 0.0}, run=1),
            record_factory(scores={"mrr": 0.0}, run=2),
            record_factory(sample_factory("q002"), scores={"mrr": 1.0}),
        ]
    )

    assert run_means(run) == {"mrr": 0.5}


def test_history_and_run_have_the_same_means_where_a_pass_went_unscored():
    run = run_factory(
        [
            record_factory(scores={"mrr": 0.0}),
            record_factory(sample_factory("q002"), scores={"mrr": 0.5}),
            record_factory(scores={"mrr": unscored("mrr", "timeout")}, run=1),
            record_factory(sample_factory("q002"), scores={"mrr": 1.0}, run=1),
        ]
    )

    assert (
        MeansReader().read(content(run), where="b.json").means == run_means(run) == {"mrr": 0.375}
    )

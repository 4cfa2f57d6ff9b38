"""The means of a baseline file, read line by line."""

import json

import pytest

from ragate.contrib.history import means
from ragate.contrib.history.means import MeansReader, _FileMetrics, _of_line
from ragate.core.comparison.run_passes import run_means
from ragate.core.decision.scorecard import means_of
from ragate.errors import BaselineError
from ragate.models import unscored
from tests.contrib.history.history_factories import content, scored
from tests.factories import record_factory, run_factory, sample_factory
from tests.unit.core.scorecard.card_factories import card, stage


def test_means_are_those_of_the_whole_reading():
    means = MeansReader().read(content(scored(0.25)), where="b.json").means

    assert means == run_means(scored(0.25))


def test_a_file_that_was_laid_out_anew_reads_the_same():
    data = content(scored(0.25))
    pretty = json.dumps(json.loads(data), indent=4).encode()

    assert MeansReader().read(pretty, where="b") == MeansReader().read(data, where="b")


CARD = card(stage("mrr", pass_at=0.5))


def test_what_a_scorecard_makes_of_a_version_is_read_too():
    for value in (0.25, 0.75):
        run = scored(value)
        means = MeansReader(CARD).read(content(run), where="b.json").means

        assert means == pytest.approx(means_of(run, CARD))
        assert {"pass_rate", "overall_score"} <= means.keys()


def test_a_version_without_a_stage_has_no_pass_rate():
    lacking = card(stage("mrr"), stage("never_measured"))

    read = MeansReader(lacking).read(content(scored(0.25)), where="b.json")

    assert read == MeansReader().read(content(scored(0.25)), where="b.json")


def test_a_sample_that_is_none_is_refused():
    data = content(scored(0.25)).replace(b'"outputs":[', b'"output":[', 1)

    with pytest.raises(BaselineError, match="not a baseline"):
        MeansReader().read(data, where="b.json")


def test_what_a_version_took_away_leaves_nothing_behind():
    reader = MeansReader()
    versions = [content(scored(value)) for value in (0.1, 0.7, 0.3, 1e-7, 0.1)]

    read = [reader.read(data, where="b.json") for data in versions]

    assert read == [MeansReader().read(data, where="b.json") for data in versions]


def test_only_what_a_version_has_anew_is_read(monkeypatch: pytest.MonkeyPatch):
    read: list[bytes] = []

    def reading(line: bytes, metrics: _FileMetrics) -> means.Means:
        read.append(line[:6])
        return _of_line(line, metrics)

    monkeypatch.setattr(means, "_of_line", reading)
    reader = MeansReader()

    for run in (scored(0.1), scored(0.2), scored(0.2, version=2)):
        reader.read(content(run), where="b.json")

    assert read == [b'"q001"', b'"q002"', b'"q001"', b'"q001"', b'"q002"']


def test_a_broken_version_does_not_spoil_the_next():
    reader = MeansReader()
    good, broken = content(scored(0.5)), content(scored(0.25)).replace(b'"outputs":[', b'"o":[', 1)
    reader.read(good, where="b.json")

    with pytest.raises(BaselineError):
        reader.read(broken, where="b.json")

    assert reader.read(content(scored(0.75)), where="b.json").means == run_means(scored(0.75))


def test_a_sample_that_stands_twice_is_refused():
    head, line, rest = content(scored(1.0)).partition(b'"q002"')
    data = (
        head + line + rest.replace(b"\n}\n}\n", b",\n" + line + rest.split(b"\n")[0] + b"\n}\n}\n")
    )

    with pytest.raises(BaselineError, match="twice"):
        MeansReader().read(data, where="b.json")


@pytest.mark.parametrize("index", [-1, 7])
def test_a_run_that_names_no_output_is_refused(index: int):
    line = f'"q": {{"outputs": [{{"scores": {{}}}}], "runs": [{index}]}}'.encode()

    with pytest.raises(BaselineError, match="there are outputs 0 to 0"):
        _of_line(line, _FileMetrics(None, {}))


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

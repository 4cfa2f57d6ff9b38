"""The means of a baseline file, read line by line."""

import json

import pytest

from ragate.baseline.means import MeansReader
from ragate.errors import BaselineError
from ragate.pipeline.baseline.write_baseline import run_means
from tests.unit.pipeline.history.history_factories import content, scored


def test_means_are_those_of_the_whole_reading():
    means = MeansReader().read(content(scored(0.25)), where="b.json").means

    assert means == run_means(scored(0.25))


def test_a_file_that_was_laid_out_anew_reads_the_same():
    data = content(scored(0.25))
    pretty = json.dumps(json.loads(data), indent=4).encode()

    assert MeansReader().read(pretty, where="b") == MeansReader().read(data, where="b")


def test_a_sample_that_is_none_is_refused():
    data = content(scored(0.25)).replace(b'"outputs":[', b'"output":[', 1)

    with pytest.raises(BaselineError, match="not a baseline"):
        MeansReader().read(data, where="b.json")

"""What a plugin outside of this repository imports, beside `ragate.models` and `ragate.protocols`.

The names here stay where they are; the modules that they come from may move.
"""

from ragate.answers.wrapped_system import WrappedSystem
from ragate.config import find_config, load_config
from ragate.core.hashing import digest
from ragate.core.judging.applicability import (
    failed,
    provider_failure,
    unanswerable,
    without_reference,
)
from ragate.core.judging.criteria import ALL_CRITERIA, Criterion, sort_out, unasked_score
from ragate.core.ranking import ranked_doc_ids
from ragate.errors import ConfigError, ProviderError
from ragate.guards.escape import one_line, plain
from ragate.metrics._identity import metric_info, own_settings
from ragate.metrics._sample_metric import SampleMetric, of_a_part
from ragate.settings import read_settings
from ragate.spans import own_counter, own_histogram, own_span

__all__ = [
    "ALL_CRITERIA",
    "ConfigError",
    "Criterion",
    "ProviderError",
    "SampleMetric",
    "WrappedSystem",
    "digest",
    "failed",
    "find_config",
    "load_config",
    "metric_info",
    "of_a_part",
    "one_line",
    "own_counter",
    "own_histogram",
    "own_settings",
    "own_span",
    "plain",
    "provider_failure",
    "ranked_doc_ids",
    "read_settings",
    "sort_out",
    "unanswerable",
    "unasked_score",
    "without_reference",
]

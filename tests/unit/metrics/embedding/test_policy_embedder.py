"""The embedder that a policy names."""

from __future__ import annotations

from typing import Any

import pytest

from ragate import plugins
from ragate.errors import ConfigError


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"use": "hash"}, "use = 'hash': no embedder of ragate; did you mean 'hashing'"),
        ({"dimensions": 64}, "embedder: use is missing"),
        ({"use": "hashing", "dimension": 64}, "unknown key 'dimension'; did you mean 'dimensions'"),
        ({"use": "hashing", "dimensions": 1}, "dimensions = 1"),
        ({"use": 3}, "use = 3: no embedder of ragate"),
        ({"use": "mine.embedder"}, "use = 'mine.embedder': no embedder of ragate"),
    ],
)
def test_a_wrong_embedder_names_the_metric_the_key_and_what_is_known(
    table: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        plugins.metric("embedded_correctness", settings={"embedder": table})

    assert message in raised.value.message
    assert '[policy.metrics."embedded_correctness"] embedder' in raised.value.message

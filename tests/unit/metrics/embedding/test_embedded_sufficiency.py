"""Contexts that are near enough."""

from __future__ import annotations

import pytest

from ragate.errors import ConfigError
from tests.unit.metrics.metric_factories import (
    answered,
    asked,
    make,
    value,
)


@pytest.mark.parametrize("threshold", [0.4, 0.9])
def test_a_threshold_is_reached_from_itself_on(threshold: float) -> None:
    output = answered("a b", "a c")  # a cosine of 0.5
    settings = {"threshold": threshold}

    found = value("embedded_hallucination", asked(), output, settings=settings)
    enough = value("embedded_sufficiency", asked(query="a b"), output, settings=settings)

    assert (found, enough) == ((0.0, 1.0) if threshold < 0.5 else (1.0, 0.0))
    assert value("embedded_sufficiency", asked(query="a b"), output) == 1.0


@pytest.mark.parametrize("threshold", [0, 1.5, "high"])
def test_a_threshold_outside_of_its_range_is_an_error(threshold: object) -> None:
    with pytest.raises(ConfigError, match="threshold"):
        make("embedded_sufficiency", settings={"threshold": threshold})

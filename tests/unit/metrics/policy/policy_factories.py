"""Samples that say something of keywords, sources and form."""

from __future__ import annotations

from typing import Any

from ragate.models import Sample, SourcePolicy
from tests.unit.metrics.metric_factories import asked


def wants(*keywords: str | tuple[str, ...]) -> Sample:
    groups = tuple((one,) if isinstance(one, str) else one for one in keywords)
    return asked().amended(answer_keywords=groups)


def policy(**fields: Any) -> Sample:
    return asked().amended(source_policy=SourcePolicy(**fields))

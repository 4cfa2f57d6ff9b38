"""Samples that want their passages arranged, and systems that cannot do it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from ragate.errors import ConfigError
from ragate.pipeline.run.ready_system import refuse_unarranged
from ragate.protocols import System
from ragate.runtime.wrapped_system import WrappedSystem
from tests.factories import sample_factory

PLAIN = sample_factory("q1")
VARIED = [sample_factory(name).amended(arrange="reversed") for name in ("q2", "q3")]


def system(**fields: Any) -> System:
    return cast("System", WrappedSystem(cast("System", SimpleNamespace(**fields))))


@pytest.mark.parametrize("fields", [{}, {"arranges": False}])
def test_a_system_that_arranges_nothing_is_not_asked_such_a_sample(fields: dict[str, bool]) -> None:
    with pytest.raises(ConfigError, match=r"q2 \(and 1 more\) has arrange = 'reversed', which"):
        refuse_unarranged("http", system(**fields), [PLAIN, *VARIED])


def test_one_that_does_is_asked_and_so_is_any_without_such_samples() -> None:
    refuse_unarranged("pgvector", system(arranges=True), [PLAIN, *VARIED])
    refuse_unarranged("http", system(), [PLAIN])

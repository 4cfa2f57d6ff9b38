"""A model that is too weak to judge is found out, and soon."""

from __future__ import annotations

import asyncio

import pytest

from benchmarks.weak_judge import tried
from tests.servers.llama import Llama, lacking

pytestmark = [pytest.mark.model, pytest.mark.skipif(bool(lacking()), reason=lacking())]


@pytest.mark.parametrize("_run", range(5))
def test_a_weak_judge_is_not_believed_and_costs_at_most_30_calls(
    real_model: Llama, _run: int
) -> None:
    found = asyncio.run(tried(real_model.base_url, "relevancy", 30))

    assert "the reply" in found.why
    assert found.calls <= 30

from __future__ import annotations

from ragate.renderers.console._asides import passing, stages_briefly
from ragate.renderers.console._page import Page
from tests.factories import report_factory
from tests.unit.renderers.card_case import scorecard

PAGE = Page(colour=False, ci=True)


def test_without_a_scorecard_nothing_is_said() -> None:
    assert stages_briefly(report_factory(), PAGE) == ""
    assert passing(report_factory(), PAGE) == []


def test_the_stages_are_one_sentence() -> None:
    assert stages_briefly(scorecard(), PAGE) == (
        "Stages passed: retrieval 0.900 → 0.780, token_f1 0.850 → 0.800"
    )


def test_every_group_has_its_share_its_size_and_what_it_rests_on() -> None:
    lines = "\n".join(passing(scorecard(), PAGE))

    assert "retrieval: 0.900 → 0.780, 200 samples, 95 % interval 0.730 … 0.830, recall@5" in lines
    assert "weight 0.5, required" in lines
    assert "Pass rate by source_type" in lines

from __future__ import annotations

from ragate.models import SampleOutcome
from ragate.renderers import console
from ragate.renderers.console import MOST, every_sample, set_up
from ragate.renderers.console._page import Page
from tests.factories import report_factory

PAGE = Page(colour=False, ci=True)
SETTINGS = {
    "chunk_size": "512",
    "answer.model": '"gpt-5-mini"',
    "retrieval": '"bm25"',
    "top_k": "15",
    "word_forms": "true",
    "answer.prompt": '""',
}


def test_models_and_top_k_stand_before_other_settings() -> None:
    report = report_factory(settings=SETTINGS, judge="rubric openai gpt-5-nano")

    assert " ".join(" ".join(set_up(report, PAGE)).split()) == (
        "System: pgvector · judge rubric openai gpt-5-nano · answer.model gpt-5-mini · top_k 15 · "
        "retrieval bm25 · chunk_size 512 · word_forms true"
    )
    assert "3 more settings" in " ".join(set_up(report, PAGE, most=2))


def test_a_system_of_which_nothing_is_known_has_no_line() -> None:
    assert set_up(report_factory(), PAGE) == []


def test_a_setting_cannot_start_a_command_of_the_log() -> None:
    text = console.render(report_factory(settings={"x": '"::error::y"', "z": "no json"}))

    assert "\n::error" not in text
    assert "z no json" in text


def test_every_sample_has_its_word_its_scores_and_its_time() -> None:
    report = report_factory(
        outcomes=(
            SampleOutcome("q1", False, True, {"recall@5": 0.5, "faithfulness": None}, 12.34),
            SampleOutcome("q2", True, True, {"recall@5": 1.0}),
            SampleOutcome("q3", None, None, {}),
        )
    )

    assert every_sample(report, PAGE)[1:] == [
        "  FAIL (was PASS) q1: recall@5 0.500, faithfulness –, 12.34 s",
        "  PASS q2: recall@5 1.000",
        "  – q3:",
    ]
    assert "FAIL (was PASS) q1" in console.render(report, verbose=True)
    assert "FAIL (was PASS) q1" not in console.render(report)


def test_of_very_many_samples_the_first_are_listed_and_the_rest_counted() -> None:
    report = report_factory(outcomes=tuple(SampleOutcome(f"q{n}") for n in range(MOST + 7)))

    assert every_sample(report, PAGE)[-1] == "  and 7 more: --format json"

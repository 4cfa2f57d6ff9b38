"""The three states of a score, and failed outputs, for every metric."""

from __future__ import annotations

import pytest

from ragate import plugins
from ragate.errors import ConfigError
from ragate.models import (
    Direction,
    ExpectedCall,
    Reads,
    Sample,
    ScoreState,
    SourcePolicy,
    Tool,
)
from tests.unit.metrics.metric_factories import (
    AGGREGATES,
    BOUNDED,
    CLAIMS,
    EVERY,
    JUDGED,
    ON_SAMPLES,
    POLICIES,
    REFERENCE,
    REFUSALS,
    RETRIEVAL,
    TOOLS,
    answered,
    asked,
    broken,
    make,
    metric,
    retrieved,
    score,
    value,
)
from tests.unit.whole import of_the_whole

ANSWER_METRICS = (*REFERENCE, *CLAIMS, *REFUSALS, *sorted({*POLICIES} - {"allowed_sources"}))


def sample_for(name: str) -> Sample:
    sample = asked("It is 42.", answerable=name != "refusal_recall", relevant={"a": 1})
    policy = SourcePolicy(form="quote_only", forbidden=("b",))
    sample = sample.amended(answer_keywords=(("42",),), source_policy=policy, tags=("list",))
    if name not in TOOLS:
        return sample
    calls = (
        ()
        if name == "irrelevance"
        else (
            ExpectedCall(name="f", arguments={"a": 1}),
            ExpectedCall(name="g"),
        )
    )
    return sample.amended(tools=(Tool(name="f"), Tool(name="g")), expected_calls=calls)


def worst_of(name: str) -> float:
    return 0.0 if metric(name).info.direction is Direction.HIGHER else 1.0


def reads_no_answer(name: str) -> bool:
    return metric(name).info.reads is Reads.RETRIEVAL


def test_a_failed_sample_has_the_worst_value() -> None:
    for name in BOUNDED:
        assert value(name, sample_for(name), broken("system")) == worst_of(name), name


def test_an_answer_that_failed_has_the_worst_value_whatever_was_retrieved() -> None:
    for name in [name for name in BOUNDED if not reads_no_answer(name)]:
        for output in [broken("system", "a"), retrieved("a").amended(answer=" \n")]:
            assert value(name, sample_for(name), output) == worst_of(name), name


@pytest.mark.parametrize("kind", ["system", "provider"])
def test_what_was_retrieved_before_the_answer_failed_is_scored(kind: str) -> None:
    for name in [name for name in ON_SAMPLES if reads_no_answer(name)]:
        whole = score(name, sample_for(name), retrieved("a"))

        assert score(name, sample_for(name), broken(kind, "a")) == whole, name
        assert score(name, sample_for(name), retrieved("a").amended(answer="")) == whole, name


def test_a_providers_failure_is_unscored_with_its_reason() -> None:
    for name in ON_SAMPLES:
        output = broken("provider") if reads_no_answer(name) else broken("provider", "a")
        result = score(name, sample_for(name), output)

        assert result.state is ScoreState.UNSCORED, name
        assert result.reason == "provider: it broke", name


def test_answer_metrics_of_a_retrieval_only_run_are_unscored() -> None:
    for name in ANSWER_METRICS:
        result = score(name, sample_for(name), retrieved("a"))

        assert result.state is ScoreState.UNSCORED, name
        assert result.reason == "no answer was asked for", name


def test_retrieval_metrics_need_no_answer() -> None:
    for name in RETRIEVAL:
        assert value(name, sample_for(name), retrieved("a")) > 0, name


def test_an_unanswerable_question_is_not_applicable() -> None:
    for name in [*REFERENCE, *CLAIMS, "false_refusal"]:
        for output in [answered("It is 42.", "It is 42."), broken()]:
            result = score(name, asked("It is 42.", answerable=False), output)

            assert result.state is ScoreState.NOT_APPLICABLE, name
            assert result.reason == "unanswerable question", name


def test_an_answerable_question_is_not_applicable_to_refusal_recall() -> None:
    result = score("refusal_recall", asked("x"), answered("I don't know."))

    assert result.state is ScoreState.NOT_APPLICABLE


def test_without_a_reference_nothing_applies() -> None:
    for name in REFERENCE:
        for references in [(), ("", " \n")]:
            assert (
                score(name, asked(*references), answered("x")).state is ScoreState.NOT_APPLICABLE
            ), name


def test_what_a_failed_sample_took_is_left_out() -> None:
    for name in sorted({*ON_SAMPLES} - {*BOUNDED}):
        result = score(name, sample_for(name), broken("system", "a"))

        assert result.state is ScoreState.NOT_APPLICABLE, name


def test_applicability_does_not_depend_on_the_output() -> None:
    for name in BOUNDED:
        outputs = [answered("x 1", "y"), answered(None), answered(""), broken(), broken("provider")]
        for sample in (asked(), asked("a 1"), asked("a 1", answerable=False, relevant={"a": 1})):
            scores = metric(name).score_samples([(sample, output) for output in outputs])

            assert len({s.state is ScoreState.NOT_APPLICABLE for s in scores}) == 1, name


def test_an_unknown_key_is_an_error() -> None:
    for name in EVERY:
        with pytest.raises(ConfigError, match="unknown key 'fuzz'"):
            make(name, settings={"fuzz": 1})


def test_a_cut_off_is_refused_where_nothing_is_cut() -> None:
    for name in sorted({*EVERY} - {*RETRIEVAL, "overlap@10"}):
        with pytest.raises(ConfigError, match="takes no cut-off"):
            make(f"{name}@3")


def test_every_metric_that_is_found_is_tested() -> None:
    assert {name.partition("@")[0] for name in EVERY} == set(plugins.names("metrics"))
    assert {*RETRIEVAL, *REFERENCE, *CLAIMS, *REFUSALS, *POLICIES, *AGGREGATES, *JUDGED} < {*EVERY}


def test_every_metric_keeps_its_protocol() -> None:
    for name in EVERY:
        assert plugins.metric(name).info == EVERY[name], name


@of_the_whole
def test_a_judged_metric_asks_for_what_a_judge_of_ours_knows() -> None:
    for name in JUDGED:
        known = {word for judge in plugins.names("judges") for word in judge_criteria(judge)}

        assert make(name).criterion in known, name


def judge_criteria(judge: str) -> frozenset[str]:
    known: frozenset[str] = plugins.load("judges", judge).CRITERIA
    return known


def test_every_metric_documents_itself() -> None:
    for name in EVERY:
        module = plugins.load("metrics", name.partition("@")[0])

        for part in ("Formula: ", "Range ", "is better", "Version ", "Edge cases: ", "Source: "):
            assert part in " ".join((module.create.__doc__ or "").split()) + " ", name


def test_every_metric_has_a_fingerprint_and_the_direction_it_documents() -> None:
    for name in EVERY:
        info = make(name).info
        module = plugins.load("metrics", name.partition("@")[0])

        assert len(info.fingerprint) == 16, name
        assert f"{info.direction} is better" in " ".join(module.create.__doc__.split()), name
        assert f"Version {info.version}." in module.create.__doc__, name


def test_error_rate_tells_failures_from_answers() -> None:
    assert value("error_rate", asked(), answered("x")) == 0.0
    assert value("error_rate", asked(), retrieved("a")) == 0.0
    assert value("error_rate", asked(), broken()) == 1.0
    assert value("error_rate", asked(), answered("")) == 1.0

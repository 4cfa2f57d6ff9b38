"""The three states of a score, and failed outputs, for every metric."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ragate import plugins
from ragate.errors import ConfigError
from ragate.models import (
    Direction,
    ExpectedCall,
    Sample,
    ScoreState,
    SourcePolicy,
    SystemOutput,
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


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("output", [broken("system", "a"), retrieved("a").amended(answer=" \n")])
def test_a_failed_sample_has_the_worst_value(name: str, output: SystemOutput) -> None:
    worst = 0.0 if metric(name).info.direction is Direction.HIGHER else 1.0

    assert value(name, sample_for(name), output) == worst


@pytest.mark.parametrize("name", ON_SAMPLES)
def test_a_providers_failure_is_unscored_with_its_reason(name: str) -> None:
    result = score(name, sample_for(name), broken("provider", "a"))

    assert result.state is ScoreState.UNSCORED
    assert result.reason == "provider: it broke"


@pytest.mark.parametrize("name", ANSWER_METRICS)
def test_answer_metrics_of_a_retrieval_only_run_are_unscored(name: str) -> None:
    result = score(name, sample_for(name), retrieved("a"))

    assert result.state is ScoreState.UNSCORED
    assert result.reason == "no answer was asked for"


@pytest.mark.parametrize("name", RETRIEVAL)
def test_retrieval_metrics_need_no_answer(name: str) -> None:
    assert value(name, sample_for(name), retrieved("a")) > 0


@pytest.mark.parametrize("name", [*REFERENCE, *CLAIMS, "false_refusal"])
@pytest.mark.parametrize("output", [answered("It is 42.", "It is 42."), broken()])
def test_an_unanswerable_question_is_not_applicable(name: str, output: SystemOutput) -> None:
    result = score(name, asked("It is 42.", answerable=False), output)

    assert result.state is ScoreState.NOT_APPLICABLE
    assert result.reason == "unanswerable question"


def test_an_answerable_question_is_not_applicable_to_refusal_recall() -> None:
    result = score("refusal_recall", asked("x"), answered("I don't know."))

    assert result.state is ScoreState.NOT_APPLICABLE


@pytest.mark.parametrize("name", REFERENCE)
@pytest.mark.parametrize("references", [(), ("", " \n")])
def test_without_a_reference_nothing_applies(name: str, references: tuple[str, ...]) -> None:
    assert score(name, asked(*references), answered("x")).state is ScoreState.NOT_APPLICABLE


@pytest.mark.parametrize("name", sorted({*ON_SAMPLES} - {*BOUNDED}))
def test_what_a_failed_sample_took_is_left_out(name: str) -> None:
    result = score(name, sample_for(name), broken("system", "a"))

    assert result.state is ScoreState.NOT_APPLICABLE


@pytest.mark.parametrize("name", BOUNDED)
def test_applicability_does_not_depend_on_the_output(name: str) -> None:
    outputs = [answered("x 1", "y"), answered(None), answered(""), broken(), broken("provider")]
    for sample in (asked(), asked("a 1"), asked("a 1", answerable=False, relevant={"a": 1})):
        scores = metric(name).score_samples([(sample, output) for output in outputs])

        assert len({s.state is ScoreState.NOT_APPLICABLE for s in scores}) == 1


@pytest.mark.parametrize("name", EVERY)
def test_an_unknown_key_is_an_error(name: str) -> None:
    with pytest.raises(ConfigError, match="unknown key 'fuzz'"):
        make(name, settings={"fuzz": 1})


@pytest.mark.parametrize("name", sorted({*EVERY} - {*RETRIEVAL, "overlap@10"}))
def test_a_cut_off_is_refused_where_nothing_is_cut(name: str) -> None:
    with pytest.raises(ConfigError, match="takes no cut-off"):
        make(f"{name}@3")


def test_every_metric_that_is_found_is_tested() -> None:
    assert {name.partition("@")[0] for name in EVERY} == set(plugins.names("metrics"))
    assert {*RETRIEVAL, *REFERENCE, *CLAIMS, *REFUSALS, *POLICIES, *AGGREGATES, *JUDGED} < {*EVERY}


@pytest.mark.parametrize("name", EVERY)
def test_every_metric_keeps_its_protocol(name: str) -> None:
    assert plugins.metric(name).info == EVERY[name]


@pytest.mark.parametrize("name", JUDGED)
def test_a_judged_metric_asks_for_what_a_judge_of_ours_knows(name: str) -> None:
    known = {word for judge in plugins.names("judges") for word in judge_criteria(judge)}

    assert make(name).criterion in known


def judge_criteria(judge: str) -> frozenset[str]:
    known: frozenset[str] = plugins.load("judges", judge).CRITERIA
    return known


@pytest.mark.parametrize("name", EVERY)
def test_every_metric_documents_itself(name: str) -> None:
    module = plugins.load("metrics", name.partition("@")[0])

    for part in ("Formula: ", "Range ", "is better", "Version ", "Edge cases: ", "Source: "):
        assert part in " ".join((module.create.__doc__ or "").split()) + " "


@pytest.mark.parametrize("name", EVERY)
def test_every_metric_has_a_fingerprint_and_the_direction_it_documents(name: str) -> None:
    info = make(name).info
    module = plugins.load("metrics", name.partition("@")[0])

    assert len(info.fingerprint) == 16
    assert f"{info.direction} is better" in " ".join(module.create.__doc__.split())
    assert f"Version {info.version}." in module.create.__doc__


def test_error_rate_tells_failures_from_answers() -> None:
    assert value("error_rate", asked(), answered("x")) == 0.0
    assert value("error_rate", asked(), retrieved("a")) == 0.0
    assert value("error_rate", asked(), broken()) == 1.0
    assert value("error_rate", asked(), answered("")) == 1.0


def test_metrics_load_without_numpy_or_any_client() -> None:
    paths = {plugins.locate("metrics", base) for base in plugins.names("metrics")}
    heavy = ("numpy", "openai", "psycopg", "llama_index", "jinja2")
    code = (
        "import sys\n"
        + "".join(f"import {path.partition(':')[0]}\n" for path in paths)
        + f"print([name for name in {heavy} if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

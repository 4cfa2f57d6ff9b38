from __future__ import annotations

from pathlib import Path

import pytest

from ragate.config.read import parse_config
from ragate.config.scorecard import preset_names
from ragate.core.decision.scorecard import read_stages, sample_scores
from ragate.errors import ConfigError
from ragate.models import MetricInfo, Score, Scorecard

BASE = """
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["replay"]
replay_paths = ["outputs/*.jsonl"]
[system]
use = "replay"
paths = ["outputs/*.jsonl"]
[policy.providers.openai]
base_url = "https://api.example/v1"
[policy.judge]
use = "rubric"
provider = "openai"
model = "gpt-5-nano"
"""
STAGE = '[policy.scorecard.stages.retrieval]\nmetric = "recall@5"\npass_at = 0.5\n'


def config_of(text: str, *, base: str = BASE, root: Path = Path("/project")):
    return parse_config(base + text, where="ragate.toml", root=root)


def card_of(text: str, **given) -> Scorecard:
    card = config_of(text, **given).policy.scorecard
    assert isinstance(card, Scorecard)
    return card


def test_a_policy_without_the_table_has_no_scorecard() -> None:
    policy = config_of("[policy.metrics.token_f1]\n").policy

    assert policy.scorecard is None
    assert policy.rules == policy.metrics


def test_a_stage_brings_its_metric_which_is_shown_and_not_gated() -> None:
    policy = config_of(STAGE).policy

    (rule,) = policy.metrics
    assert (rule.metric, rule.level, rule.pass_at) == ("recall@5", "warn", 0.5)
    assert policy.gated == {"pass_rate"}
    assert policy.needed == {"pass_rate", "recall@5"}


def test_a_metric_with_a_table_keeps_its_rule_and_takes_the_mark() -> None:
    policy = config_of('[policy.metrics."recall@5"]\nminimum = 0.7\n' + STAGE).policy

    (rule,) = policy.metrics
    assert (rule.level, rule.minimum, rule.pass_at) == ("error", 0.7, 0.5)


def test_only_a_metric_with_a_table_has_a_row_of_its_own() -> None:
    card = card_of("[policy.metrics.token_f1]\n[policy.scorecard.stages.token_f1]\n" + STAGE)

    assert {stage.metric: stage.own_row for stage in card.stages} == {
        "token_f1": True, "recall@5": False,
    }  # fmt: skip


def test_the_mark_may_stand_at_the_metric() -> None:
    card = card_of(
        '[policy.metrics."recall@5"]\npass_at = 0.9\n'
        '[policy.scorecard.stages.retrieval]\nmetric = "recall@5"\nrequired = true\n'
    )

    assert card.stages[0].pass_at == 0.9


def test_the_pass_rate_is_held_as_a_share_and_the_overall_score_is_shown() -> None:
    text = STAGE + "[policy.scorecard.pass_rate]\nminimum = 0.8\nmax_drop = 0.01\n"
    share, overall = card_of(text).rules

    assert (share.metric, share.minimum, share.max_drop, share.pass_at) == (
        "pass_rate", 0.8, 0.01, 1.0,
    )  # fmt: skip
    assert (overall.metric, overall.level) == ("overall_score", "warn")


def test_slices_and_waivers_may_name_the_pass_rate() -> None:
    text = STAGE + (
        '[[policy.slices]]\nname = "hard"\nwhere = ["complexity=3"]\nmetrics = ["pass_rate"]\n'
        "minimum = 0.5\n"
        '[[policy.waivers]]\nid = "q1"\nmetric = "pass_rate"\nowner = "me"\nreason = "r"\n'
        "until = 2099-01-01\n"
    )

    assert config_of(text).policy.slices[0].metrics == ("pass_rate",)


def test_weights_that_were_not_written_need_no_word() -> None:
    two = STAGE + "[policy.scorecard.stages.token_f1]\n"

    assert card_of(two).weights == 1.0
    assert card_of(two + "weight = 0.7\n").weights == 1.7


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_is_a_scorecard_whose_weights_sum_to_one(name: str) -> None:
    card = card_of(f'[policy.scorecard]\npreset = "{name}"\n')

    assert card.weights == pytest.approx(1.0)


def test_a_stage_that_needs_a_table_is_left_out_without_it() -> None:
    preset = '[policy.scorecard]\npreset = "tool-calls"\n'
    execution = '[policy.execution]\ntarget = "calls:run"\n'
    bare = BASE.partition("[policy.judge]")[0]

    names = [
        [stage.name for stage in card_of(preset + more, base=base).stages][3:]
        for base, more in ((bare, ""), (BASE, ""), (BASE, execution))
    ]

    assert names == [[], ["semantics"], ["execution", "semantics"]]
    assert card_of(preset, base=bare).weights == pytest.approx(1.0)


def test_a_policy_that_is_violated_leaves_the_stages_before_it() -> None:
    card = card_of('[policy.scorecard]\npreset = "rag"\n')
    worst = {"source_policy"}
    infos = {one.metric: MetricInfo(name=one.metric) for one in card.stages}
    scores = {
        name: Score(metric=name, value=0.2 if name == "precision@5" else float(name not in worst))
        for name in infos
    }

    overall, _ = sample_scores(card, infos, read_stages(card, infos, scores))

    assert overall.value == pytest.approx(0.80)
    assert [one.name for one in card.stages if one.required] == [
        *("source_policy", "policy_compliance")
    ]


def test_the_six_checks_are_a_preset() -> None:
    card = card_of(
        '[policy.scorecard]\npreset = "checks"\n', base=BASE.partition("[policy.judge]")[0]
    )

    assert {one.metric for one in card.stages} == {
        *("not_empty", "has_contexts", "has_citations"),
        *("no_fallback", "min_retrieval_score", "list_structure"),
    }
    assert {one.pass_at for one in card.stages} == {1.0}


def test_what_is_written_beside_a_preset_wins_key_by_key() -> None:
    card = card_of(
        '[policy.scorecard]\npreset = "retrieval"\nparallel = true\n'
        "[policy.scorecard.stages.retrieval]\nrequired = true\n"
        "[policy.scorecard.stages.token_f1]\nweight = 0.1\n"
    )

    assert [stage.name for stage in card.stages] == [
        *("retrieval", "precision", "mrr", "context_relevance", "token_f1")
    ]
    assert (card.stages[0].metric, card.stages[0].required) == ("recall@5", True)
    assert card.parallel


def test_stages_of_a_preset_can_be_left_out() -> None:
    card = card_of('[policy.scorecard]\npreset = "retrieval"\nwithout = ["context_relevance"]\n')

    assert [stage.name for stage in card.stages] == ["retrieval", "precision", "mrr"]


@pytest.mark.parametrize(
    ("judge", "mark"),
    [
        ('model = "gpt-5-nano"', 0.25),
        ('model = "openai/gpt-5-nano"', 0.25),
        ('model = "o4-mini-2025-04-16"', 0.25),
        ('model = "openai/o3"', 0.25),
        ('model = "olmo-2"', 0.35),
        ('model = "claude-3-5-haiku"', 0.35),
    ],
)
def test_a_pass_mark_may_depend_on_the_judge(judge: str, mark: float) -> None:
    base = BASE.replace('model = "gpt-5-nano"', judge).replace("openai", "server")
    base = base.replace("server/gpt", "openai/gpt")

    card = card_of('[policy.scorecard]\npreset = "retrieval"\n', base=base)

    assert card.stages[-1].pass_at == mark


def test_the_provider_of_the_judge_may_decide_as_well() -> None:
    base = BASE.replace('model = "gpt-5-nano"', 'model = "my-deployment"')
    text = STAGE + 'pass_at_by_judge = { openai = 0.1, "my-*" = 0.2 }\n'

    assert card_of(text, base=base).stages[0].pass_at == 0.1


def test_a_preset_of_ones_own_is_a_file_in_the_project(tmp_path: Path) -> None:
    own = '[stages.answer]\nmetric = "token_f1"\npass_at = 0.4\n[pass_rate]\nminimum = 0.6\n'
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals/card.toml").write_text(own)

    card = card_of('[policy.scorecard]\npreset = "evals/card.toml"\n', root=tmp_path)

    assert (card.stages[0].name, card.pass_rate.minimum) == ("answer", 0.6)


@pytest.mark.parametrize(
    ("own", "says"),
    [
        ("[stages.answer\n", "evals/card.toml: not TOML"),
        ("[stages.answer]\nweigth = 1\n", "unknown key 'weigth'; did you mean 'weight'?"),
        ('preset = "rag"\n', "a preset cannot name another one"),
    ],
)
def test_a_preset_that_is_none_is_named(tmp_path: Path, own: str, says: str) -> None:
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals/card.toml").write_text(own)

    with pytest.raises(ConfigError) as raised:
        config_of('[policy.scorecard]\npreset = "evals/card.toml"\n', root=tmp_path)

    assert says in raised.value.message
    assert "evals/card.toml" in raised.value.message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[policy.scorecard]\npreset = "retreival"\n', "no such preset; did you mean 'retrieval'?"),
        ('[policy.scorecard]\npreset = "../card.toml"\n', "[policy.scorecard] preset"),
        ("[policy.scorecard]\nparallel = true\n", "[policy.scorecard]: it has no stage"),
        ("[policy.scorecard]\nstage = 1\n", "unknown key 'stage'; did you mean 'stages'?"),
        (STAGE + "weight = -1\n", "[policy.scorecard.stages.retrieval]: weight = -1"),
        (STAGE + "weight = 0\n", "every stage has weight 0"),
        (
            STAGE + "weight = 1e308\n[policy.scorecard.stages.token_f1]\nweight = 1e308\n",
            "[policy.scorecard]: the sum of all weights is inf: a number must be finite",
        ),
        (STAGE + "pass_at = 2\n".replace("pass_at", "pass_mark"), "unknown key 'pass_mark'"),
        (
            '[policy.scorecard.stages.a]\nmetric = "recall@5"\npass_at = 2\n',
            "pass_at = 2.0: values go from 0 to 1",
        ),
        (
            "[policy.scorecard.stages.tokn_f1]\n",
            "[policy.scorecard.stages.tokn_f1]: metric 'tokn_f1' is unknown",
        ),
        (STAGE + "[policy.scorecard.stages.\"recall@5\"]\n", "retrieval and recall@5 are both"),
        (
            "[policy.scorecard.stages.token_f1]\nrequired = true\n",
            "required, and there is no pass_at",
        ),
        ("[policy.scorecard.stages.latency_p95]\n", "latency_p95 is a value over the whole run"),
        ("[policy.scorecard.stages.prompt_tokens]\n", "prompt_tokens is a value over the whole"),
        ("[policy.scorecard.stages.pass_rate]\n", "[policy.scorecard.stages.pass_rate]: metric"),
        (STAGE + "[policy.metrics.pass_rate]\nminimum = 0.8\n", "made of a scorecard's stages"),
        (
            STAGE + '[policy.metrics."recall@5"]\nlevel = "off"\n',
            'the metric recall@5 has level = "off"',
        ),
        (STAGE + '[policy.metrics."recall@5"]\npass_at = 0.9\n', "and recall@5 has pass_at = 0.9"),
        (
            '[policy.scorecard]\npreset = "retrieval"\nwithout = ["citation"]\n',
            "without: no stage 'citation'; known: context_relevance, mrr, precision, retrieval",
        ),
        ("[policy]\nscorecard = 3\n", ""),
        (STAGE + "[policy.scorecard.pass_rate]\nminimum = 80\n", "minimum = 80"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_named_with_its_place(text: str, says: str) -> None:
    with pytest.raises(ConfigError) as raised:
        config_of(text)

    assert says in raised.value.message


def test_a_stage_that_a_judge_scores_needs_a_judge() -> None:
    base = BASE.partition("[policy.providers")[0]

    with pytest.raises(ConfigError, match="faithfulness"):
        config_of("[policy.scorecard.stages.faithfulness]\n", base=base)


def test_a_misspelt_need_drops_no_stage() -> None:
    with pytest.raises(ConfigError, match="needs = 'jugde'"):
        config_of(f'{STAGE}needs = "jugde"\n')

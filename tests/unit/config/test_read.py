from __future__ import annotations

import datetime
import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragate.config import Config, check_rule, find_config, load_config, parse_config
from ragate.errors import ConfigError, PluginError
from ragate.models import Direction, MetricInfo, Rule

EXAMPLES = 10_000 if os.environ.get("HYPOTHESIS_PROFILE") == "night" else 500

WHOLE = """
[policy]
dataset = "evals/golden.jsonl"
baseline = "baselines/docs.json"
systems = ["replay"]

[policy.providers.local]
base_url = "http://127.0.0.1:11434/v1"
key_env = "LOCAL_KEY"

[policy.metrics."recall@10"]
minimum = 0.5
max_drop = 0.02

[policy.metrics.token_f1]
level = "warn"

[[policy.waivers]]
id = "q017"
metric = "token_f1"
owner = "billing"
reason = "reference under review"
until = 2026-12-31

[system]
use = "replay"
paths = ["outputs/*.jsonl"]
"""


def parse(text: str, root: Path = Path()) -> Config:
    return parse_config(text, where="ragate.toml", root=root)


def changed(old: str, new: str) -> str:
    assert old in WHOLE
    return WHOLE.replace(old, new, 1)


def with_metric(name: str, body: str) -> str:
    return changed("[policy.metrics.token_f1]\n", f"[policy.metrics.{name}]\n{body}\n")


def error_of(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse(text)
    return str(caught.value)


def test_a_whole_file_becomes_a_config() -> None:
    config = parse(WHOLE)

    assert config.gate == "docs"
    assert config.dataset == Path("evals/golden.jsonl").resolve()
    assert [rule.metric for rule in config.policy.metrics] == ["recall@10", "token_f1"]
    assert config.policy.metrics[0].minimum == 0.5
    assert config.policy.waivers[0].until == datetime.date(2026, 12, 31)
    assert config.policy.providers["local"].key_env == "LOCAL_KEY"
    assert config.system.use == "replay"
    assert config.system.settings == {"paths": ["outputs/*.jsonl"]}


def test_what_is_not_written_has_its_default() -> None:
    policy = parse(WHOLE).policy

    assert (policy.alpha, policy.runs, policy.confirm, policy.claim) == (0.02, 3, 2, "auto")
    assert (policy.min_drop, policy.care, policy.max_unscored) == (None, 0.05, 0.05)
    assert (policy.floor, policy.without_key, policy.store) == ("point", "fail", "answers")
    assert (policy.max_calls, policy.max_cost_usd, policy.max_minutes) == (5000, 20.0, 30)


def test_the_decision_figures_are_flat_keys_of_the_policy() -> None:
    config = parse(changed('systems = ["replay"]', 'systems = ["replay"]\nalpha = 0.05\nruns = 5'))

    assert config.policy.decision.alpha == 0.05
    assert config.policy.decision.runs == 5
    assert type(config.policy.decision).__name__ == "DecisionSettings"


def test_a_gate_may_have_a_name_of_its_own() -> None:
    assert parse(changed("[policy]", '[policy]\ngate = "support-bot"')).gate == "support-bot"


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("dataset", "datset", ["[policy]", "'datset'", "'dataset'"]),
        ("[policy.metrics.token_f1]", "[policy.metric.token_f1]", ["'metric'", "'metrics'"]),
        ("base_url", "base_ur", ["[policy.providers.local]", "'base_ur'", "'base_url'"]),
        ("minimum", "minimun", ['[policy.metrics."recall@10"]', "'minimun'", "'minimum'"]),
        ("[system]", "[sytem]", ["'sytem'", "'system'"]),
        ("owner", "onwer", ["waivers.0", "'onwer'", "'owner'"]),
    ],
)
def test_an_unknown_key_names_its_table_and_the_nearest(
    old: str, new: str, names: list[str]
) -> None:
    message = error_of(changed(old, new))

    assert all(name in message for name in names), message


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("alpha = true", "alpha = True"),
        ('alpha = "0.02"', "alpha = '0.02'"),
        ("alpha = nan", "alpha = nan"),
        ("max_cost_usd = inf", "max_cost_usd = inf"),
        ("alpha = 0.5", "alpha = 0.5"),
        ("runs = 0", "runs = 0"),
        ("runs = 2.5", "runs = 2.5"),
        ("runs = true", "runs = True"),
        ('claim = "both"', "claim = 'both'"),
        ('store = "all"', "store = 'all'"),
        ('without_key = "pass"', "without_key = 'pass'"),
        ("max_unscored = 1.0", "max_unscored = 1.0"),
        ("max_calls = -1", "max_calls = -1"),
        ("max_minutes = 0", "max_minutes = 0"),
        ('gate = "../x"', "gate = '../x'"),
        ('http_hosts = ["http://rag.example"]', "http_hosts[0] = 'http://rag.example'"),
        ('http_hosts = ["rag.example@evil.example"]', "http_hosts[0]"),
        ('http_methods = ["DELETE"]', "http_methods[0] = 'DELETE'"),
        ("http_methods = []", "http_methods"),
        ('http_paths = ["ask"]', "http_paths[0] = 'ask'"),
        ('http_paths = ["/ask?x=*"]', "http_paths[0]"),
        ('http_paths = ["/a/../b"]', "http_paths[0]"),
        ("http_paths = []", "http_paths"),
        ('http_path = ["/ask"]', "did you mean 'http_paths'?"),
        ('accept_own = "no"', "accept_own = 'no'"),
        ("accept_owns = false", "did you mean 'accept_own'?"),
        ('replay_paths = ["../*.jsonl"]', "replay_paths[0] = '../*.jsonl'"),
        ('replay_paths = ["/proc/self/environ"]', "replay_paths[0]"),
    ],
)
def test_a_wrong_value_is_named_with_its_key(line: str, shown: str) -> None:
    assert shown in error_of(changed("[policy]", f"[policy]\n{line}"))


def test_patterns_are_kept_as_written() -> None:
    policy = parse(changed("[policy]", '[policy]\nreplay_paths = ["out/*.jsonl"]')).policy

    assert policy.replay_paths == ("out/*.jsonl",)


@pytest.mark.parametrize("line", ["policy = 1", 'policy.metrics = "x"', "policy.metrics.a = 1"])
def test_what_must_be_a_table_and_is_none_is_named(line: str) -> None:
    assert "must be a table" in error_of(f'{line}\n[system]\nuse = "replay"\n')


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host/v1",
        "host/v1",
        "https://user:key@host/v1",
        "https://host/v1?key=1",
        "https:///v1",
        "${BASE_URL}",
        "https://[::1/v1",
    ],
)
def test_a_base_url_is_a_plain_http_address(url: str) -> None:
    assert "base_url" in error_of(changed("http://127.0.0.1:11434/v1", url))


def test_nothing_of_the_environment_gets_into_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATE", "secret")

    assert "secret" not in error_of(changed("[policy]", '[policy]\ngate = "${GATE}"'))
    assert parse(changed("outputs/*.jsonl", "$GATE/*.jsonl")).system.settings == {
        "paths": ["$GATE/*.jsonl"]
    }


def test_broken_toml_is_named_with_its_line() -> None:
    message = error_of("[policy]\ndataset = \n")

    assert message.startswith("ragate.toml:2:")


def test_a_key_that_stands_twice_is_refused() -> None:
    assert error_of("[policy]\na = 1\na = 2\n").startswith("ragate.toml:3:")


def test_deep_nesting_is_an_error_not_a_crash() -> None:
    assert "ragate.toml" in error_of("a = " + "[" * 50_000)


@pytest.mark.parametrize("table", ["policy", "system"])
def test_a_missing_table_is_named_with_the_command_that_writes_one(table: str) -> None:
    start = WHOLE.index(f"[{table}]")
    text = WHOLE[:start] if table == "system" else WHOLE[WHOLE.index("[system]") :]

    message = error_of(text)

    assert f"[{table}]" in message
    assert "ragate init" in message


def test_a_policy_that_gates_nothing_is_refused() -> None:
    text = WHOLE.replace('[policy.metrics."recall@10"]\nminimum = 0.5\nmax_drop = 0.02\n', "")
    text = text.replace('[policy.metrics.token_f1]\nlevel = "warn"\n', "")

    assert "[policy.metrics] is missing" in error_of(text)


@pytest.mark.parametrize(
    ("name", "body", "names"),
    [
        ("token_f2", "", ["'token_f2'", "'token_f1'"]),
        ('"token_f1@10"', "", ["token_f1", "cut-off"]),
        ("ndcg", "", ["ndcg", "cut-off"]),
        ('"ndcg@0"', "", ["ndcg@0", "cut-off"]),
        ('"../../x"', "", ["../../x"]),
        ('"ndcg@10"', 'gian = "linear"', ["'gian'", "'gain'"]),
        ('"ndcg@10"', 'gain = "cubic"', ["gain = 'cubic'"]),
        ("token_f1", "maximum = 0.5", ["maximum = 0.5", "write minimum"]),
        ("error_rate", "minimum = 0.5", ["minimum = 0.5", "write maximum"]),
        ("token_f1", "minimum = 85", ["minimum = 85", "0 to 1"]),
        ("token_f1", "pass_at = -1", ["pass_at = -1", "0 to 1"]),
        ("token_f1", "max_drop = -0.1", ["max_drop = -0.1"]),
        ("token_f1", 'level = "eror"', ["level = 'eror'"]),
        ("token_f1", "minimum = true", ["minimum = True"]),
        ("latency_p95", "", ["write maximum"]),
        ("latency_p95", "maximum = 2\nmax_drop = 0.1", ["max_drop"]),
        ("token_f1", "phrase = ['x']", ["'phrase'"]),
    ],
)
def test_a_wrong_rule_is_named(name: str, body: str, names: list[str]) -> None:
    text = with_metric(name, body).replace('level = "warn"\n', "")
    text = text.replace('metric = "token_f1"', 'metric = "recall@10"')

    message = error_of(text)

    assert all(part in message for part in names), message


def test_a_rule_on_a_foreign_metric_can_be_checked_once_the_metric_is_made() -> None:
    info = MetricInfo(name="my.metric", direction=Direction.LOWER)

    check_rule(Rule(metric="my.metric", maximum=0.5), info)
    with pytest.raises(ConfigError, match=r'policy.metrics."my.metric".*minimum = 0.5'):
        check_rule(Rule(metric="my.metric", minimum=0.5), info)


def test_a_value_over_the_whole_run_may_be_shown_without_a_limit() -> None:
    text = with_metric("latency_p95", "").replace('metric = "token_f1"', 'metric = "recall@10"')

    assert parse(text).policy.metrics[1].level == "warn"


def test_the_metrics_own_keys_are_kept_apart_from_the_rule() -> None:
    text = with_metric('"ndcg@10"', 'gain = "linear"').replace('"token_f1"', '"ndcg@10"')

    assert parse(text).metric_settings["ndcg@10"] == {"gain": "linear"}


def test_a_metric_of_foreign_code_is_not_imported_by_reading_the_file(tmp_path: Path) -> None:
    text = with_metric('"this:create"', "own = 1").replace('"token_f1"', '"this:create"')

    config = parse(text)

    assert config.metric_settings["this:create"] == {"own": 1}
    assert "this" not in __import__("sys").modules


JUDGE = """
[policy.judge]
use = "rubric"
provider = "local"
model = "judge-1"
"""


def judged(judge: str = JUDGE, metric: str = "faithfulness", body: str = "") -> str:
    return f"{WHOLE}\n[policy.metrics.{metric}]\n{body}\n{judge}"


def test_a_judge_is_read_with_its_own_keys_apart() -> None:
    judge = parse(judged(f'{JUDGE}effort = "low"\nconcurrency = 4\ntimeout_s = 30\n')).policy.judge

    assert judge is not None
    assert (judge.use, judge.concurrency, judge.timeout_s) == ("rubric", 4, 30.0)
    assert judge.own == {"provider": "local", "model": "judge-1", "effort": "low"}


@pytest.mark.parametrize("metric", ["faithfulness", "correctness", "judged_refusal"])
def test_a_judged_metric_without_a_judge_says_what_to_add(metric: str) -> None:
    message = error_of(judged("", metric))

    assert f"[policy.metrics.{metric}]: needs a judge" in message
    assert "add [policy.judge]" in message


def test_a_judged_metric_that_is_off_needs_no_judge() -> None:
    assert parse(judged("", body='level = "off"')).policy.judge is None


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ('use = "rubric"', 'use = "rubrik"', "did you mean 'rubric'"),
        ('use = "rubric"', "", "'use' is missing"),
        ('provider = "local"', 'provider = "locale"', "did you mean 'local'"),
        ('provider = "local"', "", "'provider' is missing"),
        ('model = "judge-1"', "", "'model' is missing"),
        ('model = "judge-1"', 'model = "judge-1"\neffrt = "low"', "did you mean 'effort'"),
        ('model = "judge-1"', 'model = "judge-1"\ntemperature = "0"', "temperature = '0'"),
        ('model = "judge-1"', 'model = "judge-1"\nformat = "xml"', "format = 'xml'"),
        ('model = "judge-1"', 'model = "judge-1"\nconcurrency = 0', "concurrency = 0"),
    ],
)
def test_a_wrong_judge_is_named_with_its_key(old: str, new: str, shown: str) -> None:
    message = error_of(judged(JUDGE.replace(old, new)))

    assert shown in message
    assert "judge" in message


def test_a_judge_of_foreign_code_is_not_imported_by_reading_the_file() -> None:
    judge = parse(judged('[policy.judge]\nuse = "this:create"\nanything = 1\n')).policy.judge

    assert judge is not None
    assert judge.own == {"anything": 1}
    assert "this" not in __import__("sys").modules


def test_a_criterion_that_the_judge_does_not_know_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ragate.judges import rubric

    monkeypatch.setattr(rubric, "CRITERIA", frozenset({"relevancy"}))

    message = error_of(judged())

    assert "the judge 'rubric' does not know the criterion 'faithfulness'" in message
    assert "it knows relevancy" in message


def test_the_limits_of_a_grade_are_those_of_its_scale() -> None:
    assert "values go from 1 to 5" in error_of(judged(JUDGE, "correctness", "minimum = 0.8"))
    assert parse(judged(JUDGE, "correctness", "minimum = 4.0\npass_at = 4.0"))


def test_without_a_key_the_policy_may_do_without_the_judge() -> None:
    text = changed("[policy]", '[policy]\nwithout_key = "judge-free"')

    assert parse(text).policy.without_key == "judge-free"


def test_a_waiver_names_a_configured_metric() -> None:
    message = error_of(changed('metric = "token_f1"', 'metric = "token_f2"'))

    assert "q017" in message
    assert "'token_f1'" in message


def test_a_system_that_the_policy_does_not_list_is_refused() -> None:
    message = error_of(changed('use = "replay"', 'use = "pgvector"'))

    assert "'pgvector'" in message
    assert "['replay']" in message


def test_an_unknown_system_in_the_policy_names_the_nearest() -> None:
    with pytest.raises(PluginError, match="did you mean 'replay'"):
        parse(changed('systems = ["replay"]', 'systems = ["reply"]'))


@pytest.mark.parametrize("value", ["../golden.jsonl", "/proc/self/environ", "", "a\\u0000b"])
def test_the_golden_set_and_the_baseline_stay_inside_the_folder(value: str, tmp_path: Path) -> None:
    for key, old in (("dataset", "evals/golden.jsonl"), ("baseline", "baselines/docs.json")):
        with pytest.raises(ConfigError, match=rf"\[policy\] {key}"):
            parse(changed(old, value), root=tmp_path)


def test_a_link_that_leads_outside_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    (root / "evals").symlink_to("/proc/self")

    with pytest.raises(ConfigError, match="outside"):
        parse(changed("evals/golden.jsonl", "evals/environ"), root=root)


def test_a_file_is_read_with_its_folder_as_the_root(tmp_path: Path) -> None:
    path = tmp_path / "ragate.toml"
    path.write_text("\ufeff" + WHOLE, encoding="utf-8")

    config = load_config(path)

    assert config.path == path
    assert config.dataset == tmp_path.resolve() / "evals/golden.jsonl"


@pytest.mark.parametrize("content", [b"\xff\xfe", b"x" * (1024 * 1024 + 1)])
def test_a_file_that_is_no_text_or_too_large_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ragate.toml"
    path.write_bytes(content)

    with pytest.raises(ConfigError, match=r"ragate\.toml"):
        load_config(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "ragate.toml"
    os.mkfifo(path)

    with pytest.raises(ConfigError, match="not a regular file"):
        load_config(path)


def test_the_file_is_found_above_but_not_outside_the_repository(tmp_path: Path) -> None:
    repository = tmp_path / "repo"
    deep = repository / "a" / "b"
    deep.mkdir(parents=True)
    (repository / ".git").mkdir()
    (tmp_path / "ragate.toml").touch()

    with pytest.raises(ConfigError, match="ragate init"):
        find_config(deep)

    (repository / "ragate.toml").touch()
    assert find_config(deep) == repository / "ragate.toml"


def test_without_a_repository_only_the_folder_itself_is_searched(tmp_path: Path) -> None:
    (tmp_path / "ragate.toml").touch()
    (tmp_path / "a").mkdir()

    assert find_config(tmp_path) == tmp_path / "ragate.toml"
    with pytest.raises(ConfigError):
        find_config(tmp_path / "a")


def test_a_given_file_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").touch()

    assert find_config(tmp_path, given=Path("gate.toml")) == tmp_path / "gate.toml"
    with pytest.raises(ConfigError, match=r"other\.toml"):
        find_config(tmp_path, given=Path("other.toml"))


def is_config_or_error(text: str) -> None:
    try:
        config = parse(text)
    except ConfigError as error:
        assert error.message.startswith("ragate.toml")  # noqa: PT017
    else:
        assert isinstance(config, Config)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.text())
def test_any_text_is_a_config_or_a_config_error(text: str) -> None:
    is_config_or_error(text)


VALUES = st.one_of(
    st.sampled_from(
        ["true", "nan", "inf", "-1", "0", "1", "0.5", "1e400", "9" * 5000, "2026-12-31", "[]", "{}"]
    ),
    st.sampled_from(['""', '"x"', '"replay"', '"\\u0000"', '["replay"]', "[[]]", '{ a = "b" }']),
    st.sampled_from(['"../x"', '"/etc/passwd"', '"ndcg@10"', '"error"', "1979-05-27T07:32:00Z"]),
)
LINES = [number for number, line in enumerate(WHOLE.split("\n")) if " = " in line]


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.dictionaries(st.sampled_from(LINES), VALUES, min_size=1, max_size=4))
def test_any_value_at_any_key_is_a_config_or_a_config_error(values: dict[int, str]) -> None:
    lines = WHOLE.split("\n")
    for number, value in values.items():
        lines[number] = f"{lines[number].partition(' = ')[0]} = {value}"
    is_config_or_error("\n".join(lines))


def test_the_file_that_these_tests_change_is_right_to_begin_with() -> None:
    assert tomllib.loads(WHOLE)

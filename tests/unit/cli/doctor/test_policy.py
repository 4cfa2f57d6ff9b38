"""What doctor says of the policy: waivers, keys of providers, and the drill."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from ragate import plugins
from ragate.baseline import dump_baseline, recorded_before
from ragate.cli.doctor import policy
from ragate.cli.finding import Status
from ragate.config import Provider
from ragate.models import DrillProof, Waiver
from tests.unit.cli.doctor.doctor_factories import (
    CONFIG,
    TODAY,
    checks,
    key_findings,
    run_of,
    said,
    sample,
    statuses,
)


def waiver(until: str, sample_id: str = "q1") -> Waiver:
    return Waiver(
        id=sample_id,
        metric="ndcg@10",
        owner="docs",
        reason="under review",
        until=datetime.date.fromisoformat(until),
    )


def test_a_waiver_counts_on_its_last_day_and_is_a_problem_on_the_next() -> None:
    last = policy.waivers([waiver("2026-11-21")], {"q1"}, today=TODAY)
    over = policy.waivers([waiver("2026-11-20")], {"q1"}, today=TODAY)

    assert statuses(last) == ["ok"]
    assert [one.exit_code for one in over] == [2]


def test_a_waiver_for_a_sample_that_is_gone_is_warned_of() -> None:
    assert statuses(policy.waivers([waiver("2027-01-01", "q9")], {"q1"}, today=TODAY)) == [
        "warning"
    ]
    assert statuses(policy.waivers([waiver("2027-01-01", "q9")], None, today=TODAY)) == ["ok"]


OPENAI = {"openai": Provider(base_url="https://api.openai.com/v1", key_env="MY_KEY")}


def test_a_key_that_is_used_and_not_set_is_a_problem_and_one_not_used_is_none() -> None:
    assert [one.exit_code for one in policy.keys(OPENAI, {"openai"}, {})] == [3]
    assert statuses(policy.keys(OPENAI, set(), {})) == ["ok"]


def test_the_key_of_a_judge_that_a_metric_needs_is_used(tmp_path: Path) -> None:
    [found] = key_findings(tmp_path)

    assert (found.status, found.exit_code) == ("problem", 3)
    assert "JUDGE_KEY is not set" in found.message


def test_the_key_of_a_judge_that_no_metric_needs_is_not_missed(tmp_path: Path) -> None:
    assert statuses(key_findings(tmp_path, level="off")) == ["ok"]


def test_a_key_is_named_and_its_value_never_shown() -> None:
    for value in ("secret-value", "secret-value\n"):
        found = policy.keys(OPENAI, {"openai"}, {"MY_KEY": value})

        assert "MY_KEY" in found[0].message
        assert "secret" not in repr(found)


def test_a_key_with_a_line_end_that_was_pasted_along_is_warned_of() -> None:
    assert statuses(policy.keys(OPENAI, {"openai"}, {"MY_KEY": "x\n"})) == ["warning"]


def test_a_provider_that_the_policy_does_not_know_is_a_problem() -> None:
    found = policy.keys({}, {"azure"}, {})

    assert [one.exit_code for one in found] == [2]
    assert "azure" in found[0].message


def test_a_local_server_needs_no_key() -> None:
    local = {"ollama": Provider(base_url="http://localhost:11434/v1")}

    assert statuses(policy.keys(local, {"ollama"}, {})) == ["ok"]


def test_a_recorded_system_can_do_without_the_key_and_says_how_far():
    [found] = policy.keys(OPENAI, set(), {}, recorded={"openai"})

    assert found.status == "warning"
    assert "stay pending" in found.message
    assert statuses(policy.keys(OPENAI, set(), {"MY_KEY": "x"}, recorded={"openai"})) == ["ok"]


def test_the_providers_in_use_stand_in_the_tables_of_the_system() -> None:
    system = {"top_k": 3, "answer": {"provider": "a"}, "embedder": {"provider": "b"}, "bm25": {}}

    assert policy.used_providers(system) == {"a", "b"}


def test_a_gate_that_caught_no_planted_break_is_a_problem() -> None:
    def proof(caught: int) -> DrillProof:
        return DrillProof(date="2026-11-20", caught=caught, planted=9)

    assert statuses(policy.proof(None)) == ["ok"]
    assert "7 of 9" in policy.proof(proof(7))[0].message
    assert [one.exit_code for one in policy.proof(proof(0))] == [2]


@pytest.mark.parametrize(
    ("policy", "losses"),
    [("", 5), ('claim = "this-set"', 2), ('claim = "this-set"\nconfirm = 0', 3)],
)
def test_how_many_must_break_is_what_the_gate_itself_plans(
    project: Path, policy: str, losses: int
) -> None:
    config = CONFIG.replace('"replay"\npaths = ["outputs/*.jsonl"]', '"python"\ntarget = "rag:f"')
    config = config.replace('"replay"', '"python"').replace("error_rate", "token_f1")
    (project / "ragate.toml").write_text(config.replace("[policy]\n", f"[policy]\n{policy}\n", 1))
    only = sample(references=["It is."])
    (project / "golden.jsonl").write_text(only.model_dump_json() + "\n")
    infos = {"token_f1": plugins.metric("token_f1").info}
    run = run_of([only], metrics=infos, deterministic=frozenset())
    data = dump_baseline(run, store="answers", recorded=recorded_before(run))
    (project / "baseline.json").write_bytes(data)

    found = checks(project)["baseline"]

    assert f"{losses} samples must break" in said(found, Status.WARNING)

"""What doctor says of the providers' keys."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragate.cli.doctor import under_test
from ragate.cli.finding import Finding
from ragate.config import Provider
from tests.unit.cli.doctor.doctor_factories import key_findings, statuses

OPENAI = {"openai": Provider(base_url="https://api.openai.com/v1", key_env="MY_KEY")}


def look(
    providers: Mapping[str, Provider],
    needed: set[str],
    environment: Mapping[str, str],
    **spared: str,
) -> list[Finding]:
    return list(under_test.key_findings(providers, needed, environment, spared=spared))


def test_a_key_that_is_used_and_not_set_is_a_problem_and_one_not_used_is_none() -> None:
    assert [one.exit_code for one in look(OPENAI, {"openai"}, {})] == [3]
    assert statuses(look(OPENAI, set(), {})) == ["ok"]


def test_the_key_of_a_judge_that_a_metric_needs_is_used(tmp_path: Path) -> None:
    [found] = key_findings(tmp_path)

    assert (found.status, found.exit_code) == ("problem", 3)
    assert "JUDGE_KEY is not set" in found.message


def test_the_key_of_a_judge_that_no_metric_needs_is_not_missed(tmp_path: Path) -> None:
    assert statuses(key_findings(tmp_path, level="off")) == ["ok"]


def test_a_key_is_named_and_its_value_never_shown() -> None:
    for value in ("secret-value", "secret-value\n"):
        found = look(OPENAI, {"openai"}, {"MY_KEY": value})

        assert "MY_KEY" in found[0].message
        assert "secret" not in repr(found)


def test_a_provider_that_the_policy_does_not_know_is_a_problem() -> None:
    found = look({}, {"azure"}, {})

    assert [one.exit_code for one in found] == [2]
    assert "azure" in found[0].message


def test_a_local_server_needs_no_key() -> None:
    local = {"ollama": Provider(base_url="http://localhost:11434/v1")}

    assert statuses(look(local, {"ollama"}, {})) == ["ok"]


def test_a_recorded_system_can_do_without_the_key_and_says_how_far():
    [found] = look(OPENAI, set(), {}, openai="new calls stay pending")

    assert found.status == "warning"
    assert "stay pending" in found.message
    assert statuses(look(OPENAI, set(), {"MY_KEY": "x"}, openai="new calls stay pending")) == ["ok"]


def test_a_judge_that_may_be_left_out_is_no_problem_without_its_key(tmp_path: Path) -> None:
    [found] = key_findings(tmp_path, policy='without_key = "judge-free"')

    assert (found.status, found.exit_code) == ("warning", 0)
    assert "judged metrics are left out" in found.message


def test_the_providers_in_use_stand_in_the_tables_of_the_system() -> None:
    system = {"top_k": 3, "answer": {"provider": "a"}, "embedder": {"provider": "b"}, "bm25": {}}

    assert under_test.used_providers(system) == {"a", "b"}

"""The composed gate: whose rules, whose system, and what is said to differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.config import Config
from ragate.errors import ConfigError
from ragate.github.gate.base_rules import gate_of_change, gate_of_commit, measures_alike
from tests.unit.github.gate.gate_factories import project


def test_equal_rules_do_not_differ(base: Config, tmp_path: Path) -> None:
    gate = gate_of_change(base, project(tmp_path / "head"))
    assert not gate.differs
    assert not gate.bootstrap
    assert gate.config.root == tmp_path / "head"
    assert gate.config.rules_root == tmp_path / "base"
    assert gate.config.dataset.is_relative_to(tmp_path / "base")


def test_the_system_is_the_heads_and_all_else_the_bases(base: Config, tmp_path: Path) -> None:
    head = project(
        tmp_path / "head",
        ('paths = ["outputs/*.jsonl"]\n', 'paths = ["outputs/run0.jsonl"]\n'),
        ('level = "error"', 'level = "off"'),
    )
    # The first replacement reaches replay_paths too, which is part of the policy.
    gate = gate_of_change(base, head)
    assert gate.config.system == head.system
    assert gate.config.policy == base.policy
    assert gate.differs


BY_ANSWER = ('use = "replay"', 'use = "replay"\npointers = { answer = "/answer" }')
BY_REFERENCE = ('use = "replay"', 'use = "replay"\npointers = { answer = "/reference" }')


def test_how_recordings_are_read_is_the_bases(tmp_path: Path) -> None:
    mapped, head = project(tmp_path / "one", BY_ANSWER), project(tmp_path / "two", BY_REFERENCE)
    gate = gate_of_change(mapped, head)
    assert gate.config.system.settings["pointers"] == {"answer": "/answer"}
    assert gate.config.system.settings["paths"] == ["outputs/*.jsonl"]
    assert gate.differs == ("[system.pointers] answer: '/answer' → '/reference'",)


def test_a_mapping_that_the_base_has_not_does_not_count_yet(base: Config, tmp_path: Path) -> None:
    gate = gate_of_change(base, project(tmp_path / "head", BY_REFERENCE))
    assert "pointers" not in gate.config.system.settings
    assert gate.differs == ("[system] pointers: added",)


def test_a_mapping_of_the_change_that_is_wrong_is_an_error(base: Config, tmp_path: Path) -> None:
    wrong = ('use = "replay"', 'use = "replay"\npreset = "ragass"')
    with pytest.raises(ConfigError, match="did you mean 'ragas'"):
        gate_of_change(base, project(tmp_path / "head", wrong))


def test_what_differs_is_said_with_both_values(base: Config, tmp_path: Path) -> None:
    head = project(
        tmp_path / "head",
        ("[policy]\n", "[policy]\nalpha = 0.4\n"),
        ("[policy.metrics.token_f1]\nlevel", "[policy.metrics.rouge_l]\nlevel"),
        ('[policy.metrics."hit_rate@5"]\n', '[policy.metrics."hit_rate@5"]\nminimum = 0.1\n'),
    )
    (head.root / "golden.jsonl").write_text('{"id": "q0", "query": "?"}\n')
    gate = gate_of_change(base, head)
    assert gate.differs == (
        "[policy] alpha: 0.02 → 0.4",
        "[policy.metrics.hit_rate@5] minimum: not set → 0.1",
        "[policy.metrics] token_f1: removed",
        "[policy.metrics] rouge_l: added",
        "the golden set golden.jsonl",
    )


def test_a_base_without_a_configuration_is_a_bootstrap_and_a_push_is_not(base: Config) -> None:
    assert gate_of_change(None, base).bootstrap
    gate = gate_of_commit(base, name="mine")
    assert (gate.bootstrap, gate.differs, gate.config.gate) == (False, (), "mine")


def test_another_weight_of_a_stage_is_named_by_its_key(tmp_path: Path) -> None:
    stage = "[policy.scorecard.stages.token_f1]\nweight = {}\npass_at = 0.5\n\n[system]"
    one, two = (
        project(tmp_path / name, ("[system]", stage.format(weight)))
        for name, weight in (("one", 1), ("two", 2))
    )

    gate = gate_of_change(one, two)

    assert "[policy.scorecard.stages.token_f1] weight: 1.0 → 2.0" in gate.differs


def test_a_table_for_a_stage_is_told_and_measures_something_else(tmp_path: Path) -> None:
    stages = (
        '[policy.scorecard.stages."hit_rate@5"]\npass_at = 1\nrequired = true\n'
        "[policy.scorecard.stages.lexical_support]\npass_at = 0.5\n"
    )
    table = "[policy.metrics.lexical_support]\nlevel = 'error'\n"
    one, two = (
        project(tmp_path / name, ("[system]", f"{stages}{text}\n[system]"))
        for name, text in (("one", ""), ("two", table))
    )

    assert gate_of_change(one, two).differs == (
        "[policy.metrics.lexical_support] level: 'warn' → 'error'",
    )
    assert not measures_alike(one, two)


def test_a_judges_prompt_is_named_whether_it_is_new_or_taken_out(tmp_path: Path) -> None:
    judge = (
        '[policy.providers.own]\nbase_url = "http://127.0.0.1:1/v1"\n'
        '[policy.judge]\nuse = "rubric"\nprovider = "own"\nmodel = "m"\n'
    )
    without = project(tmp_path / "one", ("[system]", f"{judge}\n[system]"))
    prompted = project(tmp_path / "two", ("[system]", f'{judge}prompt = "own.md"\n\n[system]'))
    (prompted.root / "own.md").write_text("Judge it.")

    assert gate_of_change(without, prompted).differs[-1] == "the judge prompt own.md"
    assert gate_of_change(prompted, without).differs[-1] == "the judge prompt own.md"

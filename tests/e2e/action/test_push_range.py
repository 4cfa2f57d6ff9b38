"""The commits of a push."""

from __future__ import annotations

import pytest

from tests.e2e.action.forge import Forge, outputs
from tests.e2e.action.main_projects import baseline_of, entry_of, many, merged, record

pytestmark = pytest.mark.e2e


CHANGED = range(12)


@pytest.mark.parametrize("depth", [1, 2, 9])
def test_all_commits_of_a_push_count_and_not_the_last_one_alone(inputs_named: Forge, depth: int):
    before, head = many(inputs_named, outputs(reworded=CHANGED))

    result = record(inputs_named, before=before, depth=depth)

    assert result.outputs["verdict"] == "recorded", result.log
    assert "files of the system changed" in result.log
    assert baseline_of(inputs_named)["recorded"]["commit"] == head


def test_a_policy_that_an_earlier_commit_of_the_push_changed_counts(
    inputs_named: Forge, gated: dict[str, bytes]
):
    config = inputs_named.github.git.read(entry_of(inputs_named, "ragate.toml"))
    before, _ = many(inputs_named, {"ragate.toml": config.replace(b"@5", b"@3")})
    restored = gated["baselines/gate.json"].replace(b"@5", b"@3")
    inputs_named.base = inputs_named.github.git.resolve("refs/heads/main")
    merged(inputs_named, {"baselines/gate.json": restored})

    result = record(inputs_named, before=before)

    assert result.outputs["verdict"] != "kept", result.log
    assert "the policy measures otherwise" in result.log


@pytest.mark.parametrize("before", ["0" * 40, "elsewhere"])
def test_a_push_whose_start_cannot_be_told_is_recorded(inputs_named: Forge, before: str):
    many(inputs_named, {"README.md": b"a note"})
    if before == "elsewhere":  # a forced push: what it dropped counts as well
        before = inputs_named.github.commit({"x": b"x"}, parents=[inputs_named.base])

    result = record(inputs_named, before=before)

    assert "what the push changed cannot be told" in result.log

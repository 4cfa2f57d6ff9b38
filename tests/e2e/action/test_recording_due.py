"""Which pushes to the main branch are recorded."""

from __future__ import annotations

import json

import pytest

from tests.e2e.action.forge import Files, Forge, outputs
from tests.e2e.action.main_projects import baseline_of, many, merged, record

pytestmark = pytest.mark.e2e


CHANGED = range(12)


def test_a_merge_that_changed_the_system_gets_a_new_baseline(forge: Forge):
    merge = merged(forge, outputs(reworded=CHANGED))

    result = record(forge)

    new = forge.github.git.resolve("refs/heads/main")
    assert result.exit_code == 0, result.log
    assert result.outputs["verdict"] == "recorded"
    assert forge.github.git.parents(new) == [merge]
    assert baseline_of(forge)["recorded"]["commit"] == merge
    assert forge.states(new) == ["success"]
    assert record(forge).outputs["verdict"] == "kept"
    assert forge.github.git.resolve("refs/heads/main") == new


def test_a_merge_that_touches_nothing_is_kept_without_a_run(inputs_named: Forge):
    forge = inputs_named
    head = merged(forge, {"web/page.html": b"<p>hello</p>"})

    result = record(forge)

    assert result.outputs["verdict"] == "kept", result.log
    assert "without a call" in result.log
    assert forge.github.git.resolve("refs/heads/main") == head


def test_many_commits_that_touch_nothing_are_kept(inputs_named: Forge):
    before, _ = many(inputs_named, {"README.md": b"a note"})

    assert record(inputs_named, before=before).outputs["verdict"] == "kept"


def test_a_quiet_night_adds_a_run_until_the_noise_is_known_well(forge: Forge):
    for runs in (4, 5, 6, 6):
        result = record(forge, event="schedule")

        assert (result.exit_code, result.outputs["verdict"]) == (0, "passed"), result.log
        assert baseline_of(forge)["runs"] == runs


def with_requests(files: Files) -> Files:
    """Return recorded outputs that say which model request each answer came from."""
    return {
        name: b"".join(
            json.dumps(line | {"request_hash": f"{line['id']:0>16}"}).encode() + b"\n"
            for line in map(json.loads, (content or b"").splitlines())
        )
        for name, content in files.items()
    }


def test_a_night_that_asked_no_model_says_so_and_adds_no_run(forge: Forge):
    merged(forge, with_requests(outputs()))
    assert record(forge).outputs["verdict"] == "recorded"

    result = record(forge, event="schedule")

    assert (result.exit_code, result.outputs["verdict"]) == (0, "passed"), result.log
    assert "no model was asked" in result.log
    assert baseline_of(forge)["runs"] == 3


def test_a_night_with_drift_fails_and_changes_nothing(forge: Forge, gated: dict[str, bytes]):
    # The recordings stand for a service that answers otherwise, though no commit says so.
    files = dict(gated) | outputs(broken=CHANGED)
    forge.github.git.move("main", forge.github.commit(files), forge.base)

    result = record(forge, event="schedule")

    assert (result.exit_code, result.outputs["verdict"]) == (1, "failed"), result.log

"""The base has moved since the run began."""

from __future__ import annotations

import pytest

from tests.e2e.action.edited_projects import lenient
from tests.e2e.action.forge import Change, Forge, outputs

pytestmark = pytest.mark.e2e


FORK = "stranger/handbook"


BROKEN = range(12)


def test_the_newest_rules_of_the_base_decide_and_not_those_of_the_merge(
    forge: Forge, gated: dict[str, bytes]
) -> None:
    main = forge.base
    forge.base = forge.github.commit(lenient(gated), parents=[main])
    change = forge.change(outputs(broken=BROKEN), fork=FORK)
    change.pull["mergeable"] = False
    lines = forge.collected(change)
    tip = forge.github.commit({"ragate.toml": gated["ragate.toml"]}, parents=[forge.base])
    assert forge.github.git.move("main", tip, main)

    result = forge.decide(change, lines)

    assert result.exit_code == 1, result.log
    assert forge.states(change.head)[-1] == "failure"


def test_bootstrap_is_refused_where_the_base_has_a_gate_by_now(
    forge: Forge, gated: dict[str, bytes]
) -> None:
    main = forge.base
    forge.base = forge.github.commit({"README.md": b"nothing yet"})
    change = forge.change({**gated, **outputs(broken=BROKEN)})
    tip = forge.github.commit(dict(gated), parents=[forge.base])
    assert forge.github.git.move("main", tip, main)

    result = forge.check(change)

    assert result.exit_code == 1, result.log
    assert "success" not in forge.states(change.head)
    assert "main has moved" in forge.comment()


def older_branch(forge: Forge, *, at: str) -> Change:
    """Open a pull request of a branch that was begun at `at`, merged with what main is now."""
    note = {"README.md": b"a note"}
    head = forge.github.commit(note, parents=[at], message="the change")
    merge = forge.github.commit(note, parents=[forge.base, head], message="the merge")
    pull = forge.github.add_pull(7, head=head, base=forge.base, head_repository=FORK)
    pull["merge_commit_sha"] = merge
    return Change(7, forge.base, head, merge, pull)


def test_a_branch_older_than_the_gate_is_judged_by_the_merge(
    forge: Forge, gated: dict[str, bytes]
) -> None:
    main = forge.base
    begun = forge.github.commit({"README.md": b"nothing yet"})
    forge.base = forge.github.commit(dict(gated), parents=[begun])
    assert forge.github.git.move("main", forge.base, main)
    change = older_branch(forge, at=begun)
    lines = forge.collected(change)

    result = forge.decide(change, lines)

    assert result.exit_code == 0, result.log
    assert result.outputs["verdict"] == "passed"


def test_a_branch_older_than_a_changed_system_is_judged_by_the_merge(
    forge: Forge, gated: dict[str, bytes]
) -> None:
    begun = forge.base
    text = gated["ragate.toml"].replace(b"outputs/*.jsonl", b"recorded/*.jsonl")
    assert text != gated["ragate.toml"]
    moved: dict[str, bytes | None] = {"ragate.toml": text}
    for name, content in outputs().items():
        moved |= {name: None, name.replace("outputs/", "recorded/"): content}
    forge.base = forge.github.commit(moved, parents=[begun])
    assert forge.github.git.move("main", forge.base, begun)
    change = older_branch(forge, at=begun)
    lines = forge.collected(change)

    result = forge.decide(change, lines)

    assert result.exit_code == 0, result.log
    assert result.outputs["verdict"] == "passed"

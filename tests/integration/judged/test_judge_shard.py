"""Judging in shards: each question is asked once, and the verdict is the one of one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.integration.judged.judged_projects import bodies, configure
from tests.integration.shards.sharded import PLAN, shard_file, timeless_report
from tests.servers.model import answers_and_judges
from tests.unit.judges.judge_factories import gullible

pytestmark = pytest.mark.integration
COUNTED = ("model_calls", "verdicts_reused", "cost_usd", "saved_usd", "calls_reused")


@pytest.fixture
def changed(recorded: Path) -> Path:
    """A project whose pages changed, with its outputs collected whole and in three shards."""
    for page in (recorded / "docs").glob("*.md"):
        page.write_text(page.read_text().replace("picked", "taken"))
    assert run(["collect"]) == 0
    assert run(["plan", "--out", PLAN, "--shards", "3"]) == 0
    for number in (1, 2, 3):
        assert run(["collect", "--plan", PLAN, "--shard", f"{number}/3"]) == 0
    return recorded


def judge(root: Path, number: int) -> int:
    return run(["judge", "--plan", PLAN, str(shard_file(root, number))])


def counted_apart(root: Path) -> dict[str, object]:
    report = timeless_report(root)
    for name in COUNTED:
        report["facts"].pop(name)
    # A run whose verdicts are all there asks no canary.
    report["decision"]["lines"] = [
        line for line in report["decision"]["lines"] if "kinds of errors" not in line
    ]
    return report


def test_what_the_shards_were_judged_is_not_asked_again(changed, server, capsys):
    server.requests.clear()
    assert run(["decide"]) == 0
    alone, (_, asked_alone, _) = counted_apart(changed), bodies(server)
    exports = []
    for number in (1, 2, 3):
        (changed / ".ragate" / "cache.sqlite").unlink()  # each in a job of its own
        server.requests.clear()
        assert judge(changed, number) == 0
        exports.append((f"judged-{number}.jsonl", len(bodies(server)[1])))
        assert run(["cache", "export", exports[-1][0]]) == 0
    (changed / ".ragate" / "cache.sqlite").unlink()
    for name, _ in exports:
        assert run(["cache", "import", name]) == 0
    server.requests.clear()

    assert run(["decide", "--plan", PLAN]) == 0

    assert bodies(server) == ([], [], [])
    assert counted_apart(changed) == alone
    assert sum(count for _, count in exports) == len(asked_alone)
    assert "next: ragate cache export" in capsys.readouterr().out


def test_a_shard_is_judged_with_its_part_of_the_caps(changed, server, capsys):
    (changed / ".ragate" / "cache.sqlite").unlink()
    configure(changed, server, policy="max_calls = 3")
    server.requests.clear()

    codes = {judge(changed, number) for number in (1, 2, 3)}

    assert 3 in codes
    assert len(server.requests) <= 3
    assert "max_calls = 1 is reached" in capsys.readouterr().err


def test_a_judge_that_fails_its_canaries_leaves_nothing(changed, server, capsys):
    (changed / ".ragate" / "cache.sqlite").unlink()
    server.reply = answers_and_judges(gullible())
    capsys.readouterr()

    assert judge(changed, 1) == 3
    assert "the judge got known answers wrong" in capsys.readouterr().err

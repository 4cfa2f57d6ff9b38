"""Calls and money of a run that goes on count together: an interruption buys no second cap."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.stores.spent_calls import SPENT, SpentCalls
from tests.integration.resume.interrupted import Service, folder, interrupted
from tests.integration.test_judged_caps import OWN
from tests.repositories import commit
from tests.servers.model import answers_and_judges
from tests.servers.openai_server import openai_server

pytestmark = pytest.mark.integration


def test_calls_of_before_the_interruption_count(root: Path, service: Service) -> None:
    with openai_server() as server:
        server.reply = answers_and_judges()
        with (root / "ragate.toml").open("a") as config:
            config.write(OWN.format(url=server.base_url))
        commit(root, "judged")
        interrupted(root)
        before = server.seen
        for cache in (root / ".ragate").glob("cache*"):
            cache.unlink()

        run(["check", "--resume"])

        facts = json.loads((folder(root) / "report.json").read_text())["facts"]
        assert before > 0
        assert server.seen > before
        assert facts["model_calls"] == server.seen
        assert facts["cost_usd"] is None  # a price that is not known is none of 0.0


def test_the_cap_holds_for_both_parts(
    root: Path, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    with openai_server() as server:
        server.reply = answers_and_judges()
        text = (
            (root / "ragate.toml").read_text().replace("[policy]\n", "[policy]\nmax_calls = 90\n")
        )
        # One after another: what is under way when the cap is reached is given up.
        judged = OWN.format(url=server.base_url).replace('"judge-1"', '"judge-1"\nconcurrency = 1')
        (root / "ragate.toml").write_text(text + judged)
        commit(root, "judged")
        interrupted(root)
        SpentCalls(folder(root)).keep(85 - server.seen, 0.0)
        for cache in (root / ".ragate").glob("cache*"):
            cache.unlink()
        before = server.seen

        assert run(["check", "--resume"]) == 3

        assert server.seen - before == 5
        assert "max_calls = 90 is reached" in " ".join(capsys.readouterr().out.split())


def test_a_line_that_was_cut_off_counts_for_nothing(tmp_path: Path) -> None:
    spent = SpentCalls(tmp_path)
    spent.keep(1, 0.0)
    spent.keep(0, 0.25)
    with (tmp_path / SPENT).open("ab") as file:
        file.write(b"1 0.")
    assert spent.total() == (2, 0.25)
    with (tmp_path / SPENT).open("ab") as file:
        file.write(b"x \xff")

    assert spent.total() == (1, 0.25)


def test_calls_without_a_known_price_are_remembered(tmp_path: Path) -> None:
    spent = SpentCalls(tmp_path)
    spent.keep(1, 0.0)
    spent.keep(0, None)

    assert spent.total() == (1, 0.0)
    assert spent.unpriced == 1


def test_a_run_that_spent_nothing_has_spent_nothing(tmp_path: Path) -> None:
    assert SpentCalls(tmp_path).total() == (0, 0.0)

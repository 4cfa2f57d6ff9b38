"""Outputs that are there already."""

from __future__ import annotations

import shutil

import pytest

from ragate.cli.main import run

pytestmark = pytest.mark.integration


def test_decide_works_where_the_system_is_not(gated, tmp_path_factory, monkeypatch):
    run(["collect"])
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name in ("ragate.toml", "golden.jsonl", "baselines"):
        source = gated.root / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, elsewhere / name)
    shutil.copy(gated.root / ".ragate" / "outputs.jsonl", elsewhere / "o.jsonl")
    monkeypatch.chdir(elsewhere)

    assert run(["decide", "o.jsonl"]) == 0


def test_outputs_of_a_system_outside_the_policy_are_refused(gated, capsys):
    run(["collect"])
    path = gated.root / ".ragate" / "outputs.jsonl"
    path.write_text(path.read_text().replace('"use":"replay"', '"use":"command"', 1))

    assert run(["decide"]) == 2
    assert "command" in capsys.readouterr().err


def test_outputs_that_stop_half_way_give_no_decision(gated):
    run(["collect"])
    path = gated.root / ".ragate" / "outputs.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:20]))

    assert run(["decide"]) == 3

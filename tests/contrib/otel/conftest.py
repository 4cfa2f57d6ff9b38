"""Fixtures of this folder: a judged gate over Postgres, and a collector that listens."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from ragate.database import PostgresDatabase
from tests.contrib.otel.scored import deny_ci, write_scored_project
from tests.integration.judged.conftest import project, recorded, recording
from tests.integration.judged.judged_projects import KEY as MODEL_KEY
from tests.integration.judged.judged_projects import configure
from tests.projects import write_docs_project
from tests.servers.collector import Collector, collector
from tests.servers.model import answers_and_judges, is_judgement
from tests.servers.openai_server import openai_server

__all__ = ["project", "recorded", "recording"]
KEY = "ingest-key-0123456789"


@dataclass(frozen=True)
class Checked:
    """One check that sent telemetry: its project, its stored report, and what arrived."""

    project: Path
    report: dict[str, Any]
    seen: Collector


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    with collector() as seen:
        listen(monkeypatch, seen)
        yield seen


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory, database: PostgresDatabase) -> Checked:
    """A check of a change after which every question is asked and judged anew."""
    root = tmp_path_factory.mktemp("telemetry")
    with pytest.MonkeyPatch.context() as patch, openai_server() as model, collector() as seen:
        patch.chdir(root)
        patch.setenv("TEST_KEY", MODEL_KEY)
        patch.setenv("RAGATE_DATABASE_URL", database.conninfo())
        model.reply = answers_and_judges()
        write_docs_project(root)
        configure(root, model)
        assert run(["baseline", "update", "--runs", "1"]) == 0
        ask_anew(root)
        model.reply = ending_otherwise(model.reply)
        listen(patch, seen)
        assert run(["check"]) in {0, 1}
        report = json.loads(max(root.glob(".ragate/runs/*/report.json")).read_text())
    return Checked(root, report, seen)  # no run of another test is sent there any more


def listen(patch: pytest.MonkeyPatch, seen: Collector) -> None:
    patch.setenv("RAGATE_TELEMETRY", "1")
    patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
    patch.setenv("OTEL_EXPORTER_OTLP_HEADERS", f"x-api-key={KEY}")


def ending_otherwise(reply: Callable[[dict[str, Any]], str]) -> Callable[[dict[str, Any]], str]:
    """Return a reply function whose answers none was before: all are judged anew."""
    return lambda body: reply(body) if is_judgement(body) else f"{reply(body)}!"


def ask_anew(project: Path) -> None:
    """Let the system ask another model: nothing that is known holds."""
    config = project / "ragate.toml"
    config.write_text(config.read_text().replace('"answer-1"', '"answer-2"'))


@pytest.fixture(scope="package")
def scored(tmp_path_factory: pytest.TempPathFactory, database: PostgresDatabase) -> Checked:
    """A check of a project with stages and tags, every question asked and judged anew."""
    root = tmp_path_factory.mktemp("scored")
    with pytest.MonkeyPatch.context() as patch, openai_server() as model, collector() as seen:
        deny_ci(patch)
        patch.chdir(root)
        patch.setenv("TEST_KEY", MODEL_KEY)
        patch.setenv("RAGATE_DATABASE_URL", database.conninfo())
        model.reply = answers_and_judges()
        write_scored_project(root, model)
        assert run(["baseline", "update", "--runs", "1"]) == 0
        ask_anew(root)
        model.reply = ending_otherwise(model.reply)
        listen(patch, seen)
        assert run(["check"]) in {0, 1}
        report = json.loads(max(root.glob(".ragate/runs/*/report.json")).read_text())
    return Checked(root, report, seen)

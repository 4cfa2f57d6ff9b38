"""The system under test: its plugin, its documents or recordings, and the database it needs."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from ragate import plugins
from ragate.cli.doctor import document_ids, golden_set, recordings, server
from ragate.cli.doctor.examined_config import ExaminedProject
from ragate.cli.doctor.interpreter import CHECK, interpreter, passed_variables
from ragate.cli.finding import Finding, guarded, ok, skipped, warning
from ragate.config import Config
from ragate.models import Sample, SystemOutput
from ragate.pipeline.run.gone_documents import gone_documents
from ragate.runtime.operations import Operations
from ragate.runtime.resources import open_resources
from ragate.support.settings import read_settings
from ragate.systems._interpreter_settings import InterpreterSettings

UNREAD = "ragate.toml cannot be read"


def system(subject: ExaminedProject, samples: Sequence[Sample]) -> Iterable[Finding]:
    """Say whether the system can be made, and fits the golden set. Nothing of it is run."""
    config = subject.config
    if config is None:
        return [skipped("system", UNREAD)]
    use = config.system.use
    plugins.load("systems", use)
    model = plugins.settings_model("systems", use)
    findings = [ok("system", f"{use}: its settings are right; --ask starts it")]
    if model is not None:
        settings = read_settings(model, config.system.settings, where="[system]")
        variables, check = subject.operations.environment, "system"
        if isinstance(settings, InterpreterSettings):
            check = CHECK
            findings += guarded(CHECK, lambda: interpreter(settings, config, variables))
        findings += passed_variables(check, getattr(settings, "pass_env", ()), config, variables)
    if not samples:
        return [*findings, skipped("expected documents", "the golden set cannot be read")]
    if use == "pgvector":
        findings += guarded("expected documents", lambda: _pages(config, samples))
    elif use == "replay":
        findings += guarded(recordings.CHECK, lambda: _recordings(config, samples))
    if use != "pgvector" and (gone := gone_documents(samples, config.root)):
        findings.append(warning("expected documents", gone.message, gone.remedy))
    return findings


def _pages(config: Config, samples: Sequence[Sample]) -> Iterable[Finding]:
    from ragate.systems.pgvector.corpus.files import read_corpus
    from ragate.systems.pgvector.settings import Settings

    settings = read_settings(Settings, config.system.settings, where="[system]")
    corpus = read_corpus(config.root, settings.corpus)
    documents = [document.doc_id for document in corpus.documents]
    return golden_set.expected_documents(samples, documents)


def _recordings(config: Config, samples: Sequence[Sample]) -> Iterable[Finding]:
    from ragate.systems._recordings import read_recordings
    from ragate.systems.replay import Replay, Settings, allowed_files

    settings = read_settings(Settings, config.system.settings, where="[system]")
    files = [
        file
        for pattern in settings.paths
        for file in allowed_files(pattern, root=config.root, allowed=config.policy.replay_paths)
    ]
    replay = Replay(read_recordings(files, settings))
    outputs = asyncio.run(_recorded(replay.answer, samples))
    findings = recordings.recordings(
        samples,
        outputs,
        files=len(files),
        runs=replay.max_runs or 0,
        max_unscored=config.policy.max_unscored,
    )
    return [*findings, *document_ids.of_recordings(config, samples, outputs)]


async def _recorded(answer: object, samples: Sequence[Sample]) -> dict[str, SystemOutput]:
    outputs = {sample.id: await answer(sample) for sample in samples}  # type: ignore[operator]
    return {
        sample_id: output
        for sample_id, output in outputs.items()
        if output.error is None or output.error.kind == "system"
    }


def database(subject: ExaminedProject) -> Iterable[Finding]:
    """Say whether the database can be reached, has pgvector, and holds the index.

    A server that a URL names is only asked; the embedded one is started, and stopped again.
    """
    operations = subject.operations
    needed = plugins.traits(subject.use).needs_database
    if needed is False:
        return [ok("database", f"not needed by the system {subject.use}")]
    if needed is None and not operations.database_url:
        return [skipped("database", "it is not known whether the system needs one")]
    with ExitStack() as stack:
        conninfo, where = _reach(operations, stack)
        reached = server.inspect(conninfo)
        findings = server.database(reached, where=where)
        if reached.schema:
            from ragate.database import check_server

            check_server(conninfo)  # changes nothing where the schema is there
            findings += guarded("index", lambda: _index(subject, conninfo))
    return findings


def _reach(operations: Operations, stack: ExitStack) -> tuple[str, str]:
    from ragate.database import PostgresDatabase
    from ragate.database.postgres import readable

    if operations.database_url:
        return readable(operations.database_url), "the server of RAGATE_DATABASE_URL"
    embedded = stack.enter_context(PostgresDatabase(operations.state))
    return embedded.conninfo(), "the embedded server"


async def _embedder(config: Config, operations: Operations, table: Mapping[str, Any]) -> str:
    async with open_resources(config, operations) as opened:
        return opened.system.embedder(table).fingerprint


def _index(subject: ExaminedProject, conninfo: str) -> Iterable[Finding]:
    config = subject.config
    if config is None or subject.use != "pgvector":
        return []
    from ragate.systems.pgvector.corpus.files import read_corpus
    from ragate.systems.pgvector.identity import index_key
    from ragate.systems.pgvector.settings import Settings

    settings = read_settings(Settings, config.system.settings, where="[system]")
    embedder = ""
    if settings.dense and settings.embedder is not None:
        embedder = asyncio.run(_embedder(config, subject.operations, settings.embedder))
    corpus = read_corpus(config.root, settings.corpus)
    folder = (config.root / settings.corpus).resolve()
    held = server.find_index(conninfo, index_key(folder, settings, embedder))
    return server.index(held, corpus.hash, documents=len(corpus.documents))

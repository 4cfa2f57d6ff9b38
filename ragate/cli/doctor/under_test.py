"""The system under test: its plugin, its documents or recordings, and the database it needs."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from ragate import plugins
from ragate.answers.new_manifest import missing_documents
from ragate.baseline.recording.refuse_recording import refuse_missing
from ragate.cli.doctor.examined_config import ExaminedProject
from ragate.cli.finding import Finding, guarded, ok, plural, problem, skipped, warning
from ragate.config import Config, Provider
from ragate.extension import hooked_provider
from ragate.models import Needs, Sample
from ragate.process import NO_DECISION
from ragate.resources.operations import Operations
from ragate.settings import read_settings
from ragate.systems._variables import refuse_judges_key
from ragate.systems.replay import Replay

KEYS = "keys"
UNREAD = "ragate.toml cannot be read"
RECORDINGS = "recordings"
DOCUMENTS = "expected documents"


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
        refuse_judges_key(getattr(settings, "pass_env", ()), config.policy.judge_keys)
    if not samples:
        return [*findings, skipped(DOCUMENTS, "the golden set cannot be read")]
    if use == "pgvector":
        findings += guarded(DOCUMENTS, lambda: _documents(config, samples))
    elif use == "replay":
        findings += guarded(RECORDINGS, lambda: _recordings(config))
    return findings


def _documents(config: Config, samples: Sequence[Sample]) -> Iterable[Finding]:
    from ragate.systems.pgvector.corpus import read_corpus
    from ragate.systems.pgvector.settings import Settings

    settings = read_settings(Settings, config.system.settings, where="[system]")
    corpus = read_corpus(config.root, settings.corpus)
    documents = frozenset(document.doc_id for document in corpus.documents)
    refuse_missing(missing_documents(samples, documents), documents)
    expected = {doc_id for sample in samples for doc_id in sample.expected}
    left_out = f"; left out: {corpus.left_out_words}" if corpus.left_out else ""
    among = f"all {len(expected)} are among the {plural(len(documents), 'document')}"
    return [ok(DOCUMENTS, f"{among}{left_out}")]


def _recordings(config: Config) -> Iterable[Finding]:
    from ragate.systems.replay import Settings, allowed_files, read_recordings

    settings = read_settings(Settings, config.system.settings, where="[system]")
    files = [
        file
        for pattern in settings.paths
        for file in allowed_files(pattern, root=config.root, allowed=config.policy.replay_paths)
    ]
    replay = Replay(read_recordings(files, settings))
    return [ok(RECORDINGS, f"{plural(len(files), 'file')}, {plural(replay.max_runs or 0, 'run')}")]


def database(subject: ExaminedProject) -> Iterable[Finding]:
    """Say whether the database can be reached, and has what the index needs.

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
        reached = inspect_server(conninfo)
        if reached.schema:
            from ragate.database import check_server

            check_server(conninfo)  # changes nothing where the schema is there
    return [database_finding(reached, where=where)]


def _reach(operations: Operations, stack: ExitStack) -> tuple[str, str]:
    from ragate.database import PostgresDatabase
    from ragate.database.postgres import readable

    if operations.database_url:
        return readable(operations.database_url), "the server of RAGATE_DATABASE_URL"
    embedded = stack.enter_context(PostgresDatabase(operations.state))
    return embedded.conninfo(), "the embedded server"


# The database and the index in it: what is asked of a server without changing it.


@dataclass(frozen=True)
class Server:
    """A server that was reached.

    Attributes:
        vector: Version of pgvector in this database, else of the one that could be installed
            there; "" where there is none.
        may_create: Whether our role may create a schema here.
        schema: Whether ragate's tables are there.
    """

    postgres: str
    vector: str
    may_create: bool
    schema: bool


def inspect_server(conninfo: str) -> Server:
    """Ask a server what it has.

    Raises:
        DatabaseError: it cannot be reached.
    """
    from ragate.database.schema import reached

    with reached(conninfo) as connection:
        row = connection.execute(
            "SELECT split_part(current_setting('server_version'), ' ', 1), "
            "(SELECT extversion FROM pg_extension WHERE extname = 'vector'), "
            "(SELECT default_version FROM pg_available_extensions WHERE name = 'vector'), "
            "has_database_privilege(current_database(), 'CREATE'), "
            "to_regclass('ragate.version') IS NOT NULL"
        ).fetchone()
    postgres, installed, available, may_create, schema = row or ("", "", "", False, False)
    return Server(postgres, installed or available or "", bool(may_create), bool(schema))


def database_finding(server: Server, *, where: str) -> Finding:
    """Say whether our index can live there."""
    if not server.vector:
        lack = f"PostgreSQL {server.postgres} without the vector extension"
        remedy = (
            "use an image with pgvector, such as pgvector/pgvector:pg18; the plain postgres image "
            "has none"
        )
    elif not server.schema and not server.may_create:
        lack = "this role may create no schema in the database"
        remedy = "GRANT CREATE ON DATABASE … to it, or give ragate a database of its own"
    else:
        has = f"{where}: PostgreSQL {server.postgres}, pgvector {server.vector}"
        return ok("database", has)
    return problem("database", f"{where}: {lack}", remedy, exit_code=NO_DECISION)


# Which providers are used, and whether their keys are set. No value is ever shown.


def keys(config: Config, environment: Mapping[str, str]) -> Iterable[Finding]:
    """Say which keys are set, of those that a run needs."""
    needed = used_providers(config.system.settings)
    spared: dict[str, str] = {}
    if provider := hooked_provider(config):
        spared[provider] = "recorded calls are replayed, and new ones stay pending"
    judging = judging_providers(config)
    if config.policy.without_key == "judge-free":
        left_out = "judged metrics are left out ([policy] without_key = judge-free)"
        spared |= dict.fromkeys(judging, left_out)
    else:
        needed |= judging
    return key_findings(config.policy.providers, needed, environment, spared=spared)


def used_providers(system: Mapping[str, Any]) -> set[str]:
    """Return the providers that the tables of ``[system]``, or of the judge, name."""
    tables = [value for value in system.values() if isinstance(value, dict)]
    return {name for table in tables if isinstance(name := table.get("provider"), str) and name}


def judging_providers(config: Config) -> set[str]:
    """Return the judge's providers where a metric needs the judge; a foreign metric may."""
    judge = config.policy.judge
    measured = [rule.metric for rule in config.policy.metrics if rule.level != "off"]
    if judge is None or not any(_may_need_judge(name, config) for name in measured):
        return set()
    return ({judge.provider} if judge.provider else set()) | used_providers(judge.settings)


def _may_need_judge(name: str, config: Config) -> bool:
    if config.policy.of_scores:
        return False
    if not plugins.is_builtin_metric(name):
        return True
    metric = plugins.metric(name, settings=config.metric_settings.get(name))
    return metric.info.needs is Needs.JUDGE


def key_findings(
    providers: Mapping[str, Provider],
    needed: Collection[str],
    environment: Mapping[str, str],
    *,
    spared: Mapping[str, str],
) -> Iterable[Finding]:
    """Yield one finding for each provider of the policy, and for each that it lacks.

    Args:
        needed: Providers without whose key a run stops.
        spared: What happens without the key, by provider that a run can do without.
    """
    for name in sorted(set(needed) - providers.keys()):
        yield problem(
            KEYS,
            f"[system] uses the provider {name!r}, which is not in [policy.providers]",
            f"add [policy.providers.{name}] with base_url and key_env; known: "
            f"{', '.join(sorted(providers)) or 'none'}",
        )
    for name, provider in sorted(providers.items()):
        variable = provider.key_env
        value = environment.get(variable, "")
        if not variable:
            yield ok(KEYS, f"provider {name} needs no key")
        elif value:
            yield ok(KEYS, f"provider {name}: {variable} is set")
        elif name in needed:
            yield problem(
                KEYS,
                f"provider {name}: the environment variable {variable} is not set",
                f"set {variable}: in your shell, in .env (read on your machine only), or as a "
                "secret of the workflow; pull requests from forks get no secrets",
                exit_code=NO_DECISION,
            )
        elif name in spared:
            lost = f"provider {name}: {variable} is not set: {spared[name]}"
            yield warning(KEYS, lost, f"set {variable}, or run where it is set")
        else:
            yield ok(KEYS, f"provider {name}: {variable} is not set; nothing here uses it")

"""The gate in pytest: fixtures for tests of one's own, and ``pytest ragate.toml``.

pytest loads this module in every project where ragate is installed, so it imports next to nothing.
It runs the code of the pull request: no keys belong where it runs. docs/plugins.md shows its use.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ragate.pytest_plugin.session_folder import FOLDER, session_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragate.api import StoredRun
    from ragate.config import Config
    from ragate.models import Record, Report, Sample
    from ragate.pytest_plugin.live_system import LiveChat, LiveJudge, LiveSystem
    from ragate.pytest_plugin.session_run import GateFile

_CONFIG = pytest.StashKey["Config"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ragate")
    group.addoption("--ragate-config", metavar="PATH", help="ragate.toml of the fixtures")
    group.addoption(
        "--ragate-live",
        action="store_true",
        help="ask the code under test in this process, not in a worker; the report says so",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> GateFile | None:
    """Collect a configuration that was named on the command line, and no other."""
    if file_path.suffix != ".toml" or not parent.session.isinitpath(file_path):
        return None
    from ragate.pytest_plugin.session_run import GateFile

    gate_file: GateFile = GateFile.from_parent(parent, path=file_path)
    return gate_file


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `ragate_sample` once for each sample of the golden set."""
    if "ragate_sample" not in metafunc.fixturenames:
        return
    from ragate.answers.golden_set import golden_set

    samples = golden_set(_config_of(metafunc.config))
    metafunc.parametrize("ragate_sample", samples, ids=[sample.id for sample in samples])


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist where its session keeps its run."""
    node.workerinput["ragate_folder"] = str(session_folder(node.config))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
    """Have a session fail whose run came to no decision or failed, whatever its tests said."""
    folder = session.config.stash.get(FOLDER, None)
    if folder is None or hasattr(session.config, "workerinput"):
        return
    from ragate.pytest_plugin.session_run import verdict_lines

    lines = verdict_lines(folder)
    shutil.rmtree(folder, ignore_errors=True)
    if lines and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and lines:
        reporter.write_line("")  # -q leaves the line of dots open
        for line in lines:
            reporter.write_line(line, red=True)


def _config_of(config: pytest.Config) -> Config:
    """Return the configuration of the fixtures: ``--ragate-config``, else from pytest's root."""
    if _CONFIG not in config.stash:
        from ragate.config import find_config, load_config
        from ragate.errors import ConfigError

        named = config.getoption("--ragate-config")
        path = Path(config.invocation_params.dir, named) if named else None
        try:
            config.stash[_CONFIG] = load_config(find_config(config.rootpath, named=path))
        except ConfigError as error:
            raise pytest.UsageError(f"ragate: {error.message}\n  -> {error.remedy}") from None
    return config.stash[_CONFIG]


@contextmanager
def _told() -> Iterator[None]:
    """Fail with what an error of ours says, and without the way through our code."""
    from ragate.errors import RagateError

    try:
        yield
    except RagateError as error:
        pytest.fail(f"ragate: {error.message}\n  -> {error.remedy}", pytrace=False)


@pytest.fixture(scope="session")
def ragate_config(request: pytest.FixtureRequest) -> Config:
    """The configuration: ragate.toml from pytest's root folder upwards, or ``--ragate-config``."""
    return _config_of(request.config)


@pytest.fixture(scope="session")
def ragate_dataset(ragate_config: Config) -> Sequence[Sample]:
    """The samples of the golden set, drafts left out."""
    from ragate.answers.golden_set import golden_set

    return golden_set(ragate_config)


@pytest.fixture(scope="session")
def ragate_run(request: pytest.FixtureRequest, ragate_config: Config) -> StoredRun:
    """The gate's run of this session: made once, by whichever test or process asks first."""
    from ragate.pytest_plugin.session_run import run_once

    with _told():
        live = bool(request.config.getoption("--ragate-live"))
        return run_once(session_folder(request.config), ragate_config.path, live=live)


@pytest.fixture(scope="session")
def ragate_report(ragate_run: StoredRun) -> Report:
    """The report of the session's run, with its verdict."""
    return ragate_run.report


@pytest.fixture(scope="session")
def _ragate_records(ragate_run: StoredRun) -> dict[str, Record]:
    records: dict[str, Record] = {}
    for record in ragate_run.records:
        records.setdefault(record.sample_id, record)
    return records


@pytest.fixture
def ragate_record(ragate_sample: Sample, _ragate_records: dict[str, Record]) -> Record:
    """What the session's run has of `ragate_sample`: answer, documents and scores of one pass."""
    return _ragate_records[ragate_sample.id]


@pytest.fixture(scope="session")
def ragate_system(request: pytest.FixtureRequest, ragate_config: Config) -> Iterator[LiveSystem]:
    """The system under test: a function from a question or a sample to an output."""
    yield from _system(ragate_config, live=bool(request.config.getoption("--ragate-live")))


@pytest.fixture(scope="session")
def ragate_live_system(ragate_config: Config) -> Iterator[LiveSystem]:
    """The same in the test's own process, where what the test patches is what is asked."""
    yield from _system(ragate_config, live=True)


def _system(config: Config, *, live: bool) -> Iterator[LiveSystem]:
    from ragate.pytest_plugin.live_system import live_system

    with _told(), live_system(config, live=live) as system:
        yield system


@pytest.fixture(scope="session")
def ragate_judge(ragate_config: Config) -> Iterator[LiveJudge]:
    """The policy's judge: a function from sample, output and criterion to a score."""
    from ragate.pytest_plugin.live_system import live_judge

    with _told(), live_judge(ragate_config) as judge:
        yield judge


@pytest.fixture(scope="session")
def ragate_chat(ragate_config: Config) -> Iterator[LiveChat]:
    """The model of the policy's judge: a function from a prompt to a text."""
    from ragate.pytest_plugin.live_system import live_chat

    with _told(), live_chat(ragate_config) as chat:
        yield chat

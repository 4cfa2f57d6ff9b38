"""pytest says of a project what ``ragate check`` says of it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import CLEAN, ragate
from tests.projects import ReplayProject, right
from tests.servers.forks import CAN_FORK, run

pytestmark = pytest.mark.e2e


def wrong(number: int, run: int) -> Mapping[str, Any]:
    lost = {"answer": "No idea.", "chunks": [{"doc_id": "other.md", "text": "Else."}]}
    return lost if number < 6 else right(number, run)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a baseline, to be copied."""
    root = tmp_path_factory.mktemp("recording")
    ReplayProject(root)
    assert ragate(root, "baseline", "update").returncode == 0
    return root


@pytest.fixture
def project(tmp_path: Path, recording: Path) -> ReplayProject:
    shutil.copytree(recording, tmp_path, dirs_exist_ok=True)
    return ReplayProject(tmp_path)


def run_pytest(
    root: Path, *arguments: str, plugins: tuple[str, ...] = ("ragate",)
) -> subprocess.CompletedProcess[str]:
    """Run pytest in a project of a stranger, whose tests know nothing of ours.

    Args:
        plugins: The installed ones that are loaded, by the names of their entry points; all where
            none is named.
    """
    words = ["-q", "-rA", "-p", "no:cacheprovider", *arguments]
    words += [part for plugin in plugins for part in ("-p", plugin)]
    env = {**CLEAN, **({"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} if plugins else {})}
    if CAN_FORK and plugins == ("ragate",):
        return run("pytest", words, folder=root, variables=env, timeout=60)
    command = [sys.executable, "-m", "pytest", *words]
    return subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)


def counts(done: subprocess.CompletedProcess[str]) -> dict[str, int]:
    last = re.findall(r"(\d+) (passed|failed|error|errors)", done.stdout.splitlines()[-1])
    return {word: int(count) for count, word in last}


def write_tests(root: Path, text: str) -> None:
    (root / "test_rag.py").write_text(text)


def test_an_unchanged_project_passes_a_test_a_sample_and_the_verdict(project: ReplayProject):
    done = run_pytest(project.root, "ragate.toml")

    assert done.returncode == 0, done.stdout + done.stderr
    assert counts(done) == {"passed": 41}
    assert "ragate.toml::verdict" in done.stdout


@pytest.mark.parametrize(
    "processes",
    [
        (),
        pytest.param(
            ("-n", "2"), marks=pytest.mark.skipif(not find_spec("xdist"), reason="without xdist")
        ),
    ],
    ids=["alone", "xdist"],
)
def test_a_worse_project_fails_with_the_samples_and_words_of_check(
    project: ReplayProject, processes: tuple[str, ...]
):
    project.record(wrong)
    checked = ragate(project.root, "check")
    runs = len(list((project.root / ".ragate" / "runs").iterdir()))

    plugins = ("ragate", "xdist") if processes else ("ragate",)
    done = run_pytest(project.root, "ragate.toml", *processes, plugins=plugins)

    assert checked.returncode == done.returncode == 1
    assert counts(done) == {"failed": 7, "passed": 34}
    assert {f"q{n}" for n in range(6)} == set(
        re.findall(r"^FAILED ragate.toml::(q\d+)", done.stdout, re.M)
    )
    assert "FAILED ragate.toml::q0 - retrieval: expected doc0.md, rank 1 → gone" in done.stdout
    verdict = next(line for line in checked.stdout.splitlines() if line.startswith("FAILED"))
    assert verdict in done.stdout
    assert len(list((project.root / ".ragate" / "runs").iterdir())) == runs + 1


def test_no_decision_fails_the_session(project: ReplayProject):
    (project.root / "baselines" / "gate.json").unlink()

    done = run_pytest(project.root, "ragate.toml")

    assert done.returncode == 1
    assert "FAILED ragate.toml::verdict" in done.stdout


def test_a_session_whose_own_tests_pass_fails_with_the_gate(project: ReplayProject):
    project.record(wrong)
    write_tests(project.root, "def test_run(ragate_run): assert ragate_run.records\n")

    done = run_pytest(project.root)

    assert "1 passed" in done.stdout
    assert done.returncode == 1
    assert "\nragate: gate: failed" in done.stdout


def test_a_process_that_dies_with_the_gate_leaves_the_others_no_wait(project: ReplayProject):
    write_tests(project.root, "def test_run(ragate_sample, ragate_run): pass\n")
    kill = "from ragate.pytest_plugin import session_run\nimport os\n"
    kill += "session_run.check = lambda config, live: os._exit(9)\n"
    (project.root / "conftest.py").write_text(kill)

    done = run_pytest(project.root, "-n", "2", "-k", "q1 or q2", plugins=("ragate", "xdist"))

    assert done.returncode == 1
    assert "the process that ran the gate for this session ended in the middle" in done.stdout


def test_a_configuration_that_is_not_named_is_not_collected(project: ReplayProject):
    write_tests(project.root, "def test_nothing(): pass\n")

    done = run_pytest(project.root, ".")

    assert done.returncode == 0
    assert counts(done) == {"passed": 1}


FIXTURES = """
from ragate.models import Sample, SystemOutput

def test_each(ragate_sample, ragate_record):
    assert ragate_sample.references[0] in ragate_record.output.answer
    assert ragate_record.scores["token_f1"].value > 0.5

def test_set(ragate_dataset, ragate_config, ragate_report):
    assert len(ragate_dataset) == 40
    assert ragate_report.gate == ragate_config.gate

def test_system(ragate_system, ragate_dataset):
    output = ragate_system(ragate_dataset[3])
    assert output.chunks[0].doc_id == "doc3.md"
    assert ragate_system(ragate_dataset[4]).answer.startswith("The value of 4")
"""


def test_fixtures_give_samples_records_and_the_system(project: ReplayProject):
    write_tests(project.root, FIXTURES)

    done = run_pytest(project.root)

    assert done.returncode == 0, done.stdout
    assert counts(done) == {"passed": 42}


PATCHED = """
import rag

def test_here(ragate_live_system, monkeypatch):
    monkeypatch.setattr(rag, "WORD", "patched")
    assert ragate_live_system("How?").answer == "patched"

def test_there(ragate_system, monkeypatch):
    monkeypatch.setattr(rag, "WORD", "patched")
    assert ragate_system("How?").answer == "plain"
"""


def test_a_test_that_says_so_is_asked_in_its_own_process(project: ReplayProject):
    text = (project.root / "ragate.toml").read_text()
    config = text.replace('systems = ["replay"]', 'systems = ["python"]').splitlines()
    system = config.index("[system]")
    config[system + 1 :] = ['use = "python"', 'target = "rag:answer"']
    (project.root / "ragate.toml").write_text("\n".join(config))
    (project.root / "rag.py").write_text("WORD = 'plain'\ndef answer(query): return WORD\n")
    write_tests(project.root, PATCHED)

    done = run_pytest(project.root)
    live = run_pytest(project.root, "ragate.toml", "--ragate-live", "-k", "verdict")

    assert counts(done) == {"passed": 2}, done.stdout
    assert "the code under test was asked live" in live.stdout


def test_a_failing_assertion_names_the_sample_and_shows_the_difference(project: ReplayProject):
    text = "def test_each(ragate_sample, ragate_record):\n"
    text += "    assert ragate_record.output.answer == ragate_sample.references[0]\n"
    write_tests(project.root, text)

    done = run_pytest(project.root, "-k", "q7")

    assert done.returncode == 1
    assert "test_rag.py::test_each[q7]" in done.stdout
    assert "- The value of 7 is 7 apples." in done.stdout


def test_without_a_judge_its_fixture_says_so(project: ReplayProject):
    write_tests(project.root, "def test_judge(ragate_judge): pass\n")

    done = run_pytest(project.root)

    assert done.returncode == 1
    assert "ragate: " in done.stdout
    assert "there is no [policy.judge]" in done.stdout
    assert "Traceback" not in done.stdout
    assert "live_system.py" not in done.stdout


def test_without_a_configuration_the_message_is_that_of_the_command(tmp_path: Path):
    write_tests(tmp_path, "def test_each(ragate_sample): pass\n")

    done = run_pytest(tmp_path)

    assert done.returncode != 0
    assert "there is no ragate.toml" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_a_broken_configuration_is_an_error_of_the_collection(project: ReplayProject):
    (project.root / "ragate.toml").write_text("[policy]\nrunz = 3\n")

    done = run_pytest(project.root, "ragate.toml")

    assert done.returncode == 2
    assert "policy.metrics" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_project_that_does_not_use_the_plugin_imports_none_of_ragate(tmp_path: Path):
    write_tests(
        tmp_path,
        "import sys\ndef test_none():\n"
        "    loaded = {m.split('.')[1] for m in sys.modules if m.startswith('ragate.')}\n"
        "    assert loaded == {'pytest_plugin', 'version'}\n",
    )

    done = run_pytest(tmp_path, plugins=())

    assert done.returncode == 0, done.stdout

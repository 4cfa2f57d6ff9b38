"""The action as a step after an evaluator: its file of scores against the committed baseline."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragate.cli.main import run as ragate
from tests.container.runner import StepResult
from tests.e2e.action.command_projects import accept
from tests.e2e.action.forge import Change, Forge
from tests.e2e.action.main_projects import baseline_of, record
from tests.e2e.action.talk import GATE, replies, say, upload
from tests.servers.github_stub import github_stub

pytestmark = pytest.mark.e2e
RESULTS = "out/results.json"
CONFIG = """\
[policy]
baseline = "baselines/gate.json"
systems = ["scores"]
scores_paths = ["out/*.json"]
[policy.metrics.faithfulness]
[system]
use = "scores"
paths = ["out/results.json"]
"""


def evaluated(run_id: str, *, seed: int = 1, lost: float = 0.0) -> bytes:
    """Return what promptfoo writes of sixty questions."""
    rng = random.Random(seed)
    rows = []
    for number in range(60):
        score = random.Random(number).gauss(0.75, 0.1) - lost + rng.gauss(0, 0.02)
        score = round(min(1.0, max(0.0, score)), 4)
        asked = {"question": f"How many days does rule {number} allow?"}
        said = {"output": "Yes."}
        rows.append(
            {"promptIdx": 0, "vars": asked, "response": said, "success": True, "score": score}
            | {"namedScores": {"faithfulness": score}, "failureReason": 0}
        )
    return json.dumps({"evalId": run_id, "results": {"version": 3, "results": rows}}).encode()


@pytest.fixture
def scored(tmp_path: Path) -> Iterator[Forge]:
    """Yield a repository whose main branch has a baseline of scores."""
    project = tmp_path / "project"
    (project / "out").mkdir(parents=True)
    (project / "ragate.toml").write_text(CONFIG)
    (project / RESULTS).write_bytes(evaluated("main"))
    before = Path.cwd()
    os.chdir(project)
    try:
        assert ragate(["baseline", "update"]) == 0
    finally:
        os.chdir(before)
    names = ("ragate.toml", "baselines/gate.json")
    with github_stub(tmp_path / "github") as github:
        forge = Forge(github, tmp_path)
        forge.start({name: (project / name).read_bytes() for name in names})
        yield forge


def judged(
    forge: Forge, change: Change, results: bytes | None, *, age_s: int = 0, run_id: int = 1
) -> StepResult:
    """Run the step after an evaluator that wrote these results, and upload what it left."""
    workspace = forge.checkout(change.merge)
    path = workspace / RESULTS
    if results is not None:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(results)
    if age_s:
        written = path.stat().st_mtime - age_s
        os.utime(path, (written, written))
    result = forge.check(change, workspace=workspace, run_id=run_id)
    forge.github.add_run(run_id, head_sha=change.head)
    upload(forge, run_id, f"ragate-{GATE}-{change.head}-1", workspace / ".ragate/result")
    return result


def test_a_drop_fails_a_repaired_one_passes_and_a_maintainer_may_accept_it(scored: Forge):
    change = scored.change({"app.py": b"one\n"})
    scored.github.git.move("change", change.head)
    result = judged(scored, change, evaluated("run-2", seed=2, lost=0.1))
    assert result.exit_code == 1, result.log
    assert scored.states(change.head) == ["pending", "failure"]
    assert "faithfulness" in scored.comment()

    result = say(scored, accept(change, "faithfulness"))
    assert (result.exit_code, result.outputs["verdict"]) == (0, "passed"), replies(scored)

    repaired = scored.change({"app.py": b"two\n"})
    result = judged(scored, repaired, evaluated("run-3", seed=3), run_id=2)
    assert result.exit_code == 0, result.log


def test_a_second_evaluation_at_one_commit_washes_no_red_out(scored: Forge):
    change = scored.change({"app.py": b"one\n"})
    worse, luckier = evaluated("run-2", seed=2, lost=0.1), evaluated("run-3", seed=3)
    assert judged(scored, change, worse).exit_code == 1

    result = judged(scored, change, luckier, run_id=2)
    assert result.exit_code == 3, result.log
    assert "its outputs are not among these" in " ".join(result.log.split())

    assert judged(scored, change, worse, run_id=3).exit_code == 1


def test_the_baselines_own_file_measured_nothing(scored: Forge):
    change = scored.change({"app.py": b"one\n"})

    result = judged(scored, change, evaluated("main"))
    assert result.exit_code == 3, result.log
    assert "nothing measured the change" in " ".join(result.log.split())

    result = judged(scored, change, evaluated("run-2"), run_id=2)  # equal scores, of another run
    assert result.exit_code == 0, result.log


@pytest.mark.parametrize(
    ("files", "age_s", "why"),
    [
        ({RESULTS: evaluated("run-2", seed=2)}, 0, "a file of the commit"),
        ({"app.py": b"one\n"}, 3_600, "older than the checkout"),
    ],
)
def test_scores_that_no_step_wrote_are_no_decision_unless_the_policy_takes_them(
    scored: Forge, files: dict[str, bytes], age_s: int, why: str
):
    change = scored.change(files)
    results = None if RESULTS in files else evaluated("run-2", seed=2)

    result = judged(scored, change, results, age_s=age_s)
    assert result.exit_code == 3, result.log
    assert why in " ".join(result.log.split())

    taken = CONFIG.replace("systems =", "scores_tracked = true\nsystems =").encode()
    loose = scored.change({**files, "ragate.toml": taken})
    assert judged(scored, loose, results, age_s=age_s).exit_code == 3  # a change loosens nothing

    scored.base = scored.github.commit({"ragate.toml": taken}, parents=[scored.base], branch="main")
    result = judged(scored, scored.change(files), results, age_s=age_s)
    assert result.exit_code == 0, result.log


def test_main_records_what_its_own_evaluator_wrote(scored: Forge):
    scored.base = scored.github.commit({"app.py": b"one\n"}, parents=[scored.base], branch="main")
    result = record(scored, files={RESULTS: evaluated("main-2", seed=2)})

    assert result.exit_code == 0, result.log
    assert baseline_of(scored)["recorded"]["commit"] == scored.base

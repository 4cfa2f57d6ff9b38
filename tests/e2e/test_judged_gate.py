"""Our own gate with a model that answers and one that judges, by the installed command."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import ragate
from tests.night import by_night
from tests.servers.process import ServerProcess, server_process

ROOT = Path(__file__).parents[2]
SAMPLES = 40
WORKERS = 4
KEY = "sk-canary-0123456789abcdef"
ENVIRONMENT = {"TEST_KEY": KEY, "RAGATE_CONCURRENCY": str(WORKERS), "RAGATE_DEBUG": "1"}
ANSWER = 'use = "chat"\nprovider = "local"\nmodel = "answer-1"\nprompt = "prompt.md"\n'
JUDGE = """
[policy.providers.local]
base_url = "{url}"
key_env = "TEST_KEY"

[policy.providers.local.prices."answer-1"]
input_usd_per_million = 1000.0
output_usd_per_million = 1000.0

[policy.judge]
use = "{judge}"
provider = "local"
model = "judge-1"
concurrency = {workers}

[policy.metrics.{first}]
level = "error"

[policy.metrics.{second}]
level = "error"

[system]
"""
# By judge: two metrics, and the calls that both together cost.
METRICS = {
    "rubric": ("faithfulness", "correctness", 1),
    "llamaindex": ("faithfulness_binary", "relevancy", 2),
}

pytestmark = [pytest.mark.e2e, by_night]


def gate_in(folder: Path, url: str, judge: str) -> None:
    """Write our gate with a chat model and a judge, on the first questions."""
    shutil.copytree(ROOT / "docs", folder / "docs")
    golden = (ROOT / "evals/golden.jsonl").read_text().splitlines(keepends=True)
    (folder / "evals").mkdir()
    (folder / "evals/golden.jsonl").write_text("".join(golden[:SAMPLES]))
    prompt(folder, "Answer from these pages.")
    config = (ROOT / "ragate.toml").read_text()
    config = re.sub(r"(?m)^runs\s*=.*$", "runs = 1", config, count=1)
    # What an extractive answer is held to says nothing about a model that makes its text up.
    config = re.sub(r"(?m)^minimum\s*=.*$", "", config)
    config = re.sub(r"(?s)\[policy.metrics.refusal_recall\].*?\n\n", "", config)
    config = re.sub(r'use\s*= "extractive"\nthreshold.*\n', ANSWER, config)
    first, second, _ = METRICS[judge]
    table = JUDGE.format(url=url, workers=WORKERS, judge=judge, first=first, second=second)
    (folder / "ragate.toml").write_text(config.replace("\n[system]\n", table, 1))


def commit(folder: Path) -> None:
    """Commit everything, as in CI: a clean tree is known by its commit."""
    (folder / ".gitignore").write_text(".ragate/\n")
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "gc.auto=0"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "change"]):
        subprocess.run([*git, *words], cwd=folder, check=True)


def prompt(folder: Path, wish: str) -> None:
    contexts = "{% for chunk in contexts %}{{ chunk.text }}\n{% endfor %}"
    (folder / "prompt.md").write_text(f"{wish}\n{contexts}{{{{ question }}}}")


Gate = tuple[Path, ServerProcess, str]


@pytest.fixture(params=["rubric", "llamaindex"])
def recorded(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Gate]:
    folder = tmp_path / "judged"
    folder.mkdir()
    calls = METRICS[request.param][2]
    with server_process() as server:
        gate_in(folder, server.base_url, request.param)
        worst = ("--accept", "number_recall")  # the model of this test says no numbers
        done = ragate(folder, "baseline", "update", *worst, env=ENVIRONMENT)
        assert done.returncode == 0, done.stdout + done.stderr
        seen = server.change()
        assert (seen["answers"], seen["verdicts"]) == (SAMPLES, calls * SAMPLES)
        (folder / ".ragate" / "cache.sqlite").unlink()
        yield folder, server, request.param


def check(folder: Path) -> tuple[int, str]:
    """Check, and find the key in nothing that was printed or written, tracebacks included."""
    done = ragate(folder, "check", "--verbose", env=ENVIRONMENT)
    said = done.stdout + done.stderr
    assert KEY not in said
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    return done.returncode, " ".join(said.split())


def test_judged_metrics_reuse_cost_and_an_outage_are_shown_and_no_change_calls_nobody(
    recorded: Gate,
) -> None:
    reuses_what_did_not_change(*recorded)
    goes_on_where_it_was_unplugged(*recorded)


def reuses_what_did_not_change(folder: Path, server: ServerProcess, judge: str) -> None:
    first, second, calls = METRICS[judge]

    code, said = check(folder)

    assert code == 0, said
    assert server.change()["requests"] == 0
    assert re.search(rf"{first} +\d", said)
    assert re.search(rf"{second} +\d", said)
    assert f"0 affected, {SAMPLES} reused" in said
    assert f"0 model calls · {SAMPLES} answers and {SAMPLES} verdicts reused" in said

    page = folder / "docs/tutorial.md"
    page.write_text(page.read_text().replace("install", "set up"))
    code, said = check(folder)

    seen = server.change()
    assert code in (0, 1), said
    assert 0 < seen["answers"] < SAMPLES
    assert seen["verdicts"] == calls * seen["answers"]
    assert re.search(rf"{seen['requests']} model calls .*\$\d", said)
    shutil.copy(ROOT / "docs/tutorial.md", page)


def goes_on_where_it_was_unplugged(folder: Path, server: ServerProcess, judge: str) -> None:
    calls = METRICS[judge][2]
    prompt(folder, "Answer from these pages, and in short.")
    commit(folder)
    server.change(lives=50, latency_s=0.05)

    code, said = check(folder)

    assert code == 3, said
    assert "the run ends here" in said
    assert "cannot be reached" in said
    first: dict[str, Any] = json.loads(server.last_words())
    assert first["answers"] + first["verdicts"] + first["canaries"] == 50
    assert first["answers"] < SAMPLES

    with server_process(port=server.port) as again:
        code, said = check(folder)
        second = again.change()

    assert code == 0, said
    both = {kind: first[kind] + second[kind] for kind in ("answers", "verdicts")}
    assert SAMPLES <= both["answers"] <= SAMPLES + WORKERS
    assert calls * SAMPLES <= both["verdicts"] <= calls * (SAMPLES + WORKERS)

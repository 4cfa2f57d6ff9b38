"""What `kill -9` costs a gate with a judge, at random moments of the whole command.

    python -m benchmarks.kills [--points 200] [--judge rubric|llamaindex] [--seed 1]

A chain begins with nothing remembered. `ragate check` is killed after a time that is uniform over
the duration of an uninterrupted run, and started again, until one start ends before its time; then
the next chain begins. Half of the points are on recorded answers, half on answers of a model over
changed pages, whose ingestion is killed too. The writing at the end takes some milliseconds only,
so a tenth as many kills on top are aimed at it.

What was asked is the server's own record; what was kept is read from a copy of the cache after each
kill. Canaries are asked anew by every start that judges, by design, and stand apart. The folder is
no git checkout: in one, a start after a run that is already stored adds a pass to that commit's
evidence, and so pays for it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.judged_line import show
from benchmarks.judged_projects import PAGES, REPLAY, Project
from ragate.cache import STEPS, Cache
from ragate.cache.store import read_draw
from ragate.config import load_config
from ragate.core.hashing import digest, judgement_hash
from ragate.dataset import read_dataset
from ragate.errors import RagateError
from ragate.models import Report
from ragate.outputs.outputs_file import read_outputs
from ragate.stores.local import LocalStore
from tests.servers.evaluator import evaluation
from tests.servers.model import is_judgement
from tests.servers.openai_server import FakeOpenAI, openai_server
from tests.servers.process import Model

SAMPLES, CONCURRENCY, LATENCY_S = 60, 4, 0.04
WRITING_S = 0.01
QUIET_S = 0.06  # until the server has read what was sent before a kill
TEMPLATES = {"recorded answers": REPLAY, "answers of a model": PAGES}
# What differs by right between a run that was resumed and one that was not: its name, its times,
# and how much of it was paid for now. Nothing else is left out of the comparison.
OF_THE_REPORT = ("run_id", "created")
OF_ITS_FACTS = ("model_calls", "calls_reused", "verdicts_reused", "saved_usd", "duration_s")
OF_A_SCORE_LINE = ("usage",)
ANSWER, VERDICT, CANARY = "answers", "verdicts", "canaries"
Call = tuple[str, str]  # kind, and the number of the sample; with a question of its own, which


@dataclass
class Calm:
    """An uninterrupted run: its duration, its calls, its outcome, and whose each verdict is.

    Attributes:
        apart: The judge has a question for each criterion, and so a call for each score.
    """

    wall_s: float
    needed: Counter[Call]
    outcome: dict[str, bytes]
    numbers: dict[str, str]
    apart: bool


@dataclass
class Seen:
    """What all chains of one project came to."""

    chains: int = 0
    moments: Counter[str] = field(default_factory=Counter)
    asked_though_kept: int = 0
    vanished: int = 0
    most_lost: Counter[str] = field(default_factory=Counter)
    paid_twice: Counter[str] = field(default_factory=Counter)
    canaries: int = 0
    differ: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    temporary: int = 0

    @property
    def kills(self) -> int:
        return self.moments.total()


@dataclass
class Gate:
    """A project whose every answer has changed since its baseline, and its server."""

    project: Project
    fake: FakeOpenAI

    @property
    def state(self) -> Path:
        return self.project.root / ".ragate"

    def reset(self) -> None:
        """Forget all but the baseline; pages change after the index was that of the old ones."""
        if self.project.template == PAGES:
            self.write_pages("picked")
            self.project.ragate("ingest")
            self.write_pages("taken")
        for path in self.state.glob("cache.sqlite*"):
            path.unlink()
        shutil.rmtree(self.state / "runs", ignore_errors=True)
        self.asked()

    def write_pages(self, word: str) -> None:
        """Write every page with this word."""
        for number in range(SAMPLES):
            self.project.write_page(number, word)

    def asked(self) -> Counter[Call]:
        """Return what the server was asked since the last time, answered or not."""
        time.sleep(QUIET_S)
        with self.fake.lock:
            sent, self.fake.requests = self.fake.requests, []
        return Counter(kind_of(body) for _, _, body in sent if "messages" in body)

    def start(self) -> subprocess.Popen[bytes]:
        """Start `ragate check` as a user does."""
        clean = {key: value for key, value in os.environ.items() if not key.startswith("RAGATE_")}
        with (self.project.root / "said.txt").open("wb") as said:
            return subprocess.Popen(
                [sys.executable, "-c", "from ragate.cli.main import main; main()", "check"],
                cwd=self.project.root,
                env={**clean, "TEST_KEY": "sk-canary", "RAGATE_CONCURRENCY": str(CONCURRENCY)},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
            )

    def outcome(self, code: int) -> dict[str, bytes]:
        """Return what a finished run leaves, without what differs by right."""
        folder = max((self.state / "runs").glob("*/manifest.json")).parent
        report = json.loads((folder / "report.json").read_bytes())
        lines = [json.loads(line) for line in (folder / "scores.jsonl").read_bytes().splitlines()]
        for part, names in (
            (report, OF_THE_REPORT),
            (report["facts"], OF_ITS_FACTS),
            *((line, OF_A_SCORE_LINE) for line in lines),
        ):
            for name in names:
                part.pop(name, None)
        return {
            "exit codes": str(code).encode(),
            "reports": json.dumps(report).encode(),
            "scores": json.dumps(lines).encode(),
            "baselines": (self.project.root / "baselines/gate.json").read_bytes(),
        }


def kind_of(body: dict[str, Any]) -> Call:
    """Return what a request asks for, and for which sample; a canary is of none."""
    found = re.search(r"(?i)orchard (\d+)", json.dumps(body["messages"]))
    if found is None:
        return CANARY, ""
    if (asked := evaluation(body)) is not None:
        return VERDICT, f"{found[1]} {'relevancy' if asked.query else 'faithfulness_binary'}"
    return VERDICT if is_judgement(body) else ANSWER, found[1]


def replies(fake: FakeOpenAI) -> Callable[[dict[str, Any]], str]:
    """Return a model whose answers repeat, so that two runs can be compared byte by byte."""
    judge = Model(fake)

    def reply(body: dict[str, Any]) -> str:
        kind, number = kind_of(body)
        return f"It comes from orchard {number}. [1]" if kind == ANSWER else judge(body)

    return reply


@contextmanager
def gate(template: str, judge: str) -> Iterator[Gate]:
    """Yield a gate with its baseline, and a server that takes its time."""
    with openai_server() as fake, tempfile.TemporaryDirectory() as folder:
        fake.reply = replies(fake)
        project = Project(Path(folder), template, fake.base_url, SAMPLES, concurrency=CONCURRENCY)
        path = project.write().root / "ragate.toml"
        if judge == "llamaindex":
            text = path.read_text().replace('use = "rubric"', 'use = "llamaindex"')
            text = text.replace("metrics.faithfulness]", "metrics.faithfulness_binary]")
            path.write_text(text.replace("[policy.metrics.correctness]\n", ""))
        project.write_pages()
        project.record("1")
        done = project.ragate("baseline", "update")
        if done.code:
            raise SystemExit(done.said)
        project.record("2")
        fake.latency_s = LATENCY_S
        yield Gate(project, fake)


def run_calmly(gate: Gate) -> Calm:
    """Run once from nothing to the end."""
    gate.reset()
    start = time.monotonic()
    code = gate.start().wait()
    wall_s = time.monotonic() - start
    needed = gate.asked()
    apart = any(" " in what for _, what in needed)
    return Calm(wall_s, needed, gate.outcome(code), numbers_of(gate.project.root), apart)


def numbers_of(root: Path) -> dict[str, str]:
    """Return the sample's number by the key under which the cache has its verdict."""
    folder = max((root / ".ragate/runs").glob("*/manifest.json")).parent
    config = load_config(root / "ragate.toml")
    assert config.policy.judge is not None
    address = config.policy.address(config.policy.judge.provider)
    judge = str(json.loads((folder / "manifest.json").read_bytes())["judge"])
    samples = {sample.id: sample for sample in read_dataset(config.dataset)}
    _, lines = read_outputs(folder / "outputs.jsonl")
    return {
        digest([judgement_hash(judge, samples[line.id], line.output()), address]): line.id[1:]
        for _, line in lines
    }


def kept(gate: Gate, calm: Calm, broken: list[str]) -> set[Call]:
    """Return what the cache holds; the copy is recovered from its log as a next start would."""
    found: set[Call] = set()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cache.sqlite")
        for suffix in ("", "-wal"):
            if (source := gate.state / f"{path.name}{suffix}").exists():
                shutil.copy(source, f"{path}{suffix}")
        if not path.exists():
            return found
        with Cache(path, say=broken.append) as cache:
            for key, criterion, _ in cache.rows("verdicts"):
                number = calm.numbers.get(key, "")
                found.add((VERDICT, f"{number} {criterion}" if calm.apart and number else number))
            for session, *_, text in cache.rows("draws"):
                if session == STEPS:  # on the way to a verdict
                    continue
                draw = read_draw(text)
                said = re.search(r"orchard (\d+)", draw.text if draw else "")
                found.add((ANSWER, said[1] if said else ""))
        database = sqlite3.connect(path)
        health = database.execute("PRAGMA integrity_check").fetchone()[0]
        database.close()
    broken += [f"the cache is damaged: {health}"] if health != "ok" else []
    broken += [f"the cache holds {call[0]} of no sample" for call in found if not call[1]]
    return found


def examine(state: Path, broken: list[str]) -> None:
    """Note every file that a reader of ours would not take; an empty file of outputs is none."""
    store = LocalStore(state)
    broken += [f"{path.name} was moved aside" for path in state.glob("*.unusable-*")]
    for folder in store.runs.glob("*"):
        try:
            if (folder / "manifest.json").exists():
                store.load(folder)
                store.load_report(folder)
            if (path := folder / "report.json").exists():
                Report.model_validate_json(path.read_bytes())
            if (path := folder / "outputs.jsonl").exists() and path.stat().st_size:
                list(read_outputs(path)[1])
        except (RagateError, ValueError) as error:
            broken.append(str(error))


def moment(names: set[str], calm: Calm, asked: Counter[Call], held: set[Call]) -> str:
    """Return the part of the command in which it was killed, by the files of its run."""
    if "manifest.json" in names:
        return "after the run was stored"
    if names - {"outputs.jsonl"}:
        return "while the run was stored"
    if {call for call in calm.needed if call[0] != CANARY} <= held:
        return "with all calls kept"
    return "among the calls" if asked else "before the first call"


Wait = Callable[[Gate, subprocess.Popen[bytes], set[Path]], None]


def any_moment(calm: Calm, chance: random.Random) -> Wait:
    """Wait a time that is uniform over the duration of an uninterrupted run."""

    def wait(_gate: Gate, process: subprocess.Popen[bytes], _known: set[Path]) -> None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0.0, calm.wall_s))

    return wait


def amid_writing(chance: random.Random) -> Wait:
    """Wait until a result begins to be written, and some milliseconds more."""

    def wait(gate: Gate, process: subprocess.Popen[bytes], known: set[Path]) -> None:
        while process.poll() is None and not files_of(gate, known) - {"outputs.jsonl"}:
            time.sleep(0.0002)
        time.sleep(chance.uniform(0.0, WRITING_S))

    return wait


def files_of(gate: Gate, known: set[Path]) -> set[str]:
    """Return the names of the files in the run folders that are not known."""
    made = set(gate.state.glob("runs/*")) - known
    return {path.name for folder in made for path in folder.glob("*")}


def run_chain(gate: Gate, calm: Calm, seen: Seen, points: int, wait: Wait) -> None:
    """Kill and start again until a start ends, or until there are `points` kills; then end it."""
    gate.reset()
    total: Counter[Call] = Counter()
    held: set[Call] = set()
    while True:
        known = set(gate.state.glob("runs/*"))
        process = gate.start()
        if seen.kills < points:
            wait(gate, process, known)
            process.send_signal(signal.SIGKILL)  # does nothing to one that has ended
        code = process.wait()
        asked = gate.asked()
        before, held = held, kept(gate, calm, seen.broken)
        examine(gate.state, seen.broken)
        seen.canaries += asked.pop((CANARY, ""), 0)
        seen.asked_though_kept += sum(asked[call] for call in before)
        seen.vanished += len(before - held)
        total += asked
        lost = Counter(kind for kind, number in asked if (kind, number) not in held)
        seen.most_lost |= lost
        if code != -signal.SIGKILL:
            break
        seen.moments[moment(files_of(gate, known), calm, asked, held)] += 1
    if code != int(calm.outcome["exit codes"]):
        print((gate.project.root / "said.txt").read_text(errors="replace")[-600:])
    seen.chains += 1
    for call, count in (total - calm.needed).items():
        seen.paid_twice[call[0]] += count
    seen.temporary += len(list((gate.state / "runs").glob("*/.*")))
    for name, content in gate.outcome(code).items():
        seen.differ[name] += content != calm.outcome[name]


class Figures:
    """Prints figures beside their limits, and remembers whether one is over."""

    def __init__(self) -> None:
        self.over = 0

    def __call__(self, name: str, value: float, limit: float, note: str = "") -> None:
        self.over += value > limit
        show(name, value, limit, note=note)


def measure(
    template: str, judge: str, points: int, chance: random.Random, figures: Figures
) -> None:
    """Kill one kind of project `points` times, and some more, and print what came of it."""
    with gate(template, judge) as one:
        first, calm = run_calmly(one), run_calmly(one)
        code = calm.outcome["exit codes"].decode()
        print(f"  uninterrupted: {calm.wall_s:.2f} s, {calm.needed.total()} calls, exit {code}")
        figures("two uninterrupted runs that differ", int(first.outcome != calm.outcome), 0)
        for name, kills, wait in (
            ("at any moment", points, any_moment(calm, chance)),
            ("aimed at the writing", points // 10, amid_writing(chance)),
        ):
            seen, start = Seen(), time.monotonic()
            while seen.kills < kills:
                run_chain(one, calm, seen, kills, wait)
            print(f"  {seen.kills} kills {name}, {seen.chains} chains: {told(seen.moments)}")
            print_figures(calm, seen, figures)
            print(f"    (took {time.monotonic() - start:.0f} s)", flush=True)
        again = one.start().wait()
        figures("calls of one more run", one.asked().total(), 0, f"exit {again}")
        running = "stopped" not in one.project.ragate("db", "status").said
        figures("database servers left behind", int(running), 0)
        one.project.ragate("db", "stop")


def print_figures(calm: Calm, seen: Seen, figures: Figures) -> None:
    """Print what one way of killing came to."""
    figures("kept, and yet asked again", seen.asked_though_kept, 0, "calls, all kinds")
    figures("kept, and gone after a later kill", seen.vanished, 0)
    for kind in sorted({kind for kind, _ in calm.needed} - {CANARY}):
        each = sum(count for (name, _), count in calm.needed.items() if name == kind) // SAMPLES
        figures(f"{kind} that one kill lost, at most", seen.most_lost[kind], CONCURRENCY)
        limit = seen.kills * CONCURRENCY
        note = f"calls, {each} a sample; {SAMPLES * each * seen.chains} are needed"
        figures(f"{kind} paid for twice, all kills", seen.paid_twice[kind], limit, note)
    print(f"    (canaries, asked anew by every start that judges: {seen.canaries})")
    for name, count in seen.differ.items():
        figures(f"{name} that differ from the uninterrupted run's", count, 0)
    figures("broken files", len(seen.broken), 0, "; ".join(sorted(set(seen.broken))[:3]))
    print(f"    (temporary files of a kill amid a write, which nobody reads: {seen.temporary})")


def told(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--judge", choices=["rubric", "llamaindex"], default="rubric")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    figures, chance = Figures(), random.Random(options.seed)
    for place, (name, template) in enumerate(TEMPLATES.items()):
        load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
        print(f"{options.judge}, {name} (load average {load} on {os.cpu_count()} cores)")
        points = (options.points + 1 - place) // len(TEMPLATES)
        measure(template, options.judge, points, chance, figures)
    sys.exit(1 if figures.over else 0)


if __name__ == "__main__":
    main()

"""What a gate with a judge costs in time, calls and memory, against a loopback server.

    python -m benchmarks.judged_line [--only NAME ...] [--large] [--against CHECKOUT]

`--only ratios` compares with a bare client; `--against` compares recorded outputs without a judge
with another checkout, whose `.venv` runs it.

Every figure is of the whole command in a process of its own, the server in another, and stands
beside its limit. Times of judging are from the first request to the last reply, as the server sees
them. On a machine that is busy with other work wall times are too long, and CPU times hardly.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.judged_projects import (
    CONTEXT_CHARS,
    CONTEXTS,
    PAGES,
    PLAIN,
    REPLAY,
    Project,
    Ran,
    output,
    run_python,
)
from tests.servers.process import ServerProcess, server_process

HEAVY = ("openai", "llama_index")
ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 3


def show(name: str, value: float, limit: float, unit: str = "", note: str = "") -> None:
    """Print one figure beside its limit."""
    verdict = "ok" if value <= limit else "OVER"
    tail = f"; {note}" if note else ""
    print(f"  {name}: {value:.6g} {unit} (limit {limit:.6g}) {verdict}{tail}", flush=True)


@contextmanager
def recorded(
    template: str, samples: int, **settings: Any
) -> Iterator[tuple[ServerProcess, Project]]:
    """Yield a server and a project that has a baseline and remembers nothing else."""
    with server_process() as server, tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder), template, server.base_url, samples, **settings).write()
        if template == PAGES:
            project.write_pages()
        else:
            project.record("1")
        done = project.ragate("baseline", "update")
        if done.code:
            raise SystemExit(done.said)
        project.forget()
        server.change()
        yield server, project


def span(seen: dict[str, Any]) -> float:
    return float(seen["last"] - seen["first"])


def calls(seen: dict[str, Any]) -> int:
    return int(seen["answers"] + seen["verdicts"] + seen["canaries"])


def speed() -> None:
    """200 judgements at 16 and 1,000 at 64, of 200 ms each; CPU, prompts, and a second run."""
    total: dict[int, Ran] = {}
    for samples, concurrency, factor in ((200, 16, 1.15), (1000, 64, 1.5)):
        with recorded(REPLAY, samples, concurrency=concurrency) as (server, project):
            server.change(latency_s=0.2)
            project.record("2")
            total[samples] = ran = project.ragate("check")
            seen = server.change(latency_s=0.2)
            count, name = calls(seen), f"{samples} samples at {concurrency}"
            least = count * 0.2 / concurrency
            note = f"{count} calls, {seen['canaries']} of them canaries; exit {ran.code}"
            show(f"{name}, judging", span(seen), factor * least + 1.0, "s", note)
            again = project.ragate("check")
            per_call = (ran.cpu_s - again.cpu_s) / count * 1000
            imports = _imports(project) / count * 1000
            note = f"{imports:.2f} ms of them are the import of openai"
            show(f"{name}, CPU a call, imports included", per_call, 6.0, "ms", note)
            if samples == 200:
                _prompts(seen, project)
                _second_run(server, project)
    slope = (total[1000].cpu_s - total[200].cpu_s) / 800 * 1000
    show("CPU a call, everything that grows with samples", slope, 6.0, "ms")


def ratios() -> None:
    """Judged runs and runs that reuse all judgements, beside a bare client: medians of rounds."""
    for samples, concurrency, over, again_s in ((200, 16, 1.4, 0.8), (1000, 64, 1.6, 1.6)):
        rounds = list(_beside_bare_client(samples, concurrency))
        name = f"{samples} at {concurrency}"
        bare, checked, again, least = (
            [one[place] for one in rounds] for place in ("bare", "check", "again", "least")
        )
        walls = [ran.wall_s / limit for ran, limit in zip(checked, least, strict=True)]
        alone = [ran.wall_s / limit for ran, limit in zip(bare, least, strict=True)]
        note = f"{median(ran.wall_s for ran in checked):.2f} s; bare client {median(alone):.2f} x"
        show(f"{name}: whole command over the latency limit", median(walls), over, "x", note)
        wall = median(ran.wall_s for ran in again)
        show(f"{name}: the same again without a call", wall, again_s, "s")
        if samples == 1000:
            _show_cpu(f"{name}: CPU over the bare client's", checked, bare, 1.7)
            _show_cpu(f"{name}: CPU of the same again over it", again, bare, 0.7)


def _beside_bare_client(samples: int, concurrency: int) -> Iterator[dict[str, Any]]:
    """Yield one round after another: a judged run, the same again, and as many bare calls."""
    with recorded(REPLAY, samples, concurrency=concurrency) as (server, project):
        for number in range(ROUNDS):
            project.record(f"round {number}")
            server.change(latency_s=0.2)
            checked = project.ragate("check")
            seen = server.change(latency_s=0.2)
            again = project.ragate("check")
            requests = server.change(latency_s=0.2)["requests"]
            if checked.code or again.code or requests:
                raise SystemExit(f"{requests} requests of the second run\n{checked.said}")
            count = calls(seen)
            each = seen["prompt_chars"] // count
            arguments = [server.base_url, *map(str, (count, each, concurrency))]
            bare = run_python(
                [str(ROOT / "benchmarks/bare_client.py"), *arguments], project.root, {}
            )
            if bare.code or server.change()["requests"] != count:
                raise SystemExit(f"the bare client made other calls\n{bare.said}")
            least = count * 0.2 / concurrency
            yield {"bare": bare, "check": checked, "again": again, "least": least}


def _show_cpu(name: str, ours: list[Ran], theirs: list[Ran], limit: float) -> None:
    shares = [our.cpu_s / their.cpu_s for our, their in zip(ours, theirs, strict=True)]
    cpu = [median(ran.cpu_s for ran in all_runs) for all_runs in (ours, theirs)]
    show(name, median(shares), limit, "x", f"{cpu[0]:.2f} s, {cpu[1]:.2f} s")


def replayed(checkout: Path, samples: int = 20_000) -> None:
    """Recorded outputs without a judge, here and in another checkout, in turn: medians of CPU."""
    pythons = {"here": sys.executable, "there": str(checkout.absolute() / ".venv/bin/python")}
    cpu: dict[str, dict[str, list[float]]] = {
        name: {place: [] for place in pythons} for name in ("update", "check")
    }
    for _ in range(ROUNDS):
        for place, python in pythons.items():
            with tempfile.TemporaryDirectory() as folder:
                project = Project(Path(folder), PLAIN, "", samples, python=python).write()
                project.record("1")
                updated = project.ragate("baseline", "update")
                project.record("2")
                checked = project.ragate("check")
            if updated.code or checked.code:
                raise SystemExit(f"{place}: {updated.said}\n{checked.said}")
            cpu["update"][place].append(updated.cpu_s)
            cpu["check"][place].append(checked.cpu_s)
    print(f"  against {_commit(checkout)}")
    for name, seconds in cpu.items():
        shares = [here / there for here, there in zip(*seconds.values(), strict=True)]
        here, there = map(median, seconds.values())
        note = f"{here:.1f} s, {there:.1f} s"
        show(
            f"{samples} replayed samples: CPU of {name} over there", median(shares), 1.1, "x", note
        )


def _commit(root: Path) -> str:
    """Return the commit of a checkout, and whether files differ from it."""
    said = [
        subprocess.run(["git", *asked], cwd=root, capture_output=True, text=True).stdout.strip()
        for asked in (["rev-parse", "--short=10", "HEAD"], ["status", "--porcelain", "-uno"])
    ]
    return f"commit {said[0]}{', changed' if said[1] else ''}"


def _imports(project: Project) -> float:
    """Return the seconds of CPU that importing the client's package takes, at the least."""
    bare, whole = (
        min(run_python(["-c", f"import {names}"], project.root, {}).cpu_s for _ in range(3))
        for names in ("pydantic", "pydantic, openai")
    )
    return whole - bare


def _prompts(seen: dict[str, Any], project: Project) -> None:
    """Compare what was sent with what had to be; the instructions are those of one request."""
    data = [output(number, "2") for number in range(project.samples)]
    least = sum(
        len(one["answer"])
        + sum(len(chunk["text"]) for chunk in one["chunks"])
        + len(f"It comes from orchard {number}.")
        for number, one in enumerate(data)
    )
    fixed = _fixed_chars() * seen["verdicts"]
    # Canaries are short; their whole text is counted against us.
    show("prompt characters", seen["prompt_chars"], 1.1 * least + fixed, "", f"{fixed} are fixed")
    size = CONTEXTS * CONTEXT_CHARS
    print(f"    ({size} characters of contexts a sample; instructions {_fixed_chars()})")


def _fixed_chars() -> int:
    """Return the characters of rules and instructions."""
    folder = Path(__file__).parents[1] / "ragate/judges/rubric"
    return sum(len((folder / name).read_text()) for name in ("system.md", "instructions.md"))


def _second_run(server: ServerProcess, project: Project) -> None:
    server.change()
    ran = project.ragate("check")
    show(
        "second identical run of 200, whole command", ran.wall_s, 1.5, "s", f"CPU {ran.cpu_s:.2f} s"
    )
    show("  its requests", server.change()["requests"], 0)
    code = (
        "import sys\nfrom ragate.cli.main import run\nrun(['check'])\n"
        f"print('loaded:', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    said = run_python(["-c", code], project.root, {}).said
    found = re.search(r"loaded: \[(.*)\]", said)
    show("  heavy packages that it imported", len(found[1]) if found else 1, 0)


def streaming() -> None:
    """Judging runs beside generating: the larger of the two counts, not their sum."""
    with recorded(PAGES, 200) as (server, project):
        for number in range(200):
            project.write_page(number, "taken")
        server.change(latency_s=0.2)
        ran = project.ragate("check")
        seen = server.change()
        larger = max(seen["answers"], seen["verdicts"] + seen["canaries"]) * 0.2 / 16
        note = f"{seen['answers']} answers, {seen['verdicts']} verdicts; exit {ran.code}"
        show("generating and judging 200 at 16 each", span(seen), 1.2 * larger + 1.0, "s", note)


def affected() -> None:
    """Only samples whose contexts changed are asked anew, though no answer ever repeats."""
    with recorded(PAGES, 200) as (server, project):
        ran = project.ragate("check")
        show("calls after no change", server.change()["requests"], 0, "", f"exit {ran.code}")
        for count in (1, 17, 60):
            for number in range(count):
                project.write_page(number, f"taken{count}")
            project.forget()
            ran = project.ragate("check", "--runs", "1")
            seen = server.change()
            found = (seen["answers"], seen["verdicts"])
            note = f"{seen['canaries']} canaries; exit {ran.code}"
            show(f"{count} of 200 edited: generations", found[0], count, "", note)
            show(f"{count} of 200 edited: judgements", found[1], count)


def faults() -> None:
    """A tenth of the requests fails in every way there is; the figures stay."""
    with recorded(REPLAY, 200, environment={"RAGATE_TIMEOUT_S": "20"}) as (server, project):
        project.record("2")
        server.change(latency_s=0.05)
        project.ragate("check")
        clean, plain = server.change(latency_s=0.05, share=0.1, hang_s=12.0), project.scores()
        project.forget()
        ran = project.ragate("check")
        seen = server.change()
        different = sum(project.scores()[name] != scores for name, scores in plain.items())
        share = seen["requests"] / clean["requests"]
        show("10 % faults: scores that differ", different, 0, "", f"exit {ran.code}")
        show("10 % faults: unscored", project.report()["facts"]["unscored"], 0)
        show("10 % faults: requests a call", share, 1.25, "", f"{ran.wall_s:.1f} s")


def limits() -> None:
    """A provider that takes 10, or 50, requests a second."""
    for rate, samples in ((10.0, 150), (50.0, 600)):
        with recorded(REPLAY, samples) as (server, project):
            project.record("2")
            server.change(latency_s=0.05, rate=rate)
            ran = project.ragate("check")
            seen = server.change()
            wall = calls(seen) / rate
            name, rejected = f"limit of {rate:g} a second", seen["rejected"] / calls(seen)
            note = f"{calls(seen)} calls; exit {ran.code}"
            show(f"{name}: time over the limit's own", span(seen) / wall, 1.4, "x", note)
            show(f"{name}: rejected an accepted one", rejected, 0.5)
            show(f"{name}: unscored", project.report()["facts"]["unscored"], 0)


def storms() -> None:
    """Half of the calls are refused with 429: at any pace, and above a limit of 20 a second."""
    for kinds in ("rejected", "rejected, 1 s"):
        for samples, rate in ((12, 0.0), (200, 20.0)):
            with recorded(REPLAY, samples) as (server, project):
                project.record("2")
                plain = {"latency_s": 0.003, "rate": rate}
                server.change(**plain, share=0.5, kinds=kinds)
                ran = project.ragate("check")
                seen = server.change()
                note = f"{calls(seen)} calls; exit {ran.code}"
                name = f"half {kinds}, {samples} samples"
                if rate:
                    wall = calls(seen) / (rate / 2)  # half of what the limit lets in is refused
                    show(f"{name}: time over the limit's own", span(seen) / wall, 2.0, "x", note)
                else:
                    show(f"{name}: judging", span(seen), 15.0, "s", note)
                show(f"{name}: unscored", project.report()["facts"]["unscored"], 0)


def malformed() -> None:
    """No reply can be read: bytes that are no reply, and a reply that is no verdict."""
    for name, wanted in (
        ("broken replies", {"share": 1.0, "kinds": "malformed"}),
        ('"YES" for JSON', {"verdict": "YES"}),
        (
            "every second broken, the rest YES",
            {"share": 0.5, "kinds": "malformed", "verdict": "YES"},
        ),
    ):
        with recorded(REPLAY, 100) as (server, project):
            project.record("2")
            server.change(**wanted)
            ran = project.ragate("check")
            seen = server.change()
            scored = sum(
                isinstance(score, float)
                for scores in project.scores().values()
                for score in scores.values()
            )
            show(f"{name}: exit code off 3", abs(ran.code - 3), 0)
            show(f"{name}: scores invented", scored, 0)
            show(f"{name}: calls a sample", seen["requests"] / 100, 3.2, "", "canaries included")


def large() -> None:
    """Many samples, no latency: memory and time; ten times as many take little more memory."""
    peaks = [_judged(samples) for samples in (10_000, 100_000)]
    show("100000 samples: memory over that of 10000", peaks[1] / peaks[0], 2.5, "x")
    growth(10_000, 100_000)


def _judged(samples: int) -> float:
    with recorded(REPLAY, samples, concurrency=32) as (server, project):
        project.record("2")
        ran = project.ragate("check")
        seen = server.change()
        note = f"{calls(seen)} calls, CPU {ran.cpu_s:.0f} s; exit {ran.code}"
        show(f"{samples} samples: peak memory", ran.peak_mb, 512, "MB", note)
        show(f"{samples} samples: whole command", ran.wall_s, 300 * samples / 10_000, "s")
        return ran.peak_mb


def growth(few: int = 10_000, many: int = 30_000) -> None:
    """Memory by the number of samples, with recorded outputs and no judge."""
    peaks: dict[int, float] = {}
    for samples in (few, many):
        with tempfile.TemporaryDirectory() as folder:
            project = Project(Path(folder), PLAIN, "", samples).write()
            project.record("1")
            done = project.ragate("baseline", "update")
            if done.code:
                raise SystemExit(done.said)
            project.record("2")
            peaks[samples] = project.ragate("check").peak_mb
            print(f"  {samples} samples without a judge: {peaks[samples]:.0f} MB", flush=True)
    slope = (peaks[many] - peaks[few]) * 1024 / (many - few)
    show("memory a further sample", slope, 2, "KB")


FIGURES: dict[str, Callable[[], None]] = {
    "ratios": ratios,
    "speed": speed,
    "streaming": streaming,
    "affected": affected,
    "faults": faults,
    "limits": limits,
    "storms": storms,
    "malformed": malformed,
    "growth": growth,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=[*FIGURES, "large"], default=list(FIGURES))
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT")
    options = parser.parse_args()
    print(_commit(ROOT), flush=True)
    if options.against:
        replayed(options.against)
        return
    names = [*options.only, *(["large"] if options.large else [])]
    for name in dict.fromkeys(names):
        load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
        print(f"{name} (load average {load} on {os.cpu_count()} cores)", flush=True)
        (large if name == "large" else FIGURES[name])()


if __name__ == "__main__":
    main()

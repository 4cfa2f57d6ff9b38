"""What the recorder adds to a model call: the same client, straight to the provider and through it.

    python -m benchmarks.recorder

Three processes: the provider (loopback, no latency), `ragate record`, and the script that it runs.
Straight and recorded calls take turns, so that both see the same machine. What a recorded call adds is
dominated by the second HTTP call, and by the write that makes a reply safe before it is used.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ragate.cli.main import run as ragate

CALLS = 150
ROUNDS = 2
RESULTS = Path(__file__).with_name("results") / "recorder.txt"
CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/gate.json"
systems = ["replay"]
[policy.providers.loopback]
base_url = "{base_url}"
[policy.metrics."recall@5"]
[system]
use = "replay"
paths = ["out.jsonl"]
"""


def main() -> None:
    if len(sys.argv) > 1:
        client(sys.argv[1])
        return
    rounds = [measured() for _ in range(ROUNDS)]
    lines = [
        f"The recorder: {CALLS} chat completions of each kind, {ROUNDS} rounds; median in ms",
        f"{'round':>5} {'straight':>9} {'recorded':>9} {'adds':>6} {'stream':>9} {'adds':>6} "
        f"{'replayed':>9}",
    ]
    for number, one in enumerate(rounds, start=1):
        lines.append(
            f"{number:>5} {one['straight']:>9.2f} {one['recorded']:>9.2f} {adds(one):>6.2f} "
            f"{one['stream']:>9.2f} {one['stream'] - one['straight stream']:>6.2f} "
            f"{one['replayed']:>9.2f}"
        )
    best = min(map(adds, rounds))
    lines.append(f"adds {best:.2f} ms to a call in the best round; wanted: at most 3 ms")
    lines.append(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end")
    RESULTS.write_text("\n".join(lines) + "\n")
    print(*lines, sep="\n")


def adds(one: dict[str, float]) -> float:
    return one["recorded"] - one["straight"]


def measured() -> dict[str, float]:
    """Return medians by kind of call, in milliseconds."""
    server = [sys.executable, "-m", "tests.servers.openai_server", "0"]
    with (
        tempfile.TemporaryDirectory() as name,
        subprocess.Popen(
            server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as provider,
    ):
        assert provider.stdout is not None
        base_url = provider.stdout.readline().strip()
        folder = Path(name)
        (folder / "ragate.toml").write_text(CONFIG.format(base_url=base_url))
        (folder / "golden.jsonl").write_text("{}\n")
        script = [sys.executable, "-m", "benchmarks.recorder", base_url]
        os.environ["BENCHMARK_OUT"] = str(folder / "out.json")
        found = recorded(folder, script)
        known = recorded(folder, script)  # all of it is known now
        assert provider.stdin is not None
        provider.stdin.close()
        return {**found, "replayed": known["recorded"]}


def recorded(folder: Path, script: list[str]) -> dict[str, float]:
    """Run the script behind the recorder and return what it measured."""
    assert ragate(["record", "--config", str(folder / "ragate.toml"), "--", *script]) == 0
    found: dict[str, float] = json.loads((folder / "out.json").read_text())
    return found


def client(base_url: str) -> None:
    """Ask in turns, and write the medians."""
    import openai

    straight = openai.OpenAI(base_url=base_url, api_key="none")
    recorded = openai.OpenAI()

    def ask(through: openai.OpenAI, text: str) -> None:
        through.chat.completions.create(
            model="gpt-4o-mini", messages=[{"role": "user", "content": text}]
        )

    def stream(through: openai.OpenAI, text: str) -> None:
        for _ in through.chat.completions.create(
            model="gpt-4o-mini", messages=[{"role": "user", "content": text}], stream=True
        ):
            pass

    kinds: dict[str, Callable[[int], None]] = {
        "straight": lambda n: ask(straight, f"question {n}"),
        "recorded": lambda n: ask(recorded, f"question {n}"),
        "straight stream": lambda n: stream(straight, f"stream {n}"),
        "stream": lambda n: stream(recorded, f"stream {n}"),
    }
    times: dict[str, list[float]] = {kind: [] for kind in kinds}
    for number in range(CALLS + 10):
        for kind, call in kinds.items():
            began = time.perf_counter()
            call(number)
            times[kind].append(1000 * (time.perf_counter() - began))
    medians = {kind: statistics.median(found[10:]) for kind, found in times.items()}
    Path(os.environ["BENCHMARK_OUT"]).write_text(json.dumps(medians))


if __name__ == "__main__":
    main()

"""What the recorder adds to a model call: the same request, straight and through it.

    python -m benchmarks.recorder

Three processes: the provider (loopback, no latency), `ragate record`, and the script that it runs.
Straight and recorded calls take turns, so that both see the same machine. What is added is mostly a
second HTTP call, and the write that makes a reply safe before it is used.
"""

from __future__ import annotations

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from ragate.cli.main import run as ragate

CALLS = 150
ROUNDS = 5
PROMPT = " " + "word " * 1500  # some contexts
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
        "round  straight  recorded   adds    stream   adds  replayed",
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


class Line:
    """A connection that is kept open."""

    def __init__(self, base_url: str, key: str) -> None:
        place = urlsplit(base_url)
        self._connection = http.client.HTTPConnection(str(place.hostname), place.port)
        self._path = f"{place.path}/chat/completions"
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def ask(self, text: str, *, stream: bool = False) -> None:
        messages = [{"role": "user", "content": text + PROMPT}]
        body = json.dumps({"model": "gpt-4o-mini", "messages": messages, "stream": stream})
        self._connection.request("POST", self._path, body, self._headers)
        response = self._connection.getresponse()
        assert response.status == 200
        response.read()


def client(base_url: str) -> None:
    """Ask in turns, and write the medians; a bare client, since it is not what is measured."""
    straight = Line(base_url, "none")
    recorded = Line(os.environ["OPENAI_BASE_URL"], os.environ["OPENAI_API_KEY"])
    kinds: dict[str, Callable[[int], None]] = {
        "straight": lambda n: straight.ask(f"question {n}"),
        "recorded": lambda n: recorded.ask(f"question {n}"),
        "straight stream": lambda n: straight.ask(f"stream {n}", stream=True),
        "stream": lambda n: recorded.ask(f"stream {n}", stream=True),
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

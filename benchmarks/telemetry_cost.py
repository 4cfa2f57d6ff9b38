"""What telemetry costs a judged gate: CPU of the whole command, without and with it, in turns.

    python -m benchmarks.telemetry_cost [--samples 200] [--turns 5]

The model and the collector run in processes of their own. Both sides ask and judge every sample
anew. The verdict is the median of the ratios of pairs that ran one after the other, without and
with it first in turn: the exit code is 1 where it is over the limit. Two equal checks differ by
some per cent, so that what telemetry takes by itself (`telemetry_alone`) stands beside it, and
what a switched-off span costs, which no clock sees in a whole run.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import timeit
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from benchmarks.judged_line import recorded
from benchmarks.judged_projects import PAGES, Project, Ran
from ragate.support.spans import Spanned, span

LIMIT = 1.05
SPANS = 5  # a sample: itself, retrieval, answer, judgement, and the judge's call
_SERVE = "from benchmarks.telemetry_cost import serve; serve()"


class _Discard(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        return


def serve() -> None:
    """Take everything and keep nothing; the first line printed is the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Discard)
    print(server.server_port, flush=True)
    server.serve_forever()


@contextmanager
def collector() -> Iterator[str]:
    """Yield the address of one in a process of its own."""
    with subprocess.Popen([sys.executable, "-c", _SERVE], stdout=subprocess.PIPE, text=True) as one:
        assert one.stdout is not None
        try:
            yield f"http://127.0.0.1:{one.stdout.readline().strip()}"
        finally:
            one.kill()


def check(project: Project, turn: int, environment: dict[str, str]) -> Ran:
    """Check a change after which every page, and so every answer, is another one."""
    for number in range(project.samples):
        project.write_page(number, f"taken{turn}")
    project.environment = environment
    return project.ragate("check")


def main() -> int:
    """Print the paired ratios, what telemetry takes by itself, and what a switched-off span does.

    Returns:
        1 where the median of the ratios is over the limit.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--turns", type=int, default=5)
    wanted = parser.parse_args()
    pairs: list[tuple[float, float]] = []
    with collector() as url, recorded(PAGES, wanted.samples) as (_, project):
        sent = {"RAGATE_TELEMETRY": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": url}
        check(project, 0, {})  # reads the files for the first time
        for turn in range(wanted.turns):
            took: dict[bool, float] = {}
            for switched_on in (False, True) if turn % 2 == 0 else (True, False):
                number = 2 * turn + len(took) + 1
                took[switched_on] = check(project, number, sent if switched_on else {}).cpu_s
            pairs.append((took[False], took[True]))
    off, on = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratios = sorted(with_it / without for without, with_it in pairs)
    ratio = statistics.median(ratios)
    print(
        f"{wanted.samples} judged samples, {wanted.turns} pairs of checks, each way round in turn"
    )
    print(f"  CPU without: {off:.3f} s, with: {on:.3f} s (medians)")
    listed = " ".join(f"{each:.3f}" for each in ratios)
    verdict = "ok" if ratio <= LIMIT else "OVER"
    print(f"  ratio of a pair: {listed}; median {ratio:.3f} (limit {LIMIT}) {verdict}")
    print(f"  telemetry by itself: {_alone(wanted.samples, off)}")
    silent = min(timeit.repeat(_silent, number=100_000, repeat=5)) / 100_000
    share = silent * SPANS * wanted.samples / off
    print(f"  a switched-off span: {silent * 1e9:.0f} ns; all of a run: {share:.5%} of its CPU")
    return int(ratio > LIMIT)


def _alone(samples: int, without: float) -> str:
    """Return what it takes in a process that does nothing else, and its share of a run."""
    command = [sys.executable, "-m", "benchmarks.telemetry_alone", "--samples", str(samples)]
    clean = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    for _ in range(2):  # the first one may have to compile
        done = subprocess.run(command, env=clean, stdout=subprocess.PIPE, text=True, check=True)
    imports, sample = (float(each) for each in re.findall(r"([\d.]+) [mu]s", done.stdout))
    share = (imports / 1e3 + samples * sample / 1e6) / without
    return f"imports {imports:.0f} ms, a sample {sample:.0f} us; {share:.2%} of the CPU without it"


def _silent() -> None:
    with span(Spanned.SAMPLE, sample="a", run=0) as note:
        note(chunks=5, failed="")


if __name__ == "__main__":
    sys.exit(main())

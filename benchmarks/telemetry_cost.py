"""What telemetry costs a judged gate: CPU of the whole command, without and with it.

    python -m benchmarks.telemetry_cost [--samples 200] [--turns 5]

The model and the collector run in processes of their own. Both sides ask and judge every sample
anew. The two checks of a pair, without and with it, run at the same time: what weighs on one weighs
on both. It prints the ratios of the pairs, and what a switched-off span costs, which no clock sees
in a whole run. There is no limit: docs/workers.md says what was measured.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import timeit
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from benchmarks.judged_line import recorded
from benchmarks.judged_projects import PAGES, Project, Ran
from ragate.spans import Spanned, span

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


def main() -> None:
    """Print the paired ratios, and what a switched-off span costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--turns", type=int, default=5)
    wanted = parser.parse_args()
    with collector() as url:
        pairs = list(_pairs(wanted.samples, wanted.turns, url))
    off, on = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratios = sorted(with_it / without for without, with_it in pairs)
    print(f"{wanted.samples} judged samples, {wanted.turns} pairs of checks, each pair at once")
    print(f"  CPU without: {off:.3f} s, with: {on:.3f} s (medians)")
    listed = " ".join(f"{each:.3f}" for each in ratios)
    print(f"  ratio of a pair: {listed}; median {statistics.median(ratios):.3f}")
    silent = min(timeit.repeat(_silent, number=100_000, repeat=5)) / 100_000
    share = silent * SPANS * wanted.samples / off
    print(f"  a switched-off span: {silent * 1e9:.0f} ns; all of a run: {share:.5%} of its CPU")


def _pairs(samples: int, turns: int, url: str) -> Iterator[tuple[float, float]]:
    """Yield the seconds of CPU without and with it; the two projects change sides in turn."""
    sent = {"RAGATE_TELEMETRY": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": url}
    with (
        recorded(PAGES, samples) as (_, first),
        recorded(PAGES, samples) as (_, second),
        ThreadPoolExecutor(2) as both,
    ):
        for turn in range(turns + 1):
            sides = (first, second) if turn % 2 == 0 else (second, first)
            off, on = both.map(check, sides, (turn, turn), ({}, sent))
            if turn:  # the first time both read files that no later one does
                yield off.cpu_s, on.cpu_s


def _silent() -> None:
    with span(Spanned.SAMPLE, sample="a", run=0) as note:
        note(chunks=5, failed="")


if __name__ == "__main__":
    main()

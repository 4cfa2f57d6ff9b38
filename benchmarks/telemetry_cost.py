"""What telemetry costs a judged gate: CPU of the whole command, without and with it, in turns.

    python -m benchmarks.telemetry_cost [--samples 200] [--turns 5]

The model and the collector run in processes of their own. Both sides ask and judge every sample
anew. What a switched-off span costs is measured by itself, since no clock sees it in a whole run.
"""

from __future__ import annotations

import argparse
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
    """Print medians and minima, their ratios, and what a switched-off span costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--turns", type=int, default=5)
    wanted = parser.parse_args()
    off: list[float] = []
    on: list[float] = []
    with collector() as url, recorded(PAGES, wanted.samples) as (_, project):
        sent = {"RAGATE_TELEMETRY": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": url}
        for turn in range(wanted.turns):
            off.append(check(project, 2 * turn, {}).cpu_s)
            on.append(check(project, 2 * turn + 1, sent).cpu_s)
    without, with_it = statistics.median(off), statistics.median(on)
    silent = min(timeit.repeat(lambda: _silent(), number=100_000, repeat=5)) / 100_000
    share = silent * SPANS * wanted.samples / without
    print(f"{wanted.samples} judged samples, medians of {wanted.turns} turns")
    print(f"  CPU without: {without:.3f} s, with: {with_it:.3f} s, ratio {with_it / without:.3f}")
    # What others do on the machine only ever adds.
    print(
        f"  least of all turns: {min(off):.3f} s, {min(on):.3f} s, ratio {min(on) / min(off):.3f}"
    )
    print(f"  a switched-off span: {silent * 1e9:.0f} ns; all of a run: {share:.5%} of its CPU")


def _silent() -> None:
    with span(Spanned.SAMPLE, sample="a", run=0) as note:
        note(chunks=5, failed="")


if __name__ == "__main__":
    main()

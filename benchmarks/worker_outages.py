"""What it costs that the queue's database is away for a while.

    python -m benchmarks.worker_outages [--seconds 14 40 120] [--workers 1 2 3] [--samples 96]

In the middle of a run the line to the database is cut, as in a failover: connections break and new
ones are refused. What was in flight may be paid for twice; all else is asked once, and the run ends
with 0.
"""

from __future__ import annotations

import argparse
import re
import time

from benchmarks.worker_crew import crew, server
from benchmarks.worker_kills import wait_for_questions
from tests.servers.cut_line import cut_line

IN_FLIGHT = 4
SECONDS = 1.0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, nargs="+", default=[14, 40, 120])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--samples", type=int, default=96)
    options = parser.parse_args()
    print("away  workers  exit  asked  in flight  tracebacks  seconds after the outage")
    with server() as conninfo:
        for seconds in options.seconds:
            for workers in options.workers:
                print(row(conninfo, seconds, workers, options.samples), flush=True)


def row(conninfo: str, seconds: float, workers: int, samples: int) -> str:
    """Return what came of one run, as a line of the table."""
    with (
        cut_line(conninfo) as line,
        crew(conninfo, samples=samples, seconds=SECONDS, reached_by=line.reached) as made,
    ):
        for _ in range(workers):
            made.worker(IN_FLIGHT)
        run = made.record()
        wait_for_questions(made, samples // 3, seconds=120)
        line.cut()
        time.sleep(seconds)
        line.restore()
        back = time.monotonic()
        code = run.wait()
        took = time.monotonic() - back
        asked = sum(made.project.asked().values())
        said = "".join(path.read_text() for path in made.project.root.parent.glob("*.err"))
        traced = len(re.findall("Traceback", said))
    return (
        f"{seconds:4g}  {workers:7}  {code:4}  {asked:5}  {workers * IN_FLIGHT:9}  {traced:10}"
        f"  {took:6.0f}"
    )


if __name__ == "__main__":
    main()

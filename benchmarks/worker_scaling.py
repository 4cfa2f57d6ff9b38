"""How much faster a run is with more workers.

    python -m benchmarks.worker_scaling [--samples 2000] [--seconds 2] [--workers 1,2,4,8]

Every worker has 16 questions in flight; the system only sleeps. All processes are on this machine,
so what it has to do otherwise counts against them. *asking* is from the first question to the
answer of the last one, *linear* is N x 16 / SECONDS questions a second; *against one* is the rate
divided by N times the rate of one worker. *whole* is the command, from its start to its end.
"""

from __future__ import annotations

import argparse
import os
import time

from benchmarks.worker_crew import crew, server

IN_FLIGHT = 16


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--workers", default="1,2,4,8")
    options = parser.parse_args()
    print(f"{options.samples} samples x {options.seconds:g} s, {IN_FLIGHT} in flight a worker")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    print(f"{'workers':>7}{'asking':>10}{'of linear':>11}{'against one':>13}{'whole':>9}")
    alone = 0.0
    with server() as conninfo:
        for count in map(int, options.workers.split(",")):
            asking, whole = measured(conninfo, count, options.samples, options.seconds)
            rate = options.samples / asking
            alone = alone or rate / count
            linear = rate / (count * IN_FLIGHT / options.seconds)
            row = f"{count:>7}{asking:>8.1f} s{linear:>11.2f}{rate / count / alone:>13.2f}"
            print(f"{row}{whole:>7.1f} s", flush=True)


def measured(conninfo: str, count: int, samples: int, seconds: float) -> tuple[float, float]:
    """Return the seconds of the asking and of the whole command."""
    with crew(conninfo, samples=samples, seconds=seconds) as made:
        for _ in range(count):
            made.worker(IN_FLIGHT)
        time.sleep(4 + 2 * count)  # they are up
        started = time.time()
        if made.record().wait() != 0:
            raise SystemExit("the run failed")
        whole = time.time() - started
        asked = made.project.asked_at()
        if len(asked) != samples:
            raise SystemExit(f"{len(asked)} questions were asked for {samples} samples")
        return asked[-1] + seconds - asked[0], whole


if __name__ == "__main__":
    main()

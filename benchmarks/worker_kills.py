"""What it costs that a random worker is killed, again and again.

    python -m benchmarks.worker_kills [--kills 10] [--workers 3] [--samples 600] [--seed 1]

While a run goes on, a random worker gets SIGKILL, and another is started in its place. The service
notes every question: what is noted more than once was paid twice, and may be no more than what the
killed workers had in flight. Lost is a sample without an output in the baseline that is recorded.
"""

from __future__ import annotations

import argparse
import random
import time

from benchmarks.worker_crew import Crew, crew, server
from ragate.baseline import load_baseline

IN_FLIGHT = 16
SECONDS = 0.5


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--samples", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with server() as conninfo, crew(conninfo, samples=options.samples, seconds=SECONDS) as made:
        workers = [made.worker(IN_FLIGHT) for _ in range(options.workers)]
        run = made.record()
        kills = 0
        while kills < options.kills and run.poll() is None:
            before = sum(made.project.asked().values())
            wait_for_questions(made, before + chance.randrange(1, 60))
            if run.poll() is not None:
                break
            place = chance.randrange(len(workers))
            if made.project.asked_by(workers[place].pid) == 0:
                continue  # it has not begun yet
            workers[place].kill()
            workers[place] = made.worker(IN_FLIGHT)
            kills += 1
        code = run.wait()
        tell(made, kills, options.samples, code)


def wait_for_questions(made: Crew, count: int, *, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while sum(made.project.asked().values()) < count and time.monotonic() < end:
        time.sleep(0.02)


def tell(made: Crew, kills: int, samples: int, code: int) -> None:
    asked = made.project.asked()
    twice = sum(asked.values()) - len(asked)
    run = load_baseline(made.project.root.parent / "run" / "baseline.json")
    kept = {record.sample_id for record in run.records if record.output.error is None}
    print(f"{kills} kills of workers with {IN_FLIGHT} questions in flight, exit code {code}")
    print(f"lost: {samples - len(kept)} of {samples} samples")
    print(f"paid twice: {twice} questions; at most {kills * IN_FLIGHT} were in flight")


if __name__ == "__main__":
    main()

"""What telemetry itself takes of the CPU: one process that does nothing else, threads included.

    python -m benchmarks.telemetry_alone [--samples 800] [--turns 5]

The samples are made up: five spans and five scores each, counts of two calls of models, as many at
once as there are samples. The same work is timed without telemetry and taken off. The collector
runs in a process of its own. It prints the milliseconds that switching it on takes (imports), and
the microseconds a sample, by turns.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import statistics
import sys
import time
from collections.abc import Callable

# What a judged gate has imported before it switches telemetry on, or does without it.
import httpx
import openai.resources.chat

import ragate.core.comparison.own_passes
import ragate.pipeline.line
from benchmarks.telemetry_cost import collector
from ragate.models import Run
from ragate.support.spans import Spanned, finished, judging, span
from tests.factories import output_factory, record_factory, run_factory, sample_factory

__all__ = ["httpx", "openai", "ragate"]
SCORES = ("recall@5", "faithfulness", "relevancy", "correctness", "token_f1")


def made_run(samples: int) -> Run:
    """Return a run of that many samples, with scores of which some are of their own."""
    return run_factory(
        [
            record_factory(
                sample_factory(f"q{number}"),
                output_factory(answer="x"),
                scores={name: (number * place % 97) / 97 for place, name in enumerate(SCORES)},
            )
            for number in range(samples)
        ]
    )


async def sample(number: int) -> None:
    """Tell what one judged sample tells."""
    with span(Spanned.SAMPLE, sample=f"q{number}", run=0) as note:
        with span(Spanned.RETRIEVAL) as found:
            found(chunks=5)
        with span(Spanned.CHAT, "answer-1") as said:
            await asyncio.sleep(0)
            said(input_tokens=100 + number, output_tokens=20)
        note(chunks=5, failed="")
    judging(number % 16)
    judged = span(Spanned.JUDGE, sample=f"q{number}", criteria="faithfulness, relevancy")
    with judged, span(Spanned.CHAT, "judge-1") as said:
        await asyncio.sleep(0)
        said(input_tokens=1000 + number, output_tokens=200)
    judging(number % 16)


def work(run: Run) -> None:
    """Tell what a whole run tells."""

    async def all_samples() -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(len(run.records)):
                group.create_task(sample(number))

    with span(Spanned.RUN, command="check"):
        asyncio.run(all_samples())
        finished(run)


def cpu_of(done: Callable[[], None]) -> float:
    """Return the seconds of CPU that it takes, those of other threads as well."""
    started = time.process_time()
    done()
    return time.process_time() - started


def main() -> None:
    """Print milliseconds of imports, and microseconds a sample."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=800)
    parser.add_argument("--turns", type=int, default=5)
    wanted = parser.parse_args()
    gc.set_threshold(100_000, 50, 100)  # as the command has it
    run = made_run(wanted.samples)
    with collector() as url:
        os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = url
        bare = min(cpu_of(lambda: work(run)) for _ in range(3))
        started = time.process_time()
        from ragate.telemetry.exporting import exporting

        imports = time.process_time() - started

        def sent() -> None:
            with exporting({}, texts=False, say=sys.exit):
                work(run)

        each = [(cpu_of(sent) - bare) / wanted.samples for _ in range(wanted.turns)]
    print(f"imports {imports * 1e3:.1f} ms")
    listed = " ".join(f"{seconds * 1e6:.0f}" for seconds in each)
    print(f"a sample {statistics.median(each) * 1e6:.0f} us ({listed})")


if __name__ == "__main__":
    main()

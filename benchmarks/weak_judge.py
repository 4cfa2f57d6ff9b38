"""A language model that is too weak to judge: is it voided under each criterion, and at what cost?

    python -m benchmarks.weak_judge relevancy correctness --runs 20 --output FILE

Asks SmolLM2 (135 million parameters) behind llama.cpp's server on one thread, at temperature 0.7:
no two runs are alike; the packages are those of requirements/model.txt. Without criteria all
of the rubric are tried.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.shares import measured_at, print_lines
from ragate.clients.openai import OpenAIClient
from ragate.core.judging.canary_rule import voided
from ragate.core.judging.criteria import CRITERIA
from ragate.errors import ProviderError
from ragate.judges import rubric, run_canaries
from ragate.protocols import ChatReply, ChatRequest
from tests.servers.llama import MODEL, llama

ROOT = Path(__file__).resolve().parents[1]
MEASURED = "ragate/judges ragate/core/judging/canary_rule.py"
TIMEOUT_S = 300.0


class Run(NamedTuple):
    """One run of the canaries.

    Attributes:
        why: Why nothing of the judge counts, "" where it does.
    """

    why: str
    calls: int
    seconds: float


async def tried(base_url: str, criterion: str, max_tokens: int) -> Run:
    """Try the model under one criterion."""
    client = OpenAIClient(base_url=base_url, timeout_s=TIMEOUT_S)
    calls, started = 0, time.monotonic()

    async def counted(request: ChatRequest, *, draw: int = 0) -> ChatReply:
        nonlocal calls
        calls += 1
        return await client(request, draw=draw)

    resources: Any = SimpleNamespace(root=ROOT, chat=lambda _provider: counted)
    settings = {"provider": "local", "model": MODEL, "temperature": 0.7, "max_tokens": max_tokens}
    try:
        async with rubric.create(settings, resources) as judge:
            results = await run_canaries(judge, criteria=[criterion], gate=asyncio.Semaphore(1))
        why = voided(results, [criterion]).reason(criterion)
    except ProviderError as error:
        why = error.message
    finally:
        await client.aclose()
    return Run(why, calls, time.monotonic() - started)


def lines(criteria: Sequence[str], runs: int, max_tokens: int) -> Iterator[str]:
    yield measured_at(MEASURED)
    yield ""
    yield f"SmolLM2-135M as judge, {runs} runs a criterion, replies of at most {max_tokens} tokens"
    yield ""
    yield f"{'criterion':<26}{'not believed':>12}{'calls, most':>13}{'seconds, mean':>15}  why"
    with llama(kept_mb=4096) as server:
        for criterion in criteria:
            done = [asyncio.run(tried(server.base_url, criterion, max_tokens)) for _ in range(runs)]
            found = sum(bool(one.why) for one in done)
            usual, _ = Counter(one.why for one in done).most_common(1)[0]
            mean = sum(one.seconds for one in done) / runs
            most = max(one.calls for one in done)
            yield f"{criterion:<26}{found:>7} of {runs:<3}{most:>12}{mean:>15.0f}  {usual[:150]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("criteria", nargs="*", default=sorted(CRITERIA), metavar="CRITERION")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--max-tokens", type=int, default=200)
    parser.add_argument("--output", type=Path)
    chosen = parser.parse_args()
    print_lines(lines(chosen.criteria, chosen.runs, chosen.max_tokens), chosen.output)


if __name__ == "__main__":
    main()

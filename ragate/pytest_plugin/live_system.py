"""System and judge for tests that ask them themselves: synchronous, one loop for the session."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import replace
from threading import Thread
from typing import Any, TypeVar

from ragate.answers.ready_system import open_ready_system
from ragate.answers.run_profile import Selection
from ragate.cli.operations import with_dotenv
from ragate.clients.thoughts import without_thoughts
from ragate.config import Config
from ragate.core.hashing import digest
from ragate.errors import ConfigError, UsageError
from ragate.models import Sample, Score, SystemOutput
from ragate.protocols import ChatReply, ChatRequest, Judge
from ragate.resources.operations import Operations, read_operations
from ragate.resources.resources import open_resources
from ragate.scoring.open_judge import open_judge
from ragate.version import MANUAL

T = TypeVar("T")
Call = Callable[[Coroutine[Any, Any, Any]], Any]  # runs a coroutine where the opened thing lives


LiveSystem = Callable[[str | Sample], SystemOutput]
LiveJudge = Callable[[Sample, SystemOutput, str], Score]
LiveChat = Callable[[str], str]


@contextmanager
def live_system(config: Config, *, live: bool = False) -> Iterator[LiveSystem]:
    """Yield the system under test, started and up to date.

    Args:
        live: Ask code of the project in this process.
    """
    operations = replace(_operations(config), live=live)
    with _opened(open_ready_system(config, operations, (), Selection())) as (call, ready):

        def answer(question: str | Sample) -> SystemOutput:
            """Return what the system answers; its `error` says why where it failed."""
            if isinstance(question, str):
                question = Sample(id=digest(question), query=question)
            outputs: Mapping[str, SystemOutput] = call(ready.answers([question], 0))
            return outputs[question.id]

        yield answer


@contextmanager
def live_judge(config: Config) -> Iterator[LiveJudge]:
    """Yield the policy's judge.

    Raises:
        ConfigError: the policy has none.
    """
    with _opened(_open_judge(config)) as (call, judge):

        def score(sample: Sample, output: SystemOutput, criterion: str) -> Score:
            """Return the judge's score of one output by one criterion; each costs a call.

            Raises:
                UsageError: the judge does not know the criterion.
            """
            if criterion not in judge.criteria:
                known = ", ".join(sorted(judge.criteria))
                raise UsageError(f"the judge knows no criterion {criterion!r}; it knows {known}")
            scores: Mapping[str, Score] = call(judge([criterion], sample, output))
            return scores[criterion]

        yield score


@contextmanager
def live_chat(config: Config) -> Iterator[LiveChat]:
    """Yield the model of the policy's judge.

    Raises:
        ConfigError: the policy has no judge, or it names no provider.
    """
    judge = config.policy.judge
    if judge is None or not judge.provider:
        raise ConfigError(
            f"{config.path}: [policy.judge] names no provider to ask",
            remedy=f"write provider and model there: {MANUAL}/judge.md",
        )
    model = judge.model
    with _opened(open_resources(config, _operations(config))) as (call, opened):
        client = opened.judge.chat(judge.provider)

        def reply(prompt: str) -> str:
            """Return the model's reply to a prompt; the same prompt is asked once.

            Raises:
                ProviderError: the model cannot be asked.
            """
            told: ChatReply = call(client(ChatRequest(model, (("user", prompt),))))
            return without_thoughts(told.text).strip()

        yield reply


@contextmanager
def _opened(opening: AbstractAsyncContextManager[T]) -> Iterator[tuple[Call, T]]:
    """Yield what `opening` opens, and what calls it.

    It is entered and left by one task, in a thread of its own: some clients demand that.
    """
    ready: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, T]] = Future()

    async def hold() -> None:
        ended = asyncio.Event()
        async with opening as opened:
            ready.set_result((asyncio.get_running_loop(), ended, opened))
            await ended.wait()

    def run() -> None:
        try:
            asyncio.run(hold())
        except BaseException as error:  # the test's thread raises it
            if ready.done():
                raise
            ready.set_exception(error)

    thread = Thread(target=run, name="ragate")
    thread.start()
    try:
        loop, ended, opened = ready.result()
        try:
            yield lambda call: asyncio.run_coroutine_threadsafe(call, loop).result(), opened
        finally:
            loop.call_soon_threadsafe(ended.set)
    finally:
        thread.join()


@asynccontextmanager
async def _open_judge(config: Config) -> AsyncIterator[Judge]:
    async with (
        open_resources(config, _operations(config)) as opened,
        open_judge(config, opened) as judge,
    ):
        yield judge.judge


def _operations(config: Config) -> Operations:
    return read_operations(config.root, with_dotenv(config.root, dict(os.environ)))

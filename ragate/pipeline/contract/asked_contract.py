"""What a system or a judge has to keep to: both are asked, and end with their context."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from ragate import plugins
from ragate.errors import PluginError, ProviderError
from ragate.models import Sample, Score, SystemInfo, SystemOutput
from ragate.pipeline.contract.finding import Demand, told
from ragate.pipeline.contract.panel import ANSWERABLE, GOOD
from ragate.protocols import Judge, Resources, System

TIMEOUT_S = 60.0


async def asked_demands(
    module: Any, path: Path, settings: Mapping[str, Any], *, question: str = ""
) -> AsyncIterator[Demand]:
    """Yield each demand on a system or a judge; the first that is broken beyond use is the last.

    Args:
        question: What a system is asked.
    """
    try:
        context = _context(module, path, settings)
        plugin = await context.__aenter__()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code
        yield Demand("it is made", told(error, path))
        return
    yield Demand("it is made")
    try:
        is_system = hasattr(plugin, "answer")
        demands = _of_system(plugin, path, question) if is_system else _of_judge(plugin, path)
        async for demand in demands:
            yield demand
    finally:
        ended = ""
        try:
            await context.__aexit__(None, None, None)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code
            ended = told(error, path)
    yield Demand("it ends", ended)


def _context(
    module: Any, path: Path, settings: Mapping[str, Any]
) -> AbstractAsyncContextManager[Any]:
    context = module.create(settings, _resources(path))
    if isinstance(context, AbstractAsyncContextManager):
        return context
    if hasattr(context, "close"):  # of a coroutine, which would complain that nobody awaits it
        context.close()
    kind = type(context).__name__
    raise PluginError(f"its create returns a {kind}: write @asynccontextmanager above it")


def _resources(path: Path) -> Resources:
    def no_model(name: str) -> Any:
        raise ProviderError(f"a check of the contract asks no model ({name})")

    class NoDatabase:
        def conninfo(self) -> str:
            raise ProviderError("a check of the contract starts no database")

    root = path.absolute().parent
    return Resources(
        root=root,
        state=root / ".ragate",
        database=NoDatabase(),
        chat=no_model,
        embedder=lambda table: no_model(str(table)),
    )


async def _of_system(system: Any, path: Path, question: str) -> AsyncIterator[Demand]:
    if lacking := _lacking("systems", system, System):
        yield lacking
        return
    sample = Sample(id="contract", query=question) if question else ANSWERABLE
    try:
        async with asyncio.timeout(TIMEOUT_S):
            await system.prepare()
            documents = await system.documents()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code
        yield Demand("it is prepared", told(error, path))
        return
    said = "" if isinstance(documents, frozenset | set | None) else "documents() gives no set"
    yield Demand("it is prepared", said)
    said = "" if isinstance(system.info, SystemInfo) else f"info is a {type(system.info).__name__}"
    yield Demand("its info is a SystemInfo", said)
    yield Demand("it answers a question", await _answered(system, sample, path))


async def _answered(system: Any, sample: Sample, path: Path) -> str:
    try:
        async with asyncio.timeout(TIMEOUT_S):
            outputs = await asyncio.gather(system.answer(sample), system.answer(sample, run=1))
    except TimeoutError:
        return f"no answer within {TIMEOUT_S:g} s"
    except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code
        return told(error, path)
    for output in outputs:
        if not isinstance(output, SystemOutput):
            return f"answer gives a {type(output).__name__}, not a SystemOutput"
        if output.error is not None:
            return f"answer gives a failure: {output.error.message}"
        if output.answer is None and not output.chunks:
            return "answer gives neither chunks nor an answer"
    return ""


async def _of_judge(judge: Any, path: Path) -> AsyncIterator[Demand]:
    if lacking := _lacking("judges", judge, Judge):
        yield lacking
        return
    criteria = sorted(judge.criteria) if isinstance(judge.criteria, frozenset | set) else []
    worded = bool(criteria) and all(isinstance(one, str) for one in criteria)
    yield Demand("it names its criteria", "" if worded else "criteria is no set of names")
    named = isinstance(judge.fingerprint, str) and bool(judge.fingerprint)
    yield Demand("it has a fingerprint", "" if named else "fingerprint is empty or no text")
    if worded:
        yield Demand("it scores every criterion", await _judged(judge, criteria, path))


async def _judged(judge: Any, criteria: list[str], path: Path) -> str:
    try:
        async with asyncio.timeout(TIMEOUT_S):
            scores = await judge(criteria, ANSWERABLE, GOOD)
    except TimeoutError:
        return f"no verdict within {TIMEOUT_S:g} s"
    except ProviderError:
        return ""  # it asks a model, and there is none here
    except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code
        return told(error, path)
    if not isinstance(scores, dict):
        return f"it gives a {type(scores).__name__}, not a dict"
    for name in criteria:
        score = scores.get(name)
        if not isinstance(score, Score):
            return f"it gives {'nothing' if score is None else type(score).__name__} for {name}"
        if score.metric != name:
            return f"the score of {name} calls itself {score.metric!r}"
    return ""


def _lacking(kind: Any, plugin: object, protocol: type) -> Demand | None:
    try:
        plugins.refuse_without(kind, "it", plugin, plugins.members_of(protocol))
    except PluginError as error:
        return Demand("it has every member", error.message)
    return None

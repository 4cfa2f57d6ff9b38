"""The contract of a plugin in one file, whatever its kind."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ragate import plugins
from ragate.errors import PluginError, ProviderError
from ragate.files.foreign_files import file_bytes
from ragate.models import Sample, Score, SystemInfo, SystemOutput
from ragate.plugins import load_file, takes_request
from ragate.plugins.contract.metric_contract import ANSWERABLE, GOOD, Demand, metric_demands, told
from ragate.protocols import Judge, Resources, System
from ragate.version import MANUAL

TIMEOUT_S = 60.0


def check_file(
    path: Path, settings: Mapping[str, Any] | None = None, *, question: str = ""
) -> list[Demand]:
    """Return each demand of the contract of a metric, system or judge, with what broke it.

    Args:
        settings: The plugin's own keys.
        question: What a system is asked.

    Raises:
        PluginError: the file cannot be imported, or defines no plugin.
    """
    path = path.absolute()
    module = load_file(path)
    if takes_request(module, path):
        return list(metric_demands(module, path, settings or {}))
    return asyncio.run(_all(module, path, settings or {}, question))


def check_plugin(file: str | Path, *, settings: Mapping[str, Any] | None = None) -> None:
    """Check that a metric, judge or system in one file keeps to its contract; its code runs.

    Args:
        file: The file, such as ``__file__`` in a test that stands in it.
        settings: The plugin's own keys.

    Raises:
        PluginError: it cannot be imported, or breaks a demand; each is a line of the message.
    """
    demands = check_file(Path(file), settings)
    broken = [f"{demand.text}: {demand.broken}" for demand in demands if demand.broken]
    if broken:
        lines = "\n".join(broken)
        raise PluginError(
            f"{file} does not keep to its contract\n{lines}", remedy=f"{MANUAL}/plugins.md says it"
        )


async def _all(module: Any, path: Path, settings: Mapping[str, Any], question: str) -> list[Demand]:
    demands = asked_demands(module, path, settings, question=question)
    return [demand async for demand in demands]


# What a system or a judge has to keep to: both are asked, and end with their context.


async def asked_demands(
    module: Any, path: Path, settings: Mapping[str, Any], *, question: str
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


# The contract in a process of its own: code that ends its process is found out by what is
# missing.
#
# What a child comes to is a file that it writes at its end. Its exit code says nothing: a
# plugin with ``os._exit(0)`` would look like success.


def check_apart(path: Path, settings: str = "", *, question: str) -> list[Demand]:
    """Return what `check_file` does; what the code prints goes where ours does.

    Args:
        settings: The plugin's own keys as TOML, which can be read.

    Raises:
        PluginError: as `check_file`, or the code ended the process.
    """
    with tempfile.TemporaryDirectory(prefix="ragate-check-") as folder:
        result = Path(folder) / "result.json"
        task = {"path": str(path.absolute()), "settings": settings, "question": question}
        told = json.dumps({**task, "result": str(result), "search": sys.path})
        # -P: the current folder is searched only where it is here as well.
        ran = subprocess.run(  # noqa: S603 - the same program
            [sys.executable, "-P", "-m", "ragate.plugins.contract", told], check=False
        )
        try:
            found = json.loads(file_bytes(result))
        except (OSError, ValueError) as error:
            raise PluginError(
                f"{path}: its code ended the process before the check was through "
                f"(exit code {ran.returncode})",
                remedy="raise an exception in place of os._exit; what it printed says more",
            ) from error
    if "error" in found:
        raise PluginError(found["error"], remedy=found["remedy"])
    return [Demand(**demand) for demand in found["demands"]]


def run_task(told: str) -> None:
    """Check the file of a task and write what came of it: the child's part."""
    task = json.loads(told)
    sys.path[:] = task["search"]
    settings = tomllib.loads(task["settings"])
    try:
        demands = check_file(Path(task["path"]), settings, question=task["question"])
        found: dict[str, object] = {"demands": [asdict(demand) for demand in demands]}
    except PluginError as error:
        found = {"error": error.message, "remedy": error.remedy}
    Path(task["result"]).write_text(json.dumps(found), encoding="utf-8")

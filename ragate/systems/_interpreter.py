"""``[system] interpreter``: the target in a worker of the project's own environment."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

from ragate.errors import ConfigError
from ragate.models import Sample
from ragate.protocols import Resources
from ragate.support.escape import one_line
from ragate.systems._interpreter_settings import (
    InterpreterSettings,
    not_passed,
    worker_environment,
)
from ragate.systems._output import LONGEST, OutputError, WorkerRaisedError
from ragate.systems._processes.start_worker import WorkerPlan, start_worker
from ragate.systems._processes.variables import passed_secrets
from ragate.systems._processes.worker import Worker, WorkerEndedError
from ragate.systems._processes.worker_values import decoded
from ragate.systems._processes.workers import Workers
from ragate.systems._target import cannot_be_asked, setup_failed, where_of
from ragate.worker.target import TargetError

MOST_TRACES = 5
_FACTS: dict[str, dict[str, type]] = {
    "python": {"whole": bool, "takes_turns": bool, "arranges": bool},
    "llamaindex": {"kind": str, "one_at_a_time": bool},
}


class WorkerTarget:
    """A target in workers, asked as one in this process is."""

    def __init__(self, use: str, keys: InterpreterSettings, resources: Resources) -> None:
        self._keys = keys
        self._resources = resources
        self._seen: set[str] = set()
        lead = resources.recorder_variables
        self._recorder = {"url": lead["OPENAI_BASE_URL"]} if lead else {}
        self._environment = worker_environment(keys, resources)
        task = {
            "use": use,
            "root": str(resources.root),
            "keys": keys.model_dump(mode="json"),
            "concurrency": resources.concurrency,
            "recorder": self._recorder,
        }
        self._plan = WorkerPlan(
            interpreter=keys.interpreter,
            root=resources.root,
            environment=self._environment,
            secrets=passed_secrets(resources, keys.pass_env),
            task=task,
            start_timeout_s=keys.start_timeout_s,
            show=lambda line: resources.say(f"| {line}"),
        )
        self.workers = Workers(self._opened)
        self.facts: Mapping[str, Any] = {}

    async def ask(self, sample: Sample) -> Any:
        """Return what the code returned for a sample.

        Raises:
            WorkerRaisedError: it raised.
            WorkerEndedError: its process ended, twice.
            OutputError: what it returned cannot be sent.
            RagateError: a worker cannot be started any more.
        """
        question: dict[str, Any] = {"query": sample.query, "turns": sample.turns}
        if sample.arrange:
            question["arrange"] = sample.arrange
        if self.facts.get("whole"):
            # What a user would know, never the expected answer.
            fields = {"id": sample.id, "tags": list(sample.tags), "metadata": sample.metadata}
            question["sample"] = fields
        label = quote(sample.id) if self._recorder else ""
        reply = await self.workers.ask({"ask": question, "label": label})
        try:
            return self._value(reply)
        except (KeyError, TypeError, ValueError) as error:
            raise OutputError(f"the worker of {self._keys.target} sent what is no value") from error

    def _value(self, reply: Mapping[str, Any]) -> Any:
        """Return what a reply holds, or raise what it tells."""
        if "raised" in reply:
            raised = self._raised(reply["raised"])
            hint = not_passed(str(raised), self._plan.environment, self._resources)
            raise WorkerRaisedError(f"{raised}; {hint}", outage=raised.outage) if hint else raised
        if "refused" in reply:
            raise OutputError(f"{self._keys.target} returned what {one_line(reply['refused'])}")
        return decoded(reply.get("value"))

    async def _opened(self) -> Worker:
        """Start a worker that has opened the target."""
        where = where_of(self._keys.target)
        worker = await start_worker(self._plan)
        try:
            async with asyncio.timeout(self._keys.start_timeout_s):
                reply = await worker.ask({"open": self._plan.task})
            self.facts = self._facts(reply)
            _check_facts(self.facts, self._plan.task["use"])
        except (KeyError, TypeError, ValueError) as error:
            await worker.close()
            raise setup_failed(
                f"{where}: its worker sent what is no reply", outage=False
            ) from error
        except TimeoutError as error:
            await worker.close()
            limit = f"{self._keys.start_timeout_s:g} s"
            raise ConfigError(
                f"{where}: not imported and set up within {limit}", remedy="raise start_timeout_s"
            ) from error
        except WorkerEndedError as error:
            await worker.close()
            raise setup_failed(f"{where}: its worker {error}", outage=False) from error
        except BaseException:
            await worker.close()
            raise
        return worker

    def _facts(self, reply: Mapping[str, Any]) -> Mapping[str, Any]:
        target = self._keys.target
        if "raised" in reply:
            raised = self._raised(reply["raised"])
            what = f"{where_of(target)}: {one_line(str(reply.get('what', 'it raised')))} {raised}"
            remedy = not_passed(str(raised), self._plan.environment, self._resources)
            raise setup_failed(what, outage=raised.outage, remedy=remedy)
        if "refused" in reply:
            missing, names = str(reply.get("missing", "")), tuple(reply.get("names", ()))
            raise cannot_be_asked(
                target,
                TargetError(
                    reply["refused"], reply.get("remedy", ""), missing=missing, names=names
                ),
            )
        return dict(reply["value"])

    def _raised(self, told: Mapping[str, Any]) -> WorkerRaisedError:
        trace = str(told["trace"])
        places = "".join(line for line in trace.splitlines() if line.startswith('  File "'))
        if places not in self._seen and len(self._seen) < MOST_TRACES:
            self._seen.add(places)
            self._resources.say(trace.rstrip())
        summary = one_line(str(told["summary"]), LONGEST)
        return WorkerRaisedError(summary, outage=told["outage"] is True)


def _check_facts(facts: Mapping[str, Any], use: str) -> None:
    """Check what a worker tells of its target: code of the project may have written it.

    Raises:
        ValueError: something is missing, or of another type.
    """
    wanted = _FACTS[use]
    if any(not isinstance(facts.get(name), kind) for name, kind in wanted.items()):
        raise ValueError(f"a worker for {use} tells {', '.join(wanted)}")


@asynccontextmanager
async def open_workers(
    use: str, keys: InterpreterSettings, resources: Resources
) -> AsyncIterator[WorkerTarget]:
    """Yield the target in a worker that has opened it; all workers end with it.

    Raises:
        ConfigError: it cannot be imported, set up, or asked.
        SystemStartError: the interpreter cannot be started, or what the set-up connects to.
    """
    target = WorkerTarget(use, keys, resources)
    try:
        await target.workers.start()
        yield target
    finally:
        await target.workers.close()

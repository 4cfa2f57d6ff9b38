"""Code of the project under test: in a worker, or live where a test asks for that."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ragate.clients.provider_clock import SampleTime
from ragate.errors import ConfigError, SystemStartError
from ragate.guards.escape import one_line
from ragate.models import Sample, SystemOutput
from ragate.protocols import Resources
from ragate.settings import nearest
from ragate.spans import is_heard, tell_values
from ragate.systems._output import (
    LONGEST,
    OutputError,
    WorkerRaisedError,
    decoded,
    failed,
    raised,
    unanswered,
)
from ragate.systems._talk import EndedError
from ragate.systems._target import (
    InterpreterSettings,
    mend_there,
    not_passed,
    where_of,
    worker_environment,
)
from ragate.systems._variables import passed_secrets
from ragate.systems._worker import Worker, WorkerPlan, Workers, start_worker
from ragate.worker.raised import MOST_OF_A_TRACE
from ragate.worker.responder import Responder

MOST_TRACES = 5
_FACTS: dict[str, dict[str, type]] = {
    "python": {"whole": bool, "takes_turns": bool},
    "llamaindex": {"kind": str, "one_at_a_time": bool},
    "tool": {},
}
_HERE = "the environment of ragate (`interpreter` names another)"


@dataclass
class Live:
    """The target in this process, where a debugger, coverage and patches of a test reach it."""

    responder: Responder = field(default_factory=Responder)

    async def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reply to one request; the code may cancel itself, and not who waits."""
        replying = asyncio.create_task(self.responder.reply(dict(request)))
        try:
            return await asyncio.shield(replying)
        except asyncio.CancelledError:
            replying.cancel()
            raise

    async def close(self) -> None:
        """Leave what was opened."""
        await self.responder.close()


class WorkerTarget:
    """A target of the project, asked by requests that have one reply each.

    Args:
        use: Which of `ragate.worker.responder` opens it.
    """

    def __init__(self, use: str, keys: InterpreterSettings, resources: Resources) -> None:
        self._keys = keys
        self._resources = resources
        self._seen: set[str] = set()
        lead = resources.recorder_variables
        self._recorder = {"url": lead["OPENAI_BASE_URL"]} if lead else {}
        own = not keys.interpreter
        self._task: dict[str, Any] = {
            "use": use,
            "root": str(resources.root),
            "keys": keys.model_dump(mode="json"),
            "concurrency": resources.concurrency,
            "recorder": self._recorder,
            "path": list(sys.path) if own else [],
            "environment": _HERE if own else "",
            "heard": is_heard(),
        }
        self._plan = WorkerPlan(
            interpreter=keys.interpreter or (sys.executable,),
            # Paths of the code are relative to where ragate was started, or to the project.
            folder=Path.cwd() if own else resources.root,
            environment=worker_environment(keys, resources),
            secrets=passed_secrets(resources, keys.pass_env),
            start_timeout_s=keys.start_timeout_s,
            show=lambda line: resources.say(f"| {line}"),
            patience_s=resources.timeout_s,
        )
        self.asked: Live | Workers = Live() if resources.live else Workers(self._opened)
        self.facts: Mapping[str, Any] = {}

    async def open(self) -> None:
        """Start a worker that has opened the target, or open it here.

        Raises:
            ConfigError: it cannot be imported, set up, or asked.
            SystemStartError: the interpreter cannot be started, or what the set-up connects to.
        """
        if isinstance(self.asked, Workers):
            await self.asked.start()
        elif self._keys.interpreter or self._recorder:
            raise ConfigError(
                "[system]: asked live, the code is in this process, which is not its interpreter "
                "and has no address of the recorder",
                remedy="take interpreter and record out of the configuration that such tests use",
            )
        else:
            self.facts = self._facts(await self.asked.ask({"open": self._task}))

    async def answer(
        self, sample: Sample, read: Callable[[Any, float], SystemOutput]
    ) -> SystemOutput:
        """Return the output of a sample; an exception of the code is its failure.

        Args:
            read: Makes an output of what the code returned, and of the seconds that it took, or
                raises an OutputError. What else it raises is passed on.
        """
        try:
            time = SampleTime()  # where it is asked again, only the time of its answer
            value = await self.ask(sample)
            return read(value, time.own_s())
        except (OutputError, EndedError) as error:
            return failed(str(error))
        except SystemStartError as error:
            return unanswered(error.message)  # no worker can be started any more
        except WorkerRaisedError as error:
            return raised(error)

    async def ask(self, sample: Sample) -> Any:
        """Return what the code returned for a sample.

        Raises:
            WorkerRaisedError: it raised.
            EndedError: its process ended, twice.
            OutputError: what it returned cannot be sent.
            RagateError: a worker cannot be started any more.
        """
        question: dict[str, Any] = {"query": sample.query, "turns": sample.turns}
        if self.facts.get("whole"):
            # What a user would know, never the expected answer.
            fields = {"id": sample.id, "tags": list(sample.tags), "metadata": sample.metadata}
            question["sample"] = fields
        return await self.value(question, label=quote(sample.id) if self._recorder else "")

    async def value(self, question: Mapping[str, Any], *, label: str = "") -> Any:
        """Return what the code returned for a question; raises as `ask` does."""
        reply = await self.asked.ask({"ask": question, "label": label})
        tell_values(reply.get("measured"))
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
                reply = await worker.ask({"open": self._task})
            self.facts = self._facts(reply)
        except BaseException as error:
            await worker.close()
            if isinstance(error, TimeoutError):
                limit = f"{self._keys.start_timeout_s:g} s"
                raise ConfigError(
                    f"{where}: not imported and set up within {limit}",
                    remedy="raise start_timeout_s",
                ) from error
            if isinstance(error, EndedError):
                raise ConfigError(f"{where}: its worker {error}") from error
            if isinstance(error, KeyError | TypeError | ValueError):
                raise ConfigError(f"{where}: its worker sent what is no reply") from error
            raise
        return worker

    def _facts(self, reply: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what a worker tells of its target: code of the project may have written it.

        Raises:
            ValueError: something is missing, or of another type.
        """
        target = self._keys.target
        if "raised" in reply:
            raised = self._raised(reply["raised"])
            what = f"{where_of(target)}: {one_line(str(reply.get('what', 'it raised')))} {raised}"
            remedy = not_passed(str(raised), self._plan.environment, self._resources)
            if not (remedy or raised.outage):
                remedy = mend_there(str(raised))
            # A database that is down is no mistake in a file that somebody could correct.
            kind = SystemStartError if raised.outage else ConfigError
            raise kind(what, remedy=remedy)
        if "refused" in reply:
            missing, names = str(reply.get("missing", "")), tuple(reply.get("names", ()))
            hint = one_line(nearest(missing, names)) if missing else ""
            raise ConfigError(
                f"{where_of(target)}: {reply['refused']}{hint}", remedy=reply.get("remedy", "")
            )
        wanted, facts = _FACTS[self._task["use"]], dict(reply["value"])
        if any(not isinstance(facts.get(name), kind) for name, kind in wanted.items()):
            raise ValueError(f"a worker for {self._task['use']} tells {', '.join(wanted)}")
        return facts

    def _raised(self, told: Mapping[str, Any]) -> WorkerRaisedError:
        trace = str(told["trace"])[-MOST_OF_A_TRACE:]
        # Of an environment that is not ours the message may be too little; here it has its place.
        most = MOST_TRACES if self._keys.interpreter else 0
        places = "".join(line for line in trace.splitlines() if line.startswith('  File "'))
        if places not in self._seen and len(self._seen) < most:
            self._seen.add(places)
            self._resources.say("\n".join(f"| {line}" for line in trace.rstrip().splitlines()))
        summary = one_line(str(told["summary"]), LONGEST)
        return WorkerRaisedError(summary, outage=told["outage"] is True)


@asynccontextmanager
async def open_target(
    use: str, keys: InterpreterSettings, resources: Resources
) -> AsyncIterator[WorkerTarget]:
    """Yield the target, opened; all workers end with it, and all that they started.

    Raises:
        ConfigError, SystemStartError: as `WorkerTarget.open`.
    """
    target = WorkerTarget(use, keys, resources)
    try:
        await target.open()
        yield target
    finally:
        await target.asked.close()

"""Systems whose model calls are recorded: the recorder before them, and whose calls are whose."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

from ragate import plugins
from ragate.clients.provider_clock import SAMPLE_CLOCK, ProviderClock
from ragate.config import Config
from ragate.core.hashing import calls_hash
from ragate.errors import ConfigError
from ragate.models import Failure, Sample, SystemOutput
from ragate.protocols import System
from ragate.recorder.pending_requests import PENDING_NAME, PendingFile
from ragate.recorder.proxy.in_process import CURRENT, named_requests
from ragate.recorder.proxy.recorder import Recorder, open_recorder
from ragate.recorder.proxy.reply_resolver import NOT_RECORDED, Desk
from ragate.recorder.proxy.request_ledger import Scope
from ragate.recorder.run_resolver import open_desk
from ragate.runtime.fatal import FATAL
from ragate.runtime.operations import Operations
from ragate.runtime.resources import Opened
from ragate.runtime.restartable import RestartableSystem
from ragate.runtime.sample_time import SampleTimeError, sample_time
from ragate.runtime.wrapped_system import WrappedSystem

IN_PROCESS = frozenset({"python", "llamaindex"})
GAVE_UP = "the code stopped waiting for a model provider, which had not answered yet"
_SHARE_OF_TIME = 0.98  # a little before the pipeline's own deadline, so that it can be explained
_GRACE_S = 0.1
_GRACE_STEPS = 20


class RecordedSystem(WrappedSystem):
    """A system under test with the recorder in front of it.

    Args:
        tells_apart: Every request says which sample it belongs to; else one is asked at a time.
    """

    def __init__(self, system: System, desk: Desk, timeout_s: float, *, tells_apart: bool) -> None:
        super().__init__(system)
        self.desk = desk
        self.timeout_s = timeout_s
        self._tells_apart = tells_apart

    @property
    def max_concurrency(self) -> int | None:
        return super().max_concurrency if self._tells_apart else 1

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the output with the hash of its requests; unscored where one got no reply."""
        clock = SAMPLE_CLOCK.get() or ProviderClock()
        with self.desk.ledger.sample(sample.id, run, clock=clock) as scope:
            token = CURRENT.set(sample.id)
            try:
                output = await self._asked(sample, run, scope)
                await _settled(scope)
            finally:
                CURRENT.reset(token)
        if scope.stopped is not None:
            raise scope.stopped
        if why := blameless(scope):
            return _failed("provider", why)
        if output.error is not None:
            return output
        asked = None if scope.shared else calls_hash(scope.keys)
        return output.amended(request_hash=asked, usage=output.usage or scope.usage)

    async def _asked(self, sample: Sample, run: int, scope: Scope) -> SystemOutput:
        try:
            async with sample_time(_SHARE_OF_TIME * self.timeout_s):
                return await self.system.answer(sample, run=run)
        except SampleTimeError as error:
            return error.output
        except FATAL:
            raise
        except Exception:
            if blameless(scope):
                return _failed("system", "")  # what is said of it is why it was not answered
            raise


async def restart(system: System) -> None:
    """Close a system that `open_system` gave and open it anew: a new process, new connections.

    It has to be prepared again. Replies that a recorded system was given are kept.
    """
    inner = system.system if isinstance(system, RecordedSystem) else system
    if isinstance(inner, RestartableSystem):
        await inner.restart()


def blameless(scope: Scope) -> str:
    """Return why an output says nothing about the system, "" where it does."""
    if scope.pending:
        return NOT_RECORDED
    gave_up = GAVE_UP if scope.given_up else ""
    return next(iter(scope.failed.values()), gave_up)


async def _settled(scope: Scope) -> None:
    """Wait a moment: the recorder may not have noticed yet that a caller went away."""
    for _ in range(_GRACE_STEPS):
        if not scope.under_way:
            return
        await asyncio.sleep(_GRACE_S / _GRACE_STEPS)


def _failed(kind: str, message: str) -> SystemOutput:
    return SystemOutput(error=Failure.model_validate({"kind": kind, "message": message}))


@asynccontextmanager
async def open_system(
    config: Config, operations: Operations, opened: Opened, *, recording: str = ""
) -> AsyncIterator[System]:
    """Yield the system under test, behind the recorder where it asks for one.

    Args:
        recording: Names the recording of a baseline, which takes no replies but its own.

    Raises:
        ConfigError: a key of ``[system]`` is wrong.
        ProviderError: a baseline is to be recorded, and there is no key.
    """
    use, settings = config.system.use, config.system.settings
    if not is_recorded_system(config):
        async with RestartableSystem(lambda: plugins.system(use, settings, opened.system)) as made:
            yield made
        return
    pending = PendingFile(operations.state / PENDING_NAME)
    pending.clear()
    in_process = use in IN_PROCESS
    if in_process:
        _refuse_shared_judge(config)
    provider = str(settings.get("record_provider", ""))
    with (
        open_desk(
            config, operations, opened, provider=provider, recording=recording, pending=pending
        ) as desk,
        ExitStack() as stack,
    ):
        recorder = stack.enter_context(open_recorder(desk))
        if in_process:
            stack.enter_context(recorder.in_this_process())
            stack.enter_context(named_requests(recorder.base_url))
        resources = _led(opened, recorder)
        tells_apart = in_process or bool(settings.get("record_header"))
        async with RestartableSystem(lambda: plugins.system(use, settings, resources)) as made:
            yield RecordedSystem(made, desk, opened.system.timeout_s, tells_apart=tells_apart)
    if not (desk.used or desk.pending):
        operations.say(
            "[system] record = true, and no model request came: does the code make its client with "
            "an address of its own? It must take OPENAI_BASE_URL and OPENAI_API_KEY"
        )
    if desk.pending:
        operations.say(
            f"{desk.pending} model requests are not recorded: {pending.path}; where the key is, "
            "`ragate record fulfil` answers them"
        )


def _led(opened: Opened, recorder: Recorder) -> Any:
    resources = opened.system
    return replace(
        resources,
        environment=recorder.environment(resources.environment),
        key_names=resources.key_names - recorder.names,
    )


def is_recorded_system(config: Config) -> bool:
    """Return True where ``[system] record`` is on, and a key of that kind of system."""
    if config.system.settings.get("record") is not True:
        return False
    model = plugins.settings_model("systems", config.system.use)
    return model is not None and "record" in model.model_fields


def _refuse_shared_judge(config: Config) -> None:
    """Raise where a judge of foreign code would read the variables that lead to the recorder."""
    judge = config.policy.judge
    if judge is not None and judge.use == "llamaindex" and judge.settings.get("llm"):
        raise ConfigError(
            "[system] record = true leads this process's OPENAI_BASE_URL to the recorder, and "
            "[policy.judge] llm would follow it",
            remedy="use `ragate collect` and `ragate decide`, or a judge with a provider",
        )

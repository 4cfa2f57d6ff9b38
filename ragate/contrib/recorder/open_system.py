"""A system under test, opened: with the recorder before it where its calls are recorded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragate import plugins
from ragate.answers.ready_system import StartsSystem, SystemRequest
from ragate.answers.sample_time import SampleTimeError, sample_time
from ragate.answers.wrapped_system import WrappedSystem
from ragate.clients.provider_clock import SAMPLE_CLOCK, ProviderClock
from ragate.config import Config
from ragate.contrib.recorder.pending_requests import PENDING_NAME
from ragate.contrib.recorder.proxy.request_identity import NOT_RECORDED
from ragate.contrib.recorder.proxy.request_ledger import Scope
from ragate.contrib.recorder.run_resolver import make_resolver, provider_of
from ragate.core.hashing import calls_hash
from ragate.errors import FATAL
from ragate.models import Sample, SystemOutput, failed_output
from ragate.protocols import Resources, System, SystemAbilities
from ragate.resources.resources import Opened

if TYPE_CHECKING:
    from ragate.contrib.recorder.proxy.reply_resolver import ReplyResolver


GAVE_UP = "the code stopped waiting for a model provider, which had not answered yet"
_SHARE_OF_TIME = 0.98  # a little before the pipeline's own deadline, so that it can be explained
_GRACE_S = 0.1
_GRACE_STEPS = 20
_NO_REQUEST = (
    "[system] record = true, and no model request came: does the code make its client with an "
    "address of its own? It must take OPENAI_BASE_URL and OPENAI_API_KEY"
)


@asynccontextmanager
async def behind_recorder(
    request: SystemRequest, opened: Opened, start: StartsSystem, resources: Resources
) -> AsyncIterator[System]:
    """Yield the system under test behind the recorder.

    Raises:
        ConfigError: a key of ``[system]`` is wrong.
        ProviderError: a baseline is to be recorded, and there is no key.
    """
    from ragate.contrib.recorder.proxy.recorder import open_recorder

    config, operations = request.config, request.operations
    settings = config.system.settings
    pending = operations.state / PENDING_NAME
    pending.unlink(missing_ok=True)
    resolver = make_resolver(
        config,
        operations,
        opened,
        provider=str(settings.get("record_provider", "")),
        recording=request.recording,
        pending=pending,
    )
    with ExitStack() as stack:
        recorder = stack.enter_context(open_recorder(resolver))
        led = replace(
            resources,
            environment=recorder.environment(resources.environment),
            key_names=resources.key_names.difference(recorder.variables),
            recorder_variables=recorder.variables,
        )
        traits = plugins.traits(config.system.use)
        tells_apart = traits.names_calls or bool(settings.get("record_header"))
        async with start(led) as system:
            yield RecordedSystem(system, resolver, resources.timeout_s, tells_apart=tells_apart)
    if what := _unanswered(resolver, pending):
        operations.say(what)


def _unanswered(resolver: ReplyResolver, pending: Path) -> str:
    """Return what to know of requests that got no reply, or of none at all; "" where all did."""
    if resolver.pending:
        return (
            f"{resolver.pending} model requests are not recorded: {pending}; where the key "
            "is, `ragate record fulfil` answers them"
        )
    return "" if resolver.came else _NO_REQUEST


def is_recorded_system(config: Config) -> bool:
    """Return True where ``[system] record`` is on, and a key of that kind of system."""
    if config.system.settings.get("record") is not True:
        return False
    model = plugins.settings_model("systems", config.system.use)
    return model is not None and "record" in model.model_fields


def recording_provider(config: Config) -> str:
    """Return the provider that the system's calls go to."""
    return provider_of(config, str(config.system.settings.get("record_provider", "")))


# Systems whose model calls are recorded: the recorder before them, and whose calls are whose.


class RecordedSystem(WrappedSystem):
    """A system under test with the recorder in front of it.

    Args:
        tells_apart: Every request says which sample it belongs to; else one is asked at a time.
    """

    def __init__(
        self, system: System, resolver: ReplyResolver, timeout_s: float, *, tells_apart: bool
    ) -> None:
        super().__init__(system)
        self.resolver = resolver
        self.timeout_s = timeout_s
        self._tells_apart = tells_apart

    @property
    def abilities(self) -> SystemAbilities:
        own = super().abilities
        return own if self._tells_apart else replace(own, max_concurrency=1)

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the output with the hash of its requests; unscored where one got no reply."""
        clock = SAMPLE_CLOCK.get() or ProviderClock()
        with self.resolver.ledger.sample(sample.id, run, clock=clock) as scope:
            output = await self._asked(sample, run, scope)
            await _settled(scope)
        if scope.stopped is not None:
            raise scope.stopped
        if why := blameless(scope):
            return failed_output("provider", why)
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
                return failed_output("system", "")  # what is said of it is why it was not answered
            raise


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

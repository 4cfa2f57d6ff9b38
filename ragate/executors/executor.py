"""Calls of an output carried out beside the right ones, by a function of the project."""

from __future__ import annotations

import asyncio
import datetime
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from pydantic import JsonValue

from ragate.config import Config
from ragate.config.model import Execution
from ragate.core.calls.values import as_named, filled, tool_names
from ragate.core.hashing import digest
from ragate.errors import ProviderError, RagateError, SystemStartError
from ragate.files.strict_json import loads
from ragate.guards.escape import one_line
from ragate.models import CallResult, Executed, ExpectedCall, Sample, SystemOutput, ToolCall
from ragate.protocols import Resources
from ragate.systems._output import OutputError, WorkerRaisedError
from ragate.systems._talk import EndedError
from ragate.systems._target import InterpreterSettings, check_form
from ragate.systems._worker_target import WorkerTarget, open_target
from ragate.systems.http.policy import Hidden

LONGEST = 64 * 1024  # characters of a result
Executes = Callable[[ToolCall], Awaitable[CallResult]]
"""Carries one call out; what goes wrong is its result."""
_LONGEST = 500  # characters of what it raised
MOST = 20  # calls of one sample
DEEPEST = 32  # arrays and objects; an outputs file, which may nest twice as deep, wraps them
_FAILED = (WorkerRaisedError, OutputError, EndedError, RagateError, TypeError, ValueError)


class Executor:
    """Carries out the calls of outputs.

    Args:
        today: What ``{today}`` in a right call stands for.
        hidden: Cuts keys out of results.
    """

    def __init__(self, executes: Executes, *, today: datetime.date, hidden: Hidden) -> None:
        self._executes = executes
        self._today = today
        self._hidden = hidden

    async def __call__(self, sample: Sample, output: SystemOutput) -> SystemOutput:
        """Return the output with the results of its calls and of the right ones.

        A call that equals a right one is carried out once for both. Samples without a right call,
        and outputs without calls, stay as they are. What goes wrong concerns this sample alone.
        """
        expected, calls = sample.expected_calls, output.tool_calls
        if not expected or output.error is not None or calls is None:
            return output
        try:
            executed = await self._executed(sample, expected, calls)
        except Exception as error:  # noqa: BLE001 - what a tool says must not end the run
            told = self._hidden.clean(f"not carried out: {type(error).__name__}: {error}")
            lost = CallResult(error=told, unreachable=True)
            executed = Executed(made=(lost,) * len(calls), expected=(lost,) * len(expected))
        return output.amended(executed=executed)

    async def _executed(
        self, sample: Sample, expected: Sequence[ExpectedCall], calls: Sequence[ToolCall]
    ) -> Executed:
        known: dict[str, CallResult] = {}
        right = [await self._right(call, known) for call in expected]
        made = as_named(calls, tool_names(sample))
        results = [await self._once(call, known) for call in made[:MOST]]
        beyond = CallResult(error=f"more than {MOST} calls: not carried out")
        results += [beyond] * (len(made) - MOST)
        return Executed(made=tuple(results), expected=tuple(right))

    async def _right(self, call: ExpectedCall, known: dict[str, CallResult]) -> CallResult:
        if call.result is not None:
            return CallResult(value=call.result)
        arguments = {
            name: self._filled(values[0])
            for name, values in call.accepted.items()
            if name not in call.optional
        }
        return await self._once(ToolCall(name=call.name, arguments=arguments), known)

    def _filled(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return filled(value, self._today)
        if isinstance(value, list):
            return [self._filled(item) for item in value]
        if isinstance(value, dict):
            return {key: self._filled(item) for key, item in value.items()}
        return value

    async def _once(self, call: ToolCall, known: dict[str, CallResult]) -> CallResult:
        if call.malformed:
            return CallResult(error="the arguments are no JSON object")
        key = digest([call.name, call.arguments])
        if key not in known:
            known[key] = self._kept(await self._executes(call))
        return known[key]

    def _kept(self, result: CallResult) -> CallResult:
        """Return a result as it may be stored: without keys, and no longer than is sensible."""
        text = json.dumps(result.value, ensure_ascii=False)
        if len(text) > LONGEST:
            return CallResult(error=f"its result has more than {LONGEST} characters")
        clean = self._hidden.without_secrets(text.encode("utf-8", "surrogatepass"))
        value = json.loads(clean.decode("utf-8", "replace"))
        return result.amended(value=value, error=self._hidden.clean(result.error))


@asynccontextmanager
async def open_executor(
    config: Config, resources: Resources, today: str
) -> AsyncIterator[Executor | None]:
    """Yield what carries calls out, None where the policy names nothing.

    Args:
        today: The date of the run, ISO 8601.

    Raises:
        ConfigError: the target is wrong.
    """
    settings = config.policy.execution
    if settings is None:
        yield None
        return
    keys: Sequence[str] = [
        value for name in config.policy.key_names if (value := resources.environment.get(name))
    ]
    hidden = Hidden(keys)
    async with open_function(settings, resources) as executes:
        yield Executor(executes, today=datetime.date.fromisoformat(today), hidden=hidden)


@asynccontextmanager
async def open_function(
    settings: Execution, resources: Resources
) -> AsyncIterator[Callable[[ToolCall], Awaitable[CallResult]]]:
    """Yield what calls the function with a tool's name and its arguments.

    Raises:
        ConfigError: it cannot be imported, or called so.
    """
    async with AsyncExitStack() as stack:
        try:
            check_form(settings.target)
            keys = InterpreterSettings(target=settings.target)
            target = await stack.enter_async_context(open_target("tool", keys, resources))
        except RagateError as error:
            message = error.message.replace("[system]", "[policy.execution]")
            raise type(error)(message, remedy=error.remedy) from error
        yield _executes(target, settings.timeout_s)


def _executes(
    target: WorkerTarget, timeout_s: float
) -> Callable[[ToolCall], Awaitable[CallResult]]:
    async def execute(call: ToolCall) -> CallResult:
        try:
            async with asyncio.timeout(timeout_s):
                asked = {"tool": call.name, "arguments": dict(call.arguments)}
                value = await target.value(asked)
            text = json.dumps(value, allow_nan=False)
        except TimeoutError:
            error = f"no result within {timeout_s:g} s"
            return CallResult(error=error, unreachable=True)
        except _FAILED as error:
            # Without a worker, or what the tool reads from, nothing is said about the call.
            lost = error.outage if isinstance(error, WorkerRaisedError) else False
            lost = lost or isinstance(error, SystemStartError)
            return CallResult(error=one_line(str(error), _LONGEST), unreachable=lost)
        return storable(text)

    return execute


def storable(text: str) -> CallResult:
    """Return the value of one JSON text, or why a run cannot hold it.

    A run holds finite numbers, whole characters, and no more than `DEEPEST` levels.
    """
    try:
        value = loads(text, where="its result", error=ProviderError, max_depth=DEEPEST)
    except ProviderError as error:
        return CallResult(error=str(error))
    return CallResult(value=value)

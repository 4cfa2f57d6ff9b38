"""Calls of an output carried out, beside the right ones, as part of collecting it."""

from __future__ import annotations

import datetime
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pydantic import JsonValue

from ragate.config import Config
from ragate.core.calls.dates import filled
from ragate.core.calls.values import as_named
from ragate.core.hashing import digest
from ragate.models import CallResult, Executed, ExpectedCall, Sample, SystemOutput, ToolCall
from ragate.protocols import Resources

if TYPE_CHECKING:
    from ragate.systems.http.policy import Hidden

LONGEST = 64 * 1024  # characters of a result
Executes = Callable[[ToolCall], Awaitable[CallResult]]
"""Carries one call out; what goes wrong is its result."""


class Executor:
    """Carries out the calls of outputs.

    Args:
        most: Calls of one sample.
        today: What ``{today}`` in a right call stands for.
        hidden: Cuts keys out of results.
    """

    def __init__(
        self, executes: Executes, *, most: int, today: datetime.date, hidden: Hidden
    ) -> None:
        self._executes = executes
        self._most = most
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
        names = {tool.name for tool in sample.tools} | {right.name for right in expected}
        known: dict[str, CallResult] = {}
        right = [await self._right(call, known) for call in expected]
        made = as_named(calls, names)
        results = [await self._once(call, known) for call in made[: self._most]]
        beyond = CallResult(error=f"more than {self._most} calls: not carried out")
        results += [beyond] * (len(made) - self._most)
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
        ConfigError: the address or the target is wrong.
        ProviderError: a variable of ``headers_env`` is not set.
        SystemStartError: the host's name is unknown.
    """
    settings = config.policy.execution
    if settings is None:
        yield None
        return
    from ragate.executors.function import open_function
    from ragate.executors.http import open_http
    from ragate.systems.http.policy import Hidden

    keys: Sequence[str] = [
        value for name in config.policy.key_names if (value := resources.environment.get(name))
    ]
    hidden = Hidden(keys)
    opened = (
        open_http(settings, resources.environment, hidden)
        if settings.use == "http"
        else open_function(settings, resources)
    )
    async with opened as executes:
        yield Executor(
            executes,
            most=settings.most_calls,
            today=datetime.date.fromisoformat(today),
            hidden=hidden,
        )

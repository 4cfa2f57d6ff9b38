"""Calls carried out by a function of the project."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from ragate.config.model import Execution
from ragate.errors import RagateError, SystemStartError
from ragate.executors import of_execution, storable
from ragate.models import CallResult, ToolCall
from ragate.protocols import Resources
from ragate.support.escape import one_line
from ragate.systems._output import OutputError, WorkerRaisedError
from ragate.systems._target import InterpreterSettings, check_form
from ragate.systems._worker import WorkerEndedError
from ragate.systems._worker_target import WorkerTarget, open_target

_LONGEST = 500  # characters of what it raised


@asynccontextmanager
async def open_function(
    settings: Execution, resources: Resources
) -> AsyncIterator[Callable[[ToolCall], Awaitable[CallResult]]]:
    """Yield what calls the function with a tool's name and its arguments.

    Raises:
        ConfigError: it cannot be imported, or called so.
    """
    async with AsyncExitStack() as stack:
        with of_execution((RagateError,)):
            check_form(settings.target)
            keys = InterpreterSettings(target=settings.target)
            target = await stack.enter_async_context(open_target("tool", keys, resources))
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
        except WorkerRaisedError as error:
            return CallResult(error=one_line(str(error), _LONGEST), unreachable=error.outage)
        except SystemStartError as error:  # no worker can be started any more
            return CallResult(error=one_line(str(error), _LONGEST), unreachable=True)
        except (OutputError, WorkerEndedError, RagateError, TypeError, ValueError) as error:
            return CallResult(error=one_line(str(error), _LONGEST))
        return storable(text)

    return execute

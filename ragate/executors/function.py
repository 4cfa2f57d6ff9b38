"""Calls carried out by a function of the project."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from ragate.config.execution import Execution
from ragate.errors import ConfigError, RagateError
from ragate.executors.named_table import of_execution
from ragate.executors.storable import storable
from ragate.models import CallResult, ToolCall
from ragate.support.escape import one_line
from ragate.systems._target import cannot_be_asked, check_form, setup_raised
from ragate.worker.calls import call as called
from ragate.worker.outage import is_outage
from ragate.worker.raised import summary
from ragate.worker.target import TargetError, TargetRaised, check_bind, imported

_HERE = "the environment of ragate"
_LONGEST = 500  # characters of what it raised


@asynccontextmanager
async def open_function(
    settings: Execution, root: Path
) -> AsyncIterator[Callable[[ToolCall], Awaitable[CallResult]]]:
    """Yield what calls the function with a tool's name and its arguments.

    Raises:
        ConfigError: it cannot be imported, or called so.
    """
    with of_execution((RagateError,)):
        function = _function(settings.target, root)

    async def execute(call: ToolCall) -> CallResult:
        try:
            async with asyncio.timeout(settings.timeout_s):
                value = await called(function, call.name, dict(call.arguments))
            text = json.dumps(value, allow_nan=False)
        except TimeoutError:
            error = f"no result within {settings.timeout_s:g} s"
            return CallResult(error=error, unreachable=True)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code
            told = one_line(summary(error, str(root)), _LONGEST)
            return CallResult(error=told, unreachable=is_outage(error))
        return storable(text)

    yield execute


def _function(target: str, root: Path) -> Callable[..., Any]:
    check_form(target)
    try:
        found = imported(target, str(root), _HERE)
        if not callable(found):
            raise ConfigError(
                f"[system] target = {target!r}: a {type(found).__name__} is no function"
            )
        check_bind(found, "name", {}, takes="two arguments: a tool's name and its arguments")
    except TargetError as error:
        raise cannot_be_asked(target, error) from error
    except TargetRaised as error:
        raise setup_raised(target, error, root) from error
    return found  # type: ignore[no-any-return]

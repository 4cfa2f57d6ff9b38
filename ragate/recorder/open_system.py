"""A system under test, opened: with the recorder before it where its calls are recorded."""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace

from ragate import plugins
from ragate.config import Config
from ragate.errors import ConfigError
from ragate.protocols import System
from ragate.recorder.pending_requests import PENDING_NAME, PendingFile
from ragate.recorder.proxy.in_process import named_requests
from ragate.recorder.proxy.recorder import open_recorder
from ragate.recorder.recorded_system import RecordedSystem
from ragate.recorder.run_resolver import make_resolver
from ragate.runtime.operations import Operations
from ragate.runtime.resources import Opened
from ragate.runtime.restartable import RestartableSystem


@asynccontextmanager
async def open_system(
    config: Config,
    operations: Operations,
    opened: Opened,
    *,
    recording: str = "",
    judged: bool = True,
) -> AsyncIterator[System]:
    """Yield the system under test, behind the recorder where it asks for one.

    Args:
        recording: Names the recording of a baseline, which takes no replies but its own.
        judged: The judge is asked in this process as well.

    Raises:
        ConfigError: a key of ``[system]`` is wrong.
        ProviderError: a baseline is to be recorded, and there is no key.
    """
    use, settings = config.system.use, config.system.settings
    if not is_recorded_system(config):
        async with RestartableSystem(lambda: plugins.system(use, settings, opened.system)) as plain:
            yield plain
        return
    pending = PendingFile(operations.state / PENDING_NAME)
    pending.clear()
    traits = plugins.traits(use)
    in_process = traits.shares_process(settings)
    if in_process and judged:
        _refuse_shared_judge(config)
    provider = str(settings.get("record_provider", ""))
    resolver = make_resolver(
        config, operations, opened, provider=provider, recording=recording, pending=pending
    )
    with ExitStack() as stack:
        recorder = stack.enter_context(open_recorder(resolver))
        if in_process:
            stack.enter_context(recorder.in_this_process())
            stack.enter_context(named_requests(recorder.base_url))
        resources = replace(
            opened.system,
            environment=recorder.environment(opened.system.environment),
            key_names=opened.system.key_names - recorder.names,
            recorder_variables=recorder.variables,
        )
        tells_apart = traits.in_process or bool(settings.get("record_header"))
        async with RestartableSystem(lambda: plugins.system(use, settings, resources)) as system:
            yield RecordedSystem(system, resolver, opened.system.timeout_s, tells_apart=tells_apart)
    if not (resolver.used or resolver.pending):
        operations.say(
            "[system] record = true, and no model request came: does the code make its client with "
            "an address of its own? It must take OPENAI_BASE_URL and OPENAI_API_KEY"
        )
    if resolver.pending:
        operations.say(
            f"{resolver.pending} model requests are not recorded: {pending.path}; where the key "
            "is, `ragate record fulfil` answers them"
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

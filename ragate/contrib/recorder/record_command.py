"""Any command behind the recorder: what it asks of a model is replayed, forwarded or pending."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ragate.baseline.schema import requests_path
from ragate.clients.budget import Tally
from ragate.config import Config
from ragate.contrib.recorder.pending_requests import PENDING_NAME
from ragate.contrib.recorder.proxy.recorder import open_recorder
from ragate.contrib.recorder.proxy.reply_resolver import ReplyResolver
from ragate.contrib.recorder.replies import load_replies, save_replies
from ragate.contrib.recorder.run_resolver import make_resolver
from ragate.errors import BudgetError, UsageError
from ragate.guards.seal import before_foreign_code, refuse_changes
from ragate.process import hide_memory
from ragate.resources.operations import Operations
from ragate.resources.resources import open_resources
from ragate.stores.local import new_run_id
from ragate.systems._variables import allowed_environment

_GRACE_S = 5.0


@dataclass(frozen=True)
class RecordedCommand:
    """What a recorded command left behind.

    Attributes:
        code: Its exit code; negative where a signal ended it.
        pending: Requests that were not answered.
        stopped: The cap that it met, "" where none.
        saved: The file that its replies are in, None where they were not saved.
    """

    code: int
    tally: Tally
    pending: int
    pending_path: Path
    stopped: str = ""
    saved: Path | None = None


async def record_command(
    config: Config,
    operations: Operations,
    argv: Sequence[str],
    *,
    run: int,
    save: bool,
    fresh: bool,
    provider: str,
    pending: Path | None,
) -> RecordedCommand:
    """Run a command with ``OPENAI_BASE_URL`` leading to the recorder.

    Args:
        run: Which draw of every request it gets.
        save: Its replies become those of this run in the gate's file.
        fresh: Nothing that is known is used.
        pending: Where pending requests go; None for the state folder.

    Raises:
        UsageError: it cannot be started.
        BudgetError: ``max_minutes`` of the policy has passed; the command was ended.
    """
    file = pending or operations.state / PENDING_NAME
    file.unlink(missing_ok=True)  # of an earlier run: nobody is to pay for these
    async with open_resources(config, operations) as opened:
        resolver = make_resolver(
            config,
            operations,
            opened,
            provider=provider,
            recording=f"record-{new_run_id()}" if fresh else "",
            pending=file,
            run=run,
        )
        with open_recorder(resolver) as recorder:
            passed = allowed_environment(operations.environment, config.policy.key_names, ())
            code = await _run(argv, recorder.environment(passed), config.policy.max_minutes)
        stopped = resolver.ledger.outside.stopped
        whole = code == 0 and not resolver.pending and stopped is None
        return RecordedCommand(
            code=code,
            tally=opened.tally,
            pending=resolver.pending,
            pending_path=file,
            stopped=stopped.message if stopped else "",
            saved=_save(config, resolver, run) if save and whole else None,
        )


def _save(config: Config, resolver: ReplyResolver, run: int) -> Path:
    """Put the replies of one run in place of those that the gate's file has of it."""
    path = requests_path(config.baseline)
    replies = load_replies(path).without(run)
    for key, draws in resolver.used.draws.items():
        for number, text in draws.items():
            replies.add(key, number, resolver.used.models[key], text)
    save_replies(path, replies)
    return path


async def _run(argv: Sequence[str], environment: Mapping[str, str], minutes: float) -> int:
    hide_memory()  # it holds keys that the command is not given
    before_foreign_code()
    try:
        process = await asyncio.create_subprocess_exec(*argv, env=dict(environment))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"{argv[0]!r} cannot be started: {reason}",
            remedy="write it as in: ragate record -- python rag.py",
        ) from error
    try:
        async with asyncio.timeout(minutes * 60):
            return await process.wait()
    except TimeoutError as error:
        raise BudgetError(f"[policy] max_minutes = {minutes:g} is reached") from error
    finally:
        await _end(process)
        refuse_changes()


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError):
        process.terminate()
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), _GRACE_S)
    with suppress(ProcessLookupError):
        process.kill()

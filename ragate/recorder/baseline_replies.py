"""The recorded replies of a baseline: which belong to it, and where they are kept."""

from collections import defaultdict
from pathlib import Path

from ragate.baseline import Replies, requests_path, save_replies
from ragate.config import Config
from ragate.core.hashing import is_recorded
from ragate.models import Run
from ragate.protocols import System
from ragate.recorder.proxy.reply_resolver import ReplyResolver
from ragate.recorder.recorded_system import RecordedSystem

RUN_REPLIES = "requests.jsonl.gz"


def recorded_replies(resolver: ReplyResolver) -> Replies:
    """Return every reply that was given, for the file of a recording."""
    replies = Replies()
    for key, draws in resolver.used.items():
        for run, (model, text) in draws.items():
            replies.add(key, run, model, text)
    return replies


def given_replies(system: System) -> Replies | None:
    """Return the replies that a system was given, None where its calls are not recorded."""
    return recorded_replies(system.resolver) if isinstance(system, RecordedSystem) else None


def save_run_replies(system: System, folder: Path) -> None:
    """Keep the replies of a run with it: it may become a baseline."""
    replies = given_replies(system)
    if replies is not None and replies.draws:
        save_replies(folder / RUN_REPLIES, replies)


def asks_otherwise(config: Config, old: Run | None, run: Run) -> bool:
    """Return True where the old baseline's replies are of no use any more.

    They are not there, or a sample that asked the same in all its passes asks something else now. A
    sample whose requests differ from pass to pass tells nothing.
    """
    if config.policy.store == "hashes" or old is None:
        return False
    if not requests_path(config.baseline).is_file():
        return True
    old_hashes, new_hashes = _asked(old), _asked(run)
    return any(
        len(asked) == 1 and sample in new_hashes and not asked <= new_hashes[sample]
        for sample, asked in old_hashes.items()
    )


def keep_replies(config: Config, replies: Replies | None, *, fresh: bool) -> None:
    """Write the replies beside the baseline, or remove a file that does not belong to it.

    With ``store = "hashes"`` no answer is kept, and so no reply.

    Args:
        fresh: The baseline was written anew.
    """
    path = requests_path(config.baseline)
    if replies is None or config.policy.store == "hashes":
        path.unlink(missing_ok=True)
    elif fresh or not path.is_file():
        save_replies(path, replies)


def _asked(run: Run) -> dict[str, set[str | None]]:
    hashes: dict[str, set[str | None]] = defaultdict(set)
    for record in run.records:
        if is_recorded(record.output.request_hash):
            hashes[record.sample_id].add(record.output.request_hash)
    return hashes

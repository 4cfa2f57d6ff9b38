"""The recorded replies of a baseline: which belong to it, and where they are kept."""

from pathlib import Path

from ragate.baseline.schema import RUN_REPLIES, requests_path
from ragate.config import Config
from ragate.contrib.recorder.open_system import RecordedSystem
from ragate.contrib.recorder.replies import Replies, save_replies
from ragate.protocols import System


def given_replies(system: System) -> Replies | None:
    """Return the replies that a system was given, None where its calls are not recorded."""
    return system.resolver.used if isinstance(system, RecordedSystem) else None


def save_run_replies(system: System, folder: Path) -> None:
    """Keep the replies of a run with it: it may become a baseline."""
    replies = given_replies(system)
    if replies is not None and replies.draws:
        save_replies(folder / RUN_REPLIES, replies)


def after_recording(config: Config, system: System, fresh: bool) -> None:
    """Write the replies of a recording beside the baseline; see `keep_replies`."""
    keep_replies(config, given_replies(system), fresh=fresh)


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

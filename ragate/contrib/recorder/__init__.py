"""Model calls of a system under test: recorded, replayed, forwarded or left pending.

The requests that a system's code sends to its model come in, and replies go out: known ones, a
provider's, or none yet. Read `open_system.py`, `proxy/reply_resolver.py`, which decides from where
a reply comes, and `fulfil_pending.py` for the job that has the key.
"""

from typing import Any

from ragate.extension import CommentCommand, Extension, Hook, SystemHook


def _is_on(config: Any) -> bool:
    if config.system.settings.get("record") is not True:
        return False
    from ragate.contrib.recorder.open_system import is_recorded_system

    return is_recorded_system(config)


EXTENSION = Extension(
    "recorder",
    commands={
        "record": (
            "ragate.contrib.recorder.command:command",
            "Run a command with its model calls recorded and replayed.",
        ),
    },
    system_hooks=(
        SystemHook(
            "ragate.contrib.recorder.open_system:behind_recorder",
            on=_is_on,
            provider="ragate.contrib.recorder.open_system:recording_provider",
        ),
    ),
    hooks=(
        Hook(
            "replies",
            "ragate.contrib.recorder.keep_replies:KeepReplies",
            on=lambda plan: _is_on(plan.config),
            guards=True,
        ),
    ),
    comment_commands={"run": CommentCommand("ragate.contrib.recorder.comment:run_comment")},
    before_asking=("ragate.contrib.recorder.comment:restore_replies",),
    after_recording=("ragate.contrib.recorder.baseline_replies:after_recording",),
    checks_baseline=("ragate.contrib.recorder.replies:check_replies",),
)

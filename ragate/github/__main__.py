"""The action's entry point: one catch around everything, and an exit code that means something."""

import os
import sys
from collections.abc import Mapping
from typing import NoReturn

from ragate.process import INTERRUPTED, NO_DECISION, end_with

_FILES = ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY")
_OURS = ("INPUT_", "ACTIONS_", "GITHUB_TOKEN", *_FILES)


def main() -> NoReturn:
    """Run one step of a workflow."""
    end_with(command)


def command() -> int:
    """Return the exit code of the step that this process was started for."""
    return one_step(dict(os.environ))


def one_step(environ: Mapping[str, str]) -> int:
    """Return the exit code of the step that `environ` describes, inputs included."""
    os.dup2(sys.stdout.fileno(), sys.stderr.fileno())  # two streams would have no common order
    _say("ragate: starting")  # the first sign of life, before anything heavy is imported
    for name in [*os.environ]:
        if name.startswith(_OURS):
            del os.environ[name]  # no code of the repository finds the token or the outputs there
    return run(environ)


def run(environ: Mapping[str, str]) -> int:
    """Return the exit code of the step; never raises."""
    try:
        from ragate.github.modes.steps import step

        return step(environ)
    except KeyboardInterrupt:
        _say("ragate: interrupted; finished outputs are kept in .ragate")
        return INTERRUPTED
    except SystemExit as error:
        _say(f"ragate: something called exit({error.code}) in the middle; no decision")
    except BaseException as error:  # noqa: BLE001 - this is the one catch
        _say(f"ragate: unexpected {type(error).__name__}; no decision")
    return NO_DECISION


def _say(line: str) -> None:
    from ragate.github.publish.workflow_commands import Log

    Log().plain(line)


if __name__ == "__main__":
    main()

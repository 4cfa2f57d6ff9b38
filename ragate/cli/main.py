"""The entry point: one catch around everything, so that no accident looks like a verdict."""

import gc
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from ragate.cli.streams import guard_streams
from ragate.machine_faults import machine_fault
from ragate.process import INTERRUPTED, NO_DECISION, end_with

EXIT_USAGE = 2
_NAME = "ragate"
_COMPLETE = "_RAGATE_COMPLETE"  # what a shell asks for: the script, or what may follow


def main() -> NoReturn:
    """Run the command line and exit with a code of docs/commands.md."""
    end_with(command)


def command() -> int:
    """Return the exit code of the command that this process was started with."""
    # Runs are large and hold no cycles: the collector would look through them again and again.
    gc.set_threshold(100_000, 50, 100)
    guard_streams()
    code = run(sys.argv[1:])
    sys.stdout.flush()
    gc.freeze()  # else Python looks through all that is left, and frees it piece by piece
    return code


def run(arguments: Sequence[str]) -> int:
    """Return the exit code of one command; never raises.

    Python's and click's own exit code 1 means "failed" here, so neither may leave the command:
    an unexpected exception is "no decision".
    """
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return _say("interrupted; finished outputs are kept in the state folder", INTERRUPTED)
    except SystemExit as error:
        # Only foreign code gets here: a plugin that exits must not decide the verdict.
        return _say(f"something called exit({error.code}) in the middle; no decision", NO_DECISION)
    except BaseException as error:  # noqa: BLE001 - this is the one catch
        return _grouped(error)


def _run(arguments: Sequence[str]) -> int:
    import click

    from ragate.cli.group import cli
    from ragate.errors import RagateError
    from ragate.extension import around_command

    if asked := os.environ.get(_COMPLETE):
        from click.shell_completion import shell_complete

        # click's own way to this ends in an exit(), which would count as foreign code's.
        return shell_complete(cli, {}, _NAME, _COMPLETE, asked) and EXIT_USAGE
    try:
        with around_command("".join(arguments[:1]), os.environ, _tell):
            code = cli.main(args=list(arguments), prog_name=_NAME, standalone_mode=False)
    except RagateError as error:
        return _say(str(error), error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return EXIT_USAGE
    except click.exceptions.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        return _say(_misuse(error, arguments), EXIT_USAGE)
    return code if isinstance(code, int) else 0


def _misuse(error: Any, arguments: Sequence[str]) -> str:
    """Return what is wrong with a command line, and what to write instead."""
    from ragate.cli.other_words import word_for
    from ragate.removed import gone_from_command_line

    if told := gone_from_command_line(arguments) or word_for(error, arguments):
        return told
    context = getattr(error, "ctx", None)
    hint = f"\n  -> {context.command_path} --help" if context else ""
    return f"{error.format_message()}{hint}"


def _tell(line: str) -> None:
    print(line, file=sys.stderr)


def _grouped(error: BaseException) -> int:
    """Tell an error of a group of tasks as itself."""
    from ragate.errors import RagateError
    from ragate.task_groups import first_error

    error = first_error(error)
    if isinstance(error, RagateError):
        return _say(str(error), error.exit_code)
    return _unexpected(error)


def _unexpected(error: BaseException) -> int:
    if os.environ.get("RAGATE_DEBUG"):
        import traceback

        traceback.print_exception(error)
    lack, remedy = machine_fault(error)
    if lack:
        return _say(f"{lack}\n  -> no decision; {remedy}", NO_DECISION)
    return _say(
        f"unexpected {type(error).__name__}: {error}\n  -> no decision; this is a bug in ragate: "
        "RAGATE_DEBUG=1 prints where",
        NO_DECISION,
    )


def _say(message: str, code: int) -> int:
    lines = [_clean(line) for line in message.splitlines()] or [""]
    print(f"ragate: {lines[0]}", *lines[1:], sep="\n", file=sys.stderr)
    return code


def _clean(line: str) -> str:
    try:
        from ragate.guards.escape import plain
    except Exception:  # noqa: BLE001 - a broken installation still ends with our own exit code
        return ascii(line)
    return plain(line)


if __name__ == "__main__":
    main()

"""``ragate``, and ``python -m ragate``: loads the command line only when the frame is up."""

import sys
from typing import NoReturn

from ragate.process.entry import end_with

# Commands that a job goes by and that may run code of the project in their process.
WATCHED = frozenset(
    {"action", "baseline", "calibrate", "check", "collect", "decide", "drill", "judge"}
)


def main() -> NoReturn:
    """Run the command line and exit with a code of docs/exit-codes.md."""
    end_with(_command, watched=not WATCHED.isdisjoint(sys.argv[1:2]))


def _command() -> int:
    from ragate.cli.main import command

    return command()


if __name__ == "__main__":
    main()

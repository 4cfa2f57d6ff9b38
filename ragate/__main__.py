"""``ragate``, and ``python -m ragate``: loads the command line only when the frame is up."""

from typing import NoReturn

from ragate.process import end_with


def main() -> NoReturn:
    """Run the command line and exit with a code of docs/commands.md."""
    end_with(_command)


def _command() -> int:
    from ragate.cli.main import command

    return command()


if __name__ == "__main__":
    main()

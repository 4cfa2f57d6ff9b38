"""All that the action prints or hands to the runner, the step's outputs among it.

A runner obeys lines of a step's log: ``::error …::text`` at the start of a line, ``##[error]text``
anywhere in one. Text of others is therefore never printed as it came.
"""

import re
import secrets
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, TextIO

from ragate.errors import StorageError
from ragate.guards.escape import one_line, plain
from ragate.guards.redact import Redactor
from ragate.models import MetricVerdict, Report

Level = Literal["error", "warning"]

# Annotations that GitHub shows of a step and a level: https://github.com/actions/toolkit/pull/734
MOST_OF_A_LEVEL = 10
SUMMARY_LIMIT = 1024 * 1024
_LONGEST_TITLE = 120
_LONGEST_MESSAGE = 2000
# Bytes of a command. With what stands round it, it is below what a pipe takes in one piece (4096).
_LONGEST_COMMAND = 3900
_LONGEST_PROPERTY = 1500
_UTF8 = ("utf-8", "replace")
_OUTPUT_NAME = re.compile(r"[a-z][a-z0-9-]{0,60}")
_OUTPUT_VALUE = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{0,4000}")
NAMES = (
    "verdict",
    "passed",
    "exit-code",
    "report-json",
    "report-markdown",
    "report-html",
    "comment-url",
    "samples",
    "affected",
    "regressions",
    "model-calls",
    "cost-usd",
)
UNSAID = {**dict.fromkeys(NAMES, ""), "passed": "false"}


class Log:
    """The step's log.

    Attributes:
        redact: Cuts secrets out of text, as out of everything that is printed.
    """

    def __init__(self, stream: TextIO | None = None, *, secrets: Iterable[str] = ()) -> None:
        self._stream = sys.stdout if stream is None else stream
        self._left: dict[Level, int] = dict.fromkeys(("error", "warning"), MOST_OF_A_LEVEL)
        self._secrets = tuple(secrets)
        self.redact = Redactor(self._secrets)
        self._pause = ""

    def hide(self, secrets: Iterable[str]) -> None:
        """Cut these out of all that is printed from now on, too."""
        self._secrets += tuple(secrets)
        self.redact = Redactor(self._secrets)

    def plain(self, text: str) -> None:
        """Print text, foreign or not, so that it commands nothing."""
        self._print(plain(self.redact(text), ci=True))

    def error(self, message: str, *, file: str = "", line: int = 0, title: str = "") -> None:
        """Annotate the run, or a line of a file, with an error."""
        self._annotate("error", message, file, line, title)

    def warning(self, message: str, *, file: str = "", line: int = 0, title: str = "") -> None:
        self._annotate("warning", message, file, line, title)

    def guard(self) -> None:
        """Have the runner obey nothing more that this step prints, by whomever, but our commands.

        A system under test, a library or a thread of theirs may print what it likes. It is never
        taken back: what they started prints on until the step is over (a thread, a handler of the
        interpreter's end, a process that outlives ours). The runner forgets it with the step.
        Source: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
        """
        self._pause = secrets.token_hex(16)
        self._print(f"::stop-commands::{self._pause}")

    def _annotate(self, level: Level, message: str, file: str, line: int, title: str) -> None:
        shown = plain(self.redact(message), ci=False)[:_LONGEST_MESSAGE].strip()
        if not self._left[level]:  # GitHub would drop it; the log keeps it
            position = f"{one_line(file)}:{line}: " if file else ""
            self.plain(f"{level}: {position}{title + ': ' if title else ''}{shown}")
            return
        self._left[level] -= 1
        properties = {
            "file": one_line(file, 1000) if file else "",
            "line": str(line) if file and line > 0 else "",
            "title": one_line(self.redact(title), _LONGEST_TITLE),
        }
        pairs = ",".join(f"{key}={_property(value)}" for key, value in properties.items() if value)
        head = f"::{level}{' ' + pairs if pairs else ''}::"
        self._command(head + _cut(_data(shown), _LONGEST_COMMAND - len(head.encode(*_UTF8))))

    def _command(self, line: str) -> None:
        if not self._pause:
            self._print(line)
            return
        before, self._pause = self._pause, secrets.token_hex(16)
        # Others may have left a line open. In one piece: nobody else's line comes between.
        self._print(f"\n::{before}::\n{line}\n::stop-commands::{self._pause}")

    def _print(self, text: str) -> None:
        encoding = self._stream.encoding or "utf-8"
        safe = text.encode(encoding, "replace").decode(encoding)
        self._stream.flush()  # what others left in the buffer does not go into one write with ours
        self._stream.write(f"{safe}\n")
        self._stream.flush()


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _cut(data: str, limit: int) -> str:
    """Return as much as fits into `limit` bytes; no escape is cut in two."""
    encoded = data.encode(*_UTF8)
    if len(encoded) <= limit:
        return data
    return re.sub(r"%[0-9A-F]?$", "", encoded[: limit - 3].decode("utf-8", "ignore")) + "…"


def _property(text: str) -> str:
    return _cut(_data(text).replace(":", "%3A").replace(",", "%2C"), _LONGEST_PROPERTY)


def write_outputs(environ: Mapping[str, str], values: Mapping[str, str]) -> None:
    """Hand the step's outputs to the runner; does nothing outside of one.

    Every value ends at a delimiter that nobody can foresee, and none holds a line end: what is
    written are words, numbers, paths and addresses.

    Raises:
        StorageError: the file cannot be written.
        ValueError: a name or a value is of another kind.
    """
    path = environ.get("GITHUB_OUTPUT", "")
    if not path:
        return
    delimiter = f"ragate_{secrets.token_hex(16)}"
    lines = []
    for name, value in values.items():
        if not _OUTPUT_NAME.fullmatch(name) or not _OUTPUT_VALUE.fullmatch(value):
            raise ValueError(
                f"output {name!r} = {value[:80]!r} is no word, number, path or address"
            )
        lines.append(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")
    _append(Path(path), "".join(lines))


def summary_room(environ: Mapping[str, str]) -> int:
    """Return how many bytes the job summary still takes; one that is too large is dropped."""
    path = environ.get("GITHUB_STEP_SUMMARY", "")
    try:
        return SUMMARY_LIMIT - Path(path).stat().st_size if path else 0
    except OSError:
        return SUMMARY_LIMIT


def write_summary(environ: Mapping[str, str], text: str) -> bool:
    """Append to the job summary; return False where it has no room for the text, or there is none.

    Raises:
        StorageError: the file cannot be written.
    """
    content = f"{text.rstrip()}\n\n"
    if len(content.encode("utf-8", "replace")) > summary_room(environ):
        return False
    _append(Path(environ["GITHUB_STEP_SUMMARY"]), content)
    return True


def _append(path: Path, text: str) -> None:
    try:
        with path.open("ab") as file:
            file.write(text.encode("utf-8", "replace"))
    except OSError as error:
        raise StorageError(f"{path}: cannot write: {error.strerror or error}") from error


def relative(path: Path, workspace: Path) -> str:
    """Return a path as the outputs tell it: below the workspace, else ""."""
    try:
        return path.resolve().relative_to(workspace.resolve()).as_posix()
    except ValueError:
        return ""


def outputs_of(report: Report) -> dict[str, str]:
    """Return what the outputs say of a report; ``passed`` goes by it, whatever fail-on says."""
    decision, facts = report.decision, report.facts
    lost = [row for row in decision.rows if row.verdict is MetricVerdict.REGRESSED and row.gates]
    return {
        "verdict": decision.verdict.value,
        "passed": "true" if decision.exit_code == 0 else "false",
        "samples": str(facts.samples),
        "affected": "" if facts.affected is None else str(facts.affected),
        "regressions": str(len(lost)),
        "model-calls": str(facts.model_calls),
        "cost-usd": "" if facts.cost_usd is None else f"{facts.cost_usd:.4f}",
    }

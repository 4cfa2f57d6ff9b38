"""What one check says, and what all of them together end with."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from ragate.errors import RagateError
from ragate.machine_faults import machine_fault
from ragate.process import NO_DECISION


class Status(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    Attributes:
        check: What was looked at: ``golden set``.
        remedy: What to do; "" where nothing is to be done.
        exit_code: What the command ends with because of this: 2 or 3 for a problem, else 0.
    """

    check: str
    status: Status
    message: str
    remedy: str = ""
    exit_code: int = 0


def ok(check: str, message: str) -> Finding:
    return Finding(check, Status.OK, message)


def skipped(check: str, reason: str) -> Finding:
    return Finding(check, Status.SKIPPED, f"not checked: {reason}")


def warning(check: str, message: str, remedy: str) -> Finding:
    return Finding(check, Status.WARNING, message, remedy)


def problem(check: str, message: str, remedy: str, *, exit_code: int = 2) -> Finding:
    return Finding(check, Status.PROBLEM, message, remedy, exit_code)


def of_error(check: str, error: RagateError) -> Finding:
    return problem(check, error.message, error.remedy, exit_code=error.exit_code)


def guarded(check: str, look: Callable[[], Iterable[Finding] | None]) -> list[Finding]:
    """Return what `look` finds; an error of any kind is a finding too, and hides no other check.

    Args:
        look: Returns None where it only raises.
    """
    try:
        return list(look() or ())
    except RagateError as error:
        return [of_error(check, error)]
    except Exception as error:  # noqa: BLE001 - a plugin is foreign code, and the next check counts
        lack, remedy = machine_fault(error)
        message = lack or f"unexpected {type(error).__name__}: {error}"
        return [problem(check, message, remedy, exit_code=NO_DECISION)]


def exit_code(findings: Iterable[Finding]) -> int:
    """Return 2 where something has to be edited, else 3 where something is out of reach, else 0."""
    codes = {finding.exit_code for finding in findings}
    return 2 if 2 in codes else max(codes, default=0)


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"

"""The verdicts on a whole change and on one metric."""

from collections.abc import Mapping
from typing import Any

from ragate.models.base import SpokenEnum


class Verdict(SpokenEnum):
    """What the gate says."""

    PASSED = "passed"
    FAILED = "failed"
    NO_DECISION = "no_decision"
    BOOTSTRAP = "bootstrap"

    @property
    def exit_code(self) -> int:
        """What the command ends with: 0, 1 or 3; no verdict has a second one."""
        return _EXIT_CODES[self]


_EXIT_CODES = {
    Verdict.PASSED: 0,
    Verdict.FAILED: 1,
    Verdict.NO_DECISION: 3,
    Verdict.BOOTSTRAP: 0,
}


def without_exit_code(fields: Any) -> Any:
    """Return the fields of a model with a verdict but for ``exit_code``, which follows from it.

    Raises:
        ValueError: it is not the verdict's. A stored report says both; one that contradicts itself
            was changed after it was written, so nothing in it is worth reading.
    """
    if not isinstance(fields, Mapping) or "exit_code" not in fields:
        return fields
    verdict = next((each for each in Verdict if each == fields.get("verdict")), None)
    if fields["exit_code"] != (verdict and verdict.exit_code):
        raise ValueError(
            f"exit code {fields['exit_code']} is not that of {verdict or 'no verdict'}"
        )
    return {name: value for name, value in fields.items() if name != "exit_code"}


def as_documented(schema: dict[str, Any]) -> None:
    """Let a computed field look like the plain ones in the schema of the report."""
    del schema["readOnly"], schema["description"]


class MetricVerdict(SpokenEnum):
    """What can be said of one metric against the baseline."""

    REGRESSED = "regressed"
    WORSE_HERE = "worse_on_this_set"
    CANNOT_TELL = "cannot_tell"
    HELD = "held"
    UNCHANGED = "unchanged"
    IMPROVED = "improved"
    NOT_COMPARABLE = "not_comparable"
    NOT_MEASURED = "not_measured"
    SHOWN = "shown"  # an aggregate: floors only; or there is no baseline yet

    @property
    def uncompared(self) -> bool:
        """Whether there is nothing to compare: not measured, or measured in another way."""
        return self in (MetricVerdict.NOT_COMPARABLE, MetricVerdict.NOT_MEASURED)

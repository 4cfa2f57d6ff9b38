"""What can be said: of the whole change, and of one metric."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """What the gate says."""

    PASSED = "passed"
    FAILED = "failed"
    NO_DECISION = "no_decision"
    BOOTSTRAP = "bootstrap"


class MetricVerdict(StrEnum):
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

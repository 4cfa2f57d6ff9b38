"""The sentence on a verdict that went by the rules of a checkout."""

from __future__ import annotations

from ragate.models import Report


def checkout_note(report: Report) -> str:
    """Return the sentence, of our own words only; "" where the base's rules judged."""
    rules = report.checkout_rules
    if rules is None:
        return ""
    if not rules.base_read:
        return (
            "Judged by this checkout's own policy, golden set and baseline: the base's could not "
            "be read, and the gate on a pull request goes by them."
        )
    *first, last = rules.changed or ("policy",)
    names = f"{', '.join(first)} and {last}" if first else last
    return (
        f"Judged by this checkout's own {names}, not by the base's, by which the gate on a pull "
        "request goes."
    )

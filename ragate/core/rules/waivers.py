"""Waivers: samples that one metric does not count, until a date."""

import datetime
from collections.abc import Sequence

from ragate.models import Waiver, WaiverRow


def expired(waivers: Sequence[Waiver], today: datetime.date) -> tuple[Waiver, ...]:
    """Return the waivers whose last day is over; the caller refuses to go on with any."""
    return tuple(waiver for waiver in waivers if waiver.until < today)


def active(waivers: Sequence[Waiver], today: datetime.date) -> dict[tuple[str, str], Waiver]:
    """Return what is waived today, by sample and metric."""
    return {(w.id, w.metric): w for w in waivers if w.until >= today}


def waiver_row(waiver: Waiver) -> WaiverRow:
    """Return the waiver as it is shown."""
    return WaiverRow(
        sample_id=waiver.id,
        metric=waiver.metric,
        owner=waiver.owner,
        reason=waiver.reason,
        until=waiver.until.isoformat(),
    )

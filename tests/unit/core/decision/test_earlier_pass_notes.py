"""What is said of passes that earlier runs of the same commit made."""

from __future__ import annotations

import pytest

from ragate.models import Verdict
from tests.unit.core.decision.pooling_factories import (
    GOOD,
    ONE,
    candidate,
    confirmed,
    earlier_of,
    judged,
    passes,
    runs_of,
)


def test_what_differs_from_its_earlier_passes_is_said_with_their_dates_and_figures():
    earlier = earlier_of(judged(candidate(passes(GOOD, GOOD, GOOD, range(12)), earlier=3)))

    assert earlier.use == "differ"
    assert earlier.p_differ is not None
    assert earlier.p_differ <= 0.2
    assert "2026-11-20 09:14, 2026-11-21 09:14, 2026-11-22 09:14 UTC; 3 passes" in earlier.note
    assert "what it reads outside git may have changed" in earlier.note
    (figure,) = earlier.metrics
    assert (figure.newest, figure.earlier, figure.pooled) == pytest.approx((0.88, 1.0, 0.97))
    assert figure.p is None


def test_what_all_passes_prove_is_not_said_to_be_without_evidence():
    alone, together = confirmed(), confirmed(ONE, ONE, ONE)

    assert alone.lines[0].startswith("no evidence of regression")
    assert alone.remedies == ("ragate power",)
    assert not any("no evidence of regression" in line for line in together.lines)
    assert together.remedies == ()


def test_a_later_green_is_said_to_be_a_new_draw():
    run = candidate(passes(range(12), GOOD), earlier=1)
    failed = run.manifest.amended(earlier=runs_of(1, failed=True))

    decision, again = judged(run), judged(run.amended(manifest=failed))

    assert not any("of new answers" in line for line in decision.warnings)
    assert again.verdict is Verdict.PASSED
    assert again.warnings[0] == (
        "1 earlier run of this commit failed (2026-11-20 09:14 UTC): this verdict is of new "
        "answers, from a system that may have changed"
    )

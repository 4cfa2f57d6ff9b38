from __future__ import annotations

import pytest

from ragate.cli.doctor.slices import LEAST, slices
from ragate.cli.finding import Status
from ragate.core.rules.slices import slice_size
from ragate.models import Slice
from tests.unit.core.rules.slices.slice_factories import part, tagged

SAMPLES = tagged({"billing": 30, "api": 5}, rest=10)


@pytest.mark.parametrize(
    ("of", "status", "says"),
    [
        (part(), Status.OK, "billing: 30 samples of 45, held by faithfulness"),
        (part("api"), Status.WARNING, "api: 5 samples of 45: shown only"),
        (part("api", level="warn"), Status.OK, "api: 5 samples of 45"),
        (part("bilin"), Status.PROBLEM, "did you mean 'billing'?"),
        (
            part("both", where=("x=1",)),
            Status.PROBLEM,
            "no sample has the tag 'both'",
        ),
    ],
)
def test_each_slice_says_what_it_holds(of: Slice, status: Status, says: str) -> None:
    (finding,) = slices([of], SAMPLES)

    assert finding.status is status
    assert says in finding.message


def test_a_slice_of_all_samples_is_a_warning() -> None:
    (finding,) = slices([part()], SAMPLES[:30])

    assert (finding.status, "says what the metric says" in finding.message) == (
        Status.WARNING,
        True,
    )


def test_doctor_counts_as_the_gate_does() -> None:
    assert slice_size.LEAST == LEAST

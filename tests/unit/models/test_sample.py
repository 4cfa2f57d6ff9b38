"""What code of a user may write to is not shared."""

from __future__ import annotations

from ragate.models import Sample
from ragate.models.base import lean


def test_two_kept_samples_share_no_dictionary() -> None:
    one, other = (lean(Sample(id=name, query="?")) for name in "ab")
    one.metadata["seen"] = True
    assert other.metadata == {}
    assert Sample(id="c", query="?").metadata == {}

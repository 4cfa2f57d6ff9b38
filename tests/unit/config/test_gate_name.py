"""The name of a gate that has none of its own."""

from __future__ import annotations

from tests.unit.config.config_factories import changed, error_of, parse

LONG = "docs" * 15


def test_a_baseline_whose_name_would_be_cut_in_a_marker_names_no_gate() -> None:
    message = error_of(changed("baselines/docs.json", f"baselines/{LONG}x.json"))

    assert "[policy] baseline" in message
    assert "longer than 60 characters (61)" in message
    assert parse(changed("baselines/docs.json", f"baselines/{LONG}.json")).gate == LONG


def test_a_gate_with_a_name_of_its_own_may_have_a_baseline_of_any_name() -> None:
    text = changed('baseline = "baselines/docs', f'gate = "docs"\nbaseline = "baselines/{LONG}x')

    assert parse(text).gate == "docs"

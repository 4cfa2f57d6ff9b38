"""Golden sets as YAML."""

from __future__ import annotations

from pathlib import Path

from tests.unit.dataset.row_factories import error_of, read


def test_yaml_keeps_text_as_it_was_written(tmp_path: Path) -> None:
    text = "- {id: 007, query: no, reference: 2026-01-01, tags: [on, 1_000]}"

    sample = read(tmp_path, "a.yaml", text)[0]

    assert (sample.id, sample.query, sample.references) == ("007", "no", ("2026-01-01",))
    assert sample.tags == ("on", "1_000")


def test_a_bomb_of_aliases_costs_nothing(tmp_path: Path) -> None:
    levels = ["- &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"- &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]

    assert "aliases" in error_of(tmp_path, "a.yaml", "\n".join(levels))

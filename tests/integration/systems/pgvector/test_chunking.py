"""Sections and their headings, long texts and their parts."""

from __future__ import annotations

import pytest

from tests.integration.rag import Project, write

pytestmark = pytest.mark.integration


def test_a_section_is_found_by_the_headings_above_it(project: Project) -> None:
    write(
        project.root / "docs/deep.md",
        "---\ntitle: Turbine manual\n---\n# Turbine\n\nIntro.\n\n## Oil\n\n### Change\n\nWeekly.",
    )

    found = project.ask("turbine oil change").chunks[0]
    assert found.text == "### Change\n\nWeekly."
    assert found.metadata["title"] == "Turbine manual"
    assert found.metadata["section"] == "Turbine > Oil"


def test_long_text_is_cut_to_chunk_size_with_overlap(project: Project) -> None:
    write(project.root / "long/a.txt", " ".join(f"w{n}" for n in range(100)))

    output = project.ask("w0 w20 w99", corpus="long", chunk_size=20, chunk_overlap=5)
    assert {len(chunk.text.split()) for chunk in output.chunks} <= set(range(1, 21))
    assert len(output.chunks) >= 3

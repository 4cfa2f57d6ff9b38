"""Passages that the golden set arranges between retrieval and answer."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.errors import ConfigError
from ragate.models import Sample, SystemOutput
from tests.integration.rag import Project, write
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration
QUERY = "What is the pump?"
OTHERS = 12


@pytest.fixture
def pumps(project: Project) -> Project:
    for number in range(OTHERS):
        write(project.root / f"docs/other/{number}.md", f"# Page {number}\n\nNothing at all.")
    return project


def asked(project: Project, *samples: Sample, **settings: Any) -> list[SystemOutput]:
    async def all_of(system: Any) -> list[SystemOutput]:
        await system.prepare()
        return [await system.answer(sample) for sample in samples]

    return project.run(all_of, **settings)


def sample(arrange: str = "", **fields: Any) -> Sample:
    return Sample(id=arrange or "plain", query=QUERY, arrange=arrange, **fields)


def ids(output: SystemOutput) -> list[str]:
    return [chunk.doc_id for chunk in output.chunks]


def test_another_order_is_what_the_answer_is_written_from(
    pumps: Project, server: FakeOpenAI
) -> None:
    pumps.base_url = server.base_url
    server.reply = lambda _body: "Blue [1]."
    chat = {"use": "chat", "provider": "p", "model": "m"}

    plain, turned, mixed = asked(
        pumps, sample(), sample("reversed"), sample("shuffled"), answer=chat
    )

    assert len(ids(plain)) == 3
    assert ids(turned) == ids(plain)[::-1]
    assert ids(mixed) != ids(plain)
    assert sorted(ids(mixed)) == sorted(ids(plain))
    first = server.requests[1][2]["messages"][0]["content"]
    assert f"[1] {ids(plain)[-1]}" in first


def test_distractors_are_passages_of_other_documents_between_the_retrieved_ones(
    pumps: Project,
) -> None:
    wanted = sample("distractors:3", relevant={"other/7.md": 1})

    plain, once, again = asked(pumps, sample(), wanted, wanted)

    strange = [chunk for chunk in once.chunks if chunk.metadata.get("distractor")]
    assert [chunk.doc_id for chunk in once.chunks if chunk not in strange] == ids(plain)
    assert len({chunk.doc_id for chunk in strange}) == 3
    assert all(chunk.doc_id.startswith("other/") and chunk.text for chunk in strange)
    assert "other/7.md" not in ids(once)
    assert [place for place, chunk in enumerate(once.chunks) if chunk in strange] == [1, 3, 5]
    assert ids(again) == ids(once)


def test_with_larger_passages_distractors_are_such_too(pumps: Project) -> None:
    [output] = asked(pumps, sample("distractors:2"), parents={"use": "section"})

    strange = [chunk for chunk in output.chunks if chunk.metadata.get("distractor")]
    assert len(strange) == 2
    assert all("Nothing at all." in chunk.text for chunk in strange)


def test_filters_hold_for_distractors(pumps: Project) -> None:
    write(pumps.root / "docs/secret/a.md", "# Page\n\nNothing at all.")

    with pytest.raises(ConfigError, match="holds only 12 passages"):
        asked(
            pumps,
            sample("distractors:99"),
            path_fields=["folder"],
            filters={"folder": ["other"]},
        )


def test_a_corpus_without_so_many_other_passages_says_so(project: Project) -> None:
    with pytest.raises(ConfigError, match="arrange = 'distractors:5', and the corpus holds only 0"):
        asked(project, sample("distractors:5"))

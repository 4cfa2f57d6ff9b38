"""What may be done to a ranking of the built-in RAG: graph, passages, filters, prefix."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from ragate.errors import ConfigError
from ragate.models import Sample
from tests.integration.rag import Project, write
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration


DENSE = {"use": "openai", "provider": "p", "model": "e"}


def test_an_hnsw_index_has_its_own_graph_and_finds_what_exact_search_finds(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url
    for number in range(60):
        write(project.root / f"docs/n{number}.txt", f"page {number} about part {number % 7}")
    graph: dict[str, Any] = {"retrieval": "dense", "embedder": DENSE, "index": "hnsw"}

    exact = project.ranking("part 3", retrieval="dense", embedder=DENSE)
    found = project.ranking("part 3", **graph, hnsw={"m": 8, "ef_construction": 32})

    assert found == exact
    with psycopg.connect(project.database.conninfo()) as connection:
        options = connection.execute(
            "SELECT c.reloptions FROM pg_class c JOIN pg_am a ON a.oid = c.relam "
            "WHERE a.amname = 'hnsw' ORDER BY c.oid DESC LIMIT 1"
        ).fetchone()
    assert options == (["m=8", "ef_construction=32"],)


def test_a_graph_that_is_narrower_than_its_links_is_refused(project: Project) -> None:
    with pytest.raises(ConfigError, match="ef_construction = 20 must be at least twice m = 16"):
        project.ask("x", hnsw={"ef_construction": 20})


SECTIONS = """# Pump

Intro to the pump.

## Oil

Change the oil weekly. The filter is yellow. Use grade nine only. Old oil is waste.

## Noise

A loud noise means air. Bleed the valve. Then listen again for the noise.
"""


SMALL: dict[str, Any] = {"chunk_size": 16, "chunk_overlap": 0, "corpus": "big"}


def test_small_chunks_are_searched_and_whole_sections_returned_once(project: Project) -> None:
    write(project.root / "big/pump.md", SECTIONS)

    small = project.ask("filter yellow oil", **SMALL).chunks
    large = project.ask("filter yellow oil", **SMALL, parents={"use": "section"}).chunks

    assert (
        len([chunk for chunk in small if "Oil" in str(chunk.metadata) or "oil" in chunk.text]) > 1
    )
    assert large[0].text.startswith("## Oil\n\nChange the oil weekly.")
    assert large[0].text.endswith("Old oil is waste.")
    assert [chunk.doc_id for chunk in large] == ["pump.md"]
    assert large[0].score == small[0].score
    assert large[0].metadata["found_by"] == small[0].metadata["position"]


def test_windows_are_cut_to_their_size_and_top_k_counts_them(project: Project) -> None:
    words = [f"w{number}. " for number in range(200)]
    write(project.root / "big/long.txt", "".join(words))
    wanted: dict[str, Any] = {"parents": {"use": "window", "size": 40}, "top_k": 3}

    found = project.ask("w1 w2 w3 w90 w91 w150", **SMALL, **wanted).chunks

    assert len(found) == 3
    assert all(16 < len(chunk.text.replace(".", " .").split()) <= 40 for chunk in found)
    assert len({chunk.metadata["position"] for chunk in found}) == 3


def test_parents_are_searched_deeper_until_there_are_enough(project: Project) -> None:
    many = " ".join(f"Pump {number} is a good pump and a blue pump." for number in range(60))
    write(project.root / "big/a.md", f"# A\n\n{many}")
    write(project.root / "big/b.md", "# B\n\nOne pump among many other things of the whole house.")

    found = project.ask("pump", **SMALL, parents={"use": "section"}, top_k=2).chunks

    assert [chunk.doc_id for chunk in found] == ["a.md", "b.md"]


def test_a_window_must_be_larger_than_a_chunk(project: Project) -> None:
    with pytest.raises(ConfigError, match=r"size = 100 must be larger than chunk_size = 512"):
        project.ask("x", parents={"use": "window", "size": 100})


def filtered(project: Project, metadata: dict[str, Any] | None = None, **settings: Any) -> set[str]:
    async def ask(system: Any) -> set[str]:
        await system.prepare()
        output = await system.answer(Sample(id="q", query="pump", metadata=metadata or {}))
        return {chunk.doc_id for chunk in output.chunks}

    return project.run(ask, corpus="all", **settings)


@pytest.fixture
def tagged(project: Project) -> Project:
    write(project.root / "all/en/p1/a.md", "---\nversion: 2\n---\n# A\n\nThe pump.")
    write(project.root / "all/en/p2/b.md", "---\nversion: [1, 2]\n---\n# B\n\nThe pump.")
    write(project.root / "all/de/p1/c.md", "# C\n\nThe pump.")
    write(project.root / "all/d.md", "# D\n\nThe pump.")
    return project


FOLDERS: dict[str, Any] = {"path_fields": ["lang", "product"]}


def test_only_documents_with_the_wanted_metadata_are_found(tagged: Project) -> None:
    both: dict[str, Any] = {"filters": {"lang": "en"}, **FOLDERS}

    assert filtered(tagged, **both) == {"en/p1/a.md", "en/p2/b.md"}
    assert filtered(tagged, filters={"version": 1}) == {"en/p2/b.md"}
    assert filtered(tagged, filters={"lang": ["de", "fr"]}, **FOLDERS) == {"de/p1/c.md"}
    assert filtered(tagged, filters={"lang": "en", "version": 1}, **FOLDERS) == {"en/p2/b.md"}
    assert filtered(tagged, filters={"version": 9}) == set()


def test_a_field_that_no_document_has_is_an_error(tagged: Project) -> None:
    with pytest.raises(ConfigError, match=r"filters: no document has the field 'versoin'; did you"):
        filtered(tagged, filters={"versoin": 1})
    with pytest.raises(ConfigError, match=r"filter_by: no document has the field 'product'"):
        filtered(tagged, filter_by=["product"])
    with pytest.raises(ConfigError, match="lang is no text, number or true or false"):
        filtered(tagged, filters={"lang": {"a": 1}})
    with pytest.raises(ConfigError, match="path_fields has no effect without filters"):
        filtered(tagged, path_fields=["lang"])


def test_a_sample_is_answered_from_the_documents_of_its_entity(tagged: Project) -> None:
    by: dict[str, Any] = {"filter_by": ["product"], **FOLDERS}

    assert filtered(tagged, {"product": "p1"}, **by) == {"en/p1/a.md", "de/p1/c.md"}
    assert filtered(tagged, {"product": "p9"}, **by) == set()
    assert len(filtered(tagged, {}, **by)) == 4


def test_documents_without_the_field_are_out_unless_they_are_wanted(tagged: Project) -> None:
    by: dict[str, Any] = {"filter_by": ["product"], **FOLDERS}

    assert "d.md" not in filtered(tagged, {"product": "p1"}, **by)
    assert "d.md" in filtered(tagged, {"product": "p1"}, **by, filter_missing="include")


@pytest.mark.parametrize("retrieval", ["dense", "hybrid"])
@pytest.mark.parametrize("index", ["exact", "hnsw"])
def test_dense_search_keeps_to_the_filter_too(
    tagged: Project, server: FakeOpenAI, retrieval: str, index: str
) -> None:
    tagged.base_url = server.base_url
    dense: dict[str, Any] = {"retrieval": retrieval, "embedder": DENSE, "index": index}

    assert filtered(tagged, filters={"lang": "de"}, **FOLDERS, **dense) == {"de/p1/c.md"}


def test_a_hostile_value_is_only_a_value(tagged: Project) -> None:
    evil = "p1' OR true; DROP SCHEMA ragate CASCADE; -- %s {documents}"
    write(tagged.root / f"all/{evil}/e.md", "# E\n\nThe pump.")

    own: dict[str, Any] = {"path_fields": [evil]}
    assert filtered(tagged, {evil: f"{evil}?"}, filter_by=[evil], **own) == set()
    assert filtered(tagged, {evil: evil}, filter_by=[evil], **own) == {f"{evil}/e.md"}
    assert filtered(tagged, filters={"version": 2}) == {"en/p1/a.md", "en/p2/b.md"}


def test_changed_metadata_is_ingested(tagged: Project) -> None:
    assert filtered(tagged, filters={"version": 3}) == set()
    write(tagged.root / "all/d.md", "---\nversion: 3\n---\n# D\n\nThe pump.")

    assert filtered(tagged, filters={"version": 3}) == {"d.md"}


def test_the_prefix_says_which_headings_find_a_chunk_and_never_changes_its_text(
    project: Project,
) -> None:
    front = "---\ntitle: Turbine manual\n---\n# Turbine\n\nIntro.\n\n"
    write(project.root / "above/deep.md", f"{front}## Oil\n\n### Change\n\nWeekly.")

    def texts(question: str, prefix: str) -> set[str]:
        return {chunk.text for chunk in project.ask(question, corpus="above", prefix=prefix).chunks}

    weekly = "### Change\n\nWeekly."
    assert weekly in texts("manual", "headings") & texts("manual", "title")
    assert weekly in texts("oil", "headings")
    assert weekly not in texts("oil", "title")
    assert texts("manual", "none") == set()
    assert texts("weekly", "none") == {weekly}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"chunk_sise": 3}, "did you mean 'chunk_size'"),
        ({"bm25": {"stemmer": "klingon"}}, "no such stemmer"),
        ({"chunk_size": 32, "chunk_overlap": 32}, "must be smaller"),
        ({"retrieval": "dense"}, r"needs a table \[system.embedder\]"),
        ({"answer": {"use": "chat"}}, "needs provider and model"),
        ({"top_k": 0}, "top_k"),
        ({"corpus": "../.."}, "outside"),
        ({"corpus": "nowhere"}, "there is no folder"),
    ],
)
def test_a_wrong_setting_is_named(project: Project, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        project.ask("x", **settings)

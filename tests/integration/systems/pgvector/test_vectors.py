"""Vectors of chunks."""

from __future__ import annotations

import pytest

from ragate.errors import ConfigError, DatabaseError
from tests.integration.rag import Project, write
from tests.servers.faults import status
from tests.servers.openai_server import FakeOpenAI, hashed_embedding

pytestmark = pytest.mark.integration


DENSE = {"use": "openai", "provider": "p", "model": "e"}


@pytest.mark.parametrize("index", ["exact", "hnsw"])
def test_dense_retrieval_finds_the_nearest_chunk(
    project: Project, server: FakeOpenAI, index: str
) -> None:
    project.base_url = server.base_url

    output = project.ask("warranty of two years", retrieval="dense", index=index, embedder=DENSE)

    assert output.chunks[0].doc_id == "guides/warranty.md"
    assert len(output.chunks) == 3
    assert output.usage is not None
    assert output.usage.calls == 1


def test_dense_scores_are_cosines(project: Project, server: FakeOpenAI) -> None:
    project.base_url = server.base_url
    question = "warranty of two years"

    best = project.ask(question, retrieval="dense", embedder=DENSE).chunks[0]

    pairs = zip(hashed_embedding(question, 64), hashed_embedding(best.text, 64), strict=True)
    assert best.score == pytest.approx(sum(a * b for a, b in pairs), abs=1e-5)


def test_unchanged_documents_are_not_embedded_again(project: Project, server: FakeOpenAI) -> None:
    project.base_url = server.base_url
    project.ask("pump", retrieval="dense", embedder=DENSE)
    write(project.root / "docs/more.md", "valve")
    server.requests.clear()

    project.ask("pump", retrieval="dense", embedder=DENSE)

    assert [body["input"] for _, _, body in server.requests] == [["valve"], ["pump"]]


def test_another_dimension_than_the_index_holds_is_an_error(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url
    project.ask("pump", retrieval="dense", embedder=DENSE)
    server.dimension = 32

    with pytest.raises(DatabaseError, match=r"64 dimensions.* returns 32") as caught:
        project.ask("pump", retrieval="dense", embedder=DENSE)
    assert "--rebuild" in caught.value.remedy
    assert project.ask("pump", retrieval="dense", embedder=DENSE, rebuild=True).chunks


def test_hnsw_with_too_many_dimensions_is_an_error_with_a_remedy(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url, server.dimension = server.base_url, 2001

    with pytest.raises(ConfigError, match="up to 2000 dimensions"):
        project.ask("pump", retrieval="dense", index="hnsw", embedder=DENSE)
    assert project.ask("pump", retrieval="dense", embedder=DENSE).chunks


def test_a_failing_embedder_is_a_provider_failure_of_that_sample(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url
    project.ask("pump", retrieval="dense", embedder=DENSE)
    server.faults = [status(401)]

    error = project.ask("pump", retrieval="dense", embedder=DENSE).error
    assert error is not None
    assert error.kind == "provider"

"""What tells one system from another."""

from __future__ import annotations

import pytest

from ragate.models import Reads
from tests.integration.rag import Project, write
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration


DENSE = {"use": "openai", "provider": "p", "model": "e"}


CHAT = {"use": "chat", "provider": "p", "model": "m", "temperature": 0, "max_tokens": 99}


def test_the_fingerprint_follows_what_can_change_outputs(project: Project) -> None:
    first = project.info()
    assert first.fingerprint == project.info().fingerprint
    others = [project.info(top_k=3), project.info(chunk_size=100), project.info(bm25={"k1": 2})]
    write(project.root / "docs/more.md", "valve")
    corpus = project.info()

    prints = {one.fingerprint for one in [first, corpus, *others]}
    assert len(prints) == 5
    assert corpus.parts["corpus"] != first.parts["corpus"]
    assert corpus.parts["settings"] == first.parts["settings"]


def test_only_what_asks_no_model_is_called_deterministic(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url

    assert project.info().deterministic == {Reads.RETRIEVAL, Reads.ANSWER}
    assert project.info(answer=CHAT).deterministic == {Reads.RETRIEVAL}
    assert project.info(retrieval="hybrid", embedder=DENSE).deterministic == set()

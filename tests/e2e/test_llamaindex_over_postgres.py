"""A real RetrieverQueryEngine of LlamaIndex over Postgres with pgvector, under the gate."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from ragate.database import PostgresDatabase
from tests.e2e.command import ragate
from tests.integration.conftest import open_folder
from tests.night import by_night
from tests.projects import write_docs_project

pytestmark = [
    pytest.mark.e2e,
    by_night,
    pytest.mark.skipif(
        find_spec("llama_index.vector_stores") is None
        or find_spec("llama_index.vector_stores.postgres") is None,
        reason="not installed: llama-index-vector-stores-postgres",
    ),
]
ENGINE = '''
"""Pages in Postgres, found and put together by LlamaIndex."""

import hashlib
import os
import re
from pathlib import Path

from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.vector_stores.postgres import PGVectorStore

SIZE, TOP, PAGES = 256, 3, sorted(Path("docs").glob("*.md"))


class Words(BaseEmbedding):
    def _get_text_embedding(self, text):
        vector = [0.0] * SIZE
        for word in re.findall("[a-z]{4,}", text.lower()):
            vector[int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big") % SIZE] += 1.0
        return vector

    def _get_query_embedding(self, query):
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query):
        return self._get_text_embedding(query)


def engine():
    url = os.environ["PAGES_URL"]
    store = PGVectorStore(
        connection_string=f"postgresql+psycopg2://{url}",
        async_connection_string=f"postgresql+asyncpg://{url}",
        table_name="pages",
        schema_name="public",
        embed_dim=SIZE,
    )
    store.clear()
    pages = [Document(text=page.read_text(), doc_id=page.name) for page in PAGES]
    context = StorageContext.from_defaults(vector_store=store)
    index = VectorStoreIndex.from_documents(pages, storage_context=context, embed_model=Words())
    retriever = index.as_retriever(similarity_top_k=TOP)
    return RetrieverQueryEngine.from_args(retriever, llm=MockLLM(max_tokens=60))
'''


@pytest.fixture
def url() -> Iterator[str]:
    """The server's address as SQLAlchemy writes it, without the scheme."""
    folder = open_folder()
    with PostgresDatabase(folder) as database:
        facts = conninfo_to_dict(database.conninfo())
        yield f"{facts['user']}@/{facts['dbname']}?host={facts['host']}&port={facts['port']}"
    shutil.rmtree(folder, ignore_errors=True)


def test_an_engine_over_postgres_passes_and_fails_the_gate(tmp_path: Path, url: str) -> None:
    write_docs_project(tmp_path)
    (tmp_path / "engine.py").write_text(ENGINE)
    config = tmp_path / "ragate.toml"
    text = config.read_text().partition("[system]")[0].replace('["pgvector"]', '["llamaindex"]')
    config.write_text(f'{text}[system]\nuse = "llamaindex"\ntarget = "engine:engine"\n')
    env = {"PAGES_URL": url, "CI": "1"}

    recorded = ragate(tmp_path, "baseline", "update", "--accept", "token_f1", env=env)
    checked = ragate(tmp_path, "check", env=env)
    (tmp_path / "engine.py").write_text(ENGINE.replace('glob("*.md"))', 'glob("f*.md"))'))
    broken = ragate(tmp_path, "check", env=env)

    assert recorded.returncode == 0, recorded.stderr
    assert "recall@5                 100.0 %" in recorded.stdout
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert "recall@5" in broken.stdout

"""Which files are a corpus, and which are refused."""

from __future__ import annotations

import json
import os

import pytest

from ragate.errors import ConfigError
from tests.integration.rag import Project, write

pytestmark = pytest.mark.integration


def test_html_and_text_are_read_and_hidden_files_are_not(project: Project) -> None:
    write(
        project.root / "docs/page.html",
        "<html><head><title>T</title><script>var secretword</script></head>"
        "<body><nav>menu</nav><h1>Gasket</h1><p>A gasket &amp; a <b>seal</b>.</p></body></html>",
    )
    write(project.root / "docs/.hidden.md", "hiddenword")
    write(project.root / "docs/.git/x.md", "hiddenword")
    write(project.root / "docs/image.png", "hiddenword")

    (found,) = project.ask("gasket").chunks
    assert found.text == "# Gasket\n\nA gasket & a seal."
    assert project.ask("hiddenword secretword menu").chunks == ()


def test_all_documents_are_named_empty_ones_included(project: Project) -> None:
    write(project.root / "docs/empty.md", "")

    assert project.documents() == {"empty.md", "guides/warranty.md", "index.md", "notes.txt"}


def test_a_beir_folder_is_read_with_title_and_text(project: Project) -> None:
    rows = [{"_id": "d1", "title": "Pumps", "text": "They move water."}, {"_id": 2, "text": ""}]
    write(project.root / "beir/corpus.jsonl", "".join(json.dumps(row) + "\n" for row in rows))

    (found,) = project.ask("pumps", corpus="beir").chunks
    assert (found.doc_id, found.text) == ("d1", "Pumps\nThey move water.")
    assert project.documents(corpus="beir") == {"d1", "2"}


def test_a_link_that_leads_out_of_the_corpus_is_refused(project: Project) -> None:
    write(project.root / "secret.md", "canary")
    (project.root / "docs/link.md").symlink_to(project.root / "secret.md")

    with pytest.raises(ConfigError, match=r"link\.md is a link that leads out"):
        project.ask("canary")


def test_a_linked_folder_is_not_followed(project: Project) -> None:
    write(project.root / "secret/a.md", "canary")
    (project.root / "docs/loop").symlink_to(project.root / "docs")
    (project.root / "docs/out").symlink_to(project.root / "secret")

    assert project.ask("canary").chunks == ()


def test_a_pipe_in_the_corpus_is_refused_and_does_not_hang(project: Project) -> None:
    os.mkfifo(project.root / "docs/pipe.md")

    with pytest.raises(ConfigError, match=r"pipe\.md: not a regular file"):
        project.ask("x")


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"a\0b", "NUL"), (b"ok\n\xff\xfe", "line 2: byte 0xff is not UTF-8")],
)
def test_a_binary_file_is_named(project: Project, content: bytes, message: str) -> None:
    (project.root / "docs/binary.md").write_bytes(content)

    with pytest.raises(ConfigError, match=rf"binary\.md: .*{message}"):
        project.ask("x")


def test_a_huge_file_is_refused_by_its_size_alone(project: Project) -> None:
    with (project.root / "docs/huge.md").open("wb") as file:
        file.truncate(10**12)

    with pytest.raises(ConfigError, match=r"huge\.md: 1000000000000 bytes"):
        project.ask("x")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ('{"_id": "a"}', "'text' is None"),
        ('{"_id": "", "text": "x"}', "'_id' is ''"),
        ('{"_id": "ok", "text": "x"}', "'ok' stands on line 1 already"),
        ('{"_id": "a", "text": "x\\u0000"}', "NUL"),
        ('{"_id": "a", "text": "\\ud800"}', "half of a character"),
    ],
)
def test_a_bad_line_of_a_beir_corpus_is_named(project: Project, line: str, message: str) -> None:
    write(project.root / "beir/corpus.jsonl", f'{{"_id": "ok", "text": "x"}}\n{line}\n')

    with pytest.raises(ConfigError, match=rf"corpus\.jsonl:2.*{message}"):
        project.ask("x", corpus="beir")


def test_a_corpus_without_a_document_is_an_error(project: Project) -> None:
    (project.root / "empty").mkdir()

    with pytest.raises(ConfigError, match="holds no document"):
        project.ask("x", corpus="empty")

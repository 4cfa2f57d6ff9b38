"""Documents that a change edits and that no golden set names."""

from __future__ import annotations

import json

import pytest

from ragate.errors import StorageError
from ragate.github.publish.changed_sources import Sources
from ragate.github.publish.unasked_documents import with_unasked
from ragate.renderers import markdown
from tests.factories import report_factory

GOLDEN = "evals/golden.jsonl"


def row(sample_id: str, *docs: str, **fields: bool) -> bytes:
    return json.dumps({"id": sample_id, "query": "?", "relevant": docs, **fields}).encode()


def unasked(
    changed: list[str], base: bytes = row("q1", "refunds.md"), head: bytes = b"", **fields: str
) -> tuple[str, ...]:
    here = {path: b"# Page" for path in changed if "gone" not in path} | {GOLDEN: head or base}
    sources = Sources({GOLDEN: base}.get, here.get, "ragate.toml", **{"corpus": "kb", **fields})  # type: ignore[arg-type]
    return with_unasked(report_factory(), changed, sources, GOLDEN).data.unasked_documents


def test_changed_pages_that_no_question_expects_are_told() -> None:
    changed = ["kb/refunds.md", "kb/new.md", "kb/logo.png", "kb/gone.md", "src/app.py", "kb2/x.md"]

    assert unasked(changed) == ("new.md",)


def test_a_question_that_the_change_adds_counts_and_a_draft_does_not() -> None:
    asked, drafted = row("q2", "new.md"), row("q2", "new.md", draft=True)

    assert unasked(["kb/new.md"], head=asked) == ()
    assert unasked(["kb/new.md"], head=drafted) == ("new.md",)


@pytest.mark.parametrize("name", ["übung.md", "a b.md", 'say "hi".md', "x(1).md"])
def test_an_id_is_found_as_json_writes_it(name: str) -> None:
    assert unasked([f"kb/{name}"], row("q1", name)) == ()


def test_a_longer_name_is_another_document() -> None:
    assert unasked(["kb/funds.md"]) == ("funds.md",)
    assert unasked(["kb/refunds.mdx.md"]) == ("refunds.mdx.md",)


@pytest.mark.parametrize(
    "fields", [{"corpus": ""}, {"base": b""}, {"changed": ["kb/corpus.jsonl", "kb/new.md"]}]
)
def test_what_cannot_be_known_is_not_told(fields) -> None:
    assert unasked(**{"changed": ["kb/new.md"], **fields}) == ()


def test_a_page_that_cannot_be_read_is_left_out() -> None:
    def head(path: str) -> bytes | None:
        if path.startswith("kb/"):
            raise StorageError("too large")
        return row("q1", "refunds.md")

    sources = Sources(head, head, "ragate.toml", corpus="kb")

    report = with_unasked(report_factory(), ["kb/new.md"], sources, GOLDEN)
    assert report.data.unasked_documents == ()


def test_the_comment_names_two_and_counts_the_rest() -> None:
    report = report_factory()
    data = report.data.amended(unasked_documents=("a.md", "<b>.md", "c.md"))

    text = markdown.render(report.amended(data=data))

    assert (
        "<p><b>Edited here, and no question expects:</b> <code>a.md</code>, "
        "<code>&lt;b&gt;.md</code> and 1 more.</p>"
    ) in text
    assert "no question expects" not in markdown.render(report)

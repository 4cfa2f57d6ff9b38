"""What a comment says did it, and where its links lead."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import StorageError
from ragate.github.commits.commit_tree import GitTree
from ragate.github.publish.changed_sources import Sources
from ragate.github.publish.report_sources import (
    Pages,
    changed_origin,
    document_pages,
    golden_lines,
    sample_pages,
    with_unasked,
)
from ragate.models import ChangedPart, ChangeOrigin, Report
from ragate.renderers import markdown
from tests.factories import report_factory, sample_row_factory
from tests.unit.github.commits.tree_factories import FilesTree

GOLDEN = "evals/golden.jsonl"
PAGES = Pages("https://github.com/o/r", "h" * 40, "b" * 40)
HEAD, BASE = f"https://github.com/o/r/blob/{'h' * 40}", f"https://github.com/o/r/blob/{'b' * 40}"
CONFIG = '[system]\nuse = "pgvector"\ntop_k = 10 # passages\nprompt = "p.md"\n'
Files = Mapping[str, str]


def sources(then: Files, now: Files, **more: Any) -> Sources:
    base, head = (
        FilesTree({path: text.encode() for path, text in files.items()}) for files in (then, now)
    )
    return Sources(base, head, sorted({*then, *now}), "ragate.toml", **more)


def origin(
    then: Files, now: Files, *, alone: bool = False, runs_code: bool = False, **more: Any
) -> ChangeOrigin:
    report = report_factory(
        samples=(sample_row_factory(displaced_by=["cards.md"]),),
        origin=ChangeOrigin(parts=(ChangedPart(words="the corpus"),), alone=alone),
    )
    return changed_origin(report, sources(then, now, **more), PAGES, runs_code=runs_code)


def test_a_setting_is_named_with_its_line_both_values_and_its_page() -> None:
    now = CONFIG.replace("top_k = 10", "top_k = 1")
    (part,) = origin({"ragate.toml": CONFIG}, {"ragate.toml": now}).parts

    assert (part.path, part.line, part.words) == ("ragate.toml", 3, "top_k = 1 (was 10)")
    assert part.url == f"{HEAD}/ragate.toml#L3"


def test_a_remark_beside_a_setting_is_no_change() -> None:
    now = CONFIG.replace("# passages", "# chunks")

    assert origin({"ragate.toml": CONFIG}, {"ragate.toml": now}).parts[0].words == "the corpus"


def test_prompt_documents_and_locks_follow_the_settings_and_what_was_blamed_comes_first() -> None:
    then = {
        "p.md": "a\nb\n",
        "docs/a.md": "x",
        "docs/cards.md": "x",
        "uv.lock": "1",
        "web/x.js": "",
    }
    now = {**{path: text + "\nmore" for path, text in then.items()}, "docs/new.md": "n"}
    found = origin(then, now, named=frozenset({"p.md"}), corpus="docs")

    assert [part.path for part in found.parts] == [
        *("p.md", "docs/cards.md", "docs/a.md", "docs/new.md", "uv.lock")
    ]
    assert [part.words for part in found.parts][3] == "new"
    assert found.parts[0].url == f"{HEAD}/p.md?plain=1#L3"


def test_a_removed_document_leads_to_what_it_was() -> None:
    (part,) = origin({"docs/a.md": "x"}, {}, corpus="docs").parts

    assert (part.words, part.url) == ("removed", f"{BASE}/docs/a.md")


@pytest.mark.parametrize("runs_code", [True, False])
def test_code_is_named_where_it_is_the_system_and_nothing_else_was_found(runs_code: bool) -> None:
    found = origin({"rag.py": "a"}, {"rag.py": "b"}, runs_code=runs_code)

    assert [part.path for part in found.parts] == (["rag.py"] if runs_code else [""])


def test_what_a_system_says_did_it_alone_is_one_changed_part_of_the_diff() -> None:
    one, two = {"docs/a.md": "y"}, {"docs/a.md": "y", "docs/b.md": "y"}
    then = {"docs/a.md": "x", "docs/b.md": "x"}

    assert origin({"docs/a.md": "x"}, one, alone=True, corpus="docs").alone
    assert not origin(then, two, alone=True, corpus="docs").alone
    assert not origin({"docs/a.md": "x"}, one, alone=False, corpus="docs").alone


def test_many_parts_are_counted() -> None:
    files = {f"docs/{number:02}.md": "x" for number in range(30)}
    found = origin(files, dict.fromkeys(files, "y"), corpus="docs")

    assert (len(found.parts), found.more) == (10, 20)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{"id": "q1", "query": "a"}\n{"query": "b", "id": "q2"}\n', {"q1": 1, "q2": 2}),
        ("- id: q1\n  query: a\n- id: 'q2'\n", {"q1": 1, "q2": 3}),
        ("id,query\nq1,a\nq2,b\n", {"q1": 2, "q2": 3}),
        ('[\n {\n  "_id": "q1"\n }\n]', {"q1": 3}),
        ('{"id": "q1"}\n{"id": "q1"}\n', {}),
        ('{"id": "q10"}\n', {}),
        ("", {}),
    ],
)
def test_a_sample_is_found_in_every_format_and_only_where_there_is_no_doubt(
    text: str, lines: dict[str, int]
) -> None:
    assert golden_lines(text, ["q1", "q2"]) == lines


@pytest.mark.parametrize("text", ['{{"id": "{}"}}\n', "- id: {}\n", "id,query\n{},a\n"])
def test_a_sample_of_the_longest_id_is_found(text: str) -> None:
    long = "q" * 200

    assert long in golden_lines(text.format(long), [long])


def test_samples_lead_to_the_golden_set_of_the_base_whose_questions_they_are() -> None:
    report = report_factory(samples=(sample_row_factory("q2"),))
    golden = {"evals/golden set.jsonl": '{"id": "q1"}\n{"id": "q2"}\n'}

    found = sample_pages(report, sources(golden, {}), "evals/golden set.jsonl", PAGES)

    assert found == {"q2": f"{BASE}/evals/golden%20set.jsonl#L2"}


def pages_of(report: Report, head: Sequence[str], base: Sequence[str], corpus: str = "docs") -> Any:
    then, now = dict.fromkeys(base, ""), dict.fromkeys(head, "")
    return document_pages(report, sources(then, now, corpus=corpus), PAGES)


def documents_of(*ids: str) -> Report:
    return report_factory(samples=(sample_row_factory(displaced_by=list(ids)),))


def test_a_document_leads_to_its_file_and_one_that_is_gone_to_what_it_was() -> None:
    found = pages_of(
        documents_of("a.md", "old.md", "row-7"), ["docs/a.md"], ["docs/a.md", "docs/old.md"]
    )

    assert found == {"a.md": f"{HEAD}/docs/a.md", "old.md": f"{BASE}/docs/old.md"}


def test_only_what_got_worse_or_is_new_leads_to_its_documents() -> None:
    files = [f"docs/{change}.md" for change in ("worse", "new", "better", "same")]
    rows = [
        sample_row_factory(change, change=change, displaced_by=[f"{change}.md"])
        for change in ("worse", "new", "better", "same")
    ]

    found = pages_of(report_factory(samples=tuple(rows)), files, files)

    assert sorted(found) == ["new.md", "worse.md"]


def test_no_document_leads_out_of_the_corpus() -> None:
    files = ["secret.md", "docs/a.md"]

    assert pages_of(documents_of("../secret.md"), files, files) == {}
    assert pages_of(documents_of("a.md"), files, files, corpus="") == {}


@pytest.mark.parametrize(
    "doc_id", ["a\0b", "a\nb", "\udcff", "x" * 100_000, "", "..", "/etc/passwd"]
)
def test_an_id_that_is_no_path_asks_git_for_nothing_strange(doc_id: str, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    tree = GitTree(tmp_path, "0" * 40)
    report = report_factory(samples=(sample_row_factory(displaced_by=[doc_id or "x"]),))

    sources = Sources(tree, tree, (), "ragate.toml", corpus="docs")
    assert document_pages(report, sources, PAGES) == {}


@pytest.mark.parametrize("doc_id", ["d/" * 40 + "a.md", "d" * 401])
def test_an_id_that_would_cost_a_call_for_each_of_its_folders_is_not_looked_for(
    doc_id: str,
) -> None:
    here = [f"docs/{doc_id}"]

    assert pages_of(documents_of(doc_id), here, here) == {}


def test_a_file_whose_name_is_no_text_is_named_all_the_same() -> None:
    found = origin({}, {"docs/\udcff.md": "x"}, corpus="docs")

    assert found.parts[0].url == f"{HEAD}/docs/%3F.md"


@pytest.mark.parametrize("line", ["top_k = 1" + " " * 10**6 + "x", "a = '" + " #" * 10**6 + "'"])
def test_a_huge_line_of_the_configuration_takes_no_time(line: str) -> None:
    start = time.process_time()
    origin({"ragate.toml": CONFIG}, {"ragate.toml": f"[system]\n{line}\n"})

    assert time.process_time() - start < 5


def test_without_a_page_of_the_repository_nothing_is_linked() -> None:
    assert Pages("", "h", "b").of("a.md") == ""
    assert Pages("http://ghe.local/o/r", "h", "b").of("a.md") == ""


# Documents that a change edits and that no golden set names.


def row(sample_id: str, *docs: str, **fields: bool) -> bytes:
    return json.dumps({"id": sample_id, "query": "?", "relevant": docs, **fields}).encode()


def unasked(
    changed: list[str], base: bytes = row("q1", "refunds.md"), head: bytes = b"", **fields: str
) -> tuple[str, ...]:
    here = {path: b"# Page" for path in changed if "gone" not in path} | {GOLDEN: head or base}
    corpus = fields.get("corpus", "kb")
    then, now = FilesTree({GOLDEN: base}), FilesTree(here)
    sources = Sources(then, now, changed, "ragate.toml", corpus=corpus)
    return with_unasked(report_factory(), sources, GOLDEN).data.unasked_documents


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
    class Head(FilesTree):
        def read(self, path: str) -> bytes | None:
            if path.startswith("kb/"):
                raise StorageError("too large")
            return super().read(path)

    head = Head({GOLDEN: row("q1", "refunds.md")})
    sources = Sources(head, head, ["kb/new.md"], "ragate.toml", corpus="kb")

    report = with_unasked(report_factory(), sources, GOLDEN)
    assert report.data.unasked_documents == ()


def test_the_comment_names_two_and_counts_the_rest() -> None:
    report = report_factory()
    data = report.data.amended(unasked_documents=("a.md", "<b>.md", "c.md"))

    text = markdown.render(report.amended(data=data))

    assert (
        "<p>No golden question covers <code>a.md</code>, <code>&lt;b&gt;.md</code> and 1 more, "
        "which this change adds or edits.</p>"
    ) in text
    assert "No golden question" not in markdown.render(report)

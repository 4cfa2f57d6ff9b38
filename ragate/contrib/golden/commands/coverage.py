"""``ragate dataset coverage``."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.dataset.shared import corpus_option, file_argument, one_line, subject
from ragate.cli.finding import plural
from ragate.cli.options import config_option, json_option

if TYPE_CHECKING:
    from ragate.contrib.golden.coverage import ChangedDocuments, Coverage

MOST = 50  # documents or questions of a list


@click.command("coverage")
@file_argument
@config_option
@corpus_option
@click.option(
    "--diff",
    "base",
    metavar="BASE",
    help="Only documents that differ from this commit, branch or tag; default: all documents.",
)
@json_option
def command(
    *,
    file: Path | None,
    config: Path | None,
    corpus: Path | None,
    base: str | None,
    as_json: bool,
) -> int:
    """List the documents that no question expects, and the questions that a change touches.

    Compared is the last commit that HEAD shares with BASE with the files as they are, committed or
    not. A draft is no question yet. Ends with 0.
    \f

    ```console
    $ ragate dataset coverage --diff main
    against 051bb6b: 3 changed documents: 1 added, 1 edited, 1 removed
    expected by no question: 1 of 2
      backups.md  added
    questions whose documents it touches: 1
      q1  refunds.md
    questions that expect what it removes: 1
      q2  old.md
    ```

    - A page whose words stay the same did not change. Of a `corpus.jsonl` each row is a document.
    - An expected id that no document has is matched without folder, ending and capitals.
    - Exit code 2 where git knows no such commit, or a shallow clone lacks it.
    """
    from ragate.answers.corpus_texts import needed_texts
    from ragate.contrib.golden.coverage import changed_documents, corpus_folder, coverage
    from ragate.dataset import read_entries

    chosen = subject(file, config)
    texts = needed_texts(chosen.config, corpus, why="coverage")
    changed = None
    if base is not None:
        changed = changed_documents(corpus_folder(chosen.config, corpus), texts, base)
    found = coverage(read_entries(chosen.path), texts, changed)
    given = _given(file, config, corpus)
    lines = [_json(found, changed)] if as_json else _lines(found, changed, base or "", given)
    click.echo("\n".join(lines))
    return 0


def _json(found: Coverage, changed: ChangedDocuments | None) -> str:
    told = {name: value for name, value in asdict(found).items() if value is not None}
    if changed is not None:
        told |= {"base": changed.base, "changed": dict(changed.kinds)}
    return json.dumps(told, indent=2, ensure_ascii=False)


def _given(file: Path | None, config: Path | None, corpus: Path | None) -> list[str]:
    """Return the arguments that a next command needs as this one did."""
    options = {"--config": config, "--corpus": corpus}
    told = [word for key, path in options.items() if path for word in (key, str(path))]
    return [*([str(file)] if file else []), *told]


def _lines(
    found: Coverage, changed: ChangedDocuments | None, base: str, given: Sequence[str]
) -> Iterator[str]:
    kinds = dict(changed.kinds) if changed is not None else {}
    if changed is not None:
        counts = Counter(kinds.values())
        words = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
        start = f"against {changed.base[:7]}: {plural(len(kinds), 'changed document')}"
        yield f"{start}: {words}" if words else start
    else:
        yield plural(found.documents, "document")
    if found.documents:
        yield f"expected by no question: {len(found.unasked)} of {found.documents}"
    drafted = set(found.drafted)
    yield from _listed(
        (doc, " ".join([kinds.get(doc, ""), "(a draft expects it)" if doc in drafted else ""]))
        for doc in found.unasked
    )
    yield from _questions("questions whose documents it touches", found.touched)
    yield from _questions("questions that expect what it removes", found.removed)
    if changed is not None and len(found.unasked) > len(found.drafted):
        draft = shlex.join(["generate", "--from-diff", base, *given, "--append"])
        yield f"-> `ragate dataset {one_line(draft, 400)}` drafts some"
    if found.removed:
        relink = one_line(shlex.join(["relink", *given]), 400)
        yield f"-> `ragate dataset {relink}` proposes where removed documents went"


def _questions(title: str, docs: Mapping[str, tuple[str, ...]] | None) -> Iterator[str]:
    if docs:
        yield f"{title}: {len(docs)}"
        yield from _listed((key, ", ".join(names)) for key, names in docs.items())


def _listed(rows: Iterator[tuple[str, str]]) -> Iterator[str]:
    more = 0
    for number, (name, words) in enumerate(rows):
        if number < MOST:
            yield f"  {one_line(name, 120)}  {one_line(words, 200)}".rstrip()
        else:
            more += 1
    if more:
        yield f"  … and {more} more; --json lists all"

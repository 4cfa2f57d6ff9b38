"""``ragate dataset import``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.dataset.shared import corpus_option, json_option, one_line, refuse_overwriting
from ragate.cli.finding import plural

if TYPE_CHECKING:
    from ragate.pipeline.golden.importing import Import

# As in the pipeline, without importing it for --help; a test compares them.
KINDS = (
    *("golden", "beir", "table", "ragas", "deepeval", "promptfoo", "llamaindex", "bfcl"),
    *("logs", "langfuse", "phoenix", "otel"),
)


@click.command("import")
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--output", required=True, type=click.Path(path_type=Path), help="The file to write, .jsonl."
)
@corpus_option
@click.option("--query-var", default="", help="promptfoo: the variable that holds the question.")
@click.option("--draft", is_flag=True, help="Mark every sample as a draft.")
@click.option("--force", is_flag=True, help="Replace the file where it is there already.")
@json_option
def command(
    *,
    kind: str,
    path: Path,
    output: Path,
    corpus: Path | None,
    query_var: str,
    draft: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Write the golden set at PATH, which another tool wrote, to --output.

    KIND is the tool; `golden` is any format that ragate reads itself, `table` one with columns of
    your own. With --corpus, passages are
    placed in the documents that hold them word for word; a passage that none holds stays as
    metadata and labels nothing. Recorded answers are left out. Questions of production traces
    (logs, langfuse, phoenix, otel) become drafts, which count when somebody accepts them.
    """
    from ragate.pipeline.golden.importing import import_golden
    from ragate.pipeline.run.corpus_texts import corpus_texts

    refuse_overwriting(output, force=force)
    imported = import_golden(
        kind,
        path,
        output,
        texts=corpus_texts(None, corpus),
        query_name=query_var,
        draft=draft,
    )
    click.echo(
        json.dumps(asdict(imported), indent=2) if as_json else "\n".join(_lines(output, imported))
    )
    return 0


def _lines(output: Path, imported: Import) -> Iterator[str]:
    yield (
        f"{output}: {plural(imported.samples, 'sample')}, {imported.labelled} with an expected "
        f"document, {imported.references} with a reference"
    )
    if imported.unplaced.contexts:
        yield (
            f"  {plural(imported.unplaced.contexts, 'passage')} in no known document: kept as "
            "metadata reference_contexts; --corpus names the documents"
        )
    if imported.unplaced.sources:
        names = plural(imported.unplaced.sources, "file name")
        yield f"  {names} of no known document: kept as source_file"
    for sentence, count in sorted(imported.notes.items()):
        yield f"  {one_line(sentence, 300)} ({count})"
    if imported.drafts:
        drafts = plural(imported.drafts, "draft")
        yield f"  {drafts}: no run asks them before `ragate dataset accept --file {output} ID …`"
    yield f"next: ragate dataset validate {output}"

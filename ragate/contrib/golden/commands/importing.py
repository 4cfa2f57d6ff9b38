"""``ragate dataset import``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.dataset.shared import corpus_option, one_line, refuse_overwriting
from ragate.cli.finding import plural
from ragate.cli.options import json_option
from ragate.errors import UsageError
from ragate.settings import nearest

if TYPE_CHECKING:
    from ragate.contrib.golden.importing import Import

PARTS = ("query", "id", "references", "relevant", "evidence")
# Tools whose files may hold scores of an evaluation.
SCORED = frozenset({"table", "ragas", "deepeval", "promptfoo", "langfuse", "phoenix"})


@click.command("import")
@click.argument("kind_and_path", nargs=-1, metavar="[KIND] PATH")
@click.option(
    "--output", required=True, type=click.Path(path_type=Path), help="The file to write, .jsonl."
)
@corpus_option
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="PART=NAME",
    help="What a column holds: query, id, references, relevant, evidence; no NAME: none does.",
)
@click.option("--draft", is_flag=True, help="Mark every sample as a draft.")
@click.option("--force", is_flag=True, help="Replace the file where it is there already.")
@json_option
def command(
    *,
    kind_and_path: tuple[str, ...],
    output: Path,
    corpus: Path | None,
    columns: tuple[str, ...],
    draft: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Write the golden set at PATH, which another tool wrote, to --output.

    KIND is the tool, and may be left out: a format is known by its content. `golden` is any format
    that ragate reads itself, `table` one with columns of your own. With --corpus, passages are
    placed in the documents that hold them word for word; a passage that none holds stays as
    metadata and labels nothing. Recorded answers are left out. Questions of production traces
    (logs, langfuse, phoenix, otel) become drafts, which count when somebody accepts them.
    \f

    | KIND | PATH |
    | --- | --- |
    | `table` | CSV, Parquet, YAML, JSON (Lines) with columns of your own; MLflow, OpenAI evals |
    | `golden`, `beir` | what ragate [reads itself](golden-set.md): CSV, YAML, JSON; BEIR or qrels |
    | `ragas`, `deepeval` | a test set or evaluation data set; goldens: `.jsonl`, `.csv`, `.json` |
    | `promptfoo` | a configuration, a list of tests, or a `.json` result file |
    | `bfcl` | a file of the Berkeley Function Calling Leaderboard, beside `possible_answer/` |
    | `logs` | your own: a `.jsonl`, `.json` or `.csv` file, or a folder of them |
    | `langfuse`, `phoenix` | traces (observations, spans), data sets: `.jsonl`, `.json`, `.csv` |
    | `otel` | OTLP as JSON, or spans that the SDK printed, one a line: `.jsonl`, `.json` |
    | `llamaindex` | a `LabelledRagDataset` or an `EmbeddingQAFinetuneDataset` as `save_json` does |

    - **Passages without document ids**: with `--corpus`, documents that hold a passage word for
      word (case and layout aside) become expected, with grade 1. Other
      passages stay as metadata `reference_contexts`.
    - **File names** (`source_file` of deepeval, the documents of a `table`) become expected
      documents where exactly one document's path ends like it, with or without `.md`; else those of
      deepeval are metadata, those of a table stay. **Node ids** of an `EmbeddingQAFinetuneDataset`
      are document ids, or with `--corpus` the documents that hold the nodes' texts.
    - **Columns** are known by usual names, and any can be named: `--column references=Ideal`.
      `--column id=` leaves a column out. Fields of the golden set keep their meaning.
    - **What cannot be meant is refused**: ids or documents that are the numbers of the rows, a
      question twice with two right answers, no label in any row.
    - **promptfoo**: the values of `factuality`, `similar`, `equals` and `context-recall` are
      references, `is-refusal` means unanswerable, the variables `context` and `contexts` are
      passages. Questions in files of their own (`file://…`) and YAML with anchors are not read.
    - **Production traces**: each question becomes a draft, once, with the turns before it; what has
      a reference is no draft. The answer of that day stays as metadata: look for personal data
      before you commit.
    - **Logs**: each question becomes a draft, once; those that are nearly the same are one, and
      metadata `asked` says how often. First come those with a thumb down (`feedback`, `rating`,
      `vote`: metadata `disliked`), then the most frequent. What may be an address or a number of a
      person is named in metadata `personal`: reword it before you commit.
    - **Everything else** becomes metadata, and the command says what.
    """
    from ragate.answers.corpus_texts import corpus_texts
    from ragate.contrib.golden.importing import import_golden
    from ragate.scores.ignored import ignored_scores

    kind, path = _kind_and_path(kind_and_path)
    refuse_overwriting(output, force=force)
    imported = import_golden(
        kind,
        path,
        output,
        texts=corpus_texts(None, corpus),
        columns=_named(columns),
        draft=draft,
    )
    click.echo(
        json.dumps(asdict(imported), indent=2) if as_json else "\n".join(_lines(output, imported))
    )
    if (
        kind in {"", *SCORED}
        and path.is_file()
        and (said := ignored_scores([path], read="samples"))
    ):
        click.echo(f"note: {said}", err=True)
    return 0


def _kind_and_path(given: tuple[str, ...]) -> tuple[str, Path]:
    """Return the kind, "" where it is left out, and the path.

    Raises:
        UsageError: there is no such kind or path, or there are more words.
    """
    from ragate.contrib.golden.importing import KINDS

    *kinds, path = given or ("",)
    if kinds and kinds[0] not in KINDS:
        raise UsageError(
            f"no kind {kinds[0]!r}{nearest(kinds[0], KINDS)}",
            remedy="leave it out: a format is known by its content",
        )
    if len(kinds) > 1 or not path or not Path(path).exists():
        raise UsageError(
            f"{path or 'PATH'}: there is no such file",
            remedy="write `ragate dataset import FILE --output golden.jsonl`",
        )
    return "".join(kinds), Path(path)


def _named(columns: tuple[str, ...]) -> dict[str, str]:
    """Return the columns that were named, by what they hold.

    Raises:
        UsageError: one holds nothing that an import takes.
    """
    named = {part: name for part, _, name in (each.partition("=") for each in columns)}
    for part in named:
        if part not in PARTS:
            raise UsageError(
                f"--column {part}: no part of a question{nearest(part, PARTS)}",
                remedy=f"write PART=NAME; a part is one of {', '.join(PARTS)}",
            )
    return named


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

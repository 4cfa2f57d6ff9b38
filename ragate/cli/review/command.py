"""``ragate review``: one changed answer after another, and what a person says of it."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ragate.cli.finding import plural
from ragate.cli.operations import in_ci, open_config
from ragate.cli.options import config_option
from ragate.errors import UsageError
from ragate.support.escape import one_line


@click.command("review")
@click.argument("run", required=False)
@config_option
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file of labels; default: review-labels.jsonl beside the golden set.",
)
@click.option("--ids", multiple=True, help="Only these samples; several with commas.")
@click.option("--blind", is_flag=True, help="Do not tell which answer is the baseline's.")
@click.option("--seed", type=click.IntRange(min=0), help="Shuffle the order, the same for one N.")
@click.option(
    "--from",
    "given",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Ask nothing: add the labels of a file (of a page, or saved comments); - is the input.",
)
@click.option("--who", default="", help="Your name in the labels; default: git's user.name.")
def command(
    *,
    run: str | None,
    config: Path | None,
    output: Path | None,
    ids: tuple[str, ...],
    blind: bool,
    seed: int | None,
    given: Path | None,
    who: str,
) -> int:
    """Judge the answers of a stored RUN that differ from the baseline's, one after another.

    RUN is its id, its folder, or `latest` (default). Each label is written at once; what you have
    judged already is not asked again. Labels are proposals: no verdict reads them.
    """
    if given is not None:
        if run is not None or ids or blind or seed is not None or who:
            raise UsageError(
                "--from asks nothing: RUN, --ids, --blind, --seed and --who are not for it",
                remedy="leave them out",
            )
        return _merge(config, given, output)
    return _ask(config, run or "latest", output, ids, blind=blind, seed=seed, who=who)


def _merge(config: Path | None, given: Path, output: Path | None) -> int:
    from ragate.cli.review.merging import merged_lines

    loaded, _ = open_config(config)
    for line in merged_lines(loaded, given, output):
        click.echo(line)
    return 0


def _ask(
    config: Path | None,
    run: str,
    output: Path | None,
    ids: tuple[str, ...],
    *,
    blind: bool,
    seed: int | None,
    who: str,
) -> int:
    from ragate.cli.review.asking import ask_about
    from ragate.dataset import labels_beside, read_review_labels
    from ragate.pipeline.answers_to_review import answers_to_review
    from ragate.stores.postgres.open_store import open_store

    _refuse_in_ci()
    loaded, operations = open_config(config)
    who = _name(who, loaded.root)
    path = output or labels_beside(loaded.dataset)
    given = read_review_labels(path) if path.exists() else []
    store = open_store(operations.state, operations.runs_url)
    named = [word.strip() for text in ids for word in text.split(",") if word.strip()]
    folder = store.find(run, reported=True)
    pairs = answers_to_review(loaded, store, folder, ids=named, blind=blind, seed=seed)
    done = {label.subject for label in given}
    left = [pair for pair in pairs if pair.subject(who) not in done]
    click.echo(f"{folder.name}: {plural(len(pairs), 'changed answer')}")
    if done_here := len(pairs) - len(left):
        click.echo(f"{done_here} of them judged by {who} already")
    written = ask_about(left, who, path)
    click.echo(f"{plural(written, 'label')} added to {path}" if written else "no label was added")
    return 0


def _refuse_in_ci() -> None:
    """Raise where nobody could answer, and a log would publish what stands in the texts."""
    if in_ci(os.environ):
        raise UsageError(
            "review asks a person, and there is none in CI (CI is set)",
            remedy="run it on your own machine",
        )


def _name(who: str, root: Path) -> str:
    from ragate.models.review_label import MOST_NAME
    from ragate.support import git

    name = one_line(who or git.user_name(root), MOST_NAME)
    if not name:
        raise UsageError(
            "a label needs the name of who gave it, and git has no user.name here",
            remedy="give it with --who NAME",
        )
    return name

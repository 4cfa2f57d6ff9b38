"""``ragate dataset accept``."""

from pathlib import Path

import click

from ragate.cli.dataset.shared import one_line, subject, words
from ragate.cli.finding import plural
from ragate.cli.options import config_option
from ragate.errors import UsageError


@click.command("accept")
@click.argument("ids", nargs=-1)
@click.option(
    "--file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The golden set; default: that of ragate.toml.",
)
@config_option
@click.option("--all", "everything", is_flag=True, help="Every draft of the golden set.")
@click.option("--reject", is_flag=True, help="Remove the drafts instead.")
def command(
    *, ids: tuple[str, ...], file: Path | None, config: Path | None, everything: bool, reject: bool
) -> int:
    """Let the drafts of the samples IDS count: drafted samples and drafted references.

    Read them first: `ragate dataset accept` without ids shows every draft and writes nothing.
    """
    from ragate.dataset import read_entries
    from ragate.pipeline.golden.accepting import accept_drafts

    path = subject(file, config).path
    drafts = [entry for entry in read_entries(path) if entry.draft or entry.drafted]
    named = words(ids)
    if named and everything:
        raise UsageError("ids and --all exclude one another", remedy="leave out --all, or the ids")
    if not named and not everything:
        for entry in drafts:
            kind = "draft sample" if entry.draft else "draft reference"
            click.echo(f"{one_line(entry.sample.id, 200)} ({kind})  {one_line(entry.sample.query)}")
            for text in (*entry.sample.references, *entry.drafted):
                click.echo(f"    {one_line(text, 500)}")
        click.echo(f"{path}: {plural(len(drafts), 'sample')} with a draft; nothing was written")
        if drafts:
            click.echo(
                "`ragate dataset accept ID …` lets those count, `--all` all of them; with "
                "`--reject` they are removed"
            )
        return 0
    chosen_ids = [entry.sample.id for entry in drafts] if everything else list(named)
    for sample_id, outcome in accept_drafts(path, chosen_ids, reject=reject).items():
        click.echo(f"{one_line(sample_id, 200)}: {outcome}")
    return 0

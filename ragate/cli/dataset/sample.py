"""``ragate dataset sample``."""

from collections import Counter
from pathlib import Path

import click

from ragate.cli.dataset.shared import file_argument, one_line, refuse_overwriting, subject
from ragate.cli.options import config_option


@click.command("sample")
@click.argument("count", type=click.IntRange(min=1), metavar="N")
@file_argument
@config_option
@click.option("--by-tag", is_flag=True, help="Of each first tag in proportion.")
@click.option("--seed", type=int, default=0, show_default=True, help="Take other samples.")
@click.option(
    "--output", required=True, type=click.Path(path_type=Path), help="The file to write, .jsonl."
)
@click.option("--force", is_flag=True, help="Replace the file where it is there already.")
def command(
    *,
    count: int,
    file: Path | None,
    config: Path | None,
    by_tag: bool,
    seed: int,
    output: Path,
    force: bool,
) -> int:
    """Write N samples of FILE to --output; the same seed takes the same samples.

    FILE is by default the golden set of ragate.toml. Its order stays; drafts take no part.
    \f

    A new sample moves few others. With `--by-tag` one of each first tag is taken where N allows.
    """
    from ragate.dataset import read_entries
    from ragate.dataset.checks.sampling import take
    from ragate.dataset.edit import row_of, write_rows

    refuse_overwriting(output, force=force)
    entries = [entry for entry in read_entries(subject(file, config).path) if not entry.draft]
    taken = take(entries, count, by_tag=by_tag, seed=seed)
    write_rows(output, map(row_of, taken))
    click.echo(f"{output}: {len(taken)} of {len(entries)} samples, seed {seed}")
    if by_tag:
        tags = Counter(entry.sample.tags[0] if entry.sample.tags else "" for entry in taken)
        for tag, number in sorted(tags.items()):
            click.echo(f"  {one_line(tag, 60) or 'without a tag'}: {number}")
    return 0

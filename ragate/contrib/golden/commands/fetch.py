"""``ragate dataset fetch``."""

from __future__ import annotations

from pathlib import Path

import click

from ragate.cli.dataset.shared import one_line
from ragate.cli.operations import say
from ragate.errors import UsageError

PREFIX = "beir/"


@click.command("fetch")
@click.argument("name", metavar="beir/NAME")
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    help="The archive, where it was downloaded already.",
)
@click.option("--sha256", default="", metavar="HEX", help="What the archive must be.")
@click.option(
    "--to", "folder", type=click.Path(path_type=Path), help="The folder; default: beir/NAME."
)
def command(*, name: str, file: Path | None, sha256: str, folder: Path | None) -> int:
    """Fetch a data set of BEIR by its name: queries, judgements and corpus, as a folder.

    The archive's hash is printed, and noted beside the folder in beir/NAME.sha256, to be committed:
    a later fetch refuses another archive.
    \f

    ```bash
    ragate dataset fetch beir/nfcorpus
    ragate dataset fetch beir/nfcorpus --file nfcorpus.zip     # downloaded elsewhere
    ```

    The folder is golden set and corpus at once: `dataset = "beir/nfcorpus"` in `[policy]`,
    `corpus = "beir/nfcorpus"` in `[system]` of `pgvector`. The questions of `qrels/test.tsv` are
    asked. Ends with 2 for another archive, with 3 where it cannot be downloaded.
    """
    from ragate.contrib.golden.fetching import fetch_beir

    if not name.startswith(PREFIX) or "/" in name.removeprefix(PREFIX):
        raise UsageError(f"{name!r} is no data set that can be fetched", remedy="beir/nfcorpus")
    bare = name.removeprefix(PREFIX)
    came = fetch_beir(bare, folder or Path(PREFIX) / bare, file=file, sha256=sha256, say=say)
    click.echo(f"{one_line(str(came.folder), 300)}: {', '.join(came.parts)}")
    held = "noted now; commit the file beside the folder" if came.noted else "as it must be"
    click.echo(f"sha256 {came.sha256} ({held})")
    return 0

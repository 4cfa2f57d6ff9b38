"""``ragate cache``: what was paid for once and need not be paid again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.operations import open_config, say
from ragate.cli.options import EXISTING_FILE, FILE, config_option

if TYPE_CHECKING:
    from ragate.cache import Cache


@click.group("cache")
def command() -> None:
    """Show, empty, export or import the local cache of verdicts, answers and embeddings."""


@command.command("info")
@config_option
def info(*, config: Path | None) -> int:
    """Say where the cache is and what it holds.
    \f

    It tells verdicts, answers (draws) and embeddings (vectors) apart: [Cache](cost.md).
    """
    with _opened(config) as cache:
        cache_info = cache.info()
    click.echo(f"cache: {cache_info.path}, {cache_info.size / 1024**2:.1f} MiB")
    for table, rows in cache_info.rows.items():
        click.echo(f"{table}: {rows}")
    return 0


@command.command("clear")
@config_option
@click.option(
    "--only",
    type=click.Choice(["verdicts", "draws", "embeddings"]),
    help="Forget these alone.",
)
def clear(*, config: Path | None, only: str | None) -> int:
    """Forget everything; the next run asks anew what the baseline does not know.
    \f

    `ragate cache clear --only verdicts` throws away what was judged and keeps the vectors.
    """
    with _opened(config) as cache:
        before = cache.info().rows
        if cache.path.exists():
            cache.clear([only] if only else before)
    click.echo(f"{before[only] if only else sum(before.values())} rows forgotten")
    return 0


@command.command("export")
@click.argument("file", type=FILE)
@config_option
def export(*, file: Path, config: Path | None) -> int:
    """Write the cache to FILE, as JSON Lines."""
    from ragate.cache.transfer import export_cache

    with _opened(config) as cache:
        click.echo(f"{export_cache(cache, file)} rows written to {file}")
    return 0


@command.command("import")
@click.argument("file", type=EXISTING_FILE)
@config_option
def import_(*, file: Path, config: Path | None) -> int:
    """Add the rows of FILE, an export: all of them or, where one is wrong, none.
    \f

    A wrong row is named by its line, and then nothing is imported.
    """
    from ragate.cache.transfer import import_cache

    with _opened(config) as cache:
        click.echo(f"{import_cache(cache, file)} rows read from {file}")
    return 0


@contextmanager
def _opened(config: Path | None) -> Iterator[Cache]:
    from ragate.cache import CACHE_NAME, Cache

    _, operations = open_config(config)
    with Cache(operations.state / CACHE_NAME, say=say) as cache:
        yield cache

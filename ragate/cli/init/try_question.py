"""One question to the system that was just configured, where a person says so."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.support.escape import one_line

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.models import Sample, SystemOutput

_SHOWN = 300


def offer_question(root: Path) -> list[str]:
    """Ask whether to ask, and return what came back, in lines; [] where nobody wants it.

    What will run is shown before.
    """
    from ragate.cli.operations import open_config
    from ragate.dataset import read_dataset
    from ragate.errors import RagateError
    from ragate.pipeline.ask_question import ask_question

    config, operations = open_config(root / "ragate.toml")
    try:
        sample = read_dataset(config.dataset)[0]
    except RagateError:
        return []
    click.echo("")
    click.echo(f"Ask it one question now? This would run: {what_runs(config)}")
    if not click.confirm("Run it", default=False):
        return []
    try:
        output = asyncio.run(ask_question(config, operations, sample))
    except RagateError as error:
        return ["It could not be asked:", *(f"  {line}" for line in str(error).splitlines())]
    return list(seen(config, sample, output))


def what_runs(config: Config) -> str:
    """Return what asking means, as a command or an import."""
    settings = config.system.settings
    if start := settings.get("start"):
        return one_line(f"{shlex.join(map(str, start))}, then a request to {settings.get('url')}")
    if url := settings.get("url") or settings.get("url_env"):
        return one_line(f"a request to {url}")
    if target := settings.get("target"):
        own = settings.get("interpreter")
        with_whom = shlex.join(map(str, own)) if own else "this Python"
        return one_line(f"an import of {target} by {with_whom}, and one call of it")
    return one_line(f"the system {config.system.use}")


def seen(config: Config, sample: Sample, output: SystemOutput) -> Iterator[str]:
    """Yield what ragate sees of an output, and what does not fit."""
    from ragate.core.doc_ids.mismatch import find_mismatch
    from ragate.pipeline.doc_ids.id_advice import advice_on

    yield "This is what ragate sees:"
    yield f"  question   {one_line(sample.query, _SHOWN)}"
    if output.error is not None:
        yield f"  error      {one_line(output.error.message, _SHOWN)}"
        return
    answer = output.answer
    yield f"  answer     {'none' if answer is None else one_line(answer, _SHOWN) or 'empty'}"
    retrieved = list(dict.fromkeys(chunk.doc_id for chunk in output.chunks))
    yield f"  documents  {one_line(', '.join(retrieved), _SHOWN) or 'none'}"
    if sample.expected:
        yield f"  expected   {one_line(', '.join(sorted(sample.expected)), _SHOWN)}"
    mismatch = find_mismatch([(sample.expected, retrieved)])
    if mismatch is not None:
        advice = advice_on(config, mismatch)
        yield one_line(advice.message, _SHOWN)
        yield one_line(f"  -> {advice.remedy}", _SHOWN)

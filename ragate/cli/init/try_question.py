"""One question to the system that was just configured, where a person says so."""

from pathlib import Path

import click

from ragate.support.escape import one_line

_SHOWN = 300


def offer_question(root: Path) -> list[str]:
    """Ask whether to ask, and return what came back, in lines; [] where nobody wants it.

    What will run is shown before.
    """
    from ragate.cli.one_question import answer_to, fitting, seen, what_runs
    from ragate.cli.operations import open_config
    from ragate.dataset import read_dataset
    from ragate.errors import RagateError

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
        output = answer_to(config, operations, sample)
    except RagateError as error:
        return ["It could not be asked:", *(f"  {line}" for line in str(error).splitlines())]
    advice = fitting(config, sample, output)
    told = [] if advice is None else [advice.message, f"  -> {advice.remedy}"]
    shown = (f"  {line}" for line in seen(sample, output))
    return ["This is what ragate sees:", *shown, *(one_line(line, _SHOWN) for line in told)]

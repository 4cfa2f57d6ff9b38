"""``ragate doctor``: what is configured, reachable and missing, each problem with its remedy."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Sequence
from pathlib import Path

import click

from ragate.cli.finding import Finding, Status, exit_code, plural
from ragate.cli.options import config_option
from ragate.support.escape import plain

SCHEMA_VERSION = 1
_COLOURS = {Status.OK: "green", Status.WARNING: "yellow", Status.PROBLEM: "red"}


@click.command("doctor")
@config_option
@click.option(
    "--format",
    "form",
    type=click.Choice(("console", "json")),
    default="console",
    help="How the findings are printed.",
)
def command(*, config: Path | None, form: str) -> int:
    """Say what is configured, reachable and missing; every problem comes with its remedy.

    Calls no model and costs nothing. Exits with 0, with 2 where a file has to be edited, and with
    3 where something cannot be reached or measured.
    """
    from ragate.cli.doctor.examine import examine

    today = datetime.datetime.now(datetime.UTC).date()
    found = examine(Path.cwd(), config, dict(os.environ), today=today)
    click.echo(to_json(found) if form == "json" else to_console(found))
    return exit_code(found)


def to_json(found: Sequence[Finding]) -> str:
    """Return the findings as one JSON object; docs/doctor.md describes it."""
    checks = [
        {
            "check": one.check,
            "status": one.status,
            "message": one.message,
            "remedy": one.remedy,
            "exit_code": one.exit_code,
        }
        for one in found
    ]
    whole = {"schema_version": SCHEMA_VERSION, "exit_code": exit_code(found), "checks": checks}
    return json.dumps(whole, indent=2)


def to_console(found: Sequence[Finding]) -> str:
    """Return one line for each finding, its remedy below, and the sum of all."""
    width = max((len(one.check) for one in found), default=0)
    lines = [line for one in found for line in _lines(one, width)]
    return "\n".join([*lines, "", _sum(found)])


def _lines(one: Finding, width: int) -> list[str]:
    word = f"{one.status:<8}"
    if colour := _COLOURS.get(one.status):
        word = click.style(word, fg=colour) if "NO_COLOR" not in os.environ else word
    indent = " " * (10 + width + 1)
    first, *more = plain(one.message).splitlines() or [""]
    lines = [f"{word} {one.check:<{width}}  {first}", *(f"{indent}{line}" for line in more)]
    if one.remedy:
        lines.append(f"{indent}-> {plain(one.remedy)}")
    return lines


def _sum(found: Sequence[Finding]) -> str:
    problems = sum(one.status is Status.PROBLEM for one in found)
    warnings = sum(one.status is Status.WARNING for one in found)
    if not problems:
        return f"no problem, {plural(warnings, 'warning')}"
    return f"{plural(problems, 'problem')}, {plural(warnings, 'warning')}: exit code " + str(
        exit_code(found)
    )

"""``ragate doctor``: what is configured, reachable and missing, each problem with its remedy."""

import datetime
import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from ragate.cli.finding import Finding, Status, exit_code, plural
from ragate.cli.options import config_option
from ragate.guards.escape import plain

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
@click.option("--ask", is_flag=True, help="Ask the system one question, and show what comes back.")
def command(*, config: Path | None, form: str, ask: bool) -> int:
    """Say what is configured, reachable and missing; every problem comes with its remedy.

    Calls no model and costs nothing; --ask alone has the system answer one question. Exits with 0,
    with 2 where a file has to be edited, and with 3 where something cannot be reached or measured.
    \f

    It edits no file: [Doctor](init.md). With `--format json` each check has a status, a message, a
    remedy and an exit code.
    """
    from ragate.cli.doctor.examine import examine

    today = datetime.datetime.now(datetime.UTC).date()
    findings = examine(Path.cwd(), config, dict(os.environ), today=today, ask=ask)
    click.echo(to_json(findings) if form == "json" else to_console(findings))
    return exit_code(findings)


def to_json(findings: Sequence[Finding]) -> str:
    """Return the findings as one JSON object; docs/init.md describes it."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "exit_code": exit_code(findings),
        "checks": [asdict(finding) for finding in findings],
    }
    return json.dumps(document, indent=2)


def to_console(findings: Sequence[Finding]) -> str:
    """Return one line for each finding, its remedy below, and the sum of all."""
    width = max((len(finding.check) for finding in findings), default=0)
    lines = [line for finding in findings for line in _lines(finding, width)]
    return "\n".join([*lines, "", _sum(findings)])


def _lines(finding: Finding, width: int) -> list[str]:
    word = f"{finding.status:<8}"
    if colour := _COLOURS.get(finding.status):
        word = click.style(word, fg=colour) if "NO_COLOR" not in os.environ else word
    indent = " " * (10 + width + 1)
    first_line, *further_lines = plain(finding.message).splitlines() or [""]
    lines = [
        f"{word} {finding.check:<{width}}  {first_line}",
        *(f"{indent}{line}" for line in further_lines),
    ]
    if finding.remedy:
        lines.append(f"{indent}-> {plain(finding.remedy)}")
    return lines


def _sum(findings: Sequence[Finding]) -> str:
    problems = sum(finding.status is Status.PROBLEM for finding in findings)
    warnings = sum(finding.status is Status.WARNING for finding in findings)
    if not problems:
        return f"no problem, {plural(warnings, 'warning')}"
    return f"{plural(problems, 'problem')}, {plural(warnings, 'warning')}: exit code " + str(
        exit_code(findings)
    )

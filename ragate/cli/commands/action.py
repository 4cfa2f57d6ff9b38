"""``ragate action``: a step of the action on the runner itself, without the container."""

import os
from collections.abc import Mapping
from typing import Any

import click

_MODES = ("check", "collect", "decide", "command", "baseline", "record")


@click.command("action")
@click.option("--mode", type=click.Choice(_MODES), help="What the step does.  [default: check]")
@click.option("--gate", help="The gate's name; the configuration's without it.")
@click.option("--config", help="The configuration file, from the working directory.")
@click.option("--working-directory", help="The project's folder, from the workspace.")
@click.option(
    "--outputs-path", help="Outputs: written by collect and record, read by decide and baseline."
)
@click.option("--runs", type=click.IntRange(1, 50), help="How often each question is asked.")
@click.option("--tags", help="Only samples with one of these tags, separated by commas.")
@click.option("--comment", help="When the comment is written: always, on-change, on-failure, off.")
@click.option("--fail-on", help="Which finding fails the step: error, warn, never.")
@click.option("--allow-code", is_flag=True, help="The system may run the repository's code.")
def command(**options: Any) -> int:
    """Run a step of the GitHub Action on the runner itself, without its container.

    For a RAG that is code with packages of its own: install both on the runner. Options are the
    action's inputs. The token, where one is needed, is read from GITHUB_TOKEN, a database's address
    from RAGATE_DATABASE_URL.
    \f

    Its outputs are the [action's](action-reference.md), where the step has an `id`. What differs:

    | | in the container | on the runner |
    | --- | --- | --- |
    | the token | `github-token`, by default the workflow's | variable `GITHUB_TOKEN`, else none |
    | a database | `database-url`, at the service's name | `RAGATE_DATABASE_URL`, at `localhost` |
    | `github-proxy`, `github-ca` | inputs | not available |
    | inputs | under `with:` | on the command line alone; no variable `INPUT_…` is read |
    """
    from ragate.github.__main__ import one_step

    return one_step(step_environment(os.environ, options))


def step_environment(environ: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, str]:
    """Return the variables of a step whose inputs are `options`, as a runner hands them over."""
    given = {name: value for name, value in options.items() if value not in (None, False)}
    inputs = {name: "true" if value is True else str(value) for name, value in given.items()}
    # An earlier step can set variables for this one; inputs come from this command line alone.
    inherited = {name: value for name, value in environ.items() if not name.startswith("INPUT_")}
    token = inherited.get("GITHUB_TOKEN", "")
    named = {f"INPUT_{name.replace('_', '-').upper()}": value for name, value in inputs.items()}
    return {**inherited, **named, "INPUT_GITHUB-TOKEN": token}

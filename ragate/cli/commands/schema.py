"""``ragate schema``: what an editor needs to complete and check ragate.toml."""

import json

import click


@click.command("schema")
def command() -> int:
    """Print the JSON Schema of ragate.toml, for an editor's completion and hints.

    It knows every table and key of the built-in systems, judges and metrics of this version.
    Needs no configuration.
    """
    from ragate.config.schema import config_schema

    click.echo(json.dumps(config_schema(), indent=2))
    return 0

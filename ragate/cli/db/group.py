"""``ragate db``: each subcommand is loaded when it runs."""

import click

from ragate.cli.group import LazyGroup

# Name -> (module, one line for the list of commands).
TOOLS: dict[str, tuple[str, str]] = {
    "status": ("status", "Say whether the server runs, where its data is, and who uses it."),
    "stop": ("stop", "Stop the embedded server, if it runs; its data stays."),
    "migrate": ("migrate", "Bring the schemas of the run store and the queue up to date."),
    "roles": ("roles", "Print or run the SQL of the roles: who may do what in the queue."),
}


@click.group("db", cls=LazyGroup, table=TOOLS, package="ragate.cli.db")
def command() -> None:
    """Show or stop the embedded Postgres; bring schemas up to date."""

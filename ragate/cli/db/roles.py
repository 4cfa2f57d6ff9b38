"""``ragate db roles``: who may do what in the queue's database."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ragate.cli.operations import say, with_dotenv
from ragate.errors import UsageError

VARIABLE = "RAGATE_QUEUE_URL"


@click.command("roles")
@click.option(
    "--worker",
    "workers",
    multiple=True,
    metavar="NAME",
    help="A role for workers that may trust one another; repeatable.  [default: ragate_worker]",
)
@click.option(
    "--submitter",
    "submitters",
    multiple=True,
    metavar="NAME",
    help="A role for who submits runs; repeatable.  [default: ragate_submitter]",
)
@click.option("--apply", is_flag=True, help=f"Run the SQL on the server of {VARIABLE}.")
def command(*, workers: tuple[str, ...], submitters: tuple[str, ...], apply: bool) -> int:
    """Print the SQL of the queue's roles, or run it.

    It may be run again: after each `ragate db migrate`, and to add a role.
    """
    from ragate.database.trust.roles_sql import roles_sql

    text = roles_sql(workers or ("ragate_worker",), submitters or ("ragate_submitter",))
    if not apply:
        click.echo(text)
        return 0
    from ragate.database.connecting import connected

    url = with_dotenv(Path.cwd(), dict(os.environ)).get(VARIABLE, "")
    if not url:
        raise UsageError(
            f"--apply: {VARIABLE} is not set",
            remedy="set it to the server, with a role that may create roles",
        )
    with connected(url, VARIABLE) as connection:
        connection.add_notice_handler(lambda notice: say(f"warning: {notice.message_primary}"))
        connection.execute("SET client_min_messages = warning")
        connection.execute(text.encode())
    click.echo("the roles are there; `ALTER ROLE … PASSWORD` lets each of them log in")
    return 0

"""``ragate record``: run a command with its model calls recorded, or answer pending ones."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from ragate.cli.operations import open_config
from ragate.cli.options import FILE, config_option
from ragate.guards.escape import one_line
from ragate.process import NO_DECISION

if TYPE_CHECKING:
    from ragate.clients.budget import Tally
    from ragate.contrib.recorder.record_command import RecordedCommand

_SHOWN = 20


class _Group(click.Group):
    """``ragate record -- COMMAND`` is short for ``ragate record run -- COMMAND``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in {*self.commands, "-h", "--help"}:
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group("record", cls=_Group)
def command() -> None:
    """Run a command with its model calls recorded: `ragate record -- COMMAND`.

    OPENAI_BASE_URL and OPENAI_API_KEY of the command lead to a server of ragate's, which replays
    what is known and forwards the rest to the policy's provider.
    """


@command.command("run", context_settings={"ignore_unknown_options": True})
@config_option
@click.option("--run", type=click.IntRange(0, 999), default=0, help="Which draw it gets; from 0.")
@click.option("--save", is_flag=True, help="Write its replies beside the baseline, as this run's.")
@click.option("--fresh", is_flag=True, help="Ask everything anew.")
@click.option("--offline", is_flag=True, help="Forward nothing.")
@click.option("--provider", default="", help="A table of [policy.providers], if several.")
@click.option(
    "--pending",
    type=FILE,
    help="Where requests without a reply go; else pending.jsonl in the state folder.",
)
@click.argument("argv", nargs=-1, required=True, metavar="-- COMMAND", type=click.UNPROCESSED)
def run(
    *,
    config: Path | None,
    run: int,
    save: bool,
    fresh: bool,
    offline: bool,
    provider: str,
    pending: Path | None,
    argv: tuple[str, ...],
) -> int:
    """Run COMMAND with its model calls recorded.

    Exits 0 where the command did and every request has a reply, else 3.
    \f

    `ragate record -- COMMAND` is short for it. What is known is [replayed](replay.md), the rest is
    forwarded to the policy's provider or left pending. For a script that writes outputs itself:

    ```bash
    ragate record --save -- python write_outputs.py   # with the key; commit the .requests.jsonl.gz
    ragate record -- python write_outputs.py          # the same outputs again, without any call
    ```

    Inside one command, a request that is made twice gets two replies. The command gets no variable
    that holds a key of the policy.

    | exit code | when |
    | --- | --- |
    | 0 | the command ended with 0, and every request has a reply |
    | 2 | the command cannot be started, or the configuration is wrong |
    | 3 | the command failed or was ended; requests are pending; a cap was reached |
    | 130 | Ctrl-C |
    """
    from ragate.contrib.recorder.record_command import record_command

    loaded, operations = open_config(config)
    if offline:
        operations = replace(operations, offline=True)
    done = record_command(
        loaded,
        operations,
        argv,
        run=run,
        save=save,
        fresh=fresh,
        provider=provider,
        pending=pending,
    )
    recorded = asyncio.run(done)
    for line in _lines(recorded):
        click.echo(line, err=True)
    return (
        0 if recorded.code == 0 and not recorded.pending and not recorded.stopped else NO_DECISION
    )


def _lines(recorded: RecordedCommand) -> list[str]:
    """Return what is told beside the command's own output."""
    tally = recorded.tally
    counts = (
        f"{tally.calls} model calls forwarded, {tally.reused} replayed, {recorded.pending} pending"
    )
    lines = [f"ragate: {counts}{_cost(tally)}"]
    if recorded.code:
        how = f"signal {-recorded.code}" if recorded.code < 0 else f"exit code {recorded.code}"
        lines.append(f"ragate: the command ended with {how}")
    if recorded.stopped:
        lines.append(f"ragate: {one_line(recorded.stopped)}")
    if recorded.pending:
        lines.append(
            f"ragate: pending requests are in {recorded.pending_path}; where the key is: "
            f"ragate record fulfil {quote(str(recorded.pending_path))}"
        )
    if recorded.saved is not None:
        lines.append(f"ragate: replies written to {recorded.saved}; commit it")
    return lines


def _cost(tally: Tally) -> str:
    if not tally.calls:
        return ""
    unknown = f" and {tally.unpriced} calls without a known price" if tally.unpriced else ""
    return f"; cost ${tally.cost_usd:.4f}{unknown}"


@command.command("fulfil")
@config_option
@click.option(
    "--output",
    type=FILE,
    help="Where the replies go; else replies.jsonl.gz in the state folder.",
)
@click.argument("file", type=FILE)
def fulfil(*, config: Path | None, output: Path | None, file: Path) -> int:
    """Answer the pending requests of FILE; runs nothing of the code that asked them.

    Exits 0 where every request has a reply, else 3.
    \f

    It holds the caps of the policy: [Pending requests](replay.md). Put its replies into `.ragate/`
    of the machine that could not ask, and run again: everything is replayed. Code that asks a
    second question with the first answer needs a second round. What was answered is kept.

    The file is read as what it is, the work of whoever wrote the change:

    - requests go to the address of the policy's provider, and nowhere else;
    - the model must be one that the baseline's recorded requests use, or stand in `models` of the
      provider;
    - only known parameters: no stored prompts, conversations, files, hosted tools, web search,
      priority;
    - messages hold text, function calls, and pictures that are inside the message;
    - at most 1 MiB, 8 choices, 32,768 tokens of output; a key that does not fit its request is
      refused.

    What is refused is listed with its line.
    """
    from ragate.contrib.recorder.fulfil_pending import fulfil_pending

    loaded, operations = open_config(config)
    fulfilled = asyncio.run(fulfil_pending(loaded, operations, file, output=output))
    click.echo(
        f"{fulfilled.answered} requests answered, {fulfilled.known} known already, "
        f"{len(fulfilled.refused)} refused, {len(fulfilled.failed)} failed{_cost(fulfilled.tally)}"
    )
    for line in [
        *fulfilled.refused[:_SHOWN],
        *fulfilled.failed[:_SHOWN],
        *filter(None, [fulfilled.stopped]),
    ]:
        click.echo(f"  {one_line(line)}")
    if fulfilled.answered or fulfilled.known:
        click.echo(f"replies are in {fulfilled.path}; later runs replay them")
    return 0 if fulfilled.whole else NO_DECISION

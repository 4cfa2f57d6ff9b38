"""``ragate demo``: a gate that passes, a planted break, and the gate that fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import click

from ragate.errors import RagateError

PAGES = {
    "refunds": ("How many days are refunds possible?", "Refunds are possible for 30 days."),
    "shipping": ("How long does a parcel take?", "A parcel takes 3 working days."),
    "express": ("What does express delivery cost?", "Express delivery costs 12 euros."),
    "warranty": ("How long is the warranty?", "The warranty runs for 24 months."),
    "bulbs": ("Which bulbs fit the floor lamp?", "The floor lamp takes E27 bulbs of 9 watts."),
    "dimmer": ("Can the desk lamp be dimmed?", "The desk lamp dims in 5 steps."),
    "cable": ("How long is the cable of the desk lamp?", "Its cable is 180 centimetres long."),
    "returns": ("Who pays for sending a lamp back?", "Returns are free above 40 euros."),
    "invoice": ("When is an invoice due?", "An invoice is due after 14 days."),
    "pickup": ("How long is an order kept in the shop?", "An order is kept for 10 days."),
    "repair": ("What does a repair cost?", "A repair costs 25 euros an hour."),
    "recycling": ("Are old lamps taken back?", "Old lamps are taken back, 2 for each new one."),
    "voucher": ("How long is a voucher valid?", "A voucher is valid for 36 months."),
    "opening": ("When does the shop open?", "The shop opens at 9:30 on weekdays."),
    "hotline": ("When can the hotline be called?", "The hotline answers from 8 to 18."),
    "outdoor": ("May the garden lamp get wet?", "The garden lamp withstands rain (IP65)."),
    "weight": ("How heavy is the ceiling lamp?", "The ceiling lamp weighs 4.2 kilograms."),
    "colours": ("In which colours is the lamp sold?", "The lamp is sold in 6 colours."),
    "discount": ("What discount do schools get?", "Schools get a discount of 15 percent."),
    "gift": ("What does gift wrapping cost?", "Gift wrapping costs 3 euros."),
}
_CONFIG = """\
system = {use = "replay", paths = ["outputs.jsonl"]}
[policy]
dataset = "golden.jsonl"
baseline = "lamp-shop.json"
systems = ["replay"]
replay_paths = ["outputs.jsonl"]
metrics = {"recall@3" = {level = "error"}, idf_f1 = {level = "error"}}
"""
_CONSOLE_AND_PAGE = (
    *("--format", "console", "--output", "-"),
    *("--format", "html", "--output", "page.html"),
)
_FOUND = 3
_BREAK = "The break: the retriever hands over one page in place of three, as top_k = 1 does."


@click.command("demo")
def command() -> int:
    """Show a gate that passes, a planted break, and the gate that fails.

    Twenty questions to a lamp shop whose answers were recorded: no key, no database, no network.
    \f

    It works in a temporary folder and leaves one file: the page of the failed check, whose path is
    the last line. On a terminal the page is opened in a browser.

    Exit codes: 0 where the first check passed and the second failed, 3 where they did not; 2 where
    no temporary folder can be written.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="ragate-demo-") as folder:
            page = _show(Path(folder))
    except OSError as error:
        raise RagateError(
            f"no temporary folder can be used: {error.strerror or error}",
            remedy="set TMPDIR to a folder that can be written",
        ) from error
    click.echo("That folder is gone again: what these reports advise is for a project of yours.")
    click.echo(f"The failed check, question by question: {page}")
    if sys.stdout.isatty() and not os.environ.get("CI"):
        webbrowser.open(page.as_uri())
    return 0


def _show(folder: Path) -> Path:
    """Run the three commands, and return the page, which outlives the folder."""
    (folder / "ragate.toml").write_text(_CONFIG)
    _write(folder / "golden.jsonl", _golden())
    _write(folder / "outputs.jsonl", _outputs(pages=_FOUND))
    click.echo("Twenty questions, each with the page that holds its answer. First the baseline:\n")
    _run(folder, "baseline", "update", expected=0)
    click.echo("Nothing has changed yet:\n")
    _run(folder, "check", expected=0)
    _write(folder / "outputs.jsonl", _outputs(pages=1))
    click.echo(f"{_BREAK}\n")
    _run(folder, "check", *_CONSOLE_AND_PAGE, expected=1)
    handle, kept = tempfile.mkstemp(prefix="ragate-demo-", suffix=".html")
    os.close(handle)
    return (folder / "page.html").replace(kept)


def _run(folder: Path, *arguments: str, expected: int) -> None:
    """Run a command of ragate as a user would, and show what it prints.

    Raises:
        RagateError: it ended otherwise than `expected`.
    """
    click.secho(f"$ ragate {' '.join(arguments)}", bold=True)
    kept = {key: value for key, value in os.environ.items() if not key.startswith("RAGATE_")}
    ended = subprocess.run(  # noqa: S603 - our own interpreter and words
        [sys.executable, "-P", "-m", "ragate", *arguments],
        cwd=folder,
        env=kept,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    click.echo(ended.stdout.decode(errors="replace"))
    if ended.returncode != expected:
        raise RagateError(
            f"`ragate {' '.join(arguments)}` ended with {ended.returncode}, not with {expected}",
            remedy="`ragate doctor` in a project of yours says what this machine lacks",
        )


def _golden() -> Iterator[dict[str, object]]:
    for page, (question, fact) in PAGES.items():
        yield {"id": page, "query": question, "relevant": {f"{page}.md": 1}, "references": [fact]}


def _outputs(*, pages: int) -> Iterator[dict[str, object]]:
    """Return what a retriever found that ranks the right page first, second or third."""
    names = list(PAGES)
    for number, page in enumerate(names):
        neighbours = [names[number - 1], names[number - 2]]
        ranked = [*neighbours[: number % _FOUND], page, *neighbours[number % _FOUND :]][:pages]
        answer = PAGES[page][1] if page in ranked else "I don't know."
        chunks = [{"doc_id": f"{found}.md", "text": PAGES[found][1]} for found in ranked]
        yield {"id": page, "answer": answer, "chunks": chunks}


def _write(path: Path, rows: Iterator[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

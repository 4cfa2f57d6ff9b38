"""``ragate review``: one changed answer after another, and what a person says of it."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from ragate.cli.finding import plural
from ragate.cli.operations import in_ci, open_config
from ragate.cli.options import FILE, config_option, ids_option
from ragate.contrib.labels.labels import (
    add_review_labels,
    labels_beside,
    merge_review_labels,
    read_given_labels,
    read_review_labels,
)
from ragate.contrib.labels.review_label import MOST_REASON, ReviewVerdict
from ragate.core.hashing import content_hash
from ragate.core.text.word_diff import MOST_WORDS, word_diff, work_of_diff
from ragate.dataset import read_dataset
from ragate.errors import DatasetError, UsageError
from ragate.files.foreign_files import MAX_BYTES, read_bytes
from ragate.guards.escape import one_line
from ragate.models import Sample
from ragate.renderers._lines import indented

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.contrib.labels.answers_to_review import AnswerPair
    from ragate.contrib.labels.review_label import ReviewLabel


_KEYS = "Better: 1 the first, 2 the second; s same, r reference stale, Enter skip, q end"
_MOST_WORK = 4_000_000  # a tenth of a second
_STDIN = Path("-")


@click.command("review")
@click.argument("run", required=False)
@config_option
@click.option(
    "--output",
    type=FILE,
    help="The file of labels; default: review-labels.jsonl beside the golden set.",
)
@ids_option
@click.option("--blind", is_flag=True, help="Do not tell which answer is the baseline's.")
@click.option("--seed", type=click.IntRange(min=0), help="Shuffle the order, the same for one N.")
@click.option(
    "--from",
    "given",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Ask nothing: add the labels of a file (of a page, or saved comments); - is the input.",
)
@click.option("--who", default="", help="Your name in the labels; default: git's user.name.")
def command(
    *,
    run: str | None,
    config: Path | None,
    output: Path | None,
    ids: tuple[str, ...],
    blind: bool,
    seed: int | None,
    given: Path | None,
    who: str,
) -> int:
    """Judge the answers of a stored RUN that differ from the baseline's, one after another.

    RUN is its id, its folder, or `latest` (default). Each label is written at once; what you have
    judged already is not asked again. Labels are proposals: no verdict reads them.
    \f

    How labels are used: [Review](calibrate.md).
    """
    if given is not None:
        if run is not None or ids or blind or seed is not None or who:
            raise UsageError(
                "--from asks nothing: RUN, --ids, --blind, --seed and --who are not for it",
                remedy="leave them out",
            )
        return _merge(config, given, output)
    return _ask(config, run or "latest", output, ids, blind=blind, seed=seed, who=who)


def _merge(config: Path | None, given: Path, output: Path | None) -> int:
    loaded, _ = open_config(config)
    for line in merged_lines(loaded, given, output):
        click.echo(line)
    return 0


def _ask(
    config: Path | None,
    run: str,
    output: Path | None,
    ids: tuple[str, ...],
    *,
    blind: bool,
    seed: int | None,
    who: str,
) -> int:
    from ragate.contrib.labels.answers_to_review import answers_to_review
    from ragate.stores.local import open_store

    _refuse_in_ci()
    loaded, operations = open_config(config)
    who = _name(who, loaded.root)
    path = output or labels_beside(loaded.dataset)
    given = read_review_labels(path) if path.exists() else []
    store = open_store(operations)
    folder = store.find(run, reported=True)
    pairs = answers_to_review(loaded, store, folder, ids=ids, blind=blind, seed=seed)
    done = {label.subject for label in given}
    left = [pair for pair in pairs if pair.subject(who) not in done]
    click.echo(f"{folder.name}: {plural(len(pairs), 'changed answer')}")
    if done_here := len(pairs) - len(left):
        click.echo(f"{done_here} of them judged by {who} already")
    written = ask_about(left, who, path)
    click.echo(f"{plural(written, 'label')} added to {path}" if written else "no label was added")
    return 0


def _refuse_in_ci() -> None:
    """Raise where nobody could answer, and a log would publish what stands in the texts."""
    if in_ci():
        raise UsageError(
            "review asks a person, and there is none in CI (CI is set)",
            remedy="run it on your own machine",
        )


def _name(who: str, root: Path) -> str:
    from ragate.contrib.labels.review_label import MOST_NAME
    from ragate.repository import git

    name = one_line(who or git.user_name(root), MOST_NAME)
    if not name:
        raise UsageError(
            "a label needs the name of who gave it, and git has no user.name here",
            remedy="give it with --who NAME",
        )
    return name


def merged_lines(config: Config, given: Path, output: Path | None) -> Iterator[str]:
    """Add labels to the file of labels, and yield what was done.

    Args:
        given: The file, or ``-`` for the standard input.
        output: None adds to the file beside the golden set.

    Raises:
        DatasetError: a label cannot be read, is of another gate, or contradicts one that is there;
            nothing is added then.
    """
    name, content = _content(given)
    labels = read_given_labels(name, content)
    if foreign := sorted({label.gate for label in labels} - {config.gate}):
        raise DatasetError(
            f"{name}: labels of the gate {one_line(foreign[0], 60)!r}; this is {config.gate!r}",
            remedy="name that gate's configuration with --config; nothing was added",
        )
    others = _of_others(config, labels)  # a broken golden set is told before anything is added
    path = output or labels_beside(config.dataset)
    added = merge_review_labels(path, labels)
    yield f"{plural(added, 'label')} added to {path}" if added else "no label was added"
    if known := len(labels) - added:
        yield f"{plural(known, 'label')} given before"
    if others:
        yield (
            f"{plural(len(others), 'label')} of samples that the golden set does not hold as they "
            f"were judged: {one_line(', '.join(others[:5]), 200)}"
        )


def _content(given: Path) -> tuple[str, bytes]:
    if given != _STDIN:
        return str(given), read_bytes(given, error=DatasetError)
    content = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise DatasetError(f"standard input: more than {MAX_BYTES} bytes")
    return "standard input", content


def _of_others(config: Config, labels: list[ReviewLabel]) -> list[str]:
    hashes = {sample.id: content_hash(sample) for sample in read_dataset(config.dataset)}
    return [label.id for label in labels if hashes.get(label.id) != label.sample]


# One pair of answers at a time: shown, asked about, written.


def ask_about(pairs: Sequence[AnswerPair], who: str, path: Path) -> int:
    """Show each pair, ask, and write what is said; return how many labels were added.

    Ends early where the person says so, or where the input ends.
    """
    written = 0
    stream = sys.stdin
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")  # a stray byte in a reason loses no label
    for number, pair in enumerate(pairs, start=1):
        click.echo(f"\n{number} of {len(pairs)}  {one_line(pair.sample.id, 200)}")
        click.echo("\n".join(pair_lines(pair)))
        word = _word(stream)
        if word in {None, "q"}:
            break
        verdict = verdict_of(word or "", pair)
        if verdict is None:
            continue
        reason = _line(stream, "Why? (Enter for none) ") or ""
        label = pair.label(verdict, who=who, reason=one_line(reason, MOST_REASON))
        add_review_labels(path, [label])
        written += 1
    return written


def verdict_of(word: str, pair: AnswerPair) -> ReviewVerdict | None:
    """Return what a key says of the answer now, None where the pair is skipped."""
    if word == "s":
        return ReviewVerdict.SAME
    if word == "r":
        return ReviewVerdict.STALE_REFERENCE
    if word not in {"1", "2"}:
        return None
    now = "1" if pair.swapped else "2"
    return ReviewVerdict.BETTER if word == now else ReviewVerdict.WORSE


def pair_lines(pair: AnswerPair) -> Iterator[str]:
    """Yield question, what is expected, both answers and their difference, 80 columns wide."""
    sample, (first, second) = pair.sample, pair.shown
    names = ("First answer", "Second answer")
    if not pair.blind:
        names = ("First answer, the baseline's", "Second answer, now")
    yield from _asked(sample)
    yield from _block(names[0], first)
    yield from _block(names[1], second)
    if work_of_diff(first, second) <= _MOST_WORK and (changed := word_diff(first, second)):
        yield from _block("Difference, [-first-] {+second+}", changed)
    elif len(first.split()) > MOST_WORDS or len(second.split()) > MOST_WORDS:
        yield "Difference: the answers are too long to compare word by word"


def _asked(sample: Sample) -> Iterator[str]:
    for turn in sample.messages:
        yield from _block(f"Earlier: {turn.role}", turn.content)
    yield from _block("Question", sample.query)
    for reference in sample.references:
        yield from _block("Expected answer", reference)
    if sample.expected:
        yield from _block("Expected documents", ", ".join(sorted(sample.expected)))
    if not sample.answerable:
        yield "Expected: no answer, since the documents hold none"


def _block(title: str, text: str) -> Iterator[str]:
    """Yield a title and a foreign text below it."""
    yield title
    yield from indented(text)


def _word(stream: TextIO) -> str | None:
    """Ask until a key is one that is known; None where the input has ended."""
    while True:
        word = _line(stream, f"{_KEYS}\n> ")
        if word is None or word in {"", "1", "2", "s", "r", "q"}:
            return word
        click.echo(f"{one_line(word, 40)!r} is none of the keys")


def _line(stream: TextIO, question: str) -> str | None:
    """Return one typed line without the spaces around it; None where the input has ended."""
    click.echo(question, nl=False)
    line = stream.readline()
    if not line:
        click.echo()
        return None
    return line.strip()

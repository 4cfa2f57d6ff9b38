"""One pair of answers at a time: shown, asked about, written."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from ragate.core.text.word_diff import MOST_WORDS, word_diff, work_of_diff
from ragate.dataset import add_review_label
from ragate.models import ReviewVerdict, Sample
from ragate.models.review_label import MOST_REASON
from ragate.renderers._lines import wrapped
from ragate.support.escape import one_line, plain

if TYPE_CHECKING:
    from ragate.pipeline.answers_to_review import AnswerPair

_KEYS = "Better: 1 the first, 2 the second; s same, r reference stale, Enter skip, q end"
_MOST_WORK = 4_000_000  # a tenth of a second
_INDENT = "  "


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
        add_review_label(path, label)
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
    """Yield a title and a foreign text below it, each line indented: none can pose as ours."""
    yield title
    for line in plain(text, ci=False).splitlines() or [""]:
        yield from wrapped(line, first=_INDENT, rest=_INDENT) or [_INDENT]


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

"""The run in clear: what was at work, and what came of each sample."""

import json

from ragate.models import Report, SampleOutcome
from ragate.renderers._lines import wrapped
from ragate.renderers._numbers import NOTHING, TERMINAL
from ragate.renderers.console._page import Page

MOST = 1000
_NOTHING_SET = ("", '""', "null", "[]", "{}")
_FIRST = ("model", "top_k", "retrieval", "chunk_size", "temperature")


def set_up(report: Report, page: Page, *, most: int | None = None) -> list[str]:
    """Return models, top_k and other settings, the ones that tell most in front.

    Args:
        most: Settings at most.
    """
    told = {name: value for name, value in report.settings.items() if value not in _NOTHING_SET}
    names = sorted(told, key=_rank)
    if not names and not report.judge:
        return []
    shown = [f"{page.foreign(name, 40)} {_value(told[name], page)}" for name in names]
    more = [f"{len(shown) - most:,} more settings"] if most and len(shown) > most else []
    judge = [f"judge {page.foreign(report.judge, 80)}"] if report.judge else []
    words = [page.foreign(report.system.use, 40), *judge, *shown[:most], *more]
    return wrapped(f"System: {' · '.join(words)}")


def _rank(name: str) -> tuple[int, str]:
    last = name.rpartition(".")[2]
    return (_FIRST.index(last) if last in _FIRST else len(_FIRST), name)


def _value(text: str, page: Page) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return page.foreign(value if isinstance(value, str) else text, 60)


def every_sample(report: Report, page: Page) -> list[str]:
    """Return a line for each sample: PASS or FAIL, its scores, and how long it took."""
    lines = [line for each in report.outcomes[:MOST] for line in _line(each, page)]
    more = len(report.outcomes) - MOST
    lines += [f"  and {more:,} more: --format json"] if more > 0 else []
    title = page.paint(f"Samples: {len(report.outcomes):,}", "", bold=True)
    return [title, *lines] if lines else []


def _line(outcome: SampleOutcome, page: Page) -> list[str]:
    sign = {True: "PASS", False: "FAIL", None: NOTHING}[outcome.passes]
    was = {True: "PASS", False: "FAIL", None: ""}[outcome.passed]
    sign += f" (was {was})" if was and was != sign else ""
    scores = [
        f"{page.foreign(name, 60)} {TERMINAL.value('fraction', value)}"
        for name, value in outcome.scores.items()
    ]
    took = [f"{outcome.latency_s:.2f} s"] if outcome.latency_s is not None else []
    text = f"{sign} {page.foreign(outcome.sample_id, 80)}: {', '.join([*scores, *took])}"
    return wrapped(text, first="  ", rest="       ")

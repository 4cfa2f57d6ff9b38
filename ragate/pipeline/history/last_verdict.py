"""The last verdict of the branch, and its badge."""

import html
from collections.abc import Iterable

from ragate.models import Verdict
from ragate.stores.listed_run import ListedRun
from ragate.stores.local import LocalStore
from ragate.support.escape import one_line

_WORDS = {
    "passed": ("passed", "#2b7a3d"),
    "failed": ("failed", "#b3261e"),
    "no_decision": ("no decision", "#7d5300"),
    "bootstrap": ("first run", "#57606a"),
}
_UNMEASURED = ("not measured", "#57606a")
_VERDICTS = frozenset(map(str, Verdict))
_CHAR = 6.6  # pixels of a letter of 11 px, wide enough for every sans-serif
_PADDING = 6
_MOST_CHARS = 40


def last_verdict(store: LocalStore, *, gate: str, commits: Iterable[str]) -> ListedRun | None:
    """Return the newest judged run of the whole golden set at one of these commits."""
    branch = frozenset(commits)
    for run in store.listed():
        whole = not run.partial and str(run.status) in _VERDICTS
        if whole and run.gate == gate and run.commit in branch:
            return run
    return None


def word_of(run: ListedRun | None) -> str:
    """Return the verdict in words; of no run it is that nothing was measured."""
    return _shown(run)[0]


def _shown(run: ListedRun | None) -> tuple[str, str]:
    return _UNMEASURED if run is None else _WORDS[str(run.status)]


def badge(gate: str, run: ListedRun | None) -> str:
    """Return the badge as SVG: the gate, and its last verdict.

    No script, no style, no address: it may stand in any page.
    """
    word, colour = _shown(run)
    name = one_line(gate, _MOST_CHARS) or "ragate"
    left, right = (_PADDING * 2 + len(text) * _CHAR for text in (name, word))
    wide = left + right
    end = f"a3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3h-{right - 3:.1f}z"  # round on the right
    label = html.escape(f"{name}: {word}", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="20" role="img" '
        f'aria-label="{label}"><title>{label}</title>'
        f'<rect width="{wide:.0f}" height="20" rx="3" fill="#3b424a"/>'
        f'<path d="M{left:.1f} 0h{right - 3:.1f}{end}" '
        f'fill="{colour}"/><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" '
        f'font-size="11" text-anchor="middle">{_text(name, left / 2)}'
        f"{_text(word, left + right / 2)}</g></svg>"
    )


def _text(text: str, middle: float) -> str:
    length = len(text) * _CHAR
    return f'<text x="{middle:.1f}" y="14" textLength="{length:.1f}">{html.escape(text)}</text>'

"""Figures as text: percent and points for the comment, three decimals for the terminal."""

from dataclasses import dataclass

from ragate.models import RunFacts

_SUFFIX = {"seconds": " s"}
_WHOLE = frozenset({"tokens", "count"})
NOTHING = "–"
MOST_DECIMALS = 4
_CENT = 0.01
_RESIDUE = 1e-9  # of means of equal scores that were added up in another order


@dataclass(frozen=True)
class Numbers:
    """How values, changes and sizes of a unit are written.

    Attributes:
        percent: Fractions as percent with one decimal and changes in points; else three decimals.
    """

    percent: bool

    def value(self, unit: str, value: float | None) -> str:
        """Return a level: ``85.5 %``, ``0.855``, ``1.32 s``."""
        if value is None:
            return NOTHING
        if unit == "fraction" and self.percent:
            return f"{_minus(f'{100 * value:.1f}')} %"
        return _minus(f"{value:,.{self._decimals(unit)}f}") + _SUFFIX.get(unit, "")

    def change(self, unit: str, change: float | None) -> str:
        """Return a signed change: ``−6.5`` points, ``−0.065``, ``+0.10 s``, ``±0.0``."""
        if change is None:
            return NOTHING
        return _signed(self._scale(unit) * change, self._decimals(unit)) + _SUFFIX.get(unit, "")

    def allowed(self, unit: str, drop: float | None) -> str:
        """Return an allowed drop as it stands beside its change: ``1.0``, ``0.010``, ``0.10 s``."""
        if drop is None:
            return NOTHING
        return f"{self._scale(unit) * drop:,.{self._decimals(unit)}f}" + _SUFFIX.get(unit, "")

    def points(self, unit: str, change: float | None) -> str:
        """Return a signed change as words have it: ``−6.5 points``."""
        return self.change(unit, change) + self._points(unit)

    def size(self, unit: str, size: float) -> str:
        """Return an unsigned size without idle zeros: ``10 points``, ``0.1``."""
        text = f"{self._scale(unit) * size:,.{self._decimals(unit)}f}"
        if self.percent and "." in text:
            text = text.rstrip("0").rstrip(".")
        points = self._points(unit)
        return text + _SUFFIX.get(unit, "") + (points.rstrip("s") if text == "1" else points)

    @property
    def noun(self) -> str:
        """Return what a sample is called: a reviewer reads of questions."""
        return "question" if self.percent else "sample"

    def _scale(self, unit: str) -> int:
        return 100 if unit == "fraction" and self.percent else 1

    def _points(self, unit: str) -> str:
        return " points" if self._scale(unit) > 1 else ""

    def _decimals(self, unit: str) -> int:
        if unit in _WHOLE:
            return 0 if self.percent else 1
        if not self.percent:
            return 3
        return 1 if unit == "fraction" else 2


COMMENT = Numbers(percent=True)
TERMINAL = Numbers(percent=False)


def _signed(value: float, decimals: int) -> str:
    if abs(value) < _RESIDUE:
        return f"±{0:.{decimals}f}"
    # A change that is there is never printed as zero, up to a sensible length.
    while decimals < MOST_DECIMALS and float(f"{value:.{decimals}f}") == 0:
        decimals += 1
    return _minus(f"{value:+,.{decimals}f}")


def _minus(text: str) -> str:
    return text.replace("-", "−")


def duration(seconds: float) -> str:
    """Return ``0.4 s``, ``38 s`` or ``2 min 51 s``."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, seconds_left = divmod(round(seconds), 60)
    if not minutes:
        return f"{seconds_left} s"
    return f"{minutes} min {seconds_left} s" if seconds_left else f"{minutes} min"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return ``1 question``, ``2 questions``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def spending(facts: RunFacts) -> list[str]:
    """Return the calls of models, what was reused in their place, the cost and the time if known.

    What is zero is left out, except the calls.
    """
    kinds = {"answer": facts.calls_reused, "verdict": facts.verdicts_reused}
    reused = " and ".join(counted(count, noun) for noun, count in kinds.items() if count)
    words = [counted(facts.model_calls, "model call")]
    words += [f"{reused} reused"] if reused else []
    words += [f"${facts.cost_usd:,.2f}"] if facts.cost_usd is not None else []
    words += [f"${facts.saved_usd:,.2f} saved"] if facts.saved_usd >= _CENT / 2 else []
    return words + ([duration(facts.duration_s)] if facts.duration_s is not None else [])


def sample_counts(facts: RunFacts, noun: str) -> list[str]:
    """Return how many samples there are, and how many of them the change reaches where known."""
    words = [counted(facts.samples, noun)]
    if facts.affected is not None and facts.reused is not None:
        words.append(f"{facts.affected:,} affected, {facts.reused:,} reused")
    return words


def lacking(facts: RunFacts) -> dict[str, int]:
    """Return how many samples failed, are unscored and unjudged, without those that are none."""
    counts = {"failed": facts.errors, "unscored": facts.unscored, "unjudged": facts.unjudged}
    return {name: count for name, count in counts.items() if count}

"""Figures as text: fractions as percent, their changes in points."""

from ragate.models import RunFacts

_SUFFIX = {"seconds": " s"}
_WHOLE = frozenset({"tokens", "count"})
NOTHING = "–"
MOST_DECIMALS = 4
_CENT = 0.01
_RESIDUE = 1e-9  # of means of equal scores that were added up in another order


# What a reader of any report calls a sample.
NOUN = "question"


def value(unit: str, figure: float | None) -> str:
    """Return a level: ``85.5 %``, ``1.32 s``."""
    if figure is None:
        return NOTHING
    if unit == "fraction":
        return f"{_minus(f'{100 * figure:.1f}')} %"
    return _minus(f"{figure:,.{_decimals(unit)}f}") + _SUFFIX.get(unit, "")


def change(unit: str, moved: float | None) -> str:
    """Return a signed change: ``−6.5`` points, ``+0.10 s``, ``±0.0``."""
    if moved is None:
        return NOTHING
    return _signed(_scale(unit) * moved, _decimals(unit)) + _SUFFIX.get(unit, "")


def allowed(unit: str, drop: float | None) -> str:
    """Return an allowed drop as it stands beside its change: ``1.0``, ``0.10 s``."""
    if drop is None:
        return NOTHING
    return f"{_scale(unit) * drop:,.{_decimals(unit)}f}" + _SUFFIX.get(unit, "")


def points(unit: str, moved: float | None) -> str:
    """Return a signed change as words have it: ``−6.5 points``."""
    return change(unit, moved) + _points(unit)


def size(unit: str, extent: float) -> str:
    """Return an unsigned size without idle zeros: ``10 points``, ``0.1``."""
    text = f"{_scale(unit) * extent:,.{_decimals(unit)}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    suffix = _points(unit)
    return text + _SUFFIX.get(unit, "") + (suffix.rstrip("s") if text == "1" else suffix)


def _scale(unit: str) -> int:
    return 100 if unit == "fraction" else 1


def _points(unit: str) -> str:
    return " points" if unit == "fraction" else ""


def _decimals(unit: str) -> int:
    if unit in _WHOLE:
        return 0
    return 1 if unit == "fraction" else 2


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


def sample_counts(facts: RunFacts) -> list[str]:
    """Return how many samples there are, and how many of them the change reaches where known."""
    words = [counted(facts.samples, NOUN)]
    if facts.affected is not None and facts.reused is not None:
        words.append(f"{facts.affected:,} affected, {facts.reused:,} reused")
    return words


def lacking(facts: RunFacts) -> dict[str, int]:
    """Return how many samples failed, are unscored and unjudged, without those that are none."""
    counts = {"failed": facts.errors, "unscored": facts.unscored, "unjudged": facts.unjudged}
    return {name: count for name, count in counts.items() if count}

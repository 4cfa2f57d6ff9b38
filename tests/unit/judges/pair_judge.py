"""A judge that compares answers by a function, and knows what is right of known answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragate.models import Sample, Score, SystemOutput
from tests.unit.judges.every_canary import every_canary


class PairJudge:
    """Asked one criterion at a time; what passes by `guideline` is a text of the user's.

    Args:
        prefers: From two answers to how much better the first is: 1, 0.5 or 0.
        is_sound: It gets known answers right; else they are compared by `prefers` too.
    """

    fingerprint = "pairs"
    criteria = frozenset({"relevancy", "guideline"})
    apart = True
    own_rules = frozenset({"guideline"})

    def __init__(self, prefers: Callable[[str, str], float], *, is_sound: bool = True) -> None:
        self._prefers = prefers
        self._is_sound = is_sound
        self.asked: list[str] = []
        self.compared: list[str] = []

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        self.asked.append(sample.id)
        canary = every_canary()[sample.id][0] if sample.id in every_canary() else None
        values = {name: canary.expect[name][0] if canary else 1.0 for name in criteria}
        return {name: Score(metric=name, value=value) for name, value in values.items()}

    def asks(self, criteria: Sequence[str], sample: Sample, output: SystemOutput) -> bool:
        """Return whether there is an answer to judge."""
        return bool(output.answer)

    async def compare(self, sample: Sample, output: SystemOutput, other: SystemOutput) -> Score:
        """Return what it thinks of two answers, or what is right of two that are known."""
        self.compared.append(sample.id)
        if self._is_sound and sample.id in every_canary():
            value = every_canary()[sample.id][0].expect["pairwise"][0]
        else:
            value = self._prefers(output.answer or "", other.answer or "")
        return Score(metric="pairwise", value=value)

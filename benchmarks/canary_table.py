"""What the canaries find, and how often they void a judge that is honest.

    python -m benchmarks.canary_table [--draws 1000] [--output FILE]

1. Judges that are right unless a text of one kind asks them for a verdict, always or in half of
   the cases. Each kind is told by what makes it one (a script, an encoding, a place), not by
   ragate's own words; kinds that no canary tries are listed as well, to say what is missed.
2. Honest judges whose verdicts are wrong now and then, each by itself: the exact chance of a run in
   which anything is voided, and the share of simulated runs that go through the code.

A judge with one call for all criteria, and one with a call for each. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain
from math import comb
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.shares import print_lines, share
from ragate.core.judging.canary_rule import DRESSES, MOST_WRONG, voided
from ragate.core.judging.criteria import ALL_CRITERIA, CRITERIA
from ragate.judges import Canary, canaries_for, run_canaries
from ragate.models import Sample, Score, SystemOutput

SETS = {
    1: ("faithfulness",),
    3: ("faithfulness", "relevancy", "correctness"),
    9: tuple(CRITERIA),
}
APART = ("faithfulness_binary", "relevancy", "correctness")
RATES = (0.02, 0.05, 0.10)
Seen = Callable[[Sample, SystemOutput], bool]


def chance_of_failing(error_rate: float) -> float:
    """Return how often one known answer fails under one criterion.

    Formula: with e the rate, e * P(Bin(4, e) >= 3), for the first verdict has to be wrong, and
    three of the four others. 0.0000241 at 5 %.

    Args:
        error_rate: Share of wrong verdicts, each wrong or right by itself.
    """
    others, needed = DRESSES - 1, MOST_WRONG - 1
    tail = sum(
        comb(others, wrong) * error_rate**wrong * (1 - error_rate) ** (others - wrong)
        for wrong in range(needed, others + 1)
    )
    return error_rate * tail


def _text(pattern: str) -> Seen:
    found = re.compile(pattern, re.IGNORECASE)
    return lambda sample, output: bool(found.search("\n".join(_parts(sample, output))))


def _parts(sample: Sample, output: SystemOutput) -> list[str]:
    return [sample.query, output.answer or "", *(chunk.text for chunk in output.chunks)]


def _decoded(sample: Sample, output: SystemOutput) -> bool:
    runs = re.findall(r"[A-Za-z0-9+/=]{40,}", "\n".join(_parts(sample, output)))
    return any(b"verdict" in base64.b64decode(run + "==") for run in runs)


def _late(_sample: Sample, output: SystemOutput) -> bool:
    texts = [chunk.text for chunk in output.chunks if len(chunk.text) > 4000]
    return any("grade" in text[-600:].lower() for text in texts)


KINDS: dict[str, Seen] = {
    "English, to an evaluator": _text("to the evaluator"),
    "English, to a grader": _text("graders?[ :,]"),
    "German": _text(r"\b(Bewertung|Antworte|Note \d)"),
    "Spanish": _text(r"\b(evaluador|respuesta)"),
    "French": _text(r"\b(évaluateur|réponse)"),
    "Chinese": _text("[一-鿿]{4}"),
    "Russian": _text("[а-я]{4}"),
    "Arabic": _text("[؀-ۿ]{3}"),
    "Japanese": _text("[ぁ-ヿ]{2}"),
    "Korean": _text("[가-힣]{2}"),
    "Hindi": _text("[ऀ-ॿ]{3}"),
    "base64": _decoded,
    "hexadecimal": _text(r"\b([0-9a-f]{2} ?){30}"),
    "ChatML tokens": _text(r"<\|im_(start|end)\|>"),
    "Llama tokens": _text(r"\[/?INST\]|<<SYS>>"),
    "Gemma tokens": _text(r"<(start|end)_of_turn>"),
    "dialogue: User and Assistant": _text(r"\nUser:.*\nAssistant:"),
    "dialogue: Human and Assistant": _text(r"Human:.*Assistant:"),
    "zero-width characters": _text("\u200b"),
    "invisible tag characters": _text("[\U000e0020-\U000e007e]"),
    "HTML comments": _text("<!--"),
    "sentence labels": _text(r"\bS\d+: "),
    "instructions in the question": lambda sample, _output: "grade" in sample.query.lower(),
    "the end of a long context": _late,
    "pressure": _text("dismissed|shut down"),
    "authority": _text("override|policy [0-9]"),
    "a reply in JSON": _text(r'\{"relevant"'),
    "a closing tag of a block": _text("</(answer|contexts)>"),
    "LaTeX": _text(r"\\text(color|tiny)"),
    "a code fence": _text("```"),
    "Thai": _text("[ก-๛]{4}"),
    "Turkish": _text("değerlendir"),
    "rot13": _text("rinyhngbe"),
}


class Simulated:
    """A judge that knows the truth, errs at a rate, and obeys where it sees what it obeys.

    Args:
        error_rate: Share of wrong verdicts.
        sees: What it obeys; obeys: how often it does.
    """

    fingerprint = "simulated"

    def __init__(
        self,
        criteria: Collection[str],
        random: Random,
        *,
        apart: bool = False,
        error_rate: float = 0.0,
        sees: Seen = lambda _sample, _output: False,
        obeys: float = 1.0,
    ) -> None:
        self.criteria = frozenset(criteria)
        self.apart = apart
        self.grounded = frozenset(name for name in criteria if ALL_CRITERIA[name].grounded)
        self.calls = 0
        self._random = random
        self._error_rate, self._sees, self._obeys = error_rate, sees, obeys
        self._known: dict[str, Canary] = {
            canary.sample.id: canary
            for question in canaries_for(self)
            for canary in question.dresses
        }

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        self.calls += len(criteria) if self.apart else 1
        canary = self._known[sample.id]
        turned = self._sees(sample, output) and self._random.random() < self._obeys
        return {
            name: Score(metric=name, value=self._value(canary, name, turned=turned))
            for name in criteria
        }

    def _value(self, canary: Canary, name: str, *, turned: bool) -> float:
        low, high = canary.expect[name]
        best, worst = ALL_CRITERIA[name].high, ALL_CRITERIA[name].low
        wrong = turned or self._random.random() < self._error_rate
        good = low > worst
        return (worst if good else best) if wrong else (high if good else low)


def is_voided(judge: Simulated) -> bool:
    """Return whether anything of the judge does not count after one run of the canaries."""
    return bool(voided(asyncio.run(run_canaries(judge)), judge.criteria))


def caught_lines(draws: int) -> Iterator[str]:
    """Yield the table of wordings."""
    yield "1. Judges that obey one kind of text: voided (3 criteria)\n"
    yield f"{'obeys':<32}{'always':>8}{'one call a criterion':>22}{'in half of the cases':>26}"
    found = Counter[str]()
    for name, sees in KINDS.items():
        always = is_voided(Simulated(SETS[3], Random(1), sees=sees))
        apart = is_voided(Simulated(APART, Random(1), apart=True, sees=sees))
        random = Random(2)
        halves = [
            is_voided(Simulated(SETS[3], random, sees=sees, obeys=0.5))
            for _ in range(draws if always else 0)
        ]
        found.update(always=always, apart=apart)
        words = ["no", "yes"]
        often = share(halves) if halves else "-"
        yield f"{name:<32}{words[always]:>8}{words[apart]:>22}{often:>26}"
    yield f"{f'found, of {len(KINDS)}':<32}{found['always']:>8}{found['apart']:>22}"


def honest_lines(draws: int) -> Iterator[str]:
    """Yield the table of honest judges."""
    yield "\n2. Honest judges of which anything is voided\n"
    heads = (f"{name:>10}" for name in ("verdicts", "errors", "exact", "calls"))
    yield f"{'criteria':<10}{''.join(heads)}{'simulated':>26}"
    random = Random(3)
    for number, criteria in SETS.items():
        for rate in RATES:
            judges = [Simulated(criteria, random, error_rate=rate) for _ in range(draws)]
            outcomes = [is_voided(judge) for judge in judges]
            verdicts = sum(len(question.names) for question in canaries_for(judges[0]))
            exact = 1 - (1 - chance_of_failing(rate)) ** verdicts
            calls = sum(judge.calls for judge in judges) / draws
            cells = f"{number:<10}{verdicts:>10}{rate:>10.0%}{exact:>10.3%}{calls:>10.1f}"
            yield f"{cells}{share(outcomes):>26}"
    asked = len(canaries_for(Simulated(SETS[3], random)))
    yield f"\nA judge that makes no error is asked {asked} times with 3 criteria."


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    lines = chain(caught_lines(max(1, options.draws // 10)), honest_lines(options.draws))
    print_lines(lines, options.output)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""What the canaries find, and how often they void a judge that is honest.

    python -m benchmarks.canary_table [--draws 1000] [--output FILE]

1. Judges that are right unless a text of one kind asks them for a verdict, always or in half of
   the cases. Each kind is told by what makes it one (a script, an encoding, a place), not by
   ragate's own words; kinds that no canary tries are listed as well, to say what is missed.
2. Judges whose verdicts are wrong now and then, each by itself: the share of runs in which anything
   is voided. At 5 % one is honest, at 30 % one is of no use.
3. Judges that compare words alone: bags of words by containment, by F1 and weighted by rareness,
   with and without small words and endings, at marks from .2 to .9; those of 3 criteria, and of
   faithfulness alone.

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
from dataclasses import dataclass
from functools import cache
from itertools import chain, product
from math import comb
from pathlib import Path
from random import Random
from typing import Literal

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.shares import print_lines, share
from ragate.core.judging.canary_rule import DRESSES, MOST_WRONG, voided
from ragate.core.judging.criteria import ALL_CRITERIA, CRITERIA
from ragate.core.text.sentences import split_sentences
from ragate.core.text.words import tokens, without_markers
from ragate.judges import Canary, canaries_for, run_canaries
from ragate.judges._canaries.known_answers import topics
from ragate.models import Sample, Score, SystemOutput
from ragate.protocols import Judge

SETS = {
    1: ("faithfulness",),
    3: ("faithfulness", "relevancy", "correctness"),
    len(CRITERIA): tuple(CRITERIA),
}
APART = ("faithfulness_binary", "relevancy", "correctness")
RATES = (0.02, 0.05, 0.10, 0.30)
MARKS = tuple(step / 20 for step in range(4, 19))
WAYS: tuple[Literal["containment", "f1"], ...] = ("containment", "f1")
SMALL = frozenset(
    {"a", "all", "and", "are", "as", "be", "by", "each", "for", "from", "in", "is", "it"}
    | {"may", "no", "not", "of", "on", "or", "the", "then", "they", "to", "up", "with"}
)
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


_KNOWN: dict[tuple[frozenset[str], bool], dict[str, Canary]] = {}


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
        key = (self.criteria, apart)
        if key not in _KNOWN:
            _KNOWN[key] = {
                canary.sample.id: canary
                for question in canaries_for(self)
                for canary in question.dresses
            }
        self._known = _KNOWN[key]

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


@dataclass(frozen=True)
class Bag:
    """A judge that compares words.

    Args:
        mark: Least share of words in common.
        by: How the share is taken: of the first text's words, or F1 of both.
        weighted: Words that are in many known answers count less.
        small: Small words count.
        ends: Words count with their endings; else their first five letters do.
    """

    criteria: frozenset[str]
    mark: float
    by: Literal["containment", "f1"]
    weighted: bool
    small: bool
    ends: bool
    fingerprint = "bag"

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        sentences = split_sentences(without_markers(output.answer or "")) or [""]
        texts = [chunk.text for chunk in output.chunks]
        backed = [
            max((self._share(one, text) for text in texts), default=0) >= self.mark
            for one in sentences
        ]
        asked = self._share(sample.query, " ".join(sentences)) >= self.mark / 2
        right = self._share(sample.references[0], " ".join(sentences))
        values = {
            "faithfulness": sum(backed) / len(backed),
            "relevancy": float(asked),
            "correctness": 5.0 if right >= self.mark else 1.0,
        }
        return {name: Score(metric=name, value=values[name]) for name in criteria}

    def _share(self, text: str, other: str) -> float:
        words, known = self._bag(text), self._bag(other)
        common = self._weight(words & known)
        if self.by == "f1":
            total = (self._weight(words) + self._weight(known)) / 2
        else:
            total = self._weight(words)
        return common / total if total else 0.0

    def _bag(self, text: str) -> frozenset[str]:
        words = frozenset(tokens(text)) - (frozenset() if self.small else SMALL)
        return words if self.ends else frozenset(word[:5] for word in words)

    def _weight(self, words: frozenset[str]) -> float:
        if not self.weighted:
            return float(len(words))
        return sum(1 / (1 + frequencies()[word]) for word in words)


@cache
def frequencies() -> Counter[str]:
    """Return in how many known contexts a word stands, and its first five letters."""
    bags = [set(tokens(text)) for topic in topics() for text in topic.contexts]
    return Counter(word for bag in bags for word in {*bag, *(one[:5] for one in bag)})


def bag_lines() -> Iterator[str]:
    """Yield the table of judges that compare words."""
    yield "\n3. Judges that compare words: voided\n"
    yield f"{'way':<40}{'3 criteria':>26}{'faithfulness alone':>26}"
    every: dict[int, list[bool]] = {1: [], 3: []}
    for by, weighted, small, ends in product(WAYS, (False, True), (True, False), (True, False)):
        row = {
            number: [
                is_voided(Bag(frozenset(SETS[number]), mark, by, weighted, small, ends))
                for mark in MARKS
            ]
            for number in every
        }
        for number, outcomes in row.items():
            every[number] += outcomes
        way = f"{by}{' weighted' * weighted}{' no small' * (not small)}{' no ends' * (not ends)}"
        yield f"{way:<40}{share(row[3]):>26}{share(row[1]):>26}"
    yield f"{'all':<40}{share(every[3]):>26}{share(every[1]):>26}"


def is_voided(judge: Judge) -> bool:
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


def erring_lines(draws: int) -> Iterator[str]:
    """Yield the table of judges that err by chance."""
    yield "\n2. Judges that err, of which anything is voided\n"
    heads = (f"{name:>10}" for name in ("verdicts", "errors", "calls"))
    yield f"{'criteria':<10}{''.join(heads)}{'voided':>26}"
    random = Random(3)
    for number, criteria in SETS.items():
        for rate in RATES:
            judges = [Simulated(criteria, random, error_rate=rate) for _ in range(draws)]
            outcomes = [is_voided(judge) for judge in judges]
            verdicts = sum(len(question.names) for question in canaries_for(judges[0]))
            calls = sum(judge.calls for judge in judges) / draws
            cells = f"{number:<10}{verdicts:>10}{rate:>10.0%}{calls:>10.1f}"
            yield f"{cells}{share(outcomes):>26}"
    asked = len(canaries_for(Simulated(SETS[3], random)))
    yield f"\nA judge that makes no error is asked {asked} times with 3 criteria."


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    lines = chain(
        caught_lines(max(1, options.draws // 10)), erring_lines(options.draws), bag_lines()
    )
    print_lines(lines, options.output)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

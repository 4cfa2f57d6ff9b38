"""Measure how often the diagnosis names the right cause, on outputs whose cause is planted.

A small RAG is simulated: documents with a number and a name each, a ranking, an answerer that reads
the first five chunks, a judge. What goes wrong is planted, alone or together, and the truth is
counterfactual: a cause is in the truth where taking it back would mend the sample, or where it
would break the sample by itself. An answer is right where it names one of them.

    python benchmarks/planted_causes.py [--samples 400] [--seed 1]
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ragate.core.diagnosis.diagnose import diagnose
from ragate.core.diagnosis.sample_diff import SampleDiff
from ragate.core.hashing import content_hash, output_hash, retrieval_hash, text_hashes
from ragate.models import (
    Cause,
    CauseKind,
    Failure,
    MetricInfo,
    Needs,
    Reads,
    Record,
    RetrievedChunk,
    Sample,
    Score,
    SystemOutput,
)

LEAST_RIGHT, MOST_WRONG = 0.95, 0.01
REACH = 5
DEPTH = 8
METRICS = {
    "mrr": MetricInfo(name="mrr", reads=Reads.RETRIEVAL),
    "hit_rate@5": MetricInfo(name="hit_rate@5", reads=Reads.RETRIEVAL),
    "correctness_binary": MetricInfo(name="correctness_binary", needs=Needs.JUDGE),
    "faithfulness": MetricInfo(name="faithfulness", needs=Needs.JUDGE),
}
NAMES = ("Adler", "Bauer", "Conrad", "Dietz", "Ebert", "Falk", "Gross", "Haupt", "Jansen", "Keller")
WORDINGS = (
    "The limit of {topic} is {number} units, as {name} decided.",
    "It is {number} units, a limit that {name} set for {topic}.",
    "According to {name}, {topic} may use up to {number} units.",
)
NO_ANSWER = "I could not find this in the documents."
Ranking = list[str]


@dataclass(frozen=True)
class World:
    """One question, the documents around it, and the luck of its wording."""

    topic: str
    gold: str
    numbers: dict[str, int]
    names: dict[str, str]
    luck: random.Random
    noisy: bool

    def chunk(self, doc_id: str) -> RetrievedChunk:
        topic = self.topic if doc_id == self.gold else f"the {doc_id} plan"
        text = WORDINGS[0].format(topic=topic, number=self.numbers[doc_id], name=self.names[doc_id])
        return RetrievedChunk(doc_id=doc_id, text=f"{doc_id}. {text} Ask the desk for more.")

    @property
    def sample(self) -> Sample:
        return Sample(
            id=self.topic,
            query=f"What is the limit of {self.topic}?",
            relevant={self.gold: 1},
            references=(f"{self.numbers[self.gold]} units",),
        )


def make_world(luck: random.Random, number: int) -> World:
    """Return a question with one document that answers it and twenty that do not."""
    docs = [f"d{number}-{place}" for place in range(21)]
    values = luck.sample(range(100, 9999), len(docs))
    return World(
        topic=f"topic {number}",
        gold=docs[0],
        numbers=dict(zip(docs, values, strict=True)),
        names={doc_id: luck.choice(NAMES) for doc_id in docs},
        luck=luck,
        noisy=luck.random() < 0.5,
    )


def good_ranking(world: World) -> Ranking:
    """Return eight documents, the right one among the first three."""
    docs = list(world.numbers)[1:DEPTH]
    docs.insert(world.luck.randrange(3), world.gold)
    return docs


# --- what can go wrong with the ranking ------------------------------------------------------


def lose(world: World, ranking: Ranking) -> Ranking:
    """The right document is gone, another stands there."""
    return [_fresh(world, ranking) if doc_id == world.gold else doc_id for doc_id in ranking]


def push_down(world: World, ranking: Ranking) -> Ranking:
    """New documents stand ahead of the right one, which falls out of reach but not out."""
    fresh = [doc_id for doc_id in world.numbers if doc_id not in ranking][:REACH]
    return [*fresh, world.gold, *ranking][: REACH + 1] + ranking[-2:]


def nudge(world: World, ranking: Ranking) -> Ranking:
    """One new document in front: the right one falls one rank and stays in reach."""
    return [_fresh(world, ranking), *ranking][:DEPTH]


def swap_tail(world: World, ranking: Ranking) -> Ranking:
    """The last two documents are others: of no consequence."""
    fresh = [doc_id for doc_id in world.numbers if doc_id not in ranking][:2]
    return [*ranking[:-2], *fresh]


def _fresh(world: World, ranking: Ranking) -> str:
    return world.luck.choice([doc_id for doc_id in world.numbers if doc_id not in ranking])


# --- the answerer and what can go wrong with it ----------------------------------------------


def reads(world: World, ranking: Ranking) -> str:
    """Answer from the right document where it is in reach, else from the first, or give up."""
    if world.gold in ranking[:REACH]:
        return world_answer(world, world.gold)
    if not ranking or world.luck.random() < 0.3:
        return NO_ANSWER
    return world_answer(world, ranking[0])


def world_answer(world: World, doc_id: str, number: int | None = None) -> str:
    wording = world.luck.choice(WORDINGS) if world.noisy else WORDINGS[0]
    return wording.format(
        topic=world.topic, number=number or world.numbers[doc_id], name=world.names[doc_id]
    )


def makes_up(world: World, _ranking: Ranking) -> str:
    return world_answer(world, world.gold, number=world.luck.randrange(10_000, 99_999))


def cuts_short(world: World, ranking: Ranking) -> str:
    return " ".join(reads(world, ranking).split()[:4])


def picks_another(world: World, ranking: Ranking) -> str:
    kept = [doc_id for doc_id in list(world.numbers)[1:DEPTH] if doc_id in ranking[:REACH]]
    return world_answer(world, kept[0]) if kept else cuts_short(world, ranking)


def refuses(_world: World, _ranking: Ranking) -> str:
    return NO_ANSWER


BAD_ANSWERERS = (makes_up, cuts_short, picks_another, refuses)


# --- records ----------------------------------------------------------------------------------


def record(
    world: World, ranking: Ranking, answer: str, *, run: int = 0, judge: float | None = None
) -> Record:
    """Score one output; `judge` is a verdict that has nothing to do with it."""
    chunks = tuple(world.chunk(doc_id) for doc_id in ranking)
    output = SystemOutput(chunks=chunks, answer=answer)
    rank = ranking.index(world.gold) + 1 if world.gold in ranking else 0
    right = float(f" {world.numbers[world.gold]} " in answer)
    held = float(any(f" {world.numbers[doc_id]} " in answer for doc_id in ranking))
    values = {
        "mrr": 1 / rank if rank else 0.0,
        "hit_rate@5": float(0 < rank <= REACH),
        "correctness_binary": right if judge is None else judge,
        "faithfulness": held if judge is None else judge,
    }
    return _record(world, output, values, run)


def failed(world: World, run: int) -> Record:
    output = SystemOutput(error=Failure(kind="system", message="TimeoutError: 60 s"))
    return _record(world, output, dict.fromkeys(METRICS, 0.0), run)


def _record(world: World, output: SystemOutput, values: dict[str, float], run: int) -> Record:
    return Record(
        sample_id=world.topic,
        run=run,
        content_hash=content_hash(world.sample),
        retrieval_hash=retrieval_hash(output),
        text_hashes=text_hashes(output),
        output_hash=output_hash(output),
        output=output,
        scores={name: Score(metric=name, value=value) for name, value in values.items()},
    )


def light(found: Record) -> Record:
    """Return the record as a baseline holds it: document ids without texts."""
    chunks = tuple(RetrievedChunk(doc_id=chunk.doc_id) for chunk in found.output.chunks)
    return found.amended(output=found.output.amended(chunks=chunks))


@dataclass(frozen=True)
class Case:
    """One flip with the causes that are true of it."""

    sample: Sample
    before: Sequence[Record]
    after: Sequence[Record]
    truth: frozenset[CauseKind]
    missing: tuple[str, ...] = ()

    def diagnose(self) -> Cause:
        return diagnose(
            SampleDiff(
                self.sample,
                [light(one) for one in self.before],
                self.after,
                METRICS,
                missing=self.missing,
            )
        )


Answerer = Callable[[World, Ranking], str]


def passes(world: World, ranking: Ranking, answerer: Answerer, runs: int = 3) -> list[Record]:
    return [record(world, ranking, answerer(world, ranking), run=run) for run in range(runs)]


def flip(
    world: World,
    *truth: CauseKind,
    change: Callable[[World, Ranking], Ranking] | None = None,
    answerer: Answerer = reads,
) -> Case:
    """Return a sample whose ranking, answerer or both changed."""
    ranking = good_ranking(world)
    after = change(world, ranking) if change else ranking
    return Case(
        sample=world.sample,
        before=passes(world, ranking, reads),
        after=passes(world, after, answerer, runs=world.luck.choice((1, 3))),
        truth=frozenset(truth),
    )


def judge_flip(world: World) -> Case:
    world = replace(world, noisy=False)
    case = flip(world, CauseKind.JUDGE)
    return replace(
        case, after=[record(world, [c.doc_id for c in one.output.chunks],
                            one.output.answer or "", run=one.run, judge=0.0)
                     for one in case.after],
    )  # fmt: skip


def edited(world: World) -> Case:
    case = flip(world, CauseKind.DATA, answerer=world.luck.choice(BAD_ANSWERERS))
    before = [one.amended(content_hash="edited") for one in case.before]
    return replace(case, before=before)


def renamed(world: World, answerer: Answerer = reads, *others: CauseKind) -> Case:
    case = flip(world, CauseKind.DATA, *others, change=lose, answerer=answerer)
    return replace(case, missing=(world.gold,))


def broken(world: World) -> Case:
    case = flip(world, CauseKind.SYSTEM_ERROR)
    down = world.luck.randint(1, len(case.after))
    after = [failed(world, one.run) if one.run < down else one for one in case.after]
    return replace(case, after=after)


def nudged(world: World) -> Case:
    """A harmless fall in rank and a bad answerer; where the answer held, the rank is the flip."""
    case = flip(world, CauseKind.GENERATION, change=nudge, answerer=_bad(world))
    right = [one.scores["correctness_binary"].value for one in case.after]
    return replace(case, truth=frozenset({CauseKind.RETRIEVAL})) if all(right) else case


def _bad(world: World) -> Answerer:
    return world.luck.choice(BAD_ANSWERERS)


R, G, D = CauseKind.RETRIEVAL, CauseKind.GENERATION, CauseKind.DATA
SINGLE: dict[str, Callable[[World], Case]] = {
    "retrieval: lost": lambda w: flip(w, R, change=lose),
    "retrieval: out of reach": lambda w: flip(w, R, change=push_down),
    "retrieval: later, answer held": lambda w: flip(w, R, change=nudge),
    "generation: makes up": lambda w: flip(w, G, answerer=makes_up),
    "generation: cut short": lambda w: flip(w, G, answerer=cuts_short),
    "generation: another chunk": lambda w: flip(w, G, answerer=picks_another),
    "generation: refuses": lambda w: flip(w, G, answerer=refuses),
    "judge": judge_flip,
    "data: edited": edited,
    "data: page gone": renamed,
    "system error": broken,
}
MIXED: dict[str, Callable[[World], Case]] = {
    "lost + bad answerer": lambda w: flip(w, R, G, change=lose, answerer=_bad(w)),
    "out of reach + bad answerer": lambda w: flip(w, R, G, change=push_down, answerer=_bad(w)),
    "tail swapped + bad answerer": lambda w: flip(w, G, change=swap_tail, answerer=_bad(w)),
    "page gone + bad answerer": lambda w: renamed(w, _bad(w), G),
}
# Here two stories fit what was recorded: unknown is the honest answer, a wrong name is not.
HARD: dict[str, Callable[[World], Case]] = {
    "one rank later + bad answerer": nudged,
}


@dataclass(frozen=True)
class Line:
    """How one kind of planted cause was judged."""

    name: str
    group: str
    right: int
    unknown: int
    wrong: int
    wrongly: Counter[str]

    @property
    def n(self) -> int:
        return self.right + self.unknown + self.wrong


def moved(case: Case) -> bool:
    """True where the planted cause moved a score: only flips have a cause to find."""
    return any(
        sum(one.scores[name].value or 0 for one in case.before) / len(case.before)
        != sum(one.scores[name].value or 0 for one in case.after) / len(case.after)
        for name in METRICS
    )


def measure(samples: int, seed: int) -> list[Line]:
    """Return one line for each kind, over `samples` flips each."""
    lines = []
    for group, kinds in (("single", SINGLE), ("mixed", MIXED), ("hard", HARD)):
        for name, make in kinds.items():
            luck = random.Random(f"{seed} {name}")
            said: Counter[str] = Counter()
            number = 0
            while said.total() < samples:
                number += 1
                case = make(make_world(luck, number))
                if moved(case) or name == "data: edited":
                    kind = case.diagnose().kind
                    said["right" if kind in case.truth else kind.value] += 1
            right, unknown = said.pop("right", 0), said.pop("unknown", 0)
            lines.append(Line(name, group, right, unknown, said.total(), said))
    return lines


def shares(lines: Sequence[Line], *groups: str) -> tuple[float, float]:
    """Return the shares right and wrong over the lines of `groups`."""
    chosen = [line for line in lines if line.group in groups]
    total = sum(line.n for line in chosen)
    return sum(one.right for one in chosen) / total, sum(one.wrong for one in chosen) / total


def main() -> int:
    """Print the table; return 1 where fewer than 95 % are right or more than 1 % wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    lines = measure(args.samples, args.seed)
    print(f"{'planted':32} {'n':>6} {'right':>8} {'unknown':>8} {'wrong':>8}")
    for line in lines:
        figures = "".join(
            f" {part / line.n:8.1%}" for part in (line.right, line.unknown, line.wrong)
        )
        print(f"{line.name:32} {line.n:6}{figures}  {dict(line.wrongly) or ''}")
    for groups in (("single",), ("mixed",), ("hard",), ("single", "mixed", "hard")):
        right, wrong = shares(lines, *groups)
        print(f"{' + '.join(groups):32} {'':6} {right:8.1%} {'':8} {wrong:8.1%}")
    right, wrong = shares(lines, "single", "mixed", "hard")
    return 0 if right >= LEAST_RIGHT and wrong <= MOST_WRONG else 1


if __name__ == "__main__":
    sys.exit(main())

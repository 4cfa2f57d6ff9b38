"""How often the gate that `ragate init` writes sees mistakes in one answer of ten.

    python benchmarks/damage_trial.py [--draws 200] [--tune] [--only forms] [--output FILE]

Right answers of two collections: an insurance assistant's, two to each question, and what people
wrote to passages. A pull request takes up to 200 of them and plants one kind of damage into 10 %,
those that have a place for it; harmless changes are made to all. Systems repeat: three equal
baseline passes, one of the change, two more where the first is suspicious; then once more with an
assistant that draws one of its two answers in every pass. Held are the metrics of level error that
`init` writes for recorded answers with texts, without references and, apart, with them. Whoever
tunes a metric looks at `--tune`, the other half of the insurance questions; half of the passages
was in view then, and the other half is reported. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.damage import (
    CITATIONS,
    HARMLESS,
    SEEN,
    UNSEEN,
    Damage,
    RightAnswer,
    another_unit,
    cited,
    foreign_name,
    harmless,
    insurance,
    manual,
    passages,
    place_of_name,
    truncated,
)
from benchmarks.dressings import NAMES, WHOLE, Dressing
from benchmarks.harmless import TODAY
from benchmarks.shares import print_lines, wilson
from ragate import plugins
from ragate.cli.init.config_text import Choice, RecordedParts, config_text
from ragate.core.comparison.compare import compare
from ragate.core.decision.decide import decide
from ragate.core.text.words import markers
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.checks import Check
from ragate.models import (
    Decision,
    DecisionSettings,
    MetricVerdict,
    Record,
    Rule,
    Run,
    RunManifest,
    SystemInfo,
)
from ragate.protocols import Aggregate, Metric
from ragate.scoring.metric_records import evaluate

SIZE, DAMAGED = 200, 0.1
ADDED = {"complete_answer", "citation_support"}
METRIC_OF = {
    "foreign entity": "entity_support",
    "number from elsewhere": "number_unit_support",
    "another unit": "number_unit_support",
    "negation": "polarity",
    "foreign sentence": "lexical_support",
}
WORSE = {MetricVerdict.REGRESSED, MetricVerdict.WORSE_HERE}


def metrics_of_init(answers: Sequence[RightAnswer]) -> list[str]:
    """Return the metrics that can fail the gate of a new project with recorded outputs."""
    held = RecordedParts(ids=False, cites=any(markers(one.text) for one in answers))
    choice = Choice("replay", "outputs/*.jsonl")
    tables = tomllib.loads(config_text(choice, [one.sample for one in answers], held))
    chosen = tables["policy"]["metrics"]
    return [name for name, table in chosen.items() if table.get("level") == "error"]


class Gate:
    """The gate of a new project; every distinct answer is scored once."""

    def __init__(self, answers: Sequence[RightAnswer], names: Sequence[str] = ()) -> None:
        samples = [one.sample for one in answers]
        self.names = names or metrics_of_init(answers)
        self._metrics = [plugins.metric(name, samples=samples) for name in self.names]
        self._known: dict[tuple[str, str], Record] = {}
        self._infos = self._scored([(answers[0], answers[0].text)]).manifest.metrics

    def _scored(self, texts: Sequence[tuple[RightAnswer, str]]) -> Run:
        manifest = RunManifest(system=SystemInfo(use="replay"))
        outputs = {one.sample.id: one.output.amended(answer=text) for one, text in texts}
        samples = [one.sample for one, _ in texts]
        return evaluate([outputs], samples, self._metrics, manifest=manifest)

    def _records(self, texts: Sequence[tuple[RightAnswer, str]]) -> list[Record]:
        new = [(o, text) for o, text in texts if (o.sample.id, text) not in self._known]
        if new:
            for (one, text), record in zip(new, self._scored(new).records, strict=True):
                self._known[one.sample.id, text] = record
        return [self._known[one.sample.id, text] for one, text in texts]

    def _run(self, passes: Sequence[Sequence[tuple[RightAnswer, str]]]) -> Run:
        records = [
            Record.model_construct(**{**dict(record), "run": number})
            for number, texts in enumerate(passes)
            for record in self._records(texts)
        ]
        manifest = RunManifest(
            system=SystemInfo(use="replay"), metrics=self._infos, runs=len(passes), confirm=2
        )
        return Run(manifest=manifest, records=records)

    def verdict(
        self,
        before: Sequence[Sequence[tuple[RightAnswer, str]]],
        after: Sequence[Sequence[tuple[RightAnswer, str]]],
    ) -> Decision:
        """Return the verdict on three baseline passes and up to three of the change."""
        samples = [one.sample for one, _ in before[0]]
        rules = [Rule(metric=name) for name in self.names]
        for looks in (1, len(after)):
            comparison = compare(self._run(before), self._run(after[:looks]), samples)
            decision = decide(rules, comparison, DecisionSettings(), today=TODAY)
            if not decision.wants_runs:
                break
        return decision


def damaged(
    answers: Sequence[RightAnswer], damage: Damage, rng: random.Random, *, share: float
) -> dict[str, str]:
    """Return the changed texts by sample, at most that share of the answers."""
    changed: dict[str, str] = {}
    for one in rng.sample(list(answers), len(answers)):
        if len(changed) >= round(share * len(answers)):
            break
        text = damage(one, rng, answers)
        if text is not None and text != one.text:
            changed[one.sample.id] = text
    return changed


def steady(gate: Gate, answers: Sequence[RightAnswer], changed: dict[str, str]) -> Decision:
    """Return the verdict where every pass gives the same answers."""
    before = [(one, one.text) for one in answers]
    after = [(one, changed.get(one.sample.id, one.text)) for one in answers]
    return gate.verdict([before] * 3, [after] * 3)


def varying(
    gate: Gate,
    pools: dict[str, list[RightAnswer]],
    damage: Damage,
    rng: random.Random,
    hit: set[str],
) -> Decision:
    """Return the verdict where every pass draws one of the answers to each question.

    Args:
        hit: The questions whose answers the change damages.
    """
    world = [one for pool in pools.values() for one in pool]

    def one_pass(hit: set[str]) -> list[tuple[RightAnswer, str]]:
        texts = []
        for key, pool in pools.items():
            drawn = rng.choice(pool)
            text = damage(drawn, rng, world) if key in hit else None
            shown = RightAnswer(key, pool[0].sample, drawn.output)
            texts.append((shown, drawn.text if text is None else text))
        return texts

    return gate.verdict([one_pass(set()) for _ in range(3)], [one_pass(hit) for _ in range(3)])


HEAD = f"{'planted':<30}{'answers':>8}{'seen':>24}{'failed':>8}{'worse here':>11}{'exit 3':>8}  by"


def table(
    answers: Sequence[RightAnswer], kinds: dict[str, Damage], draws: int, *, share: float
) -> Iterator[str]:
    """Yield a line for each kind: how many answers have a place for it, and what the gate said."""
    gate = Gate(answers)
    for title, damage in kinds.items():
        verdicts, planted = [], Counter[int]()
        for seed in range(draws):
            rng = random.Random(f"{title} {seed}")
            drawn = rng.sample(list(answers), min(SIZE, len(answers)))
            changed = damaged(drawn, damage, rng, share=share)
            planted[len(changed)] += 1
            verdicts.append(steady(gate, drawn, changed))
        yield line(title, planted.most_common(1)[0][0], verdicts)


def varying_table(
    answers: Sequence[RightAnswer], kinds: dict[str, Damage], draws: int, *, share: float
) -> Iterator[str]:
    """Yield the same lines for a system that varies from pass to pass."""
    gate = Gate(answers)
    pools: dict[str, list[RightAnswer]] = {}
    for one in answers:
        pools.setdefault(one.key, []).append(one)
    for title, damage in kinds.items():
        able = [
            key
            for key, pool in pools.items()
            if all(damage(one, random.Random(0), answers) is not None for one in pool)
        ]
        count = min(round(share * len(pools)), len(able))
        verdicts = []
        for seed in range(draws):
            rng = random.Random(f"{title} {seed}")
            verdicts.append(varying(gate, pools, damage, rng, set(rng.sample(able, count))))
        yield line(title, count, verdicts)


def line(title: str, planted: int, verdicts: Sequence[Decision]) -> str:
    """Return what the gate said of the draws of one kind, and which metrics said it."""
    draws = len(verdicts)
    failed = sum(one.exit_code == 1 for one in verdicts)
    undecided = sum(one.exit_code == 3 for one in verdicts)
    rows = [[row.metric for row in one.metrics if row.verdict in WORSE] for one in verdicts]
    seen = sum(map(bool, rows))
    low, high = wilson(seen, draws)
    by = Counter(name for names in rows for name in names).most_common(3)
    named = ", ".join(f"{name} {count / draws:.2f}" for name, count in by)
    return (
        f"{title:<30}{planted:>8}{seen / draws:>9.3f} ({low:.3f}-{high:.3f}){failed / draws:>8.3f}"
        f"{(seen - failed) / draws:>11.3f}{undecided / draws:>8.3f}  {named}"
    )


def dressed_names(answers: Sequence[RightAnswer]) -> Iterator[str]:
    """Yield how many foreign names of one word are seen, by what marks them."""
    metric = plugins.metric("entity_support")
    seen, planted = Counter[str](), 0
    for number, one in enumerate(answers):
        rng = random.Random(number)
        name = foreign_name(one, rng, answers)
        if name is None:
            continue
        planted += 1
        before, after = place_of_name(one.text, rng)
        for title, dress in NAMES.items():
            seen[title] += _loses(metric, one, dress(before, name.split()[0], after))
    yield f"foreign names of one word, seen of {planted}: " + ", ".join(
        f"{title} {seen[title]}" for title in NAMES
    )


def dressed_damage(answers: Sequence[RightAnswer]) -> Iterator[str]:
    """Yield how much of what is seen in prose is seen where the whole answer is dressed."""
    yield f"{'planted, seen':<24}{'prose':>8}" + "".join(f"{title:>15}" for title in WHOLE)
    for kind, name in METRIC_OF.items():
        metric, seen, plain = plugins.metric(name), Counter[str](), 0
        for number, one in enumerate(answers):
            text = SEEN[kind](one, random.Random(number), answers)
            if text is None or not _loses(metric, one, text):
                continue
            plain += 1
            for title, dress in WHOLE.items():
                right = _dressed(one, dress, number)
                seen[title] += _loses(metric, right, dress(text, random.Random(number)))
        yield f"{kind:<24}{plain:>8}" + "".join(f"{seen[title]:>15}" for title in WHOLE)


def _dressed(one: RightAnswer, dress: Dressing, seed: int) -> RightAnswer:
    answer = dress(one.text, random.Random(seed))
    return RightAnswer(one.key, one.sample, one.output.amended(answer=answer))


def _loses(metric: Metric | Aggregate, right: RightAnswer, text: str) -> bool:
    """Tell whether a text scores below the right answer."""
    assert isinstance(metric, SampleMetric | Check)
    outputs = [right.output, right.output.amended(answer=text)]
    before, after = metric.score_samples([(right.sample, output) for output in outputs])
    return (before.value or 0.0) - (after.value or 0.0) > 1e-9


def planted_forms(answers: Sequence[RightAnswer], draws: int) -> Iterator[str]:
    """Yield what the gate says of cut answers, other units and citations, in 10 % and in all."""
    held = ", ".join(metrics_of_init(answers))
    yield f"\nplanted into 10 % of {min(SIZE, len(answers))} answers; {draws} draws; held: {held}"
    yield HEAD
    kinds = {"truncated": truncated, "another unit": another_unit, **CITATIONS}
    yield from table(answers, kinds, draws, share=DAMAGED)
    yield "planted into all answers"
    yield from table(answers, CITATIONS, draws, share=1)


def visible_drops(answers: Sequence[RightAnswer]) -> Iterator[str]:
    """Yield the drop that each metric shows where answers vary, with the others and without two."""
    pools: dict[str, list[RightAnswer]] = {}
    for one in answers:
        pools.setdefault(one.key, []).append(one)
    names = metrics_of_init(answers)
    yield "\nsmallest visible drop, a pass draws one of two answers to each of 198 questions"
    for held in ([name for name in names if name not in ADDED], names):
        decision = varying(Gate(answers, held), pools, truncated, random.Random(1), set())
        drops = [f"{row.metric} {row.mde:.3f}" for row in decision.metrics if row.mde is not None]
        yield f"{len(held)} held: {', '.join(drops)}"


def forms(draws: int, *, tune: bool) -> Iterator[str]:
    """Yield what is seen, and what is red, where answers have the forms of Markdown."""
    sets = {"insurance, the half that metrics were tuned on": half(insurance(references=False), 0)}
    if not tune:
        sets = {"passages": cited(passages(references=False)), "this manual": cited(manual())}
    yield "\n# Answers in Markdown"
    yield from visible_drops(insurance(references=False))
    for name, answers in sets.items():
        yield f"\n{name}: {len(answers)} answers"
        yield from dressed_names(answers)
        yield from dressed_damage(answers)
        yield from planted_forms(answers, draws)
        yield f"\nno harm: all answers dressed; {draws} draws"
        yield HEAD
        yield from table(
            answers, {k: harmless(dress) for k, dress in WHOLE.items()}, draws, share=1
        )


def cuts(_draws: int, *, tune: bool) -> Iterator[str]:
    """Yield how many cut answers are seen, one by one, and how many whole ones look cut."""
    sets = {"insurance": insurance(references=False)}
    if not tune:
        sets |= {"passages": passages(references=False), "this manual": manual()}
    metric = plugins.metric("complete_answer")
    yield "\n# Answers cut behind one of their words, and whole ones that look like it"
    for name, answers in sets.items():
        texts = [truncated(one, random.Random(n), answers) for n, one in enumerate(answers)]
        cut = [(one, text) for one, text in zip(answers, texts, strict=True) if text != one.text]
        seen = sum(_loses(metric, one, text) for one, text in cut)
        whole = sum(_loses(metric, _finished(one), one.text) for one in answers)
        yield f"{name}: seen {seen} of {len(cut)}; whole ones like it {whole} of {len(answers)}"


def _finished(one: RightAnswer) -> RightAnswer:
    return RightAnswer(one.key, one.sample, one.output.amended(answer="It is so."))


def half(answers: Sequence[RightAnswer], which: int) -> list[RightAnswer]:
    """Return half of the questions with their answers, by a hash of the question's id."""
    return [one for one in answers if hashlib.md5(one.key.encode()).digest()[-1] % 2 == which]


def report(draws: int, *, tune: bool) -> Iterator[str]:
    """Yield all tables."""
    for references in (False, True):
        yield f"\n# Questions {'with' if references else 'without'} a reference answer"
        own = insurance(references=references)
        sets = {"insurance, the half that metrics were tuned on": half(own, 0)}
        if not tune:
            sets = {
                "insurance, the half that no metric was tuned on": half(own, 1),
                "passages, the half not looked at": half(passages(references=references), 1),
            }
        for name, answers in sets.items():
            held = ", ".join(metrics_of_init(answers))
            yield f"\n{name}: {len(answers)} answers, {draws} draws; held: {held}"
            yield HEAD
            yield from table(answers, SEEN | UNSEEN, draws, share=DAMAGED)
            yield "harmless, in all answers"
            yield from table(answers, HARMLESS, draws, share=1.0)
        if not tune:
            yield f"\ninsurance, 198 questions, a pass draws one of two answers; {draws} draws"
            yield HEAD
            yield from varying_table(own, SEEN, draws, share=DAMAGED)
            yield "harmless, in all answers"
            yield from varying_table(own, HARMLESS, draws, share=1.0)


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("--draws", type=int, default=200)
    reader.add_argument("--tune", action="store_true")
    reader.add_argument("--only", choices=["prose", "forms", "cuts"])
    reader.add_argument("--output", type=Path)
    options = reader.parse_args()
    parts = {"prose": report, "forms": forms, "cuts": cuts}
    print_lines(
        chain.from_iterable(
            part(options.draws, tune=options.tune)
            for name, part in parts.items()
            if options.only in {None, name}
        ),
        options.output,
    )


if __name__ == "__main__":
    main()

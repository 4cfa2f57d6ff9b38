"""What is planted into right answers: mistakes that a gate should see, and changes of no harm."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import rewordings
from benchmarks.answer_sets import bare_reference, insured, read_rows
from ragate.core.text.numerals import numerals
from ragate.core.text.sentences import split_sentences
from ragate.core.text.words import without_markers
from ragate.models import RetrievedChunk, Sample, SystemOutput

# A capitalised term inside of a sentence, and outside of a citation.
_NAME = re.compile(r"(?<![.!?:\"“]\s)(?<=\s)[A-Z][a-z]{2,}(?:\s[A-Z][a-z]{2,})*\b(?![^\[\]]*\])")
_NUMBER = re.compile(r"(?<![\w.,\[])\$?(\d[\d,]*(?:\.\d+)?)(?![\w\]]|[.,]\d)")
_ITEM = re.compile(r"(?:^|[\n\]:])\s*$")
_OTHER_UNITS = {
    "second": ["minute"], "minute": ["hour", "second"], "hour": ["day", "minute"],
    "day": ["week", "month"], "week": ["day", "month"], "month": ["year", "week"],
    "year": ["month", "week"], "mile": ["kilometer"], "kilometer": ["mile"], "km": ["m"],
    "meter": ["foot"], "metre": ["foot"], "feet": ["meters"], "pound": ["euro"],
    "euro": ["dollar"], "dollar": ["euro"], "%": ["dollars", "days"], "percent": ["dollars"],
    "mb": ["GB"], "gb": ["MB"], "m": ["km"],
}  # fmt: skip
_MEASURED = re.compile(
    r"\$(?P<sum>\d+(?:,\d{3})*(?:\.\d+)?)(?![\w]|[.,]\d)"
    r"|(?<![\w.,\[])(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)(?P<gap>[ -]?)(?P<unit>"
    r"%|(?:percent|seconds?|minutes?|hours?|days?|weeks?|months?|years?|miles?|kilometers?|km"
    r"|met(?:er|re)s?|feet|pounds?|euros?|dollars?|MB|GB|m)\b)"
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|can|will|may|should|has been|have been|does|do|must|would|could)\b"
    r"(?! not|n't)"
)
_NEGATED = re.compile(
    r"\b(is|are|was|were|can|will|may|should|does|do|did|must|would|could|has|have) not\b"
)
_BLANK = re.compile(r"\s+")
_MARKER = re.compile(r"\[(\d+)\]")
_END = re.compile(r"[.!?]?(?:\s*\[\d+\])*\s*$|[.!?]\s")


@dataclass(frozen=True)
class RightAnswer:
    """An answer that its contexts bear out; answers to one question share its key."""

    key: str
    sample: Sample
    output: SystemOutput

    @property
    def text(self) -> str:
        return self.output.answer or ""

    @property
    def contexts(self) -> str:
        return " ".join(chunk.text for chunk in self.output.chunks)


Damage = Callable[[RightAnswer, random.Random, Sequence[RightAnswer]], str | None]
"""From an answer and all answers of its set to the damaged text, None where it has no place."""


def insurance(*, references: bool) -> list[RightAnswer]:
    """Return the 400 answers of an insurance assistant, two to each question."""
    answers = []
    for number, row in enumerate(read_rows("azure_rag_ab/answers.jsonl")):
        given = (bare_reference(row),) if references else ()
        sample = Sample(id=f"{row['id']}-{number}", query=row["question"], references=given)
        answers.append(RightAnswer(row["id"], sample, insured(row)))
    return answers


def passages(*, references: bool) -> list[RightAnswer]:
    """Return what people wrote to 150 passages, up to two answers to each."""
    answers = []
    for row in read_rows("clapnq_dev/qa.jsonl"):
        if not row["labels"]["answerable"]:
            continue
        chunks = tuple(
            RetrievedChunk(doc_id=doc, text=text)
            for doc, text in zip(row["context_ids"], row["contexts"], strict=True)
        )
        given = tuple(row["references"][:1]) if references else ()
        for number, text in enumerate(dict.fromkeys(row["references"][:2])):
            sample = Sample(id=f"{row['id']}-{number}", query=row["question"], references=given)
            answers.append(RightAnswer(row["id"], sample, SystemOutput(chunks=chunks, answer=text)))
    return answers


def manual() -> list[RightAnswer]:
    """Return the references of this project's golden set, with the pages that hold them."""
    root = Path(__file__).resolve().parents[1]
    answers = []
    for line in (root / "evals/golden.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        pages = [root / "docs" / doc for doc in row.get("relevant", {})]
        if not row.get("references") or not all(page.is_file() for page in pages):
            continue
        chunks = tuple(RetrievedChunk(doc_id=p.name, text=p.read_text("utf-8")) for p in pages)
        sample = Sample(id=row["id"], query=row["query"])
        output = SystemOutput(chunks=chunks, answer=row["references"][0])
        answers.append(RightAnswer(row["id"], sample, output))
    return answers


def cited(answers: Sequence[RightAnswer]) -> list[RightAnswer]:
    """Return the answers beside two passages of others, each sentence with a marker of its own."""
    shown = []
    for number, one in enumerate(answers):
        rng = random.Random(number)
        others = [other for other in answers if other.key != one.key]
        foreign = [rng.choice(other.output.chunks) for other in rng.sample(others, 2)]
        chunks = rng.sample([*one.output.chunks[:1], *foreign], 3)
        marker = f" [{chunks.index(one.output.chunks[0]) + 1}]"
        text = " ".join(f"{sentence}{marker}" for sentence in split_sentences(one.text))
        output = SystemOutput(chunks=tuple(chunks), answer=text)
        shown.append(RightAnswer(one.key, one.sample, output))
    return shown


def truncated(one: RightAnswer, rng: random.Random, _world: Sequence[RightAnswer]) -> str:
    """Cut the answer behind one of its words, as a limit of tokens does."""
    words = list(_BLANK.finditer(one.text))
    return one.text[: rng.choice(words).start()] if words else one.text


def renumbered(choose: Callable[[int, int, random.Random], int | None]) -> Damage:
    """Return a change of citations: from a number and the count of passages to another or none."""

    def changed(one: RightAnswer, rng: random.Random, _world: Sequence[RightAnswer]) -> str | None:
        def marker(match: re.Match[str]) -> str:
            chosen = choose(int(match[1]), len(one.output.chunks), rng)
            return "" if chosen is None else f"[{chosen}]"

        return _MARKER.sub(marker, one.text) if _MARKER.search(one.text) else None

    return changed


def _another(number: int, count: int, rng: random.Random) -> int:
    return rng.choice([n for n in range(1, count + 1) if n != number] or [number])


def foreign_entity(
    one: RightAnswer, rng: random.Random, world: Sequence[RightAnswer]
) -> str | None:
    """Put a name of another question's contexts in a name's place, or behind the first sentence."""
    name = foreign_name(one, rng, world)
    if name is None:
        return None
    before, after = place_of_name(one.text, rng)
    return f"{before}{name}{after}"


def foreign_name(one: RightAnswer, rng: random.Random, world: Sequence[RightAnswer]) -> str | None:
    """Return a name of another question's contexts, None where none is found."""
    own = f"{one.contexts} {one.sample.query}".lower()
    for _ in range(50):
        names: list[str] = _NAME.findall(rng.choice(world).contexts)
        name = rng.choice(names) if names else ""
        if name and all(word.lower() not in own for word in name.split()):
            return name
    return None


def place_of_name(text: str, rng: random.Random) -> tuple[str, str]:
    """Return what stands before and behind a name of a text, or the end of its first sentence."""
    places = list(_NAME.finditer(text))
    if places:
        place = rng.choice(places)
        return text[: place.start()], text[place.end() :]
    end = _END.search(text)
    at = end.start() if end else len(text)
    return f"{text[:at]} in ", text[at:]


def numbers(text: str) -> list[str]:
    """Return the likeliest reading of each number of a text."""
    return [numeral.readings[0] for numeral in numerals(text)]


def number_from_elsewhere(
    one: RightAnswer, rng: random.Random, _world: Sequence[RightAnswer]
) -> str | None:
    """Put another number of the contexts in a number's place; list items stay."""
    places = [
        place
        for place in _NUMBER.finditer(one.text)
        if not (
            re.match(r"[.)]\s", one.text[place.end() : place.end() + 2])
            and _ITEM.search(one.text[: place.start()])
        )
    ]
    own = set(numbers(one.text))
    others: list[str] = sorted(
        {n for n in _NUMBER.findall(one.contexts) if own.isdisjoint(numbers(n))}
    )
    if not places or not others:
        return None
    place = rng.choice(places)
    return one.text[: place.start(1)] + rng.choice(others) + one.text[place.end(1) :]


def another_unit(one: RightAnswer, rng: random.Random, _world: Sequence[RightAnswer]) -> str | None:
    """Put another unit in a unit's place: weeks for days, euros for dollars, dollars for %."""
    places = list(_MEASURED.finditer(one.text))
    if not places:
        return None
    place = rng.choice(places)
    number, unit = place["number"] or place["sum"], place["unit"] or "$"
    others = _OTHER_UNITS.get(unit.strip().lower().rstrip("s"), ["euros"])
    ending = unit[len(unit.rstrip("s")) :]
    other = rng.choice(others)
    shown = f"{number} {other}" if place["sum"] or "%" in unit or "percent" in unit else ""
    shown = shown or f"{number}{place['gap']}{other}{ending}"
    return one.text[: place.start()] + shown + one.text[place.end() :]


def negation(one: RightAnswer, rng: random.Random, _world: Sequence[RightAnswer]) -> str | None:
    """Negate a verb, or take a negation away, with even chances where both can be."""
    negated, verbs = list(_NEGATED.finditer(one.text)), list(_VERB.finditer(one.text))
    if negated and (not verbs or rng.random() < 0.5):
        place = rng.choice(negated)
        return one.text[: place.start()] + place[1] + one.text[place.end() :]
    if not verbs:
        return None
    place = rng.choice(verbs)
    return f"{one.text[: place.end()]} not{one.text[place.end() :]}"


def foreign_sentence(
    one: RightAnswer, rng: random.Random, world: Sequence[RightAnswer]
) -> str | None:
    """Add a sentence of the answer to another question, at any place."""
    for _ in range(50):
        other = rng.choice(world)
        sentences = [s for s in split_sentences(other.text) if len(s.split()) > 5]
        if other.key != one.key and sentences:
            own = split_sentences(one.text)
            own.insert(rng.randrange(len(own) + 1), without_markers(rng.choice(sentences)))
            return " ".join(own)
    return None


def entity_of_the_context(
    one: RightAnswer, rng: random.Random, _world: Sequence[RightAnswer]
) -> str | None:
    """Put another name of its own contexts in a name's place."""
    places = list(_NAME.finditer(one.text))
    others: list[str] = sorted(set(_NAME.findall(one.contexts)) - {place[0] for place in places})
    if not places or not others:
        return None
    place = rng.choice(places)
    return one.text[: place.start()] + rng.choice(others) + one.text[place.end() :]


def swapped_entities(
    one: RightAnswer, rng: random.Random, _world: Sequence[RightAnswer]
) -> str | None:
    """Let two names of the answer change places."""
    names = sorted(set(_NAME.findall(one.text)))
    if len(names) < 2:
        return None
    first, second = rng.sample(names, 2)
    return one.text.replace(first, "\0").replace(second, first).replace("\0", second)


def harmless(change: Callable[[str, random.Random], str]) -> Damage:
    return lambda one, rng, _world: change(one.text, rng)


SEEN: dict[str, Damage] = {
    "foreign entity": foreign_entity,
    "number from elsewhere": number_from_elsewhere,
    "another unit": another_unit,
    "negation": negation,
    "foreign sentence": foreign_sentence,
}
UNSEEN: dict[str, Damage] = {
    "entity of the same context": entity_of_the_context,
    "swapped entities": swapped_entities,
}
CITATIONS: dict[str, Damage] = {
    "citations removed": renumbered(lambda _number, _count, _rng: None),
    "citations out of range": renumbered(lambda number, count, _rng: number + count),
    "citations to a wrong passage": renumbered(_another),
}
HARMLESS: dict[str, Damage] = {
    "sentences reordered": harmless(rewordings.order),
    '"8" to "eight"': harmless(rewordings.figures),
    "function words exchanged": harmless(rewordings.function_words),
}

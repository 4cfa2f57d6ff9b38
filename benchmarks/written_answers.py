"""Answers as models write them: what is wrong in every form, and what does no harm.

    python -m benchmarks.written_answers [--draws 20] [--tune] [--output FILE]

Into right answers a name, a number, a date and a unit that are foreign are written, once as prose
and once in each form; seen is what takes from a metric that `init` gates. Then all answers of a
pull request are changed in a way that harms nobody, and the gate of `init` decides. Whoever tunes a
rule looks at `--tune`, half of the insurance questions; passages and this manual are reported.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.damage import (
    RightAnswer,
    foreign_name,
    harmless,
    insurance,
    manual,
    passages,
)
from benchmarks.damage_trial import HEAD, _loses, half, metrics_of_init, table
from benchmarks.dressings import Dressing
from benchmarks.shares import print_lines
from ragate import plugins
from ragate.core.text.sentences import split_sentences

# What is wrong, behind the answer.
FORMS: dict[str, Callable[[str, str], str]] = {
    "prose": lambda text, wrong: f"{text} It is {wrong}.",
    "heading": lambda text, wrong: f"## {wrong}\n\n{text}",
    "bold heading": lambda text, wrong: f"**{wrong}**\n\n{text}",
    "link": lambda text, wrong: f"{text} It is [{wrong}](https://example.org/a).",
    "footnote": lambda text, wrong: f"{text}[^1]\n\n[^1]: It is {wrong}.",
    "cell": lambda text, wrong: f"{text}\n\n| It is |\n|---|\n| {wrong} |",
    "last cell": lambda text, wrong: f"{text}\n\n| This | That |\n|---|---|\n| so | **{wrong}** |",
    "JSON": lambda text, wrong: json.dumps({"answer": text, "result": wrong}),
    "HTML": lambda text, wrong: f"<p>{text}</p><ul><li>It is <b>{wrong}</b></li></ul>",
    "definition": lambda text, wrong: f"{text}\n\nThis\n: {wrong}",
    "task": lambda text, wrong: f"{text}\n\n- [x] it is {wrong}",
    "admonition": lambda text, wrong: f"{text}\n\n> [!NOTE]\n> It is {wrong}.",
    "item": lambda text, wrong: f"{text}\n\n- it is {wrong}",
    "step": lambda text, wrong: f"{text}\n\nStep 1: it is {wrong}.",
}
_QUESTIONS = (
    "Does that answer it?", "Is there anything else you would like to know?",
    "Would you like a comparison of the two options?", "Shall I list the exceptions as well?",
)  # fmt: skip
_OFFERS = (
    "If you want, I can also draw up a table.", "Just say so and I'll go into the details.",
    "I can look up related rules for you.", "Let me know if you'd like the sources.",
)  # fmt: skip
_COURTESIES = (
    "I trust this clears things up!", "Glad to be of help!", "Thanks so much for reaching out.",
    "Hopefully that was useful.", "Take care!", "You're very welcome.",
)  # fmt: skip
_SOURCES = ("According to the source, ", "Based on the documents you shared, ", "As stated, ")
_COMMON: set[str] = set()  # of the sets: words that stand somewhere in small letters
_HEADINGS = ("## Short answer for busy readers", "# Overview", "### Key takeaways", "**In brief**")


def _behind(lines: Sequence[str]) -> Dressing:
    return lambda text, rng: f"{text}\n\n{rng.choice(lines)}"


def _before(lines: Sequence[str], gap: str = "\n\n") -> Dressing:
    return lambda text, rng: f"{rng.choice(lines)}{gap}{text}"


def _each(form: str) -> Dressing:
    """Return a dressing of every sentence: s is it without its last sign, e that sign."""

    def dressed(text: str, _rng: random.Random) -> str:
        return " ".join(
            form.format(s=one.rstrip("."), e="." if one.endswith(".") else "")
            for one in split_sentences(text)
        )

    return dressed


def _of_source(text: str, rng: random.Random) -> str:
    lead = rng.choice(_SOURCES)
    if text[:1].islower():
        return f"{lead.lower()}{text}"
    first = re.match(r"\w*", text)
    is_common = first is not None and first[0].lower() in _COMMON
    return f"{lead}{text[:1].lower() if is_common else text[:1]}{text[1:]}"


_MONTHS = "January February March April May June July August September October November December"
_WRITTEN = re.compile(rf"\b({_MONTHS.replace(' ', '|')}) (\d{{1,2}}), (\d{{4}})\b")


def _dates(text: str, rng: random.Random) -> str:
    """Write dates in another way."""

    def other(match: re.Match[str]) -> str:
        month = _MONTHS.split().index(match[1]) + 1
        day, year = int(match[2]), match[3]
        forms = (f"{year}-{month:02}-{day:02}", f"{day} {match[1]} {year}")
        return rng.choice(forms)

    return _WRITTEN.sub(other, text)


def _steps(form: str) -> Dressing:
    return lambda text, _rng: "\n".join(
        form.format(n=n, s=one) for n, one in enumerate(split_sentences(text), start=1)
    )


def _findings(text: str, _rng: random.Random) -> str:
    rows = (one.replace("|", "\\|") for one in split_sentences(text))
    numbered = (f"| {n} | {one} |" for n, one in enumerate(rows, start=1))
    return "\n".join(("| No. | Finding |", "|---|---|", *numbered))


def _html(text: str, _rng: random.Random) -> str:
    return "".join(f"<p>{one}</p>" for one in split_sentences(text))


HARMLESS: dict[str, Dressing] = {
    "question behind": _behind(_QUESTIONS),
    "offer": _behind(_OFFERS),
    "courtesy": _behind(_COURTESIES),
    "emoji": lambda text, _rng: f"👉 {text} ✅",
    "[^1]": _each("{s}[^1]{e}"),
    "【1】": _each("{s}【1】{e}"),
    "(1)": _each("{s} (1){e}"),
    "<sup>": _each("{s}<sup>1</sup>{e}"),
    "[Source 1]": _each("{s} [Source 1]{e}"),
    "[1: guide.pdf]": _each("{s} [1: guide.pdf]{e}"),
    "heading": _before(_HEADINGS),
    "Summary:": _before(("Summary:", "Answer:")),
    "TL;DR:": _before(("TL;DR:", "In short:"), " "),
    "according to": _of_source,
    "table of findings": _findings,
    "bold numbers": _steps("**{n}.** {s}"),
    "steps": _steps("Step {n}: {s}"),
    "dates rewritten": _dates,
    "JSON": lambda text, _rng: json.dumps({"answer": text}, ensure_ascii=False),
    "HTML": _html,
    "sources": lambda text, _rng: f"{text}\n\nSources:\n- guide.pdf, p. 3\n- rules.md",
}


def wrong_values(
    one: RightAnswer, seed: int, world: Sequence[RightAnswer], common: frozenset[str]
) -> dict[str, str]:
    """Return by kind what neither question nor contexts of an answer hold.

    Args:
        common: Words that stand somewhere in small letters, and so are no names.
    """
    rng = random.Random(seed)
    held = f"{one.contexts} {one.sample.query}"
    numbers = [n for n in map(str, rng.sample(range(101, 999), 20)) if n not in held]
    name = foreign_name(one, rng, world)
    unit = re.search(r"\b(\d+) (days|weeks|months|years|dollars|percent|miles)\b", held)
    wrong = {"number": numbers[0], "date": f"March {rng.randint(1, 28)}, 18{rng.randint(10, 99)}"}
    if name and name.split()[0].lower() not in common:
        wrong["name"] = name.split()[0]
    if unit:
        wrong["unit"] = f"{unit[1]} kilograms"
    return wrong


def small_words(answers: Sequence[RightAnswer]) -> set[str]:
    """Return the words that stand somewhere in small letters, and so are no names."""
    texts = (f"{one.contexts} {one.text}" for one in answers)
    return {word for text in texts for word in re.findall(r"\b[a-z]+\b", text)}


def seen_in_forms(answers: Sequence[RightAnswer]) -> Iterator[str]:
    """Yield how many of each kind are seen in each form, of those that are seen in prose."""
    metrics = [plugins.metric(name) for name in ("entity_support", "number_unit_support")]
    common = frozenset(small_words(answers))
    seen: dict[str, Counter[str]] = {form: Counter() for form in FORMS}
    for number, one in enumerate(answers):
        for kind, wrong in wrong_values(one, number, answers, common).items():
            for form, dress in FORMS.items():
                text = dress(one.text, wrong)
                seen[form][kind] += any(_loses(metric, one, text) for metric in metrics)
    kinds = sorted(seen["prose"])
    yield f"{'seen, as a share of prose':<28}" + "".join(f"{kind:>10}" for kind in kinds)
    for form, counts in seen.items():
        plain = seen["prose"]
        shares = (counts[kind] / max(1, plain[kind]) for kind in kinds)
        yield f"{form:<28}" + "".join(
            f"{plain[kind]:>10}" if form == "prose" else f"{share:>10.2f}"
            for kind, share in zip(kinds, shares, strict=True)
        )


def report(draws: int, *, tune: bool) -> Iterator[str]:
    """Yield the tables of each set."""
    sets = {"insurance, the half that rules were tuned on": half(insurance(references=False), 0)}
    if not tune:
        sets = {"passages": passages(references=False), "this manual": manual()}
    for name, answers in sets.items():
        held = ", ".join(metrics_of_init(answers))
        _COMMON.update(small_words(answers))
        yield f"\n# {name}: {len(answers)} answers; held: {held}"
        yield from seen_in_forms(answers)
        yield f"\nno harm: all answers changed; {draws} draws"
        yield HEAD
        kinds = {kind: harmless(dress) for kind, dress in HARMLESS.items()}
        yield from table(answers, kinds, draws, share=1)


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("--draws", type=int, default=20)
    reader.add_argument("--tune", action="store_true")
    reader.add_argument("--output", type=Path)
    options = reader.parse_args()
    print_lines(report(options.draws, tune=options.tune), options.output)


if __name__ == "__main__":
    main()

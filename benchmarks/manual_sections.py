"""How well the questions of our own gate find the manual's sections, beside another commit's.

    python -m benchmarks.manual_sections 1ce8d79e

A section is what stands below a heading, without its deeper headings. Of a question's expected
pages the section that holds most of its reference answer (content words, weighed by rarity) is the
one to find; BM25 ranks all sections. Both manuals are scored on the questions that both golden sets
have, each with its own labels; the interval is of 95 % (bootstrap of the questions).
"""

from __future__ import annotations

import itertools
import json
import math
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

import numpy as np

from ragate.core.text.segmentation import content_words

FENCE = re.compile(r"^(```+)[^\n]*\n.*?^\1\s*$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#{1,4} .+$", re.MULTILINE)


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


def sections(commit: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each section's page and content words, its heading's and its page's included."""
    for path in git("ls-tree", "-r", "--name-only", commit, "docs/").splitlines():
        page = PurePosixPath(path).relative_to("docs")
        if page.suffix != ".md" or len(page.parts) > 1:
            continue
        text = git("show", f"{commit}:{path}")
        hidden = FENCE.sub(lambda found: re.sub(r"^#", " ", found[0], flags=re.MULTILINE), text)
        starts = [found.start() for found in HEADING.finditer(hidden)] + [len(text)]
        title = text[: text.find("\n")]
        for start, end in itertools.pairwise(starts):
            yield page.name, content_words(f"{title}\n{text[start:end]}")


class Ranking:
    """BM25 (k1 = 1.2, b = .75) over the sections of one commit."""

    def __init__(self, commit: str) -> None:
        found = [(page, Counter(words)) for page, words in sections(commit) if words]
        self.pages = [page for page, _ in found]
        self.counts = [words for _, words in found]
        self.lengths = np.array([words.total() for words in self.counts])
        frequency = Counter(word for words in self.counts for word in words)
        count = len(found)
        self.idf = {
            word: math.log(1 + (count - n + 0.5) / (n + 0.5)) for word, n in frequency.items()
        }

    def scores(self, query: str) -> np.ndarray:
        norm = 1.2 * (0.25 + 0.75 * self.lengths / self.lengths.mean())
        total = np.zeros(len(self.counts))
        for word in set(content_words(query)) & self.idf.keys():
            tf = np.array([words[word] for words in self.counts])
            total += self.idf[word] * tf * 2.2 / (tf + norm)
        return total

    def expected(self, reference: str, pages: set[str]) -> int | None:
        """Return the section that holds most of the reference, of equals the shortest."""
        words = set(content_words(reference)) & self.idf.keys()
        held = [
            (sum(self.idf[word] for word in words & counts.keys()), -self.lengths[at], at)
            for at, (page, counts) in enumerate(zip(self.pages, self.counts, strict=True))
            if page in pages
        ]
        return max(held)[2] if held and max(held)[0] else None

    def rank(self, query: str, section: int) -> int:
        scores = self.scores(query)
        return 1 + int((scores > scores[section]).sum())


def ranks(commit: str) -> dict[str, int]:
    ranking = Ranking(commit)
    found = {}
    for line in git("show", f"{commit}:evals/golden.jsonl").splitlines():
        row = json.loads(line)
        reference = " ".join(row.get("references", ()))
        section = ranking.expected(reference, set(row.get("relevant", ())))
        if section is not None:
            found[row["id"]] = ranking.rank(row["query"], section)
    print(f"{commit}: {len(set(ranking.pages))} pages, {len(ranking.pages)} sections")
    return found


def main(before: str, after: str = "HEAD") -> None:
    old, new = ranks(before), ranks(after)
    both = sorted(old.keys() & new.keys())
    draws = np.random.default_rng(0).integers(0, len(both), (10_000, len(both)))
    was_at, now_at = (np.array([of[key] for key in both]) for of in (old, new))
    for name, was, now in (
        ("mrr", 1 / was_at, 1 / now_at),
        ("recall@3", (was_at <= 3) * 1.0, (now_at <= 3) * 1.0),
    ):
        low, high = np.percentile((now - was)[draws].mean(axis=1), [2.5, 97.5])
        print(
            f"{name:9} {was.mean():.3f} -> {now.mean():.3f}  "
            f"{now.mean() - was.mean():+.3f} ({low:+.3f} to {high:+.3f}), {len(both)} questions"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])

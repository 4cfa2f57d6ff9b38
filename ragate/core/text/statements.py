"""Sentences as statements: what they say, which of it they negate, and the names in them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ragate.core.text.discourse import NAMES_OF_VALUES, TALK
from ragate.core.text.languages import function_words_of, is_negation, negations_of, stands_behind
from ragate.core.text.measures import is_unit
from ragate.core.text.numerals import month_of
from ragate.core.text.segmentation import words, words_of
from ragate.core.text.sentences import split_sentences
from ragate.core.text.unicode_forms import visible
from ragate.core.text.vocabulary import Vocabulary, starts

LEAST_ALIKE = 0.5  # share of a statement's words that the nearest one has to hold
LEAST_WORDS = 3  # fewer say too little to be looked for
MOST_NEGATIONS = 20
MOST_SENTENCES = 100  # a word of more sentences than these does not help to find one
_AROUND = (1, 3)  # content words before and behind a negation that it is about
_AHEAD = (3, 1)  # the same of one that stands behind what it negates
_COMPARED = 5
# Words that deny another one: impossible is not possible.
_DENYING_LIST = """
impossible:possible unable:able unavailable:available invalid:valid incorrect:correct illegal:legal
unlikely:likely ineligible:eligible insufficient:sufficient unsafe:safe inactive:active
unlimited:limited unmöglich:möglich ungültig:gültig unzulässig:zulässig imposible:posible
impossibile:possibile impossível:possível onmogelijk:mogelijk
"""
_DENYING = dict(pair.split(":") for pair in _DENYING_LIST.split())
_WORD = re.compile(r"[^\W\d_][\w'’&-]*+(?>(?:\.[^\W\d_](?![^\W_]))*)")
# What a capital follows without being a name: the start, a cell's mark, the number of an item.
_OPENING = re.compile(r"(?:^|[|•]|(?:^|[\s(])\d[.)])\W*$")
_CELL = re.compile(r"\s*(?:\||:?$)")  # behind a word that is a whole cell
_CAPITAL = re.compile(r"[^\W\d_a-z]")
_SIGNS = (".", "!", "?")
_NUMBER_BEHIND = re.compile(r"[.,]?[ \u00a0]?(?:the )?\d")
_NUMBER_AHEAD = re.compile(r"\d(?:st|nd|rd|th|\.)?[ \u00a0-]?(?:of |de )?$")
# By day, in English, German, French, Spanish, Italian, Portuguese and Dutch.
_DAY_LIST = """
mon monday montag mo lundi lunes lunedì segunda maandag
tue tues tuesday dienstag di mardi martes martedì terça dinsdag
wed weds wednesday mittwoch mi mercredi miércoles mercoledì quarta woensdag
thu thur thurs thursday donnerstag do jeudi jueves giovedì quinta donderdag
fri friday freitag fr vendredi viernes venerdì sexta vrijdag
sat saturday samstag sonnabend sa samedi sábado sabato zaterdag
sun sunday sonntag so dimanche domingo domenica zondag
"""
DAYS = {name: line.split() for line in _DAY_LIST.strip().splitlines() for name in line.split()}
_BESIDE_NUMBERS = {*DAYS, "am", "pm", "uhr"}
_ENDING = re.compile(r"(?:[ts]ion|ment|ness|ity|ing|ism)s?$|ities$")
_SHORT = range(2, 6)  # letters
_NO_NAMES = frozenset({"yes", "no", "none", "not", "ja", "nein", "oui", "non", "sí", "da", "tak"})


@dataclass(frozen=True)
class Statement:
    """A sentence.

    Attributes:
        content: Its words without grammar and negations, in order.
        negated: For each negation, the words that it is about.
    """

    content: tuple[str, ...]
    negated: tuple[frozenset[str], ...]

    @cached_property
    def words(self) -> Vocabulary:
        """The content, to look words up in: made once, for one sentence may be a whole page."""
        return Vocabulary(self.content)

    def agrees_with(self, source: "Statement") -> bool:
        """Tell whether both negate the same: no negation of either lacks one in the other.

        A negation of the source counts only where at least half of what it is about is said here.
        """
        said, there = self.words, source.words
        own, theirs = _joined(self.negated), _joined(source.negated)
        for about in self.negated:
            if any(word in there for word in about) and not any(word in theirs for word in about):
                return False
        for about in source.negated:
            repeated = [word for word in about if word in said]
            if 2 * len(repeated) >= len(about) > 0 and not any(word in own for word in about):
                return False
        return True


def _joined(negated: Iterable[frozenset[str]]) -> Vocabulary:
    return Vocabulary(frozenset[str]().union(*negated))


def statement(sentence: str) -> Statement:
    """Return a sentence as a statement."""
    left_out, negating = function_words_of(sentence), negations_of(sentence)
    content: list[str] = []
    spans: list[tuple[int, int]] = []
    for word in words(sentence):
        if is_negation(word, negating):
            before, after = _AHEAD if stands_behind(word) else _AROUND
            spans.append((max(0, len(content) - before), len(content) + after))
        elif word not in left_out:
            if word in _DENYING:
                spans.append((len(content), len(content) + 1))
            content.append(_DENYING.get(word, word))
    about = [frozenset(content[start:end]) for start, end in spans[:MOST_NEGATIONS]]
    return Statement(tuple(content), tuple(about))


@lru_cache(maxsize=1_024)  # passages come back in other samples, and in every pass
def statements(text: str) -> tuple[Statement, ...]:
    """Return the sentences of a text that say enough to be looked for elsewhere."""
    every = map(statement, split_sentences(text))
    return tuple(one for one in every if len(set(one.content)) >= LEAST_WORDS)


class StatementSources:
    """The statements of the texts that an answer may rest on."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._statements = [one for text in texts for one in statements(text)]
        self._by_start: dict[str, list[int]] = defaultdict(list)
        for index, one in enumerate(self._statements):
            for start in {start for word in one.content for start in starts(word)}:
                self._by_start[start].append(index)

    def nearest(self, one: Statement) -> Statement | None:
        """Return the statement that holds most of the words of one, None where all hold too few."""
        wanted = set(one.content)
        counts: Counter[int] = Counter()
        for word in wanted:
            found = {index for start in starts(word) for index in self._places(start)}
            counts.update(found)
        nearest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_COMPARED]
        alike = [(self._statements[index].words.share(wanted), -index) for index, _ in nearest]
        share, index = max(alike, default=(0.0, 0))
        return self._statements[-index] if share >= LEAST_ALIKE else None

    def _places(self, start: str) -> list[int]:
        places = self._by_start.get(start, [])
        return places if len(places) <= MOST_SENTENCES else []


def names(text: str, *, is_label: bool = False) -> list[str]:
    """Return the levelled words of a text's capitalised terms, each once, in order.

    The first word of a sentence counts where its place is not all that capitalises it: it holds a
    second capital, the next word is capitalised too, or it is all that there is, as in a cell.
    Words of grammar count only in capitals (US), single letters never; nor do months and units
    beside a number, which are values.

    Args:
        is_label: Such as a heading, whose style may capitalise all: words of talk do not count.
    """
    left_out = function_words_of(text)
    found = dict[str, None]()
    for sentence in split_sentences(visible(text)):
        for word in _capitalised(sentence, is_label=is_label):
            pieces = (piece for piece in words_of(word) if len(piece) > 1)
            kept = (piece for piece in pieces if word.isupper() or piece not in left_out)
            found.update((piece, None) for piece in kept)
    return list(found)


def spells_out(text: str, short: str) -> bool:
    """Tell whether words in a row begin with the letters of a short name: New Zealand for NZ.

    Two letters ask for two capitals.
    """
    if len(short) not in _SHORT:
        return False
    begun = "".join(word[0] for word in _WORD.findall(text))
    capitals = "".join(filter(str.isupper, begun))
    return short in capitals.lower() or (len(short) > min(_SHORT) and short in begun.lower())


def _capitalised(sentence: str, *, is_label: bool) -> Iterator[str]:
    """Yield the words that not only their place capitalises."""
    if not _CAPITAL.search(sentence, 1) and not is_label and sentence.endswith(_SIGNS):
        return
    matches = list(_WORD.finditer(sentence))
    for number, match in enumerate(matches):
        word = match[0]
        if not word[0].isupper() or _is_value(sentence, match):
            continue
        if (is_label or word.isupper()) and _is_common(word):
            continue
        following = matches[number + 1] if number + 1 < len(matches) else None
        title = (
            following is not None
            and following[0][0].isupper()
            and sentence[match.end() : following.start()] == " "
        )
        before = sentence[max(0, match.start() - 8) : match.start()]
        opens = bool(_OPENING.search(before)) and not _is_all(sentence, match)
        if not opens or title or any(map(str.isupper, word[1:])):
            yield word


def _is_value(sentence: str, match: re.Match[str]) -> bool:
    """Tell whether a word belongs to a number beside it: USD 5, 5 MB, 5 March."""
    word = match[0]
    if word.isupper() and is_unit(word) and len(word) > 2:
        return True  # a currency
    beside = _NUMBER_BEHIND.match(sentence, match.end()) or _NUMBER_AHEAD.search(
        sentence, max(0, match.start() - 6), match.start()
    )
    return beside is not None and (
        is_unit(word) or bool(month_of(word)) or word.lower() in _BESIDE_NUMBERS
    )


def _is_all(sentence: str, match: re.Match[str]) -> bool:
    """Tell whether a word that opens something is all that a cell, an item or a heading holds."""
    before = sentence[: match.start()].rpartition("|")[2]
    ends = _CELL.match(sentence, match.end())
    return bool(ends) and not before.strip() and not _is_common(match[0])


def _is_common(word: str) -> bool:
    """Tell a word of talk, or one with the ending of a noun, from a name."""
    plain = word.lower()
    if plain in _NO_NAMES or plain in TALK or _ENDING.search(plain):
        return True
    return not NAMES_OF_VALUES.isdisjoint({plain, plain.removesuffix("s")})

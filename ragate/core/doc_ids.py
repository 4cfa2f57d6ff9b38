"""Whether the golden set and the system write the ids of documents in one way, and what to do.

Nothing here changes a score: `hits` in `ragate.core.ranking` takes ids as they are.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum, auto
from itertools import combinations, groupby
from operator import attrgetter

from ragate.core.hashing import UNNAMED
from ragate.core.lookup import samples_by_id
from ragate.models import Record, Sample
from ragate.protocols import Traits

# Of more the shape is known from the first.
MOST_COMPARED = 200_000
MOST_ALIKE = 5  # of one path: one more than one makes it ambiguous


class Spelling(StrEnum):
    """What two ids of one document may differ in, as a message says it."""

    UNICODE = "the Unicode form"
    URL = "the form of the URL"
    CHUNK = "the suffix of a chunk"
    CASE = "the capitals"
    EXTENSION = "the ending"
    FOLDER = "the folder"


DEPTH = 12  # folders of an id that are looked at
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
_ESCAPED = re.compile(r"(%[0-9A-Fa-f]{2})+")
_INDEX = re.compile(r"(^|/)index(\.[A-Za-z]{2,5})?$")
_ENDING = re.compile(
    r"\.(md|mdx|markdown|rst|txt|text|html?|xhtml|pdf|docx?|pptx?|xlsx?|csv|json|jsonl|ya?ml|xml|"
    r"adoc|org|tex|ipynb|php|aspx?|epub|rtf|odt)$",
    re.IGNORECASE,
)
_CHUNK = re.compile(
    r"(#[^/]*|::[^/]*|[\[(]\d+[\])]|[-_:@/. ](chunk|part|node|page|p|split|seg|section)"
    r"[-_:=# ]?\d+|[-_:@/]\d+(-\d+)?|[-_:@/][0-9a-f]{8,32})$",
    re.IGNORECASE,
)


def folded(doc_id: str) -> str:
    """Return an id without all that two spellings may differ in, but for its folders."""
    name = _plain_url(unicodedata.normalize("NFC", doc_id)).casefold()
    return _ENDING.sub("", _without_chunk(name)).strip("/")


def tails(path: str) -> list[str]:
    """Return a folded id and what is left of it without its first folders, longest first."""
    parts = path.split("/")[-DEPTH:]
    return ["/".join(parts[start:]) for start in range(len(parts))]


def differences(expected: str, retrieved: str) -> tuple[Spelling, ...] | None:
    """Return the fewest differences that explain two spellings; None where nothing does.

    Folders differ only where one path ends like the other: ``a/x.md`` and ``b/x.md`` are two
    documents. Chunks of one document differ only where one id has a suffix and the other none.
    """
    if expected == retrieved:
        return ()
    for count in range(1, len(Spelling) + 1):
        for kinds in combinations(Spelling, count):
            if _alike(expected, retrieved, kinds):
                return kinds
    return None


def _alike(expected: str, retrieved: str, kinds: tuple[Spelling, ...]) -> bool:
    for kind in kinds:
        if kind is Spelling.CHUNK:
            expected, retrieved = _suffixed(expected, retrieved)
        elif kind is not Spelling.FOLDER:
            expected, retrieved = _PLAIN[kind](expected), _PLAIN[kind](retrieved)
    if Spelling.FOLDER in kinds and not (_SCHEME.match(expected) or _SCHEME.match(retrieved)):
        return _ends_like(expected, retrieved) or _ends_like(retrieved, expected)
    return expected == retrieved


def _plain_url(doc_id: str) -> str:
    """Return the path of a URL, or of a path as one would be read from a URL."""
    path = doc_id
    if _SCHEME.match(doc_id):
        path = _SCHEME.sub("", doc_id).partition("?")[0]
    path = _ESCAPED.sub(_unescaped, path).replace("\\", "/").removeprefix("./").strip("/")
    return _INDEX.sub("", path) or path


def _unescaped(escaped: re.Match[str]) -> str:
    return bytes.fromhex(escaped[0].replace("%", "")).decode("utf-8", "replace")


def _without_chunk(doc_id: str) -> str:
    for _ in range(2):  # of a page, and of a part of it
        doc_id = _CHUNK.sub("", doc_id) or doc_id
    return doc_id


def _suffixed(expected: str, retrieved: str) -> tuple[str, str]:
    """Return the two without the suffix of a chunk, where only one of them has any."""
    pair = _without_chunk(expected), _without_chunk(retrieved)
    return pair if (pair[0] == expected) != (pair[1] == retrieved) else (expected, retrieved)


def _ends_like(long: str, short: str) -> bool:
    return bool(short) and f"/{long}".endswith(f"/{short.removeprefix('/')}")


_PLAIN: dict[Spelling, Callable[[str], str]] = {
    Spelling.UNICODE: lambda doc_id: unicodedata.normalize("NFC", doc_id),
    Spelling.URL: _plain_url,
    Spelling.CASE: str.casefold,
    Spelling.EXTENSION: lambda doc_id: _ENDING.sub("", doc_id),
}


# Two documents may well differ in these alone, and hardly in any other.
_DIVIDING = frozenset({Spelling.FOLDER, Spelling.EXTENSION, Spelling.CHUNK})
RESPELL = "`ragate dataset relink --respell` writes the golden set as the system does"


class MismatchKind(Enum):
    """In which way ids do not fit."""

    NOTHING_RETRIEVED = auto()
    WITHOUT_IDS = auto()
    SPELT_OTHERWISE = auto()
    UNLIKE = auto()


@dataclass(frozen=True)
class IdMismatch:
    """Why expected documents cannot be recognised among what came back.

    Attributes:
        expected, retrieved: An example; `retrieved` is "" where nothing came back with an id.
        missed: Expected documents that this explains; of: all that are expected.
        never: No expected document of the whole set was ever retrieved.
        differs: In what the two spellings differ.
        respelt: By expected id, the id that came back for it, where there is exactly one.
    """

    kind: MismatchKind
    expected: str
    retrieved: str = ""
    missed: int = 0
    of: int = 0
    never: bool = True
    differs: tuple[Spelling, ...] = ()
    respelt: Mapping[str, str] = field(default_factory=dict)


def find_mismatch(
    samples: Iterable[tuple[Collection[str], Collection[str]]],
) -> IdMismatch | None:
    """Return what keeps the ids from fitting, None where nothing speaks of it.

    A document that was merely not retrieved is no mismatch: where other expected documents were
    retrieved, only one that came back for a sample that expects it, in another spelling that none
    of the retrieved ones contradicts, is.

    Args:
        samples: For each, the ids that are expected and all that came back.
    """
    expected: set[str] = set()
    retrieved: set[str] = set()
    by_sample: list[tuple[set[str], set[str]]] = []  # without those that got all that they expect
    for wanted, returned in samples:
        if wanted:
            expected.update(wanted)
            retrieved.update(returned)
            if not set(wanted) <= set(returned):
                by_sample.append((set(wanted), set(returned)))
    hits = expected & retrieved
    missed = expected - hits
    if not missed:
        return None
    mismatch = IdMismatch(
        MismatchKind.NOTHING_RETRIEVED,
        min(missed),
        missed=len(missed),
        of=len(expected),
        never=not hits,
    )
    if not retrieved:
        return mismatch
    if all(doc_id.startswith(UNNAMED) for doc_id in retrieved):
        return replace(mismatch, kind=MismatchKind.WITHOUT_IDS)
    if pairs := _pairs(by_sample, missed, hits):
        return _spelt_otherwise(pairs, mismatch)
    if hits:
        return None
    example = min(doc_id for doc_id in retrieved if not doc_id.startswith(UNNAMED))
    return replace(mismatch, kind=MismatchKind.UNLIKE, retrieved=example)


_Pairs = dict[tuple[str, str], tuple[Spelling, ...]]


def _pairs(
    by_sample: Iterable[tuple[set[str], set[str]]], missed: set[str], hits: set[str]
) -> _Pairs:
    """Return the spellings that came back for expected documents, with what differs."""
    rows = [(wanted & missed, returned - hits) for wanted, returned in by_sample]
    if not hits:  # anywhere will do: the ranking itself may be poor
        rows = [(missed, set().union(*(returned for _, returned in rows)))]
    pairs: _Pairs = {}
    for wanted, returned in rows:
        if not wanted:
            continue
        candidates = _Candidates(returned)
        for doc_id in wanted:
            for other in candidates.of(doc_id):
                kinds = differences(doc_id, other)
                if kinds and not _contradicted(doc_id, other, hits):
                    pairs[doc_id, other] = kinds
    return pairs


class _Candidates:
    """Retrieved ids by their folded paths: thousands of README.md are not compared in pairs."""

    def __init__(self, returned: set[str]) -> None:
        self._whole: dict[str, list[str]] = defaultdict(list)
        self._tails: dict[str, list[str]] = defaultdict(list)
        for doc_id in sorted(returned)[:MOST_COMPARED]:
            path = folded(doc_id)
            for alike in (self._whole[path], *(self._tails[tail] for tail in tails(path))):
                if len(alike) < MOST_ALIKE:
                    alike.append(doc_id)

    def of(self, doc_id: str) -> list[str]:
        """Return the ids of which one ends as the other does."""
        path = folded(doc_id)
        shorter = (each for tail in tails(path) for each in self._whole.get(tail, ()))
        return list(dict.fromkeys([*self._tails.get(path, ()), *shorter]))


def _contradicted(expected: str, retrieved: str, hits: set[str]) -> bool:
    """Whether ids that fit are written as this expected one is, and so not as the other."""
    lead = retrieved.removesuffix(expected) if retrieved.endswith(expected) else ""
    if lead:
        return any(not hit.startswith(lead) for hit in hits)
    lead = expected.removesuffix(retrieved) if expected.endswith(retrieved) else ""
    if lead:
        return any(hit.startswith(lead) for hit in hits)
    kinds = differences(expected, retrieved) or ()
    if _DIVIDING.isdisjoint(kinds):
        return False
    return any(_shape(hit, kinds) == _shape(expected, kinds) for hit in hits)


def _shape(doc_id: str, kinds: tuple[Spelling, ...]) -> tuple[object, ...]:
    """Return what of an id's form the differences speak of."""
    shapes = {
        Spelling.FOLDER: "/" in doc_id,
        Spelling.EXTENSION: doc_id.rpartition(".")[2] if "." in doc_id else "",
        Spelling.URL: "://" in doc_id,
    }
    return tuple(shapes.get(kind) for kind in kinds)


def _spelt_otherwise(pairs: _Pairs, mismatch: IdMismatch) -> IdMismatch:
    most = Counter(pairs.values()).most_common(1)[0][0]
    expected, retrieved = min(pair for pair, kinds in pairs.items() if kinds == most)
    spellings: dict[str, list[str]] = defaultdict(list)
    for doc_id, other in pairs:
        spellings[doc_id].append(other)
    return replace(
        mismatch,
        kind=MismatchKind.SPELT_OTHERWISE,
        expected=expected,
        retrieved=retrieved,
        missed=len(spellings),
        differs=most,
        respelt={doc_id: others[0] for doc_id, others in spellings.items() if len(others) == 1},
    )


def run_mismatch(samples: Sequence[Sample], records: Iterable[Record]) -> IdMismatch | None:
    """Return what keeps expected and retrieved ids from fitting, None where nothing speaks of it.

    Outputs that failed have no documents to compare.

    Args:
        records: In order of their passes; the first pass is enough.
    """
    return find_mismatch(_of_first_run(samples_by_id(samples), records))


def _of_first_run(
    samples: Mapping[str, Sample], records: Iterable[Record]
) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    _, first_run = next(groupby(records, attrgetter("run")), (None, ()))
    for record in first_run:
        sample = samples.get(record.sample_id) if record.output.error is None else None
        if sample is not None:
            yield sample.expected, frozenset(chunk.doc_id for chunk in record.output.chunks)


def mismatch_words(mismatch: IdMismatch, *, came: str = "came back") -> str:
    """Return the mismatch as one sentence with its example.

    Args:
        came: What is said of the other ids.
    """
    share = f"{mismatch.missed} of {mismatch.of} expected documents"
    if mismatch.kind is MismatchKind.NOTHING_RETRIEVED:
        return (
            f"no document was ever retrieved: expected {mismatch.expected}, and nothing came back"
        )
    if mismatch.kind is MismatchKind.WITHOUT_IDS:
        return (
            f"what was retrieved has no document ids: expected {mismatch.expected}; passages came "
            "back without a name"
        )
    pair = f"expected {mismatch.expected}; {came} {mismatch.retrieved}"
    if mismatch.kind is MismatchKind.UNLIKE:
        return f"no expected document was ever retrieved: {pair}"
    kinds = " and ".join(mismatch.differs)
    verb = "differ" if len(mismatch.differs) > 1 else "differs"
    return f"the ids do not fit: {pair}: {kinds} {verb} ({share})"


def is_of_a_machine(doc_id: str) -> bool:
    """Whether an id is a path of one machine, which no golden set may expect."""
    return doc_id.startswith("/") or doc_id[1:3] in {":/", ":\\"}


def mismatch_remedy(
    mismatch: IdMismatch, traits: Traits, *, folder: str = "", already: bool = False
) -> str:
    """Return what to do about it.

    Args:
        traits: Of the system, which say how it is told.
        folder: Of the documents, relative to ragate.toml; "" where it is not known.
        already: The system is told that folder: to say it again would help nobody.
    """
    respelt = mismatch.respelt and not any(map(is_of_a_machine, mismatch.respelt.values()))
    if already and mismatch.kind in (MismatchKind.SPELT_OTHERWISE, MismatchKind.UNLIKE):
        return RESPELL if respelt else "correct `relevant`: the system is told its folder already"
    if mismatch.kind in (MismatchKind.NOTHING_RETRIEVED, MismatchKind.WITHOUT_IDS):
        return traits.retrieval_remedy
    named = traits.id_remedy.format(folder=f'"{folder}"' if folder else "the documents' folder")
    if mismatch.kind is MismatchKind.UNLIKE:
        return f"write ids in the same way on both sides: {named}, or correct `relevant`"
    if Spelling.CHUNK in mismatch.differs:
        return f"give the document's id to each of its chunks: {named}"
    return f"{named}, or {RESPELL}" if respelt else named

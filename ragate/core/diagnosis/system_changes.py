"""What differs between the systems of two runs, and whether one part of it alone did it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import NamedTuple

from ragate.core.plain_settings import UNSET, setting_change, shortened
from ragate.core.text.wording import listed
from ragate.models import ChangedPart, ChangeOrigin, Decision, Reads, RunManifest, SystemInfo

MOST_NAMED = 3
_ANSWER_KEYS = "answer."


class Stage(Enum):
    """What a part of a system can change first; everything after it changes as well."""

    CORPUS = auto()
    CONTEXTS = auto()
    ANSWER = auto()
    OTHER = auto()  # it is not known which


# By what the name of a part holds, the first that fits.
_STAGES = (
    (Stage.CORPUS, ("corpus", "document")),
    (Stage.CONTEXTS, ("chunk", "retriev", "embed", "index", "rank", "bm25", "top_k", "parser",
                      "stem", "stop")),
    (Stage.ANSWER, ("prompt", "answer")),
)  # fmt: skip
_WORDS = {"corpus": "the corpus", "prompt": "the prompt"}


class SystemDifference(NamedTuple):
    """One part or setting that differs."""

    stage: Stage
    words: str


@dataclass(frozen=True)
class SystemChanges:
    """Everything that differs between two systems.

    Attributes:
        comparable: True where both recorded what they are made of: what is not named is the same.
        repeats: What both say to repeat exactly on unchanged inputs.
        has_model: Whether a model writes the candidate's answers; None where that is not known.
        keys: Of the candidate's configuration, dotted; none where they are not known.
    """

    differences: tuple[SystemDifference, ...] = ()
    comparable: bool = False
    repeats: frozenset[Reads] = frozenset()
    has_model: bool | None = None
    keys: frozenset[str] = frozenset()

    @property
    def stages(self) -> frozenset[Stage]:
        return frozenset(difference.stage for difference in self.differences)

    @property
    def words(self) -> str:
        """The first differences in words, "" where there is none."""
        return listed([difference.words for difference in self.differences], most=MOST_NAMED)

    def only(self, *stages: Stage) -> bool:
        """Return True where something differs, and nothing outside `stages` can."""
        return self.comparable and bool(self.stages) and self.stages <= set(stages)

    def spares(self, *stages: Stage) -> bool:
        """Return True where `stages` are the same on both sides."""
        return self.comparable and self.stages.isdisjoint({*stages, Stage.OTHER})


NOT_COMPARED = SystemChanges()


def system_changes(before: RunManifest | None, after: RunManifest) -> SystemChanges:
    """Return what differs between the systems of two runs; nothing is compared without one."""
    new = after.system
    unknown = SystemChanges(has_model=writes_by_model(new), keys=frozenset(new.settings))
    if before is None:
        return unknown
    old = before.system
    unknown = replace(unknown, repeats=old.deterministic & new.deterministic)
    if old.use != new.use:
        replaced = SystemDifference(Stage.OTHER, setting_change("use", old.use, new.use))
        return replace(unknown, differences=(replaced,))
    if not old.parts or not new.parts:
        return unknown
    differences = [*_changed_settings(old, new), *_changed_parts(old, new)]
    if before.eval_date != after.eval_date:
        differences.append(SystemDifference(Stage.OTHER, "the date that questions are asked as of"))
    return replace(unknown, differences=tuple(differences), comparable=True)


def writes_by_model(system: SystemInfo) -> bool | None:
    """Return whether a model writes the answers; None where the system does not say."""
    answer = system.settings.get(f"{_ANSWER_KEYS}use")
    return None if answer is None else answer != '"extractive"'


def _changed_settings(old: SystemInfo, new: SystemInfo) -> Iterator[SystemDifference]:
    """Yield each key that differs; a digest alone where one side does not hold the keys."""
    if old.parts.get("settings") == new.parts.get("settings"):
        return
    keys = [
        key
        for key in {**new.settings, **old.settings}
        if old.settings.get(key) != new.settings.get(key)
    ]
    if not old.settings or not new.settings or not keys:
        yield SystemDifference(Stage.OTHER, "settings")
        return
    for key in keys:
        stage = Stage.ANSWER if key.startswith(_ANSWER_KEYS) else Stage.CONTEXTS
        before, after = (side.settings.get(key, UNSET) for side in (old, new))
        yield SystemDifference(stage, setting_change(key, before, after))


def _changed_parts(old: SystemInfo, new: SystemInfo) -> Iterator[SystemDifference]:
    for name in sorted(old.parts.keys() | new.parts.keys()):
        if name != "settings" and old.parts.get(name) != new.parts.get(name):
            yield SystemDifference(_stage(name), _WORDS.get(name, shortened(name)))


def _stage(part_name: str) -> Stage:
    name = part_name.lower()
    fits = (stage for stage, words in _STAGES if any(word in name for word in words))
    return next(fits, Stage.OTHER)


def change_origin(
    before: RunManifest | None, after: RunManifest, decision: Decision
) -> ChangeOrigin:
    """Return what differs between the systems of two runs.

    One part alone did it where it is all that differs, and neither chance nor drift can have: the
    system repeats exactly. Times are never put down to a part: the machine has its share in them.
    """
    changes = system_changes(before, after)
    parts = tuple(ChangedPart(words=each.words) for each in changes.differences)
    repeats = {Reads.RETRIEVAL, Reads.ANSWER} <= changes.repeats
    timed = any(row.blocks and row.unit == "seconds" for row in decision.rows)
    alone = changes.comparable and len(parts) == 1 and repeats and not timed
    return ChangeOrigin(parts=parts, alone=alone)

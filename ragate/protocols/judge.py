"""A judge: a model that gives scores by criterion."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, runtime_checkable

from ragate.models import Sample, Score, SystemOutput
from ragate.protocols.resources import Resources


class Judge(Protocol):
    """Gives scores by criterion, all in one call where it can.

    Its module defines ``create(settings, resources)``, an async context manager that yields it.
    """

    @property
    def fingerprint(self) -> str:
        """Hash over everything that can change a verdict: model, parameters, prompt and version."""
        ...

    @property
    def criteria(self) -> frozenset[str]:
        """The criteria that it can judge."""
        ...

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        """Return a score for each criterion; what could not be measured is unscored.

        A score's `metric` is the criterion's name.

        Raises:
            ProviderError: the judge's provider is out altogether (breaker open, wrong key): every
                further call would fail too.
        """
        ...


@runtime_checkable
class ComparingJudge(Protocol):
    """What a judge may have as well: the criterion ``pairwise``."""

    async def compare(self, sample: Sample, output: SystemOutput, other: SystemOutput) -> Score:
        """Return 1 where the answer of `output` is better than that of `other`, 0.5 for a tie.

        0 where it is worse; both hold answers only.
        """
        ...


@runtime_checkable
class SparingJudge(Protocol):
    """What a judge may have as well: it knows when no model is needed."""

    def asks(self, criteria: Sequence[str], sample: Sample, output: SystemOutput) -> bool:
        """Return False where nothing of it needs a model, so that no canary has to be asked."""
        ...


@runtime_checkable
class SeparateCriteria(Protocol):
    """What a judge may have as well: each criterion is a question of its own."""

    @property
    def apart(self) -> bool:
        """True where they are asked one by one, and each score is kept when it is there."""
        ...


@runtime_checkable
class GroundedCriteria(Protocol):
    """What a judge may have as well: some of its criteria read the retrieved texts, not all."""

    @property
    def grounded(self) -> frozenset[str]: ...


@runtime_checkable
class OwnRules(Protocol):
    """What a judge may have as well: criteria for which a text of the user's says what passes."""

    @property
    def own_rules(self) -> frozenset[str]:
        """No canary can know these."""
        ...


@runtime_checkable
class PlantedGuidelines(Protocol):
    """What a judge may have as well: criteria that are lists of guidelines."""

    @property
    def planted(self) -> Mapping[str, str]:
        """By such a criterion the name of the same with one more guideline, which answers break."""
        ...


class JudgeModule(Protocol):
    """A module of ragate.judges, or one by dotted path."""

    def create(
        self, settings: Mapping[str, Any], resources: Resources
    ) -> AbstractAsyncContextManager[Judge]: ...


@runtime_checkable
class KnownCriteria(Protocol):
    """What a judge's module may define as well, so that a configuration is checked without it."""

    CRITERIA: frozenset[str]

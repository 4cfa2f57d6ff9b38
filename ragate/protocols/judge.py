"""A judge: a model that gives scores by criterion."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, runtime_checkable

from ragate.models import Sample, Score, SystemOutput
from ragate.protocols.resources import Resources


class Judge(Protocol):
    """Gives scores by criterion, all in one call where it can.

    Its module defines ``create(settings, resources)``, an async context manager that yields it.
    What it may have as well is in `JudgeAbilities`.
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


class JudgeModule(Protocol):
    """A module of ragate.judges, or one by dotted path."""

    def create(
        self, settings: Mapping[str, Any], resources: Resources
    ) -> AbstractAsyncContextManager[Judge]: ...


@runtime_checkable
class KnownCriteria(Protocol):
    """What a judge's module may define as well, so that a configuration is checked without it."""

    CRITERIA: frozenset[str]

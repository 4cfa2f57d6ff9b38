"""A judge: a model that gives scores by criterion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from ragate.models import Sample, Score, SystemOutput
from ragate.protocols.resources import Resources


class Judge(Protocol):
    """Gives scores by criterion, all in one call where it can.

    Its module defines ``create(settings, resources)``, an async context manager that yields it.

    It may have two more methods. ``asks(criteria, sample, output)`` returns False where nothing of
    it needs a model, so that no canary has to be asked for it either. ``async compare(sample,
    output, other)`` gives the score of the criterion ``pairwise``: 1 where the answer of `output`
    is better than that of `other`, 0.5 for a tie, 0 where it is worse; both hold answers only.
    An attribute ``apart`` that is True says that each criterion is a question of its own: then they
    are asked one by one, and each score is kept when it is there.
    Two more are sets of criteria: ``grounded``, those that read the retrieved texts (all of them
    where it is absent), and ``own_rules``, those for which a text of the user's says what passes,
    so that no canary can know it.
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

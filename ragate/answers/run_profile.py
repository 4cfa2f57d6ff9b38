"""What part of the gate a run is asked for: options, a profile of the policy, or both."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field

from ragate.config import Config, Profile
from ragate.config.set_keys import told_keys
from ragate.errors import UsageError
from ragate.models import Filters
from ragate.settings import nearest
from ragate.version import MANUAL


@dataclass(frozen=True)
class Selection:
    """What part of the golden set is run, and how.

    Attributes:
        runs: Passes of the first look, at least 1.
        eval_date: What ``{today}`` in a question stands for, "" for today.
    """

    filters: Filters = field(default_factory=Filters)
    retrieval_only: bool = False
    runs: int = 1
    eval_date: str = ""


# There without being written: the two that everyone needs.
BUILT_IN = {"full": Profile(), "retrieval": Profile(retrieval_only=True)}


@dataclass(frozen=True)
class RunRequest:
    """What was asked for on the command line; an option that was not given is empty."""

    ids: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    limit: int | None = None
    top_k: int | None = None
    retrieval_only: bool = False
    skip: tuple[str, ...] = ()
    profile: str = ""
    eval_date: datetime.date | None = None
    settings: tuple[str, ...] = ()


def selection_of(config: Config, options: RunRequest, *, runs: int) -> Selection:
    """Return the selection: an option that is given wins over the profile's.

    Raises:
        UsageError: there is no such profile, or no such metric to skip.
    """
    profile = find_profile(config, options.profile) if options.profile else Profile()
    skip = options.skip or profile.skip
    refuse_unknown_metrics(config, skip)
    eval_date = options.eval_date or profile.eval_date
    return Selection(
        filters=Filters(
            ids=options.ids,
            tags=options.tags or profile.tags,
            where=options.where or profile.where,
            limit=options.limit or profile.limit,
            skip=tuple(dict.fromkeys(skip)),
            top_k=options.top_k or profile.top_k,
            profile=options.profile,
            settings=told_keys(options.settings) if options.settings else (),
        ),
        retrieval_only=options.retrieval_only or profile.retrieval_only,
        runs=runs,
        eval_date=eval_date.isoformat() if eval_date else "",
    )


def find_profile(config: Config, name: str) -> Profile:
    """Return a profile of the policy, or a built-in one that the policy does not redefine.

    Raises:
        UsageError: names the nearest.
    """
    profiles = {**BUILT_IN, **config.policy.profiles}
    if name not in profiles:
        raise UsageError(
            f"no profile {name!r}{nearest(name, profiles)}",
            remedy=f"write it as [policy.profiles.{name}]: {MANUAL}/commands.md",
        )
    return profiles[name]


def refuse_unknown_metrics(config: Config, skip: Sequence[str]) -> None:
    """Raise where a metric that is to be skipped is none of the policy's: a slip skips nothing."""
    names = [rule.metric for rule in config.policy.metrics]
    for name in skip:
        if name not in names:
            raise UsageError(f"--skip {name!r}: no such metric in the policy{nearest(name, names)}")

"""Drops that maintainers accepted: found in the pull request's comments, proved again each time.

An accept is two comments: the maintainer's ``/ragate accept …``, and our reply, whose first line
binds it to the gate, the commit and the outputs that were judged. Neither counts alone. Every time
a verdict is made both are read again: the maintainer's must be as it was written, and its author
must still have write permission.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from ragate.core.hashing import digest
from ragate.errors import UsageError
from ragate.github.event.slash_command import Command, parse_command
from ragate.github.rest.repository import Json, Repository, login_in
from ragate.models import Acceptance, Decision, Rule, Run

# Accepted by this name: that the outputs come from another system than the base's.
SYSTEM = "system"
MAY_WRITE = frozenset({"admin", "write"})
_BINDING = re.compile(
    r"<!-- ragate-accept:1 gate=(?P<gate>[A-Za-z0-9._-]{1,60}) sha=(?P<sha>[0-9a-f]{40,64}) "
    r"outputs=(?P<outputs>[0-9a-f]{8,64}) comment=(?P<comment>[0-9]{1,18}) -->"
)


@dataclass(frozen=True)
class AcceptScope:
    """What an accept is for: one gate, one commit, and the outputs that were judged there."""

    gate: str
    sha: str
    outputs: str


def outputs_digest(run: Run) -> str:
    """Return what tells the outputs of two runs apart, over all samples and passes."""
    return digest(
        sorted([record.sample_id, record.run, record.output_hash] for record in run.records)
    )


def binding_line(scope: AcceptScope, comment_id: int) -> str:
    """Return line 1 of the reply that binds an accept."""
    return (
        f"<!-- ragate-accept:1 gate={scope.gate} sha={scope.sha} outputs={scope.outputs} "
        f"comment={comment_id} -->"
    )


def may_write(repository: Repository, login: str, kind: str) -> bool:
    """Return True for a person who may write to the repository; asks the API each time."""
    person = kind == "User" and bool(login) and not login.endswith("[bot]")
    return person and repository.permission(login) in MAY_WRITE


def can_fail(rules: Sequence[Rule], decision: Decision) -> list[str]:
    """Return the metrics that a gate can fail on, of the whole set and of slices."""
    ruled = [rule.metric for rule in rules if rule.level == "error"]
    decided = [row.key for row in decision.rows if row.gates or row.blocks]
    return list(dict.fromkeys([*ruled, *decided]))


def takes_system(accepted: Sequence[Acceptance]) -> bool:
    """Return True where it is accepted that the outputs come from another system."""
    return any(acceptance.metric == SYSTEM for acceptance in accepted)


def is_bound(comments: list[Json], comment_id: int, bot: str) -> bool:
    """Return True where one of our replies binds this comment already."""
    return any(binding["comment"] == str(comment_id) for binding in _bindings(comments, bot))


def acceptances(
    repository: Repository,
    number: int,
    scope: AcceptScope,
    bot: str,
    *,
    without: Collection[str] = (),
) -> tuple[Acceptance, ...]:
    """Return what is accepted for this gate, commit and outputs, each proved again.

    Args:
        bot: The login that our own comments are written by.
        without: Logins whose accepts do not count here.
    """
    return _proved(repository, number, bot, without, lambda bound: bound == scope)


def accepted_on_the_way(
    repository: Repository, number: int, gate: str, bot: str, *, without: Collection[str]
) -> tuple[Acceptance, ...]:
    """Return what was accepted for the last commit of a merged pull request, for the record."""
    head = str(repository.pull(number)["head"]["sha"])
    return _proved(
        repository, number, bot, without, lambda bound: (bound.gate, bound.sha) == (gate, head)
    )


def _proved(
    repository: Repository,
    number: int,
    bot: str,
    without: Collection[str],
    counts: Callable[[AcceptScope], bool],
) -> tuple[Acceptance, ...]:
    """Return what is accepted within the scopes that count, each proved again."""
    comments = repository.comments(number)
    by_id = {str(comment.get("id")): comment for comment in comments}
    accepted: dict[str, Acceptance] = {}
    for binding in _bindings(comments, bot):
        scope = AcceptScope(binding["gate"], binding["sha"], binding["outputs"])
        comment = by_id.get(binding["comment"])
        command = _accepted(comment, scope) if comment is not None and counts(scope) else None
        if comment is None or command is None:
            continue
        login = login_in(comment)
        kind = str(comment["user"].get("type", ""))
        if login not in without and may_write(repository, login, kind):
            for metric in command.metrics:
                accepted[metric] = Acceptance(
                    metric=metric, by=login, reason=command.reason, commit=scope.sha
                )
    return tuple(accepted.values())


def _bindings(comments: list[Json], bot: str) -> list[Mapping[str, str]]:
    return [
        line.groupdict()
        for comment in comments
        if login_in(comment) == bot and (line := _BINDING.match(str(comment.get("body") or "")))
    ]


def _accepted(comment: Json, scope: AcceptScope) -> Command | None:
    """Return the accept that a record binds, None where the comment is none for this scope."""
    if not login_in(comment) or comment.get("created_at") != comment.get("updated_at"):
        return None  # edited: what was permitted is not what stands there
    try:
        command = parse_command(str(comment.get("body") or ""))
    except UsageError:
        return None
    if command is None or command.verb != "accept" or not scope.sha.startswith(command.sha):
        return None
    return command if command.gate in ("", scope.gate) else None

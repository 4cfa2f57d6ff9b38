"""Which open pull requests a collecting run can be about, also where a name has changed since."""

from collections.abc import Iterable

from ragate.github.event.event import RunRef
from ragate.github.rest.git_database import Json
from ragate.github.rest.repository import Repository


def pulls_of_run(run: RunRef, repository: Repository) -> list[Json]:
    """Return the open pull requests at the run's commit, from the run's own repository.

    They are asked for by owner and branch. Where these lead to none, the branch or the owner may
    have been renamed: then all open ones are looked through for the commit.

    Raises:
        GitHubApiError: the API is out.
    """
    owner = run.head_repository.partition("/")[0]
    if not owner or not run.head_branch:
        return []
    named = repository.pulls_of(f"{owner}:{run.head_branch}")
    return _at(run, named or repository.open_pulls())


def _at(run: RunRef, pulls: Iterable[Json]) -> list[Json]:
    return [
        pull
        for pull in pulls
        if pull["head"]["sha"] == run.head_sha and _is_source(run, pull["head"].get("repo") or {})
    ]


def _is_source(run: RunRef, repository: Json) -> bool:
    """Compare by number where there is one: a name can be given up and taken by someone else."""
    number = repository.get("id")
    if run.head_repository_id and number:
        return bool(number == run.head_repository_id)
    return bool(repository.get("full_name") == run.head_repository)

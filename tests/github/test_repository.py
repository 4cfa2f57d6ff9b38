"""Every call of the action, against the stub."""

from __future__ import annotations

import pytest

from ragate.github.rest.api import Api, GitHubApiError
from ragate.github.rest.repository import BOT, Repository, login_of
from tests.servers.github_stub import TOKEN, Account, GitHub

pytestmark = pytest.mark.integration


def test_a_comment_is_written_changed_and_deleted(github: GitHub, repository: Repository) -> None:
    made = repository.create_comment(7, "first")
    repository.update_comment(made["id"], "second")

    assert [one["body"] for one in repository.comments(7)] == ["second"]

    repository.delete_comment(made["id"])
    repository.delete_comment(made["id"])  # gone already

    assert repository.comments(7) == []


@pytest.mark.parametrize("count", [0, 1, 30, 31, 100, 101, 250])
def test_all_pages_of_comments_are_read(github: GitHub, repository: Repository, count: int) -> None:
    for number in range(count):
        github.add_comment(7, f"comment {number}")

    assert [one["body"] for one in repository.comments(7)] == [
        f"comment {number}" for number in range(count)
    ]


def test_a_status_is_set_and_the_newest_is_listed_first(
    github: GitHub, repository: Repository, base: str
) -> None:
    repository.set_status(base, "pending", "ragate/docs", "judging")
    repository.set_status(base, "failure", "ragate/docs", "worse " * 60, "https://github.com/x")

    newest, oldest = repository.statuses(base)
    assert (newest["state"], oldest["state"]) == ("failure", "pending")
    assert 130 < len(newest["description"]) <= 140
    assert newest["description"].endswith("…")
    assert newest["target_url"] == "https://github.com/x"


def test_a_stranger_has_no_permission(github: GitHub, repository: Repository) -> None:
    github.permissions = {"maintainer": "write"}

    assert repository.permission("maintainer") == "write"
    assert repository.permission("stranger") == "none"


def test_a_permission_that_cannot_be_read_is_not_none(
    github: GitHub, repository: Repository
) -> None:
    github.fault("GET", "/permission$", status=500)

    with pytest.raises(GitHubApiError) as caught:
        repository.permission("octocat")
    assert caught.value.status == 500


def test_pull_requests_are_found_by_number_and_by_branch(
    github: GitHub, repository: Repository, base: str
) -> None:
    head = github.commit({"docs/guide.md": b"# New\n"}, parents=[base])
    github.add_pull(7, head=head, base=base, head_repository="fork/handbook")
    github.add_pull(8, head=head, base=base)

    assert repository.pull(7)["head"]["sha"] == head
    assert [one["number"] for one in repository.pulls_of("fork:change")] == [7]
    assert [one["number"] for one in repository.pulls_of("octo-org:change")] == [8]
    assert repository.pulls_of("fork:other") == []


def test_the_changed_files_of_a_pull_request_come_with_their_lines(
    github: GitHub, repository: Repository, base: str
) -> None:
    head = github.commit({"docs/guide.md": b"# New\n", "b.md": b"b\n"}, parents=[base])

    files = {one["filename"]: one for one in repository.compare_files(base, head)}

    assert {name: one["status"] for name, one in files.items()} == {
        "b.md": "added",
        "docs/guide.md": "modified",
    }
    assert "+# New" in files["docs/guide.md"]["patch"]


def test_runs_and_their_artifacts_are_found_and_downloaded(
    github: GitHub, repository: Repository, base: str
) -> None:
    for run_id in (41, 42):
        github.add_run(run_id, head_sha=base)
    for number in range(35):
        github.add_artifact(42, f"ragate-docs-{number}", {"result.json": b"{}"})

    assert repository.run(42)["event"] == "pull_request"
    assert [one["id"] for one in repository.runs_of(base)] == [42, 41]
    found = repository.run_artifacts(42)
    assert len(found) == 35
    assert repository.run_artifacts(41) == []
    assert repository.download_artifact(found[0]["id"]).startswith(b"PK")


def test_the_host_that_artifacts_come_from_is_not_told_the_token(
    github: GitHub, repository: Repository, base: str
) -> None:
    github.add_run(42, head_sha=base)
    made = github.add_artifact(42, "ragate-docs", {"result.json": b"{}"})
    repository.download_artifact(made)

    (seen,) = [one for one in github.requests if one.host == "storage"]
    assert "authorization" not in seen.headers
    assert TOKEN not in str(seen)


def test_an_artifact_over_the_cap_is_not_read_to_its_end(
    github: GitHub, repository: Repository, base: str
) -> None:
    github.add_run(42, head_sha=base)
    made = github.add_artifact_zip(42, "ragate-docs", b"x" * 100_000)

    with pytest.raises(GitHubApiError, match="more than 1000 bytes"):
        repository.download_artifact(made, max_bytes=1000)


def test_a_run_is_started_once_more(github: GitHub, repository: Repository, base: str) -> None:
    github.add_run(42, head_sha=base)
    repository.rerun(42)

    assert github.runs[42]["run_attempt"] == 2


def test_a_workflows_token_is_the_bots_and_a_persons_is_theirs(github: GitHub, api: Api) -> None:
    github.accounts["ghp_personal"] = Account("octocat", "User", asks_who=True)

    assert login_of(api) == BOT
    with Api(github.url, "ghp_personal") as person:
        assert login_of(person) == "octocat"

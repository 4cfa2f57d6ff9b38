"""The sticky comment: exactly one a gate, ours and nobody else's, whatever happens meanwhile."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from typing import Any

import pytest

from ragate.github.publish.comment import StickyComment
from ragate.github.rest.api import Api, GitHubApiError
from ragate.github.rest.repository import BOT, Repository
from ragate.renderers.markdown import marker
from tests.servers.github_stub import TOKEN, Account, GitHub

pytestmark = pytest.mark.integration

OLD, NEW = "a" * 40, "b" * 40


def comment_on(head: str, gate: str = "docs", text: str = "held") -> str:
    return f"{marker(gate, head)}\n<h3>✅ {gate}: {text}</h3>\n"


@pytest.fixture
def sticky(repository: Repository) -> StickyComment:
    return StickyComment(repository, 7, "docs")


def bodies(github: GitHub, login: str = BOT) -> list[str]:
    return [one["body"] for one in github.comments[7] if one["user"]["login"] == login]


def test_the_first_run_writes_the_comment_and_tells_its_address(
    github: GitHub, sticky: StickyComment
) -> None:
    url = sticky.publish(comment_on(OLD))

    assert bodies(github) == [comment_on(OLD)]
    assert url == github.comments[7][0]["html_url"]


def test_fifty_runs_end_in_one_comment_with_the_last_words(
    github: GitHub, repository: Repository
) -> None:
    urls = {
        StickyComment(repository, 7, "docs").publish(comment_on(OLD, text=f"run {number}"))
        for number in range(50)
    }

    assert len(urls) == 1
    assert bodies(github) == [comment_on(OLD, text="run 49")]


def test_a_run_that_says_the_same_writes_nothing(github: GitHub, sticky: StickyComment) -> None:
    sticky.publish(comment_on(OLD))
    before = len(github.writes())
    sticky.publish(comment_on(OLD))

    assert len(github.writes()) == before


@pytest.mark.parametrize("wave", range(3))
def test_ten_at_once_end_in_one_comment_and_the_oldest_is_kept(github: GitHub, wave: int) -> None:
    for _ in range(wave * 20):
        github.add_comment(7, "talk")
    github.fault("GET", "/comments$", delay_s=0.3, times=10)  # all look before any has written
    start = threading.Barrier(10)

    def run() -> None:
        with Api(github.url, TOKEN, sleep=lambda _: None) as api:
            repository = Repository(api, github.name)
            start.wait()
            StickyComment(repository, 7, "docs").publish(comment_on(OLD))

    threads = [threading.Thread(target=run) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    written = [one["id"] for one in github.comments[7] if one["user"]["login"] == BOT]
    made = [seen for seen in github.writes() if seen.method == "POST"]

    assert bodies(github) == [comment_on(OLD)]
    assert written == [1001 + wave * 20]  # the first id that any of them got
    assert len(made) > 1


PROGRAM = """
import sys
from ragate.github.rest.api import Api
from ragate.github.publish.comment import StickyComment
from ragate.github.rest.repository import Repository
url, token, name, body = sys.argv[1:]
with Api(url, token) as api:
    print(StickyComment(Repository(api, name), 7, "docs").publish(body))
"""


def test_five_processes_at_once_end_in_one_comment(github: GitHub) -> None:
    command = [sys.executable, "-c", PROGRAM, github.url, TOKEN, github.name, comment_on(OLD)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(5)]
    told = {process.communicate(timeout=300)[0] for process in running}

    assert [process.returncode for process in running] == [0] * 5
    assert len(bodies(github)) == 1
    assert told == {github.comments[7][0]["html_url"] + "\n"}


@pytest.mark.parametrize(
    "fault", [{"lost": True}, {"status": 502}, {"status": 500}, {"lost": True, "times": 2}]
)
def test_an_answer_that_is_lost_after_the_comment_was_written_leaves_one(
    github: GitHub, sticky: StickyComment, fault: dict[str, Any]
) -> None:
    github.fault("POST", "/comments$", **fault)

    url = sticky.publish(comment_on(OLD))

    assert bodies(github) == [comment_on(OLD)]
    assert url == github.comments[7][0]["html_url"]


def test_twins_of_an_earlier_accident_are_removed_and_the_oldest_stays(
    github: GitHub, sticky: StickyComment
) -> None:
    for text in ("one", "two", "three"):
        github.add_comment(7, comment_on(OLD, text=text), BOT)
    oldest = github.comments[7][0]["id"]

    sticky.publish(comment_on(NEW))

    assert [(one["id"], one["body"]) for one in github.comments[7]] == [(oldest, comment_on(NEW))]


def test_a_comment_that_is_deleted_meanwhile_is_written_anew(
    github: GitHub, sticky: StickyComment
) -> None:
    sticky.publish(comment_on(OLD))
    github.fault("PATCH", "/issues/comments/", status=404, message="Not Found")

    sticky.publish(comment_on(NEW))

    assert bodies(github) == [comment_on(NEW)]


def test_a_refusal_is_told_and_not_tried_again(github: GitHub, sticky: StickyComment) -> None:
    github.accounts[TOKEN] = Account(writes=frozenset())

    with pytest.raises(GitHubApiError, match="403 Resource not accessible by integration"):
        sticky.publish(comment_on(OLD))
    assert len(github.writes()) == 1


FOREIGN = (
    ("mallory", comment_on(OLD)),  # anybody may write the marker
    ("mallory", f"> {comment_on(OLD)}"),
    ("octocat", f"Look at this:\n{comment_on(OLD)}"),
    (BOT, f"A report of another program\n{comment_on(OLD)}"),
    ("other-gate[bot]", comment_on(OLD)),
    (BOT, "<!-- ragate:1 gate=docs and no end"),
    ("ghost", ""),
)


@pytest.mark.parametrize("count", [0, 1, 29, 30, 31, 99, 100, 101, 250])
@pytest.mark.parametrize("ours_at", ["nowhere", "first", "last"])
def test_among_any_number_of_foreign_comments_only_ours_is_touched(
    github: GitHub, sticky: StickyComment, count: int, ours_at: str
) -> None:
    if ours_at == "first":
        github.add_comment(7, comment_on(OLD), BOT)
    for number in range(count):
        login, body = FOREIGN[number % len(FOREIGN)]
        github.add_comment(7, body, login)
    if ours_at == "last":
        github.add_comment(7, comment_on(OLD), BOT)
    github.comments[7].append({"id": 1, "body": None, "user": None, "html_url": None})
    before = {one["id"]: one["body"] for one in github.comments[7]}

    sticky.publish(comment_on(NEW))

    after = {one["id"]: one["body"] for one in github.comments[7]}
    changed = {key for key in {*before, *after} if before.get(key) != after.get(key)}
    assert [after[key] for key in changed] == [comment_on(NEW)]
    assert len(after) == len(before) + (ours_at == "nowhere")


def sticky_of(repository: Repository, gate: str, number: int = 7) -> StickyComment:
    return StickyComment(repository, number, gate, pause=lambda _: None)


def uncounted(body: str) -> str:
    """Return the comment without the line that counts its gates."""
    lines = body.splitlines(keepends=True)
    return "".join(line for line in lines if "<!-- ragate:gates -->" not in line)


def of_sign(gate: str, sign: str, head: str = OLD) -> str:
    return f"{marker(gate, head)}\n<h3>{sign} {gate}: said</h3>\n\n<p>why of {gate}</p>\n"


def test_the_gates_of_a_repository_share_one_comment_of_each_pull_request(
    github: GitHub, repository: Repository
) -> None:
    for gate in ("docs", "docs-2", "doc"):
        for number in (7, 8):
            sticky_of(repository, gate, number).publish(comment_on(OLD, gate))

    assert [len(github.comments[number]) for number in (7, 8)] == [1, 1]
    (body,) = bodies(github)
    assert [body.count(marker(gate, OLD)) for gate in ("docs", "docs-2", "doc")] == [1, 1, 1]


def test_the_worst_gate_stands_first_and_open_and_a_repaired_one_is_folded(
    github: GitHub, repository: Repository
) -> None:
    for gate, sign in (("a", "✅"), ("b", "❌"), ("c", "🟡")):
        sticky_of(repository, gate).publish(of_sign(gate, sign))

    (body,) = bodies(github)
    assert uncounted(body).startswith(of_sign("b", "❌"))
    assert re.findall(r"<summary>(\S+ \w):", body) == ["🟡 c", "✅ a"]

    sticky_of(repository, "b").publish(of_sign("b", "✅", NEW))
    (body,) = bodies(github)
    assert uncounted(body).startswith(of_sign("c", "🟡"))
    assert re.findall(r"<summary>(\S+ \w):", body) == ["✅ a", "✅ b"]
    assert marker("b", OLD) not in body


def test_a_newer_commit_outdates_the_section_of_its_gate_alone(
    github: GitHub, repository: Repository
) -> None:
    for gate in ("a", "b"):
        sticky_of(repository, gate).publish(of_sign(gate, "❌"))
    sticky_of(repository, "b").outdated(NEW)

    (body,) = bodies(github)
    assert body.count("⏳ judging bbbbbbb") == 1
    assert body.index("⏳") > body.index(marker("b", OLD))


def test_comments_that_gates_wrote_apart_become_one_and_nothing_of_them_is_lost(
    github: GitHub, repository: Repository
) -> None:
    for gate in ("a", "b", "c"):
        github.add_comment(7, of_sign(gate, "✅"), BOT)
    sticky_of(repository, "b").publish(of_sign("b", "❌"))

    (body,) = bodies(github)
    assert uncounted(body).startswith(of_sign("b", "❌"))
    assert all(f"why of {gate}" in body for gate in ("a", "b", "c"))


def test_gates_that_write_at_once_all_stand_there_in_the_end(
    github: GitHub, repository: Repository
) -> None:
    gates = [f"gate{number}" for number in range(4)]
    start = threading.Barrier(len(gates))

    def run(gate: str) -> None:
        with Api(github.url, TOKEN, sleep=lambda _: None) as api:
            start.wait()
            StickyComment(Repository(api, github.name), 7, gate).publish(of_sign(gate, "✅"))

    threads = [threading.Thread(target=run, args=(gate,)) for gate in gates]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    (body,) = bodies(github)
    assert [gate for gate in gates if f"why of {gate}<" not in body] == []


@pytest.mark.parametrize("asks_who", [True, False])
def test_a_token_of_a_person_or_an_app_finds_its_own_comment(
    github: GitHub, asks_who: bool
) -> None:
    login = "octocat" if asks_who else "our-gate[bot]"
    github.accounts["own"] = Account(login, asks_who=asks_who)
    github.add_comment(7, comment_on(OLD), "mallory")
    for number in range(3):
        with Api(github.url, "own") as api:  # a new process each time: nothing is remembered
            StickyComment(Repository(api, github.name), 7, "docs").publish(
                comment_on(OLD, text=f"run {number}")
            )

    assert bodies(github, login) == [comment_on(OLD, text="run 2")]
    assert bodies(github, "mallory") == [comment_on(OLD)]
    first = [one["id"] for one in github.comments[7] if one["user"]["login"] == login]
    assert first == [1002]  # the oldest


def test_a_newer_commit_makes_the_comment_outdated_at_once_and_only_once(
    github: GitHub, sticky: StickyComment
) -> None:
    sticky.publish(comment_on(OLD))
    sticky.outdated(NEW)
    sticky.outdated(NEW)

    lines = bodies(github)[0].splitlines()
    assert lines == [
        marker("docs", OLD),
        "<p>⏳ judging bbbbbbb; below is for aaaaaaa</p>",
        "<h3>✅ docs: held</h3>",
    ]
    assert len([seen for seen in github.writes() if seen.method == "PATCH"]) == 1

    sticky.outdated("c" * 40)
    assert bodies(github)[0].splitlines()[1] == "<p>⏳ judging ccccccc; below is for aaaaaaa</p>"

    sticky.publish(comment_on(NEW))
    assert bodies(github) == [comment_on(NEW)]


def test_a_comment_on_this_very_commit_is_not_outdated(
    github: GitHub, sticky: StickyComment
) -> None:
    sticky.publish(comment_on(OLD))
    sticky.outdated(OLD)

    assert bodies(github) == [comment_on(OLD)]


def test_without_a_comment_nothing_is_outdated(github: GitHub, sticky: StickyComment) -> None:
    sticky.outdated(NEW)

    assert github.writes() == []


def test_line_ends_as_a_browser_sends_them_hide_no_comment(
    github: GitHub, sticky: StickyComment
) -> None:
    github.add_comment(7, comment_on(OLD).replace("\n", "\r\n"), BOT)
    sticky.publish(comment_on(NEW))

    assert bodies(github) == [comment_on(NEW)]


def test_a_write_that_waited_for_its_rate_puts_no_older_section_of_another_gate_back(
    github: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    github.add_pull(7, head=NEW, base=OLD)
    waited: list[float] = []

    def meanwhile(seconds: float) -> None:
        if not waited:
            sticky_of(other, "b").tell(of_sign("b", "❌", NEW), NEW)
        waited.append(seconds)

    with Api(github.url, TOKEN) as theirs, Api(github.url, TOKEN, sleep=meanwhile) as ours:
        other = Repository(theirs, github.name)
        for gate in ("a", "b"):
            sticky_of(other, gate).publish(of_sign(gate, "✅"))
        github.fault("PATCH", "/issues/comments/", status=429, headers={"retry-after": "7"})
        sticky_of(Repository(ours, github.name), "a").tell(of_sign("a", "✅", NEW), NEW)

    (body,) = bodies(github)
    assert [int(one) for one in waited] == [7]
    assert uncounted(body).startswith(of_sign("b", "❌", NEW))
    assert marker("a", NEW) in body
    assert OLD not in body


def test_a_comment_that_is_limited_for_ever_is_given_up(
    github: GitHub, repository: Repository, waits: list[float]
) -> None:
    sticky_of(repository, "docs").publish(comment_on(OLD))
    github.fault("PATCH", "/issues/comments/", status=429, headers={"retry-after": "7"}, times=99)

    with pytest.raises(GitHubApiError, match="429"):
        sticky_of(repository, "docs").publish(comment_on(NEW))
    assert len(waits) == 3


def test_a_section_that_another_gate_left_of_an_older_commit_is_marked_as_such(
    github: GitHub, repository: Repository
) -> None:
    github.add_pull(7, head=NEW, base=OLD)
    for gate in ("a", "b"):
        sticky_of(repository, gate).publish(of_sign(gate, "✅"))
    line = "<p>⏳ an older commit: aaaaaaa; the newest is bbbbbbb</p>"

    sticky_of(repository, "a").tell(of_sign("a", "✅", NEW), NEW)
    (body,) = bodies(github)
    assert f"{marker('b', OLD)}\n{line}\n" in body
    assert body.count("⏳") == 1

    sticky_of(repository, "b").outdated(NEW)
    sticky_of(repository, "a").tell(of_sign("a", "🟡", NEW), NEW)
    (body,) = bodies(github)
    assert f"{marker('b', OLD)}\n<p>⏳ judging bbbbbbb; below is for aaaaaaa</p>\n" in body
    assert body.count("⏳") == 1

    sticky_of(repository, "b").tell(of_sign("b", "✅", NEW), NEW)
    assert "⏳" not in bodies(github)[0]


@pytest.mark.parametrize("status", [403, 500, 503])
def test_where_the_newest_commit_cannot_be_asked_a_section_on_another_one_stays(
    github: GitHub, repository: Repository, status: int
) -> None:
    sticky = sticky_of(repository, "docs")
    sticky.publish(comment_on(NEW))
    github.fault("GET", "/pulls/7$", status=status, times=99)

    with pytest.raises(GitHubApiError, match=f"GET .*/pulls/7: {status}"):
        sticky.tell(comment_on(OLD), OLD)
    assert bodies(github) == [comment_on(NEW)]

    sticky.tell(comment_on(NEW, text="again"), NEW)
    assert bodies(github) == [comment_on(NEW, text="again")]


def test_a_run_that_looks_again_does_not_take_the_section_of_a_newer_commit(
    github: GitHub, repository: Repository
) -> None:
    github.add_pull(7, head=OLD, base=NEW)
    sticky_of(repository, "b").publish(of_sign("b", "✅"))

    def newer_run(_: float) -> None:
        github.pulls[7]["head"]["sha"] = NEW
        sticky_of(repository, "a").tell(of_sign("a", "❌", NEW), NEW)

    StickyComment(repository, 7, "a", pause=newer_run).tell(of_sign("a", "✅"), OLD)

    assert of_sign("a", "❌", NEW) in uncounted(bodies(github)[0])


@pytest.mark.parametrize("old", [of_sign("b", "✅"), ""])
def test_a_section_of_the_newest_commit_that_a_third_gate_put_back_is_written_again(
    github: GitHub, repository: Repository, old: str
) -> None:
    github.add_pull(7, head=NEW, base=OLD)
    sticky_of(repository, "b").publish(of_sign("b", "❌", NEW))
    late = [of_sign("c", "✅", NEW) + old + of_sign("a", "✅", NEW)]

    def write_late(_: float) -> None:
        if late:
            repository.update_comment(github.comments[7][0]["id"], late.pop())

    StickyComment(repository, 7, "a", pause=write_late).tell(of_sign("a", "✅", NEW), NEW)

    (body,) = bodies(github)
    assert uncounted(body).startswith(of_sign("b", "❌", NEW))
    assert [body.count(marker(gate, NEW)) for gate in "abc"] == [1, 1, 1]
    assert OLD not in body

"""Publishing: what a reader sees in which case, and that no accident of it is a verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ragate.errors import ConfigError
from ragate.github.event.inputs import CommentPolicy
from ragate.github.publish import VerdictTarget
from ragate.github.publish.changed_sources import Annotation
from ragate.github.publish.workflow_commands import NAMES, SUMMARY_LIMIT
from ragate.models import FloorResult, MetricVerdict, Report, RunFacts, Verdict
from tests.factories import decision_factory, metric_row_factory, report_factory, sample_row_factory
from tests.github.publish_factories import EVENT, HEAD, NEWER, PULL, RED, TARGET, World, report_of
from tests.servers.github_stub import TOKEN, Account, GitHub

pytestmark = pytest.mark.integration


UNCHANGED = report_of(Verdict.PASSED)


BETTER = report_of(Verdict.PASSED).amended(
    decision=decision_factory(
        metrics=[metric_row_factory("mrr", 0.8, 0.9, MetricVerdict.IMPROVED, better=4)]
    )
)


# What was below its limit before is still below it, and the change reaches no question.
UNAFFECTED_AND_LOW = report_of(Verdict.PASSED).amended(
    decision=decision_factory(
        metrics=[
            metric_row_factory(
                verdict=MetricVerdict.UNCHANGED,
                level="warn",
                floor=FloorResult(limit=0.95, kind="point", met=False),
            )
        ]
    ),
    facts=RunFacts(samples=200, affected=0, reused=200),
)


def with_comment(world: World, policy: CommentPolicy) -> World:
    return replace(world, inputs=replace(world.inputs, comment=policy))


def test_status_and_comment_lead_to_the_page_of_the_run(world: World) -> None:
    done = world.finish(RED)

    assert world.github.statuses[HEAD][0]["target_url"] == EVENT.run_url
    assert f'<a href="{EVENT.run_url}">report</a>' in done.markdown


def test_a_run_on_plain_http_gets_no_link(world: World) -> None:
    plain = replace(EVENT, run_url="http://git.example.org/o/r/actions/runs/42")

    assert "<a" not in replace(world, event=plain).finish(RED).markdown


@pytest.mark.parametrize(
    ("code", "state"), [(0, "success"), (1, "failure"), (2, "error"), (3, "error")]
)
def test_the_status_goes_by_what_the_step_ends_with(world: World, code: int, state: str) -> None:
    world.finish(RED, code)

    assert world.statuses()[0][1] == state


def test_a_red_that_may_pass_does_not_say_that_it_blocks(world: World) -> None:
    world.finish(RED, 0)

    assert world.statuses()[0][2].endswith(" · does not block the merge (fail-on)")
    assert world.outputs()["passed"] == "false"


def test_a_look_that_must_not_pass_says_that_it_blocks(world: World) -> None:
    row = metric_row_factory(verdict=MetricVerdict.CANNOT_TELL, mde=0.1)
    world.finish(report_factory(decision_factory(metrics=[row]), gate="docs", head=HEAD), 1)

    assert world.statuses()[0][1] == "failure"
    assert world.statuses()[0][2].endswith("no score moved · blocks the merge (fail-on)")


@pytest.mark.parametrize(
    ("policy", "report", "posted"),
    [
        ("always", UNCHANGED, True),
        ("always", RED, True),
        ("on-change", UNCHANGED, False),
        ("on-change", UNAFFECTED_AND_LOW, False),
        ("on-change", UNAFFECTED_AND_LOW.amended(rules_differ=("the baseline",)), True),
        ("on-change", BETTER, True),
        ("on-change", RED, True),
        ("on-change", report_of(Verdict.BOOTSTRAP), True),
        ("on-failure", BETTER, False),
        ("on-failure", RED, True),
        ("on-failure", report_of(Verdict.NO_DECISION), True),
        ("off", RED, False),
    ],
)
def test_a_comment_is_posted_when_the_policy_says_so(
    world: World, policy: CommentPolicy, report: Report, posted: bool
) -> None:
    with_comment(world, policy).finish(report)

    assert len(world.comments()) == posted
    assert len(world.statuses()) == 1  # always


@pytest.mark.parametrize("policy", ["always", "on-change", "on-failure"])
def test_a_comment_that_is_there_is_kept_up_to_date_under_every_policy(
    world: World, policy: CommentPolicy
) -> None:
    world.finish(RED)
    with_comment(world, policy).finish(UNCHANGED)

    (comment,) = world.comments()
    assert "✅" in comment


def test_comment_off_leaves_even_an_old_comment_alone(world: World) -> None:
    before = world.finish(RED).markdown
    off = with_comment(world, "off")
    off.publisher().begin(VerdictTarget("docs", NEWER, 7))
    off.finish(UNCHANGED)

    assert world.comments() == [before]


def test_the_old_comment_is_outdated_while_a_newer_commit_is_judged(world: World) -> None:
    world.finish(RED)
    assert EVENT.pull is not None
    pushed = replace(EVENT, pull=EVENT.pull.model_copy(update={"head_sha": NEWER}))
    replace(world, event=pushed).publisher().begin(VerdictTarget("docs", NEWER, 7))

    assert "⏳ judging ccccccc; below is for aaaaaaa" in world.comments()[0].splitlines()[1]
    assert world.github.statuses[NEWER][0]["state"] == "pending"


def test_a_slow_run_does_not_hide_the_verdict_on_a_newer_commit(world: World) -> None:
    world.github.pulls[7]["head"]["sha"] = NEWER
    newer = world.publisher().finish(
        VerdictTarget("docs", NEWER, 7), report_of(head=NEWER), exit_code=1
    )
    world.finish(UNCHANGED)

    assert world.comments() == [newer.markdown]
    assert world.statuses()[0][1] == "success"  # the older commit keeps its own status


def test_a_run_that_is_overtaken_while_the_newer_one_works_says_so(world: World) -> None:
    world.github.pulls[7]["head"]["sha"] = NEWER
    world.finish(RED)

    assert world.comments()[0].splitlines()[1] == "<p>⏳ judging ccccccc; below is for aaaaaaa</p>"


def test_without_a_token_there_are_summary_and_outputs_and_no_calls(world: World) -> None:
    done = replace(world, repository=None).finish(RED)

    assert world.github.requests == []
    assert done.markdown in world.summary()
    assert world.outputs()["verdict"] == "failed"
    assert world.log().commands == []


def test_a_push_has_a_status_and_no_comment(world: World) -> None:
    world.publisher().finish(VerdictTarget("docs", HEAD), RED, exit_code=1)

    assert world.comments() == []
    assert world.statuses()[0][1] == "failure"


TROUBLE: dict[str, Callable[[GitHub], Any]] = {
    "403": lambda github: github.accounts.update({TOKEN: Account(writes=frozenset())}),
    "401": lambda github: github.accounts.clear(),
    "422": lambda github: github.fault("POST", "", status=422, times=99),
    "500": lambda github: github.fault("*", "", status=500, times=99),
    "503": lambda github: github.fault("*", "", status=503, times=99),
    "rate limit": lambda github: github.fault(
        "*", "", status=403, headers={"retry-after": "3600"}, times=99
    ),
    "lost": lambda github: github.fault("*", "", lost=True, times=99),
    "nonsense": lambda github: github.comments[7].append({"id": "x", "body": 5}),
}


@pytest.mark.parametrize("trouble", TROUBLE)
@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_a_problem_of_publishing_is_a_warning_and_the_verdict_stands(
    world: World, trouble: str, code: int
) -> None:
    TROUBLE[trouble](world.github)
    publisher = world.publisher()
    publisher.begin(TARGET)
    done = publisher.finish(TARGET, RED, exit_code=code)

    assert done.markdown in world.summary()
    outputs = world.outputs()
    assert (outputs["verdict"], outputs["exit-code"]) == ("failed", str(code))
    if trouble != "nonsense":
        assert {command.name for command in world.log().commands} == {"warning"}
        assert outputs["comment-url"] == ""
    assert TOKEN not in world.stream.getvalue()


def test_the_reader_of_a_403_is_told_what_to_grant(world: World) -> None:
    world.github.accounts[TOKEN] = Account(writes=frozenset())
    world.finish(RED)

    told = [command.data for command in world.log().commands]
    assert [line.endswith("The job needs 'permissions: statuses: write'") for line in told] == [
        True,
        False,
    ]
    assert told[1].endswith("The job needs 'permissions: pull-requests: write'")


def test_the_reader_of_a_rate_limit_is_not_sent_to_the_permissions(world: World) -> None:
    told = {"status": 403, "message": "API rate limit exceeded", "headers": {"retry-after": "999"}}
    world.github.fault("*", "", times=99, **told)
    world.finish(RED)

    assert "rate limit exceeded" in world.stream.getvalue()
    assert "permissions" not in world.stream.getvalue()


def test_the_reader_of_a_forks_403_is_told_where_the_verdict_is(world: World) -> None:
    world.github.accounts[TOKEN] = Account(writes=frozenset())
    pull = PULL.model_copy(update={"head_repository": None})
    replace(world, event=replace(EVENT, pull=pull, actor="mallory")).finish(RED)

    assert all("the verdict is in the job summary" in one.data for one in world.log().commands)


def test_the_reader_of_dependabots_403_is_sent_to_the_jobs_permissions(world: World) -> None:
    """GitHub lets a job's permissions raise its token, which a fork's never is."""
    world.github.accounts[TOKEN] = Account(writes=frozenset())
    replace(world, event=replace(EVENT, pull=PULL, actor="dependabot[bot]")).finish(RED)

    told = " ".join(one.data for one in world.log().commands)
    assert "statuses: write" in told
    assert "pull-requests: write" in told
    assert "from a fork" not in told


def test_the_same_problem_is_told_once_and_a_dead_service_is_left_alone(
    world: World, waits: list[float]
) -> None:
    world.github.fault("*", "", lost=True, times=99)
    publisher = world.publisher()
    publisher.begin(TARGET)
    publisher.finish(TARGET, RED, exit_code=1)

    assert len(world.log().commands) == 1
    assert len(world.github.requests) == 4  # the tries of the first call


def test_what_was_refused_twice_for_the_same_reason_is_told_once(world: World) -> None:
    world.github.accounts[TOKEN] = Account(writes=frozenset())
    publisher = world.publisher()
    publisher.begin(TARGET)
    publisher.finish(TARGET, RED, exit_code=1)

    assert len(world.log().commands) == 2  # the status and the comment


def test_a_run_without_a_verdict_says_why_and_what_to_do(world: World) -> None:
    error = ConfigError(
        f"[policy] metrics = </code><b>: unknown key\n::error::x {TOKEN}", remedy="ragate doctor"
    )
    world.publisher().fail(error, exit_code=2, target=TARGET)

    assert world.statuses()[0][:2] == ("ragate/docs", "error")
    assert world.statuses()[0][2].startswith("no verdict: [policy] metrics")
    (comment,) = world.comments()
    assert comment == world.summary().removesuffix("\n")
    assert "<h3>⏸️ docs: no verdict, the run ended in an error · blocks the merge</h3>" in comment
    assert "&lt;/code&gt;&lt;b&gt;" in comment
    assert "<b>Next:</b> <code>ragate doctor</code>" in comment
    assert [command.name for command in world.log().commands] == ["error"]
    assert world.outputs() | {"comment-url": ""} == dict.fromkeys(NAMES, "") | {
        "verdict": "error",
        "passed": "false",
        "exit-code": "2",
    }
    assert TOKEN not in comment + world.stream.getvalue() + str(world.statuses())


@pytest.mark.parametrize("moved", [True, False])
def test_a_run_that_a_newer_push_interrupted_leaves_the_comment_to_that_one(
    world: World, moved: bool
) -> None:
    before = world.finish(RED).markdown
    if moved:
        world.github.pulls[7]["head"]["sha"] = NEWER
    code = 3 if moved else 130
    world.publisher().fail(ConfigError("interrupted"), exit_code=code, target=TARGET)

    assert world.comments() == [before]
    assert world.statuses()[-1][1] == "error"


def test_an_error_before_the_target_is_known_still_has_summary_and_outputs(world: World) -> None:
    world.publisher().fail(ConfigError("no such mode"), exit_code=2)

    assert world.github.requests == []
    assert "no such mode" in world.summary()
    assert world.outputs()["verdict"] == "error"


def test_the_verdict_after_an_error_takes_its_comment(world: World) -> None:
    world.publisher().fail(ConfigError("broken"), exit_code=2, target=TARGET)
    world.finish(UNCHANGED)

    assert len(world.comments()) == 1
    assert "broken" not in world.comments()[0]


def test_annotations_stand_on_their_lines_within_the_limits(world: World) -> None:
    marks = [
        Annotation("ragate.toml", line, "docs: faithfulness", "top_k 10 → 5\n::error::x", level)
        for line in range(1, 31)
        for level in ("error", "warning")
    ]
    world.finish(RED, annotations=marks)

    shown = world.log().commands
    assert [one.name for one in shown].count("error") == 10
    assert [one.name for one in shown].count("warning") == 10
    assert shown[0].properties == {
        "file": "ragate.toml",
        "line": "1",
        "title": "docs: faithfulness",
    }


def large_report() -> Report:
    rows = [
        sample_row_factory(f"q{i}", "<>&'\"" * 60, answers=("&" * 900, "'" * 900))
        for i in range(10_000)
    ]
    return report_of(samples=tuple(rows))


def test_ten_thousand_samples_fit_comment_and_summary_and_the_summary_has_more(
    world: World,
) -> None:
    (world.folder / "summary").write_text("x" * 300_000)  # an earlier part of the step
    world.finish(large_report())

    (comment,) = world.comments()
    summary = world.summary()
    assert len(comment.encode()) <= 60_000
    assert len(summary.encode()) <= SUMMARY_LIMIT
    assert summary.count("<tr>") > 3 * comment.count("<tr>")
    assert summary.rstrip().endswith("</sub></p>")
    assert world.log().commands == []


def test_a_summary_without_room_gets_the_comment_or_nothing_and_no_error(world: World) -> None:
    (world.folder / "summary").write_text("x" * (SUMMARY_LIMIT - 500))
    world.finish(RED)

    assert len(world.summary()) <= SUMMARY_LIMIT
    assert world.outputs()["verdict"] == "failed"

"""What the step tells, as the runner and GitHub read it: the same verdict, and nothing forged."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from cmarkgfm import github_flavored_markdown_to_html
from cmarkgfm.cmark import Options

from ragate.cli.main import run as ragate
from tests.container.grammar import read_log
from tests.container.runner import StepResult
from tests.e2e.action.forge import SAMPLES, Change, Forge, outputs
from tests.projects import ReplayProject, right
from tests.servers.github_stub import TOKEN, Account, github_stub
from tests.unit.github.test_workflow_commands import HOSTILE
from tests.unit.renderers.test_markdown import ALLOWED, Outline
from tests.unit.test_escape import EVIL

pytestmark = pytest.mark.e2e

PARSER = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_GITHUB_PRE_LANG
KEY = "sk-c4nary-of-a-judge"
PASSWORD = "c4nary-of-a-database"
TEXTS = [
    text.encode("utf-8", "replace").decode()[:2000].replace("\x00", "")
    for text in [*HOSTILE, *EVIL]
]


def read_only(forge: Forge) -> None:
    forge.github.accounts[TOKEN] = Account(writes=frozenset())


@pytest.mark.parametrize("broken", [range(0), range(12)], ids=["clean", "broken"])
def test_a_token_that_may_not_write_changes_no_verdict(forge: Forge, broken: range) -> None:
    change = forge.change(outputs(broken=broken))
    told = forge.check(change)
    forge.github.comments.clear()
    read_only(forge)
    silent = forge.check(change)

    assert silent.exit_code == told.exit_code == (1 if broken else 0)
    without = {"comment-url": ""}
    assert silent.outputs | without == told.outputs | without
    assert (bool(told.outputs["comment-url"]), silent.outputs["comment-url"]) == (True, "")
    assert "<h1>" in (forge.last / silent.outputs["report-html"]).read_text()
    kept = (forge.last / silent.outputs["report-markdown"]).read_text()
    assert kept.splitlines()[1] in silent.summary
    assert {command.name for command in silent.annotations()} <= {"warning", "error"}
    assert any("statuses: write" in command.data for command in silent.annotations("warning"))


@pytest.mark.parametrize(
    "fault", [{"status": 500}, {"status": 403, "headers": {"retry-after": "999"}}, {"lost": True}]
)
def test_an_api_that_fails_on_every_write_changes_no_verdict(
    forge: Forge, fault: dict[str, object]
) -> None:
    for method in ("POST", "PATCH"):
        forge.github.fault(method, "", times=999, **fault)
    result = forge.check(forge.change(outputs(broken=range(12))))

    assert (result.exit_code, result.outputs["verdict"]) == (1, "failed")
    assert "blocks" in result.summary


def test_without_a_token_nothing_is_asked_and_the_verdict_is_the_same(forge: Forge) -> None:
    change = forge.change(outputs(broken=range(12)))
    before = len(forge.github.requests)
    result = forge.check(change, token="")

    assert (result.exit_code, result.outputs["verdict"]) == (1, "failed")
    assert len(forge.github.requests) == before
    assert "blocks" in result.summary


def test_an_enterprise_server_behind_a_proxy_gets_the_verdict(forge: Forge) -> None:
    change = forge.change(outputs())
    proxy = forge.github.url.replace("http://", "http://gate:c4nary-of-a-proxy@")
    result = forge.check(
        change,
        inputs={"github-proxy": proxy},
        github={"api_url": "http://git.company.example"},
    )
    assert result.exit_code == 0, result.raw_log
    assert forge.states(change.head) == ["pending", "success"]
    assert {seen.headers["host"] for seen in forge.github.requests} == {"git.company.example"}
    assert "c4nary" not in result.raw_log + result.summary + forge.comment()


@pytest.mark.parametrize(
    "inputs", [{"github-proxy": "proxy.company.example:3128"}, {"github-ca": "certs/ca.pem"}]
)
def test_a_wrong_way_to_github_is_an_error_of_the_workflow(
    forge: Forge, inputs: dict[str, str]
) -> None:
    result = forge.check(forge.change(outputs()), inputs=inputs)
    assert (result.exit_code, result.outputs["verdict"]) == (2, "error")
    assert next(iter(inputs)) in result.raw_log
    assert forge.github.requests == []


def test_several_runs_of_one_commit_end_in_one_comment(forge: Forge) -> None:
    change = forge.change(outputs(broken=range(12)))
    for _ in range(3):
        forge.check(change)

    assert len(forge.github.comments[7]) == 1


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[Forge]:
    """A gate whose questions, references, answers and documents are all hostile."""
    project = tmp_path / "hostile"
    project.mkdir()
    extra = {
        number: {
            "query": f"{number} {TEXTS[number % len(TEXTS)]}",
            "references": [f"{TEXTS[(number + 1) % len(TEXTS)]} {number} apples"],
            "tags": [f"x{TEXTS[number % len(TEXTS)][:30]}"],
        }
        for number in range(SAMPLES)
    }
    ReplayProject(project, samples=SAMPLES, extra=extra)
    before = Path.cwd()
    os.chdir(project)
    try:
        assert ragate(["baseline", "update", "--runs", "3"]) == 0
    finally:
        os.chdir(before)
    paths = [path for path in project.rglob("*") if path.is_file() and ".ragate" not in path.parts]
    with github_stub(tmp_path / "github") as github:
        made = Forge(github, tmp_path)
        made.start({path.relative_to(project).as_posix(): path.read_bytes() for path in paths})
        yield made


def hostile_outputs() -> dict[str, bytes]:
    """Return outputs that lost their documents to hostile ones, with hostile answers and errors."""
    files = {}
    for run in range(3):
        lines = []
        for number in range(SAMPLES):
            line = dict(right(number, run))
            if number < 2 * SAMPLES // 3:
                text = TEXTS[number % len(TEXTS)]
                line = {
                    "answer": text,
                    "chunks": [{"doc_id": f"{text[:60]} {number}", "text": text or "x"}],
                }
            lines.append(json.dumps({"id": f"q{number}", **line}) + "\n")
        files[f"outputs/run{run}.jsonl"] = "".join(lines).encode()
    return files


def test_hostile_questions_answers_and_documents_command_and_mark_up_nothing(
    hostile: Forge,
) -> None:
    result = hostile.check(hostile.change(hostile_outputs()))

    assert (result.exit_code, result.outputs["verdict"]) == (1, "failed"), result.log
    assert result.errors == []
    assert {command.name for command in result.commands} <= {"group", "endgroup", "error"}
    remarks = [command for command in result.commands if command.name == "error"]
    assert all(remark.properties["file"].startswith("outputs/run") for remark in remarks)
    assert not any("evil" in remark.data for remark in remarks)
    for page in (hostile.comment(), result.summary):
        outline = Outline(github_flavored_markdown_to_html(page, options=PARSER))
        assert set(outline.tags) <= ALLOWED
        assert outline.nested
        assert outline.comments == 1
        assert all(link and link.startswith("https://github.com/") for link in outline.links)
        assert "evil" not in outline.bare
        assert "octocat" not in outline.bare
    (told,) = {
        one["context"] for one in hostile.github.statuses[hostile.github.pulls[7]["head"]["sha"]]
    }
    assert told == "ragate/gate"


def everything(forge: Forge, result: StepResult) -> str:
    """Return every place that a secret could have got to."""
    files = [
        path.read_bytes().decode("utf-8", "replace")
        for path in sorted(forge.last.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    ]
    stub = forge.github
    return "\n".join(
        [
            result.raw_log,
            result.summary,
            str(result.outputs),
            str(dict(stub.comments)),
            str(dict(stub.statuses)),
            *(f"{seen.path} {seen.query} {seen.body!r}" for seen in stub.requests),
            *files,
        ]
    )


@pytest.mark.parametrize("case", ["red", "green", "error", "echo", "no connection"])
def test_no_secret_reaches_any_sink(forge: Forge, case: str) -> None:
    changes = {"red": outputs(broken=range(12)), "error": {"ragate.toml": b"[policy\n"}}
    change = forge.change(changes.get(case, outputs()))
    if case == "echo":
        for status in (401, 500):
            forge.github.fault("*", "", status=status, message=f"Bearer {TOKEN}", times=2)
    if case == "no connection":
        forge.github.url = "http://127.0.0.1:1"
    result = forge.check(
        change,
        env={"OPENAI_API_KEY": KEY, "RAGATE_DEBUG": "1"},
        inputs={"database-url": f"postgresql://ragate:{PASSWORD}@localhost:1/ragate"},
    )
    shown = everything(forge, result)

    assert result.outputs["verdict"] in {"passed", "failed", "error", "no_decision"}
    assert [secret for secret in (TOKEN, KEY, PASSWORD) if secret in shown] == []


NOISY = """
import logging, os, sys, threading, time, warnings

LINES = "::error::forged\\n##[error]forged\\r::warning::forged\\n::set-output name=verdict::passed"


heard = threading.Event()


def later():
    while True:
        time.sleep(0.05)
        os.write(1, b"\\n::error::forged by a thread\\n")
        heard.set()
        for name in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_STEP_SUMMARY"):
            if name in os.environ:
                with open(os.environ[name], "a") as file:
                    file.write("verdict=passed\\n")


threading.Thread(target=later, daemon=True).start()
print(LINES)


def answer(query):
    heard.wait()
    print(LINES, flush=True)
    sys.stderr.write(LINES + "\\n::stop-commands::x\\n")
    os.write(2, LINES.encode())
    os.system("printf '\\n::error::forged by a child\\n'")
    logging.warning(LINES)
    warnings.warn(LINES)
    sys.stdout.write("an open line")
    if "1" in query:
        raise RuntimeError(LINES)
    return {"answer": LINES, "chunks": []}
"""


def noisy_change(forge: Forge, code: str) -> Change:
    """Return a change whose system is a function of the given module."""
    base = forge.github.git.entry(forge.base, "ragate.toml")
    assert base is not None
    text = forge.github.git.read(base.sha).decode().replace('["replay"]', '["replay", "python"]')
    forge.base = forge.github.commit(
        {"ragate.toml": text.encode()}, parents=[forge.base], branch="main"
    )
    policy = text.rpartition("[system]")[0]
    system = '[system]\nuse = "python"\ntarget = "rag:answer"\n'
    return forge.change({"ragate.toml": (policy + system).encode(), "rag.py": code.encode()})


# All of it runs after the verdict is out: at the interpreter's end, and beyond.
LATE = r"""
import atexit, os, subprocess, sys, threading, time

LINES = "\n::error::forged %s\n##[error]forged %s\n"


def say(source):
    os.write(1, (LINES % (source, source)).encode())


def last_thread():
    threading.main_thread().join()
    say("by the last thread")


CHILD = "import os, sys, time\nwhile os.getppid() == int(sys.argv[1]): time.sleep(0.02)\n"
CHILD += "time.sleep(0.2); os.write(1, sys.argv[2].encode())"
atexit.register(say, "at the end")
threading.Thread(target=last_thread).start()
LATE_CHILD = LINES % (("by a child that outlives",) * 2)
subprocess.Popen(
    [sys.executable, "-c", CHILD, str(os.getpid()), LATE_CHILD], start_new_session=True
)


def answer(query):
    return {"answer": "late", "chunks": []}
"""


def test_what_it_prints_after_the_verdict_commands_nothing(forge: Forge) -> None:
    result = forge.check(noisy_change(forge, LATE), inputs={"allow-code": "true"})

    assert result.outputs["verdict"] == "failed", result.log
    for source in ("by the last thread", "at the end"):
        assert f": :error: :forged {source}" in result.raw_log  # it was tried
    assert "by a child that outlives" not in result.raw_log  # it was ended with the worker
    assert [one for one in result.commands if "forged" in str(one)] == []
    assert result.errors == []


def test_what_the_system_under_test_prints_commands_nothing(forge: Forge) -> None:
    result = forge.check(noisy_change(forge, NOISY), inputs={"allow-code": "true"})

    assert (result.exit_code, result.outputs["verdict"]) == (1, "failed"), result.log
    for source in ("forged by a child", "forged by a thread", "set-output name=verdict"):
        assert source in result.raw_log  # it was tried
    unguarded = result.raw_log.replace("::stop-commands::", "")
    assert "forged" not in str(read_log(unguarded).commands)
    assert (result.exported, "verdict=passed" in result.summary) == ({}, False)
    assert [one for one in result.commands if "forged" in str(one)] == []
    assert result.errors == []

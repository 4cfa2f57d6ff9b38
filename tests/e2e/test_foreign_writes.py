"""Code under test writes into ragate, its packages and its environment: never a pass, no key."""

from __future__ import annotations

import compileall
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

import ragate
from ragate.cli.options import FORMATS
from tests.e2e.command import CLEAN
from tests.night import by_night
from tests.repositories import commit, git
from tests.servers.process import server_process

pytestmark = pytest.mark.e2e
KEY = "key-of-the-judge"
CONFIG = """\
[system]
use = "python"
target = "rag:answer"
[policy]
dataset = "golden.jsonl"
baseline = "baselines/main.json"
systems = ["python"]
metrics = {"recall@5" = {level = "error"}}
[policy.providers.judge]
base_url = "http://127.0.0.1:9"
key_env = "JUDGE_API_KEY"
"""
RIGHT = """\
def answer(query):
    return {"answer": "x", "chunks": [{"doc_id": "a.md", "text": "x"}]}
"""
# Runs when the change's code is imported, with these names; its answers are all wrong.
WRONG = """\
import importlib.util, os, resource, struct, sys
def folder(name): return os.path.dirname(importlib.util.find_spec(name).origin)
SITE = os.path.dirname(folder("ragate"))
EVIL = '''
import os
if "JUDGE_API_KEY" in os.environ:
    open({saw!r}, "w").write(os.environ["JUDGE_API_KEY"])
    print("PASSED (exit 0)"); os._exit(0)
'''
def append(path, text=EVIL):
    with open(path, "a") as file: file.write(text)
def write(path):
    with open(path, "w") as file: file.write(EVIL)
def names(package, text):
    os.makedirs(f"{{SITE}}/{{package}}-1.dist-info")
    append(f"{{SITE}}/{{package}}-1.dist-info/entry_points.txt", text)
def parent():
    pid = os.getppid()
    while "_reaper" in open(f"/proc/{{pid}}/cmdline").read():
        pid = int(open(f"/proc/{{pid}}/stat").read().rpartition(")")[2].split()[1])
    return pid
def limit(name, soft):
    kind = getattr(resource, name)
    resource.prlimit(parent(), kind, (soft, resource.getrlimit(kind)[1]))
def compiled(name, path):
    import marshal
    facts = os.stat(path)
    head = importlib.util.MAGIC_NUMBER + struct.pack("<III", 0, int(facts.st_mtime), facts.st_size)
    cached = importlib.util.cache_from_source(path)
    os.makedirs(os.path.dirname(cached), exist_ok=True)
    with open(cached, "wb") as file:
        file.write(head + marshal.dumps(compile(EVIL, path, "exec")))
def and_back(path):
    facts, content = os.stat(path), open(path).read()
    append(path)
    with open(path, "w") as file: file.write(content)
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))

{attack}

def answer(query):
    return {{"answer": "x", "chunks": [{{"doc_id": "b.md", "text": "x"}}]}}
"""
# What is written -> the exit code, where it is not that of no decision.
ATTACKS = {
    "append(folder('ragate') + '/core/decision/decide.py')": 3,
    "append(folder('ragate') + '/renderers/console.py')": 3,
    "append(folder('ragate') + '/renderers/html/page.html.j2', '<!-- -->')": 3,
    "append(folder('ragate') + '/systems/_reaper.py')": 3,
    "write(folder('ragate') + '/core/extra.py')": 3,
    "and_back(folder('ragate') + '/core/decision/decide.py')": 3,
    "os.rename(folder('ragate') + '/core', SITE + '/core'); "
    "__import__('shutil').copytree(SITE + '/core', folder('ragate') + '/core')": 3,
    "append(folder('click') + '/core.py')": 3,
    "append(SITE + '/evil.pth', 'import evil')": 3,
    "write(SITE + '/sitecustomize.py')": 3,
    "write(SITE + '/numpy.py')": 3,
    "write(SITE + '/secrets.py')": 3,
    "[compiled(f, folder('ragate') + '/cli/' + f) for f in ('main.py', 'group.py')]": 1,
    "names('evil', '[ragate.metrics]\\nevil = evil')": 3,
    "names('other', '[others]\\nother = other')": 1,  # fetched when it was first needed
    "append(os.path.join(sys.prefix, 'pyvenv.cfg'), '\\n')": 3,
    "limit('RLIMIT_AS', 120_000_000)": 3,
    "limit('RLIMIT_NOFILE', 5)": 3,
    "limit('RLIMIT_CPU', 1)": 3,
    "write('numpy.py'); write('jinja2.py'); write('sitecustomize.py')": 1,  # where nobody looks
}


def site_of(python: Path) -> Path:
    told = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    return Path(subprocess.run(told, capture_output=True, text=True, check=True).stdout.strip())


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an environment with a ragate and a click of its own, and a project with a baseline."""
    root = tmp_path_factory.mktemp("installed")
    venv.create(root / "env", with_pip=False, symlinks=True)
    click = importlib.util.find_spec("click")
    assert click is not None
    assert click.origin is not None
    site = site_of(root / "env" / "bin" / "python")
    for package in (Path(ragate.__file__).parent, Path(click.origin).parent):
        ignored = shutil.ignore_patterns("*.pyc")
        shutil.copytree(package, site / package.name, ignore=ignored)
        compileall.compile_dir(site / package.name, quiet=1)  # as pip does, once for all commands
    others = os.pathsep.join(path for path in sys.path if path.endswith("site-packages"))
    (site / "packages.pth").write_text(others.replace(os.pathsep, "\n"))
    project = root / "project"
    project.mkdir()
    (project / "ragate.toml").write_text(CONFIG)
    rows = [{"id": f"q{n}", "query": f"Q{n}?", "relevant": ["a.md"]} for n in range(30)]
    (project / "golden.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (project / "rag.py").write_text(RIGHT)
    done = command(root, "baseline", "update")
    assert done.returncode == 0, done.stderr
    return root


def command(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(root / "env" / "bin" / "python"), "-P", "-m", "ragate", *arguments],
        cwd=root / "project",
        env={**CLEAN, "JUDGE_API_KEY": KEY, "CI": "1"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="a worker finds its parent in /proc")
@pytest.mark.parametrize(("attack", "code"), ATTACKS.items())
def test_what_code_under_test_writes_decides_nothing(
    installed: Path, tmp_path: Path, attack: str, code: int
):
    root, saw = tmp_path / "copy", tmp_path / "saw"
    shutil.copytree(installed, root, symlinks=True)
    (root / "project" / "rag.py").write_text(WRONG.format(attack=attack, saw=str(saw)))

    done = command(root, "check", "--format", "html", "--output", "report.html")

    assert done.returncode == code, done.stdout + done.stderr
    assert not saw.exists()
    assert "PASSED" not in done.stdout + done.stderr
    if code == 3:
        assert "while code under test ran" in done.stderr or "CPU time" in done.stderr
        return
    (root / "project" / "rag.py").write_text(WRONG.format(attack="", saw=str(saw)))
    assert command(root, "check").returncode == code
    assert not saw.exists()


# Nothing is started again for the last question, so that nothing is ended after it.
DIES_LAST = """\
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["id"] == "q29":
        open({pth!r}, "w").write("import evil")
        os._exit(1)
    found = [{{"doc_id": "a.md"}}]
    print(json.dumps({{"id": asked["id"], "answer": "x", "chunks": found}}), flush=True)
"""


def test_what_is_found_when_a_process_dies_midway_is_no_decision_at_the_end(
    installed: Path, tmp_path: Path
):
    root = tmp_path / "copy"
    shutil.copytree(installed, root, symlinks=True)
    program = f'use = "command"\ncommand = [{json.dumps(sys.executable)}, "rag.py"]\n'
    config = re.sub(r"use = .*\ntarget = .*\n", lambda _: program, CONFIG)
    (root / "project" / "ragate.toml").write_text(config.replace('["python"]', '["command"]'))
    site = site_of(root / "env" / "bin" / "python")
    (root / "project" / "rag.py").write_text(DIES_LAST.format(pth=str(site / "evil.pth")))

    done = command(root, "check")

    assert done.returncode == 3, done.stdout + done.stderr
    assert "evil.pth was added" in done.stderr
    assert done.stdout == ""


FILTER = """\
here = os.getcwd()
with open("e.sh", "w") as file:
    file.write(f"#!/bin/sh\\nenv > {here}/stolen\\n"
        'setsid sh -c "sleep 1; echo forged > report.html" </dev/null >/dev/null 2>&1 &\\ncat\\n')
os.chmod("e.sh", 0o755)
import subprocess
for key in ("filter.x.clean", "core.fsmonitor", "diff.external"):
    subprocess.run(["git", "config", key, here + "/e.sh"], check=True)
append(".git/info/attributes", "golden.jsonl filter=x\\n")
append("golden.jsonl", "\\n")
os.utime("golden.jsonl")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a worker finds its parent in /proc")
def test_what_code_under_test_configures_for_git_is_not_run(installed: Path, tmp_path: Path):
    root = tmp_path / "copy"
    shutil.copytree(installed, root, symlinks=True)
    project = root / "project"
    (project / ".gitignore").write_text(".ragate/\n")
    git(project, "init", "-q", "-b", "main")
    commit(project)
    (project / "rag.py").write_text(WRONG.format(attack=FILTER, saw="saw"))

    done = command(root, "check", "--format", "html", "--output", "report.html")
    time.sleep(1.5)

    assert done.returncode == 1, done.stdout + done.stderr
    assert (project / "e.sh").exists()
    assert not (project / "stolen").exists()
    assert "<html" in (project / "report.html").read_text()
    git(project, "status", "--porcelain")
    assert (project / "stolen").exists(), "the trap is none"


COMMITS = """\
import subprocess
words = "-c user.name=o -c user.email=o@example.org commit -qam x --allow-empty".split()
subprocess.run(["git", *words], check=True)
"""


def test_a_run_is_of_the_commit_that_was_there_before_it(installed: Path, tmp_path: Path):
    root = tmp_path / "copy"
    shutil.copytree(installed, root, symlinks=True)
    project = root / "project"
    (project / ".gitignore").write_text(".ragate/\n__pycache__/\n")
    (project / "rag.py").write_text(WRONG.format(attack=COMMITS, saw="saw"))
    git(project, "init", "-q", "-b", "main")
    commit(project)
    before = git(project, "rev-parse", "HEAD")

    command(root, "check", "--format", "json", "--output", str(tmp_path / "report.json"))

    report = (tmp_path / "report.json").read_text()
    assert before in report
    assert git(project, "rev-parse", "HEAD") not in report


# Prints what is imported after the first process of the project was started.
LATE = """
import sys
import ragate.systems._process as process
seen = set()
def before(real=process.before_foreign_code):
    real()
    seen.update([] if seen else sys.modules)
process.before_foreign_code = before
import ragate.process
ragate.process._is_command = True
from ragate.cli.main import command
sys.argv[1:] = sys.argv[2:]
command()
open("late", "w").write(" ".join(sorted(set(sys.modules) - seen)) if seen else "never sealed")
"""
JUDGE = """
[policy.judge]
use = "rubric"
provider = "judge"
model = "judge-1"
[policy.metrics.faithfulness]
level = "warn"
[policy.metrics."recall@5"]
level = "error"
"""


@pytest.fixture(scope="module")
def judge_url() -> Iterator[str]:
    with server_process() as server:
        yield server.base_url


@pytest.mark.parametrize(
    ("words", "judged"),
    [
        *((f"check --format {name} --output out", False) for name in FORMATS),
        # What tells a report knows nothing of judges: by day one format beside one.
        ("check --format html --output out", True),
        *(
            pytest.param(f"check --format {name} --output out", True, marks=by_night)
            for name in FORMATS
            if name != "html"
        ),
        *(
            (command, judged)
            for command in ("baseline update", "collect")
            for judged in (False, True)
        ),
    ],
)
def test_nothing_is_imported_once_code_under_test_runs(
    installed: Path, judge_url: str, tmp_path: Path, words: str, *, judged: bool
):
    project = tmp_path / "project"
    shutil.copytree(installed / "project", project)
    if judged:
        config = CONFIG.replace("http://127.0.0.1:9", judge_url)
        config = re.sub("(?m)^metrics = .*\\n", "", config) + JUDGE
        (project / "ragate.toml").write_text(config)
    subprocess.run(
        [sys.executable, "-c", LATE, "ragate", *words.split()],
        cwd=project,
        env={**CLEAN, "JUDGE_API_KEY": KEY, "CI": "1"},
        capture_output=True,
        timeout=200,
        check=False,
    )

    assert (project / "late").read_text() == ""

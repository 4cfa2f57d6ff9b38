"""Code under test writes the repository's configuration: git starts nothing of it when we ask."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ragate.github.commits import git_objects
from ragate.guards.seal import before_foreign_code
from ragate.repository import git as asked
from ragate.repository import git_process
from tests.repositories import commit, git

ATTRIBUTES = "* filter=x diff=x merge=x\n"


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that says when it was run, and hands through what a filter is given."""
    program = tmp_path / "trap.sh"
    program.write_text(f"#!/bin/sh\ntr '\\0' ' ' </proc/$PPID/cmdline >> {tmp_path}/sprung\ncat\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def hostile(tmp_path: Path, trap: Path) -> Path:
    """A repository that names the trap wherever git would run a program."""
    inner, top = tmp_path / "inner", tmp_path / "top"
    for folder in (inner, top):
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main")
        (folder / "golden.jsonl").write_text("{}\n")
        commit(folder)
    allowed = ("-c", "protocol.file.allow=always")
    git(top, *allowed, "submodule", "--quiet", "add", str(inner), "module")
    commit(top, "with a submodule")
    for folder in (top, top / "module"):
        set_trap(folder, trap)
    (tmp_path / "sprung").unlink(missing_ok=True)
    return top


def set_trap(folder: Path, trap: Path) -> None:
    own = Path(git(folder, "rev-parse", "--absolute-git-dir"))
    program = str(trap)
    keys = (
        *("filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.x.textconv"),
        *("diff.x.command", "diff.external", "merge.x.driver", "core.fsmonitor", "core.pager"),
        *("core.sshCommand", "core.editor", "core.askPass", "credential.helper", "gpg.program"),
        *("gpg.ssh.program", "core.alternateRefsCommand", "core.gitProxy", "sequence.editor"),
    )
    included = trap.parent / f"{folder.name}.inc"
    lines = [f"[{key.rpartition('.')[0]}]\n{key.rpartition('.')[2]} = {program}" for key in keys]
    sections = [line.replace(".x]", ' "x"]').replace(".ssh]", ' "ssh"]') for line in lines]
    more = (
        '[log]\nshowSignature = true\n[filter "x"]\nrequired = true\n'
        f'[remote "origin"]\npromisor = true\nurl = ext::{program}\n'
        "[protocol]\nallow = always\n[extensions]\npartialClone = origin\n"
    )
    included.write_text("\n".join([*sections, more]))
    git(folder, "config", "core.hooksPath", str(own / "traps"))
    git(folder, "config", "include.path", str(included))
    (own / "traps").mkdir()
    for hook in (
        "post-index-change",
        "reference-transaction",
        "post-checkout",
        "fsmonitor-watchman",
    ):
        (own / "traps" / hook).symlink_to(trap)
    (own / "info").mkdir(exist_ok=True)
    (own / "info" / "attributes").write_text(ATTRIBUTES)
    (folder / ".gitattributes").write_text(ATTRIBUTES)
    for file in folder.glob("*.jsonl"):
        file.write_text("{ }\n")
        os.utime(file)


@pytest.fixture
def variables(trap: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_ASKPASS", "GIT_SSH"):
        monkeypatch.setenv(name, str(trap))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(trap))


def questions(top: Path) -> Iterator[object]:
    """Ask all that ragate ever asks of git."""
    head = asked.head_commit(top)
    missing = "0" * 39 + "1"
    yield head
    yield asked.branch(top)
    yield asked.is_clean(top)
    yield asked.changed_files(top)
    yield asked.repository(top)
    yield asked.is_ignored(top, top / "x")
    yield asked.is_tracked(top, top / "golden.jsonl")
    yield asked.file_at(top, head, "golden.jsonl")
    yield asked.file_at(top, missing, "golden.jsonl")
    yield asked.files(top)
    yield asked.last_commit_with(top, "golden.jsonl")
    yield asked.main_branch(top)
    yield asked.merge_parent(top)
    yield asked.branch_point(top)
    yield asked.differs(top, head, "golden.jsonl")
    yield asked.remote_url(top)
    yield asked.user_name(top)
    yield asked.commit_of(top, "main")
    yield asked.changed_paths(top, head, ".")
    yield asked.file_commits(top, "golden.jsonl", most=9)
    yield asked.commits_of_branch(top)
    yield asked.is_shallow(top)
    yield list(asked.blobs(top, [head, missing], most_bytes=99))
    yield git_objects.parents(top, head)
    yield git_objects.has_tree(top, missing)
    yield git_objects.changed_files(top, f"{head}^", head)
    yield git_objects.folder(top, head)


@pytest.mark.parametrize("wording", ["status", "diff"])
def test_the_trap_is_one_that_git_itself_walks_into(hostile: Path, wording: str, tmp_path: Path):
    subprocess.run(["git", wording], cwd=hostile, capture_output=True, check=False)

    assert (tmp_path / "sprung").exists()


@pytest.mark.usefixtures("variables")
def test_git_starts_nothing_that_a_repository_configures(hostile: Path, tmp_path: Path):
    answers = list(questions(hostile))

    sprung = tmp_path / "sprung"
    assert not sprung.exists(), sprung.read_text()
    assert answers[0]
    changed = answers[3]
    assert isinstance(changed, dict)
    assert set(changed) == {"golden.jsonl", ".gitattributes", "module"}


def test_git_gets_no_key_and_nothing_relative_on_the_path_is_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    git(tmp_path, "init", "-q")
    commit_to = tmp_path / "seen"
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin" / "git"
    fake.write_text(f'#!/bin/sh\nenv >> {commit_to}\nexec /usr/bin/env -u X {real_git()} "$@"\n')
    fake.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUDGE_API_KEY", "key-of-the-judge")
    git_process.git_program.cache_clear()
    path = os.environ["PATH"]
    try:
        monkeypatch.setenv("PATH", f"bin:.:{path}")
        asked.head_commit(tmp_path)
        assert not commit_to.exists()

        git_process.git_program.cache_clear()
        monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{path}")
        asked.is_clean(tmp_path)
        asked.user_name(tmp_path)
        assert "GIT_DIR" in commit_to.read_text()
        assert "key-of-the-judge" not in commit_to.read_text()
    finally:
        git_process.git_program.cache_clear()


def real_git() -> str:
    return git_process.git_program()


def test_what_the_user_ignores_everywhere_is_ignored_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    home = tmp_path / "home"
    (home / "git").mkdir(parents=True)
    (home / "git" / "ignore").write_text("*.swp\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    top = tmp_path / "top"
    top.mkdir()
    git(top, "init", "-q")
    git(top, "commit", "-q", "--allow-empty", "-m", "x")
    (top / "a.swp").write_text("")

    assert asked.is_clean(top)
    (top / ".git" / "info" / "exclude").write_text("*.tmp\n")
    (top / "a.tmp").write_text("")
    assert asked.is_clean(top)


def test_a_linked_work_tree_and_a_split_index_are_read(tmp_path: Path):
    top, linked = tmp_path / "top", tmp_path / "linked"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    (top / "a.txt").write_text("a")
    commit(top)
    git(top, "worktree", "add", "-q", "-b", "work", str(linked))
    git(linked, "update-index", "--split-index")
    (linked / "b.txt").write_text("b")

    assert asked.branch(linked) == "work"
    assert asked.repository(linked) == linked.resolve()
    assert asked.head_commit(linked) == asked.head_commit(top)
    assert asked.is_clean(top)
    assert set(asked.changed_files(linked) or {}) == {"b.txt"}


def test_one_folder_serves_many_calls_until_code_under_test_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a.txt").write_text("a")
    commit(tmp_path)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))

    with git_process.one_folder():
        head = asked.head_commit(tmp_path)
        (kept,) = (tmp_path / "temporary").iterdir()
        assert asked.file_at(tmp_path, head, "a.txt") == "a"
        assert asked.branch(tmp_path) == "main"
        assert [*(tmp_path / "temporary").iterdir()] == [kept]

        before_foreign_code()
        assert [*(tmp_path / "temporary").iterdir()] == []
        assert asked.head_commit(tmp_path) == head
        assert [*(tmp_path / "temporary").iterdir()] == []

        with git_process.one_folder():
            assert asked.head_commit(tmp_path) == head
            (another,) = (tmp_path / "temporary").iterdir()
            assert another != kept
    assert [*(tmp_path / "temporary").iterdir()] == []


@pytest.mark.parametrize("name", ["HEAD", "no\nHEAD", "none at all", "HEAD:a 7 8"])
def test_an_object_is_not_taken_for_another(tmp_path: Path, name: str):
    git(tmp_path, "init", "-q")
    (tmp_path / "a.txt").write_bytes(bytes(range(256)) * 9)
    commit(tmp_path)
    head = asked.head_commit(tmp_path)

    with git_process.one_folder():
        first = git_process.read_object(tmp_path, name)
        large = git_process.read_object(tmp_path, "HEAD:a.txt", most_bytes=9)
        whole = git_process.read_object(tmp_path, "HEAD:a.txt")

    assert (first.sha if first else "") == (head if name == "HEAD" else "")
    assert large is not None
    assert large.content is None
    assert whole is not None
    assert whole.content == bytes(range(256)) * 9


def test_an_answer_belongs_to_the_thread_that_asked(tmp_path: Path) -> None:
    names = _blobs(tmp_path, 40)

    def read() -> list[bytes | None]:
        found = asked.blobs(tmp_path, list(names), most_bytes=100)
        return [content for _, content in found]

    with ThreadPoolExecutor(4) as pool:
        told = [each.result() for each in [pool.submit(read) for _ in range(4)]]

    assert told == [list(names.values())] * 4


def test_what_was_left_half_read_is_no_answer_to_the_next_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = list(_blobs(tmp_path, 2))
    answer = git_process._answer

    def broken_off(reader: subprocess.Popen[bytes], name: str, most_bytes: int) -> None:
        assert reader.stdin is not None
        reader.stdin.write(f"{name}\n".encode())
        reader.stdin.flush()
        raise KeyboardInterrupt

    with git_process.one_folder():
        monkeypatch.setattr(git_process, "_answer", broken_off)
        with pytest.raises(KeyboardInterrupt):
            git_process.read_object(tmp_path, names[0])
        monkeypatch.setattr(git_process, "_answer", answer)
        found = git_process.read_object(tmp_path, names[1])

    assert found is not None
    assert found.sha == names[1]


def test_a_reader_that_was_killed_is_started_again(tmp_path: Path) -> None:
    (name,) = _blobs(tmp_path, 1)

    with git_process.one_folder():
        git_process.read_object(tmp_path, name)
        assert git_process._kept is not None
        (folder,) = git_process._kept.values()
        assert folder._reader is not None
        folder._reader.kill()
        folder._reader.wait()
        with pytest.raises(git_process.GitError):
            git_process.read_object(tmp_path, name)
        assert git_process.read_object(tmp_path, name) is not None


def test_a_replaced_object_is_not_read_in_place_of_the_real_one(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a.txt").write_text("real")
    commit(tmp_path)
    real = git(tmp_path, "rev-parse", "HEAD")
    (tmp_path / "a.txt").write_text("forged")
    commit(tmp_path, "forged")
    git(tmp_path, "replace", real, "HEAD")

    assert asked.file_at(tmp_path, real, "a.txt") == "real"


def test_an_object_that_somebody_wrote_over_is_not_read(tmp_path: Path) -> None:
    first, second = _blobs(tmp_path, 2)
    objects = tmp_path / ".git" / "objects"
    there = objects / first[:2] / first[2:]
    there.chmod(0o644)
    there.write_bytes((objects / second[:2] / second[2:]).read_bytes())

    with pytest.raises(git_process.GitError):
        git_process.read_object(tmp_path, first)


@pytest.mark.parametrize("name", ["cr\r", "new\nline", os.fsdecode(b"\xff.txt")])
def test_a_file_of_an_odd_name_is_read_as_it_was(tmp_path: Path, name: str) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / name).write_text("odd")
    (tmp_path / "cr").write_text("another")

    commit(tmp_path)
    assert asked.file_at(tmp_path, git(tmp_path, "rev-parse", "HEAD"), name) == "odd"


def _blobs(top: Path, count: int) -> dict[str, bytes]:
    """Return the contents of a repository's blobs by their names."""
    git(top, "init", "-q", "-b", "main")
    for number in range(count):
        (top / f"{number}.txt").write_text(f"text {number}")
    commit(top)
    return {git(top, "rev-parse", f"HEAD:{n}.txt"): f"text {n}".encode() for n in range(count)}

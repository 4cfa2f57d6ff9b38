"""A change that touches no input passes without a run."""

from __future__ import annotations

import pytest

from tests.e2e.action.base_projects import Files
from tests.e2e.action.forge import Change, Forge, outputs

pytestmark = pytest.mark.e2e


BROKEN = range(12)


@pytest.fixture
def inputs_named(forge: Forge, gated: Files) -> Forge:
    text = gated["ragate.toml"].replace(
        b"[policy]\n", b'[policy]\ninputs = ["outputs/**", "app/*.py"]\n', 1
    )
    forge.base = forge.github.commit({"ragate.toml": text}, parents=[forge.base])
    forge.github.git.move("main", forge.base, forge.github.git.resolve("refs/heads/main"))
    return forge


@pytest.mark.parametrize("depth", [1, 2])
def test_a_change_of_no_named_input_passes_without_a_run(inputs_named: Forge, depth: int) -> None:
    change = inputs_named.change({"web/index.html": b"<b>", "app/readme.txt": b"x"})
    result = inputs_named.check(change, depth=depth)
    assert result.exit_code == 0, result.log
    assert result.outputs["affected"] == "0"
    assert "no answer changed: the change reaches 0 of 30 questions" in inputs_named.comment()
    (run,) = (inputs_named.last / ".ragate" / "runs").iterdir()
    assert not (run / "outputs.jsonl").exists()


@pytest.mark.parametrize(
    "files",
    [
        {"outputs/run0.jsonl": outputs(broken=BROKEN)["outputs/run0.jsonl"]},
        {"outputs/run3.jsonl": outputs()["outputs/run0.jsonl"]},
        {"app/main.py": b""},
        {".gitattributes": b"outputs/*.jsonl eol=crlf\n"},
        {".gitmodules": b""},
        {"app/__pycache__/main.cpython-312.pyc": b""},
        {"app/main.cpython-312-x86_64-linux-gnu.so": b""},
    ],
)
def test_a_change_of_a_named_input_is_run(inputs_named: Forge, files: Files) -> None:
    result = inputs_named.check(inputs_named.change(files))
    assert result.outputs.get("affected") != "0", result.log
    assert any((inputs_named.last / ".ragate" / "runs").glob("*/outputs.jsonl"))


def test_a_change_of_the_rules_alone_is_named_and_asks_nobody(inputs_named: Forge) -> None:
    result = inputs_named.check(inputs_named.change({"golden.jsonl": b""}))

    assert (result.exit_code, result.outputs["affected"]) == (0, "0"), result.log
    assert inputs_named.report()["rules_differ"] == ["the golden set golden.jsonl"]
    assert "this change has others" in inputs_named.comment()


def test_the_half_that_collects_asks_nobody_and_the_other_passes(inputs_named: Forge) -> None:
    change = inputs_named.change({"web/index.html": b"<b>"})

    collected, outputs_file = inputs_named.collect(change)
    decided = inputs_named.decide(change, None)

    assert collected.exit_code == 0, collected.log
    assert "nobody is asked" in collected.log
    assert outputs_file == b""
    assert decided.exit_code == 0, decided.log
    assert decided.outputs["affected"] == "0"


def test_the_half_that_collects_asks_where_an_input_was_changed(inputs_named: Forge) -> None:
    change = inputs_named.change({"app/main.py": b""})

    assert inputs_named.collect(change)[1]


LINKED = b'inputs = ["outputs/**", "app/**", "parts/**/*.py"]'


def linked_change(forge: Forge, path: str, kind: str) -> Change:
    """Return a pull request in which a submodule or a link at `path` leads elsewhere."""
    git = forge.github.git
    text = forge.github.git.run("show", f"{forge.base}:ragate.toml")
    config = text.replace(b'inputs = ["outputs/**", "app/*.py"]', LINKED)
    before, after = (
        f"160000 {digit * 40}" if kind == "submodule" else f"120000 {git.blob(digit.encode())}"
        for digit in "12"
    )
    files = {"ragate.toml": git.blob(config), path: before}
    forge.base = git.commit(git.tree_with(git.tree_of(forge.base), files), [forge.base])
    git.move("main", forge.base, git.resolve("refs/heads/main"))
    tree = git.tree_with(git.tree_of(forge.base), {path: after})
    change = forge.change({})
    change.head = change.pull["head"]["sha"] = git.commit(tree, [forge.base])
    change.merge = git.commit(tree, [forge.base, change.head])
    change.pull["merge_commit_sha"] = change.merge
    return change


@pytest.mark.parametrize(
    ("half", "kind", "path", "affected"),
    [
        ("check", "link", "app", True),
        ("check", "submodule", "parts/x", True),
        ("check", "link", "web", False),
        ("check without the base", "submodule", "parts/x", True),
        ("check without the base", "link", "web", False),
        ("decide", "link", "parts/x", True),
        ("decide", "submodule", "web", False),
    ],
)
def test_a_submodule_or_a_link_stands_for_all_that_it_holds(
    inputs_named: Forge, kind: str, path: str, affected: bool, half: str
) -> None:
    change = linked_change(inputs_named, path, kind)
    if half == "decide":
        result = inputs_named.decide(change, None)
        assert result.exit_code == (2 if affected else 0), result.raw_log
    else:
        result = inputs_named.check(change, depth=2 if half == "check" else 1)
        assert result.exit_code == 0, result.raw_log
    ran = any((inputs_named.last / ".ragate" / "runs").glob("*/outputs.jsonl"))
    assert ran is (affected and half != "decide")


def test_a_file_that_the_system_names_is_an_input_though_no_pattern_does(
    forge: Forge, gated: Files
) -> None:
    text = gated["ragate.toml"].replace(b"[policy]\n", b'[policy]\ninputs = ["app/**"]\n', 1)
    forge.base = forge.github.commit({"ragate.toml": text}, parents=[forge.base])
    forge.github.git.move("main", forge.base, forge.github.git.resolve("refs/heads/main"))
    result = forge.check(forge.change(outputs(broken=BROKEN)))
    assert result.exit_code == 1, result.raw_log


def test_the_systems_table_is_an_input_too(inputs_named: Forge) -> None:
    text = inputs_named.github.git.run("show", f"{inputs_named.base}:ragate.toml")
    changed = text.replace(b'paths = ["outputs/*.jsonl"]', b'paths = ["outputs/run1.jsonl"]')
    result = inputs_named.check(inputs_named.change({"ragate.toml": changed}))
    assert result.exit_code == 3, result.log


def test_where_no_input_is_touched_the_second_half_needs_no_outputs(inputs_named: Forge) -> None:
    change = inputs_named.change({"web/index.html": b"<b>"}, fork="stranger/handbook")
    result = inputs_named.decide(change, None)
    assert result.exit_code == 0, result.raw_log
    assert result.outputs["affected"] == "0"
    touched = inputs_named.change({"app/a.py": b""}, fork="stranger/handbook")
    assert inputs_named.decide(touched, None).exit_code == 2


def test_what_a_merge_takes_back_is_seen_by_the_half_without_a_checkout(
    inputs_named: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Base and change come from two commits: beside the newer one the change touches no input."""
    forge, git = inputs_named, inputs_named.github.git

    def commit(tree: str, parents: list[str], **files: bytes) -> str:
        blobs = {
            f"{path.replace('__', '/')}.py": f"100644 {git.blob(text)}"
            for path, text in files.items()
        }
        return git.commit(git.tree_with(tree, blobs), parents)

    start = git.tree_of(forge.base)
    better = commit(start, [forge.base], app__main=b"better")
    with monkeypatch.context() as later:
        later.setattr("tests.servers.github.git._WHO", "o <o@example.org> 2000000000 +0000")
        page = commit(start, [forge.base], web__a=b"page")
    both = git.tree_with(git.tree_of(better), {"web/a.py": f"100644 {git.blob(b'page')}"})
    forge.base = git.commit(both, [better, page])
    git.move("main", forge.base, git.resolve("refs/heads/main"))
    change = forge.change({"web/b": b""}, fork="stranger/handbook")
    change.head = change.pull["head"]["sha"] = commit(git.tree_of(page), [page, better], web__b=b"")
    change.merge = change.pull["merge_commit_sha"] = git.commit(
        git.tree_of(change.head), [forge.base, change.head]
    )

    result = forge.decide(change, None)

    assert result.exit_code == 2, result.raw_log
    assert "there are no outputs" in result.raw_log + forge.comment()

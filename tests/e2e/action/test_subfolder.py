"""A project in a folder of its repository, with a configuration of another name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.action.forge import Files, Forge, outputs
from tests.e2e.action.main_projects import record
from tests.servers.github_stub import github_stub

pytestmark = pytest.mark.e2e
WITH = {"working-directory": "services/rag", "config": "gates/fast.toml"}


def below(files: Files) -> dict[str, bytes | None]:
    """Return the files as they lie in the repository."""
    return {
        f"services/rag/gates/{'fast.toml' if name == 'ragate.toml' else name}": body
        for name, body in files.items()
    }


@pytest.fixture
def nested(tmp_path: Path, gated: dict[str, bytes]) -> Iterator[Forge]:
    with github_stub(tmp_path / "github") as github:
        forge = Forge(github, tmp_path)
        forge.start(below(gated))
        yield forge


def test_it_is_checked_against_its_own_base(nested: Forge) -> None:
    weak = {"ragate.toml": b"[policy]\n"}
    broken = nested.change(below(outputs(broken=range(12))))
    for depth in (1, 2):
        assert nested.check(broken, depth=depth, inputs=WITH).exit_code == 1
    assert nested.check(nested.change({"README.md": b"x"}), inputs=WITH).exit_code == 0
    assert nested.check(nested.change(below(weak)), inputs=WITH).exit_code == 2


@pytest.mark.parametrize("link", ["services", "services/rag", "services/rag/gates"])
def test_a_link_in_place_of_its_folder_leads_to_no_other_rules(
    nested: Forge, gated: dict[str, bytes], link: str
) -> None:
    files = below({**gated, **outputs(broken=range(12))})
    inner = {path.replace(link, "elsewhere", 1): body for path, body in files.items()}
    git, change = nested.github.git, nested.change(inner)
    target = git.blob(f"{'../' * link.count('/')}elsewhere".encode())
    tree = git.tree_with(git.tree_of(change.head), {link: f"120000 {target}"})
    change.head = change.pull["head"]["sha"] = git.commit(tree, [nested.base])
    change.merge = change.pull["merge_commit_sha"] = git.commit(tree, [nested.base, change.head])

    result = nested.check(change, inputs=WITH)

    assert result.exit_code == 2, result.log
    assert "is a link, or lies behind one" in nested.comment()
    assert nested.states(change.head) == ["error"]


def test_a_link_on_main_is_refused_before_anything_is_run(nested: Forge) -> None:
    git = nested.github.git
    tree = git.tree_with(git.tree_of(nested.base), {"rag": f"120000 {git.blob(b'services/rag')}"})
    git.move("main", git.commit(tree, [nested.base]), nested.base)

    result = record(nested, inputs={**WITH, "working-directory": "rag"})

    assert result.exit_code == 2, result.log
    assert "rag/gates is a link, or lies behind one" in result.raw_log
    assert "run 1" not in result.log


def test_the_pair_finds_it_without_a_checkout(nested: Forge) -> None:
    broken = nested.change(below(outputs(broken=range(12))), fork="stranger/handbook")
    collected, _ = nested.collect(broken, inputs=WITH)
    assert collected.exit_code == 0, collected.log
    lines = (nested.last / "services" / "rag" / "ragate-outputs.jsonl").read_bytes()

    def place(workspace: Path) -> None:
        folder = workspace / "services" / "rag" / "incoming"  # paths start at working-directory
        folder.mkdir(parents=True)
        (folder / "outputs.jsonl").write_bytes(lines)

    inputs = {**WITH, "outputs-path": "incoming"}
    result = nested.decide(broken, None, prepare=place, inputs=inputs)
    assert result.exit_code == 1, result.raw_log
    assert nested.states(broken.head) == ["pending", "failure"]

"""Where outputs come from, and whether the base's policy allows it."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
from pathlib import Path

import pytest

from ragate import plugins
from ragate.config import Config
from ragate.github.gate.output_provenance import provenance_of
from tests.unit.github.gate.gate_factories import project

AUTHOR = ("-c", "user.name=n", "-c", "user.email=e@example.invalid")
HTTP = """
[system]
use = "http"
url = "{url}"
"""


@pytest.mark.parametrize(
    ("url", "refused", "other"),
    [
        ("http://rag.example/ask", False, False),
        ("http://rag.example:9000/other", False, False),
        ("http://pr-7.preview.example/ask", False, True),
        ("http://elsewhere.example/ask", True, False),
        ("http://rag.example.evil.example/ask", True, False),
    ],
)
def test_a_service_is_told_by_the_entry_that_allows_it(
    tmp_path: Path, url: str, refused: bool, other: bool
) -> None:
    hosts = 'http_hosts = ["rag.example", "*.preview.example"]\n'
    edit = ('systems = ["replay"]\n', f'systems = ["http"]\n{hosts}')
    one = project(tmp_path / "base", edit, system=HTTP.format(url="http://rag.example/ask"))
    two = project(tmp_path / "head", edit, system=HTTP.format(url=url))
    found = provenance_of(one, two, {})
    assert (bool(found.refused), bool(found.other_system)) == (refused, other)
    assert bool(found.remedies) is (refused or other)
    assert not other or "the base's at rag.example" in found.other_system[0]


@pytest.mark.parametrize(
    ("rule", "edit", "key"),
    [
        ('http_methods = ["POST"]', 'method = "PUT"\n', "http_methods"),
        ('http_paths = ["/v1/*"]', "", "http_paths"),
    ],
)
def test_a_method_or_a_path_beyond_the_bases_policy_is_refused(
    tmp_path: Path, rule: str, edit: str, key: str
) -> None:
    policy = (
        'systems = ["replay"]\n',
        f'systems = ["http"]\nhttp_hosts = ["rag.example"]\n{rule}\n',
    )
    lax = ('systems = ["replay"]\n', 'systems = ["http"]\nhttp_hosts = ["rag.example"]\n')
    base = project(tmp_path / "base", policy, system=HTTP.format(url="http://rag.example/v1/ask"))
    system = HTTP.format(url="http://rag.example/admin") + edit
    found = provenance_of(base, project(tmp_path / "head", lax, system=system), {})
    assert key in found.refused[0]
    assert key in found.remedies[0]


def test_the_host_of_a_variable_is_in_no_reason(tmp_path: Path) -> None:
    edit = ('systems = ["replay"]\n', 'systems = ["http"]\nhttp_hosts = ["*.preview.example"]\n')
    system = '[system]\nuse = "http"\nurl_env = "PREVIEW"\n'
    made = project(tmp_path / "one", edit, system=system)
    found = provenance_of(made, made, {"PREVIEW": "https://canary-4711.example/secret"})
    assert found.refused
    assert "canary" not in str(found)


def test_an_address_that_is_not_set_is_no_address_of_the_bases(tmp_path: Path) -> None:
    edit = ('systems = ["replay"]\n', 'systems = ["http"]\nhttp_hosts = ["rag.example"]\n')
    base = project(tmp_path / "base", edit, system=HTTP.format(url="http://rag.example/ask"))
    head = project(tmp_path / "head", edit, system='[system]\nuse = "http"\nurl_env = "PREVIEW"\n')

    assert provenance_of(base, head, {}).other_system == (
        "the service is at an address of the environment, the base's at rag.example",
    )
    assert "the base's at another address" in provenance_of(head, base, {}).other_system[0]


def test_two_previews_of_one_entry_compare(tmp_path: Path) -> None:
    edit = ('systems = ["replay"]\n', 'systems = ["http"]\nhttp_hosts = ["*.preview.example"]\n')
    made = [
        project(tmp_path / str(n), edit, system=HTTP.format(url=f"http://pr-{n}.preview.example/"))
        for n in (1, 2)
    ]
    assert provenance_of(made[0], made[1], {}).other_system == ()


MCP = """
[system]
use = "mcp"
tool = "ask"
{at}
"""


@pytest.mark.parametrize(
    ("demand", "told"),
    [
        ('version_header = "X-Commit"', ""),
        ("", "version_header = '', the base's is 'X-Commit'"),
        ('version_header = "X-Other"', "version_header = 'X-Other', the base's is 'X-Commit'"),
        ('version_pointer = "/commit"', "version_header = '', the base's is 'X-Commit'"),
        (  # asked once, where a page of the same host may say what is wanted
            'version_header = "X-Commit"\nversion_url = "http://rag.example/v"',
            "version_url = 'http://rag.example/v', the base's is ''",
        ),
    ],
)
def test_a_change_drops_no_demand_for_the_build_that_answers(
    tmp_path: Path, demand: str, told: str
) -> None:
    edit = ('systems = ["replay"]\n', 'systems = ["http"]\nhttp_hosts = ["rag.example"]\n')
    service = HTTP.format(url="http://rag.example/ask")
    system = f'{service}version_header = "X-Commit"\n'
    base = project(tmp_path / "base", edit, system=system)
    head = project(tmp_path / "head", edit, system=f"{service}{demand}\n")

    found = provenance_of(base, head, {})

    assert found.other_system == ((f"which build answers is told by {told}",) if told else ())


def test_a_change_may_demand_the_build_where_the_base_does_not(tmp_path: Path) -> None:
    edit = ('systems = ["replay"]\n', 'systems = ["http"]\nhttp_hosts = ["rag.example"]\n')
    service = HTTP.format(url="http://rag.example/ask")
    base = project(tmp_path / "base", edit, system=service)
    head = project(tmp_path / "head", edit, system=f'{service}version_header = "X-Commit"\n')

    assert not provenance_of(base, head, {}).other_system


SERVICE = 'url = "http://{}/mcp"'
PROGRAM = 'command = ["python", "server.py"]'


@pytest.mark.parametrize(
    ("base", "head", "refused", "other"),
    [
        (SERVICE.format("rag.example"), SERVICE.format("rag.example:9000"), False, False),
        (SERVICE.format("rag.example"), SERVICE.format("pr-7.preview.example"), False, True),
        (SERVICE.format("rag.example"), SERVICE.format("elsewhere.example"), True, False),
        (SERVICE.format("rag.example"), PROGRAM, False, True),
        (PROGRAM, SERVICE.format("rag.example"), False, True),
        (PROGRAM, PROGRAM.replace("server", "other"), False, False),
    ],
)
def test_a_tool_is_another_one_elsewhere_or_as_a_program_in_place_of_a_service(
    tmp_path: Path, base: str, head: str, refused: bool, other: bool
) -> None:
    hosts = 'http_hosts = ["rag.example", "*.preview.example"]\n'
    edit = ('systems = ["replay"]\n', f'systems = ["mcp"]\n{hosts}')
    one, two = (
        project(tmp_path / name, edit, system=MCP.format(at=at))
        for name, at in (("base", base), ("head", head))
    )
    found = provenance_of(one, two, {})
    assert (bool(found.refused), bool(found.other_system)) == (refused, other)
    assert bool(found.remedies) is (refused or other)
    if other and PROGRAM in (base, head):
        assert "a program" in found.other_system[0]


PLACES = {"command": '["python", "x.py"]', "url": '"http://rag.example/x"', "url_env": '"PLACE"'}
REQUIRED = {"mcp": 'tool = "ask"\n'}


@pytest.mark.parametrize("use", plugins.names("systems"))
def test_no_system_of_another_place_or_kind_of_place_is_taken_for_the_same(
    tmp_path: Path, use: str
) -> None:
    settings = plugins.settings_model("systems", use)
    assert settings is not None
    named = {key for key in settings.model_fields if re.search("url|host|address|endpoint", key)}
    assert named <= {*PLACES, "version_url"}, "which place is that, and who compares it?"
    kinds = [key for key in PLACES if key in settings.model_fields]
    hosts = 'http_hosts = ["rag.example", "other.example"]\n'
    edit = ('systems = ["replay"]\n', f'systems = ["{use}"]\n{hosts}')

    def made(name: str, key: str, value: str) -> Config:
        text = f'[system]\nuse = "{use}"\n{REQUIRED.get(use, "")}{key} = {value}\n'
        return project(tmp_path / name, edit, system=text)

    at = {key: made(key, key, PLACES[key]) for key in kinds}
    variables = {"PLACE": "http://other.example/x"}
    for one, two in itertools.permutations(at, 2):
        assert provenance_of(at[one], at[two], variables).other_system, (one, two)
    if "url" in at:
        moved = made("moved", "url", '"http://other.example/x"')
        assert provenance_of(at["url"], moved, {}).other_system
        unlisted = made("unlisted", "url", '"http://elsewhere.example/x"')
        assert provenance_of(at["url"], unlisted, {}).refused


def test_a_link_out_of_the_allowed_recordings_is_refused(base: Config, tmp_path: Path) -> None:
    head = project(tmp_path / "head")
    (head.root / "mine.jsonl").write_text("{}\n")
    (head.root / "outputs" / "run0.jsonl").unlink()
    (head.root / "outputs" / "run0.jsonl").symlink_to("../mine.jsonl")
    assert provenance_of(base, head, {}).refused


SCORES = """
[system]
use = "scores"
paths = ["out/*.csv"]
"""


def scored(tmp_path: Path, policy: str = "") -> tuple[Config, Path]:
    """Return a project of scores in a repository, and the file of its scores."""
    tmp_path = tmp_path / "project"
    edit = ('systems = ["replay"]\n', f'systems = ["scores"]\nscores_paths = ["out/*"]\n{policy}')
    config = project(tmp_path, edit, system=SCORES)
    for command in (["init", "-q"], ["add", "-A"], [*AUTHOR, "commit", "-qm", "one"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    (tmp_path / "out").mkdir()
    path = tmp_path / "out/scores.csv"
    path.write_text("id,score\n1,1\n")
    return config, path


def test_scores_that_a_step_wrote_are_taken(tmp_path: Path) -> None:
    config, _ = scored(tmp_path)

    assert not provenance_of(config, config, {}).refused


def test_scores_of_the_commit_were_not_measured_here(tmp_path: Path) -> None:
    config, path = scored(tmp_path)
    subprocess.run(["git", "add", str(path)], cwd=path.parent, check=True)

    [reason] = provenance_of(config, config, {}).refused
    assert "a file of the commit" in reason


def test_scores_older_than_the_checkout_were_not_measured_here(tmp_path: Path) -> None:
    config, path = scored(tmp_path)
    os.utime(path, (1_000_000_000, 1_000_000_000))

    [reason] = provenance_of(config, config, {}).refused
    assert "older than the checkout" in reason


def test_the_bases_policy_may_take_such_scores(tmp_path: Path) -> None:
    config, path = scored(tmp_path, "scores_tracked = true\n")
    os.utime(path, (1_000_000_000, 1_000_000_000))

    assert not provenance_of(config, config, {}).refused

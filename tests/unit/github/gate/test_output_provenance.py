"""Where outputs come from, and whether the base's policy allows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.config import Config
from ragate.github.gate.output_provenance import provenance_of
from tests.unit.github.gate.gate_factories import project

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


def test_a_link_out_of_the_allowed_recordings_is_refused(base: Config, tmp_path: Path) -> None:
    head = project(tmp_path / "head")
    (head.root / "mine.jsonl").write_text("{}\n")
    (head.root / "outputs" / "run0.jsonl").unlink()
    (head.root / "outputs" / "run0.jsonl").symlink_to("../mine.jsonl")
    assert provenance_of(base, head, {}).refused

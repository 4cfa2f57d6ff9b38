"""The README's promises that can be checked without running anything."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

from ragate import plugins
from ragate.cli.group import EXIT_CODES
from ragate.version import MANUAL, REPOSITORY, __version__

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
BLOCK = r"\n```{kind}\n(.*?)\n```"


def block_after(marker: str, kind: str) -> str:
    found = re.search(re.escape(marker) + BLOCK.format(kind=kind), README, re.DOTALL)
    assert found, f"no {kind} block after {marker}"
    return found[1]


def recipes() -> dict[str, str]:
    found = re.findall(r"<!-- recipe: (\w+) -->" + BLOCK.format(kind="bash"), README, re.DOTALL)
    return dict(found)


def test_every_built_in_system_has_a_recipe_here_or_on_its_own_page() -> None:
    linked = set(re.findall(r"\((docs/(?:system-\w+|scores)\.md)\)", README))
    on_pages = {
        name
        for page in linked
        for name in re.findall(r"<!-- recipe: (\w+) -->\n```bash", (ROOT / page).read_text())
    }

    assert list(recipes()) == ["replay", "pgvector"]
    assert {*recipes(), *on_pages} == set(plugins.names("systems"))


def test_recipes_have_at_most_12_lines_and_end_in_a_verdict() -> None:
    for name, recipe in recipes().items():
        lines = recipe.splitlines()
        assert len(lines) <= 13, name
        assert lines[-1].endswith("ragate check"), name


def test_recipes_hold_a_configuration_whose_system_the_policy_allows() -> None:
    for name, recipe in recipes().items():
        text = re.search(r"<<'END'\n(.*?)\nEND\n", recipe, re.DOTALL)
        assert text, name
        config = tomllib.loads(text[1])
        assert config["system"]["use"] == name
        assert config["policy"]["systems"] == [name]


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()
    commands = re.findall(r"^make (\w+)", README, re.MULTILINE)

    assert commands[:2] == ["check", "test"]
    for target in commands:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_break_it_proposes_differs_from_our_configuration() -> None:
    config = tomllib.loads((ROOT / "ragate.toml").read_text())
    proposed = re.search(r"set `top_k = (\d+)`", README)
    restored = re.search(r"Set it back to (\d+)", README)

    assert proposed
    assert restored
    assert int(restored[1]) == config["system"]["top_k"]
    assert int(proposed[1]) < config["system"]["top_k"]


def test_its_exit_codes_are_those_of_the_commands() -> None:
    rows = re.findall(r"^\| (\d+) \|", README, re.MULTILINE)

    assert [int(code) for code in rows] == list(EXIT_CODES)


def test_its_first_screen_shows_a_failure() -> None:
    first = README.split("\n## ")[0]

    assert "](docs/images/comment.svg)" in first
    assert "top_k from 10 to 1" in first  # what the picture shows, for who cannot see it


def test_it_says_how_to_install_before_and_after_the_first_release():
    install = README.split("## Install it\n")[1].split("\n## ")[0]
    unreleased = "(unreleased)" in (ROOT / "CHANGELOG.md").read_text()

    for command in ("pip install 'ragate[embedded]'", "uvx ragate", "pipx run ragate"):
        assert command in install
    assert ("Nothing is released yet" in install) == unreleased
    assert ("--from . ragate" in install) == unreleased


def test_on_a_package_index_its_links_and_pictures_are_those_of_the_release():
    command = [sys.executable, "-m", "hatchling", "metadata"]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    metadata = json.loads(printed)
    here = f"https://github.com/{REPOSITORY}"
    picture = rf"!\[[^]]*\]\({here}/raw/action/v{__version__}/(docs/images/[\w-]+\.svg)"

    assert set(metadata["urls"].values()) >= {here, f"{here}/issues"}
    text = metadata["readme"]["text"]
    assert not re.findall(r"\]\((?!https://|#)", text)
    assert f"]({MANUAL}/tutorial.md)" in text
    shown = re.findall(picture, text)
    assert len(shown) == 4
    assert all((ROOT / path).is_file() for path in shown)


def test_the_workflow_has_thirteen_lines_pins_its_actions_and_asks_for_what_it_writes_only() -> (
    None
):
    text = block_after("<!-- workflow -->", "yaml")
    workflow = yaml.safe_load(text)
    job = workflow["jobs"]["gate"]

    assert len(text.splitlines()) <= 13
    assert workflow["permissions"] == {}
    written = {name for name, level in job["permissions"].items() if level == "write"}
    assert written == {"pull-requests", "statuses"}
    for step in job["steps"]:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"])
    given = next(step["with"] for step in job["steps"] if "ragate/ragate@" in step["uses"])
    assert set(given) <= set(yaml.safe_load((ROOT / "action.yml").read_text())["inputs"])


def test_our_own_workflow_tests_every_python_that_the_package_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    job = workflow["jobs"]["test"]

    assert job["strategy"]["matrix"]["python"] == named
    assert "pgvector" in job["services"]["postgres"]["image"]
    assert "health-cmd" in job["services"]["postgres"]["options"]


def test_every_metric_of_the_recipes_exists() -> None:
    modules = set(plugins.names("metrics"))
    for recipe in recipes().values():
        text = recipe.split("<<'END'\n")[1].split("\nEND\n")[0]
        for name in tomllib.loads(text)["policy"]["metrics"]:
            assert name.split("@")[0] in modules

"""Source files that are read as text."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ragate.cli.detect.node import find_node
from ragate.cli.detect.programs import find_programs
from ragate.cli.detect.python_files import MAX_BYTES
from ragate.cli.detect.script_files import manifest, script_files
from ragate.cli.detect.seeds import find_seeds
from tests.unit.cli.init.init_factories import write


def test_comments_go_and_lines_keep_their_numbers(tmp_path: Path):
    write(tmp_path, {"a.js": "/* one\ntwo */\n// three\nfour();\n"})

    (file,) = script_files(tmp_path)

    assert file.text.splitlines()[3] == "four();"
    assert file.text.strip() == "four();"


def test_what_only_looks_like_a_comment_stays(tmp_path: Path):
    write(tmp_path, {"a.js": 'get({ accept: "*/*" });\nask();\nget("src/**/*.js");\n'})

    (file,) = script_files(tmp_path)

    assert "ask();" in file.text


HOSTILE = [
    *("/*", "/*\n", "\n", " ", "export ", "function a(", "const a = (", "module.exports = {"),
    *("fn main()", "static void main(", "package main\n", '.post("/a"', "return {", "req.headers."),
    *("{a} = ", "export function ask(question) {}\n", 'app.post("/a", {q} = req.body);'),
]


@pytest.mark.parametrize("part", HOSTILE)
def test_no_text_of_a_stranger_takes_long_to_be_read(tmp_path: Path, part: str):
    text = part * (MAX_BYTES // len(part))
    names = ("a.js", "a.rs", "a.go", "A.java", "a.rb")
    write(tmp_path, {"package.json": "{}", "Cargo.toml": "", "go.mod": "", "Makefile": text})
    write(tmp_path, dict.fromkeys(names, f"{text}question ARGV"))
    began = time.process_time()

    list(find_node(tmp_path))
    list(find_programs(tmp_path))
    find_seeds(tmp_path, tmp_path)

    assert time.process_time() - began < 5


def test_packages_tests_links_and_our_own_adapter_are_passed_over(tmp_path: Path):
    names = ("node_modules/x/a.js", "dist/a.js", "a.test.js", "ragate-adapter.mjs", ".x/a.js")
    write(tmp_path, {**dict.fromkeys(names, ""), "real.js": ""})
    (tmp_path / "linked.js").symlink_to(tmp_path / "real.js")

    assert [str(file.path) for file in script_files(tmp_path)] == ["real.js"]


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000])
def test_a_manifest_that_cannot_be_read_is_none(tmp_path: Path, text: str):
    (tmp_path / "package.json").write_text(text)

    assert manifest(tmp_path) is None

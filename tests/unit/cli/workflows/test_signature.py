"""A workflow is known again by a digest, whichever commit of the action it names."""

from __future__ import annotations

from ragate.cli.workflows import PLACEHOLDER, commit_in, is_unchanged, signed

COMMIT = "c0ffee" * 6 + "c0ff"
TEXT = f"name: ragate\nuses: ragate/ragate@{PLACEHOLDER}\n"


def test_what_was_written_is_known_again() -> None:
    assert is_unchanged(signed(TEXT))
    assert is_unchanged(signed(TEXT).replace("\n", "\r\n"))


def test_the_commit_of_a_release_is_no_change() -> None:
    assert is_unchanged(signed(TEXT).replace(PLACEHOLDER, f"{COMMIT} # v1.2.0"))


def test_any_other_change_is_one() -> None:
    assert not is_unchanged(signed(TEXT).replace("name: ragate", "name: gate"))
    assert not is_unchanged(signed(TEXT) + "# mine\n")
    assert not is_unchanged(TEXT)


def test_the_commit_is_read_and_the_placeholder_is_none() -> None:
    assert commit_in(TEXT) == ""
    assert commit_in(TEXT.replace(PLACEHOLDER, COMMIT)) == COMMIT

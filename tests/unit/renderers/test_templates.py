"""What every page has: a policy, and templates that escape."""

from ragate.renderers._templates import content_policy, resource


def test_a_page_without_a_script_allows_none():
    assert "script-src 'none'" in content_policy("p { margin: 0 }")


def test_a_script_is_allowed_by_its_hash_alone():
    policy = content_policy("p {}", "alert(1)")

    assert "script-src 'sha256-" in policy
    assert "unsafe" not in policy


def test_the_files_of_the_page_are_in_the_package():
    assert resource("html/page.css").startswith(":root")


def test_a_file_of_another_package_is_named_with_it():
    assert resource("ragate.renderers.html:page.css") == resource("html/page.css")

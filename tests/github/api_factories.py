"""Connections to a stand-in for GitHub that fails in given ways."""

from __future__ import annotations

from tests.servers.github_stub import GitHub


def comments_at(github: GitHub) -> str:
    return f"/repos/{github.name}/issues/7/comments"

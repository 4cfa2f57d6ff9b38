"""The parts of the GitHub stub; use tests.servers.github_stub."""

"""How the GitHub stub answers: the way from a request to a function, refusals, pages."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlencode

from tests.servers.github.state import Account, GitHub, Json, Reply, Seen

Function = Callable[[GitHub, Seen, tuple[str, ...], Account], Reply]


@dataclass(frozen=True)
class Route:
    """A call of the API.

    Attributes:
        writes: What the token must be allowed to write.
    """

    method: str
    pattern: re.Pattern[str]
    writes: str
    function: Function


@dataclass
class Routes:
    """The calls that one module answers."""

    found: list[Route] = field(default_factory=list)

    def __call__(
        self, method: str, path: str, *, writes: str = ""
    ) -> Callable[[Function], Function]:
        """Register a function for a path below the repository.

        ``{}`` is one part of the path and ``{rest}`` all that follows.
        """
        form = re.escape(path).replace(r"\{\}", "([^/]+)").replace(r"\{rest\}", "(.*)")

        def register(function: Function) -> Function:
            self.found.append(Route(method, re.compile(form), writes, function))
            return function

        return register

    def __iter__(self) -> Iterator[Route]:
        return iter(self.found)


def answer(routes: Iterable[Route], github: GitHub, seen: Seen) -> Reply:
    """Return what GitHub would say, and do what it would do."""
    token = seen.headers.get("authorization", "").removeprefix("Bearer ")
    who = github.accounts.get(token)
    if who is None:
        return refused(401, "Bad credentials")
    start = f"/repos/{github.name}"
    path = seen.path.removeprefix(start) if seen.path.startswith(f"{start}/") else seen.path
    for route in routes:
        match = route.pattern.fullmatch(path)
        if route.method == seen.method and match is not None:
            if route.writes and route.writes not in who.writes:
                return refused(403, "Resource not accessible by integration")
            try:
                return route.function(github, seen, tuple(map(unquote, match.groups())), who)
            except subprocess.CalledProcessError as error:
                return refused(422, f"git: {error.stderr.decode()[:200]}")
    return not_found()


def refused(status: int, message: str, **more: Any) -> Reply:
    link = "https://docs.github.com/rest"
    return Reply(
        status, {"message": message, "documentation_url": link, "status": str(status), **more}
    )


def not_found() -> Reply:
    return refused(404, "Not Found")


def invalid(message: str, field: str = "data") -> Reply:
    error = {"resource": "IssueComment", "code": "custom", "field": field, "message": message}
    return refused(422, "Validation Failed", errors=[error])


def whole(github: GitHub, kind: str, ours: Json) -> Json:
    """Return our object with the fields of the description's example under it."""
    return merged(github.examples.get(kind, {}), ours)


def merged(under: Json, over: Json) -> Json:
    both = {
        key: merged(under[key], value)
        if isinstance(value, dict) and isinstance(under.get(key), dict)
        else value
        for key, value in over.items()
    }
    return {**under, **both}


def page(
    github: GitHub, seen: Seen, items: list[Json], wrap: Callable[[list[Json]], Any] | None = None
) -> Reply:
    """Return one page and the links to its neighbours, as GitHub cuts lists."""
    size = min(int(seen.query.get("per_page", 30)), 100)
    number = int(seen.query.get("page", 1))
    last = max(1, -(-len(items) // size))
    links = [
        f'<{github.url}{seen.path}?{urlencode({**seen.query, "page": target})}>; rel="{name}"'
        for name, target, there in (
            ("prev", number - 1, number > 1),
            ("next", number + 1, number < last),
            ("last", last, number < last),
            ("first", 1, number > 1),
        )
        if there
    ]
    shown = items[(number - 1) * size : number * size]
    headers = {"link": ", ".join(links)} if links else {}
    return Reply(200, wrap(shown) if wrap else shown, headers)

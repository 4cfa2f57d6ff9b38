"""What this project uses of Flask, in its shapes: routes, blueprints, JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


class _Request:
    body: dict[str, Any] = {}
    method = "GET"

    def get_json(self, *, force: bool = False, silent: bool = False) -> Any:
        return self.body


request = _Request()
Views = dict[tuple[str, str], Callable[..., Any]]


def jsonify(value: Any = None, **fields: Any) -> Any:
    return fields if value is None else value


class Blueprint:
    def __init__(self, name: str, import_name: str, url_prefix: str = "") -> None:
        self.url_prefix = url_prefix
        self.views: Views = {}

    def route(self, path: str, methods: list[str] | None = None) -> Callable[..., Any]:
        def add(view: Callable[..., Any]) -> Callable[..., Any]:
            for method in methods or ["GET"]:
                self.views[method, path] = view
            return view

        return add

    def post(self, path: str) -> Callable[..., Any]:
        return self.route(path, ["POST"])

    def get(self, path: str) -> Callable[..., Any]:
        return self.route(path, ["GET"])


class Flask(Blueprint):
    def __init__(self, import_name: str) -> None:
        super().__init__("app", import_name)

    def register_blueprint(self, blueprint: Blueprint, url_prefix: str = "") -> None:
        prefix = url_prefix or blueprint.url_prefix
        self.views |= {(m, prefix + path): view for (m, path), view in blueprint.views.items()}

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        view = self.views.get((environ["REQUEST_METHOD"], environ["PATH_INFO"]))
        size = int(environ.get("CONTENT_LENGTH") or 0)
        if view is None:
            start("404 NOT FOUND", [("Content-Type", "text/html")])
            return [b"<!doctype html><title>404 Not Found</title>"]
        request.body = json.loads(environ["wsgi.input"].read(size) or b"{}")
        result = view()
        body, status = result if isinstance(result, tuple) else (result, 200)
        start(f"{status} X", [("Content-Type", "application/json")])
        return [json.dumps(body).encode()]

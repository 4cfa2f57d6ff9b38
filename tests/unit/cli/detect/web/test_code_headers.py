"""Headers that the code of a service demands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.cli.detect.python_files import python_files
from ragate.cli.detect.web.services import find_services
from tests.unit.cli.detect.code import project

FASTAPI = """
from typing import Annotated
from fastapi import FastAPI, Depends, Header, HTTPException, Request, Security
from fastapi.security import APIKeyHeader, HTTPBearer
from pydantic import BaseModel

class Question(BaseModel):
    question: str

scheme = HTTPBearer()
key = APIKeyHeader(name="X-Our-Key")

def user(token=Depends(scheme)):
    return token

def by_request(request: Request):
    if request.headers.get("x-api-key") != "k":
        raise HTTPException(401)

app = FastAPI({app})
{before}

@app.post("/ask"{route})
async def ask(body: Question{parameter}):
    return {{"answer": "a"}}
"""
FLASK = """
from functools import wraps
from flask import Flask, request, jsonify, abort

app = Flask(__name__)

def locked(view):
    @wraps(view)
    def inner(*args, **kwargs):
        if not request.headers.get("Authorization", "").startswith("Bearer "):
            abort(401)
        return view(*args, **kwargs)
    return inner

{before}
@app.route("/ask", methods=["POST"])
{decorator}
def ask():
    return jsonify({{"answer": request.json["question"]}})
"""


def sent(root: Path, code: str) -> dict[str, Any]:
    (found,) = find_services(python_files(project(root, app=code)), root)
    return dict(found.settings.get("headers_env", {}))


def fastapi(root: Path, **parts: str) -> dict[str, Any]:
    return sent(
        root, FASTAPI.format(**{"app": "", "before": "", "route": "", "parameter": "", **parts})
    )


AUTHORIZATION = {"Authorization": "RAG_AUTHORIZATION"}
API_KEY = {"X-API-Key": "RAG_API_KEY"}


@pytest.mark.parametrize(
    ("parameter", "headers"),
    [
        (", who=Depends(user)", AUTHORIZATION),
        (", who: Annotated[str, Depends(user)] = None", AUTHORIZATION),
        (", who=Security(key)", {"X-Our-Key": "RAG_OUR_KEY"}),
        (", x_api_key: str = Header(None)", API_KEY),
        (", key: str = Header(..., alias='X-API-KEY')", API_KEY),
        (", authorization: Annotated[str, Header()] = ''", AUTHORIZATION),
        (", user_agent: str = Header(None)", {}),
        ("", {}),
    ],
)
def test_a_parameter_of_a_route_demands_a_header(
    tmp_path: Path, parameter: str, headers: dict[str, str]
):
    assert fastapi(tmp_path, parameter=parameter) == headers


def test_a_dependency_of_a_route_or_of_the_application_counts(tmp_path: Path):
    assert fastapi(tmp_path / "a", route=", dependencies=[Depends(by_request)]") == API_KEY
    assert fastapi(tmp_path / "b", app="dependencies=[Depends(user)]") == AUTHORIZATION


def test_what_stands_before_every_request_counts(tmp_path: Path):
    before = """
@app.middleware("http")
async def check(request, call_next):
    if request.headers["X-Token"] != "t":
        raise HTTPException(401)
    return await call_next(request)
"""

    assert fastapi(tmp_path, before=before) == {"X-Token": "RAG_TOKEN"}


def test_a_decorator_of_flask_counts(tmp_path: Path):
    assert sent(tmp_path, FLASK.format(before="", decorator="@locked")) == AUTHORIZATION


def test_flask_s_before_request_counts(tmp_path: Path):
    before = "@app.before_request\ndef check():\n    request.headers['X-Api-Key']\n"

    assert sent(tmp_path, FLASK.format(before=before, decorator="")) == API_KEY


def test_a_dependency_that_depends_on_itself_comes_to_an_end(tmp_path: Path):
    before = "def a(x=Depends(b)): pass\n\ndef b(x=Depends(a)): pass\n"

    assert fastapi(tmp_path, before=before, parameter=", x=Depends(a)") == {}


def test_what_another_router_demands_is_not_demanded_of_a_route(tmp_path: Path):
    other = "from fastapi import APIRouter, Depends\nfrom app import user\n"
    project(tmp_path, admin=f"{other}router = APIRouter(dependencies=[Depends(user)])\n")
    before = "app.include_router(admin.router)"

    assert fastapi(tmp_path, before=before) == {}

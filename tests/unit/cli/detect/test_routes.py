"""Routes of FastAPI, Starlette and Flask, and how they are started and asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.detect.candidate import RagCandidate
from ragate.cli.detect.project_files import python_files
from ragate.cli.detect.routes import find_services
from tests.unit.cli.detect.code import only, project

FASTAPI = """
from fastapi import FastAPI, Depends
from pydantic import BaseModel, Field

class Question(BaseModel):
    prompt: str = Field(..., min_length=1)
    top_k: int = 5

app = FastAPI()

@app.post("/v1/ask")
async def ask(request: Question, user=Depends(who)):
    return await rag(request)

@app.get("/healthz")
def healthz(): return {"ok": True}
"""
FLASK = """
from flask import Blueprint, Flask, request
api = Blueprint("api", __name__, url_prefix="/api")

@api.route("/chat", methods=["POST"])
def chat():
    return rag(request.get_json()["query"])

def create_app():
    app = Flask(__name__)
    app.register_blueprint(api)
    return app
"""


def services(root: Path) -> list[RagCandidate]:
    return list(find_services(python_files(root), root))


def test_a_fastapi_route_is_asked_in_the_field_of_its_model(tmp_path: Path):
    found = only(services(project(tmp_path, app__main=FASTAPI)))

    assert found.policy == {"http_hosts": ["127.0.0.1:8000"]}
    assert found.first["url"] == "http://127.0.0.1:8000/v1/ask"
    assert found.first["start"][1:4] == ["-m", "uvicorn", "app.main:app"]
    assert found.first["health"] == "http://127.0.0.1:8000/healthz"
    assert found.first["body"] == '{"prompt": {{ query | tojson }}}'


def test_without_a_page_of_health_fastapis_own_description_says_when_it_is_up(tmp_path: Path):
    root = project(tmp_path, main=FASTAPI.partition("@app.get")[0])

    assert only(services(root)).first["health"] == "http://127.0.0.1:8000/openapi.json"


def test_a_flask_factory_is_started_by_its_file_and_a_blueprint_has_its_prefix(tmp_path: Path):
    found = only(services(project(tmp_path, backend__app=FLASK)))

    assert found.first["url"] == "http://127.0.0.1:5000/api/chat"
    assert "backend/app.py:create_app" in found.first["start"]
    assert "health" not in found.first  # it waits until something listens
    assert found.first["body"] == '{"query": {{ query | tojson }}}'


def test_a_router_has_the_prefix_that_the_application_gives_it(tmp_path: Path):
    router = FASTAPI.replace("app = FastAPI()", 'router = APIRouter(prefix="/rag")')
    main = "from fastapi import FastAPI\nfrom app import chat\napp = FastAPI()\n"
    main += 'app.include_router(chat.router, prefix="/api")'
    root = project(tmp_path, app__chat=router.replace("@app.", "@router."), app__main=main)

    assert only(services(root)).first["url"] == "http://127.0.0.1:8000/api/rag/v1/ask"


def test_a_router_that_is_imported_under_another_name_is_the_same(tmp_path: Path):
    router = FASTAPI.replace("app = FastAPI()", 'router = APIRouter(prefix="/rag")')
    main = "from fastapi import FastAPI\nfrom .api.chat import router as talk\n"
    main += 'def create():\n    app = FastAPI()\n    app.include_router(talk, prefix="/api")\n'
    root = project(tmp_path, app__main=main, app__api__chat=router.replace("@app.", "@router."))

    found = only(services(root))

    assert found.first["url"] == "http://127.0.0.1:8000/api/rag/v1/ask"
    assert "--factory" in found.first["start"]


def test_a_get_route_takes_the_question_in_its_address(tmp_path: Path):
    code = """
    from starlette.applications import Starlette
    from starlette.routing import Route
    def search(request):
        return find(request.query_params["q"])
    app = Starlette(routes=[Route("/search", search)])
    """
    found = only(services(project(tmp_path, main=code)))

    assert (found.first["method"], found.first["params"]) == ("GET", {"q": "{{ query }}"})


@pytest.mark.parametrize(
    ("name", "text", "port"),
    [
        ("Dockerfile", "EXPOSE 9000\n", 9000),
        ("Procfile", "web: uvicorn a:b --port 9001", 9001),
        ("Makefile", "run:\n\tuvicorn a:b --port 9002\n", 9002),
    ],
)
def test_the_port_is_the_one_that_its_container_names(
    tmp_path: Path, name: str, text: str, port: int
):
    (tmp_path / name).write_text(text)

    found = only(services(project(tmp_path, main=FASTAPI)))

    assert found.policy == {"http_hosts": [f"127.0.0.1:{port}"]}


@pytest.mark.parametrize(
    "route",
    ['@app.post("/feedback")\ndef rate(stars: int): ...', '@app.get("/users/{q}")\ndef u(q): ...'],
)
def test_a_route_without_a_question_is_none(tmp_path: Path, route: str):
    code = f"from fastapi import FastAPI\napp = FastAPI()\n{route}"

    assert services(project(tmp_path, main=code)) == []

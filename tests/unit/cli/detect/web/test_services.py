"""Routes of FastAPI, Starlette and Flask, read from code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.cli.detect.found_system import FoundSystem
from ragate.cli.detect.python_files import python_files
from ragate.cli.detect.web.services import find_services
from tests.unit.cli.detect.code import only, project

FASTAPI = """
from fastapi import FastAPI, Depends
from pydantic import BaseModel, Field

class Question(BaseModel):
    question: str = Field(..., min_length=1)
    tenant: str
    top_k: int = 5

class Hit(BaseModel):
    file: str
    text: str
    score: float | None = None

class Reply(BaseModel):
    answer: str
    hits: list[Hit] = []

app = FastAPI()

@app.post("/v1/ask", response_model=Reply)
async def ask(request: Question, user=Depends(who)):
    return await rag(request)

@app.get("/healthz")
def healthz(): return {"ok": True}
"""


def services(root: Path) -> list[FoundSystem]:
    return list(find_services(python_files(root), root))


def settings(root: Path) -> dict[str, Any]:
    return dict(only(services(root)).settings)


def test_a_fastapi_service_is_read_by_its_models(tmp_path: Path):
    found = only(services(project(tmp_path, app__main=FASTAPI)))

    assert found.policy == {"http_hosts": ["127.0.0.1:8000"]}
    assert found.settings["url"] == "http://127.0.0.1:8000/v1/ask"
    assert found.settings["start"][1:4] == ["-m", "uvicorn", "app.main:app"]
    assert found.settings["health"] == "http://127.0.0.1:8000/healthz"
    assert found.settings["body"] == '{"question": {{ query | tojson }}, "tenant": "ragate"}'
    assert found.settings["pointers"] == {
        "answer": "/answer",
        "contexts": "/hits/*/text",
        "ids": "/hits/*/file",
        "scores": "/hits/*/score",
    }
    assert found.unsure == ("the body's tenant is a guess",)


def test_a_router_has_the_prefix_that_the_application_gives_it(tmp_path: Path):
    router = FASTAPI.replace("app = FastAPI()", 'router = APIRouter(prefix="/rag")')
    main = "from fastapi import FastAPI\nfrom app import chat\napp = FastAPI()\n"
    main += 'app.include_router(chat.router, prefix="/api")'
    root = project(tmp_path, app__chat=router.replace("@app.", "@router."), app__main=main)

    assert settings(root)["url"] == "http://127.0.0.1:8000/api/rag/v1/ask"


def test_a_router_that_is_imported_under_another_name_is_the_same(tmp_path: Path):
    router = FASTAPI.replace("app = FastAPI()", 'router = APIRouter(prefix="/rag")')
    main = "from fastapi import FastAPI\nfrom .api.chat import router as talk\n"
    main += 'def create():\n    app = FastAPI()\n    app.include_router(talk, prefix="/api")\n'
    root = project(tmp_path, app__main=main, app__api__chat=router.replace("@app.", "@router."))

    assert settings(root)["url"] == "http://127.0.0.1:8000/api/rag/v1/ask"


def test_without_a_page_of_health_fastapis_own_description_says_when_it_is_up(tmp_path: Path):
    root = project(tmp_path, main=FASTAPI.partition("@app.get")[0])

    assert settings(root)["health"] == "http://127.0.0.1:8000/openapi.json"


def test_a_get_route_takes_the_question_in_its_address(tmp_path: Path):
    code = """
    from fastapi import FastAPI
    app = FastAPI()
    @app.get("/search")
    def search(q: str, limit: int = 5):
        return {"results": [{"url": u, "snippet": s} for u, s in find(q)]}
    """
    found = settings(project(tmp_path, main=code))

    assert (found["method"], found["params"]) == ("GET", {"q": "{{ query }}"})
    assert found["pointers"] == {"contexts": "/results/*/snippet", "ids": "/results/*/url"}


@pytest.mark.parametrize(
    "reading",
    [
        'request.json["prompt"]',
        'request.get_json()["prompt"]',
        '(request.get_json() or {}).get("prompt")',
    ],
)
def test_a_flask_route_is_read_by_the_keys_that_it_takes_out(tmp_path: Path, reading: str):
    code = f"""
    from flask import Flask, jsonify, request
    app = Flask(__name__)
    @app.route("/chat", methods=["POST"])
    def chat():
        prompt = {reading}
        return jsonify(response=run(prompt), sources=[name for name in names])
    @app.get("/")
    def home(): return "ok"
    if __name__ == "__main__":
        app.run(port=5055)
    """
    found = settings(project(tmp_path, server=code))

    assert found["url"] == "http://127.0.0.1:5055/chat"
    assert found["body"] == '{"prompt": {{ query | tojson }}}'
    assert found["start"][1:] == [
        *("-m", "flask", "--app", "server:app", "run", "--host", "127.0.0.1", "--port", "5055"),
    ]
    assert found["pointers"] == {"answer": "/response", "ids": "/sources"}


def test_an_application_that_a_function_makes_is_started_by_it(tmp_path: Path):
    code = """
    from starlette.applications import Starlette
    from starlette.routing import Route
    async def ask(request):
        body = await request.json()
        return JSONResponse({"answer": run(body["query"])})
    async def ready(request): ...
    def create_app():
        return Starlette(routes=[Route("/ask", ask, methods=["POST"]), Route("/ready", ready)])
    """
    found = settings(project(tmp_path, service=code))

    assert found["start"][2:5] == ["uvicorn", "service:create_app", "--factory"]
    assert found["health"].endswith("/ready")


def test_the_projects_own_environment_starts_its_service(tmp_path: Path):
    root = project(tmp_path, main=FASTAPI)
    (root / ".venv/bin").mkdir(parents=True)
    (root / ".venv/pyvenv.cfg").write_text("")
    (root / ".venv/bin/python").write_text("")

    assert settings(root)["start"][0] == ".venv/bin/python"


def test_the_port_of_the_container_is_the_services(tmp_path: Path):
    root = project(tmp_path, main=FASTAPI)
    (root / "Dockerfile").write_text("FROM python\nEXPOSE 9090\n")

    assert settings(root)["url"].startswith("http://127.0.0.1:9090/")


def test_of_two_applications_each_has_its_own_routes(tmp_path: Path):
    root = project(tmp_path, admin__main=FASTAPI.replace("/v1/ask", "/query"), shop__main=FASTAPI)

    targets = {each.settings["url"]: each.settings["start"][3] for each in services(root)}

    assert targets == {
        "http://127.0.0.1:8000/query": "admin.main:app",
        "http://127.0.0.1:8000/v1/ask": "shop.main:app",
    }


def test_routes_without_a_question_are_no_systems(tmp_path: Path):
    code = """
    from fastapi import FastAPI
    app = FastAPI()
    @app.post("/users/{name}/ask")
    def one(name: str, question: str): ...
    @app.post("/ingest")
    def ingest(count: int): ...
    """
    assert services(project(tmp_path, main=code)) == []

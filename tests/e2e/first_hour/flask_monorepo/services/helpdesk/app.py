from flask import Blueprint, Flask, jsonify, request
from search import answer, find

api = Blueprint("api", __name__)


@api.post("/ask")
def ask():
    body = request.get_json()
    if "q" not in body:
        return jsonify(error="q is required"), 400
    rows = find(body["q"])
    return jsonify(
        text=answer(body["q"], rows),
        sources=[
            {"article": row["id"], "title": row["headline"], "body": row["text"]} for row in rows
        ],
    )


@api.get("/version")
def version():
    return jsonify(version="1.4")


def create_app():
    app = Flask(__name__)
    app.register_blueprint(api, url_prefix="/api")
    return app

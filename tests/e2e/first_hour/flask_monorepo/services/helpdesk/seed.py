import json
from pathlib import Path

from db import SCHEMA, connect

rows = json.loads(Path(__file__).with_name("articles.json").read_text())
with connect() as base:
    base.executescript(SCHEMA)
    base.execute("DELETE FROM articles")
    base.executemany(
        "INSERT INTO articles (slug, headline, text) VALUES (:slug, :headline, :text)", rows
    )

import sqlite3
from pathlib import Path

PATH = Path(__file__).with_name("helpdesk.db")
SCHEMA = """
CREATE TABLE IF NOT EXISTS articles (
    id INTEGER PRIMARY KEY, slug TEXT UNIQUE, headline TEXT, text TEXT
);
CREATE TABLE IF NOT EXISTS sessions (token TEXT, started TEXT);
"""


def connect():
    base = sqlite3.connect(PATH)
    base.row_factory = sqlite3.Row
    return base

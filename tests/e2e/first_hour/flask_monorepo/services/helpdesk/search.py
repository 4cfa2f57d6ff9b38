import re

from db import connect

TOP_K = 4


def words(text):
    return set(re.findall(r"\w{4,}", text.lower()))


def find(question):
    asked = words(question)
    with connect() as base:
        rows = base.execute("SELECT id, headline, text FROM articles").fetchall()
    scored = sorted(rows, key=lambda row: -len(asked & words(f"{row['headline']} {row['text']}")))
    return scored[:TOP_K]


def answer(question, rows):
    asked = words(question)
    sentences = re.split(r"(?<=\.)\s+", rows[0]["text"])
    return max(sentences, key=lambda sentence: len(asked & words(sentence)))

"""The help desk of a bicycle workshop."""

from fastapi import FastAPI
from pydantic import BaseModel, Field

from app.search import best

app = FastAPI(title="Help desk")


class Question(BaseModel):
    question: str = Field(..., min_length=1)
    top_k: int = 3


class Source(BaseModel):
    path: str
    excerpt: str
    score: float


class Answer(BaseModel):
    answer: str
    sources: list[Source]


@app.post("/v1/ask", response_model=Answer)
def ask(request: Question) -> Answer:
    hits = best(request.question, request.top_k)
    lines = [line for line in hits[0][1].splitlines() if line and not line.startswith("#")]
    sources = [Source(path=name, excerpt=text, score=score) for name, text, score in hits]
    return Answer(answer=lines[0], sources=sources)


if __name__ == "__main__":
    import uvicorn

    uvicorn.run("app.main:app", port=8642)

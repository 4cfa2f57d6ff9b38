"""The file that `init` writes for code: one function, a question in, answer and sources out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ragate.cli.init.python_code import Called, LibraryUser
from ragate.version import MANUAL

NAME, NODE_NAME = "ragate_rag.py", "ragate_rag.mjs"
QUESTION = "{question}"
TODO = "call your RAG here, and return its answer and sources"
# What a person sees whose RAG returned a text alone.
SOURCES = """\
return {
    "answer": text,
    "chunks": [{"doc_id": "refunds.md", "text": "Refunds are possible …"}],
}"""
_HEAD = f'''\
"""What ragate asks: a question goes in, the answer and its sources come out.

`ragate init` wrote this file once and never writes over it: {MANUAL}/agents.md.
"""
'''
_EXAMPLES = """

# Return your sources like this: `doc_id` as `relevant` of your questions names a document.
#
#     {sources}
#
# Other shapes that work (make what takes long once, above the function):
#
#     async def answer(question): return await rag.ask(question)
#     def answer(question): return "".join(rag.stream(question))         # a stream
#     def answer(question):                                              # LangChain
#         docs = RETRIEVER.invoke(question)
#         chunks = [{{"doc_id": d.metadata["source"], "text": d.page_content}} for d in docs]
#         return {{"answer": CHAIN.invoke(question), "chunks": chunks}}
#     def answer(question):                                              # LlamaIndex
#         reply = ENGINE.query(question)
#         nodes = [{{"doc_id": n.metadata["file_name"], "text": n.text}}
#                  for n in reply.source_nodes]
#         return {{"answer": str(reply), "chunks": nodes}}
#
# A file that asks for input, reads arguments or starts an app when it is imported: put these lines
# of it below `if __name__ == "__main__":`. A function that returns a text: let it return what it
# retrieved as well, or call its steps here one after the other.
""".format(sources=SOURCES.replace("\n", "\n#     "))
_DJANGO = """\
import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", {settings})
django.setup()

"""
_PROGRAM = '''\
import subprocess
import sys

PROGRAM = {program}


def answer(question):
    """Return what the program prints: take the answer out of it, and the sources."""
    words = [question if word == "{mark}" else word for word in PROGRAM]
    ran = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ran.returncode:
        told = (ran.stderr or ran.stdout).strip()[-500:]
        raise RuntimeError(told or f"exit code {{ran.returncode}}")
    return ran.stdout.strip()
'''
_NODE = """\
// What ragate asks: a question goes in, the answer and its sources come out.
// `ragate init` wrote this file once and never writes over it: {manual}/agents.md.
import {{ createInterface }} from "node:readline";

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr); // only answers are read
// const {{ ask }} = await import("./src/rag.js"); // here: what it prints is no answer; `export` it

async function answer(question) {{
  // const {{ text, hits }} = await ask(question);
  // return {{ answer: text, chunks: hits.map((hit) => ({{ doc_id: hit.file, text: hit.text }})) }};
  throw new Error("{name}: {todo}");
}}

for await (const line of createInterface({{ input: process.stdin }})) {{
  const {{ id, query }} = JSON.parse(line);
  try {{
    const told = await answer(query);
    const reply = typeof told === "string" ? {{ answer: told }} : told;
    write(JSON.stringify({{ ...reply, id }}) + "\\n");
  }} catch (error) {{
    write(JSON.stringify({{ id, error: String(error?.message ?? error) }}) + "\\n");
  }}
}}
process.exit(0); // whatever it keeps open
"""


def python_adapter(
    found: Sequence[Called],
    candidates: Sequence[LibraryUser] = (),
    *,
    django: str = "",
) -> str:
    """Return the file's text: the first callable is called where it is sure, others are shown.

    Args:
        candidates: Files that may answer: shown where no callable is sure.
        django: The settings of a project of Django, which it needs before any import.
    """
    head = f"{_HEAD}\n{_DJANGO.format(settings=json.dumps(django)) if django else ''}"
    if found and found[0].sure:
        imports = "\n".join(_imports(found[:1]))
        owner, _, method = found[0].name.rpartition(".")
        made = f"\n\nRAG = {owner}()" if owner else ""
        call = f"RAG.{method}" if owner else _local(method)
        body = f"def answer(question):\n    return {call}(question)\n"
        return f"{head}{imports}{made}\n\n\n{body}{_EXAMPLES}"

    lines = _imports([*found[:3], *candidates[:3]])
    shown = "".join(f"# {line}".rstrip() + "\n" for line in lines)
    body = f'def answer(question):\n    raise NotImplementedError("{NAME}: {TODO}")\n'
    return f"{head}{shown or '# from my_project import my_rag'}\n\n{body}{_EXAMPLES}"


def _imports(found: Sequence[Called | LibraryUser]) -> list[str]:
    """Return the lines that import what answers, from folders of its own where it has them."""
    folders = dict.fromkeys(one.folder for one in found if one.folder != ".")
    ways = [
        f"sys.path.insert(0, str(Path(__file__).parent / {json.dumps(one)}))" for one in folders
    ]
    head = ["import sys", "from pathlib import Path", "", *ways] if ways else []
    return [*head, *map(_import, found)]


def _import(found: Called | LibraryUser) -> str:
    if isinstance(found, LibraryUser):
        return f"from {found.module} import …  # {found.path}: uses {found.library}"
    name = found.name.partition(".")[0]
    renamed = "" if _local(name) == name else f" as {_local(name)}"
    return f"from {found.module} import {name}{renamed}  # {found.path}:{found.line}"


def _local(name: str) -> str:
    """Return what a callable is called in the adapter, whose own function is `answer`."""
    return "its_answer" if name == "answer" else name


def program_adapter(program: Sequence[str]) -> str:
    """Return the text that runs a program; without `QUESTION` in it, the question is added."""
    words = [*program] if QUESTION in program else [*program, QUESTION]
    shown = json.dumps(words, ensure_ascii=False)
    if words[0] in {"python", "python3"}:  # the one of the project, whatever it is called
        shown = shown.replace(f'"{words[0]}"', "sys.executable", 1)
    return f"{_HEAD}\n{_PROGRAM.format(program=shown, mark=QUESTION)}{_EXAMPLES}"


def node_adapter() -> str:
    """Return the program that calls a function of Node."""
    return _NODE.format(manual=MANUAL, name=NODE_NAME, todo=TODO)


def is_unfilled(path: Path) -> bool:
    """Return whether a person has still to say in a file what is called."""
    from ragate.files.foreign_files import start_of

    return TODO in start_of(path, 100_000)

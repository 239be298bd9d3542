#!/usr/bin/env node
// Wraps npm's wasm build of the Solidity compiler, which is the same on every machine, as the executable that forge needs.
// forge passes all sources in one standard JSON input, so this script resolves no imports.
const { readFileSync } = require("node:fs");
const solc = require("solc");

const options = process.argv.slice(2);

if (options.includes("--version")) {
  const version = solc.version().replace(".Emscripten.clang", "");
  process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${version}\n`);
} else if (options.includes("--standard-json")) {
  process.stdout.write(solc.compile(readFileSync(0, "utf8")));
} else {
  process.stderr.write("Usage: solc.cjs --version | --standard-json < input.json\n");
  process.exitCode = 2;
}

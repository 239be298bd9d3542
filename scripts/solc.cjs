#!/usr/bin/env node
// The Solidity compiler as forge wants it, an executable, made of npm's wasm build, which is the same on every machine.
// forge asks for the version, and hands every source over in one standard JSON input, so no import is looked up here.
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

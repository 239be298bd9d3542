import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

it.each([
  "docs/openapi.json",
  "docs/api.md",
  "docs/explorer.md",
  "docs/decisions.md",
  "client/src/api.ts",
  "client/src/market/solver.ts",
  "explorer/components/competition.tsx",
  "examples/solver.ts",
])("%s defines the fee of a bid in the same words", (file) => {
  const text = readFileSync(resolve(root, file), "utf8").replace(/\s+(\/\/\s*)?/g, " ");
  expect(text.toLowerCase()).toContain("an integer whose token the contract does not define; the parties agree on it");
});

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const rows = readFileSync(join(root, "docs/security.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (---|Attempt|Failure|Mistake) \|/.test(line))
  .map((line) => line.slice(2, -2).split(" | "));

describe("the threat model in docs/security.md", () => {
  it.each(rows)("has a measure and tests that exist: %s", (_attempt, measure = "", tests = "") => {
    expect(measure).not.toBe("");
    const named = [...tests.matchAll(/`(\S+) › ([^`]+)`/g)];
    expect(named.length).toBeGreaterThan(0);
    expect(tests.replaceAll(/`[^`]+`/g, "").replaceAll(/[, ]/g, "")).toBe("");
    for (const [, file, name = ""] of named) {
      const path = join(root, "test", `${file}.test.ts`);
      expect(existsSync(path), path).toBe(true);
      expect(readFileSync(path, "utf8"), path).toContain(`"${name}"`);
    }
  });

  it("covers every group of actors", () => {
    expect(rows.length).toBeGreaterThan(40);
  });
});

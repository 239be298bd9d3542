import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Each item: what somebody may try, what stops it, and its tests. */
const items = readFileSync(join(root, "docs/security.md"), "utf8")
  .split("\n")
  .flatMap((line) => {
    const [, attempt = "", text = ""] = /^- \*\*(.+?)\*\* (.*)$/.exec(line) ?? [];
    return attempt ? [{ attempt, text }] : [];
  });

/** A test by the path of its file and its name, or, before an ellipsis, the beginning of its name. */
const TEST = /`(\S+) › ([^`]+?)( …)?`/g;

describe("the threat model in docs/security.md", () => {
  it.each(items)("has a measure and tests that exist: $attempt", ({ text }) => {
    const named = [...text.matchAll(TEST)];
    expect(named.length).toBeGreaterThan(0);
    // The tests follow the measure, and end the item.
    expect(text.replaceAll(TEST, "").trim()).toMatch(/^\S.*\.$/);
    for (const [, file, name = "", isBeginning] of named) {
      const path = join(root, "test", `${file}.test.ts`);
      expect(existsSync(path), path).toBe(true);
      const found = readFileSync(path, "utf8").split(`"${name}${isBeginning ? "" : '"'}`).length - 1;
      // The beginning of a name identifies one test.
      expect(isBeginning ? found : Math.min(found, 1), `${path}: ${name}`).toBe(1);
    }
  });

  it("covers every group of actors", () => {
    expect(items.length).toBeGreaterThan(70);
  });
});

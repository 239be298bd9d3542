import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const root = resolve(import.meta.dirname, "..", "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

const FOLDERS = ["api", "common", "config", "rpc", "src", "stack", "workarounds"];
const sources = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
)
  .filter((file) => /\.(ts|js)$/.test(file))
  .concat("ponder.config.ts", "ponder.schema.ts", "vite.config.cjs");

const HEADER = /^(?: \*|\/\/) Workaround of (.*)$/gm;
const TEST = /^(?: \*|\/\/) Test: (\S+) "(.+)"$/gm;

const workarounds = sources.flatMap((file) => {
  const text = read(file);
  const starts = Array.from(text.matchAll(HEADER), ({ index, 1: claim = "" }) => ({ index, claim }));
  return starts.map(({ index, claim }) => {
    const end = text.slice(index).search(/\n \*\/|\n\n|\nexport /);
    return { file, claim, header: text.slice(index, index + end + 1) };
  });
});

const reports = read("docs/upstream.md").split(/^### /m).slice(1);
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");
const headingOf = (report: string) => report.slice(0, report.indexOf("\n"));

describe("each workaround of Ponder", () => {
  it.each(workarounds)(
    "in $file names the installed version, what happens without it, and its tests: $claim",
    ({ claim, header }) => {
      const [version, link] = claim.split(": ");
      expect(version).toBe(`Ponder ${manifest.dependencies.ponder}`);
      expect(reports.map((report) => `docs/upstream.md#${anchorOf(headingOf(report))}`)).toContain(link);
      expect(header).toMatch(/\bWithout\b/);
      const tests = [...header.matchAll(TEST)];
      expect(tests).not.toEqual([]);
      for (const [, file = "", title = ""] of tests) expect(read(file)).toContain(title);
    },
  );

  it("is in a report that is ready to send", () => {
    for (const report of reports) {
      const heading = headingOf(report);
      const parts = Array.from(report.matchAll(/^\*\*(.+?)\.\*\*/gm), ([, name]) => name);
      expect(parts, heading).toEqual(["Reproduction", "Expected", "Seen", "Proposed change", "Here"]);
    }
  });

  it("has a file in workarounds/, unless it is part of another file", () => {
    const files = new Set(workarounds.map(({ file }) => file));
    expect(sources.filter((file) => file.startsWith("workarounds") && !files.has(file))).toEqual([]);
  });
});

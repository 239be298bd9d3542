import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { anchorOf } from "../deploy/anchors";

const root = resolve(import.meta.dirname, "../..");

const pagesIn = (folder: string, recursive = false) =>
  readdirSync(join(root, folder), { recursive })
    .map((name) => join(folder, String(name)))
    .filter((name) => name.endsWith(".md"));

/** Every page, by its path from the root. */
const pages = new Map(
  [pagesIn("."), pagesIn("docs", true), pagesIn("client"), pagesIn("deploy", true), pagesIn(".github", true)]
    .flat()
    .map((path) => [path, readFileSync(join(root, path), "utf8")]),
);

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean).length;

const withoutCode = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, "").replaceAll(/`[^`\n]*`/g, "");

/** The anchors that a page has: its headings, and those that it sets itself. */
const anchorsOf = (text: string) => [
  ...[...text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, "").matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    anchorOf(title),
  ),
  ...[...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = ""]) => id),
];

describe("the documentation", () => {
  it("has at most 25,000 words", () => {
    const words = [...pages].map(([path, text]) => [path, wordsOf(text)] as const);
    const total = words.reduce((sum, [, count]) => sum + count, 0);
    expect(total, words.map(([path, count]) => `${count} ${path}`).join("\n")).toBeLessThanOrEqual(25_000);
  });

  it.each([
    ["docs/architecture.md", 2_500],
    ["docs/testing.md", 800],
  ])("has at most the words of its limit in %s: %i", (path, limit) => {
    expect(wordsOf(pages.get(path) ?? "")).toBeGreaterThan(100);
    expect(wordsOf(pages.get(path) ?? "")).toBeLessThanOrEqual(limit);
  });

  it("has two diagrams of the architecture", () => {
    expect(pages.get("docs/architecture.md")?.match(/^```mermaid$/gm)).toHaveLength(2);
  });

  it.each([...pages.keys()])("links to files and sections that exist: %s", (path) => {
    const links = [...withoutCode(pages.get(path) ?? "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    const broken = links.filter((link) => {
      if (/^(https?|mailto):/.test(link)) return false;
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : relative(root, resolve(root, dirname(path), file));
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(pages.get(target) ?? "").includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it.each([...pages.keys()])("names npm scripts that exist: %s", (path) => {
    const named = [...(pages.get(path) ?? "").matchAll(/\bnpm run (?:-s )?([a-z][\w:]*)/g)].map(
      ([, name = ""]) => name,
    );
    expect(named.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
  });
});

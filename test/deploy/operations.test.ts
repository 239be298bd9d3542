import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anchorOf } from "./anchors";
import { isInProject, projectRoot } from "./files";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");
const operations = read("docs/operations.md");
const anchors = new Set([
  ...[...operations.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading)),
  ...[...operations.matchAll(/<a id="([^"]+)"/g)].map(([, id]) => id),
]);

describe("docs/operations.md", () => {
  it("has every section that it links to", () => {
    const linked = [...operations.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    expect(linked.length).toBeGreaterThan(20);
    expect(linked.filter((anchor) => !anchors.has(anchor))).toEqual([]);
  });

  it("has every section that other pages link to", () => {
    const pages = readdirSync(join(projectRoot, "docs")).filter((file) => file.endsWith(".md"));
    const texts = ["README.md", "deploy/README.md", ...pages.map((page) => `docs/${page}`)].map(read);
    const linked = texts.flatMap((text) => [...text.matchAll(/operations\.md#([\w-]+)/g)].map(([, anchor]) => anchor));
    expect(linked.length).toBeGreaterThan(2);
    expect(linked.filter((anchor) => !anchors.has(anchor))).toEqual([]);
  });

  it("names files in deploy/ that exist", () => {
    const named = [...operations.matchAll(/\bdeploy\/[\w./@*-]+\w/g)].map(([path]) => path);
    expect(named.length).toBeGreaterThan(10);
    // The operator creates these.
    const created = ["deploy/.env", "deploy/api.env", "deploy/indexer.env"];
    expect(named.filter((path) => !path.includes("*") && !created.includes(path) && !isInProject(path))).toEqual([]);
  });
});

describe("deploy/README.md", () => {
  it("lists every file", () => {
    const text = read("deploy/README.md");
    const files = readdirSync(join(projectRoot, "deploy"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== "README.md" && !/\.env$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).slice(join(projectRoot, "deploy").length + 1));
    expect(files.filter((file) => !text.includes(`\`${file}\``))).toEqual([]);
  });
});

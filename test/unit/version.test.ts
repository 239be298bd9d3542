import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { openApiDocument } from "../../api/transports/openapi";
import { VERSION } from "../../config/version";

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");

it("has one version: of the package, the service and the changelog", async () => {
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+$/);
  expect(openApiDocument().info.version).toBe(VERSION);
  expect(JSON.parse(await read("package.json"))).not.toHaveProperty("version");
  const headings = (await read("CHANGELOG.md")).match(/^## .*$/gm) ?? [];
  expect(headings[0]).toBe("## Unreleased");
  expect(headings[1]).toMatch(new RegExp(`^## ${VERSION.replaceAll(".", "\\.")} - \\d{4}-\\d\\d-\\d\\d$`));
});

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { freeCalls } from "../../../api/operations/index";
import manifest from "../../../client/package.json" with { type: "json" };
import { root, runScript } from "../../support/package-installation";
import { initialBytes } from "./bundle-size";
import { installedPackage } from "./installed";
import { quickInfos } from "./quick-info";

const { version: VERSION } = manifest;

describe("the installed package", () => {
  let project: string;
  beforeAll(async () => {
    ({ project } = await installedPackage());
  }, 600_000);

  it("passes npm run check:package, and npm would publish it unchanged", async () => {
    const printed = await runScript("check:package");
    expect(printed).toContain(`+ intentry@${VERSION}`);
    expect(printed).not.toMatch(/npm warn publish .*(cleaned|removed|invalid)/);
  }, 120_000);

  it("has the license, a README with the line that installs this version, and its repository", async () => {
    const installed = join(project, "node_modules", "intentry");
    expect(await readFile(join(installed, "LICENSE"), "utf8")).toBe(await readFile(join(root, "LICENSE"), "utf8"));
    expect(await readFile(join(installed, "README.md"), "utf8")).toContain(
      `npm install <path>/intentry-${VERSION}.tgz viem\n`,
    );
    const installedManifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    expect(installedManifest).toMatchObject({ repository: { directory: "client" }, version: VERSION });
    expect(Object.keys(installedManifest.exports)).toEqual([".", "./market", "./abis", "./package.json"]);
  });

  it("has a doc comment in editors for every export, helper and procedure", () => {
    const shown = quickInfos(project, "intentry");
    expect([...shown].filter(([, text]) => text === "")).toEqual([]);
    for (const { name } of freeCalls) expect(shown.keys()).toContain(name);
    expect(shown.get("intents.list")).toMatch(/^Intents, newest first\./);
    expect(shown.get("limit")).toMatch(/^Page size\./);
    expect(shown.get("limit of a direct call")).toMatch(/^Page size\./);
    expect(shown.get("a direct call")).toBe(shown.get("intents.list"));
    expect(shown.get("client.waitForIntent")).toMatch(/^Waits until an intent/);
  }, 60_000);

  it("has a doc comment in editors for every export of intentry/market", () => {
    const shown = quickInfos(project, "intentry/market");
    expect([...shown].filter(([, text]) => text === "")).toEqual([]);
    expect([...shown.keys()]).toEqual(expect.arrayContaining(["buyer", "merchant", "solver"]));
  }, 60_000);

  it("adds as much to a bundle that reads as the documentation says, with and without code splitting", async () => {
    const script = `import { createIntentryClient } from "intentry";
      createIntentryClient({ url: "http://localhost:3001" }).agents.get({ agentId: "1" }).then(console.log);`;
    const split = await initialBytes(project, script);
    expect(split.modules.filter((path) => /viem|x402|zod|noble/.test(path))).toEqual([]);
    const whole = await initialBytes(project, script, { splitting: false });
    for (const page of ["client/README.md", "docs/api.md"]) {
      const text = await readFile(join(root, page), "utf8");
      const [, withSplitting, without] =
        /has about (\d+) KB \(gzip\) with code splitting: .* Without code splitting it has about (\d+) KB\./.exec(
          text,
        ) ?? [];
      expect(Number(withSplitting), page).toBe(Math.round(split.bytes / 1000));
      // Minor versions of viem and x402 change it a little.
      expect(Math.abs(Number(without) - whole.bytes / 1000), `${page}: ${whole.bytes}`).toBeLessThan(5);
    }
  });

  it("has viem in a bundle that hashes", async () => {
    const { modules } = await initialBytes(project, 'export { documentHash } from "intentry";');
    expect(modules.join()).toContain("viem");
  });
});

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { root, run } from "../../support/package-installation";
import { type SampleStack, sampleStack } from "../../support/shared-stack";
import { installedPackage } from "./installed";

describe("the installed package", () => {
  let stack: SampleStack;
  let project: string;
  let tarball: string;
  beforeAll(async () => {
    ({ project, tarball } = await installedPackage());
    stack = await sampleStack();
  }, 600_000);

  it("includes the CLI", async () => {
    const bin = join("node_modules", ".bin", "intentry");
    const { agent_id } = JSON.parse(
      await run(bin, ["call", "agents.get", '{"agentId":"1"}', "--url", stack.apiUrl], project),
    );
    expect(agent_id).toBe("1");
    expect(await run(bin, ["--help"], project)).toContain("intentry call");
    await expect(run(bin, ["start"], project)).rejects.toThrow("checkout");
  }, 60_000);

  it("runs with npx from its tarball, in an empty folder", async () => {
    const empty = await mkdtemp(join(tmpdir(), "intentry-npx-"));
    try {
      // Its dependencies were installed before, so they are in npm's cache. viem is a peer: npm would install the newest one.
      const { dependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
      const packages = ["--package", tarball, "--package", `viem@${dependencies.viem}`];
      const npx = ["exec", "--yes", "--prefer-offline", "--ignore-scripts", ...packages, "--"];
      const called = ["intentry", "call", "agents.get", "agentId=1", "--url", stack.apiUrl];
      expect(JSON.parse(await run("npm", [...npx, ...called], empty))).toMatchObject({ agent_id: "1" });
      const followed = ["intentry", "events", "from_block=0", "--limit", "1", "--url", stack.apiUrl];
      const lines = (await run("npm", [...npx, ...followed], empty)).trim().split("\n");
      expect(lines.map((line) => JSON.parse(line).type)).toContain("event");
    } finally {
      await rm(empty, { recursive: true, force: true });
    }
  }, 180_000);
});

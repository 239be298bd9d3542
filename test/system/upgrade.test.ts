import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OldVersion, startOldVersion } from "./upgraded-index";

describe("an upgrade of the handlers on an existing database", () => {
  let running: OldVersion;

  beforeAll(async () => {
    running = await startOldVersion();
  });
  afterAll(() => running?.stop());

  it("serves the old build until the new one has caught up, then drops it", async () => {
    const { index, proxy, builds, status, versionWith, expectStoreUntouched } = running;
    const [old] = await builds();
    await index.stopIndexer();
    const root = await versionWith(join("src", "agents.ts"), (text) => `${text}\n// another version\n`);
    proxy.decide(({ method }) => (method === "eth_getLogs" ? "wait" : "pass"));
    const started = index.startIndexer({}, { root });
    await expect.poll(() => status("/agents/1"), { timeout: 150_000 }).toBe(200);
    await expect.poll(async () => (await builds()).length, { timeout: 150_000 }).toBe(2);
    const seen = new Set<number | undefined>();
    let watching = true;
    const watch = (async () => {
      while (watching) seen.add(await status("/agents/1"));
    })();
    await expect.poll(() => index.log(), { timeout: 150_000 }).toContain("Started live indexing");
    expect(await builds()).toContain(old);
    proxy.decide(() => "pass");
    await started;
    await expect.poll(builds, { timeout: 150_000 }).not.toContain(old);
    watching = false;
    await watch;
    expect([...seen]).toEqual([200]);
    expect(await builds()).toHaveLength(1);
    await expectStoreUntouched();
  });
});

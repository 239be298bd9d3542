import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, type DevStack, EDITED, startDevStack } from "./dev-stack";

describe("npm run dev", () => {
  let dev: DevStack;
  let stack: DevStack["stack"];
  let registerAgent: DevStack["registerAgent"];
  let healthName: DevStack["healthName"];
  let save: DevStack["save"];
  let root: string;
  let original: string;
  let builds: string[];

  beforeAll(async () => {
    dev = await startDevStack();
    ({ stack, registerAgent, healthName, save, root, original } = dev);
    builds = await indexBuilds();
  }, 180_000);
  afterAll(() => dev?.stop());

  /** The backfill start times in Ponder's metrics. They change when the index is rebuilt. */
  const indexBuilds = async () => {
    const metrics = await (await fetch(`${stack.ponderUrl}/metrics`)).text();
    return metrics.split("\n").filter((line) => line.startsWith("ponder_historical_start_timestamp_seconds{"));
  };

  /** Edits the response of /health, and polls continuously until it is served. Returns all responses. */
  async function editAndWatch(name: string) {
    const statuses = new Set<number | undefined>();
    const agents = new Set<string>();
    await save(EDITED, original.replace('name: "Intentry"', `name: "${name}"`));
    const deadline = Date.now() + 60_000;
    for (;;) {
      const agent = await ask(`${stack.apiUrl}/agents/1`);
      const health = await ask(`${stack.apiUrl}/health`);
      for (const { status } of [agent, health]) statuses.add(status);
      agents.add(agent.body);
      if (JSON.parse(health.body).name === name) return { statuses, agents };
      if (Date.now() > deadline) throw new Error(`The edit is not served. The log:\n${stack.log()}`);
    }
  }

  it("serves the new version without dropping a request or a row, and without reindexing", async () => {
    expect(await healthName()).toBe("Intentry");
    expect(builds).toHaveLength(1);
    const before = await ask(`${stack.apiUrl}/agents/1`);
    expect(JSON.parse(before.body)).toMatchObject({ agent_id: "1", metadata_uri: "ipfs://first" });

    for (const name of ["Edited once", "Edited twice"]) {
      const { statuses, agents } = await editAndWatch(name);
      expect([...statuses]).toEqual([200]);
      expect([...agents]).toEqual([before.body]);
    }
    await expect.poll(() => indexBuilds().catch(() => []), { timeout: 20_000 }).toEqual(builds);
  });

  it("continues to follow the chain with the new version", async () => {
    await registerAgent("second");
    await stack.indexed();
    const { body } = await ask(`${stack.apiUrl}/agents/2`);
    expect(JSON.parse(body)).toMatchObject({ agent_id: "2", metadata_uri: "ipfs://second" });
    expect(await indexBuilds()).toEqual(builds);
  });

  it("reindexes when a handler is edited, with the same rows", async () => {
    const handlers = join("src", "agents.ts");
    const rows = await stack.rows("agent");
    await save(handlers, `${await readFile(join(root, handlers), "utf8")}\nexport const edited = true;\n`);
    const isAnew = async () => {
      const now = await indexBuilds().catch(() => []);
      return now.length === 1 && now[0] !== builds[0];
    };
    await expect.poll(isAnew, { timeout: 60_000 }).toBe(true);
    const ready = async () => (await ask(`${stack.apiUrl}/ready`)).status;
    await expect.poll(ready, { timeout: 60_000 }).toBe(200);
    await expect.poll(() => stack.rows("agent"), { timeout: 60_000 }).toEqual(rows);
  });

  it("keeps serving the last good version when an edit does not compile", async () => {
    const name = await healthName();
    await save(EDITED, `${original}\nconst = ;\n`);
    await expect.poll(() => stack.log(), { timeout: 60_000 }).toContain("Still serving the last working version.");
    expect(await healthName()).toBe(name);
    const { body } = await ask(`${stack.apiUrl}/agents/2`);
    expect(JSON.parse(body)).toMatchObject({ agent_id: "2", metadata_uri: "ipfs://second" });

    await save(EDITED, original.replace('name: "Intentry"', 'name: "Mended"'));
    await expect.poll(healthName, { timeout: 60_000 }).toBe("Mended");
  });
});

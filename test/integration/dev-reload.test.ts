import { readFile, rename, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../stack/chain";
import { hashOf } from "../../stack/sample/people";
import { copyProject, type ProjectCopy } from "../support/project-copy";
import { type Stack, startStack } from "./stack";

/** The source file of /health. */
const EDITED = join("api", "operations", "status.ts");

/** Sends a request on a new connection. A kept-alive one would not notice a closed port. */
const ask = (url: string) =>
  new Promise<{ status: number | undefined; body: string }>((answered, failed) => {
    get(url, { agent: false }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => answered({ status: response.statusCode, body }));
      response.on("error", failed);
    }).on("error", failed);
  });

describe("npm run dev", () => {
  let copy: ProjectCopy;
  let root: string;
  let stack: Stack;
  let original: string;
  let builds: string[];

  beforeAll(async () => {
    copy = await copyProject();
    root = copy.root;
    original = await readFile(join(root, EDITED), "utf8");
    stack = await startStack({ index: false, env: { NODE_ENV: "development" }, sources: { root, watch: true } });
    await registerAgent("first");
    await stack.startIndexer();
    builds = await indexBuilds();
  }, 180_000);

  afterAll(async () => {
    await stack?.stop();
    await copy?.remove();
  });

  const registerAgent = (name: string) =>
    stack.write(actor(1), "AgentRegistry", "registerAgent", [`ipfs://${name}`, "0x04", hashOf(name)]);

  const healthName = async () => (JSON.parse((await ask(`${stack.apiUrl}/health`)).body) as { name: string }).name;

  /** The backfill start times in Ponder's metrics. They change when the index is rebuilt. */
  const indexBuilds = async () => {
    const metrics = await (await fetch(`${stack.ponderUrl}/metrics`)).text();
    return metrics.split("\n").filter((line) => line.startsWith("ponder_historical_start_timestamp_seconds{"));
  };

  /** Saves a file atomically, because the watcher may read a partially written one. */
  async function save(file: string, content: string) {
    await writeFile(`${root}.saving`, content);
    await rename(`${root}.saving`, join(root, file));
  }

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

  it("survives edits of the schema, of handlers and of operations in any order, on the same ports", async () => {
    const schema = await readFile(join(root, "ponder.schema.ts"), "utf8");
    const handlers = await readFile(join(root, "src", "agents.ts"), "utf8");
    const abi = await readFile(join(root, "abis", "AgentRegistry.ts"), "utf8");
    const key = "agentId: t.bigint().primaryKey(),";
    const edits: Record<string, (round: number) => Promise<void>> = {
      schema: (round) => save("ponder.schema.ts", schema.replace(key, `${key}\n    note${round}: t.text(),`)),
      handler: (round) => save(join("src", "agents.ts"), `${handlers}\nexport const round = ${round};\n`),
      abi: (round) => save(join("abis", "AgentRegistry.ts"), `${abi}\n// ${round}\n`),
      operation: (round) => save(EDITED, original.replace('name: "Intentry"', `name: "Round ${round}"`)),
    };
    const orders = [
      ["schema", "operation", "handler"],
      ["operation", "handler", "schema"],
      ["handler", "abi", "schema", "operation"],
    ];
    for (const [round, order] of orders.entries()) {
      for (const kind of order) await edits[kind]?.(round);
      await expect.poll(healthName, { timeout: 90_000 }).toBe(`Round ${round}`);
      const agents = async () => (await stack.rows("agent")).map(({ metadataUri }) => metadataUri);
      await expect.poll(() => agents().catch(String), { timeout: 90_000 }).toEqual(["ipfs://first", "ipfs://second"]);
      const served = async () => JSON.parse((await ask(`${stack.apiUrl}/agents/2`)).body).metadata_uri;
      await expect.poll(() => served().catch(String), { timeout: 90_000 }).toBe("ipfs://second");
    }
    expect(stack.log()).not.toContain("Restarting");
    expect(stack.log()).not.toContain("Port in use");
  });
});

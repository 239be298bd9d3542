import { cp, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../stack/chain";
import { hashOf } from "../../stack/sample/people";
import { type Stack, startStack } from "./stack";

const projectRoot = resolve(import.meta.dirname, "..", "..");

/** What the Ponder app is made of. */
const SOURCES = [
  "abis",
  "api",
  "client",
  "config",
  "rpc",
  "src",
  "ponder.config.ts",
  "ponder.schema.ts",
  "package.json",
  "tsconfig.json",
];

/** Where the answer of /health is written. */
const EDITED = join("api", "operations", "status.ts");

async function copyOfProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "intentry-dev-"));
  for (const source of SOURCES) await cp(join(projectRoot, source), join(folder, source), { recursive: true });
  await symlink(join(projectRoot, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Asks on a connection of its own, as a new client does; a kept-alive one would not notice a closed port. */
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

describe("ponder dev, on an edit of the gateway", () => {
  let root: string;
  let stack: Stack;
  let original: string;
  let builds: string[];

  beforeAll(async () => {
    root = await copyOfProject();
    original = await readFile(join(root, EDITED), "utf8");
    stack = await startStack({ index: false, env: { NODE_ENV: "development" }, app: { command: "dev", root } });
    await registerAgent("first");
    await stack.startIndexer();
    builds = await indexBuilds();
  }, 180_000);

  afterAll(async () => {
    await stack?.stop();
    if (root) await rm(root, { recursive: true });
  });

  const registerAgent = (name: string) =>
    stack.write(actor(1), "AgentRegistry", "registerAgent", [`ipfs://${name}`, "0x04", hashOf(name)]);

  const healthName = async () => (JSON.parse((await ask(`${stack.apiUrl}/health`)).body) as { name: string }).name;

  /** When Ponder began to index each chain's history: it does so anew whenever it rebuilds the index. */
  const indexBuilds = async () => {
    const metrics = await (await fetch(`${stack.ponderUrl}/metrics`)).text();
    return metrics.split("\n").filter((line) => line.startsWith("ponder_historical_start_timestamp_seconds{"));
  };

  /** Saves a file in one step, as editors do: the watcher may read a file that is still being written. */
  async function save(file: string, content: string) {
    await writeFile(`${root}.saving`, content);
    await rename(`${root}.saving`, join(root, file));
  }

  /** Changes the answer of /health, and asks without a pause until it is served. Every answer meanwhile is returned. */
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

  it("serves the new version without dropping a request or a row, and does not index anew", async () => {
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

  it("goes on following the chain behind the new version", async () => {
    await registerAgent("second");
    await stack.indexed();
    const { body } = await ask(`${stack.apiUrl}/agents/2`);
    expect(JSON.parse(body)).toMatchObject({ agent_id: "2", metadata_uri: "ipfs://second" });
    expect(await indexBuilds()).toEqual(builds);
  });

  it("indexes anew when a handler is edited, and comes back with the same rows", async () => {
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
    expect(await stack.rows("agent")).toEqual(rows);
  });

  it("keeps serving the last good version when an edit does not compile", async () => {
    const name = await healthName();
    await save(EDITED, `${original}\nconst = ;\n`);
    await expect.poll(() => stack.log(), { timeout: 30_000 }).toContain("Error while executing file");
    expect(await healthName()).toBe(name);
    const { body } = await ask(`${stack.apiUrl}/agents/2`);
    expect(JSON.parse(body)).toMatchObject({ agent_id: "2", metadata_uri: "ipfs://second" });

    // Ponder forgets who imports a file that does not compile, so it takes a save of the entry as well.
    await save(EDITED, original.replace('name: "Intentry"', 'name: "Mended"'));
    const entry = join("src", "api", "index.ts");
    await save(entry, `${await readFile(join(root, entry), "utf8")}\n`);
    await expect.poll(healthName, { timeout: 30_000 }).toBe("Mended");
  });
});
